/** Sends requests to the service: token, deadline, retries, and errors of the one table. */
import { errorConsequences } from '../error-consequences.ts'
import { FerruleError, fail, failValidation } from '../errors.ts'
import { computePause, maxAttempts } from '../retry.ts'
import { buildTraceHeaders, inSpan, type Span, type SpanStart } from '../tracing.ts'
import { BoundedMap } from '../values/bounded-map.ts'
import { parseJson, writeJson } from '../values/json/json.ts'
import { listLossyValues } from '../values/json/lossy.ts'
import { type Endpoint, endpoints } from '../wire/endpoints.ts'
import type { TokenAnswer } from '../wire/tokens.ts'
import { createDeadline, type Deadline, defaultDeadlineMs, pause } from './deadline.ts'
import { readProblem } from './problem.ts'
import { isTokenRefused, type ServiceSettings } from './settings.ts'

/**
 * Checks what will be sent as JSON.
 * @param field JSON pointer to the value, as the service names it
 * @throws FerruleError `invalid_parameter` with the field of each invalid `Date`, infinite number, and number that has lost digits
 */
export function checkValues(value: unknown, field = ''): void {
  const errors = listLossyValues(value, field)
  const [first] = errors
  if (first !== undefined) throw fail('invalid_parameter', { reason: `${first.field} ${first.message}` }, { errors })
}

/** Part of a token's life after which it is renewed: a slow request still arrives with a valid token. */
const usedPart = 0.8

interface KeptToken {
  readonly value: string
  /** Time of the renewal, on the clock of `performance.now()`: a wrong wall clock changes nothing. */
  readonly renewAt: number
}

/** A source of tokens. Concurrent requests share one renewal. */
class Tokens {
  readonly #request: () => Promise<TokenAnswer>
  #kept: KeptToken | undefined
  #renewal: Promise<KeptToken> | undefined

  /** @param request gets a token from the service */
  constructor(request: () => Promise<TokenAnswer>) {
    this.#request = request
  }

  /** Returns a valid token. @throws what the request throws */
  async get(): Promise<string> {
    const kept = this.#kept
    if (kept !== undefined && performance.now() < kept.renewAt) return kept.value
    this.#renewal ??= this.#renew().finally(() => {
      this.#renewal = undefined
    })
    return (await this.#renewal).value
  }

  /** Forgets a token that the service refused. A newer token stays. */
  forget(value: string): void {
    if (this.#kept?.value === value) this.#kept = undefined
  }

  /** Forgets the token: a new one reaches what was created since. */
  clear(): void {
    this.#kept = undefined
  }

  async #renew(): Promise<KeptToken> {
    const { access_token: value, expires_in: seconds } = await this.#request()
    this.#kept = { value, renewAt: performance.now() + seconds * 1_000 * usedPart }
    return this.#kept
  }
}

/** Maximum number of identities with a shared token. The least recently used one gets a new token with its next client. */
const mostIdentities = 100

/** Tokens by identity. Clients with another `fetch` have their own: it may add credentials, or be a test's. */
const shared = new WeakMap<typeof fetch, BoundedMap<string, Tokens>>()

/**
 * Returns the tokens of an address, a client id, its secret and an organization.
 * @param request gets a token from the service; used when nobody has the same identity
 */
function shareTokens({ url, identity, organizationId, fetch: send }: ServiceSettings, request: () => Promise<TokenAnswer>): Tokens {
  const byIdentity = shared.get(send) ?? new BoundedMap<string, Tokens>(mostIdentities)
  shared.set(send, byIdentity)
  // The secret is part of it: a wrong one must not get the token of the right one.
  const key = JSON.stringify([url, identity, organizationId ?? null])
  return byIdentity.take(key, () => new Tokens(request))
}

/** Options of one request. */
export interface RequestOptions {
  /** Aborts the request. */
  readonly signal?: AbortSignal | undefined
  /** Timeout of all attempts and waits, in milliseconds; 60,000 by default. The body of a download is not counted. */
  readonly deadlineMs?: number | undefined
}

/** What a request sends. */
export interface RequestParts extends RequestOptions {
  /** Values of the path's slots. */
  readonly slots?: Readonly<Record<string, string>>
  /** Members of the query; undefined ones are left out. */
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>
  readonly headers?: Readonly<Record<string, string>>
  /** Body, sent as JSON with every digit. */
  readonly body?: unknown
  /** True: the request changes nothing, so it can be repeated. Default: true for GET. */
  readonly isRead?: boolean
  /** True: the route needs no token, so none is sent and none is asked for. */
  readonly isOpen?: boolean
  /** Key of a write to a route that takes one; default: a new key. */
  readonly idempotencyKey?: string | undefined
}

const buildQuery = (query: RequestParts['query'] = {}): string => {
  const given = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) if (value !== undefined) given.set(name, String(value))
  return given.size === 0 ? '' : `?${given}`
}

/** Refuses what would fold the path into the path of another route, for example `DELETE …/syncs/..`. */
function checkSlots(slots: Readonly<Record<string, string>>): void {
  const wrong = Object.keys(slots).filter((name) => ['', '.', '..'].includes(slots[name] ?? ''))
  if (wrong.length > 0) throw failValidation(wrong.map((name) => ({ field: `/${name}`, message: 'must be an id', error_code: 'value' })))
}

function fillPath(path: string, slots: Readonly<Record<string, string>> = {}): string {
  checkSlots(slots)
  return path.replace(/\{(\w+)\}/g, (whole, name: string) => (Object.hasOwn(slots, name) ? encodeURIComponent(slots[name] ?? '') : whole))
}

/** Describes a failed `fetch` without the address: Node puts the reason into the cause. */
export function describeFailure(thrown: unknown): string {
  const cause: unknown = thrown instanceof Error && thrown.cause !== undefined ? thrown.cause : thrown
  const code: unknown = typeof cause === 'object' && cause !== null ? Reflect.get(cause, 'code') : undefined
  if (typeof code === 'string') return code
  return cause instanceof Error ? cause.message : 'the connection failed'
}

/** Returns whether a later attempt can succeed. */
const isPassing = (error: unknown): error is FerruleError =>
  error instanceof FerruleError && error.retryable && errorConsequences[error.code].isRequestRetried

/** Returns whether an error leaves open whether the service carried the request out. */
const leavesOpen = (error: FerruleError): boolean =>
  error.code === 'service_unreachable' || error.code === 'service_timeout' || error.code === 'service_answer_invalid'

/** Builds the error of a write that may have been carried out. */
function toUnknown(error: FerruleError, key: string | undefined): FerruleError {
  const hint =
    key === undefined
      ? 'Look whether the change was made before you send it again.'
      : `Send the same call with the idempotency key ${key} within 24 hours: it is carried out once, whatever happened.`
  const slots = { vendor: 'the service', request_id: key ?? 'none', reason: error.message }
  return fail('outcome_unknown', slots, { cause: error, hint })
}

/** One request, as every attempt sends it. */
interface Prepared {
  readonly url: string
  /** The path without its values. */
  readonly template: string
  readonly method: Endpoint['method']
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | undefined
  /** True: a later attempt does no harm. */
  readonly isRepeatable: boolean
  readonly isRead: boolean
  readonly key: string | undefined
}

interface Traced extends Prepared {
  readonly span: Span | undefined
}

/** Describes the span of an attempt: the route, never the filled path and never the query. */
const describeAttempt = ({ url, template, method }: Prepared, resent: number, signal: AbortSignal): SpanStart => ({
  name: `${method} ${template}`,
  kind: 'client',
  attributes: {
    'http.request.method': method,
    'server.address': URL.canParse(url) ? new URL(url).hostname : undefined,
    'url.template': template,
    'http.request.resend_count': resent === 0 ? undefined : resent,
  },
  signal,
})

/** The way to the service, shared by everything that one client does. */
export class Transport {
  readonly settings: ServiceSettings
  readonly #tokens: Tokens | undefined

  constructor(settings: ServiceSettings) {
    this.settings = settings
    const { identity } = settings
    if (identity.type !== 'client') return
    const body = { client_id: identity.clientId, client_secret: identity.clientSecret }
    const read = (response: Response) => this.read<TokenAnswer>(response)
    const request = () => this.#run(this.#prepare(endpoints.createToken, { body, isRead: true }), {}, read)
    this.#tokens = shareTokens(settings, request)
  }

  /**
   * Sends a request and parses its answer.
   * @returns the answer's JSON; integers beyond a double are bigint. The caller names the type that the route documents
   * @throws FerruleError the service's error, `service_unreachable`, `service_timeout`, `service_answer_invalid`, `outcome_unknown`;
   * the reason of an aborted signal
   */
  json<T>(endpoint: Endpoint, parts: RequestParts = {}): Promise<T> {
    return this.#authorize(endpoint, parts, (response) => this.read<T>(response))
  }

  /** Parses an answer. @throws FerruleError `service_answer_invalid` */
  async read<T>(response: Response): Promise<T> {
    const text = await readText(response)
    try {
      return this.settings.parse(text) as T // the route documents the type
    } catch (thrown) {
      throw fail('service_answer_invalid', { reason: 'it is not JSON' }, { cause: thrown })
    }
  }

  /**
   * Sends a request and returns the answer with an unread body. The deadline ends with the headers; the signal still aborts the body.
   * @throws as `json`
   */
  open(endpoint: Endpoint, parts: RequestParts = {}): Promise<Response> {
    return this.#authorize(endpoint, parts, async (response) => response)
  }

  /** Gets a new token for the next request: a token reaches the organizations of the time when it was made. */
  renewToken(): void {
    this.#tokens?.clear()
  }

  /** Sends a request with a token; once more with a new token when the service refuses the first. */
  async #authorize<T>(endpoint: Endpoint, parts: RequestParts, read: (response: Response) => Promise<T>): Promise<T> {
    const prepared = this.#prepare(endpoint, parts)
    const token = parts.isOpen === true ? undefined : await this.#getToken()
    try {
      return await this.#run(authorized(prepared, token), parts, read)
    } catch (thrown) {
      if (this.#tokens === undefined || token === undefined || !isTokenRefused(thrown)) throw thrown
      this.#tokens.forget(token)
      return this.#run(authorized(prepared, await this.#getToken()), parts, read)
    }
  }

  async #getToken(): Promise<string | undefined> {
    const { identity } = this.settings
    return identity.type === 'token' ? identity.token : this.#tokens?.get()
  }

  #prepare(endpoint: Endpoint, parts: RequestParts): Prepared {
    checkValues(parts.body)
    const { url, organizationId } = this.settings
    const isRead = parts.isRead ?? endpoint.method === 'GET'
    const key = isRead || endpoint.takesKey !== true ? undefined : (parts.idempotencyKey ?? crypto.randomUUID())
    return {
      url: `${url}${fillPath(endpoint.path, parts.slots)}${buildQuery(parts.query)}`,
      template: endpoint.path,
      method: endpoint.method,
      headers: {
        accept: 'application/json',
        ...(parts.body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(organizationId === undefined ? {} : { 'x-organization-id': organizationId }),
        ...(key === undefined ? {} : { 'idempotency-key': key }),
        ...parts.headers,
      },
      body: parts.body === undefined ? undefined : writeJson(parts.body),
      isRepeatable: isRead || key !== undefined,
      isRead,
      key,
    }
  }

  /** Sends a request up to three times within its deadline. */
  async #run<T>(request: Prepared, options: RequestOptions, read: (response: Response) => Promise<T>): Promise<T> {
    const deadline = createDeadline(options.deadlineMs ?? defaultDeadlineMs, options.signal)
    try {
      for (let failures = 1; ; failures += 1) {
        try {
          return await inSpan(
            () => describeAttempt(request, failures - 1, deadline.signal),
            (span) => this.#attempt({ ...request, span }, deadline, read),
          )
        } catch (thrown) {
          const wait = thrown instanceof FerruleError ? computePause(thrown, failures, Math.random) : 0
          const isLast = failures >= maxAttempts || !request.isRepeatable || !isPassing(thrown) || wait >= deadline.remaining()
          if (isLast)
            throw !request.isRead && thrown instanceof FerruleError && leavesOpen(thrown) ? toUnknown(thrown, request.key) : thrown
          await pause(wait, deadline.signal)
        }
      }
    } finally {
      deadline.release()
    }
  }

  async #attempt<T>(request: Traced, { signal }: Deadline, read: (response: Response) => Promise<T>): Promise<T> {
    const { url, method, body, span } = request
    const headers = { ...request.headers, ...buildTraceHeaders() }
    const credentials = this.settings.identity.type === 'session' ? 'same-origin' : 'omit'
    try {
      // A redirect is never followed: the token would travel with it.
      const init = { method, headers, signal, credentials, redirect: 'manual', ...(body === undefined ? {} : { body }) } as const
      const response = await this.settings.fetch(url, init)
      span?.set({ 'http.response.status_code': response.status })
      if (response.ok) return await read(response)
      throw await readFailure(response)
    } catch (thrown) {
      if (signal.aborted) throw signal.reason
      if (thrown instanceof FerruleError) throw thrown
      throw fail('service_unreachable', { url: this.settings.url, reason: describeFailure(thrown) }, { cause: thrown })
    }
  }
}

const authorized = (request: Prepared, token: string | undefined): Prepared =>
  token === undefined ? request : { ...request, headers: { ...request.headers, authorization: `Bearer ${token}` } }

async function readFailure(response: Response): Promise<FerruleError> {
  const isRedirect = response.type === 'opaqueredirect' || (response.status >= 300 && response.status < 400)
  if (isRedirect) return fail('service_answer_invalid', { reason: 'it is a redirect, which is not followed' }, { retryable: false })
  const text = await readText(response)
  try {
    return readProblem(response, parseJson(text))
  } catch {
    return readProblem(response, undefined)
  }
}

/** Largest answer that is read into memory, in bytes. The service's own answers are smaller; what is larger is not its answer. */
const largestAnswer = 256 * 1024 * 1024

const tooLarge = () => fail('service_answer_invalid', { reason: `it is larger than ${largestAnswer} bytes` }, { retryable: false })

/** Collects a body of unstated length up to the bound. */
async function collect(body: ReadableStream<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder()
  const parts: string[] = []
  let bytes = 0
  for await (const chunk of body) {
    bytes += chunk.byteLength
    if (bytes > largestAnswer) throw tooLarge()
    parts.push(decoder.decode(chunk, { stream: true }))
  }
  parts.push(decoder.decode())
  return parts.join('')
}

/**
 * Reads a body as text.
 * @throws FerruleError `service_answer_invalid` when the body is too large; what the connection throws
 */
export async function readText(response: Response): Promise<string> {
  const stated = response.headers.get('content-length')
  if (stated !== null && Number(stated) > largestAnswer) throw tooLarge()
  return stated !== null || response.body === null ? response.text() : collect(response.body)
}
