/**
 * What the log of changes costs: CPU time of this process and of PostgreSQL for new, changed and removed records that somebody follows,
 * against records that nobody follows. And how fast changes are read, against the records themselves. Linux only: it reads `/proc`.
 */
import { randomUUID } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { Client } from 'pg'
import { type FeedPosition, FeedReader } from '../packages/server/src/copies/changes/reader.ts'
import type { EntityRef } from '../packages/server/src/copies/entity-ref.ts'
import { Searcher } from '../packages/server/src/copies/searcher.ts'
import type { StoredRecord } from '../packages/server/src/copies/store/row-encoder.ts'
import { ContextStore } from '../packages/server/src/copies/store/store.ts'
import { type Result, rate, time } from './result.ts'
import { alternate, median } from './rounds.ts'
import type { SearchEffort } from './search.ts'
import { withPostgres } from './store-databases.ts'
import { kind, recordsOf } from './store-records.ts'

/** Most records of a round, and those of a batch and of a page. */
const most = 200_000
const size = 1_000

/** A batch of records, and the same with other values. Made before the rounds: their CPU time does not count. */
interface Batch {
  readonly records: readonly StoredRecord[]
  readonly changed: readonly StoredRecord[]
  readonly keys: readonly string[]
}

function buildBatch(from: number): Batch {
  const records = recordsOf(from, size)
  const change = { title: `Changed ${from}`, duration: 1 }
  const changed = records.map(({ key, fields }) => ({ key, fields: { ...fields, ...change } }))
  return { records, changed, keys: records.map(({ key }) => key) }
}

const microsecondsOfTick = 10_000

/** Returns the CPU time of a process and of its ended children, in microseconds, with the process that started it. */
function readProcess(id: string): { readonly parent: string; readonly cpu: number } {
  try {
    const fields = readFileSync(`/proc/${id}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ')
    const ticks = [11, 12, 13, 14].reduce((sum, index) => sum + Number(fields[index]), 0)
    return { parent: fields[1] ?? '', cpu: ticks * microsecondsOfTick }
  } catch {
    return { parent: '', cpu: 0 } // it has ended
  }
}

/** Returns the CPU time of this process and of a PostgreSQL server, in microseconds. */
function readCpu(server: string): number {
  const { user, system } = process.cpuUsage()
  const found = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  const own = found.map(readProcess).filter(({ parent }) => parent === server)
  return user + system + readProcess(server).cpu + own.reduce((sum, { cpu }) => sum + cpu, 0)
}

async function findServer(url: string): Promise<string> {
  const client = new Client({ connectionString: url })
  await client.connect()
  const { rows } = await client.query("select split_part(pg_read_file('postmaster.pid'), E'\\n', 1) as id")
  await client.end()
  return String(rows[0].id)
}

/** CPU time of each action in microseconds per record, and of reading per entry; and entries read a second. */
interface Round {
  readonly new: number
  readonly changed: number
  readonly removed: number
  readonly reading: number
  readonly perSecond: number
}

interface Measured {
  readonly store: ContextStore
  readonly reader: FeedReader
  readonly server: string
  readonly batches: readonly Batch[]
}

/** Writes, changes and removes records of a new connector. Reads what was new: as changes where it is followed, else as records. */
async function measureRound({ store, reader, server, batches }: Measured, isFollowed: boolean): Promise<Round> {
  const ref = { connector: randomUUID(), kind: 'gong', entity: 'calls' }
  const count = batches.length * size
  const spend = async (act: (batch: Batch) => Promise<unknown>): Promise<number> => {
    const before = readCpu(server)
    for (const each of batches) await act(each)
    return (readCpu(server) - before) / count
  }
  const followed = isFollowed ? await reader.begin(ref) : undefined
  const added = await spend(({ records }) => store.writeBatch(ref, { records, asked: Date.now() }))
  const from = followed ?? { ...(await reader.begin(ref)), key: '' }
  const [cpu, began] = [readCpu(server), performance.now()]
  const entries = await readAll(reader, ref, from)
  const reading = (readCpu(server) - cpu) / count
  const perSecond = (count / (performance.now() - began)) * 1_000
  if (entries !== count) throw new Error(`${entries} of ${count} entries were read`)
  if (!isFollowed) await endLog(store)
  const changed = await spend((batch) => store.writeBatch(ref, { records: batch.changed, asked: Date.now() }))
  const removed = await spend(({ keys }) => store.writeBatch(ref, { records: [], removed: keys, asked: Date.now() }))
  await store.removeConnector(ref.connector)
  return { new: added, changed, removed, reading, perSecond }
}

/** Ends all logs. */
const endLog = async (store: ContextStore): Promise<void> =>
  void (await (await store.openDatabase()).transaction((session) => session.query({ text: 'update cs_entities set feed = null' })))

/** Reads from a position to the end. @returns the number of entries */
async function readAll(reader: FeedReader, ref: EntityRef, from: FeedPosition): Promise<number> {
  let entries = 0
  for (let next = from, hasMore = true; hasMore; ) {
    const part = await reader.read(ref, next, { limit: size })
    entries += part.data.filter(({ record }) => record !== undefined).length
    next = part.next
    hasMore = part.hasMore
  }
  return entries
}

/** Runs the benchmark over a PostgreSQL server that is started for it. `--records` bounds the records of a round. */
export async function* changes(effort: SearchEffort): AsyncGenerator<Result, void, undefined> {
  const batches = Array.from({ length: Math.ceil(Math.min(most, effort.records) / size) }, (_, index) => buildBatch(index * size))
  const records = batches.length * size
  const rounds = await withPostgres(1, async ({ settings }) => {
    if (settings.engine !== 'postgres') throw new Error('it needs a server')
    const store = new ContextStore({ settings, kinds: [kind] })
    await store.checkDatabase()
    const searcher = new Searcher(store, { cursorKey: () => Buffer.from('key'), clock: Date.now })
    const reader = new FeedReader({ store, searcher, timeoutMs: 60_000 })
    const measured = { store, reader, batches, server: await findServer(settings.url.reveal()) }
    const done = await alternate({ ours: true, baseline: false }, effort, (isFollowed) => measureRound(measured, isFollowed))
    await store.close()
    return done
  })
  const pick = (name: keyof Round) => ({
    ours: median(rounds.ours.map((round) => round[name])),
    baseline: median(rounds.baseline.map((round) => round[name])),
  })
  for (const name of ['new', 'changed', 'removed'] as const) {
    const figures = pick(name)
    const cost = figures.ours / figures.baseline
    yield time({ name: `changes-${name}`, unit: 'CPU µs/record', ...figures, cost, records })
  }
  const cpu = pick('reading')
  const beside = { ours_cpu_us: cpu.ours, baseline_cpu_us: cpu.baseline }
  yield rate({ name: 'changes-read', unit: 'entries/s', ...pick('perSecond'), ...beside, records })
}
