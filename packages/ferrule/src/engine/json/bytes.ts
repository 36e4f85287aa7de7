/** Checks whether bytes are JSON (RFC 8259) without creating values, because unused values cause garbage collections. */
import { deepestJson } from '../../values/json/depth.ts'

const [quote, backslash, comma, colon] = [0x22, 0x5c, 0x2c, 0x3a]
const [opensArray, closesArray, opensObject, closesObject] = [0x5b, 0x5d, 0x7b, 0x7d]
/** Longest number that is accepted, in bytes. */
const longestNumber = 1_000

const isSpace = (byte: number | undefined): boolean => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09

/** Returns the index of the next byte that is no space. */
export function skipSpaces(json: Buffer, from: number): number {
  let index = from
  while (isSpace(json[index])) index += 1
  return index
}

const isHex = (byte = 0): boolean => (byte >= 0x30 && byte <= 0x39) || (byte >= 0x41 && byte <= 0x46) || (byte >= 0x61 && byte <= 0x66)
/** Bytes that may follow a backslash, `u` aside: " \ / b f n r t. */
const escaped: ReadonlySet<number | undefined> = new Set([quote, backslash, 0x2f, 0x62, 0x66, 0x6e, 0x72, 0x74])

/** Returns the index after the escape that begins at an index; -1 for an invalid one. */
function skipEscape(json: Buffer, at: number): number {
  if (escaped.has(json[at + 1])) return at + 2
  const isUnicode = json[at + 1] === 0x75 && isHex(json[at + 2]) && isHex(json[at + 3]) && isHex(json[at + 4]) && isHex(json[at + 5])
  return isUnicode ? at + 6 : -1
}

/** Returns the index after the string that begins at an index; -1 for an invalid one. */
function skipString(json: Buffer, at: number): number {
  for (let index = at + 1; index < json.length; ) {
    const byte = json[index] ?? 0
    if (byte === quote) return index + 1
    if (byte < 0x20) return -1
    index = byte === backslash ? skipEscape(json, index) : index + 1
    if (index < 0) return -1
  }
  return -1
}

/** Returns the index after a string without checking its characters; the end of the bytes if the string does not end. */
export function skipUncheckedString(json: Buffer, from: number): number {
  for (let end = json.indexOf(quote, from + 1); end >= 0; end = json.indexOf(quote, end + 1)) {
    let last = end - 1
    while (json[last] === backslash) last -= 1
    if ((end - last) % 2 === 1) return end + 1
  }
  return json.length
}

const word = /^(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)$/

/** Returns the index after a number, `true`, `false` or `null`; -1 for anything else. */
function skipWord(json: Buffer, at: number): number {
  let end = at
  for (let byte = json[end] ?? 0; end - at < longestNumber; byte = json[end] ?? 0) {
    const isPart =
      (byte >= 0x30 && byte <= 0x39) || (byte >= 0x61 && byte <= 0x7a) || byte === 0x45 || byte === 0x2b || byte === 0x2d || byte === 0x2e
    if (!isPart) break
    end += 1
  }
  return word.test(json.toString('latin1', at, end)) ? end : -1
}

/** Returns the index after the array or object whose opening bracket stands at an index; -1 for an invalid one. */
function skipMembers(json: Buffer, at: number, depth: number): number {
  const isObject = json[at] === opensObject
  const closing = isObject ? closesObject : closesArray
  let index = skipSpaces(json, at + 1)
  if (json[index] === closing) return index + 1
  for (;;) {
    if (isObject) {
      const name = json[index] === quote ? skipString(json, index) : -1
      const mark = name < 0 ? -1 : skipSpaces(json, name)
      if (mark < 0 || json[mark] !== colon) return -1
      index = skipSpaces(json, mark + 1)
    }
    const end = skipValue(json, index, depth)
    if (end < 0) return -1
    index = skipSpaces(json, end)
    if (json[index] === closing) return index + 1
    if (json[index] !== comma) return -1
    index = skipSpaces(json, index + 1)
  }
}

function skipValue(json: Buffer, at: number, depth: number): number {
  const byte = json[at]
  if (byte === quote) return skipString(json, at)
  if (byte !== opensArray && byte !== opensObject) return skipWord(json, at)
  return depth === 0 ? -1 : skipMembers(json, at, depth - 1)
}

/** Returns whether bytes are one JSON value of at most 64 levels. Does not check that the bytes are UTF-8. */
export function isJson(json: Buffer): boolean {
  const end = skipValue(json, skipSpaces(json, 0), deepestJson)
  return end >= 0 && skipSpaces(json, end) === json.length
}

/**
 * Releases the memory of bytes at once. V8's young collections leave such bytes, so otherwise tens of megabytes stay until a full garbage
 * collection. Only for bytes that no other code holds.
 */
export function freeBytes({ buffer, byteLength }: Buffer): void {
  // Small buffers share their memory with others (Buffer.poolSize).
  if (buffer instanceof ArrayBuffer && byteLength > Buffer.poolSize) buffer.transfer(0)
}
