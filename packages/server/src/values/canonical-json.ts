/** Serializes JSON values independently of key order, for digests. */
import { isObject } from 'ferrule/internal'

/**
 * Returns JSON with object keys in the order of their UTF-16 code units, as in RFC 8785. Integers keep all digits where that standard
 * rounds. Undefined members are omitted.
 * @param value output of the JSON reader, nested at most as deep as a request body
 */
export function canonicalJson(value: unknown): string {
  if (typeof value === 'bigint') return value.toString()
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join()}]`
  if (!isObject(value)) return JSON.stringify(value) ?? 'null'
  const names = Object.keys(value).filter((name) => value[name] !== undefined)
  return `{${names
    .toSorted()
    .map((name) => `${JSON.stringify(name)}:${canonicalJson(value[name])}`)
    .join()}}`
}
