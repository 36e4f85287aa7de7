/** Pools of connections. undici is loaded at the first request: importing the library costs neither its time nor its memory. */
import type { Agent } from 'undici/index.js'
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
  readonly api: Agent
  /** For vendors whose answers may be larger: each request bounds its own. */
  readonly large: Agent
  readonly files: Agent
  /** For addresses that an answer gave: it connects to public ones only. */
  readonly publicFiles: Agent
}

/** Makes the pools of one engine. */
export async function createAgents(): Promise<Agents> {
  const { Agent } = await loadUndici()
  const connect = { timeout: connectTimeout }
  return {
    api: new Agent({ ...agentOptions, maxResponseSize: maxAnswerBytes, connect }),
    large: new Agent({ ...agentOptions, maxResponseSize: maxLargeAnswerBytes, connect }),
    files: new Agent({ ...agentOptions, connect }),
    publicFiles: new Agent({ ...agentOptions, connect: { ...connect, lookup: publicLookup } }),
  }
}
