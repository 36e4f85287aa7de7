/** Parses filters written as text (docs/search.md) to the JSON that `context_store_search` takes. */
import type { FerruleError } from '../errors.ts'
import { refuseSize, type Token, Tokens } from './tokens.ts'
import { comparisons, limits } from './words.ts'

/** A condition of a filter in JSON: operators, each with what it applies to. */
export type FilterCondition = Readonly<Record<string, unknown>>

/** State of parsing, shared by the whole text. */
interface Reading {
  readonly tokens: Tokens
  /** Number of conditions so far. */
  conditions: number
}

const everything: FilterCondition = { and: [] }
const nothing: FilterCondition = { or: [] }

function countCondition(reading: Reading): void {
  reading.conditions += 1
  if (reading.conditions > limits.mostConditions) throw refuseSize(`has more than ${limits.mostConditions} conditions`)
}

/** Parses terms that are joined by one word; a single term stays as it is. */
function parseList(reading: Reading, word: 'and' | 'or', parseOne: () => FilterCondition): FilterCondition {
  const all = [parseOne()]
  while (reading.tokens.takeIf(word)) all.push(parseOne())
  const [only] = all
  return all.length === 1 && only !== undefined ? only : { [word]: all }
}

const parseExpression = (reading: Reading, depth: number): FilterCondition =>
  parseList(reading, 'or', () => parseList(reading, 'and', () => parseTerm(reading, depth)))

/** Parses an expression in parentheses. */
function parseGroup(reading: Reading, depth: number): FilterCondition {
  const { tokens } = reading
  if (!tokens.takeIf('(')) throw tokens.refuseNext('an opening parenthesis')
  const inner = parseExpression(reading, depth + 1)
  if (!tokens.takeIf(')')) throw tokens.refuseNext('"and", "or" or a closing parenthesis')
  return inner
}

function parseTerm(reading: Reading, depth: number): FilterCondition {
  const { tokens } = reading
  if (depth > limits.deepest) throw refuseSize(`is nested more than ${limits.deepest} deep`)
  if (tokens.takeIf('not')) return { not: parseTerm(reading, depth + 1) }
  if (tokens.next.type === 'sign' && tokens.next.text === '(') return parseGroup(reading, depth)
  countCondition(reading)
  if (tokens.takeIf('true')) return everything
  if (tokens.takeIf('false')) return nothing
  if (!tokens.takeIf('any')) return parseComparison(tokens)
  return { any: { [takePath(tokens)]: parseGroup(reading, depth) } }
}

function takePath(tokens: Tokens): string {
  if (tokens.next.type === 'path') return tokens.take().text
  const isReserved = tokens.next.type === 'word'
  throw tokens.refuseNext(isReserved ? 'a path; write a field of this name in backquotes' : 'a path')
}

function parseComparison(tokens: Tokens): FilterCondition {
  const path = takePath(tokens)
  if (tokens.takeIf('is')) return parseNull(tokens, path)
  if (tokens.takeIf('in')) return { in: { [path]: parseValues(tokens) } }
  const word = tokens.next.text.toLowerCase()
  const isComparison = (tokens.next.type === 'sign' || tokens.next.type === 'word') && Object.hasOwn(comparisons, word)
  const operator = isComparison ? comparisons[word] : undefined
  if (operator === undefined) throw tokens.refuseNext('an operator: = != < <= > >= in like fuzzy keyword contains, or is null')
  tokens.take()
  return { [operator]: { [path]: takeValue(tokens) } }
}

function parseNull(tokens: Tokens, path: string): FilterCondition {
  const operator = tokens.takeIf('not') ? 'neq' : 'eq'
  if (!tokens.takeIf('null')) throw tokens.refuseNext('null')
  return { [operator]: { [path]: null } }
}

function parseValues(tokens: Tokens): readonly unknown[] {
  if (!tokens.takeIf('(')) throw tokens.refuseNext('an opening parenthesis and values, such as ("a", "b")')
  if (tokens.takeIf(')')) return []
  const values = [takeValue(tokens)]
  while (tokens.takeIf(',')) values.push(takeValue(tokens))
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

const refuseValue = (tokens: Tokens): FerruleError =>
  tokens.refuseNext(
    tokens.next.type === 'path' ? 'a value; strings stand in double quotes' : 'a value: a string, number, date, true, false or null',
  )

/**
 * Parses a filter.
 * @param text for example `title fuzzy "pricng" and started >= 2026-01-01`; the grammar is in docs/search.md
 * @returns the filter as `context_store_search` takes it; integers beyond a double are bigint
 * @throws FerruleError `validation_failed` with line and column of the first mistake; `query_too_complex`
 */
export function parseFilter(text: string): FilterCondition {
  const reading: Reading = { tokens: new Tokens(text), conditions: 0 }
  const filter = parseExpression(reading, 1)
  if (reading.tokens.next.type !== 'end') throw reading.tokens.refuseNext('"and", "or" or the end')
  return filter
}
