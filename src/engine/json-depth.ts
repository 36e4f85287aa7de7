/** How deep values lie within each other. What walks them calls itself, so that the stack ends before a value does that is all brackets. */

/** Levels of arrays and objects that are read; vendors nest ten at most. */
export const deepestJson = 64

/** JSON that is nested deeper than it may be. */
export class TooDeep extends Error {
  override readonly message = `it is nested deeper than ${deepestJson} levels`
}

/** A text with more brackets than one in so many characters is looked through before it is read: to read it takes ten times as long. */
const dense = 16

const [quote, backslash] = [0x22, 0x5c]
const [opensArray, closesArray, opensObject, closesObject] = [0x5b, 0x5d, 0x7b, 0x7d]

/** Counts a character of a text, up to a number. */
function countOf(text: string, character: string, most: number): number {
  let count = 0
  for (let at = text.indexOf(character); at >= 0 && count < most; at = text.indexOf(character, at + 1)) count += 1
  return count
}

/** Whether a text opens more than `deepestJson` levels. What is no JSON may get either answer. */
function opensTooDeep(text: string): boolean {
  let depth = 0
  let inText = false
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index)
    if (code === quote) inText = !inText
    else if (inText) index += Number(code === backslash)
    else if (code === opensArray || code === opensObject) depth += 1
    else if (code === closesArray || code === closesObject) depth -= 1
    if (depth > deepestJson) return true
  }
  return false
}

/** Whether a value has more than so many levels of arrays and objects. */
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
 * Reads JSON that is not too deep. The depth of a usual answer is looked at when it is read, which takes a tenth of the time.
 * @param parse reads the text
 * @throws TooDeep; what `parse` throws
 */
export function readWithin(text: string, parse: (text: string) => unknown): unknown {
  try {
    return readChecked(text, parse)
  } catch (thrown) {
    throw thrown instanceof RangeError ? new TooDeep() : thrown // the stack ended
  }
}

function readChecked(text: string, parse: (text: string) => unknown): unknown {
  const most = deepestJson + Math.ceil(text.length / dense)
  const brackets = countOf(text, '[', most) + countOf(text, '{', most)
  if (brackets <= deepestJson) return parse(text)
  if (brackets < most) return checked(parse(text))
  if (opensTooDeep(text)) throw new TooDeep()
  return parse(text)
}

function checked(value: unknown): unknown {
  if (typeof value === 'object' && value !== null && isDeeper(value, deepestJson)) throw new TooDeep()
  return value
}
