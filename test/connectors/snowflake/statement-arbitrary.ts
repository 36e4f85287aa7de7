/** Generators of statements: each is a list of tokens, so that a test knows where a token ends without asking the lexer under test. */
import fc from 'fast-check'
import type { StatementKind } from '../../../packages/ferrule/src/connectors/snowflake/statement/reasons.ts'
import { kinds } from './statement-table.ts'

/** A generated statement. */
export interface Generated {
  readonly kind: StatementKind
  readonly tokens: readonly string[]
}

type Words = readonly string[]

/** Stands in every string literal, so that a test can look for it where no literal's content may be. */
export const secret = 'S3CRET'

const nasty = fc.array(
  fc.oneof(
    fc.constantFrom("'", '"', '\\', ';', '->>', '--', '//', '/*', '*/', '$', '?', ':x', '\n', '\r', '\0', '\ud800', '\u00a0'),
    fc.string({ unit: 'binary', maxLength: 3 }),
  ),
  { maxLength: 6 },
)
const content = nasty.map((parts) => `${secret}${parts.join('')}`)
const string = content.map((text) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", fc.hash(text) % 2 === 0 ? "''" : "\\'")}'`)
const dollars = content.map((text) => `$$${text.replaceAll('$', '')}$$`)
const quoted = nasty.map((parts) => `"x${parts.join('').replaceAll('"', '""')}"`)
const bare = fc.constantFrom(
  ...['a', 'b_1', 'Orders', 'insert_log', 'overwrite', 'metadata$row', '_x', 'procedure', 'call', 'list', 'Comment', 'show'],
)
const name = fc.oneof(bare, quoted)
const path = fc
  .tuple(name, fc.array(fc.constantFrom(':k', ':"k v"', '.order', '[0]', ':from:id', '::int'), { maxLength: 3 }))
  .map(([start, steps]) => (steps.length === 0 ? start : `${start}:k${steps.join('')}`))
const word = (written: fc.Arbitrary<string>): fc.Arbitrary<Words> => written.map((text) => [text])

/** Parts of a statement that are no list of others. */
const parts = {
  literal: word(fc.oneof(string, dollars, fc.constantFrom('0', '42', '1e5', '.5', '3.14', 'NULL', 'TRUE', '$1', 't.$1:b'))),
  string: word(string),
  path: word(path),
  name: word(name),
  operator: word(fc.constantFrom('+', '-', '*', '/', '%', '||', '=', '<>', '<=', '>', 'AND', 'OR', 'LIKE')),
  stage: word(fc.constantFrom('@s', '@~/a.csv', '@%t', '@"S 1"/x', '@db."s".st')),
  table: fc.oneof(
    word(name),
    word(fc.tuple(name, name, name).map((names) => names.join('.'))),
    fc.constant(['IDENTIFIER', '(', "'T'", ')']),
  ),
}

/** Forms of what nests: words apart by spaces; `<part>` is another part, `<part>s` one to three of them with commas. */
const nesting = {
  expression: [
    '<literal>',
    '<path>',
    '<expression> <operator> <expression>',
    'f ( <expression>s )',
    '( <expression> )',
    '{ <string> : <expression> }',
    '[ <expression>s ]',
    'CASE WHEN <expression> THEN <expression> END',
    'CAST ( <expression> AS INT )',
    'a IN ( <literal>s )',
    'EXISTS ( <query> )',
    'FILTER ( [ 1 ] , x -> x > <literal> )',
  ],
  query: [
    'SELECT <expression>s FROM <table>',
    'select * from <table> WHERE <expression> ORDER BY 1 LIMIT 5',
    'SELECT $1 FROM <stage>',
    'SELECT a FROM <table> UNION ALL <query>',
    'SELECT a FROM ( <query> ) AS s',
    'SELECT * FROM TABLE ( FLATTEN ( input => <expression> ) )',
    'WITH c AS ( <query> ) , d ( a ) AS ( <query> ) SELECT * FROM c',
    'SELECT * FROM t MATCH_RECOGNIZE ( PATTERN ( x + ( y ? ) ) DEFINE x AS <expression> )',
  ],
} as const

const forms: Readonly<Record<StatementKind, readonly string[]>> = {
  SELECT: ['<query>', '( <query> )', '( ( <query> ) UNION <query> )'],
  INSERT: [
    'INSERT INTO <table> ( a ) VALUES ( <expression>s )',
    'insert into <table> <query>',
    'INSERT ALL INTO a INTO b ( x ) VALUES ( <expression> ) <query>',
    'INSERT FIRST WHEN <expression> THEN INTO a ELSE INTO b <query>',
  ],
  UPDATE: ['UPDATE <table> SET <name> = <expression> , b = <expression> WHERE <expression>', 'update t SET a = <expression> FROM <table>'],
  DELETE: ['DELETE FROM <table> WHERE <expression>', 'Delete From t USING <table>', 'DELETE FROM t'],
}

type Part = (name: string) => fc.Arbitrary<Words>

/** A generator from a form. */
function fromForm(form: string, part: Part): fc.Arbitrary<Words> {
  const words = form.split(' ').map((text) => {
    const [, name, many] = /^<(\w+)>(s?)$/.exec(text) ?? []
    if (name === undefined) return fc.constant([text])
    return many ? fc.array(part(name), { minLength: 1, maxLength: 3 }).map(withCommas) : part(name)
  })
  return fc.tuple(...words).map((lists) => lists.flat())
}

const withCommas = (items: readonly Words[]): Words => items.flatMap((words, index) => (index === 0 ? words : [',', ...words]))

const nested = fc.letrec<Record<keyof typeof nesting, Words>>((tie) => {
  const part: Part = (name) => {
    if (name === 'expression' || name === 'query') return tie(name)
    const found = Object.entries(parts).find(([key]) => key === name)
    if (!found) throw new Error(`there is no part ${name}`)
    return found[1]
  }
  const anyOf = (list: readonly string[]): fc.Arbitrary<Words> =>
    fc.oneof({ depthSize: 'small' }, ...list.map((form) => fromForm(form, part)))
  return { expression: anyOf(nesting.expression), query: anyOf(nesting.query) }
})
const anyPart: Part = (name) => Object.entries({ ...parts, ...nested }).find(([key]) => key === name)?.[1] ?? fc.constant([name])

/** A statement that the action of its kind takes. */
export const statement: fc.Arbitrary<Generated> = fc.oneof(
  ...kinds.flatMap((kind) => forms[kind].map((form) => fromForm(form, anyPart).map((tokens): Generated => ({ kind, tokens })))),
)

/** What may stand between two tokens. Each begins with space, because a slash and a comment together would be another comment. */
export const gap = fc.constantFrom(
  ' ',
  '  ',
  '\n',
  '\r\n',
  '\t',
  ' /* ; ->> */ ',
  ' -- ? ; \' "\n',
  " // ->> '\r\n",
  ' /**/',
  ' /* /* */\n',
)

/** Any UTF-16 code units, halves of pairs included. */
export const codeUnits = fc.array(fc.oneof(fc.nat(0xff), fc.nat(0xffff)), { maxLength: 60 }).map((units) => String.fromCharCode(...units))

/** Texts of pieces that mean something to a reader of statements, in any order. */
export const pieces = fc
  .array(
    fc.oneof(
      {
        weight: 4,
        arbitrary: fc.constantFrom(
          ...'SELECT|WITH|INSERT|INTO|x|AS|FROM|(|)|[|]|{|}|,|;|->>|->|>|-|--|/|//|/*|*/|*|::|:|?|.|1|1.|$|$1|$$|\'|\'\'|"|""|\\|@|@s|@"|\n|\r|\t|DROP|SYSTEM$X|IDENTIFIER|PATTERN|MATCH_RECOGNIZE|#|`|é|\u2028|\0'.split(
            '|',
          ),
        ),
      },
      { weight: 4, arbitrary: fc.constant(' ') },
      { weight: 1, arbitrary: codeUnits },
    ),
    { maxLength: 40 },
  )
  .map((parts) => parts.join(''))
/** The same, so that most of them begin like a statement. */
export const likely = fc
  .tuple(fc.constantFrom('SELECT ', 'WITH x AS (', 'INSERT INTO t ', 'DELETE FROM t ', '('), pieces)
  .map((parts) => parts.join(''))
