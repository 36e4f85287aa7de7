/** Operands: which values a query may use at a field path, and how they compare. */
import { writeJson } from 'ferrule/engine'
import { type FieldOperator, findUnsuited, isObject } from 'ferrule/internal'
import { invalid, notSupported, type RequestPointer, tooComplex } from './refusals.ts'
import { cleanJson, cleanText, formatNumber, parseDecimal } from './text.ts'
import { parsePeriod } from './timestamps.ts'
import { type QueryToken, splitQuery } from './tokens/tokenizer.ts'
import { longestQueryWord } from './tokens/words.ts'
import type { FieldPath, Operand, PathType, Pattern } from './tree.ts'

/** Limits: words of a query string, and characters of an operand for text operators. */
const mostWords = 64
const longestText = 10_000
/** Maximum nesting of an operand. */
const deepest = 16

/** Returns whether arrays and objects nest deeper than `left`. Stops at that depth. */
const isDeeper = (value: unknown, left: number): boolean => {
  const parts = Array.isArray(value) ? value : isObject(value) ? Object.values(value) : []
  return parts.some((part) => typeof part === 'object' && part !== null && (left <= 1 || isDeeper(part, left - 1)))
}

const buildTextOperand = (given: string): Operand => {
  const text = cleanText(given)
  return { is: 'text', text, number: parseDecimal(text), period: parsePeriod(text) }
}

/** Parses a JSON value of a query into an operand, for any type of field. */
function parseOperand(value: unknown, pointer: RequestPointer): Operand {
  if (value === null) return { is: 'null' }
  if (typeof value === 'string') return buildTextOperand(value)
  if (typeof value === 'boolean') return { is: 'truth', truth: value }
  if (typeof value === 'number' || typeof value === 'bigint') {
    const number = formatNumber(value)
    if (number === undefined) throw invalid(pointer, 'must be a number that a double holds')
    return { is: 'number', number }
  }
  if (isDeeper(value, deepest)) throw tooComplex(pointer, `is nested more than ${deepest} deep`)
  return { is: Array.isArray(value) ? 'array' : 'object', json: cleanJson(writeJson(value)) }
}

const truths: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['false', false],
])

/** Converts an operand for each type of field; undefined when the type does not accept the operand. */
const taken: Readonly<Record<PathType, (operand: Operand) => Operand | undefined>> = {
  text: (operand) => (operand.is === 'text' || operand.is === 'number' ? operand : undefined),
  integer: (operand) => toNumeric(operand),
  number: (operand) => toNumeric(operand),
  boolean: (operand) => {
    const truth = operand.is === 'truth' ? operand.truth : operand.is === 'text' ? truths.get(operand.text) : undefined
    return truth === undefined ? undefined : { is: 'truth', truth }
  },
  array: (operand) => operand,
  object: (operand) => operand,
  any: (operand) => operand,
}

const toNumeric = (operand: Operand): Operand | undefined => {
  if (operand.is === 'number') return operand
  return operand.is === 'text' && operand.number !== undefined ? { is: 'number', number: operand.number } : undefined
}

const expected: Readonly<Record<PathType, string>> = {
  text: 'must be a text or a number',
  integer: 'must be a number',
  number: 'must be a number',
  boolean: 'must be true or false',
  array: 'must be a value',
  object: 'must be a value',
  any: 'must be a value',
}

const momentNeeded = 'must be a date, or a part of one'
const momentHint =
  'Give a year ("2025"), a month ("2025-03"), a day ("2025-03-01") or a date-time ("2025-03-01T12:30:00Z"); Unix seconds are not taken.'

/** Requires a timestamp, or a part of a date, where timestamps compare. */
function checkTimestamp({ compare }: FieldPath, operand: Operand, pointer: RequestPointer): void {
  if (compare !== 'instant' || operand.is === 'null' || operand.is === 'array') return
  if (operand.is !== 'text' || operand.period === undefined) throw invalid(pointer, momentNeeded, { code: 'format', hint: momentHint })
}

/**
 * Parses the operand of `eq`, `neq` or `in`. Null is always accepted.
 * @throws FerruleError `invalid_parameter`, `query_too_complex`
 */
export function parseEqualOperand(path: FieldPath, value: unknown, pointer: RequestPointer): Operand {
  const operand = parseOperand(value, pointer)
  checkTimestamp(path, operand, pointer)
  const fitting = operand.is === 'null' ? operand : taken[path.type](operand)
  if (fitting === undefined) throw invalid(pointer, `${expected[path.type]}, or null`)
  return fitting
}

/**
 * Parses the operand of `gt`, `gte`, `lt` or `lte`: a string or a number.
 * @throws as `parseEqualOperand`
 */
export function parseOrderOperand(path: FieldPath, value: unknown, pointer: RequestPointer): Operand {
  const operand = parseOperand(value, pointer)
  if (operand.is === 'text' || operand.is === 'number') checkTimestamp(path, operand, pointer)
  const fitting = operand.is === 'text' || operand.is === 'number' ? taken[path.type](operand) : undefined
  if (fitting === undefined)
    throw invalid(pointer, path.type === 'text' ? expected.text : 'must be a number, or a text where the field holds texts')
  return fitting
}

/**
 * Parses the operand of `contains`.
 * @throws as `parseEqualOperand`
 */
export function parseElementOperand(path: FieldPath, value: unknown, pointer: RequestPointer): Operand {
  const operand = parseOperand(value, pointer)
  checkTimestamp(path, operand, pointer)
  return operand
}

/**
 * Parses the operand of `like`, `fuzzy` or `keyword`: a string.
 * @throws as `parseEqualOperand`
 */
export function parseText(value: unknown, pointer: RequestPointer): string {
  if (typeof value !== 'string') throw invalid(pointer, 'must be a text')
  if (value.length > longestText) throw tooComplex(pointer, `has more than ${longestText} characters`)
  return cleanText(value)
}

/**
 * Splits a string operand into distinct words.
 * @throws as `parseEqualOperand`
 */
export function parseTokens(value: unknown, pointer: RequestPointer): readonly QueryToken[] {
  const all = new Map(splitQuery(parseText(value, pointer)).map((token) => [token.text, token]))
  if (all.size === 0) throw invalid(pointer, 'must hold a letter or a digit', 'words')
  if (all.size > mostWords) throw tooComplex(pointer, `has more than ${mostWords} words`)
  if ([...all.keys()].some((word) => word.length > longestQueryWord && [...word].length > longestQueryWord))
    throw tooComplex(pointer, `has a word of more than ${longestQueryWord} characters`)
  return [...all.values()]
}

/**
 * Checks that the type of a field supports an operator.
 * @throws FerruleError `operator_not_supported`
 */
export function checkOperator(operator: FieldOperator, path: FieldPath, pointer: RequestPointer): void {
  const reason = findUnsuited(operator, path.type)
  if (reason !== undefined) throw notSupported(pointer, operator, reason)
}

/** A token of a pattern: a literal, one character, or any run of characters. */
type PatternToken = { readonly literal: string } | '_' | '%'

/** Splits a pattern into tokens. A backslash makes the next character literal; at the end, a backslash is literal. */
const splitPattern = (pattern: string): readonly PatternToken[] =>
  [...pattern.matchAll(/\\([\s\S])|([%_])|([\s\S])/g)].map(([, escaped, wildcard, plain = '']) =>
    wildcard === '%' || wildcard === '_' ? wildcard : { literal: escaped ?? plain },
  )

const escapeLiteral = (text: string): string => text.replace(/[\\%_]/g, '\\$&')

/**
 * Parses a pattern for SQL LIKE. With an unescaped `%`, `%` is any run, `_` is one character, and the whole string must match. Without
 * one, the pattern is searched anywhere and `_` is literal.
 */
export function parsePattern(text: string): Pattern {
  const tokens = splitPattern(text)
  if (!tokens.includes('%')) {
    const literal = tokens.map((token) => (typeof token === 'string' ? token : token.literal)).join('')
    return { sql: `%${escapeLiteral(literal)}%`, literals: [literal], isAnything: literal === '' }
  }
  const marked = tokens.map((token) => (typeof token === 'string' ? '\0' : token.literal)).join('')
  return {
    sql: tokens.map((token) => (typeof token === 'string' ? token : escapeLiteral(token.literal))).join(''),
    literals: marked.split('\0').filter((literal) => literal !== ''),
    isAnything: tokens.every((token) => token === '%'),
  }
}
