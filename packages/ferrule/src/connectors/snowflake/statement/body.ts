/** Checks the rest of a statement: one pass over its tokens that refuses what is allowed nowhere. */
import { beginsList, findWithQuery, type Verb } from './head.ts'
import { type Finding, refuse, type StatementKind, systemFunctions } from './reasons.ts'
import { type Tokens, tokenType } from './tokens.ts'
import { beginsNested, beginsSecond, endsValue, reservedWords, verbs } from './verbs.ts'

/** The kinds of opened brackets. */
const frame = { parentheses: 1, recognize: 2, pattern: 3, identifier: 4, bracket: 5, brace: 6 } as const

/** The state of the pass at one token. */
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

type Rule = (walk: Walk, index: number) => Finding | undefined

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

const openParenthesis: Rule = (walk, index) => {
  const { tokens } = walk
  const type = chooseFrame(walk, index)
  if (type !== frame.pattern && beginsNested(tokens, index + 1)) return refuse(tokens, index + 1, 'nested_statement')
  if (callsSystemFunction(tokens, index - 1)) return refuse(tokens, index - 1, 'system_function')
  if (walk.computedName === index - 1) return refuse(tokens, index, 'computed_function')
  return open(walk, index, type)
}

/** Closing tokens and what they may close. */
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
const colon: Rule = (walk, index) => {
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

const select: Rule = (walk, index) => (mayBeginQuery(walk, index) ? undefined : refuse(walk.tokens, index, 'second_statement'))

const withList: Rule = (walk, index) => {
  if (!beginsList(walk.tokens, index)) return undefined
  if (!mayBeginQuery(walk, index)) return refuse(walk.tokens, index, 'second_statement')
  const query = findWithQuery(walk.tokens, index)
  if (typeof query !== 'number') return query
  walk.queries.add(query)
  return undefined
}

/** Checks VALUES: the rows of an INSERT INTO; those of INSERT ALL come before its query. */
const values: Rule = (walk) => {
  if (walk.kind === 'INSERT' && walk.frames.length === 0 && walk.tokens.is(walk.verb + 1, 'INTO')) walk.isOpen = false
  return undefined
}

/** Checks SET: an UPDATE has one; every other SET begins a statement. */
const set: Rule = (walk, index) => {
  if (walk.kind !== 'UPDATE' || !walk.isOpen || walk.frames.length > 0) return verbRule(walk, index)
  walk.isOpen = false
  return undefined
}

const into: Rule = (walk, index) => (walk.kind === 'SELECT' ? refuse(walk.tokens, index, 'select_into') : undefined)

const procedure: Rule = ({ tokens }, index) => {
  const isDefinition = tokens.is(index - 1, 'AS') && tokens.type(index + 1) === tokenType.open
  return isDefinition ? refuse(tokens, index, 'procedure') : undefined
}

const verbRule: Rule = ({ tokens, kind, verb }, index) =>
  index !== verb && beginsSecond(tokens, index, kind === 'SELECT') ? refuse(tokens, index, 'second_statement') : undefined

/** The rule of each word. */
const wordRules: ReadonlyMap<string, Rule> = new Map<string, Rule>([
  ...Array.from(verbs, (verb): [string, Rule] => [verb, verbRule]),
  ['SELECT', select],
  ['WITH', withList],
  ['VALUES', values],
  ['SET', set],
  ['INTO', into],
  ['PROCEDURE', procedure],
])
const longestWord = Math.max(...Array.from(wordRules.keys(), (text) => text.length))

/** Checks a word. Few words are as short as the rules' words, so few are copied. */
const word: Rule = (walk, index) => {
  const { tokens, kind } = walk
  if (tokens.end(index) - tokens.start(index) > longestWord) return undefined
  const rule = wordRules.get(tokens.word(index))
  if (rule === undefined) return undefined
  const isName = isStep(walk, index) || innermost(walk) === frame.pattern
  return isName && !(kind === 'SELECT' && rule === into) ? undefined : rule(walk, index)
}

/** The rule of each token type. */
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
 * Checks all tokens.
 * @returns the first thing that no statement of this kind may contain, or undefined
 */
export function findInBody(tokens: Tokens, { kind, index: verb }: Verb): Finding | undefined {
  const walk: Walk = { tokens, kind, verb, frames: [], openers: [], computedName: -2, pathColon: -2, queries: new Set(), isOpen: true }
  for (let index = 0; index < tokens.length; index += 1) {
    const finding = rules[tokens.type(index)]?.(walk, index)
    if (finding) return finding
  }
  const unclosed = walk.openers.at(-1)
  return unclosed === undefined ? undefined : refuse(tokens, unclosed, 'unbalanced')
}
