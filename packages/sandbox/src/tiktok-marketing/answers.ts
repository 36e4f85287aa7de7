import { isObject, parseJson, type Reply } from '../http.ts'

/** A JSON object as the vendor sends it. */
export type JsonRecord = Readonly<Record<string, unknown>>

/** A successful answer before it is wrapped. */
export interface Success {
  readonly data: JsonRecord
  /** Goes into the data as `list`. Each record becomes text before the next one is made: pages are large. */
  readonly list?: Iterable<JsonRecord>
  readonly headers?: Readonly<Record<string, string>>
}

/** Texts for codes that come without one. */
const usualMessages: Readonly<Record<number, string>> = {
  20001: 'Partial success.',
  40000: 'Invalid parameter.',
  40001: 'No permission to operate the requested object.',
  40002: 'Invalid parameter.',
  40006: 'The requested API version is wrong.',
  40007: 'The object does not exist.',
  40008: 'The endpoint is not supported for sandbox accounts.',
  40011: 'Too many ids.',
  40016: 'Requests made too frequently for the current endpoint.',
  40050: 'Duplicate request.',
  40067: 'The query is too large. Please narrow it.',
  40100: 'Requests made too frequently.',
  40102: 'Access token is expired.',
  40104: 'Access token is null, you should set it in http header with key Access-Token.',
  40105: 'Access token is incorrect or has been revoked.',
  40132: 'The QPS of the field reaches its limit, request is temporarily restricted.',
  40133: "Advertiser's QPS reaches QPS limit 20 for current path, request is temporarily restricted.",
  40200: 'Task error.',
  40201: 'The task is not ready.',
  40202: 'Write conflict.',
  40300: 'The advertiser does not exist.',
  40700: 'Internal service validation error.',
  41000: 'The IP address of the request is in a restricted country or region.',
  50000: 'System error.',
  50002: 'Processing error.',
  51001: 'Internal service timeout.',
  51039: 'Internal service timeout.',
  51305: 'Satellite service error.',
  60001: 'The system is under maintenance.',
}

/** A refusal, thrown wherever a request is found wanting; the vendor sends it with HTTP 200. */
export class Failure extends Error {
  readonly code: number

  /** @param message - left out: one that fits the code */
  constructor(code: number, message = usualMessages[code] ?? 'Unknown error.') {
    super(message)
    this.code = code
  }
}

/** Returns the refusal of a parameter; the text begins with its name. */
export const invalid = (name: string, problem: string): Failure => new Failure(40002, `${name}: ${problem}`)

/** Returns the refusal of a missing parameter. */
export const missing = (name: string): Failure => invalid(name, 'Missing data for required field.')

/** Returns a number that is written without quotation marks and with all its digits, also above 2^53. */
export const exactNumber = (digits: string): { toJSON(): string } => ({ toJSON: () => `int64:${digits}` })

const jsonText = (value: unknown): string => JSON.stringify(value).replaceAll(/"int64:(\d+)"/g, '$1')

function dataTexts({ data, list }: Success): readonly string[] {
  if (!list) return [jsonText(data)]
  const texts = ['{"list":[']
  for (const record of list) texts.push(texts.length === 1 ? '' : ',', jsonText(record))
  return [...texts, ']', jsonText(data).replace('{', Object.keys(data).length > 0 ? ',' : '')]
}

/** Returns an answer in the vendor's envelope; the status is 200 also for refusals unless a fault wants another. */
export function inEnvelope(answer: Success | Failure, requestId: string, status = 200): Reply {
  const failed = answer instanceof Failure
  const told = failed ? { code: answer.code, message: answer.message } : { code: 0, message: 'OK' }
  const head = JSON.stringify({ ...told, request_id: requestId }).slice(0, -1)
  const headers = { 'content-type': 'application/json', ...(failed ? {} : answer.headers) }
  return { status, headers, body: [head, ',"data":', ...(failed ? ['{}'] : dataTexts(answer)), '}'].join('') }
}

/** Returns an answer of the gateway before the API: plain text. */
export const plainText = (status: number, body: string): Reply => ({
  status,
  headers: { 'content-type': 'text/plain; charset=utf-8' },
  body,
})

/** Which page is asked for, from 1 on; `usual` and `largest` are the sizes of an endpoint. */
export interface Page {
  readonly page: number
  readonly size: number
}

/** Page sizes of an endpoint. */
export interface PageSizes {
  readonly usual: number
  readonly largest: number
}

/** Returns the value of a parameter; undefined when it is missing or empty. */
export const textIn = (query: URLSearchParams, name: string): string | undefined => query.get(name) || undefined

/** Returns the value of a parameter that must be there. */
export function neededTextIn(query: URLSearchParams, name: string): string {
  const text = textIn(query, name)
  if (text === undefined) throw missing(name)
  return text
}

function numberIn(query: URLSearchParams, name: string, { usual, largest }: PageSizes): number {
  const text = query.get(name)
  if (text === null) return usual
  if (!/^-?\d{1,15}$/.test(text)) throw invalid(name, 'Not a valid integer.')
  const value = Number(text)
  if (value < 1 || value > largest) throw invalid(name, `Must be between 1 and ${largest}.`)
  return value
}

/** Reads the page that a request asks for. */
export function pageIn(query: URLSearchParams, sizes: PageSizes): Page {
  const page = numberIn(query, 'page', { usual: 1, largest: Number.MAX_SAFE_INTEGER })
  return { page, size: numberIn(query, 'page_size', sizes) }
}

/** Returns the texts of a list; undefined when the value is not a list. */
export function textsOf(value: unknown): readonly string[] | undefined {
  const list: readonly unknown[] = Array.isArray(value) ? value : [undefined]
  return list.every((entry) => typeof entry === 'string' && entry !== '') ? list.map(String) : undefined
}

/** Reads a parameter that holds a JSON array of strings; undefined when it is missing. */
export function listIn(query: URLSearchParams, name: string): readonly string[] | undefined {
  const text = textIn(query, name)
  if (text === undefined) return undefined
  const value = parseJson(text)
  if (!Array.isArray(value)) throw invalid(name, 'Not a valid list.')
  const texts = textsOf(value)
  if (!texts) throw invalid(name, 'Not a valid string in the list.')
  return texts
}

/** Reads such a parameter that must be there and not be empty. */
export function neededListIn(query: URLSearchParams, name: string): readonly string[] {
  const list = listIn(query, name)
  if (list === undefined) throw missing(name)
  if (list.length === 0) throw invalid(name, 'Shorter than minimum length 1.')
  return list
}

/** Reads a parameter that holds a JSON object; empty when it is missing. */
export function objectIn(query: URLSearchParams, name: string): JsonRecord {
  const text = textIn(query, name)
  const value = text === undefined ? {} : parseJson(text)
  if (!isObject(value)) throw invalid(name, 'Not a valid object.')
  return value
}
