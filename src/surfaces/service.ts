/** The hosted service as a whole: settings, state, sandbox, engine, HTTP; and its orderly end. */
import type { AddressInfo } from 'node:net'
import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import { kinds } from '../connectors/index.ts'
import { createEngine } from '../engine/execute.ts'
import { BodyMemory } from '../engine/memory.ts'
import { fail } from '../errors.ts'
import { openPlatform } from '../platform/platform.ts'
import { readSettings } from '../platform/settings.ts'
import type { FirstApplication, Platform, Settings } from '../platform/types.ts'
import { createApartThreads } from './apart-threads.ts'
import { collect } from './collector.ts'
import { createContextServices, openContext } from './context.ts'
import { createServer } from './http/server.ts'
import { createLogger } from './logger.ts'
import { createMetrics } from './metrics.ts'
import { launchSandbox, type SandboxProcess } from './sandbox-process.ts'
import { closeInTime, Stopping } from './stopping.ts'

/** A running service. */
export interface Service {
  /** Address that it listens on, such as `http://127.0.0.1:8080`. */
  readonly url: string
  /** The first application; its secret only when this start has made it. */
  readonly first: FirstApplication
  readonly settings: Settings
  /**
   * Fails readiness for FERRULE_SHUTDOWN_DELAY, stops accepting, lets running requests finish within FERRULE_SHUTDOWN_SECONDS and
   * answers the rest with a problem, then closes everything.
   * @throws FerruleError `unavailable` when a database does not let itself be closed in time
   */
  close(): Promise<void>
  /** Ends the wait of FERRULE_SHUTDOWN_DELAY. @returns false when there is none */
  skipDelay(): boolean
}

const served = Object.values(kinds)

/** Sources run as they are and the published program is compiled: the sandbox's entry has the extension of this file. */
const sandboxProgram = new URL(`../sandbox/main${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url)

/** What to undo, newest first. */
class Undo {
  readonly #steps: (() => Promise<void> | void)[] = []

  add(step: () => Promise<void> | void): void {
    this.#steps.push(step)
  }

  /** Runs every step, also after one that fails. @throws the first failure */
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

/** Errors of `listen` that a setting mends. */
const listenProblems: Readonly<Record<string, readonly [string, string]>> = {
  EADDRINUSE: ['FERRULE_PORT', 'another program listens on this port'],
  EACCES: ['FERRULE_PORT', 'this port needs rights that the process lacks'],
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
  return urlOf(app.server.address(), host)
}

/** All addresses are reached at this machine's own. */
function urlOf(address: AddressInfo | string | null, host: string): string {
  const port = typeof address === 'object' && address !== null ? address.port : 0
  const name = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '[::1]' : host.includes(':') ? `[${host}]` : host
  return `http://${name}:${port}`
}

interface Assembled {
  readonly url: string
  readonly first: FirstApplication
  /** Ends the server when its calls have ended, or have had their time. */
  drain(): Promise<void>
}

/** Opens both databases. That of the copies is looked at now when it is a server: a wrong one must end the start. */
async function openState(
  settings: Settings,
  undo: Undo,
  { logger, sandbox }: { readonly logger: Logger; readonly sandbox: SandboxProcess | undefined },
) {
  let opened: Platform | undefined
  const store = openContext({ settings, kinds: served, logger, platform: () => opened })
  undo.add(() => store.close())
  const platform = await openPlatform({
    settings,
    kinds: served,
    contextStore: store,
    sandboxOrigins: () => sandbox?.origins(),
    onNotice: (notice) => logger.warn(notice, 'the vendor told something beside its answer'),
    onBackgroundError: (err) => logger.error({ err }, 'a background task failed'),
  })
  undo.add(() => platform.close())
  opened = platform
  if (settings.context.engine === 'postgres') await store.check()
  return { platform, store }
}

async function assemble(settings: Settings, undo: Undo, stopping: Stopping): Promise<Assembled> {
  const logger = createLogger({ level: settings.logLevel })
  const sandbox = settings.sandbox ? launchSandbox({ program: sandboxProgram, logger }) : undefined
  undo.add(() => sandbox?.close())
  const { platform, store } = await openState(settings, undo, { logger, sandbox })
  const memory = new BodyMemory({ bytes: settings.bodyMemory, onQuiet: () => collect({ type: 'major', flavor: 'last-resort' }) })
  const apart = createApartThreads({ most: settings.bodyMemory })
  undo.add(() => apart.close())
  const engine = createEngine({ clock: platform.clock, wall: Date.now, searchRefusal: 'context_store_unavailable', apart })
  undo.add(() => engine.close())
  const metrics = createMetrics()
  const { copies, worker } = createContextServices({ store, platform, engine, memory, settings, metrics, logger })
  undo.add(() => worker?.stop())
  undo.add(() => copies.folds.close())
  undo.add(() => copies.removing.close())
  const app = await createServer({ platform, engine, memory, cutter: apart, copies, metrics, settings, kinds: served, logger, stopping })
  undo.add(() => app.close())
  await sandbox?.ready
  const url = await listen(app, settings)
  // What loading the programs has left takes a third of an idle service's memory; V8 alone would keep it.
  collect({ type: 'major', flavor: 'last-resort' })
  worker?.start()
  return { url, first: platform.first, drain: () => stopping.drain(app, settings.shutdownSeconds) }
}

/**
 * Starts the service.
 * @param env the environment, for the settings
 * @throws FerruleError `setting_invalid`, `unavailable` (database not reachable); nothing is left running then
 */
export async function startService(env: Readonly<Record<string, string | undefined>> = process.env): Promise<Service> {
  const settings = readSettings(env, { kinds: Object.keys(kinds) })
  const undo = new Undo()
  const stopping = new Stopping()
  try {
    const { url, first, drain } = await assemble(settings, undo, stopping)
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
    await undo.run().catch(() => undefined) // what failed first is what is told
    throw thrown
  }
}
