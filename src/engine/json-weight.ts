/** What JSON weighs once it is read. A few bytes can stand for many times their size: `{},` for seventy bytes of memory. */
import { afterText } from './json-bytes.ts'

const [quote, comma, opensArray, opensObject] = [0x22, 0x2c, 0x5b, 0x7b]

/** Bytes of V8's memory for an empty object or array, and for one more value within it, rounded up. */
const [perHolder, perValue] = [64, 40]

/** About how many bytes of memory a JSON value takes once it is read, its text included; rather too many than too few. */
export function weightOf(json: Buffer): number {
  let weight = json.length
  for (let index = 0; index < json.length; ) {
    const byte = json[index]
    if (byte === comma) weight += perValue
    else if (byte === opensArray || byte === opensObject) weight += perHolder
    index = byte === quote ? afterText(json, index) : index + 1
  }
  return weight
}
