/**
 * The entry `ferrule/stand-in`: plays the vendor of a kind from its recordings, over HTTP.
 *
 * ```ts
 * const standIn = await startStandIn(kind.definition, await loadRecordings('./acme.recordings.json'))
 * const acme = connect(kind, { credentials: { api_key: 'any' }, origin: standIn.origin })
 * ```
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { ConnectorDefinition, CredentialScheme } from '../definition/connector.ts'
import { RecentTimes } from '../engine/limits/windows.ts'
import { loadLineReaders } from '../kind-recordings/lines.ts'
import type { RecordedAnswer, Recordings } from '../kind-recordings/recording.ts'
import { writeJson } from '../values/json/json.ts'
import { answerAccounts, answerConsent } from './consent.ts'
import { readRequest, type SentRequest } from './requests.ts'
import { Tokens } from './tokens.ts'
import { RecordedVendor } from './vendor.ts'

export {
  checkUploadedRecordings,
  findRecordingsPath,
  loadRecordings,
  parseRecordings,
  type Recordings,
  testKind,
} from '../kind-recordings/index.ts'

// An import would load the fetch of Node too.
const { createServer } = process.getBuiltinModule('node:http')

/** A vendor that is played. */
export interface StandIn {
  /** Where it listens, as `http://host:port`. */
  readonly origin: string
  /** Stops listening, and ends all connections. */
  close(): Promise<void>
}

/** How a vendor is played. */
export interface StandInOptions {
  /** Address to listen on; 127.0.0.1 by default. */
  readonly host?: string
  /** Port; a free one by default. */
  readonly port?: number
  /** True: calls above the rates of the kind are refused. */
  readonly limits?: boolean
}

/** Largest body of a request, in bytes. */
const maxBody = 1024 * 1024
/** Header, or word within any value of a request, that asks for a refusal with a status. */
const demandHeader = 'x-sandbox-status'
const demandWord = /sandbox-status-([45]\d\d)/
/** Headers that belong to the transfer of the recorded answer. */
const ownHeaders = new Set(['content-length', 'content-encoding', 'transfer-encoding', 'connection', 'keep-alive'])

/** Returns the status of the refusal that a request asks for. */
function findDemand({ url, headers, json, form }: SentRequest): number | undefined {
  const given = headers[demandHeader]
  const within = demandWord.exec(`${url.pathname} ${url.search} ${JSON.stringify(form)}`)?.[1]
  const inBody = json === undefined ? undefined : demandWord.exec(writeJson(json))?.[1]
  const status = Number(given ?? within ?? inBody)
  return status >= 400 && status <= 599 ? status : undefined
}

/** Returns whether a request carries credentials of a scheme: any value, in any place that the scheme sends them. */
function hasCredentials({ send }: CredentialScheme, { headers, url }: SentRequest): boolean {
  if ('as' in send) return headers['authorization'] !== undefined
  const { headers: named = {}, query = {} } = send
  const places = [...Object.keys(named), ...Object.keys(query)]
  return (
    places.length === 0 ||
    Object.keys(named).some((name) => headers[name.toLowerCase()]) ||
    Object.keys(query).some((name) => url.searchParams.get(name))
  )
}

async function readText(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of request) {
    length += chunk.length
    if (length > maxBody) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}

function send(response: ServerResponse, { status, headers, body, text }: RecordedAnswer): void {
  for (const [name, value] of Object.entries(headers))
    if (!ownHeaders.has(name)) response.setHeader(name, typeof value === 'string' ? value : [...value])
  response.statusCode = status
  response.end(text ?? (body === undefined ? undefined : writeJson(body)))
}

/** Joins what a request passes before the vendor sees it. */
function createAnswerer(
  definition: ConnectorDefinition,
  recordings: Recordings,
  limits: boolean,
): (request: SentRequest) => RecordedAnswer {
  const vendor = new RecordedVendor(definition, recordings)
  const tokens = new Tokens(definition)
  const { rates = [] } = definition.limits
  const times = new RecentTimes()
  return (request) => {
    const demanded = findDemand(request)
    if (demanded !== undefined) return vendor.failures.build(demanded, 'The sandbox fails as it was asked to.')
    const agreed = answerConsent(definition, request, { tokens, recorded: recordings.configuration }) ?? tokens.answer(request)
    if (agreed !== undefined) return agreed
    if (!Object.values(definition.credentials).some((scheme) => hasCredentials(scheme, request)))
      return vendor.failures.build(401, 'The request has no credentials.')
    const now = performance.now()
    const wait = limits ? times.earliest(rates, now) - now : 0
    if (wait <= 0) {
      times.add(rates, now)
      return answerAccounts(definition, request, recordings.configuration) ?? vendor.answer(request)
    }
    const refused = vendor.failures.build(429, 'Too many requests.')
    return { ...refused, headers: { ...refused.headers, 'retry-after': String(Math.ceil(wait / 1000)) } }
  }
}

/**
 * Plays the vendor of a kind. Credentials are public: any value counts.
 * @throws the listen error of Node, for example EADDRINUSE
 */
export async function startStandIn(
  definition: ConnectorDefinition,
  recordings: Recordings,
  { host = '127.0.0.1', port = 0, limits = false }: StandInOptions = {},
): Promise<StandIn> {
  await loadLineReaders(definition)
  const answer = createAnswerer(definition, recordings, limits)
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const text = await readText(request)
    if (text === undefined) return void response.writeHead(413, { connection: 'close' }).end()
    const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, [value].flat().join(', ')]))
    const url = new URL(request.url ?? '/', 'http://sandbox.invalid')
    send(response, answer(readRequest({ method: request.method ?? 'GET', url, headers, body: text })))
  }
  const server = createServer((request, response) => {
    handle(request, response).catch(() => response.destroy()) // the client has gone, or its address cannot be read
  })
  const opened = Promise.withResolvers<void>()
  server.once('error', opened.reject).listen(port, host, opened.resolve)
  await opened.promise
  const address = server.address() as AddressInfo // a server on a port has such an address
  return {
    origin: `http://${host.includes(':') ? `[${host}]` : host}:${address.port}`,
    close: async () => {
      const closed = Promise.withResolvers<void>()
      server.close(() => closed.resolve())
      server.closeAllConnections()
      await closed.promise
    },
  }
}
