import type { Reply } from '../http.ts'

/** A JSON object as the vendor sends it. */
export type JsonRecord = Readonly<Record<string, unknown>>

/** A successful answer before it is wrapped. */
export interface Success {
  readonly data: JsonRecord
  /** Goes into the data as `list`. Each record becomes text before the next one is made: pages are large. */
  readonly list?: Iterable<JsonRecord>
  readonly headers?: Readonly<Record<string, string>>
}

/** A refusal; the vendor sends it with HTTP 200. */
export interface Failure {
  readonly code: number
  readonly message: string
}

/** What a request is answered with. */
export type Answer = Success | Failure

/** A refusal of the vendor. @param code - other than 0 */
export function failure(code: number, message: string): Failure {
  return { code, message }
}

/** The refusal of a parameter; the text begins with its name. */
export function invalid(name: string, problem: string): Failure {
  return failure(40002, `${name}: ${problem}`)
}

/** The refusal of a missing parameter. */
export function missing(name: string): Failure {
  return invalid(name, 'Missing data for required field.')
}

/** Tells a refusal from everything else that a step can return. */
export function isFailure(value: unknown): value is Failure {
  return typeof value === 'object' && value !== null && 'code' in value && 'message' in value
}

/** Texts for codes that a fault or a switch asks for without one. */
const defaultMessages: ReadonlyMap<number, string> = new Map([
  [20001, 'Partial success.'],
  [40000, 'Invalid parameter.'],
  [40001, 'No permission to operate the requested object.'],
  [40002, 'Invalid parameter.'],
  [40006, 'The requested API version is wrong.'],
  [40007, 'The object does not exist.'],
  [40008, 'The endpoint is not supported for sandbox accounts.'],
  [40011, 'Too many ids.'],
  [40016, 'Requests made too frequently for the current endpoint.'],
  [40050, 'Duplicate request.'],
  [40067, 'The query is too large. Please narrow it.'],
  [40100, 'Requests made too frequently.'],
  [40102, 'Access token is expired.'],
  [40104, 'Access token is null, you should set it in http header with key Access-Token.'],
  [40105, 'Access token is incorrect or has been revoked.'],
  [40132, 'The QPS of the field reaches its limit, request is temporarily restricted.'],
  [40133, "Advertiser's QPS reaches QPS limit 20 for current path, request is temporarily restricted."],
  [40201, 'The task is not ready.'],
  [40202, 'Write conflict.'],
  [40300, 'The advertiser does not exist.'],
  [40700, 'Internal service validation error.'],
  [41000, 'The IP address of the request is in a restricted country or region.'],
  [50000, 'System error.'],
  [50002, 'Processing error.'],
  [51305, 'Satellite service error.'],
  [60001, 'The system is under maintenance.'],
])

/**
 * The refusal of a code.
 *
 * @param code - other than 0
 * @param message - left out: one that fits the code
 */
export function failureOf(code: number, message?: string): Failure {
  return failure(code, message ?? defaultMessages.get(code) ?? 'Unknown error.')
}

/**
 * A number that is written without quotation marks and with all its digits, also above 2^53.
 *
 * @param digits - decimal digits
 */
export function exactNumber(digits: string): { toJSON(): string } {
  return { toJSON: () => `int64:${digits}` }
}

/** The JSON text of a value; numbers made by `exactNumber` keep their digits. */
function jsonText(value: unknown): string {
  return JSON.stringify(value).replaceAll(/"int64:(\d+)"/g, '$1')
}

function dataTexts({ data, list }: Success): readonly string[] {
  if (!list) return [jsonText(data)]
  const texts = ['{"list":[']
  for (const record of list) texts.push(texts.length === 1 ? '' : ',', jsonText(record))
  return [...texts, ']', jsonText(data).replace('{', Object.keys(data).length > 0 ? ',' : '')]
}

/**
 * An answer in the vendor's envelope.
 *
 * @param answer - what it holds
 * @param requestId - fresh
 * @param status - HTTP status; the vendor's is 200 also for refusals
 */
export function inEnvelope(answer: Answer, requestId: string, status = 200): Reply {
  const failed = isFailure(answer)
  const head = JSON.stringify({ code: failed ? answer.code : 0, message: failed ? answer.message : 'OK', request_id: requestId })
  const texts = failed ? ['{}'] : dataTexts(answer)
  const headers = { 'content-type': 'application/json', ...(failed ? {} : answer.headers) }
  return { status, headers, body: [head.slice(0, -1), ',"data":', ...texts, '}'].join('') }
}

/** An answer of the gateway before the API: plain text. */
export function plainText(status: number, body: string): Reply {
  return { status, headers: { 'content-type': 'text/plain; charset=utf-8' }, body }
}
