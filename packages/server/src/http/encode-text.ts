/** Encodes answers as UTF-8 faster than Node writes them. */
import { transcode } from 'node:buffer'

/** Shortest and longest string in UTF-16 units that is encoded here. Below, Node is as fast; above, the copy would take more memory. */
const [shortest, longest] = [2_048, 262_144]

/** Matches what Latin-1 lacks. V8 keeps a string without such characters in single bytes, where the search ends at once. */
const beyondLatin = /[\u0100-\uffff]/

let units: Buffer | undefined

/**
 * Encodes a string that V8 keeps in two bytes a character, in a third of the time of Node's own encoder and of its count of bytes
 * (60 instead of 200 µs for 62 kB, Node 24).
 * @returns the bytes; the string itself where Node is as fast, and where a lone surrogate needs its replacement
 */
export function encodeText(text: string): string | Buffer {
  if (text.length < shortest || text.length > longest || !beyondLatin.test(text)) return text
  units ??= Buffer.allocUnsafeSlow(2 * longest)
  const length = units.write(text, 'utf16le')
  try {
    return transcode(units.subarray(0, length), 'utf16le', 'utf8')
  } catch {
    return text
  }
}
