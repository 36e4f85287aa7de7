/** One JSON reader and one writer that keep every digit of an integer: what a double cannot hold becomes a bigint. */
import { isObject } from '../definition/object.ts'
import { readWithin } from './json-depth.ts'

/**
 * A number token of 16 digits or more, outside of most texts: 2^53 has 16 digits. It may match inside a text; that costs time only.
 * V8 looks ahead over repeats of up to three, so written like this it takes less than half the time of `-?\d{16}`.
 */
const longNumber = /[:[,\s-]\d{3}\d{3}\d{3}\d{7}/

const integer = /^-?\d+$/

interface ReviverContext {
  readonly source?: string
}

/** V8 hands the source text of a number to the reviver as a third argument (ECMAScript proposal json-parse-with-source). */
const exactly = (_key: string, value: unknown, context?: ReviverContext): unknown =>
  typeof value === 'number' && !Number.isSafeInteger(value) && context?.source !== undefined && integer.test(context.source)
    ? BigInt(context.source)
    : value

/**
 * Reads JSON (RFC 8259). Integers beyond ±(2^53-1) become bigint; everything else is as JSON.parse.
 * The exact reader is several times slower, so it runs only when a long number may be there.
 * @throws SyntaxError
 */
export const parseJson = (text: string): unknown =>
  longNumber.test(text) || /^\d{16}/.test(text) ? JSON.parse(text, exactly) : JSON.parse(text)

/**
 * Reads JSON of somebody else, as `parseJson` does, down to a depth.
 * @throws SyntaxError; TooDeep
 */
export const readJson = (text: string): unknown => readWithin(text, parseJson)

/** JSON.rawJSON exists in every Node that is supported; the standard library's types do not know it yet. */
const rawJson = Reflect.get(JSON, 'rawJSON') as (text: string) => unknown
const digits = (_key: string, value: unknown): unknown => (typeof value === 'bigint' ? rawJson(value.toString()) : value)

/** Writes JSON with all digits of bigints, as numbers. JSON.stringify refuses bigints at once, so the common case pays nothing. */
export function writeJson(value: unknown): string {
  try {
    return JSON.stringify(value)
  } catch (thrown) {
    if (!(thrown instanceof TypeError)) throw thrown
    return JSON.stringify(value, digits)
  }
}

/** JSON text that is there already, for example made by a database. `writeBody` takes it as it is. */
export class JsonText {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

const member = ([name, value]: [string, unknown]): string =>
  `${JSON.stringify(name)}:${value instanceof JsonText ? value.text : writeJson(value)}`

/** Writes a body as `writeJson` does; members of it that are JSON text already go in as they are. */
export function writeBody(body: unknown): string {
  if (!isObject(body) || !Object.values(body).some((value) => value instanceof JsonText)) return writeJson(body)
  const members = Object.entries(body).filter(([, value]) => value !== undefined)
  return `{${members.map(member).join()}}`
}
