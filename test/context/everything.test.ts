/** Searches over all connectors: with more records than are ordered, with copies that do not answer, and with statements of one connector. */

import { expect, test } from 'vitest'
import { fail } from '../../packages/ferrule/src/errors.ts'
import type { ContextStore } from '../../packages/server/src/copies/store/store.ts'
import { share } from '../support/share.ts'
import { connect, searchedKinds, searchOver, writeInto } from './everything-world.ts'
import { createStoreWorld, overBoth } from './store-world.ts'

overBoth('a search over all connectors of a store', async (engine) => {
  const world = await share(createStoreWorld(engine))
  const store = world.open({ kinds: Object.values(searchedKinds).map(({ definition }) => definition) })
  const all = [connect('shop'), connect('desk'), connect('shop')]
  for (const [number, connector] of all.entries()) {
    const count = 3 + number
    const isShop = connector.kind === searchedKinds.shop
    const records = Array.from({ length: count }, (_, index) => {
      const when = `2026-01-0${1 + index}T00:00:00Z`
      return isShop
        ? { id: `o${index}`, title: `Acme order ${number}`, state: 'open', url: '/', created_at: when }
        : { id: index, subject: `Acme ticket ${number}`, body: 'acme', state: 'open', custom: {}, opened: when, requester: `p${index}` }
    })
    await writeInto(store, connector, { entity: isShop ? 'orders' : 'tickets', records })
    if (!isShop) await writeInto(store, connector, { entity: 'people', records: [{ id: 'p1', name: 'Ada', email: 'ada@example.com' }] })
  }

  type Found = Awaited<ReturnType<ReturnType<typeof searchOver>>>
  const namesOf = ({ data }: Found) => data.map(({ connector, entity, key }) => `${connector.id} ${entity} ${String(key)}`)

  async function readAll(search: ReturnType<typeof searchOver>, body: object): Promise<readonly Found[]> {
    const pages = [await search(body)]
    for (let last = pages[0]; typeof last?.meta.cursor === 'string'; last = pages.at(-1))
      pages.push(await search({ ...body, cursor: last.meta.cursor }))
    return pages
  }

  test('orders more records than are ranked by connector, entity and key, says so, and gives each once', async () => {
    const search = searchOver(store, all, { mostRanked: 11 })
    const pages = await readAll(search, { text: 'acme', limit: 2 })
    expect(pages.map(({ meta }) => meta.ranked)).toEqual(pages.map(() => false))
    expect(pages.flatMap(namesOf)).toEqual(
      all.flatMap(({ ref: { connectorId }, kind }, number) =>
        Array.from({ length: 3 + number }, (_, index) =>
          kind === searchedKinds.shop ? `${connectorId} orders o${index}` : `${connectorId} tickets ${index}`,
        ),
      ),
    )
    expect(pages[0]?.facets?.kinds).toEqual([
      { kind: 'shop', count: 8, exact: true },
      { kind: 'desk', count: 4, exact: true },
    ])
    expect((await searchOver(store, all, { mostRanked: 12 })({ text: 'acme' })).meta.ranked).toBe(true)
  })

  /** The store, of which one table does not answer in time. */
  const slow = (entity: string): Pick<ContextStore, 'canJoinConnectors' | 'searchSeveral'> => ({
    canJoinConnectors: () => store.canJoinConnectors(),
    searchSeveral: (refs, work, options) =>
      store.searchSeveral(
        refs,
        async (session, numbers) => {
          const query: typeof session.query = (statement) =>
            statement.text.includes(`cs_shop_${entity}`)
              ? Promise.reject(fail('context_store_timeout', { seconds: 9 }))
              : session.query(statement)
          return work({ query }, numbers)
        },
        options,
      ),
  })

  test('names the copies that do not answer in time, and the others answer', async () => {
    const found = await searchOver(store, all, { store: slow('orders') })({ text: 'acme' })
    const [first, second, third] = all.map(({ ref, name, kind }) => ({ id: ref.connectorId, name, kind: kind.definition.kind }))
    expect(new Set(found.data.map(({ connector }) => connector.id))).toEqual(new Set([second?.id]))
    expect(found.data).toHaveLength(4)
    expect(found.left_out).toEqual(
      [first, third].map((connector) => ({
        ...{ reason: 'late', kind: 'shop', connector, entities: ['orders'], message: 'There was no answer in time.' },
      })),
    )
    expect(found.facets?.connectors).toEqual([{ connector: second, count: 4, exact: true }])
  })

  test('answers alike by statements of one connector, as Citus takes them', async () => {
    const alone = searchOver(store, all, {
      store: {
        canJoinConnectors: async () => false,
        searchSeveral: (refs, work, options) => {
          expect(new Set(refs.map(({ connector }) => connector)).size).toBe(1)
          return store.searchSeveral(refs, work, options)
        },
      },
    })
    for (const body of [
      { text: 'acme' },
      { text: 'ticket acme', limit: 3 },
      { filter: { eq: { state: 'open' } }, limit: 5 },
      { text: 'acne' },
      { text: 'acme', include: { requester: ['name'] }, limit: 3 },
    ]) {
      const [joined, each] = await Promise.all([readAll(searchOver(store, all), body), readAll(alone, body)])
      expect(each.map(({ data, facets }) => ({ data, facets }))).toEqual(joined.map(({ data, facets }) => ({ data, facets })))
      expect(joined[0]?.data.length).toBeGreaterThan(0)
    }
  })
})
