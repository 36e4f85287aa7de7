/** The whole service: settings, state, sandbox, engine and HTTP; and its orderly end. */
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { pathToFileURL } from 'node:url'
import type { FastifyInstance } from 'fastify'
import { BodyMemory, createEngine } from 'ferrule/engine'
import { fail } from 'ferrule/internal'
import { startTracing, stopTracing } from 'ferrule/opentelemetry'
import type { Logger } from 'pino'
import { type ServedKind, summarize } from '../connectors/connector-types.ts'
import { collect } from '../http/garbage-collection.ts'
import { createServer } from '../http/server.ts'
import { closeInTime, Stopping } from '../http/stopping.ts'
import type { FirstApplication } from '../tenancy/applications/first-start.ts'
import { ApartThreads } from './apart-threads.ts'
import { createContextServices, openContext } from './context-store.ts'
import { readServedKinds } from './kinds/served.ts'
import { StandIns } from './kinds/stand-ins.ts'
import { UploadReader } from './kinds/upload-reader.ts'
import { createLogger } from './logger.ts'
import { createMetrics } from './metrics.ts'
import { openPlatform } from './platform.ts'
import type { Platform } from './platform-types.ts'
import { SandboxProcess } from './sandbox-process.ts'
import { readSettings, type Settings } from './settings/settings.ts'

/**
 * Under this symbol all copies of the API share what an SDK has registered (opentelemetry-js, `api/src/internal/global-utils.ts`). The
 * number is the API's major version. Asking the API itself would load a second copy, beside the one of the package for metrics.
 */
const registered = Symbol.for('opentelemetry.js.api.1')

/**
 * Starts spans if an SDK has registered itself: `node --import` runs it before the service.
 * @param options `vendors`: true to pass traces on to vendors
 * @returns a function that stops them
 */
async function traceService(options: { readonly vendors: boolean }): Promise<() => void> {
  if (typeof Reflect.get(globalThis, registered) !== 'object') return () => undefined
  await startTracing(options)
  return stopTracing
}

/** A running service. */
export interface Service {
  /** Address that the service listens on, such as `http://127.0.0.1:8080`. */
  readonly url: string
  /** The first application. Its secret is present only when this start has created the application. */
  readonly first: FirstApplication
  readonly settings: Settings
  /**
   * Fails readiness for FERRULE_SHUTDOWN_DELAY, then accepts no more requests. Running requests get FERRULE_SHUTDOWN_SECONDS, and the
   * rest is answered with a problem. Then everything is closed.
   * @throws FerruleError `unavailable` when a database cannot be closed in time
   */
  close(): Promise<void>
  /** Ends the wait of FERRULE_SHUTDOWN_DELAY. @returns false without such a wait */
  skipDelay(): boolean
}

/** Time after the start at which garbage is collected, in milliseconds: first calls do not wait for it. */
const settledMs = 1_000

/** The sandbox's program: the sources in a checkout, else the compiled file. */
const sandboxProgram = pathToFileURL(createRequire(import.meta.url).resolve('@ferrule/sandbox/main'))

/** Steps that close what was opened, newest first. */
class Undo {
  readonly #steps: (() => Promise<void> | void)[] = []

  add(step: () => Promise<void> | void): void {
    this.#steps.push(step)
  }

  /** Runs every step, also after a failed one. @throws the first failure */
  async run(): Promise<void> {
    const failures: unknown[] = []
    for (let step = this.#steps.pop(); step !== undefined; step = this.#steps.pop()) {
      try {
        await step()
      } catch (thrown) {
        failures.push(thrown)
      }
    }
    if (failures.length > 0) throw failures[0]
  }
}

/** Errors of `listen` that a setting causes: its name, and the reason. */
const listenProblems: Readonly<Record<string, readonly [string, string]>> = {
  EADDRINUSE: ['FERRULE_PORT', 'another program listens on this port'],
  EACCES: ['FERRULE_PORT', 'the process is not permitted to use this port'],
  EADDRNOTAVAIL: ['FERRULE_HOST', 'this machine does not have this address'],
  ENOTFOUND: ['FERRULE_HOST', 'there is no such address'],
}

async function listen(app: FastifyInstance, { host, port }: Settings): Promise<string> {
  try {
    await app.listen({ host, port })
  } catch (thrown) {
    const code = thrown instanceof Error && 'code' in thrown ? String(thrown.code) : ''
    const known = listenProblems[code]
    throw known === undefined ? thrown : fail('setting_invalid', { name: known[0], reason: known[1] }, { cause: thrown })
  }
  return buildUrl(app.server.address(), host)
}

/** Builds a URL of the service. A service on all addresses is reached on the loopback address. */
function buildUrl(address: AddressInfo | string | null, host: string): string {
  const port = typeof address === 'object' && address !== null ? address.port : 0
  const name = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '[::1]' : host.includes(':') ? `[${host}]` : host
  return `http://${name}:${port}`
}

interface ServiceInput {
  readonly settings: Settings
  readonly kinds: readonly ServedKind[]
}

interface Assembled {
  readonly url: string
  readonly first: FirstApplication
  /** Closes the server when its calls have ended, or after FERRULE_SHUTDOWN_SECONDS. */
  drain(): Promise<void>
}

/** Opens both databases. A context database on a server is checked now, since a wrong one must stop the start. */
async function openState(
  { settings, kinds }: ServiceInput,
  undo: Undo,
  { logger, sandbox, apart }: { readonly logger: Logger; readonly sandbox: SandboxProcess | undefined; readonly apart: ApartThreads },
) {
  let opened: Platform | undefined
  const standIns = new StandIns()
  const uploads = new UploadReader()
  undo.add(() => uploads.close())
  const onUnread = (err: unknown): undefined => void logger.error({ err }, 'the sandbox cannot read the recordings of a kind')
  const store = openContext({ settings, kinds, logger, platform: () => opened })
  undo.add(() => store.close())
  const platform = await openPlatform({
    settings,
    kinds,
    contextStore: store,
    readUploads: uploads,
    memory: new BodyMemory({ bytes: settings.bodyMemory, onQuiet: () => collect({ type: 'major', flavor: 'last-resort' }) }),
    engine: (parts) =>
      createEngine({ ...parts, wall: Date.now, searchRefusal: 'context_store_unavailable', apart, proxies: settings.proxies }),
    sandboxOrigins: async (kind) => {
      const api = settings.sandbox ? await standIns.find(kind).catch(onUnread) : undefined
      if (api !== undefined) return { [kind.definition.kind]: { api, oauth: api } }
      await sandbox?.ready
      return sandbox?.origins()
    },
    onNotice: (notice) => logger.warn(notice, 'the vendor sent a notice with its answer'),
    onBackgroundError: (err) => logger.error({ err }, 'a background task failed'),
  })
  undo.add(() => standIns.close())
  undo.add(() => platform.close())
  opened = platform
  if (settings.context.engine === 'postgres') await store.checkDatabase()
  return { platform, store }
}

async function assemble({ settings, kinds }: ServiceInput, undo: Undo, stopping: Stopping): Promise<Assembled> {
  undo.add(await traceService({ vendors: settings.traceVendors })) // before everything that asks whether there are spans
  const logger = createLogger({ level: settings.logLevel })
  const sandbox = settings.sandbox ? new SandboxProcess({ program: sandboxProgram, logger }) : undefined
  undo.add(() => sandbox?.close())
  const apart = new ApartThreads({ maxBytes: settings.bodyMemory })
  undo.add(() => apart.close())
  const { platform, store } = await openState({ settings, kinds }, undo, { logger, sandbox, apart })
  const metrics = createMetrics()
  metrics.gauge({ name: 'ferrule_vendor_budgets', help: 'Budgets of vendors that this node uses now', read: () => platform.limiter.size })
  const { copies, worker, vendorEventWorker, eventWorker } = createContextServices({ store, platform, settings, metrics, logger })
  // Each waits some seconds for its work.
  undo.add(async () => void (await Promise.all([worker?.stop(), vendorEventWorker?.stop(), eventWorker?.stop()])))
  undo.add(() => copies.folds.close())
  undo.add(() => copies.lostRecords.close())
  const app = await createServer({ platform, cutter: apart, parquetEncoder: apart, copies, metrics, settings, kinds, logger, stopping })
  undo.add(() => app.close())
  const url = await listen(app, settings)
  sandbox?.start() // it would take half of two processors from the start; calls of its connectors wait for it
  // Garbage of loading the programs is a third of an idle service's memory, and V8 would keep it.
  setTimeout(() => collect({ type: 'major', flavor: 'last-resort' }), settledMs).unref()
  worker?.start()
  eventWorker?.start()
  vendorEventWorker?.start()
  return { url, first: platform.first, drain: () => stopping.drain(app, settings.shutdownSeconds) }
}

/**
 * Starts the service.
 * @param env the environment, for the settings
 * @throws FerruleError `setting_invalid`, `unavailable` (database not reachable); nothing is left running then
 */
export async function startService(env: Readonly<Record<string, string | undefined>> = process.env): Promise<Service> {
  const kinds = await readServedKinds(env, { keeps: true })
  const settings = readSettings(env, { kinds: kinds.map((each) => summarize(each).kind) })
  const undo = new Undo()
  const stopping = new Stopping()
  try {
    const { url, first, drain } = await assemble({ settings, kinds }, undo, stopping)
    const end = async () => {
      await stopping.leave(settings.shutdownDelay)
      await drain()
      await closeInTime(undo.run())
    }
    let closing: Promise<void> | undefined
    const close = () => {
      closing ??= end()
      return closing
    }
    return { url, first, settings, close, skipDelay: () => stopping.skipDelay() }
  } catch (thrown) {
    await undo.run().catch(() => undefined) // the first failure is thrown
    throw thrown
  }
}
