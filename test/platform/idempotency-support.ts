import { createEngine, type Engine } from '../../packages/ferrule/src/engine/call/execute.ts'
import type { Call, Outcome } from '../../packages/ferrule/src/engine/call/outcome.ts'
import type { Connection } from '../../packages/ferrule/src/engine/connection.ts'
import { FerruleError } from '../../packages/ferrule/src/errors.ts'
import { writeJson } from '../../packages/ferrule/src/values/json/json.ts'
import { answerBody } from '../../packages/server/src/calls/cut-records.ts'
import { executeOperation, type OperationServices } from '../../packages/server/src/calls/operations.ts'
import type { PlatformOptions } from '../../packages/server/src/main/platform.ts'
import type { Platform } from '../../packages/server/src/main/platform-types.ts'
import type { Principal } from '../../packages/server/src/values/access.ts'
import { type Reply, type Seen, serve, type TestServer } from '../engine/support.ts'
import { stall, writable } from './kinds.ts'
import { connectorBody, createWorld, type DatabaseName, firstPrincipal, type World } from './world.ts'

/** A service with a writable connector and its vendor. */
export interface Desk {
  readonly world: World
  readonly platform: Platform
  readonly principal: Principal
  readonly connectorId: string
  /** Receives the vendor requests. */
  readonly vendor: TestServer
  /** Answers of the vendor; a test may replace the function. */
  script: (seen: Seen, count: number) => Reply | Promise<Reply>
  readonly engine: Engine
  /** Opens another node over the same database; on SQLite another process beside the service. */
  node(options?: Partial<PlatformOptions>): Promise<Platform>
  close(): Promise<void>
}

/** Default answer of the vendor. */
const echo: Desk['script'] = ({ url, body }, count) => ({
  body: `{"post":{"id":90071992547409${930 + count},"text":${JSON.stringify(url + body)}}}`,
})

/** Opens a service over a database. */
export async function openDesk(database: DatabaseName, name: string, options: Partial<PlatformOptions> = {}): Promise<Desk> {
  const world = await createWorld(database, name)
  const vendor = await serve((seen, count) => desk.script(seen, count))
  const env = { FERRULE_ORIGINS: JSON.stringify({ notes: vendor.origin }) }
  const open = (more: Partial<PlatformOptions>) => world.open({ env, kinds: [writable, stall], ...more })
  const platform = await open(options)
  const principal = await firstPrincipal(platform)
  const { id } = await platform.connectors.create(principal, connectorBody())
  const engine = createEngine({ limits: false, random: () => 0 })
  const desk: Desk = {
    ...{ world, platform, principal, connectorId: id, vendor, engine, script: echo },
    node: (more = {}) => open({ role: database === 'sqlite' ? 'administration' : 'service', ...more }),
    close: async () => {
      await engine.close()
      await world.close()
      await vendor[Symbol.asyncDispose]()
    },
  }
  return desk
}

/** A call of a client. */
export interface Asking {
  readonly action?: string
  readonly params?: Readonly<Record<string, unknown>>
  readonly key?: string
  readonly requestId?: string
  readonly select?: readonly string[]
  readonly connectorId?: string
  readonly principal?: Principal
  readonly platform?: Platform
  readonly signal?: AbortSignal
  /** Replaces the engine. */
  readonly run?: (connection: Connection, call: Call) => Promise<Outcome>
}
/** Answer of a call as its client sees it. */
export interface Told {
  readonly status: number
  readonly text: string
  readonly replayed: boolean
  readonly code?: string
  readonly error?: FerruleError
}

/** Runs a call as the HTTP surface does. */
export async function ask(desk: Desk, asking: Asking = {}): Promise<Told> {
  const { action = 'create', params = { text: 'hello' }, key, requestId = 'request', select, run } = asking
  const { platform = desk.platform, principal = desk.principal, connectorId = desk.connectorId, signal } = asking
  const engine = run === undefined ? desk.engine : { run, check: async () => {}, scopes: async () => undefined }
  const services: OperationServices = { platform, engine }
  const request = { entity: 'posts', action, params, ...(select === undefined ? {} : { select_fields: select }) }
  const call = { connectorId, request, idempotencyKey: key, requestId, deadlineMs: 60_000, ...(signal === undefined ? {} : { signal }) }
  try {
    const outcome = await executeOperation(services, principal, call)
    if (outcome.type === 'file') throw new Error('a file')
    if (outcome.type === 'replayed') return { status: outcome.status, text: outcome.text, replayed: true }
    return { status: 200, text: writeJson(answerBody(outcome)), replayed: false }
  } catch (error) {
    if (!(error instanceof FerruleError)) throw error
    return { status: error.status, text: writeJson(error.toProblem(requestId)), replayed: false, code: error.code, error }
  }
}

/** Builds a gate that a call waits at, with a promise of its arrival. */
export function gate() {
  const { promise: arrived, resolve: arrive } = Promise.withResolvers<void>()
  const { promise: opened, resolve: open } = Promise.withResolvers<void>()
  const pass = () => {
    arrive()
    return opened
  }
  return { arrived, open, pass }
}

/** Builds the outcome of a write without a vendor. */
export const written = (data: unknown): Outcome => ({ type: 'record', data, meta: {} })
/** Milliseconds after which a call with a timeout of 60 seconds counts as dead. */
export const leaseMs = 180_000
export const dayMs = 86_400_000
