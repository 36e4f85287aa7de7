/** A search over all connectors of a store, without a service around it. */

import { Everything, type EverythingOptions } from '../../packages/server/src/copies/everything/everything.ts'
import { buildPrimaryKey } from '../../packages/server/src/copies/search/keys.ts'
import { Searcher } from '../../packages/server/src/copies/searcher.ts'
import type { ContextStore } from '../../packages/server/src/copies/store/store.ts'
import type { SearchedConnector } from '../../packages/server/src/copies/sync-types.ts'
import { type Principal, scopes } from '../../packages/server/src/values/access.ts'
import { desk, shop } from '../http/everything-support.ts'
import { createRef } from './store-world.ts'

const organizationId = '4f5d9be2-6f0f-4a0f-a0a8-1d6d7d3f8b52'

const principal: Principal = {
  kind: 'application',
  applicationId: '00000000-0000-4000-8000-000000000000',
  organizationId,
  workspaceIds: null,
  connectorIds: null,
  scopes: new Set(scopes),
  token: { id: null, expiresAt: Number.MAX_SAFE_INTEGER, secretMark: null },
}

/** The kinds that connectors here have. */
export const searchedKinds = { desk, shop }

/** A connector whose copies can be searched. */
export const connect = (kind: keyof typeof searchedKinds): SearchedConnector => {
  const { connector: connectorId } = createRef()
  return {
    ref: { organizationId, workspaceId: organizationId, connectorId },
    name: `${kind} ${connectorId}`,
    kind: searchedKinds[kind],
    own: undefined,
    configuration: {},
    entities: Object.keys(searchedKinds[kind].definition.entities).map((entity) => ({ entity, syncedAt: 0, reason: null })),
  }
}

/** Writes records into a copy. */
export async function writeInto(
  store: ContextStore,
  { ref, kind: { definition } }: SearchedConnector,
  { entity, records }: { readonly entity: string; readonly records: readonly Readonly<Record<string, unknown>>[] },
): Promise<void> {
  const { key } = store.getTable(definition.kind, entity)
  const rows = records.map((fields) => ({ key: buildPrimaryKey(key, fields) ?? '', fields }))
  await store.writeBatch({ connector: ref.connectorId, kind: definition.kind, entity }, { records: rows, asked: 0 })
}

/** Returns the function that searches all of some connectors. */
export function searchOver(store: ContextStore, all: readonly SearchedConnector[], options: Partial<EverythingOptions> = {}) {
  const cursorKey = (): Buffer => Buffer.from('key')
  const everything = new Everything({
    searcher: new Searcher(store, { cursorKey, clock: Date.now }),
    store,
    copies: { listSearched: async () => all, countChanges: () => 0 },
    connectors: { readAccess: () => Promise.reject(new Error('not asked')) },
    cursorKey,
    clock: Date.now,
    searchMs: 400_000,
    atOnce: 2,
    ...options,
  })
  return (body: object) => everything.search(principal, body, { signal: undefined, deadlineMs: undefined })
}
