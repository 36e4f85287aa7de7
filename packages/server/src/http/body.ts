/** Request bodies: one JSON reader for all routes, and forms for the token endpoint. */
import type { FerruleError } from 'ferrule'
import { readJson } from 'ferrule/engine'
import { fail, failValidation, pointTo, TooDeep } from 'ferrule/internal'

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** Names that reach into prototypes when a careless program copies them. */
const isForbiddenName = (name: string, value: unknown): boolean =>
  name === '__proto__' || (name === 'constructor' && typeof value === 'object' && value !== null && Object.hasOwn(value, 'prototype'))

const malformed = (reason: string): FerruleError => fail('malformed_json', { reason })

/** Returns V8's sentence without the quoted input, which can contain a secret. */
function describeFault(thrown: unknown): string {
  if (thrown instanceof TooDeep) return thrown.message
  const [sentence = ''] = (thrown instanceof Error ? thrown.message : '').split(/,? (?:\.\.\.)?"/)
  return sentence.charAt(0).toLowerCase() + sentence.slice(1)
}

/**
 * Walks a body once; `path` holds the names on the way, so that the common case builds no strings.
 * @throws FerruleError for the first field that has a forbidden name
 */
function inspectValue(value: unknown, path: (string | number)[]): void {
  if (typeof value !== 'object' || value === null) return
  for (const [name, part] of Array.isArray(value) ? value.entries() : Object.entries(value)) {
    path.push(name)
    if (typeof name === 'string' && isForbiddenName(name, part)) throw forbiddenName(path)
    inspectValue(part, path)
    path.pop()
  }
}

const forbiddenName = (path: readonly (string | number)[]): FerruleError =>
  failValidation([{ field: pointTo('', ...path), message: 'is not an allowed name', error_code: 'name' }])

function decode(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes)
  } catch {
    throw malformed('it is not UTF-8')
  }
}

function parse(text: string): unknown {
  try {
    return readJson(text)
  } catch (thrown) {
    throw malformed(describeFault(thrown))
  }
}

/**
 * Reads JSON of any type. Of a repeated name the last value counts.
 * @throws FerruleError `malformed_json` (not UTF-8, not JSON, too deep), `validation_failed` (`__proto__`)
 */
export function readAnyJson(bytes: Uint8Array): unknown {
  const value = parse(decode(bytes))
  inspectValue(value, [])
  return value
}

/**
 * Reads a JSON body. Of a repeated name the last value counts.
 * @returns an object; undefined for an empty body
 * @throws FerruleError `malformed_json` (not UTF-8, not JSON, too deep), `validation_failed` (not an object, `__proto__`)
 */
export function readJsonBody(bytes: Uint8Array): unknown {
  if (bytes.length === 0) return undefined
  const value = parse(decode(bytes))
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw failValidation([{ field: '', message: 'must be an object', error_code: 'type' }])
  inspectValue(value, [])
  return value
}

/**
 * Reads a form (`application/x-www-form-urlencoded`) as an object of strings.
 * @throws FerruleError `malformed_json` (not UTF-8), `validation_failed` (a repeated name, which RFC 6749 forbids)
 */
export function readFormBody(bytes: Uint8Array): Readonly<Record<string, string>> {
  const pairs = [...new URLSearchParams(decode(bytes))]
  const met = new Set(['__proto__'])
  for (const [name] of pairs) {
    if (met.has(name)) throw failValidation([{ field: pointTo('', name), message: 'must be given once', error_code: 'repeated' }])
    met.add(name)
  }
  return Object.fromEntries(pairs)
}
