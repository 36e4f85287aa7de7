/** Random operations under random faults, several at a time, against the service as a process; what came of it, in figures. */
import { setTimeout as wait } from 'node:timers/promises'
import type { Fault, FaultControl } from '../../packages/sandbox/src/index.ts'
import { Random } from '../../packages/sandbox/src/random.ts'
import { ask, LeftError } from './client.ts'
import type { Call } from './doors.ts'
import { drawFault, drawLeaving, drawRange } from './draw.ts'
import { warehouseCredentials, warehouseOptions } from './installation.ts'
import { type Asking, type Ending, type Judgement, judge } from './judge.ts'
import { askUnhurried, type Endpoint, type Operation, prepareOperations, type Shared, type WriteOperation } from './operations.ts'
import { type Measured, openStage, type Stage } from './stage.ts'
import { Writes } from './writes.ts'

/** How a storm is run. */
export interface StormOptions {
  readonly seed: number
  /** Faults that the service must meet, after a warm-up that is not counted. */
  readonly faults: number
  readonly warmUp: number
  /** Concurrent operations. */
  readonly lanes: number
  /** Whether faults may last for half a minute. */
  readonly isPatient: boolean
}

/** What a storm came to. */
export interface StormReport {
  readonly operations: number
  /** Faults that were met, by kind and origin. */
  readonly faults: ReadonlyMap<string, number>
  readonly outcomes: ReadonlyMap<string, number>
  /** Outcomes that must not be; empty when all is well. */
  readonly violations: readonly string[]
  readonly before: Measured
  readonly after: Measured
}

const operationSeconds = 2
/** Two seconds for the call, half a minute of silence within a file, and time for a busy machine. */
const hangMs = { quick: 100_000, patient: 150_000 } as const
const settleMs = { quick: 100_000, patient: 150_000 } as const
/** Faults that wait for a request at most; more would only meet operations long after their own. */
const mostWaiting = 40
const oauthEndpoint: Endpoint = { on: 'oauth', path: '/oauth2/generate-customer-token' }

const add = (counts: Map<string, number>, name: string, count = 1): void => void counts.set(name, (counts.get(name) ?? 0) + count)
const nameOf = ({ kind, on = 'api' }: Fault): string => `${kind} (${on})`

/** Faults that were set, less those that wait: those that were met. */
class Ledger {
  readonly #control: FaultControl
  readonly #added = new Map<string, number>()

  constructor(control: FaultControl) {
    this.#control = control
  }

  set(fault: Fault): void {
    if (this.#control.pending().length >= mostWaiting) this.sweep()
    this.#control.add(fault)
    add(this.#added, nameOf(fault), fault.times)
  }

  /** Takes back what waits. */
  sweep(): void {
    for (const fault of this.#control.pending()) add(this.#added, nameOf(fault), -(fault.times ?? 1))
    this.#control.clear()
  }

  get met(): number {
    const waiting = this.#control.pending().reduce((sum, { times = 1 }) => sum + times, 0)
    return this.#added.values().reduce((sum, count) => sum + count, 0) - waiting
  }

  counts(): ReadonlyMap<string, number> {
    this.sweep()
    return new Map([...this.#added].filter(([, count]) => count > 0).toSorted())
  }
}

interface Storm {
  readonly stage: Stage
  readonly options: StormOptions
  readonly operations: readonly Operation[]
  /** OAuth credentials that nobody has used. */
  readonly grants: Readonly<Record<string, string>>[]
  readonly ledger: Ledger
  readonly writes: Writes
  readonly outcomes: Map<string, number>
  readonly violations: string[]
}

const secretsOf = (credentials: Readonly<Record<string, string>>): string[] =>
  ['refresh_token', 'access_token', 'client_secret', 'access_key_secret', 'programmatic_access_token'].flatMap(
    (name) => credentials[name] ?? [],
  )

/** Where and how a call is made. */
interface Calling {
  readonly connectorId: string
  readonly random: Random
  readonly call: Call
}

async function attempt(storm: Storm, asking: Asking, { connectorId, random, call }: Calling): Promise<Ending> {
  const { range } = asking
  const leaving = drawLeaving(random, range?.bytes?.length)
  const hung = AbortSignal.timeout(storm.options.isPatient ? hangMs.patient : hangMs.quick)
  const left = new AbortController()
  const timer = leaving.milliseconds === undefined ? undefined : setTimeout(() => left.abort(), leaving.milliseconds)
  const params = { ...call.params, ...(range?.header === undefined ? {} : { range_header: range.header }) }
  try {
    const answer = await ask({
      ...storm.stage.client.execute(connectorId),
      body: { ...call, params },
      signal: AbortSignal.any([hung, left.signal]),
      ...(leaving.bytes === undefined ? {} : { leaveAfter: leaving.bytes }),
    })
    return { how: 'answered', answer }
  } catch (error) {
    if (hung.aborted) return { how: 'hung' }
    return left.signal.aborted || error instanceof LeftError ? { how: 'left' } : { how: 'broken', error }
  } finally {
    clearTimeout(timer)
  }
}

function settle({ outcomes, violations }: Storm, { outcome, violation }: Judgement): void {
  add(outcomes, outcome)
  if (violation !== undefined) violations.push(violation)
}

/** A write; its client repeats it once, as the answer says, when it is told that nobody knows what became of it. */
async function write(storm: Storm, asking: Asking & { readonly operation: WriteOperation }, at: Omit<Calling, 'call'>): Promise<void> {
  const number = storm.writes.begin()
  let call = asking.operation.callOf(number)
  for (let repeats = 1; ; repeats--) {
    const ending = await attempt(storm, asking, { ...at, call })
    const judgement = judge(asking, ending)
    settle(storm, judgement)
    storm.writes.end(number, judgement.outcome)
    if (ending.how !== 'answered' || judgement.outcome !== 'outcome_unknown' || repeats === 0) return
    const { upstream, retry_after_seconds: seconds = 0 } = ending.answer.json
    await wait(seconds * 1000)
    call = { ...call, params: { ...call.params, requestId: upstream.request_id, retry: true } }
  }
}

/** One operation with its faults: on the connector that all share, or by several calls at once on a new one that must renew its token. */
async function strike(storm: Storm, random: Random): Promise<void> {
  const { ledger, stage, operations, options } = storm
  const operation = random.pick(operations)
  const { shared } = operation
  const credentials = shared.kind === 'gong' && random.chance(0.25) ? storm.grants.pop() : undefined
  const endpoints = credentials === undefined ? operation.endpoints : [...operation.endpoints, oauthEndpoint]
  const connectorId =
    credentials === undefined ? shared.connectorId : await stage.client.connect(`oauth ${storm.grants.length} ${options.seed}`, credentials)
  for (let count = random.pick([0, 1, 1, 1, 2]); count > 0; count--) ledger.set(drawFault(random, endpoints, options.isPatient))
  const calls = Array.from({ length: credentials === undefined ? 1 : random.int(1, 3) }, async () => {
    const range = 'file' in operation ? drawRange(random, operation.file) : undefined
    const asking = { operation, range, secrets: secretsOf(credentials ?? shared.credentials) }
    if ('callOf' in operation) return write(storm, { ...asking, operation }, { connectorId, random })
    settle(storm, judge(asking, await attempt(storm, asking, { connectorId, random, call: operation.call })))
  })
  await Promise.all(calls)
}

async function rage(storm: Storm, faults: number): Promise<void> {
  const { options, ledger } = storm
  const lane = async (_: unknown, index: number) => {
    const random = new Random(options.seed, 'lane', index, faults)
    while (ledger.met < faults) await strike(storm, random)
  }
  await Promise.all(Array.from({ length: options.lanes }, lane))
}

/** Each operation once more, without faults. */
async function violationsAfter({ stage, operations }: Storm): Promise<string[]> {
  const violations: string[] = []
  for (const operation of operations) {
    const asking: Asking = { operation, range: undefined, secrets: [] }
    const answer = await askUnhurried(() => ask({ ...stage.client.execute(operation.shared.connectorId), body: operation.call }))
    const { outcome, violation } = judge(asking, { how: 'answered', answer })
    const isRight =
      outcome.startsWith('right') ||
      outcome === 'written' ||
      ('right' in operation && 'code' in operation.right && operation.right.code === outcome)
    if (!isRight || violation !== undefined) violations.push(`afterwards, ${operation.name}: ${outcome} ${violation ?? ''}`)
  }
  return violations
}

const accessKey = { access_key: 'sandbox', access_key_secret: 'sandbox-secret' } as const
const accessToken = { access_token: 'sandbox-token' } as const

/** The connectors that all calls share. */
async function connectAll({ client, sandbox }: Stage): Promise<readonly Shared[]> {
  const advertising = {
    connector_type: 'tiktok-marketing',
    replication_config: { advertiser_id: sandbox.tiktok.world.secondAdvertiserId },
  }
  return [
    { kind: 'gong', connectorId: await client.connect('storm', accessKey), credentials: accessKey },
    { kind: 'tiktok-marketing', connectorId: await client.connect('storm of ads', accessToken, advertising), credentials: accessToken },
    {
      kind: 'snowflake',
      connectorId: await client.connect('storm of statements', warehouseCredentials, warehouseOptions),
      credentials: warehouseCredentials,
    },
  ]
}

async function prepare(stage: Stage, options: StormOptions): Promise<Storm> {
  const operations = await prepareOperations(stage.sandbox, stage.client, await connectAll(stage))
  const grants: Storm['grants'] = []
  for (let count = 10 + Math.ceil(options.faults / 3); count > 0; count--) grants.push(await stage.grant())
  const { faults } = stage.sandbox
  return { stage, options, operations, grants, ledger: new Ledger(faults), writes: new Writes(), outcomes: new Map(), violations: [] }
}

/** Runs a storm: a warm-up, a measurement, the storm, and a measurement when everything has come to rest. */
export async function runStorm(options: StormOptions): Promise<StormReport> {
  await using stage = await openStage(operationSeconds)
  const warm = await prepare(stage, { ...options, seed: options.seed + 1 })
  await rage(warm, options.warmUp)
  warm.ledger.sweep()
  const limitMs = options.isPatient ? settleMs.patient : settleMs.quick
  const before = await stage.settled({ sockets: false, limitMs })
  const storm: Storm = { ...warm, options, ledger: new Ledger(stage.sandbox.faults), outcomes: new Map() }
  await rage(storm, options.faults)
  const faults = storm.ledger.counts()
  const afterwards = await violationsAfter(storm)
  const after = await stage.settled({ sockets: true, limitMs })
  const violations = [...storm.violations, ...afterwards, ...(await storm.writes.violations(stage.sandbox))]
  const operations = storm.outcomes.values().reduce((sum, count) => sum + count, 0)
  return { operations, faults, outcomes: new Map([...storm.outcomes].toSorted()), violations, before, after }
}

const megabytes = (bytes: number): string => (bytes / 1024 / 1024).toFixed(1)
const table = (counts: ReadonlyMap<string, number>): string[] =>
  [...counts].map(([name, count]) => `  ${String(count).padStart(5)}  ${name}`)

/** The report as plain lines. */
export function linesOf({ operations, faults, outcomes, violations, before, after }: StormReport): string[] {
  const total = [...faults.values()].reduce((sum, count) => sum + count, 0)
  return [
    `faults met: ${total}`,
    ...table(faults),
    `calls: ${operations}`,
    ...table(outcomes),
    `violations: ${violations.length}`,
    ...violations.slice(0, 20).map((violation) => `  ${violation}`),
    `memory after a collection, MiB: ${megabytes(before.memory)} before, ${megabytes(after.memory)} after`,
    `memory of the process, MiB: ${megabytes(before.rss)} before, ${megabytes(after.rss)} after`,
    `sockets: ${after.vendorSockets} to vendors, ${after.clientSockets} others`,
    `timers that keep the process alive: ${after.timers}`,
    `in flight: ${after.executesInFlight} calls, ${after.vendorRequestsInFlight} vendor requests`,
  ]
}
