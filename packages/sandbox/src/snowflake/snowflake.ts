import { createInside, createSwitchControl, notCounting, type StandInOptions, type VendorSandbox } from '../control.ts'
import { openStandIn } from '../exchange.ts'
import { isObject, json, type ReceivedRequest, type Reply } from '../http.ts'
import { refusalOf } from './answers.ts'
import type { SnowflakeState } from './api.ts'
import { createEngineHouse } from './engine.ts'
import { createHolds, type Hold, type HoldOptions, isHoldFailure, isHoldOptions } from './holds.ts'
import { createSnowflakeOauth } from './oauth.ts'
import { warehouses } from './sessions.ts'
import { createExecutedLog, createGate, createStatementStore, type ExecutedStatement } from './statements.ts'
import { choices, factory, type SnowflakeSwitches } from './switches.ts'
import { createAuthenticator, snowflakeCredentials } from './tokens.ts'
import { databases, rowCounts } from './world.ts'

/** What is worth knowing about the account. */
export type SnowflakeWorldFacts = Readonly<typeof facts>

const facts = {
  account: snowflakeCredentials.account,
  database: snowflakeCredentials.database,
  warehouse: snowflakeCredentials.warehouse,
  role: snowflakeCredentials.role,
  /** Schema with empty tables to write in. */
  scratchSchema: 'SCRATCH',
  warehouses,
  schemas: databases,
  /** Rows at the start, by the full name of a table. */
  rowCounts,
  views: ['SANDBOX.PUBLIC.ORDER_TOTALS', 'SANDBOX.SALES."Large Orders"'],
}

/** What can be asked of, and done to, the stand-in of Snowflake. It needs the package @duckdb/node-api as soon as a statement runs. */
export interface SnowflakeSandbox extends VendorSandbox<SnowflakeSwitches, SnowflakeWorldFacts> {
  /** The newest 10,000 statements that really ran, oldest first: parts of a chain and of several statements one by one. */
  executed(): readonly ExecutedStatement[]
  /** Makes statements stand still until the release, so that nothing has to be waited for. */
  hold(options?: HoldOptions): Hold
  /**
   * Registers a public key of SANDBOX_USER, a SubjectPublicKeyInfo in PEM; the newest two count.
   * @returns its fingerprint, as it belongs into `iss`
   * @throws Error when it is no public RSA key
   */
  registerPublicKey(pem: string): string
  /** Opens the engine and builds the rows, which the first statement does otherwise. @throws Error when the engine is not installed */
  open(): Promise<void>
  /** Counts rows beside the API: no credentials, no holds, no record. A table without database and schema is one of SANDBOX.PUBLIC. */
  rowCount(table: string, where?: string): Promise<number>
  /** Runs one statement beside the API, in SANDBOX.PUBLIC. @returns cells as the engine writes them @throws Error when it cannot be run */
  query(statement: string): Promise<readonly (readonly (string | null)[])[]>
}

/** How many statements run at a time. */
const slots = 64

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

/** Runs a statement beside the API. What translates statements is loaded with the first, so that the sandbox starts as fast without. */
async function direct({ house }: SnowflakeState, statement: string): Promise<readonly (readonly (string | null)[])[]> {
  const { queryDirectly } = await import('./run.ts')
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

function createSnowflakeInside(options: SnowflakeOptions) {
  const { clock, seed, faults, publicKeys } = options
  const switches = createSwitchControl({ factory, choices, wrongNumber: notCounting })
  const oauth = createSnowflakeOauth({ clock, secret: `snowflake sandbox ${seed}`, switches: () => switches.current() })
  const state: SnowflakeState = {
    house: createEngineHouse(seed),
    holds: createHolds(),
    executed: createExecutedLog(),
    store: createStatementStore(clock),
    slots: createGate(slots),
    writes: createGate(1),
    switches: () => switches.current(),
    clock,
    faults,
    authenticator: createAuthenticator(clock, publicKeys, oauth.check),
    oauth,
  }
  const reset = () => {
    state.authenticator.reset()
    state.oauth.reset()
    state.holds.release()
    state.house.reset(state.store.reset())
    state.executed.clear()
  }
  return { state, ...createInside({ clock, faults, switches, world: () => facts, reset, further: furtherRoutes(state) }) }
}

/** How the stand-in is started; `publicKeys` are those of SANDBOX_USER in PEM. */
interface SnowflakeOptions extends Omit<StandInOptions, 'limits'> {
  readonly publicKeys: readonly string[]
}

/**
 * Opens the server of the vendor. The engine is not opened before a statement needs it.
 * @throws the listen error of Node; Error for a public key that cannot be read
 */
export async function startSnowflake(options: SnowflakeOptions) {
  const { host, port, faults } = options
  const { state, journal, control, visible } = createSnowflakeInside(options)
  const answer = async (request: ReceivedRequest) => (await import('./api.ts')).answerTo(state, request)
  const server = await openStandIn({ name: 'snowflake', faults, journal, answer, refuse: refusalOf, control }, { host, port })
  const sandbox: SnowflakeSandbox = {
    ...visible,
    world: facts,
    executed: () => state.executed.list(),
    clear() {
      journal.clear()
      state.executed.clear()
    },
    hold: (wanted) => state.holds.add(wanted),
    registerPublicKey: (pem) => state.authenticator.register(pem),
    open: async () => void (await state.house.open()),
    query: (statement) => direct(state, statement),
    async rowCount(table, where) {
      const [row] = await direct(state, `SELECT COUNT(*) FROM ${table}${where === undefined ? '' : ` WHERE ${where}`}`)
      return Number(row?.[0])
    },
  }
  const close = async () => {
    state.holds.release()
    await Promise.all([server.close(), state.store.reset()])
    state.house.close()
  }
  return { origins: { api: server.origin }, sandbox, close }
}
