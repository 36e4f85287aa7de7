/** Limits the nesting of JSON. Code that walks values is recursive, so a value of brackets only would overflow the stack. */

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

/** Counts a character of a string, up to a number. */
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

/**
 * Walks a parsed value, once for both questions.
 * @returns whether it holds a number that is too long for a double
 * @throws TooDeep if it has more than so many levels of arrays and objects
 */
export function holdsLongNumber(value: unknown, levels: number): boolean {
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

/** Parses a string. */
type Parse = (text: string) => unknown

/** How a string is parsed. */
export interface DepthOptions {
  /** By default JSON.parse. */
  readonly parse?: Parse
  /** Parses a string again in which a number is too long for a double. */
  readonly again?: Parse
  /** The limit, for JSON that stands within other JSON. */
  readonly levels?: number | undefined
}

/**
 * Parses JSON of limited depth. Checks the depth of a usual answer after parsing, which takes a tenth of the time of a scan.
 * @throws TooDeep; what parsing throws
 */
export function readLimitedDepth(text: string, { parse = JSON.parse, again, levels = deepestJson }: DepthOptions = {}): unknown {
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
