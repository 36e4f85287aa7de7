/** Statements of the warehouse in the editor: words of SELECT, INSERT, UPDATE and DELETE, which are all that the service admits. */
import { keywordCompletionSource, SQLDialect, sql } from '@codemirror/lang-sql'
import type { Extension } from '@codemirror/state'

const dialect = SQLDialect.define({
  keywords:
    'all and any as asc asof at before between by case changes connect cross current delete desc distinct else end escape except exists ' +
    'false fetch first for from full group having ignore ilike in inner insert intersect into is join lateral left like limit match_condition ' +
    'match_recognize minus natural next not null nulls of offset on only or order outer over partition percent pivot prior qualify range ' +
    'recursive regexp respect right rlike row rows sample select set some start table tablesample then top true union unpivot update using ' +
    'values when where window with within',
  types:
    'array bigint binary boolean char date datetime decimal double float geography geometry int integer number object real smallint string ' +
    'text time timestamp timestamp_ltz timestamp_ntz timestamp_tz tinyint varbinary varchar variant',
  builtin:
    'avg coalesce concat count current_date current_role current_timestamp current_user current_warehouse dateadd datediff date_trunc dense_rank ' +
    'flatten generator iff lag lead listagg lower max median min nvl object_construct parse_json rank replace round row_number split sum to_char ' +
    'to_date to_number to_timestamp trim try_cast try_parse_json try_to_number upper',
  backslashEscapes: true,
  slashComments: true,
  doubleDollarQuotedStrings: true,
  operatorChars: '*+-%<>!=&|~^/:',
})

export const language: Extension = [
  sql({ dialect, upperCaseKeywords: true }),
  dialect.language.data.of({ autocomplete: keywordCompletionSource(dialect, true) }),
]
