/** The freshness that searches report while several nodes answer. */
import { expect, test, vi } from 'vitest'
import { id } from '../../packages/ferrule/src/definition/fields.ts'
import { parseAggregate } from '../../packages/server/src/copies/search/aggregates/parse.ts'
import { buildSearchTable } from '../../packages/server/src/copies/search/columns.ts'
import { parseSearch } from '../../packages/server/src/copies/search/parse.ts'
import { Searches, type SearchesOptions } from '../../packages/server/src/copies/searches.ts'
import type { CopyStatus } from '../../packages/server/src/copies/sync-types.ts'
import type { ConnectorAccess } from '../../packages/server/src/values/access.ts'

const entity = { about: 'Notes', key: ['id'], context_store_search: { id: id('Id') } }
const table = buildSearchTable('test', 'notes', entity)
// Only what a search reads of an access.
const access = {
  ref: { connectorId: 'one' },
  connection: { kind: { definition: { kind: 'test', entities: { notes: entity } } } },
} as unknown as ConnectorAccess

/** A node over the times that all nodes share. */
function createNode(stored: { syncedAt: number }, comparesStatus: boolean) {
  const order: string[] = []
  const readStatus = vi.fn(async (): Promise<CopyStatus> => {
    order.push('status')
    const { syncedAt } = stored
    return { status: 'ready', syncedAt, verifiedAt: syncedAt, complete: true, obstacle: null, error: null, retryAfterMs: 0 }
  })
  const answer = { json: '[]', count: 0, cursor: null, isUnranked: false, unseenPaths: [], tookMs: 1 }
  const searcher = {
    parse: () => parseSearch(table, { query: {} }),
    search: async () => {
      order.push('records')
      return answer
    },
    parseAggregate: () => ({ ...parseAggregate(table, {}), version: undefined }),
    aggregate: async () => undefined,
    readPages: async function* () {},
  } satisfies SearchesOptions['searcher']
  const copies: SearchesOptions['copies'] = {
    ...{ readStatus, countChanges: () => 0, refresh: async () => undefined, moveToFront: async () => undefined },
    readTimes: async () => ({ syncedAt: stored.syncedAt, verifiedAt: stored.syncedAt }),
  }
  const searches = new Searches({ searcher, copies, clock: () => 0, searchMs: 1_000, comparesStatus })
  const search = async () => (await searches.search(access, { entity: 'notes', params: {}, deadlineMs: 1_000 })).contextStore?.synced_at
  return { order, readStatus, search }
}

test('freshness does not go back between nodes with replicas, and a status is reused while it is current', async () => {
  const stored = { syncedAt: 1_000 }
  const [one, two] = [createNode(stored, true), createNode(stored, true)]
  for (const node of [one, two, one, two]) expect(await node.search()).toBe('1970-01-01T00:00:01.000Z')
  expect(one.readStatus).toHaveBeenCalledTimes(1)
  stored.syncedAt = 2_000
  for (const node of [one, two, one]) expect(await node.search()).toBe('1970-01-01T00:00:02.000Z')
  expect(two.readStatus).toHaveBeenCalledTimes(2)
})

test('the status is read before the records, so these are as new as it says', async () => {
  const node = createNode({ syncedAt: 1_000 }, false)
  await node.search()
  expect(node.order).toEqual(['status', 'records'])
})
