/** A whole service for a test file: real sockets, embedded database in a temporary folder, sandbox in this process. */
import { mkdtemp, rm } from 'node:fs/promises'
import { request as httpRequest, type IncomingHttpHeaders, type IncomingMessage } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { kinds as kindTable } from '../../packages/ferrule/src/connectors/index.ts'
import { createEngine, type Engine } from '../../packages/ferrule/src/engine/call/execute.ts'
import { type Sandbox, type SandboxOptions, shopifyCredentials, startSandbox } from '../../packages/sandbox/src/index.ts'
import type { ServedKind } from '../../packages/server/src/connectors/connector-types.ts'
import { hasRecordings } from '../../packages/server/src/connectors/kinds.ts'
import type { ContextStoreSettings } from '../../packages/server/src/copies/store/database/settings.ts'
import { ContextStore } from '../../packages/server/src/copies/store/store.ts'
import type { SyncWorker } from '../../packages/server/src/copies/sync/worker.ts'
import type { EventWorker } from '../../packages/server/src/events/event-worker.ts'
import type { VendorEventWorker } from '../../packages/server/src/events/vendors/vendor-event-worker.ts'
import type { DocumentHttp } from '../../packages/server/src/http/oauth/documents.ts'
import { createServer, type ServerOptions } from '../../packages/server/src/http/server.ts'
import { Stopping } from '../../packages/server/src/http/stopping.ts'
import { ApartThreads } from '../../packages/server/src/main/apart-threads.ts'
import { type ContextServices, createContextServices } from '../../packages/server/src/main/context-store.ts'
import { readDocument, readUpload } from '../../packages/server/src/main/kinds/read-upload.ts'
import { StandIns } from '../../packages/server/src/main/kinds/stand-ins.ts'
import { createLogger } from '../../packages/server/src/main/logger.ts'
import { createMetrics } from '../../packages/server/src/main/metrics.ts'
import { openPlatform, type PlatformOptions } from '../../packages/server/src/main/platform.ts'
import type { Platform } from '../../packages/server/src/main/platform-types.ts'
import { readSettings, type Settings } from '../../packages/server/src/main/settings/settings.ts'
import { documented } from './contract.ts'

export const client = { id: 'test-client', secret: 'a-secret-for-tests' } as const
export const base = '/api/v1'
export const connectorsPath = `${base}/integrations/connectors`
export const tokenPath = `${base}/account/applications/token`

/** One answer, read to its end. */
export interface Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly bytes: Buffer
  readonly text: string
  /** The JSON body; throws when it is missing. */
  readonly json: Json
}
/** A body as a test reads it: a wrong path shows in its assertion. */
export type Json = ReturnType<typeof JSON.parse>

/** What is sent. A path is sent as it stands: nothing folds dots or decodes escapes. */
export interface Sent {
  readonly method?: string
  readonly token?: string | undefined
  /** Objects are sent as JSON, texts as they are. */
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

export interface World {
  readonly url: string
  readonly port: number
  readonly sandbox: Sandbox
  readonly platform: Platform
  readonly settings: Settings
  /** Lines of the log, as text. */
  readonly log: string[]
  /** Of the machine. `steady` is the same unless a test sets it, in a world that was started with `steps`. */
  readonly clock: { now: number; steady?: number }
  /** Token of the first application. */
  readonly token: string
  readonly organizationId: string
  ask(path: string, sent?: Sent): Promise<Answer>
  /** The answer's head; the body is left to the test. */
  open(path: string, sent?: Sent): Promise<IncomingMessage>
  /** A connector of the sandbox. */
  connect(name: string, more?: Readonly<Record<string, unknown>>, token?: string): Promise<string>
  execute(connectorId: string, body: unknown, token?: string): Promise<Answer>
  /** Only in a world that was started with `context`. */
  readonly context: OpenedContext
  close(): Promise<void>
}

/** The context store of a world. Nothing is synced but by `sync`, or after `worker.start`. */
export interface OpenedContext {
  readonly store: ContextStore
  readonly worker: SyncWorker
  /** Works on what vendors have sent. */
  readonly vendorEvents: VendorEventWorker
  /** Numbers and sends events. */
  readonly events: EventWorker
  /** Does all work that is due. */
  sync(): Promise<void>
}

export interface WorldOptions {
  /** Where copies are kept; left out: searches are refused. */
  readonly context?: ContextStoreSettings
  readonly settings?: Partial<Settings>
  readonly sandbox?: SandboxOptions
  /** Of the database; it outlives the world. Left out: a new one that does not. */
  readonly folder?: string
  /** Kinds beside those of the engine. Those with recordings have a stand-in. */
  readonly kinds?: readonly ServedKind[]
  readonly engine?: (engine: Engine) => Partial<Engine>
  /** Fetches metadata documents of OAuth clients. */
  readonly documents?: DocumentHttp
  readonly stopping?: Stopping
  /** Event streams. */
  readonly streams?: ServerOptions['streams']
  /** Built files of the pages. */
  readonly webFolder?: string
  /** The machine's clock steps: stored times are those of the platform. */
  readonly steps?: boolean
}

const ownKinds = Object.values(kindTable)
/** Threads for large bodies, one pool for all worlds of the process: a thread loads a thousand sources, 0.7 s of CPU. They end with the process. */
const apart = new ApartThreads({ idleMs: 3_600_000 })

function settingsOf(folder: string, more: Partial<Settings> | undefined): Settings {
  const env = {
    FERRULE_DATA: folder,
    FERRULE_PORT: '0',
    FERRULE_OPERATOR_CLIENT_ID: client.id,
    FERRULE_OPERATOR_CLIENT_SECRET: client.secret,
    FERRULE_RATE_LIMIT: '0',
  }
  return { ...readSettings(env, { kinds: Object.keys(kindTable) }), ...more }
}

/** Starts a world; close it in `afterAll`. */
export async function startWorld(options: WorldOptions = {}): Promise<World> {
  const folder = options.folder ?? (await mkdtemp(join(tmpdir(), 'ferrule-http-')))
  const settings = settingsOf(folder, options.settings)
  const sandbox = await startSandbox({ limits: false, ...options.sandbox })
  const clock: World['clock'] = { now: Date.now() }
  const log: string[] = []
  const service = await assemble(options, { settings, sandbox, clock, log })
  const { platform, context } = service
  const url = await service.app.listen({ host: '127.0.0.1', port: 0 })
  const port = Number(new URL(url).port)
  // A process that only syncs answers 404 to most of the documented routes.
  const check: typeof documented = settings.role === 'worker' ? (_path, _sent, answer) => answer : documented
  const ask = async (path: string, sent: Sent = {}) => check(path, sent, await readAnswer(await open(port, path, sent)))
  const issued = await ask(tokenPath, { body: { client_id: client.id, client_secret: client.secret } })
  const token = String(issued.json.access_token) // a process that only syncs issues none
  return {
    ...{ url, port, sandbox, platform, settings, log, clock, token, organizationId: platform.first.organizationId, ask, context },
    open: (path, sent = {}) => open(port, path, sent),
    connect: async (name, more = {}, as = token) => {
      // Where nothing is synced it is not tried, so that a test counts its own requests only.
      const body = { ...sandboxConnector(name), check: options.context !== undefined, ...more }
      const { text, json } = await ask(connectorsPath, { token: as, body })
      if (json.id === undefined) throw new Error(text)
      return String(json.id)
    },
    execute: (id, body, as = token) => ask(`${connectorsPath}/${id}/execute`, { token: as, body }),
    close: async () => {
      await service.close()
      await sandbox.close()
      if (options.folder === undefined) await rm(folder, { recursive: true, force: true })
    },
  }
}

type Ground = Pick<World, 'settings' | 'sandbox' | 'clock' | 'log'>

/** The service of a world, not listening yet. */
async function assemble(options: WorldOptions, { settings, sandbox, clock, log }: Ground) {
  const logger = createLogger({ level: 'debug', destination: { write: (line) => void log.push(line) } })
  const onNotice: Required<PlatformOptions>['onNotice'] = (notice) => logger.warn(notice, 'a notice')
  const kinds = [...ownKinds, ...(options.kinds ?? [])]
  const store = options.context === undefined ? undefined : storeOf(options.context, kinds, { clock, settings })
  const steady = () => clock.steady ?? clock.now
  const engine = () => {
    const usual = createEngine({ limits: false, searchRefusal: 'context_store_unavailable', apart })
    return { ...usual, ...options.engine?.(usual), close: usual.close }
  }
  const standIns = new StandIns()
  const sandboxOrigins: PlatformOptions['sandboxOrigins'] = (kind) =>
    !hasRecordings(kind) ? sandbox.origins : standIns.find(kind).then((api = '') => ({ [kind.definition.kind]: { api } }))
  const platform = await openPlatform({
    ...{
      engine,
      settings,
      kinds,
      sandboxOrigins,
      readUploads: { kind: readUpload, document: readDocument },
      clock: () => clock.now,
      onNotice,
    },
    ...(store === undefined ? {} : { contextStore: store }),
    ...(options.steps ? { steady } : {}),
  })
  const stopping = options.stopping ?? new Stopping()
  const time = options.steps ? { steady } : { steady, clock: () => clock.now }
  const parts = { platform, cutter: apart, parquetEncoder: apart, settings, metrics: createMetrics(), logger, ...time }
  const services = store === undefined ? undefined : createContextServices({ ...parts, store })
  const app = await createServer({
    ...{ ...parts, kinds, stopping },
    ...(services === undefined ? {} : { copies: services.copies }),
    ...(options.streams === undefined ? {} : { streams: options.streams }),
    ...(options.webFolder === undefined ? {} : { webFolder: options.webFolder }),
    ...(options.documents === undefined ? {} : { documents: options.documents }),
  })
  const close = async (): Promise<void> => {
    app.server.closeAllConnections()
    await app.close()
    await services?.copies.folds.close()
    await services?.copies.lostRecords.close()
    await services?.vendorEventWorker?.stop()
    await services?.eventWorker?.stop()
    await services?.worker?.stop()
    await platform.close()
    await standIns.close()
    await store?.close()
  }
  return { platform, app, close, context: openedContext(store, services) }
}

const storeOf = (
  context: ContextStoreSettings,
  kinds: readonly ServedKind[],
  { clock, settings }: Pick<Ground, 'clock' | 'settings'>,
): ContextStore =>
  new ContextStore({
    settings: context,
    kinds: kinds.map(({ definition }) => definition),
    clock: () => clock.now,
    log: { ofOrganization: settings.changesEntities },
  })

/** Fails in a world without a store as soon as it is used. */
function openedContext(store: ContextStore | undefined, services: ContextServices | undefined): OpenedContext {
  const { worker, vendorEventWorker, eventWorker } = services ?? {}
  const missing = () => new Error('this world keeps no copies: start it with `context`')
  return {
    get store() {
      if (store === undefined) throw missing()
      return store
    },
    get worker() {
      if (worker === undefined) throw missing()
      return worker
    },
    get vendorEvents() {
      if (vendorEventWorker === undefined) throw missing()
      return vendorEventWorker
    },
    get events() {
      if (eventWorker === undefined) throw missing()
      return eventWorker
    },
    sync: async () => {
      await worker?.tick()
      await worker?.idle()
    },
  }
}

/** Body of a connector that talks to the sandbox. */
export const sandboxConnector = (name: string) => ({
  workspace_name: 'default',
  connector_type: 'gong',
  name,
  credentials: { access_key: 'sandbox', access_key_secret: 'sandbox-secret' },
  environment: { sandbox: true },
})

/** Body of a connector that talks to the sandbox's store. */
export const sandboxStore = (name: string) => ({
  ...sandboxConnector(name),
  connector_type: 'shopify',
  credentials: { api_key: shopifyCredentials.token },
  replication_config: { shop: shopifyCredentials.shop },
})

function open(port: number, path: string, { method, token, body, headers = {} }: Sent): Promise<IncomingMessage> {
  const text = body === undefined || typeof body === 'string' ? body : JSON.stringify(body)
  const sent = {
    ...(text === undefined ? {} : { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(text)) }),
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    ...headers,
  }
  return new Promise((resolve, reject) => {
    const request = httpRequest({
      host: '127.0.0.1',
      port,
      path,
      method: method ?? (text === undefined ? 'GET' : 'POST'),
      headers: sent,
      agent: false,
    })
    request.once('response', resolve)
    request.once('error', reject)
    request.end(text)
  })
}

async function readAnswer(message: IncomingMessage): Promise<Answer> {
  const bytes = Buffer.concat(await Array.fromAsync(message))
  const text = bytes.toString('utf8')
  return {
    ...{ status: message.statusCode ?? 0, headers: message.headers, bytes, text },
    get json() {
      return JSON.parse(text)
    },
  }
}

type TenantIds = 'organizationId' | 'applicationId' | 'workspaceId' | 'connectorId' | 'jobId' | 'mcpTokenId' | 'linkId'

/** A second tenant: an organization of its own with an application, a token, a workspace, a connector and a connect link. */
export interface Tenant extends Readonly<Record<TenantIds, string>> {
  readonly token: string
  readonly client: { readonly client_id: string; readonly client_secret: string }
  /** The run that the connector began with. */
  readonly syncId: string
}

/** @param more of its connectors' bodies */
export async function createTenant({ platform, ask, connect }: World, name: string, more: object = {}): Promise<Tenant> {
  const first = await platform.organizations.create(await callerOf(platform), { name })
  const application = await platform.applications.create({ name, organizationId: first.id })
  const body = { client_id: application.clientId, client_secret: application.clientSecret.reveal() }
  const token = String((await ask(tokenPath, { body })).json.access_token)
  const { json: reaching } = await ask(`${base}/account/applications`, { token })
  const applicationId = String(reaching.data.find((each: Json) => each.client_id === application.clientId).id)
  const workspace = await ask(`${base}/workspaces`, { token, body: { name: `${name} workspace` } })
  const doomed = await connect(`${name} doomed`, { ...more }, token)
  const removal = await ask(`${connectorsPath}/${doomed}`, { method: 'DELETE', token })
  const connectorId = await connect(`${name} connector`, { ...more }, token)
  const read = async (path: string, body?: object) => (await ask(path, { token, ...(body === undefined ? {} : { body }) })).json
  const made = await read(`${base}/account/mcp-tokens`, { name: `${name} token` })
  const link = await read(`${base}/connect/links`, { end_user: { id: `${name} user` } })
  const syncs = await read(`${connectorsPath}/${connectorId}/syncs`)
  return {
    ...{
      token,
      client: body,
      organizationId: first.id,
      applicationId,
      workspaceId: String(workspace.json.id),
      jobId: String(removal.json.job_id),
    },
    ...{ connectorId, syncId: String(syncs.data[0].id), mcpTokenId: String(made.id), linkId: String(link.id) },
  }
}

/** The first application as a caller; making an organization grants that application too. */
async function callerOf({ tokens, first }: Platform) {
  const { access_token } = await tokens.issueApplicationToken({
    clientId: client.id,
    clientSecret: client.secret,
    organizationId: first.organizationId,
  })
  return tokens.authenticateCaller(access_token)
}
