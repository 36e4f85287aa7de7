/**
 * The statement gate: decides before any call to the warehouse whether a string is exactly one statement of the action's kind.
 *
 * Works on tokens, not on a grammar: parsers and the warehouse disagree exactly where a second statement could hide. The request is built
 * from the checked tokens, so a comment that the warehouse reads differently cannot hide anything. docs/decisions/statements.md
 * has the rules.
 */
import { lex } from './lexer.ts'
import {
  actionsByKind,
  type Finding,
  formatSentence,
  longestStatement,
  type Reason,
  type RecordAction,
  refuse,
  type StatementKind,
  systemFunctions,
} from './reasons.ts'
import { Tokens, tokenType } from './tokens.ts'
import { beginsNested, beginsSecond, endsValue, reservedWords, verbs } from './verbs.ts'

const frame = { parentheses: 1, recognize: 2, pattern: 3, identifier: 4, bracket: 5, brace: 6 } as const

interface Walk {
  readonly tokens: Tokens
  readonly kind: StatementKind
  /** Index of the verb. */
  readonly verb: number
  /** Open brackets by their kind and token, the innermost last. */
  readonly frames: number[]
  readonly openers: number[]
  /** Token that closed the last `IDENTIFIER( … )`. The result may be called only by its name. */
  computedName: number
  /** The last colon of a path. The next word is a step, whatever its name. */
  pathColon: number
  /** Tokens at which the queries of WITH begin. */
  readonly queries: Set<number>
  /** True while an UPDATE may still reach its SET, or an INSERT its rows. */
  isOpen: boolean
}

type GateRule = (walk: Walk, index: number) => Finding | undefined

const systemPrefix = 'SYSTEM$'

const innermost = ({ frames }: Walk): number => frames.at(-1) ?? 0

/** Returns what a parenthesis opens, by the word before it. */
function chooseFrame(walk: Walk, index: number): number {
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

function callsSystemFunction(tokens: Tokens, index: number): boolean {
  if (tokens.end(index) - tokens.start(index) < systemPrefix.length) return false
  const name = tokens.name(index)
  return name.startsWith(systemPrefix) && !systemFunctions.has(name)
}

const openParenthesis: GateRule = (walk, index) => {
  const { tokens } = walk
  const type = chooseFrame(walk, index)
  if (type !== frame.pattern && beginsNested(tokens, index + 1)) return refuse(tokens, index + 1, 'nested_statement')
  if (callsSystemFunction(tokens, index - 1)) return refuse(tokens, index - 1, 'system_function')
  if (walk.computedName === index - 1) return refuse(tokens, index, 'computed_function')
  return open(walk, index, type)
}

const closes =
  (isPartner: (type: number) => boolean): GateRule =>
  (walk, index) => {
    const type = innermost(walk)
    if (!isPartner(type)) return refuse(walk.tokens, index, 'unbalanced')
    walk.frames.pop()
    walk.openers.pop()
    if (type === frame.identifier) walk.computedName = index
    return undefined
  }

const placeholder: GateRule = (walk, index) => (innermost(walk) === frame.pattern ? undefined : refuse(walk.tokens, index, 'placeholder'))

/** Returns whether a word is a step of a path or a part of a longer name: `v:order`, `t.update`. */
const isStep = ({ tokens, pathColon }: Walk, index: number): boolean =>
  index > 0 && (pathColon === index - 1 || tokens.type(index - 1) === tokenType.dot)

/** Tokens that begin a path's step after a space: `a : b`, but not `LIMIT : 5`. */
const beginsStep: ReadonlySet<number> = new Set([tokenType.word, tokenType.quoted])

/** Returns whether a path continues after a word: after an unreserved word, or after a word that is a step itself (`v:order:id`). */
function continuesPath(walk: Walk, index: number): boolean {
  const { tokens } = walk
  if (tokens.type(index) !== tokenType.word) return false
  if (!isStep(walk, index) && reservedWords.has(tokens.word(index))) return false
  return tokens.isAdjacent(index + 1) || beginsStep.has(tokens.type(index + 2))
}

/** Checks a colon: it is part of a path (`v:name`) or of an object (`{'key': 1}`), or begins a placeholder. */
const colon: GateRule = (walk, index) => {
  const { tokens } = walk
  const before = tokens.type(index - 1)
  if (before === tokenType.string && innermost(walk) === frame.brace) return undefined
  if (!endsValue.has(before) && !continuesPath(walk, index - 1)) return refuse(tokens, index, 'placeholder')
  walk.pathColon = index
  return undefined
}

/** Words after which a query continues with another SELECT. */
const beforeQuery: ReadonlySet<string> = new Set(['UNION', 'ALL', 'DISTINCT', 'NAME', 'EXCEPT', 'MINUS', 'INTERSECT'])

/**
 * Returns whether a query may begin here: in parentheses, after UNION and the like, at the verb, after a WITH, or as the rows of an INSERT.
 */
function mayBeginQuery(walk: Walk, index: number): boolean {
  const { tokens, kind, verb, frames } = walk
  if (index === verb || walk.queries.has(index)) return true
  if (tokens.type(index - 1) === tokenType.open || beforeQuery.has(tokens.word(index - 1))) return true
  const isRows = kind === 'INSERT' && walk.isOpen && frames.length === 0
  if (isRows) walk.isOpen = false
  return isRows
}

const select: GateRule = (walk, index) => (mayBeginQuery(walk, index) ? undefined : refuse(walk.tokens, index, 'second_statement'))

const withList: GateRule = (walk, index) => {
  if (!beginsList(walk.tokens, index)) return undefined
  if (!mayBeginQuery(walk, index)) return refuse(walk.tokens, index, 'second_statement')
  const query = findWithQuery(walk.tokens, index)
  if (typeof query !== 'number') return query
  walk.queries.add(query)
  return undefined
}

/** Checks VALUES: the rows of an INSERT INTO; those of INSERT ALL come before its query. */
const values: GateRule = (walk) => {
  if (walk.kind === 'INSERT' && walk.frames.length === 0 && walk.tokens.is(walk.verb + 1, 'INTO')) walk.isOpen = false
  return undefined
}

/** Checks SET: an UPDATE has one; every other SET begins a statement. */
const set: GateRule = (walk, index) => {
  if (walk.kind !== 'UPDATE' || !walk.isOpen || walk.frames.length > 0) return verbRule(walk, index)
  walk.isOpen = false
  return undefined
}

const into: GateRule = (walk, index) => (walk.kind === 'SELECT' ? refuse(walk.tokens, index, 'select_into') : undefined)

const procedure: GateRule = ({ tokens }, index) => {
  const isDefinition = tokens.is(index - 1, 'AS') && tokens.type(index + 1) === tokenType.open
  return isDefinition ? refuse(tokens, index, 'procedure') : undefined
}

const verbRule: GateRule = ({ tokens, kind, verb }, index) =>
  index !== verb && beginsSecond(tokens, index, kind === 'SELECT') ? refuse(tokens, index, 'second_statement') : undefined

const wordRules: ReadonlyMap<string, GateRule> = new Map<string, GateRule>([
  ...Array.from(verbs, (verb): [string, GateRule] => [verb, verbRule]),
  ['SELECT', select],
  ['WITH', withList],
  ['VALUES', values],
  ['SET', set],
  ['INTO', into],
  ['PROCEDURE', procedure],
])
const longestWord = Math.max(...Array.from(wordRules.keys(), (text) => text.length))

/** Checks a word. Few words are as short as the rules' words, so few are copied. */
const word: GateRule = (walk, index) => {
  const { tokens, kind } = walk
  if (tokens.end(index) - tokens.start(index) > longestWord) return undefined
  const rule = wordRules.get(tokens.word(index))
  if (rule === undefined) return undefined
  const isName = isStep(walk, index) || innermost(walk) === frame.pattern
  return isName && !(kind === 'SELECT' && rule === into) ? undefined : rule(walk, index)
}

const rules: readonly (GateRule | undefined)[] = (() => {
  const table = new Array<GateRule | undefined>(256).fill(undefined)
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

/** Checks all tokens. @returns the first thing that no statement of this kind may contain, or undefined */
function findInBody(tokens: Tokens, { kind, index: verb }: Verb): Finding | undefined {
  const walk: Walk = { tokens, kind, verb, frames: [], openers: [], computedName: -2, pathColon: -2, queries: new Set(), isOpen: true }
  for (let index = 0; index < tokens.length; index += 1) {
    const finding = rules[tokens.type(index)]?.(walk, index)
    if (finding) return finding
  }
  const unclosed = walk.openers.at(-1)
  return unclosed === undefined ? undefined : refuse(tokens, unclosed, 'unbalanced')
}

/** The gate's decision. */
export type Admission =
  | {
      readonly admitted: true
      /** The string to send: the checked tokens, without comments, with single spaces, and literals unchanged. */
      readonly statement: string
    }
  | {
      readonly admitted: false
      readonly reason: Reason
      /** What was found: at most 40 characters, and never the content of a literal or a quoted identifier. */
      readonly found: string
      /** Its line, from 1. LF, CR and CR LF end a line. */
      readonly line: number
      /** Its column, from 1, in UTF-16 code units as editors count them. */
      readonly column: number
      /** What was found, where, and what to write instead. */
      readonly message: string
      /** Actions of `record` that take the statement unchanged; empty if none does. */
      readonly takes: readonly RecordAction[]
    }

interface Statement {
  readonly kind: StatementKind
  readonly tokens: Tokens
  /** Index of the verb. */
  readonly index: number
}

/**
 * Admits or refuses a statement. Never throws. Time and memory grow linearly with the string, of at most 1,048,576 UTF-16 code units.
 * @param text the statement as the caller wrote it
 * @param kind the statements that the action takes
 * @returns the string to send, or why nothing is sent
 */
export function admit(text: string, kind: StatementKind): Admission {
  const read = readStatement(text)
  if ('reason' in read) return buildRefusal(text, kind, { ...read, takes: [] })
  if (read.kind === kind) return { admitted: true, statement: read.tokens.joined() }
  return buildRefusal(text, kind, { ...refuse(read.tokens, read.index, 'other_kind'), takes: actionsByKind[read.kind] })
}

/** Reads a string as exactly one statement of any kind. The order of the checks decides which finding is reported. */
function readStatement(text: string): Statement | Finding {
  if (text.length > longestStatement) return { reason: 'too_long', at: longestStatement, found: `code unit ${longestStatement + 1}` }
  const tokens = lex(text)
  if (!(tokens instanceof Tokens)) return tokens
  const nothing = refuse(tokens, 0, 'no_statement')
  tokens.dropTrailing(tokenType.semicolon)
  if (tokens.length === 0) return nothing
  const pipe = tokens.indexOf(tokenType.pipe)
  if (pipe >= 0) return refuse(tokens, pipe, 'pipe')
  const verb = readVerb(tokens)
  if ('reason' in verb) return verb
  const semicolon = tokens.indexOf(tokenType.semicolon)
  if (semicolon >= 0) return refuse(tokens, semicolon, 'several_statements')
  return findInHead(tokens, verb) ?? findInBody(tokens, verb) ?? { ...verb, tokens }
}

function buildRefusal(text: string, wanted: StatementKind, finding: Finding & { takes: readonly RecordAction[] }): Admission {
  const { reason, at, found, takes } = finding
  const { line, column } = locateOffset(text, at)
  const message = formatSentence(reason, { found, position: `line ${line}, column ${column}`, wanted, takes })
  return { admitted: false, reason, found, line, column, message, takes }
}

/** Computes line and column of an offset, both from 1. */
function locateOffset(text: string, at: number): { line: number; column: number } {
  let line = 1
  let lineStart = 0
  for (let index = 0; index < at; index += 1) {
    const code = text.charCodeAt(index)
    const isBreak = code === 0x0a || (code === 0x0d && text.charCodeAt(index + 1) !== 0x0a)
    if (!isBreak) continue
    line += 1
    lineStart = index + 1
  }
  return { line, column: at - lineStart + 1 }
}

const kinds: ReadonlyMap<string, StatementKind> = new Map([
  ['SELECT', 'SELECT'],
  ['WITH', 'SELECT'],
  ['INSERT', 'INSERT'],
  ['UPDATE', 'UPDATE'],
  ['DELETE', 'DELETE'],
])

const insertForms: ReadonlySet<string> = new Set(['INTO', 'ALL', 'FIRST'])

interface Verb {
  readonly kind: StatementKind
  /** Index of its token. */
  readonly index: number
}

/** Reads the first word after leading parentheses: the verb that decides the kind of the statement. */
function readVerb(tokens: Tokens): Verb | Finding {
  const index = skipOpening(tokens, 0)
  if (tokens.type(index) === tokenType.semicolon) return refuse(tokens, index, 'several_statements')
  if (index === tokens.length) return refuse(tokens, index - 1, 'unbalanced')
  const kind = kinds.get(tokens.word(index))
  if (kind === undefined) return refuse(tokens, index, 'not_a_row_statement')
  if (index > 0 && kind !== 'SELECT') return refuse(tokens, index, 'nested_statement')
  return { kind, index }
}

/** Checks what follows the verb: the list of a WITH up to its SELECT, or the form of an INSERT. */
function findInHead(tokens: Tokens, { kind, index }: Verb): Finding | undefined {
  if (kind === 'INSERT') return findInInsert(tokens, index + 1)
  return kind === 'SELECT' ? findInQuery(tokens, index) : undefined
}

function findInInsert(tokens: Tokens, index: number): Finding | undefined {
  const form = tokens.word(index)
  if (form === 'OVERWRITE') return refuse(tokens, index, 'insert_overwrite')
  return insertForms.has(form) ? undefined : refuse(tokens, index, 'insert_without_into')
}

/** Checks that a WITH reaches a SELECT. */
function findInQuery(tokens: Tokens, verb: number): Finding | undefined {
  const end = tokens.is(verb, 'WITH') ? findWithQuery(tokens, verb) : verb
  return typeof end === 'number' ? undefined : end
}

/** Finds where the query of a WITH begins: at a SELECT, or at a parenthesis around a SELECT or another WITH. */
function findWithQuery(tokens: Tokens, verb: number): number | Finding {
  const end = skipWithList(tokens, verb + 1)
  if (typeof end !== 'number') return end
  const index = skipOpening(tokens, end)
  const isQuery = tokens.is(index, 'SELECT') || (index > end && tokens.is(index, 'WITH'))
  return isQuery ? end : refuse(tokens, index, 'with_without_select')
}

/**
 * Returns whether a WITH begins a list of queries. It may also be part of a type (`TIMESTAMP WITH TIME ZONE`), of `START WITH` or `WITH
 * UNMATCHED ROWS`.
 */
function beginsList(tokens: Tokens, verb: number): boolean {
  if (tokens.is(verb - 1, 'START')) return false
  if (tokens.type(verb - 1) === tokenType.open || tokens.is(verb + 1, 'RECURSIVE')) return true
  return isName(tokens, verb + 1) && (tokens.is(verb + 2, 'AS') || tokens.type(verb + 2) === tokenType.open)
}

const isName = (tokens: Tokens, index: number): boolean => tokens.type(index) === tokenType.word || tokens.type(index) === tokenType.quoted

function skipOpening(tokens: Tokens, index: number): number {
  let next = index
  while (tokens.type(next) === tokenType.open) next += 1
  return next
}

/** Skips `[RECURSIVE] item, item …`. */
function skipWithList(tokens: Tokens, start: number): number | Finding {
  const isRecursive = tokens.is(start, 'RECURSIVE') && isName(tokens, start + 1) && !tokens.is(start + 1, 'AS')
  let index = isRecursive ? start + 1 : start
  for (;;) {
    const end = skipWithItem(tokens, index)
    if (typeof end !== 'number' || tokens.type(end) !== tokenType.comma) return end
    index = end + 1
  }
}

/** Skips `name [(columns)] AS ( … )` or `name AS MODEL …`. */
function skipWithItem(tokens: Tokens, index: number): number | Finding {
  if (!isName(tokens, index)) return refuse(tokens, index, 'with_without_select')
  const as = tokens.type(index + 1) === tokenType.open ? skipParentheses(tokens, index + 1) : index + 1
  if (typeof as !== 'number') return as
  if (!tokens.is(as, 'AS')) return refuse(tokens, as, 'with_without_select')
  if (tokens.is(as + 1, 'PROCEDURE')) return refuse(tokens, as + 1, 'procedure')
  if (tokens.is(as + 1, 'MODEL') && as === index + 1) return skipModel(tokens, as + 2)
  return skipParentheses(tokens, as + 1)
}

/** Skips `dotted.name [VERSION name]`. */
function skipModel(tokens: Tokens, index: number): number | Finding {
  let next = index
  while (isName(tokens, next) && tokens.type(next + 1) === tokenType.dot) next += 2
  if (!isName(tokens, next)) return refuse(tokens, next, 'with_without_select')
  if (!tokens.is(next + 1, 'VERSION')) return next + 1
  return isName(tokens, next + 2) ? next + 3 : refuse(tokens, next + 2, 'with_without_select')
}

function skipParentheses(tokens: Tokens, open: number): number | Finding {
  if (tokens.type(open) !== tokenType.open) return refuse(tokens, open, 'with_without_select')
  const close = tokens.closing(open)
  return close === undefined ? refuse(tokens, open, 'unbalanced') : close + 1
}
