/** Estimates the memory of JSON after parsing, which can exceed its size many times: `{},` takes seventy bytes. */
import { skipUncheckedString } from './bytes.ts'

const [quote, comma, opensArray, opensObject] = [0x22, 0x2c, 0x5b, 0x7b]

/** Bytes of V8's memory for an empty object or array, and for one more value within it, rounded up. */
const [perHolder, perValue] = [64, 40]

/** Estimates the memory of a parsed JSON value in bytes, its source included. Rather too high than too low. */
export function estimateWeight(json: Buffer): number {
  let weight = json.length
  for (let index = 0; index < json.length; ) {
    const byte = json[index]
    if (byte === comma) weight += perValue
    else if (byte === opensArray || byte === opensObject) weight += perHolder
    index = byte === quote ? skipUncheckedString(json, index) : index + 1
  }
  return weight
}
