/** Operands: what a value of a query may be at a place, and what it is there. */
import { isObject } from '../../definition/object.ts'
import { writeJson } from '../../engine/json.ts'
import { periodOf } from './instants.ts'
import { invalid, notSupported, type Spot, tooComplex } from './refusals.ts'
import { cleanJson, cleanText, decimalOf, plainNumber } from './text.ts'
import { type QueryToken, type TokenVersion, tokenRules } from './tokens.ts'
import type { Operand, Place, PlaceType } from './tree.ts'
import { longestQueryWord } from './words.ts'

/** Most words of a query text, and longest text of a text operator. */
const mostWords = 64
const longestText = 10_000
/** Deepest array or object to compare with. */
const deepest = 16

/** Whether arrays and objects lie deeper than `left` in each other; it looks no deeper. */
const isDeeper = (value: unknown, left: number): boolean => {
  const parts = Array.isArray(value) ? value : isObject(value) ? Object.values(value) : []
  return parts.some((part) => typeof part === 'object' && part !== null && (left <= 1 || isDeeper(part, left - 1)))
}

const textOperand = (given: string): Operand => {
  const text = cleanText(given)
  return { is: 'text', text, number: decimalOf(text), period: periodOf(text) }
}

/** A JSON value of a query as an operand, whatever the place. */
function plainOperand(value: unknown, spot: Spot): Operand {
  if (value === null) return { is: 'null' }
  if (typeof value === 'string') return textOperand(value)
  if (typeof value === 'boolean') return { is: 'truth', truth: value }
  if (typeof value === 'number' || typeof value === 'bigint') {
    const number = plainNumber(value)
    if (number === undefined) throw invalid(spot, 'must be a number that a double holds')
    return { is: 'number', number }
  }
  if (isDeeper(value, deepest)) throw tooComplex(spot, `is nested more than ${deepest} deep`)
  return { is: Array.isArray(value) ? 'array' : 'object', json: cleanJson(writeJson(value)) }
}

const truths: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['false', false],
])

/** What each type takes: the operand as it is compared, or undefined when it is none for the type. */
const taken: Readonly<Record<PlaceType, (operand: Operand) => Operand | undefined>> = {
  text: (operand) => (operand.is === 'text' || operand.is === 'number' ? operand : undefined),
  integer: (operand) => numeric(operand),
  number: (operand) => numeric(operand),
  boolean: (operand) => {
    const truth = operand.is === 'truth' ? operand.truth : operand.is === 'text' ? truths.get(operand.text) : undefined
    return truth === undefined ? undefined : { is: 'truth', truth }
  },
  array: (operand) => operand,
  object: (operand) => operand,
  any: (operand) => operand,
}

const numeric = (operand: Operand): Operand | undefined => {
  if (operand.is === 'number') return operand
  return operand.is === 'text' && operand.number !== undefined ? { is: 'number', number: operand.number } : undefined
}

const expected: Readonly<Record<PlaceType, string>> = {
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

/** Where times are compared, only a text that means some moments compares with them. */
function checkMoment({ compare }: Place, operand: Operand, spot: Spot): void {
  if (compare !== 'instant' || operand.is === 'null' || operand.is === 'array') return
  if (operand.is !== 'text' || operand.period === undefined) throw invalid(spot, momentNeeded, { code: 'format', hint: momentHint })
}

/** The operand of `eq`, `neq` and `in`; null is taken everywhere. */
export function equalOperand(place: Place, value: unknown, spot: Spot): Operand {
  const operand = plainOperand(value, spot)
  checkMoment(place, operand, spot)
  const fitting = operand.is === 'null' ? operand : taken[place.type](operand)
  if (fitting === undefined) throw invalid(spot, `${expected[place.type]}, or null`)
  return fitting
}

/** The operand of `gt`, `gte`, `lt` and `lte`: a text or a number. */
export function orderOperand(place: Place, value: unknown, spot: Spot): Operand {
  const operand = plainOperand(value, spot)
  if (operand.is === 'text' || operand.is === 'number') checkMoment(place, operand, spot)
  const fitting = operand.is === 'text' || operand.is === 'number' ? taken[place.type](operand) : undefined
  if (fitting === undefined)
    throw invalid(spot, place.type === 'text' ? expected.text : 'must be a number, or a text where the field holds texts')
  return fitting
}

/** The operand of `contains`. */
export function elementOperand(place: Place, value: unknown, spot: Spot): Operand {
  const operand = plainOperand(value, spot)
  checkMoment(place, operand, spot)
  return operand
}

/** The operand of `like`, `fuzzy` and `keyword`: a text. */
export function textOf(value: unknown, spot: Spot): string {
  if (typeof value !== 'string') throw invalid(spot, 'must be a text')
  if (value.length > longestText) throw tooComplex(spot, `has more than ${longestText} characters`)
  return cleanText(value)
}

/** The words of a text operand by some version of the token rules, each once. */
export function queryTokens(
  value: unknown,
  { tokens, spot }: { readonly tokens: TokenVersion; readonly spot: Spot },
): readonly QueryToken[] {
  const all = new Map(tokenRules[tokens].asked(textOf(value, spot)).map((token) => [token.text, token]))
  if (all.size === 0) throw invalid(spot, 'must hold a letter or a digit', 'words')
  if (all.size > mostWords) throw tooComplex(spot, `has more than ${mostWords} words`)
  if ([...all.keys()].some((word) => word.length > longestQueryWord && [...word].length > longestQueryWord))
    throw tooComplex(spot, `has a word of more than ${longestQueryWord} characters`)
  return [...all.values()]
}

/** Which operators a type has not, and why. */
const unsuited: Readonly<Partial<Record<PlaceType, Readonly<Record<string, string>>>>> = {
  boolean: { order: 'a truth value has no order', text: 'a truth value has no text' },
  object: { order: 'an object has no order; use a path into it', in: 'an object is compared by eq and neq only; use a path into it' },
}
const groups: Readonly<Record<string, string>> = {
  gt: 'order',
  gte: 'order',
  lt: 'order',
  lte: 'order',
  like: 'text',
  fuzzy: 'text',
  keyword: 'text',
  contains: 'elements',
  any: 'elements',
}

/** @throws FerruleError `operator_not_supported` when the type of a place has not got the operator */
export function checkSuited(operator: string, place: Place, spot: Spot): void {
  const group = groups[operator] ?? operator
  if (group === 'elements' && place.type !== 'array' && place.type !== 'any') throw notSupported(spot, operator, 'it needs an array')
  const reason = unsuited[place.type]?.[group]
  if (reason !== undefined) throw notSupported(spot, operator, reason)
}
