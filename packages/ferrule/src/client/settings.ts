/** Reads where the service is and who calls it: from options, else from the environment. */
import { FerruleError, fail, failValidation, type Problem } from '../errors.ts'
import { parseJson } from '../values/json/json.ts'
import { cutFinalNewline, isLoopback } from '../values/texts.ts'

/**
 * All environment variables of callers: the library, the command and its MCP server read them. The service ignores them, because one shell
 * may have both.
 */
export const clientVariables = [
  'FERRULE_URL',
  'FERRULE_CLIENT_ID',
  'FERRULE_CLIENT_SECRET',
  'FERRULE_TOKEN',
  'FERRULE_MCP_TOKEN',
  'FERRULE_ORGANIZATION_ID',
  'FERRULE_WORKSPACE',
  'FERRULE_PROFILE',
  'FERRULE_CONFIG_DIR',
  'FERRULE_DEBUG',
] as const

/** Address and identity of a caller of the service. What is left out comes from the environment. */
export interface ServiceOptions {
  /** Address of the service, for example `https://ferrule.example.com`; else `FERRULE_URL`. */
  readonly url?: string | undefined
  /** Client id of an application; else `FERRULE_CLIENT_ID`. */
  readonly clientId?: string | undefined
  /** Client secret of the application; else `FERRULE_CLIENT_SECRET`. Refused in a browser. */
  readonly clientSecret?: string | undefined
  /** A bearer token, instead of id and secret; else `FERRULE_TOKEN`. The client cannot renew it. */
  readonly token?: string | undefined
  /** True: a page of the service's own origin, which sends its session cookie and no token. */
  readonly session?: boolean | undefined
  /** Organization of the requests, for an application of several; else `FERRULE_ORGANIZATION_ID`. */
  readonly organizationId?: string | undefined
  /** Name of the workspace that connectors are looked up in and created in; else `FERRULE_WORKSPACE`, else `default`. */
  readonly workspace?: string | undefined
  /** Sends requests instead of the global `fetch`, for example to add a proxy or to record calls. */
  readonly fetch?: typeof fetch | undefined
}

/** How requests prove who sends them. */
export type Identity =
  | { readonly type: 'client'; readonly clientId: string; readonly clientSecret: string }
  | { readonly type: 'token'; readonly token: string }
  | { readonly type: 'session' }

/** Checked options. */
export interface ServiceSettings {
  /** Address without a slash at the end; it can have a path. */
  readonly url: string
  readonly identity: Identity
  readonly organizationId: string | undefined
  readonly workspace: string
  readonly fetch: typeof fetch
  /** Parses answers: to doubles by default; the command keeps all digits. */
  readonly parse: (text: string) => unknown
}

/** Reads an environment variable; undefined where there is no environment, or no permission to read it. */
export function readVariable(name: string): string | undefined {
  const process: unknown = Reflect.get(globalThis, 'process')
  try {
    const env: unknown = typeof process === 'object' && process !== null ? Reflect.get(process, 'env') : undefined
    const value: unknown = typeof env === 'object' && env !== null ? Reflect.get(env, name) : undefined
    return typeof value === 'string' && value !== '' ? value : undefined
  } catch {
    return undefined // Deno without --allow-env
  }
}

/** Returns whether this code runs in a page: everybody who opens the page can read what it holds. */
const isBrowser = (): boolean => typeof Reflect.get(globalThis, 'document') === 'object' && Reflect.get(globalThis, 'document') !== null

const problem = (field: string, message: string): Problem => ({ field, message, error_code: 'value' })

/**
 * Checks the address of the service: https, or http to this machine, so that no secret travels in the clear.
 * @returns the address without a slash at its end
 */
function readUrl(text: string): string | Problem {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol)) return problem('/url', 'must be an address such as https://ferrule.example.com')
  if (url.username !== '' || url.password !== '') return problem('/url', 'must not hold a user or a password')
  if (url.search !== '' || url.hash !== '') return problem('/url', 'must not have a query or a fragment')
  if (url.protocol === 'http:' && !isLoopback(url.hostname))
    return problem('/url', 'must begin with https: tokens and secrets go to https, or to this machine, only')
  return `${url.origin}${url.pathname}`.replace(/\/+$/, '')
}

function readIdentity(options: ServiceOptions): Identity | Problem {
  if (options.session === true) return { type: 'session' }
  const clientSecret = options.clientSecret ?? (options.token === undefined ? readVariable('FERRULE_CLIENT_SECRET') : undefined)
  const token =
    options.token ?? (options.clientSecret === undefined && options.clientId === undefined ? readVariable('FERRULE_TOKEN') : undefined)
  if (token !== undefined) return { type: 'token', token: cutFinalNewline(token) }
  const clientId = options.clientId ?? readVariable('FERRULE_CLIENT_ID')
  if (clientSecret !== undefined && isBrowser())
    return problem('/clientSecret', 'must not be given to a page: give it a token, or session: true')
  if (clientId !== undefined && clientSecret !== undefined) return { type: 'client', clientId, clientSecret: cutFinalNewline(clientSecret) }
  const lacking = clientId === undefined ? 'clientId' : 'clientSecret'
  const variable = clientId === undefined ? 'FERRULE_CLIENT_ID' : 'FERRULE_CLIENT_SECRET'
  return problem(`/${lacking}`, `is required: give ${lacking} or a token, or set ${variable} or FERRULE_TOKEN`)
}

const isProblem = (value: string | Identity | Problem): value is Problem => typeof value === 'object' && 'error_code' in value

/** The global `fetch` of the time of the call: a program may replace it. */
const globalFetch: typeof fetch = (input, init) => globalThis.fetch(input, init)

/** Returns whether options or the environment name a service, which chooses the hosted mode. */
export const namesService = (options: ServiceOptions | undefined): boolean =>
  (options?.url ?? readVariable('FERRULE_URL')) !== undefined || options?.session === true

/**
 * Checks the address and the identity.
 * @throws FerruleError `validation_failed` with the field of each problem; `setting_invalid` when FERRULE_URL is wrong
 */
export function readServiceSettings(options: ServiceOptions): ServiceSettings {
  const origin: unknown = options.session === true ? Reflect.get(globalThis, 'origin') : undefined
  const given = options.url ?? readVariable('FERRULE_URL') ?? (typeof origin === 'string' ? origin : undefined)
  if (given === undefined) throw failValidation([problem('/url', 'is required: give the address of the service, or set FERRULE_URL')])
  const url = readUrl(given)
  const identity = readIdentity(options)
  if (isProblem(url) && options.url === undefined) throw fail('setting_invalid', { name: 'FERRULE_URL', reason: `it ${url.message}` })
  const problems = [url, identity].filter(isProblem)
  if (isProblem(url) || isProblem(identity)) throw failValidation(problems)
  return {
    url,
    identity,
    organizationId: options.organizationId ?? readVariable('FERRULE_ORGANIZATION_ID'),
    workspace: options.workspace ?? readVariable('FERRULE_WORKSPACE') ?? 'default',
    fetch: options.fetch ?? globalFetch,
    parse: parseJson,
  }
}

/** Returns whether an error says that the token is no longer accepted, so that a new one can help. */
export const isTokenRefused = (error: unknown): boolean =>
  error instanceof FerruleError && (error.code === 'token_expired' || error.code === 'invalid_token')
