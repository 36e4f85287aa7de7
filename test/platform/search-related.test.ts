/** What searches report of the entities that they read besides their own. */
import { expect, test } from 'vitest'
import { buildSearchTable } from '../../packages/server/src/copies/search/columns.ts'
import { parseSearch } from '../../packages/server/src/copies/search/parse.ts'
import { Searches, type SearchesOptions } from '../../packages/server/src/copies/searches.ts'
import type { CopyStatus } from '../../packages/server/src/copies/sync-types.ts'
import type { ConnectorAccess } from '../../packages/server/src/values/access.ts'
import { entities } from '../context/related-world.ts'

const findTable = (entity: string) => buildSearchTable('related-kind', entity, entities[entity] ?? { about: '', key: [] })
// Only what a search reads of an access.
const access = {
  ref: { connectorId: 'one' },
  connection: { kind: { definition: { kind: 'related-kind', entities } } },
} as unknown as ConnectorAccess

/** Searches over copies of which some were never synced. */
function createWorld(unsynced: readonly string[]) {
  const hurried: string[] = []
  const searcher = {
    parse: (_ref, params) => parseSearch(findTable('calls'), params, findTable),
    search: async () => ({ json: '[]', count: 0, cursor: null, isUnranked: false, unseenPaths: [], tookMs: 1 }),
    readPages: async function* () {},
    parseAggregate: () => {
      throw new Error('nothing is counted')
    },
    aggregate: async () => undefined,
  } satisfies SearchesOptions['searcher']
  const readStatus = async (_access: ConnectorAccess, entity: string): Promise<CopyStatus> => {
    const syncedAt = unsynced.includes(entity) ? null : 1_000
    const status = syncedAt === null ? 'loading' : 'ready'
    return { status, syncedAt, verifiedAt: syncedAt, complete: true, obstacle: null, error: null, retryAfterMs: 0 }
  }
  const copies: SearchesOptions['copies'] = {
    ...{ readStatus, countChanges: () => 0, refresh: async () => undefined },
    moveToFront: async (_access, entity) => void hurried.push(entity),
    readTimes: async () => ({ syncedAt: 1_000, verifiedAt: 1_000 }),
  }
  const searches = new Searches({ searcher, copies, clock: () => 0, searchMs: 1_000, comparesStatus: false })
  const query = (params: object) => ({ entity: 'calls', params: { query: {}, ...params }, deadlineMs: 1_000 })
  return {
    hurried,
    search: async (params: object) => Reflect.get((await searches.search(access, query(params))).meta, 'related'),
    export: (params: object) => searches.export(access, query(params)),
  }
}

const fresh = { synced_at: '1970-01-01T00:00:01.000Z', verified_at: '1970-01-01T00:00:01.000Z', status: 'ready', complete: true }
const absent = { synced_at: null, verified_at: null, status: 'loading', complete: false }

test('a search tells how fresh each entity is that it includes or filters by, and which was never synced', async () => {
  const { search } = createWorld(['teams'])
  expect(await search({})).toBeUndefined()
  expect(await search({ include: { ownerId: ['name', { teamId: ['name'] }] } })).toEqual([
    { entity: 'users', ...fresh },
    { entity: 'teams', ...absent },
  ])
  expect(await search({ query: { filter: { eq: { 'ticketNumber.title': 'a' } } } })).toEqual([{ entity: 'tickets', ...fresh }])
})

test('a filter through an entity that was never synced is refused, and the entity is read first', async () => {
  const { search, export: exportAll, hurried } = createWorld(['users'])
  const params = { query: { filter: { not: { eq: { 'ownerId.name': 'a' } } } } }
  await expect(search(params)).rejects.toMatchObject({ code: 'context_store_not_ready', message: expect.stringContaining('users') })
  await expect(exportAll(params)).rejects.toMatchObject({ code: 'context_store_not_ready' })
  expect(hurried).toEqual(['users', 'users'])
})
