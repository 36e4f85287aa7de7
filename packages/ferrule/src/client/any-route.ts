/** Requests to any route of the service, for what has no method of its own. */
import { FerruleError, fail, failValidation } from '../errors.ts'
import type { Endpoint } from '../wire/endpoints.ts'
import { readPathBelow } from './resources/pages.ts'
import { describeFailure, type RequestOptions, type RequestParts, readText, type Transport } from './transport.ts'

/** What a request to any route sends. */
export interface AnyRequest extends RequestOptions {
  /** Members of the query, beside those of the path. */
  readonly query?: RequestParts['query']
  readonly headers?: Readonly<Record<string, string>>
  /** Body, sent as JSON with every digit. */
  readonly body?: unknown
  /** Key of a write to a route that takes one; only a write with a key is repeated. */
  readonly idempotencyKey?: string
}

/** The answer of any route. Read its body once: by `json`, by `text` or as `stream`. */
export interface AnyAnswer {
  readonly status: number
  readonly headers: Headers
  /** Null without a body. */
  readonly stream: ReadableStream<Uint8Array> | null
  /** Parses the body; integers beyond a double are bigint. @throws FerruleError `service_answer_invalid`, `service_unreachable` */
  json(): Promise<unknown>
  /** Reads the body. @throws FerruleError `service_answer_invalid`, `service_unreachable` */
  text(): Promise<string>
}

/** A route, as a caller names it. */
export interface AnyRoute {
  readonly method: Endpoint['method']
  /** Path from the service's address on, with or without a query; or a whole address below the service's. */
  readonly path: string
}

function addQuery(path: string, query: RequestParts['query'] = {}): string {
  const [bare = '', own] = path.split('?', 2)
  const all = new URLSearchParams(own)
  for (const [name, value] of Object.entries(query)) if (value !== undefined) all.set(name, String(value))
  return all.size === 0 ? bare : `${bare}?${all}`
}

async function readBody<T>(url: string, signal: AbortSignal | undefined, read: () => Promise<T>): Promise<T> {
  try {
    return await read()
  } catch (thrown) {
    if (signal?.aborted === true) throw signal.reason
    if (thrown instanceof FerruleError) throw thrown
    throw fail('service_unreachable', { url, reason: describeFailure(thrown) }, { cause: thrown })
  }
}

/**
 * Sends a request to any route below the service's address.
 * @throws FerruleError `validation_failed` when the path leads elsewhere; as every request
 */
export async function requestAny(transport: Transport, { method, path }: AnyRoute, request: AnyRequest): Promise<AnyAnswer> {
  const { url } = transport.settings
  const below = readPathBelow(url, path)
  if (below === undefined) throw failValidation([{ field: '/path', message: `must be a path below ${url}`, error_code: 'value' }])
  const { query, headers, body, idempotencyKey, signal, deadlineMs } = request
  const endpoint: Endpoint = { method, path: addQuery(below, query), ...(idempotencyKey === undefined ? {} : { takesKey: true }) }
  // Headers makes the names lower-case, so that they replace the client's own.
  const parts = { headers: Object.fromEntries(new Headers(headers)), body, idempotencyKey, signal, deadlineMs }
  const response = await transport.open(endpoint, parts)
  return {
    status: response.status,
    headers: response.headers,
    stream: response.body,
    json: () => readBody(url, signal, () => transport.read<unknown>(response)),
    text: () => readBody(url, signal, () => readText(response)),
  }
}
