/** Searches that count as slow, and the indexes that come of them. */
import { createSearcher } from '../../src/context/search.ts'
import type { ContextDatabase } from '../../src/context/store/database.ts'
import type { ContextStore, ContextStoreOptions, EntityPlace } from '../../src/context/store/types.ts'
import { newPlace, note, type StoreWorld } from './store-world.ts'

export const minute = 60_000
export const day = 24 * 60 * minute

/** Every search counts as slow, and connectors of a hundred records as large. */
export const eager = { slowMs: Number.NEGATIVE_INFINITY, leastRecords: 100 } as const

/** Records of a filled connector. */
export const records = 3_000

/** Opens a store whose searches are all slow. */
export const openEager = (world: StoreWorld, rules: ContextStoreOptions['indexRules'] = {}, more: Partial<ContextStoreOptions> = {}) =>
  world.open({ indexRules: { ...eager, ...rules }, ...more })

/** A connector with notes: six of each state, and a fifth without a price. */
export async function filledPlace(store: ContextStore, count = records): Promise<EntityPlace> {
  const place = newPlace()
  const fields = (id: number) => ({
    id,
    title: `Note ${id % 40}`,
    made: new Date(Date.UTC(2025, 0, 1 + (id % 300))).toISOString(),
    price: id % 5 === 0 ? null : `${id % 90}.50`,
    state: `state-${id % 500}`,
  })
  await store.write(place, { records: Array.from({ length: count }, (_, id) => note(store, fields(id))), asked: 1 })
  await (await store.database()).pinned((run) => run({ text: 'analyze' }))
  return place
}

const key = Buffer.from('a key of tests')

/** The ids of all pages of a search. */
export async function found(store: ContextStore, place: EntityPlace, params: { readonly query: object; readonly limit?: number }) {
  const searcher = createSearcher(store)
  const ids: number[][] = []
  let cursor: string | null = null
  do {
    const asked = { ...params, fields: ['id'], ...(cursor === null ? {} : { cursor }) }
    const page = await searcher.search({ place, params: asked, key, now: 0 })
    if (page === undefined) throw new Error('nothing was ever stored')
    ids.push(JSON.parse(page.json).map(({ id }: { id: number }) => id))
    cursor = page.cursor
  } while (cursor !== null)
  return ids
}

/** What is searched for, and how often: three times make an index wanted. */
interface Often {
  readonly query: object
  readonly times?: number
}

/** Searches until an index is wanted, and waits until it is made or refused. */
export async function searchOften(store: ContextStore, place: EntityPlace, { query, times = 3 }: Often): Promise<void> {
  for (let time = 0; time < times; time += 1) await found(store, place, { query, limit: 10_000 })
  await store.indexes.turn()
}

/** How the database reads a search, as lines of EXPLAIN; nothing is observed. */
export async function planOf(store: ContextStore, place: EntityPlace, params: object): Promise<string> {
  let plan = ''
  const searcher = createSearcher({
    tableOf: (...of) => store.tableOf(...of),
    searchedTable: (of) => store.searchedTable(of),
    search: async (where, compile, options) => {
      const answer = await store.search(
        where,
        (...of) => {
          const { text, values = [] } = compile(...of)
          return { text: `explain ${text}`, values }
        },
        options,
      )
      plan = (answer?.rows ?? []).map((row) => row['QUERY PLAN']).join('\n')
      return undefined
    },
    indexes: { ready: (where) => store.indexes.ready(where), observe: () => undefined },
  })
  await searcher.search({ place, params, key, now: 0 })
  return plan
}

/** Fields of a connector's notes that have an index, or are to have one, as `field state`. */
export async function indexed(store: ContextStore, place: EntityPlace): Promise<string[]> {
  const records = (await store.indexes.of(place.connector)).get(place.entity) ?? []
  return records.map(({ field, state, error }) => `${field} ${state}${error === null ? '' : ` ${error}`}`)
}

/** Names of the indexes on demand that are in the database. */
export async function inDatabase(database: ContextDatabase): Promise<string[]> {
  const { rows } = await database.query({ text: `select relname::text as name from pg_class where relname ~ '^cs_on_demand' order by 1` })
  return rows.map(({ name }) => String(name))
}
