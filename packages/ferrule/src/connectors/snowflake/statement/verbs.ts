/** Decides where a verb begins another statement, and where it is only a name. */
import { type Tokens, tokenType } from './tokens.ts'

const buildSet = (words: string): ReadonlySet<string> => new Set(words.split(' '))

/** Verbs that the vendor reserves, so that no unquoted name uses them. SELECT and WITH have rules of their own. */
const reservedVerbs = buildSet('ALTER CREATE DELETE DROP GRANT INSERT REVOKE SET UPDATE')

/** Verbs that may also be names of columns, tables and functions. */
const freeVerbs = buildSet(
  'BEGIN CALL COMMENT COMMIT COPY DECLARE DESC DESCRIBE EXECUTE EXPLAIN GET LIST LS MERGE PUT REMOVE RM ROLLBACK SHOW TRUNCATE UNDROP UNSET USE',
)

/** All of these verbs. */
export const verbs: readonly string[] = [...reservedVerbs, ...freeVerbs]

/** Verbs that only a stage or its quoted name can follow. */
const stageVerbs = buildSet('LIST LS REMOVE RM')
const intoVerbs = buildSet('COPY MERGE')
/** Verbs that are whole statements. */
const loneVerbs = buildSet('COMMIT ROLLBACK')

/** Words that are no value. Something new begins after them, and a colon there is a placeholder, not a path. */
export const reservedWords = buildSet(
  'ALL AND ANY AS BETWEEN BY CASE CONNECT DISTINCT ELSE EXCEPT EXISTS FROM FULL GROUP HAVING ILIKE IN INNER INTERSECT INTO IS JOIN ' +
    'LATERAL LEFT LIKE LIMIT MINUS NATURAL NOT NULL OF OFFSET ON OR ORDER QUALIFY REGEXP RIGHT RLIKE SELECT SET SOME THEN TOP UNION ' +
    'USING VALUES WHEN WHERE WITH',
)

/** More words after which a name or value begins. */
const beforeNames = buildSet('CONNECT_BY_ROOT CROSS DELETE ESCAPE FOR INSERT MATCH MEASURES PRIOR RENAME UPDATE')

/** Words that follow a column in parentheses, and no verb of a statement. */
const afterColumn = buildSet(
  'AND AS ASC ASOF BETWEEN COLLATE CROSS DESC EXCEPT FROM FULL IGNORE ILIKE IN INNER INTERSECT IS JOIN LEFT LIKE MINUS NATURAL NOT NULLS ' +
    'OR ORDER OVER REGEXP RESPECT RIGHT RLIKE UNION WITHIN',
)

/** More words that follow a column, a table or its alias anywhere. */
const afterName = buildSet(
  'AFTER AT BEFORE CHANGES DEFINE END ESCAPE FETCH FOR GROUPS MATCH_CONDITION MATCH_RECOGNIZE MEASURES ONE OUTER PATTERN PIVOT RANGE RESAMPLE ' +
    'ROWS SAMPLE START SUBSET TABLESAMPLE UNPIVOT',
)

const { word, quoted, string, stage, none } = tokenType

/** Tokens that follow the verb of a statement. */
const follows: ReadonlySet<number> = new Set([word, quoted, string, stage])
/** Tokens that end a value or a name, whatever stands before them. */
export const endsValue: ReadonlySet<number> = new Set([
  quoted,
  tokenType.variable,
  tokenType.close,
  tokenType.closeBracket,
  tokenType.closeBrace,
])

const continuesName = (text: string): boolean => reservedWords.has(text) || afterColumn.has(text) || afterName.has(text)

/**
 * Returns whether COMMENT begins a statement: `COMMENT ON TABLE t`, but not `JOIN comments comment ON comment.id = t.id` nor `… comment ON
 * active AND …`.
 */
const isComment = (tokens: Tokens, index: number): boolean =>
  tokens.is(index + 1, 'ON') &&
  tokens.type(index + 2) === word &&
  (tokens.type(index + 3) === quoted || (tokens.type(index + 3) === word && !continuesName(tokens.word(index + 3))))

/**
 * Returns whether a verb after a parenthesis begins a statement: `(DELETE FROM …`, `(LIST @stage`, but not `(INSERT(…))`, a function, nor
 * `(begin, end)` and `(call IN (1, 2))`, columns.
 */
export function beginsNested(tokens: Tokens, index: number): boolean {
  const next = tokens.type(index + 1)
  if (!follows.has(next)) return false
  const verb = tokens.word(index)
  if (reservedVerbs.has(verb)) return true
  if (!freeVerbs.has(verb)) return false
  if (stageVerbs.has(verb)) return next === stage || next === string
  if (verb === 'COMMENT') return tokens.is(index + 1, 'ON') || tokens.is(index + 1, 'IF')
  return !afterColumn.has(tokens.word(index + 1))
}

/** Returns whether a value or a name ends at a token, so that only an operator, a clause or an alias can follow. */
function isEnd(tokens: Tokens, index: number): boolean {
  const type = tokens.type(index)
  if (endsValue.has(type) || type === string || type === stage) return true
  if (type === tokenType.number) return !tokens.is(index - 1, 'TOP')
  if (type === tokenType.star) return isWildcard(tokens, index - 1)
  const text = tokens.word(index)
  if (text !== '' && beforeStep.has(tokens.type(index - 1))) return true
  if (text === 'UPDATE') return tokens.is(index - 1, 'FOR')
  return text === 'NULL' || (text !== '' && !reservedWords.has(text) && !beforeNames.has(text))
}

/** After these tokens every word is a step of a path: `v:order`, `v.select`. */
const beforeStep: ReadonlySet<number> = new Set([tokenType.colon, tokenType.dot])
const beforeWildcard: ReadonlySet<number> = new Set([tokenType.comma, tokenType.dot, tokenType.open])
const isWildcard = (tokens: Tokens, before: number): boolean =>
  beforeWildcard.has(tokens.type(before)) || reservedWords.has(tokens.word(before))

/** Returns whether the tokens after a verb, which may be a name, continue a statement. */
function continuesStatement(tokens: Tokens, index: number): boolean {
  const verb = tokens.word(index)
  const next = tokens.type(index + 1)
  if (next === stage || next === string || stageVerbs.has(verb)) return next === stage || next === string
  if (next === none) return loneVerbs.has(verb)
  if (verb === 'COMMENT') return isComment(tokens, index)
  if (intoVerbs.has(verb) && tokens.is(index + 1, 'INTO')) return true
  return next === quoted || (next === word && !continuesName(tokens.word(index + 1)))
}

/**
 * Returns whether a word that is no step of a path begins a second statement: `… DROP TABLE t`, `… CALL p()`.
 * @param isQuery true if the statement only reads: a verb at the very end is then an alias of a column or table
 */
export function beginsSecond(tokens: Tokens, index: number, isQuery: boolean): boolean {
  const verb = tokens.word(index)
  if (tokens.is(index - 1, 'AS')) return false
  if (reservedVerbs.has(verb)) return follows.has(tokens.type(index + 1)) && !(verb === 'UPDATE' && tokens.is(index - 1, 'FOR'))
  if (!freeVerbs.has(verb) || !isEnd(tokens, index - 1)) return false
  return continuesStatement(tokens, index) && !(isQuery && tokens.type(index + 1) === none)
}
