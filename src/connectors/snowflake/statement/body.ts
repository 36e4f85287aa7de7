/** The rest of a statement: one walk over its tokens that refuses what may not stand in it anywhere. */
import { type Finding, refuse, type StatementKind, systemFunctions } from './reasons.ts'
import { type Tokens, tokenType } from './tokens.ts'

/** What an opened bracket is. */
const frame = { parentheses: 1, recognize: 2, pattern: 3, identifier: 4, bracket: 5, brace: 6 } as const

/** What is known at one place of the walk. */
interface Walk {
  readonly tokens: Tokens
  readonly kind: StatementKind
  /** What is open, and at which token it was opened; the innermost last. */
  readonly frames: number[]
  readonly openers: number[]
  /** Token that closed the last `IDENTIFIER( … )`; what it is may be called only by its name. */
  computedName: number
}

type Rule = (walk: Walk, index: number) => Finding | undefined

const systemPrefix = 'SYSTEM$'

/** Verbs that may not begin what stands in parentheses. */
const statementVerbs: ReadonlySet<string> = new Set(
  (
    'INSERT UPDATE DELETE MERGE CALL EXECUTE SHOW DESCRIBE TRUNCATE DROP UNDROP CREATE ALTER GRANT REVOKE COPY PUT GET BEGIN DECLARE ' +
    'COMMIT ROLLBACK'
  ).split(' '),
)

/** Words that are no value: a colon behind them begins a placeholder, not a path. */
const reservedWords: ReadonlySet<string> = new Set(
  (
    'ALL AND ANY AS BETWEEN BY CASE CONNECT DISTINCT ELSE EXCEPT EXISTS FROM FULL GROUP HAVING ILIKE IN INNER INTERSECT INTO IS JOIN ' +
    'LATERAL LEFT LIKE LIMIT MINUS NATURAL NOT NULL OF OFFSET ON OR ORDER QUALIFY REGEXP RIGHT RLIKE SELECT SET SOME THEN TOP UNION ' +
    'USING VALUES WHEN WHERE WITH'
  ).split(' '),
)

/** What follows the verb of a statement in parentheses. */
const follows: ReadonlySet<number> = new Set([tokenType.word, tokenType.quoted, tokenType.string])
/** Tokens that end a value, whatever stands before them: a colon behind them begins a path. */
const endsValue: ReadonlySet<number> = new Set([tokenType.quoted, tokenType.variable, tokenType.close, tokenType.closeBracket])

/** Tokens that begin a step of a path. */
const beginsStep: ReadonlySet<number> = new Set([tokenType.colon, tokenType.dot])

const innermost = ({ frames }: Walk): number => frames.at(-1) ?? 0

/** What a parenthesis opens, by the word before it. */
function frameOf(walk: Walk, index: number): number {
  const { tokens, kind } = walk
  const outer = innermost(walk)
  if (outer === frame.pattern || (outer === frame.recognize && tokens.is(index - 1, 'PATTERN'))) return frame.pattern
  if (tokens.is(index - 1, 'MATCH_RECOGNIZE')) return frame.recognize
  const isTarget = kind === 'INSERT' && tokens.is(index - 2, 'INTO')
  return tokens.is(index - 1, 'IDENTIFIER') && !isTarget ? frame.identifier : frame.parentheses
}

function open(walk: Walk, index: number, type: number): undefined {
  walk.frames.push(type)
  walk.openers.push(index)
}

/** `(DELETE FROM …`, but not `(INSERT(…))`, a function, and not `(begin, end)`, two columns. */
const beginsStatement = (tokens: Tokens, index: number): boolean =>
  follows.has(tokens.type(index + 1)) && statementVerbs.has(tokens.word(index))

function callsSystemFunction(tokens: Tokens, index: number): boolean {
  if (tokens.end(index) - tokens.start(index) < systemPrefix.length) return false
  const name = tokens.name(index)
  return name.startsWith(systemPrefix) && !systemFunctions.has(name)
}

const openParenthesis: Rule = (walk, index) => {
  const { tokens } = walk
  if (beginsStatement(tokens, index + 1)) return refuse(tokens, index + 1, 'nested_statement')
  if (callsSystemFunction(tokens, index - 1)) return refuse(tokens, index - 1, 'system_function')
  if (walk.computedName === index - 1) return refuse(tokens, index, 'computed_function')
  return open(walk, index, frameOf(walk, index))
}

/** A closing token and what it may close. */
const closes =
  (isPartner: (type: number) => boolean): Rule =>
  (walk, index) => {
    const type = innermost(walk)
    if (!isPartner(type)) return refuse(walk.tokens, index, 'unbalanced')
    walk.frames.pop()
    walk.openers.pop()
    if (type === frame.identifier) walk.computedName = index
    return undefined
  }

const placeholder: Rule = (walk, index) => (innermost(walk) === frame.pattern ? undefined : refuse(walk.tokens, index, 'placeholder'))

/** Whether a path goes on behind a word: directly behind one that is not reserved, or behind any that is a step itself (`v:order:id`). */
function continuesPath(tokens: Tokens, index: number): boolean {
  if (tokens.type(index) !== tokenType.word || !tokens.isAdjacent(index + 1)) return false
  const isStep = tokens.isAdjacent(index) && beginsStep.has(tokens.type(index - 1))
  return isStep || !reservedWords.has(tokens.word(index))
}

/** A colon is part of a path (`v:name`), of an object (`{'key': 1}`), or begins a placeholder. */
const colon: Rule = (walk, index) => {
  const { tokens } = walk
  const before = tokens.type(index - 1)
  const isKey = before === tokenType.string && innermost(walk) === frame.brace
  return isKey || endsValue.has(before) || continuesPath(tokens, index - 1) ? undefined : refuse(tokens, index, 'placeholder')
}

const word: Rule = ({ tokens, kind }, index) => {
  if (kind === 'SELECT' && tokens.is(index, 'INTO')) return refuse(tokens, index, 'select_into')
  const isDefinition = tokens.is(index, 'PROCEDURE') && tokens.is(index - 1, 'AS') && tokens.type(index + 1) === tokenType.open
  return isDefinition ? refuse(tokens, index, 'procedure') : undefined
}

/** Which rule looks at a token, by its type. */
const rules: readonly (Rule | undefined)[] = (() => {
  const table = new Array<Rule | undefined>(256).fill(undefined)
  table[tokenType.open] = openParenthesis
  table[tokenType.close] = closes((type) => type >= frame.parentheses && type <= frame.identifier)
  table[tokenType.openBracket] = (walk, index) => open(walk, index, frame.bracket)
  table[tokenType.closeBracket] = closes((type) => type === frame.bracket)
  table[tokenType.openBrace] = (walk, index) => open(walk, index, frame.brace)
  table[tokenType.closeBrace] = closes((type) => type === frame.brace)
  table[tokenType.placeholder] = placeholder
  table[tokenType.colon] = colon
  table[tokenType.word] = word
  return table
})()

/**
 * Walks over all tokens.
 * @returns the first thing that may not stand in a statement of this kind, or undefined
 */
export function findInBody(tokens: Tokens, kind: StatementKind): Finding | undefined {
  const walk: Walk = { tokens, kind, frames: [], openers: [], computedName: -2 }
  for (let index = 0; index < tokens.length; index += 1) {
    const finding = rules[tokens.type(index)]?.(walk, index)
    if (finding) return finding
  }
  const unclosed = walk.openers.at(-1)
  return unclosed === undefined ? undefined : refuse(tokens, unclosed, 'unbalanced')
}
