/** Fills copies, and compares what their searcher does with the same by hand: SQL on the same tables and in the same sessions. */
import type { EntityRef } from '../packages/server/src/copies/entity-ref.ts'
import { buildPrimaryKey } from '../packages/server/src/copies/search/keys.ts'
import type { Row } from '../packages/server/src/copies/store/database/database.ts'
import type { ContextStore } from '../packages/server/src/copies/store/store.ts'
import { type Result, time } from './result.ts'
import { alternate, type Effort, median, type Sides } from './rounds.ts'
import type { SearchSizes } from './search-service.ts'

/** Effort of such a benchmark. */
export type HandEffort = Effort & Pick<SearchSizes, 'records'>

const batch = 1_000

/** Writes so many records into a copy. */
export async function fillCopy(
  store: ContextStore,
  ref: EntityRef,
  records: number,
  make: (index: number) => Readonly<Record<string, unknown>>,
): Promise<void> {
  const { key } = store.getTable(ref.kind, ref.entity)
  for (let from = 0; from < records; from += batch) {
    const made = Array.from({ length: Math.min(batch, records - from) }, (_, offset) => {
      const fields = make(from + offset)
      return { key: buildPrimaryKey(key, fields) ?? '', fields }
    })
    await store.writeBatch(ref, { records: made, asked: Date.now() })
  }
}

/** Gives the planner its statistics, once all copies are filled. */
export async function analyze(store: ContextStore): Promise<void> {
  const database = await store.openDatabase()
  await database.withConnection((run) => run({ text: 'vacuum (analyze)' }), { timeoutMs: 600_000 })
}

/** A request, and what says the same by hand. */
export interface HandCase {
  readonly name: string
  /** Returns the JSON of the answer: an array of rows. */
  readonly ours: () => Promise<string | undefined>
  /** Its first value is the number of the connector. */
  readonly sql: string
}

/** Says what rows are, as far as both sides must agree: their number, and the only value of a single one. */
const describeRows = (rows: readonly unknown[]): string => {
  const [first] = rows
  const values = typeof first === 'object' && first !== null ? Object.values(first) : []
  return rows.length === 1 && values.length === 1 ? `the value ${String(values[0])}` : `${rows.length} rows`
}

/** Measures cases in turns. @throws Error when the sides do not find the same */
export async function compareByHand(
  store: ContextStore,
  { ref, cases, prefix, effort }: { ref: EntityRef; cases: readonly HandCase[]; prefix: string; effort: HandEffort },
): Promise<readonly Result[]> {
  const results: Result[] = []
  for (const { name, ours, sql } of cases) {
    const found: Record<string, string> = {}
    const sides: Sides<() => Promise<void>> = {
      ours: async () => {
        const rows: unknown = JSON.parse((await ours()) ?? '[]')
        found['ours'] = describeRows(Array.isArray(rows) ? rows : [])
      },
      baseline: async () => {
        const answer = await store.search(ref, (session, number) => session.query<Row>({ text: sql, values: [number] }))
        found['baseline'] = describeRows(answer?.rows ?? [])
      },
    }
    const times = await alternate(sides, { rounds: effort.rounds * 2 }, async (run) => {
      const begin = performance.now()
      await run()
      return performance.now() - begin
    })
    if (found['ours'] !== found['baseline']) throw new Error(`${prefix}-${name}: ${found['ours']}, by hand ${found['baseline']}`)
    const figures = { ours: median(times.ours), baseline: median(times.baseline) }
    results.push(time({ name: `${prefix}-${name}`, unit: 'ms', ...figures, records: effort.records }))
  }
  return results
}
