/** One text for each JSON value, whatever the order of its keys: for digests of what was asked. */
import { isObject } from '../definition/object.ts'

/**
 * JSON with the keys of objects in the order of their UTF-16 code units, as RFC 8785 has it, and integers with all their digits
 * where that standard would round them. Members that are undefined are left out.
 * @param value what the JSON reader gives: nested as deep as a request body may be
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
