import { createControl } from '../control.ts'
import type { Journal } from '../exchange.ts'
import { createJournal, openStandIn } from '../exchange.ts'
import type { FaultSupply } from '../faults.ts'
import type { ReceivedRequest, Reply } from '../http.ts'
import { isObject, json } from '../http.ts'
import type { SwitchControl } from '../switches.ts'
import { refusalOf } from './answers.ts'
import type { SnowflakeState } from './api.ts'
import { createEngineHouse } from './engine.ts'
import type { ExecutedStatement } from './executed.ts'
import { createExecutedLog } from './executed.ts'
import type { SnowflakeWorldFacts } from './facts.ts'
import { factsOf } from './facts.ts'
import type { Hold, HoldOptions } from './holds.ts'
import { createHolds, isHoldFailure, isHoldOptions } from './holds.ts'
import { createGate } from './queue.ts'
import { createStatementStore } from './statements.ts'
import type { SnowflakeSwitches } from './switches.ts'
import { createSnowflakeSwitches } from './switches.ts'
import { createAuthenticator } from './tokens.ts'

/** How a stand-in of the vendor is started; every part is set. */
export interface SnowflakeOptions {
  readonly host: string
  readonly port: number
  readonly clock: () => number
  readonly seed: number
  readonly faults: FaultSupply
  /** Public keys of SANDBOX_USER in PEM. */
  readonly publicKeys: readonly string[]
}

/** A running stand-in of the vendor. */
export interface RunningSnowflake {
  readonly origins: { readonly api: string }
  readonly facts: SnowflakeWorldFacts
  readonly journal: Journal
  readonly switches: SwitchControl<SnowflakeSwitches>
  executed(): readonly ExecutedStatement[]
  hold(options?: HoldOptions): Hold
  /** @throws Error when it is no public RSA key */
  registerPublicKey(pem: string): string
  /** Opens the engine. @throws Error when its package is not installed */
  open(): Promise<void>
  /** @throws Error when it cannot be run */
  query(statement: string): Promise<readonly (readonly (string | null)[])[]>
  /** Forgets the recorded requests and the log of what ran. */
  clear(): void
  reset(): void
  close(): Promise<void>
}

/** How many statements run at a time. */
const places = 64

interface Inside {
  readonly state: SnowflakeState
  readonly switches: SwitchControl<SnowflakeSwitches>
}

function createInside({ clock, seed, faults, publicKeys }: SnowflakeOptions): Inside {
  const switches = createSnowflakeSwitches()
  const state: SnowflakeState = {
    house: createEngineHouse(seed),
    holds: createHolds(),
    executed: createExecutedLog(),
    store: createStatementStore(clock),
    slots: createGate(places),
    writes: createGate(1),
    switches: () => switches.current(),
    clock,
    faults,
    authenticator: createAuthenticator(clock, publicKeys),
  }
  return { state, switches }
}

function addHold({ holds }: SnowflakeState, body: unknown): Reply {
  const options = body ?? {}
  if (!isHoldOptions(options)) return json(400, { error: 'A hold has contains, moment (before, uncommitted, committed), times, answer' })
  const { id } = holds.add(options)
  return json(201, { id, holds: holds.list() })
}

function release({ holds }: SnowflakeState, body: unknown): Reply {
  const { id, failure } = isObject(body) ? body : {}
  const known = (id === undefined || typeof id === 'number') && (failure === undefined || isHoldFailure(failure))
  if (!known) return json(400, { error: 'A release has id, or none for all, and failure with code and message' })
  return holds.release(id, failure) ? json(200, { holds: holds.list() }) : json(404, { error: 'There is no such hold' })
}

function register({ authenticator }: SnowflakeState, body: unknown): Reply {
  const pem = isObject(body) ? body['publicKey'] : undefined
  try {
    return json(201, { fingerprint: authenticator.register(String(pem)) })
  } catch {
    return json(400, { error: 'publicKey must be a public RSA key in PEM' })
  }
}

/** What translates statements is loaded with the first of them, so that the sandbox starts as fast without. */
async function direct({ house }: SnowflakeState, statement: string): Promise<readonly (readonly (string | null)[])[]> {
  const { queryDirectly } = await import('./helpers.ts')
  return queryDirectly(house, statement)
}

async function query(state: SnowflakeState, body: unknown): Promise<Reply> {
  const statement = isObject(body) ? body['statement'] : undefined
  try {
    return json(200, { rows: await direct(state, String(statement)) })
  } catch (error) {
    return json(400, { error: error instanceof Error ? error.message : String(error) })
  }
}

function furtherRoutes(state: SnowflakeState) {
  const cleared = (): Reply => {
    state.executed.clear()
    return { status: 204, headers: {}, body: '' }
  }
  return [
    { method: 'GET', path: '/_sandbox/executed', handle: () => json(200, { executed: state.executed.list() }) },
    { method: 'DELETE', path: '/_sandbox/executed', handle: cleared },
    { method: 'GET', path: '/_sandbox/holds', handle: () => json(200, { holds: state.holds.list() }) },
    { method: 'POST', path: '/_sandbox/holds', handle: (body: unknown) => addHold(state, body) },
    { method: 'POST', path: '/_sandbox/releases', handle: (body: unknown) => release(state, body) },
    { method: 'POST', path: '/_sandbox/public-keys', handle: (body: unknown) => register(state, body) },
    { method: 'POST', path: '/_sandbox/query', handle: (body: unknown) => query(state, body) },
  ]
}

/**
 * Opens the server of the vendor. The engine is not opened before a statement needs it.
 *
 * @param options - see SnowflakeOptions
 * @throws the listen error of Node; Error for a public key that is none
 */
export async function startSnowflake(options: SnowflakeOptions): Promise<RunningSnowflake> {
  const { state, switches } = createInside(options)
  const { clock, faults } = options
  const journal = createJournal(clock)
  const facts = factsOf()
  const clear = () => {
    journal.clear()
    state.executed.clear()
  }
  const reset = () => {
    faults.clear()
    switches.reset()
    state.authenticator.reset()
    state.holds.release()
    state.house.reset(state.store.reset())
    clear()
  }
  const control = createControl({ faults, switches, journal, world: () => facts, reset, further: furtherRoutes(state) })
  const answer = async (request: ReceivedRequest) => (await import('./api.ts')).answerTo(state, request)
  const server = await openStandIn(
    { name: 'snowflake', faults, journal, answer, refuse: refusalOf, control },
    { host: options.host, port: options.port },
  )
  return {
    origins: { api: server.origin },
    facts,
    journal,
    switches,
    executed: () => state.executed.list(),
    hold: (wanted) => state.holds.add(wanted),
    registerPublicKey: (pem) => state.authenticator.register(pem),
    open: async () => void (await state.house.open()),
    query: (statement) => direct(state, statement),
    clear,
    reset,
    async close() {
      state.holds.release()
      await Promise.all([server.close(), state.store.reset()])
      state.house.close()
    },
  }
}
