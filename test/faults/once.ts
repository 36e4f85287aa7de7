/** Inserts through a link that breaks at random, made again by their clients as the errors say; and what became of the rows. */
import { randomUUID } from 'node:crypto'
import type { Fault, Sandbox } from '../../packages/sandbox/src/index.ts'
import { Random } from '../../packages/sandbox/src/random.ts'

/** One write as a client sends it; `key` is an Idempotency-Key. */
export interface Sent {
  readonly statement: string
  readonly requestId?: string | undefined
  readonly retry?: true
  readonly key?: string
}

/** What a client is told. */
export interface Told {
  /** `ok`, or the code of the error. */
  readonly code: string
  /** Id of the write in the error. */
  readonly requestId?: string | undefined
  /** Time of Retry-After. */
  readonly waitMs: number
}

/** A way to write. */
export type Write = (sent: Sent) => Promise<Told>

/** How inserts are made. */
export interface OnceOptions {
  readonly seed: number
  readonly inserts: number
  /** Concurrent clients. */
  readonly lanes: number
  /** How often a client repeats a call at most that did not end well. */
  readonly repeats: number
  /** Whether there are Idempotency-Keys. */
  readonly hasKeys: boolean
  /** Longest delay of the link, in milliseconds. */
  readonly longestDelay: number
  /** A client waits. */
  readonly wait: (milliseconds: number) => Promise<void>
}

/** What inserts came to. */
export interface OnceReport {
  readonly inserts: number
  readonly rows: number
  /** Numbers of rows that are there more than once. */
  readonly twice: readonly number[]
  /** Inserts whose client was told that they were made, and whose row is not there. */
  readonly lost: readonly number[]
  /** Inserts whose row is not there. */
  readonly missing: number
  /** Missing inserts whose client was told neither that nobody knows, nor that they were not made, nor that they still run. */
  readonly unreported: readonly string[]
  /** Missing inserts, by what their client was told. */
  readonly told: ReadonlyMap<string, number>
  /** Inserts whose client was told that they were not made, and whose row is there. */
  readonly wrong: readonly string[]
  readonly calls: number
  readonly faults: ReadonlyMap<string, number>
  /** How calls ended. */
  readonly outcomes: ReadonlyMap<string, number>
}

type Body = Fault extends infer F ? (F extends Fault ? Omit<F, 'on' | 'times'> : never) : never

/** What says that a write was not made: the vendor ended it or did not take it, or it was never sent. */
const notMade: ReadonlySet<string> = new Set(['statement_timeout', 'upstream_rate_limited', 'upstream_timeout', 'upstream_unreachable'])
const open: ReadonlySet<string> = new Set(['outcome_unknown', 'code 333334'])

/** Until what was sent last is over: the time limit of a statement, and the way there. Milliseconds. */
const lastMs = 3_000

const add = (counts: Map<string, number>, name: string, count = 1): void => void counts.set(name, (counts.get(name) ?? 0) + count)

/** A fault of the link: it cuts, delays, answers 5xx or never, before the statement ran or after. */
function drawFault(random: Random, longestDelay: number): Body {
  const moment = random.pick(['before', 'after'] as const)
  return random.pick<() => Body>([
    () => ({ kind: 'reset', moment }),
    () => ({ kind: 'reset', moment }),
    () => ({ kind: 'cut', after: random.int(0, 300) }),
    () => ({ kind: 'status', status: random.pick([500, 502, 503, 504]), moment }),
    () => ({ kind: 'status', status: random.pick([500, 502, 503, 504]), moment }),
    () => ({ kind: 'status', status: 429, moment: 'before' }),
    () => ({ kind: random.pick(['html-502', 'html-503'] as const), moment }),
    () => ({ kind: 'delay', ms: random.int(0, longestDelay), moment }),
    () => ({ kind: 'delay', ms: random.int(0, longestDelay), moment }),
    () => ({ kind: random.pick(['truncated-json', 'truncated-gzip', 'malformed-json', 'empty-body', 'wrong-shape'] as const) }),
    ...(random.chance(0.3) ? [() => ({ kind: 'never-answer', moment }) as const] : []),
  ])()
}

/** Holds a statement: some resume after the hold, the time limit ends the others. */
function drawHold({ snowflake }: Sandbox, random: Random, contains: string): void {
  const moment = random.pick(['before', 'uncommitted'] as const)
  const hold = snowflake.hold({ contains, moment, times: 1, answer: random.pick(['accepted', 'nothing'] as const) })
  if (random.chance(0.5)) void hold.caught().then(() => hold.release())
}

interface Run {
  readonly sandbox: Sandbox
  readonly write: Write
  readonly options: OnceOptions
  readonly outcomes: Map<string, number>
  readonly faults: Map<string, number>
  /** What the client of each insert was told last. */
  readonly told: Map<number, Told>
}

async function call({ sandbox, write, options, outcomes, faults }: Run, random: Random, sent: Sent): Promise<Told> {
  for (let count = random.pick(sent.retry ? [0, 0, 0, 1] : [0, 0, 1, 1, 2]); count > 0; count--) {
    const fault: Fault = { ...drawFault(random, options.longestDelay), on: 'snowflake' }
    sandbox.faults.add(fault)
    add(faults, `${fault.kind}${'moment' in fault && fault.moment ? ` ${fault.moment}` : ''}`)
  }
  const told = await write(sent)
  add(outcomes, told.code)
  return told
}

/** One insert, repeated as the errors say. */
async function insert(run: Run, random: Random, number: number): Promise<void> {
  const { options, sandbox } = run
  const values = `VALUES (${number}, 'once')`
  if (random.chance(0.2)) drawHold(sandbox, random, values)
  const statement = `INSERT INTO SCRATCH.COUNTERS (N, NOTE) ${values}`
  const names: readonly Partial<Sent>[] = [{}, { requestId: randomUUID() }, options.hasKeys ? { key: randomUUID() } : {}]
  const name = names[number % names.length] ?? {}
  let told = await call(run, random, { statement, ...name })
  let requestId = told.requestId ?? name.requestId
  for (let count = 0; count < options.repeats && told.code !== 'ok'; count++) {
    await options.wait(told.waitMs)
    told = await call(run, random, requestId === undefined ? { statement, ...name } : { statement, requestId, retry: true })
    requestId = told.requestId ?? requestId
  }
  run.told.set(number, told)
}

async function reportOf({ sandbox, options, outcomes, faults, told }: Run): Promise<OnceReport> {
  for (const { kind, times = 1, ...fault } of sandbox.faults.pending())
    add(faults, `${kind}${'moment' in fault && fault.moment ? ` ${fault.moment}` : ''}`, -times)
  sandbox.faults.clear()
  const rows = await sandbox.snowflake.query('SELECT N, COUNT(*) FROM SCRATCH.COUNTERS GROUP BY N ORDER BY N')
  const found = new Map(rows.map(([number, count]) => [Number(number), Number(count)]))
  const missing = [...told].filter(([number]) => !found.has(number))
  const toldMissing = new Map<string, number>()
  for (const [, { code }] of missing) add(toldMissing, code)
  return {
    inserts: options.inserts,
    rows: found.values().reduce((sum, count) => sum + count, 0),
    twice: [...found].flatMap(([number, count]) => (count > 1 ? [number] : [])),
    lost: missing.flatMap(([number, { code }]) => (code === 'ok' ? [number] : [])),
    missing: missing.length,
    unreported: missing.flatMap(([number, { code }]) => (open.has(code) || notMade.has(code) ? [] : [`${number}: ${code}`])),
    told: toldMissing,
    wrong: [...told].flatMap(([number, { code }]) => (found.has(number) && notMade.has(code) ? [`${number}: ${code}`] : [])),
    calls: outcomes.values().reduce((sum, count) => sum + count, 0),
    faults: new Map([...faults].filter(([, count]) => count > 0).toSorted()),
    outcomes: new Map([...outcomes].toSorted()),
  }
}

/** Makes the inserts into an empty table. */
export async function insertOnce(sandbox: Sandbox, write: Write, options: OnceOptions): Promise<OnceReport> {
  const run: Run = { sandbox, write, options, outcomes: new Map(), faults: new Map(), told: new Map() }
  const numbers = Array.from({ length: options.inserts }, (_, index) => index).values()
  const lane = async (_: unknown, index: number) => {
    const random = new Random(options.seed, 'once', index)
    for (const number of numbers) await insert(run, random, number)
  }
  await Promise.all(Array.from({ length: options.lanes }, lane))
  await options.wait(lastMs)
  return reportOf(run)
}

/** The report as plain lines. */
export function linesOf({ faults, outcomes, ...report }: OnceReport): string[] {
  const table = (counts: ReadonlyMap<string, number>) => [...counts].map(([name, count]) => `${count} ${name}`).join(', ')
  const { inserts, rows, twice, missing, unreported, lost, wrong, calls, told } = report
  return [
    `${inserts} inserts, ${calls} calls: ${rows} rows, ${twice.length} twice, ${missing} missing (told as: ${table(told) || 'none'})`,
    `told wrongly: ${lost.length} as made, ${wrong.length} as not made, ${unreported.length} of the missing as something else`,
    `calls: ${table(outcomes)}`,
    `faults: ${table(faults)}`,
  ]
}
