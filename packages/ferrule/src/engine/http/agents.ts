/** Pools of connections. undici is loaded at the first request: importing the library costs neither its time nor its memory. */
import type { Dispatcher, Pool } from 'undici/index.js'
import type { Proxies } from './proxies.ts'
import { publicLookup } from './public-address.ts'

/** Largest JSON answer that is read, in bytes. */
export const maxAnswerBytes = 32 * 1024 * 1024
/** Largest answer of a vendor whose definition asks for more, in bytes. */
const maxLargeAnswerBytes = 128 * 1024 * 1024
/** Longest wait for the head of an answer, in milliseconds: half of a call's usual life, so that a second attempt is possible. */
const headersTimeout = 30_000
/** Longest silence within an answer, in milliseconds. */
const bodyTimeout = 30_000
/** Longest wait for a connection, in milliseconds. */
const connectTimeout = 10_000
/** Sockets to one origin; more calls wait for a free one within their deadline. */
const connectionsPerOrigin = 128

const agentOptions = {
  connections: connectionsPerOrigin,
  pipelining: 1,
  bodyTimeout,
  headersTimeout,
  keepAliveTimeout: 10_000,
} as const

/** undici's own time limits, by the class of their error, in seconds. */
export const timeoutSeconds = {
  ConnectTimeoutError: connectTimeout / 1000,
  HeadersTimeoutError: headersTimeout / 1000,
  BodyTimeoutError: bodyTimeout / 1000,
} as const

type Undici = typeof import('undici/index.js')
type ErrorName = keyof typeof timeoutSeconds | 'HTTPParserError' | 'ResponseExceededMaxSizeError' | 'UndiciError'

let loaded: Undici | undefined

/** Returns undici, and loads it at the first call. By its file: Bun's own module under the bare name lacks what is used here. */
const loadUndici = async (): Promise<Undici> => {
  loaded ??= await import('undici/index.js')
  return loaded
}

/** Returns whether an error belongs to the named class of undici. Always false before undici is loaded. */
export const isUndiciError = (thrown: unknown, name: ErrorName): boolean => loaded !== undefined && thrown instanceof loaded.errors[name]

/** The pools of one engine. */
export interface Agents {
  readonly api: Dispatcher
  /** For vendors whose answers may be larger: each request bounds its own. */
  readonly large: Dispatcher
  readonly files: Dispatcher
  /** For addresses that an answer gave: where this process resolves names, it connects to public addresses only. */
  readonly publicFiles: Dispatcher
}

/** The error of a forward proxy that gave no connection: nothing has reached the vendor. */
export class ProxyError extends Error {
  override readonly name = 'ProxyError'
  readonly code = 'ERR_PROXY'
}

/** Never behind a proxy: a proxy's own machine has these names too, and stand-ins of vendors run on this one. */
const ownHosts = 'localhost,127.0.0.1,::1'

const describeProxyFailure = (thrown: unknown): string => {
  const code = thrown instanceof Error && 'code' in thrown ? ` (${String(thrown.code)})` : ''
  return `the proxy cannot be used${code}`
}

/** Makes the pool of connections to a proxy. Failures to get a tunnel say that they are the proxy's. */
function createProxyPool({ Pool }: Undici, url: URL, options: Pool.Options): Pool {
  const pool = new Pool(url, { ...options, headersTimeout: connectTimeout })
  const connect = pool.connect.bind(pool)
  const connectTunnel = async (wanted: Dispatcher.ConnectOptions): Promise<Dispatcher.ConnectData> => {
    const tunnel = await connect(wanted).catch((cause: unknown) => {
      throw new ProxyError(describeProxyFailure(cause), { cause })
    })
    if (tunnel.statusCode === 200) return tunnel
    tunnel.socket.on('error', () => undefined).destroy()
    throw new ProxyError(`the proxy refused the connection with status ${tunnel.statusCode}`)
  }
  return Object.assign(pool, { connect: connectTunnel })
}

/** Makes the pools of one engine. Requests go through the proxies in tunnels only, so that no credentials are in what a proxy reads. */
export async function createAgents({ http, https, none }: Proxies): Promise<Agents> {
  const undici = await loadUndici()
  const connect = { timeout: connectTimeout }
  const create = (options: { readonly connect: object; readonly maxResponseSize?: number }): Dispatcher => {
    if (http === '' && https === '') return new undici.Agent({ ...agentOptions, ...options })
    return new undici.EnvHttpProxyAgent({
      ...agentOptions,
      ...options,
      httpProxy: http,
      httpsProxy: https,
      noProxy: `${none},${ownHosts}`,
      proxyTunnel: true,
      clientFactory: (url, given) => createProxyPool(undici, url, given),
    })
  }
  return {
    api: create({ connect, maxResponseSize: maxAnswerBytes }),
    large: create({ connect, maxResponseSize: maxLargeAnswerBytes }),
    files: create({ connect }),
    publicFiles: create({ connect: { ...connect, lookup: publicLookup } }),
  }
}
