/**
 * Parses and writes JSON with every digit of an integer: one beyond a double becomes a bigint. Limits the nesting of foreign JSON. Code that
 * walks values is recursive, so a value of brackets only would overflow the stack.
 */
import { isObject } from '../../definition/object.ts'

/** Maximum number of levels of arrays and objects; vendors nest at most ten. */
export const deepestJson = 64

/** JSON nested deeper than allowed. */
export class TooDeep extends Error {
  override readonly message = `it is nested deeper than ${deepestJson} levels`
}

/** A string with more than one bracket per so many characters is scanned before it is parsed, because parsing takes ten times as long. */
const dense = 16

const [quote, backslash] = [0x22, 0x5c]
const [opensArray, closesArray, opensObject, closesObject] = [0x5b, 0x5d, 0x7b, 0x7d]

function countCharacter(text: string, character: string, most: number): number {
  let count = 0
  for (let at = text.indexOf(character); at >= 0 && count < most; at = text.indexOf(character, at + 1)) count += 1
  return count
}

/** Returns whether a string opens more than so many levels. The result for invalid JSON is undefined. */
function opensDeeper(text: string, levels: number): boolean {
  let depth = 0
  let inText = false
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index)
    if (code === quote) inText = !inText
    else if (inText) index += Number(code === backslash)
    else if (code === opensArray || code === opensObject) depth += 1
    else if (code === closesArray || code === closesObject) depth -= 1
    if (depth > levels) return true
  }
  return false
}

/** Returns whether a parsed number was an integer beyond ±(2^53-1), or a number beyond a double: its digits are lost. */
const isLong = (value: unknown): boolean =>
  typeof value === 'number' && (value > Number.MAX_SAFE_INTEGER || value < Number.MIN_SAFE_INTEGER)

/** Walks a parsed value, once for both questions. @returns whether it holds a number that is too long for a double */
function holdsLongNumber(value: unknown, levels: number): boolean {
  return typeof value === 'object' && value !== null ? walk(value, levels) : isLong(value)
}

function walk(value: object, levels: number): boolean {
  if (levels === 0) throw new TooDeep()
  let found = false
  if (Array.isArray(value)) {
    for (const element of value)
      if (typeof element === 'object' ? element !== null && walk(element, levels - 1) : isLong(element)) found = true
    return found
  }
  const members = value as Readonly<Record<string, unknown>> // an object of JSON
  for (const name in members) {
    const member = members[name]
    if (typeof member === 'object' ? member !== null && walk(member, levels - 1) : isLong(member)) found = true
  }
  return found
}

type Parse = (text: string) => unknown

interface DepthOptions {
  /** By default JSON.parse. */
  readonly parse?: Parse
  /** Parses a string again in which a number is too long for a double. */
  readonly again?: Parse
  /** The limit, for JSON that stands within other JSON. */
  readonly levels?: number | undefined
}

/** Parses JSON of limited depth. Checks the depth of a usual answer after parsing, which takes a tenth of the time of a scan. */
function readLimitedDepth(text: string, { parse = JSON.parse, again, levels = deepestJson }: DepthOptions = {}): unknown {
  try {
    if (isDense(text, levels) && opensDeeper(text, levels)) throw new TooDeep()
    const value = parse(text)
    return holdsLongNumber(value, levels) && again !== undefined ? again(text) : value
  } catch (thrown) {
    throw thrown instanceof RangeError ? new TooDeep() : thrown // the stack overflowed
  }
}

/** Returns whether a string has so many brackets that parsing them may take ten times as long as a scan. */
function isDense(text: string, levels: number): boolean {
  const most = levels + Math.ceil(text.length / dense)
  return countCharacter(text, '[', most) + countCharacter(text, '{', most) >= most
}

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

/** Parses foreign JSON as `parseJson`, with limited depth. @throws SyntaxError; TooDeep */
export const readJson = (text: string): unknown => readLimitedDepth(text, { again: parseExactly })

/** Parses foreign JSON as `readJson`; undefined for any other text. */
export function tryReadJson(text: string): unknown {
  try {
    return readJson(text)
  } catch {
    return undefined
  }
}

/** Parses foreign JSON that stood so many levels deep within other JSON. @throws SyntaxError; TooDeep */
export const readInnerJson = (text: string, depth: number): unknown =>
  readLimitedDepth(text, { again: parseExactly, levels: deepestJson - depth })

/** Matches what a double can lose: 16 digits and points, or a large exponent. It may also match inside a string, which only costs time. */
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

/** Makes a value that is written as the text. JSON.rawJSON exists in every supported Node; the standard library's types lack it. */
export const rawJson = Reflect.get(JSON, 'rawJSON') as (text: string) => unknown
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
