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

/** Returns whether a value has more than so many levels of arrays and objects. */
function isDeeper(value: object, levels: number): boolean {
  if (levels === 0) return true
  if (Array.isArray(value)) {
    for (const element of value) if (typeof element === 'object' && element !== null && isDeeper(element, levels - 1)) return true
    return false
  }
  const members = value as Readonly<Record<string, unknown>> // an object of JSON
  for (const name in members) {
    const member = members[name]
    if (typeof member === 'object' && member !== null && isDeeper(member, levels - 1)) return true
  }
  return false
}

/**
 * Parses JSON of limited depth. Checks the depth of a usual answer after parsing, which takes a tenth of the time.
 * @param parse parses the string
 * @param levels the limit, for JSON that stands within other JSON
 * @throws TooDeep; what `parse` throws
 */
export function readLimitedDepth(text: string, parse: (text: string) => unknown, levels = deepestJson): unknown {
  try {
    return readChecked(text, parse, levels)
  } catch (thrown) {
    throw thrown instanceof RangeError ? new TooDeep() : thrown // the stack overflowed
  }
}

function readChecked(text: string, parse: (text: string) => unknown, levels: number): unknown {
  const most = levels + Math.ceil(text.length / dense)
  const brackets = countCharacter(text, '[', most) + countCharacter(text, '{', most)
  if (brackets <= levels) return parse(text)
  if (brackets < most) return checkDepth(parse(text), levels)
  if (opensDeeper(text, levels)) throw new TooDeep()
  return parse(text)
}

function checkDepth(value: unknown, levels: number): unknown {
  if (typeof value === 'object' && value !== null && isDeeper(value, levels)) throw new TooDeep()
  return value
}
