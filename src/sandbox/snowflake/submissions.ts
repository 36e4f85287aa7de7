import { randomUUID } from 'node:crypto'
import type { ReceivedRequest } from '../http.ts'
import { isObject, parseJson } from '../http.ts'
import type { Failure } from './failures.ts'
import { failure, isFailure } from './failures.ts'

/** A statement as it was submitted. */
export interface Submission {
  readonly statement: string
  /** Seconds. */
  readonly timeout: number
  readonly database: string | undefined
  readonly schema: string | undefined
  readonly warehouse: string | undefined
  readonly role: string | undefined
  /** Session parameters by name; keys that are not in upper case do nothing, as at the vendor. */
  readonly parameters: Readonly<Record<string, string>>
  readonly requestId: string
  readonly retry: boolean
  readonly async: boolean
  /** False: SQL NULL is the text `null`. */
  readonly nullable: boolean
}

const allowedParameters = [
  'BINARY_OUTPUT_FORMAT',
  'CLIENT_RESULT_CHUNK_SIZE',
  'DATE_OUTPUT_FORMAT',
  'MULTI_STATEMENT_COUNT',
  'QUERY_TAG',
  'ROWS_PER_RESULTSET',
  'TIME_OUTPUT_FORMAT',
  'TIMESTAMP_LTZ_OUTPUT_FORMAT',
  'TIMESTAMP_NTZ_OUTPUT_FORMAT',
  'TIMESTAMP_OUTPUT_FORMAT',
  'TIMESTAMP_TZ_OUTPUT_FORMAT',
  'TIMEZONE',
  'USE_CACHED_RESULT',
]

const counting = ['CLIENT_RESULT_CHUNK_SIZE', 'MULTI_STATEMENT_COUNT', 'ROWS_PER_RESULTSET']
const longestTag = 2000
/** Seconds: what 0 means, and what an absent timeout means. */
const [longestTimeout, usualTimeout] = [604_800, 172_800]

function isKnownZone(zone: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: zone }).format(0) !== ''
  } catch {
    return false
  }
}

function isFit(name: string, value: string): boolean {
  if (counting.includes(name)) return /^\d{1,9}$/.test(value)
  if (name === 'TIMEZONE') return isKnownZone(value)
  return name !== 'QUERY_TAG' || value.length <= longestTag
}

function parametersIn(value: unknown): Readonly<Record<string, string>> | Failure {
  if (value === undefined || value === null) return {}
  if (!isObject(value)) return failure('malformed')
  const entries = Object.entries(value).map(([name, given]): [string, string] => [name, String(given)])
  const wrong = entries.find(([name, given]) => !allowedParameters.includes(name.toUpperCase()) || !isFit(name.toUpperCase(), given))
  if (wrong) return failure('parameter', `Invalid parameter. '${wrong[0]}' is not allowed or invalid for SQL API.`)
  return Object.fromEntries(entries)
}

/** A field that is a text or is left out; undefined for null too. */
function textIn(body: Record<string, unknown>, name: string): string | undefined | Failure {
  const value = body[name] ?? undefined
  return value === undefined || typeof value === 'string' ? value : failure('malformed')
}

function timeoutIn(value: unknown): number | Failure {
  if (value === undefined || value === null) return usualTimeout
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 0) return failure('malformed')
  return value === 0 ? longestTimeout : Math.min(value, longestTimeout)
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** The id of a request: its own, or a new one. */
export function requestIdIn(query: URLSearchParams): string | Failure {
  const given = query.get('requestId')
  if (given === null) return randomUUID()
  return uuid.test(given) ? given : failure('malformed', 'The requestId must be a UUID.')
}

/** True for a text that could be the handle of a statement. */
export function isHandle(text: string): boolean {
  return uuid.test(text)
}

const contextNames = ['statement', 'database', 'schema', 'warehouse', 'role'] as const

/**
 * Reads a request that submits a statement.
 *
 * @param request - its body is JSON with `statement`
 */
export function submissionIn({ body: text, query }: ReceivedRequest): Submission | Failure {
  const body = parseJson(text)
  if (!isObject(body) || typeof body['statement'] !== 'string') return failure('malformed')
  if (isObject(body['bindings']) && Object.keys(body['bindings']).length > 0) {
    return failure('unsupported', 'Unsupported feature: the stand-in knows no bindings.')
  }
  const texts = contextNames.map((name) => textIn(body, name))
  const parts = [requestIdIn(query), timeoutIn(body['timeout']), parametersIn(body['parameters'])] as const
  const wrong = [...texts, ...parts].find(isFailure)
  const [requestId, timeout, parameters] = parts
  if (wrong || isFailure(requestId) || isFailure(timeout) || isFailure(parameters)) return wrong ?? failure('malformed')
  const [statement = '', database, schema, warehouse, role] = texts.map((each) => (typeof each === 'string' ? each : undefined))
  const flags = { retry: query.get('retry') === 'true', async: query.get('async') === 'true', nullable: query.get('nullable') !== 'false' }
  return { statement, timeout, database, schema, warehouse, role, parameters, requestId, ...flags }
}
