/** Searches that count as slow, and the indexes created for them. */

import type { EntityRef } from '../../packages/server/src/copies/entity-ref.ts'
import type { ContextDatabase, Row, Statement } from '../../packages/server/src/copies/store/database/database.ts'
import type { ContextStore } from '../../packages/server/src/copies/store/store.ts'
import type { ContextStoreOptions } from '../../packages/server/src/copies/store/types.ts'
import { createSearcher } from '../support/searcher.ts'
import { createRef, note, type StoreWorld } from './store-world.ts'

export const minute = 60_000
export const day = 24 * 60 * minute

/** Every search counts as slow, and a connector of a hundred records as large. */
export const eager = { slowMs: Number.NEGATIVE_INFINITY, leastRecords: 100 } as const

/** Records of a filled connector. */
export const records = 3_000

/** Opens a store whose searches all count as slow. */
export const openEager = (world: StoreWorld, rules: ContextStoreOptions['indexRules'] = {}, more: Partial<ContextStoreOptions> = {}) =>
  world.open({ indexRules: { ...eager, ...rules }, ...more })

/** Fills a connector with notes: six of each state, and a fifth without a price. */
export async function fillRecords(store: ContextStore, count = records): Promise<EntityRef> {
  const ref = createRef()
  const fields = (id: number) => ({
    id,
    title: `Note ${id % 40}`,
    made: new Date(Date.UTC(2025, 0, 1 + (id % 300))).toISOString(),
    price: id % 5 === 0 ? null : `${id % 90}.50`,
    state: `state-${id % 500}`,
  })
  await store.writeBatch(ref, { records: Array.from({ length: count }, (_, id) => note(store, fields(id))), asked: 1 })
  await (await store.openDatabase()).withConnection((run) => run({ text: 'analyze' }))
  return ref
}

const key = Buffer.from('a key of tests')

/** Reads the ids of all pages of a search. */
export async function found(store: ContextStore, ref: EntityRef, params: { readonly query: object; readonly limit?: number }) {
  const searcher = createSearcher(store)
  const ids: number[][] = []
  let cursor: string | null = null
  do {
    const asked = { ...params, fields: ['id'], ...(cursor === null ? {} : { cursor }) }
    const page = await searcher.search({ ref, params: asked, key, now: 0 })
    if (page === undefined) throw new Error('nothing was ever stored')
    ids.push(JSON.parse(page.json).map(({ id }: { id: number }) => id))
    cursor = page.cursor
  } while (cursor !== null)
  return ids
}

/** A search and its repetitions: three make an index wanted. */
interface Often {
  readonly query: object
  readonly times?: number
}

/** Searches until an index is wanted, and waits until it is created or refused. */
export async function searchOften(store: ContextStore, ref: EntityRef, { query, times = 3 }: Often): Promise<void> {
  for (let time = 0; time < times; time += 1) await found(store, ref, { query, limit: 10_000 })
  await store.indexes.tick()
}

/** Returns the EXPLAIN lines of a search; observes nothing. */
export async function planOf(store: ContextStore, ref: EntityRef, params: object): Promise<string> {
  let plan = ''
  const searcher = createSearcher({
    getTable: (...of) => store.getTable(...of),
    hasRows: (of) => store.hasRows(of),
    search: (where, work, options) =>
      store.search(
        where,
        (session, number) => {
          const query = async <R>({ text, values = [] }: Statement) => {
            const { rows } = await session.query<Row>({ text: `explain ${text}`, values })
            plan = rows.map((row) => row['QUERY PLAN']).join('\n')
            return session.query<R>({ text, values })
          }
          return work({ query }, number)
        },
        options,
      ),
    indexes: { readyColumns: (where) => store.indexes.readyColumns(where), observe: () => undefined },
  })
  await searcher.search({ ref, params, key, now: 0 })
  return plan
}

/** Lists the indexes of a connector's notes, as `field state`. */
export async function indexed(store: ContextStore, ref: EntityRef): Promise<string[]> {
  const records = (await store.indexes.listByEntity(ref.connector)).get(ref.entity) ?? []
  return records.map(({ field, state, error }) => `${field} ${state}${error === null ? '' : ` ${error}`}`)
}

/** Lists the automatic indexes in the database. */
export async function inDatabase(database: ContextDatabase): Promise<string[]> {
  const { rows } = await database.query({ text: `select relname::text as name from pg_class where relname ~ '^cs_on_demand' order by 1` })
  return rows.map(({ name }) => String(name))
}
