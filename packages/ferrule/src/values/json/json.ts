/** Parses and writes JSON with every digit of an integer. An integer beyond a double becomes a bigint. */
import { isObject } from '../../definition/object.ts'
import { deepestJson, holdsLongNumber, readLimitedDepth } from './depth.ts'

const integer = /^-?\d+$/

interface ReviverContext {
  readonly source?: string
}

/** Revives exact integers. V8 passes a number's source as the third argument (ECMAScript proposal json-parse-with-source). */
const exactly = (_key: string, value: unknown, context?: ReviverContext): unknown =>
  typeof value === 'number' && !Number.isSafeInteger(value) && context?.source !== undefined && integer.test(context.source)
    ? BigInt(context.source)
    : value

/** Parses JSON with every digit. That takes several times longer than JSON.parse, which therefore comes first. */
const parseExactly = (text: string): unknown => JSON.parse(text, exactly)

/**
 * Parses JSON (RFC 8259). Integers beyond ±(2^53-1) become bigint; all else is as JSON.parse.
 * @throws SyntaxError; RangeError for nesting of thousands of levels
 */
export function parseJson(text: string): unknown {
  const value: unknown = JSON.parse(text)
  return holdsLongNumber(value, Number.POSITIVE_INFINITY) ? parseExactly(text) : value
}

/**
 * Parses foreign JSON as `parseJson`, with limited depth.
 * @throws SyntaxError; TooDeep
 */
export const readJson = (text: string): unknown => readLimitedDepth(text, { again: parseExactly })

/**
 * Parses foreign JSON that stood so many levels deep within other JSON.
 * @throws SyntaxError; TooDeep
 */
export const readInnerJson = (text: string, depth: number): unknown =>
  readLimitedDepth(text, { again: parseExactly, levels: deepestJson - depth })

/**
 * Matches what a double can lose: 16 digits and points, or a large exponent. It may also match inside a string, which only costs time.
 */
const longDecimal = /\d[\d.]{15}|\d[eE][+-]?\d{3}/

/**
 * Parses foreign JSON with limited depth, numbers by their digits. Numbers that a double holds with all digits are read without the function.
 * @param readNumber makes a number's value from its digits
 * @throws SyntaxError; TooDeep
 */
export function readJsonNumbers(text: string, readNumber: (digits: string) => unknown): unknown {
  if (!longDecimal.test(text)) return readLimitedDepth(text)
  const revive = (_key: string, value: unknown, context?: ReviverContext): unknown =>
    typeof value === 'number' && context?.source !== undefined ? readNumber(context.source) : value
  return readLimitedDepth(text, { parse: (given) => JSON.parse(given, revive) })
}

/** JSON.rawJSON exists in every supported Node; the standard library's types lack it. */
const rawJson = Reflect.get(JSON, 'rawJSON') as (text: string) => unknown
const digits = (_key: string, value: unknown): unknown => (typeof value === 'bigint' ? rawJson(value.toString()) : value)

/** Writes JSON with all digits of bigints, as numbers. JSON.stringify refuses bigints at once, so other values cost nothing extra. */
export function writeJson(value: unknown): string {
  try {
    return JSON.stringify(value)
  } catch (thrown) {
    if (!(thrown instanceof TypeError)) throw thrown
    return JSON.stringify(value, digits)
  }
}

/** Writes JSON for people, as `writeJson`: two spaces for each level. */
export function formatJson(value: unknown): string {
  return JSON.stringify(value, digits, 2)
}

/** A string that is JSON already, for example from a database. `writeBody` copies it unchanged. */
export class JsonText {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

const member = ([name, value]: [string, unknown]): string =>
  `${JSON.stringify(name)}:${value instanceof JsonText ? value.text : writeJson(value)}`

/** Writes a body as `writeJson`, and copies members that are JSON strings already. */
export function writeBody(body: unknown): string {
  if (!isObject(body) || !Object.values(body).some((value) => value instanceof JsonText)) return writeJson(body)
  const members = Object.entries(body).filter(([, value]) => value !== undefined)
  return `{${members.map(member).join()}}`
}
