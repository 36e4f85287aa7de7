/** Parses filters written as text (docs/search.md) to the JSON that `context_store_search` takes. */
import { filterLimits, operators } from '../../definition/operators.ts'
import type { FerruleError } from '../../errors.ts'
import { findNumber, type Token, Tokens } from './lexer.ts'
import { refuseSize, shorten } from './refusals.ts'
import { comparisons, formatPath, listWritten, mostParentheses } from './syntax.ts'

/** A condition of a filter in JSON: operators, each with what it applies to. */
type FilterCondition = Readonly<Record<string, unknown>>

/** One term: a comparison with a value, or an operator over other terms. */
interface Term {
  /** Index of the term in the text. */
  readonly at: number
  readonly operator: string
  /** Path of a comparison, and of `any`. */
  readonly field?: string
  /** Of a comparison. */
  readonly value?: unknown
  /** Of `and`, `or`, `not` and `any`. */
  readonly of?: readonly Term[]
}

/** An operator of an object of the JSON, with its field. */
interface OperatorEntry extends Omit<Term, 'of'> {
  readonly of: readonly Level[]
}

/** An object of the JSON: what the service counts as one level. */
interface Level {
  readonly entries: readonly OperatorEntry[]
  /** Number of levels from here to the deepest one. */
  readonly height: number
}

/** Makes the error of a filter that is too deep. @param at index in the text of the first term below the deepest level */
type RefuseDepth = (at: number) => Error

const findHighest = (levels: readonly Level[]): number => levels.reduce((most, { height }) => Math.max(most, height), 0)

const buildLevel = (entries: readonly OperatorEntry[]): Level => ({ entries, height: 1 + findHighest(entries.flatMap(({ of }) => of)) })

/** Makes an object for each term, as it is written: `a and b` becomes a list of two. */
const buildPlain = ({ of = [], ...term }: Term): Level => buildLevel([{ ...term, of: of.map(buildPlain) }])

/** Returns the conditions that hold together, out of lists within lists. The empty list holds always, so it disappears. */
const flatten = (term: Term): readonly Term[] => (term.operator === 'and' ? (term.of ?? []).flatMap(flatten) : [term])

/** Names the key of an entry within an object, where only one entry can stand. */
const nameKey = ({ operator, field }: OperatorEntry): string => JSON.stringify([operator, field])

/**
 * Makes one object for all conditions that hold together, which saves the level of their list. Of two conditions for the same key the
 * one with more levels stands there. The others form a list. So a filter that was printed never becomes deeper than its original.
 */
function buildCompact(term: Term): Level {
  const entries = flatten(term).map(({ of = [], ...each }): OperatorEntry => ({ ...each, of: of.map(buildCompact) }))
  const chosen = new Map<string, OperatorEntry>()
  for (const entry of entries) {
    const other = chosen.get(nameKey(entry))
    if (other === undefined || findHighest(entry.of) > findHighest(other.of)) chosen.set(nameKey(entry), entry)
  }
  const top = entries.filter((entry) => chosen.get(nameKey(entry)) === entry)
  const rest = entries.filter((entry) => chosen.get(nameKey(entry)) !== entry)
  const isListed = rest.length > 0 || top.length === 0
  return buildLevel(isListed ? [...top, { at: term.at, operator: 'and', of: rest.map((entry) => buildLevel([entry])) }] : top)
}

/** Prints one object. @param depth its level, the filter's own is 1 */
function writeLevel({ entries }: Level, depth: number, refuse: RefuseDepth): FilterCondition {
  if (depth > filterLimits.deepest) throw refuse(Math.min(...entries.map(({ at }) => at)))
  const writeOperand = ({ operator, of, value }: OperatorEntry): unknown => {
    const conditions = of.map((level) => writeLevel(level, depth + 1, refuse))
    if (operator === 'and' || operator === 'or') return conditions
    return operator === 'not' || operator === 'any' ? conditions[0] : value
  }
  const operators = [...new Set(entries.map(({ operator }) => operator))]
  const writeOperator = (operator: string): unknown => {
    const same = entries.filter((entry) => entry.operator === operator)
    const fields = same.flatMap((entry) => (entry.field === undefined ? [] : [[entry.field, writeOperand(entry)] as const]))
    return fields.length > 0 ? Object.fromEntries(fields) : same.map(writeOperand)[0]
  }
  return Object.fromEntries(operators.map((operator) => [operator, writeOperator(operator)]))
}

/**
 * Makes the JSON of a filter. Conditions joined by `and` become a list. In a filter that would be too deep they become one object.
 * @param refuse makes the error of a filter that is too deep in that form too
 */
function writeFilter(filter: Term, refuse: RefuseDepth): FilterCondition {
  const plain = buildPlain(filter)
  return writeLevel(plain.height <= filterLimits.deepest ? plain : buildCompact(filter), 1, refuse)
}

export type { FilterCondition }

/** State of parsing, shared by the whole text. */
interface ParserState {
  readonly tokens: Tokens
  conditions: number
}

/** What encloses a term. `not` and `any` are levels of the JSON; parentheses are not. */
interface Depth {
  readonly levels: number
  readonly parentheses: number
}

const tooDeep = `is nested more than ${filterLimits.deepest} deep`

function countCondition(reading: ParserState): void {
  reading.conditions += 1
  if (reading.conditions > filterLimits.mostConditions)
    throw reading.tokens.refuseNextSize(`has more than ${filterLimits.mostConditions} conditions`)
}

/** Parses terms that are joined by one word; a single term stays as it is. */
function parseList(reading: ParserState, operator: 'and' | 'or', parseOne: () => Term): Term {
  const { at } = reading.tokens.next
  const first = parseOne()
  const of = [first]
  while (reading.tokens.takeIf(operator)) of.push(parseOne())
  return of.length === 1 ? first : { at, operator, of }
}

const parseExpression = (reading: ParserState, depth: Depth): Term =>
  parseList(reading, 'or', () => parseList(reading, 'and', () => parseTerm(reading, depth)))

function parseGroup(reading: ParserState, depth: Depth): Term {
  const { tokens } = reading
  if (depth.parentheses >= mostParentheses) throw tokens.refuseNextSize(`has more than ${mostParentheses} parentheses within each other`)
  if (!tokens.takeIf('(')) throw tokens.refuseNext('an opening parenthesis')
  const inner = parseExpression(reading, { ...depth, parentheses: depth.parentheses + 1 })
  if (!tokens.takeIf(')')) throw tokens.refuseNext('"and", "or" or a closing parenthesis')
  return inner
}

function parseTerm(reading: ParserState, depth: Depth): Term {
  const { tokens } = reading
  const { at } = tokens.next
  if (depth.levels > filterLimits.deepest) throw tokens.refuseNextSize(tooDeep)
  const inner = { ...depth, levels: depth.levels + 1 }
  if (tokens.takeIf('not')) return { at, operator: 'not', of: [parseTerm(reading, inner)] }
  if (tokens.next.type === 'sign' && tokens.next.text === '(') return parseGroup(reading, depth)
  countCondition(reading)
  if (tokens.takeIf('true')) return { at, operator: 'and', of: [] }
  if (tokens.takeIf('false')) return { at, operator: 'or', of: [] }
  if (tokens.takeIf('any')) return { at, operator: 'any', field: takePath(tokens), of: [parseGroup(reading, inner)] }
  const field = takePath(tokens)
  return { at, field, ...parseComparison(tokens, field) }
}

/** Returns what a token names if its author meant a path or a string. Signs name nothing. */
function readName({ type, text, value }: Token): string | undefined {
  const name = type === 'value' && typeof value === 'string' ? value : text
  return type !== 'end' && type !== 'sign' && /[\p{L}\p{N}]/u.test(name) ? name : undefined
}

const hintAtName = (name: string | undefined): string | undefined =>
  name === undefined ? undefined : `a field of this name is written ${shorten(formatPath(name))}`

function takePath(tokens: Tokens): string {
  if (tokens.next.type === 'path') return tokens.take().text
  throw tokens.refuseNext('a path', hintAtName(readName(tokens.next)))
}

type Comparison = Pick<Term, 'operator' | 'value'>

function parseComparison(tokens: Tokens, path: string): Comparison {
  if (tokens.takeIf('is')) return parseNull(tokens)
  const { type, text } = tokens.next
  const operator = type === 'sign' || type === 'word' ? comparisons.get(text.toLowerCase()) : undefined
  if (operator === undefined) throw refuseOperator(tokens, path)
  tokens.take()
  return { operator, value: operators[operator].form === 'values' ? parseValues(tokens) : takeValue(tokens) }
}

const signs = listWritten('value', 'values', 'words', 'text', 'ordered', 'element')
const wordAfterNot = new RegExp(`^\\s+(${signs.filter((sign) => /^\w/.test(sign)).join('|')})\\b`, 'i')

function refuseOperator(tokens: Tokens, path: string): FerruleError {
  const { type, text, end } = tokens.next
  const expected = `an operator: ${signs.join(' ')}, or is null`
  const name = type === 'path' || type === 'odd' ? readName(tokens.next) : undefined
  if (type !== 'word' || text.toLowerCase() !== 'not') return tokens.refuseNext(expected, hintAtName(name && `${path} ${name}`))
  const [, operator = '…'] = wordAfterNot.exec(tokens.text.slice(end, end + 100)) ?? []
  return tokens.refuseNext(expected, `"not" stands before the path: write not ${shorten(formatPath(path))} ${operator}`)
}

function parseNull(tokens: Tokens): Comparison {
  const operator = tokens.takeIf('not') ? 'neq' : 'eq'
  if (tokens.takeIf('null')) return { operator, value: null }
  throw tokens.refuseNext('null', `other values follow ${operator === 'eq' ? '=' : '!='}`)
}

function parseValues(tokens: Tokens): readonly unknown[] {
  if (!tokens.takeIf('(')) throw tokens.refuseNext('an opening parenthesis and values, such as ("a", "b")')
  if (tokens.takeIf(')')) return []
  const values = [takeValue(tokens)]
  while (tokens.takeIf(',')) {
    if (values.length === filterLimits.mostValues)
      throw tokens.refuseNextSize(`has more than ${filterLimits.mostValues} values in one list`)
    values.push(takeValue(tokens))
  }
  if (!tokens.takeIf(')')) throw tokens.refuseNext('a comma or a closing parenthesis')
  return values
}

const words: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  ['true', true],
  ['false', false],
  ['null', null],
])

const readValue = ({ type, text, value }: Token): { readonly value: unknown } | undefined => {
  if (type === 'value') return { value }
  if (type === 'path' && text === '[]') return { value: [] }
  const word = text.toLowerCase()
  return type === 'word' && words.has(word) ? { value: words.get(word) } : undefined
}

function takeValue(tokens: Tokens): unknown {
  const read = readValue(tokens.next)
  if (read === undefined) throw refuseValue(tokens)
  tokens.take()
  return read.value
}

function refuseValue(tokens: Tokens): FerruleError {
  const name = readName(tokens.next)
  if (name === undefined) return tokens.refuseNext('a value: a string, number, date, true, false or null')
  const digits = tokens.next.type === 'odd' ? findNumber(name) : undefined
  const written = shorten(JSON.stringify(name))
  return tokens.refuseNext(
    'a value',
    digits === undefined ? `a string is written ${written}` : `a number is written ${digits}, a string ${written}`,
  )
}

/**
 * Parses a filter.
 * @param text for example `title fuzzy "pricng" and started >= 2026-01-01`; the grammar is in docs/search.md
 * @returns the filter as `context_store_search` takes it; integers beyond a double are bigint
 * @throws FerruleError `validation_failed` with line and column of the first mistake; `query_too_complex` with those of what is too much
 */
export function parseFilter(text: string): FilterCondition {
  const reading: ParserState = { tokens: new Tokens(text), conditions: 0 }
  const filter = parseExpression(reading, { levels: 1, parentheses: 0 })
  if (reading.tokens.next.type !== 'end') throw reading.tokens.refuseNext('"and", "or" or the end')
  return writeFilter(filter, (at) => refuseSize(text, at, tooDeep))
}
