/** Worlds that keep copies, for tests of searches, exports and syncs over HTTP. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { describe } from 'vitest'
import { Secret } from '../../packages/ferrule/src/engine/credentials/source.ts'
import type { EngineName } from '../../packages/server/src/copies/store/database/database.ts'
import type { ContextStoreSettings } from '../../packages/server/src/copies/store/database/settings.ts'
import { copyEmbeddedDatabase, createTestDatabase, databasesOfStatements, databasesUnderTest } from '../support/postgres.ts'
import { type Answer, connectorsPath, type Json, startWorld, type World, type WorldOptions } from './support.ts'
import { sandboxAds } from './tiktok-support.ts'

/** The documented route of every search. */
export const executePath = `POST ${connectorsPath}/{connector_id}/execute`

/** Body of a connector that keeps a copy of its users only. */
export const onlyUsers = { entities: [{ entity: 'users' }] }

/** Body of an advertising connector that keeps a copy of its campaigns only. */
export const advertising = ({ sandbox }: World, name: string) => ({
  ...sandboxAds(name, { replication_config: { advertiser_id: sandbox.tiktok.world.advertiserId } }),
  entities: [{ entity: 'campaigns' }],
})

/** Seconds that a search may take, and the call that asks for it: the embedded database is slow on a busy machine. */
const searchSeconds = 400

/** Starts a world whose copies are in one of both databases; its `close` takes them away. */
export async function startCopyWorld(engine: EngineName, options: WorldOptions = {}): Promise<World> {
  const common = { waiting: 100, searchSeconds }
  const server = engine === 'postgres' ? await createTestDatabase('http_search') : undefined
  const folder = mkdtempSync(join(tmpdir(), 'ferrule-http-context-'))
  if (server === undefined) await copyEmbeddedDatabase(folder)
  const context: ContextStoreSettings =
    server === undefined
      ? { engine: 'embedded', folder, memoryMb: 16, ...common }
      : { engine: 'postgres', url: new Secret(server.url), searches: 4, writers: 3, ...common }
  const world = await startWorld({ ...options, settings: { operationSeconds: searchSeconds, ...options.settings }, context })
  return {
    ...world,
    close: async () => {
      await world.close()
      await server?.drop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Runs a suite over both databases. */
export const overBothStores = (name: string, suite: (engine: EngineName) => void | Promise<void>): void =>
  describe.each(databasesUnderTest(['postgres', 'embedded']))(`${name} (%s)`, suite)

/** Runs a suite whose stores differ in statements only: over PostgreSQL, in `npm run soak` over the embedded database too. */
export const overStatements = (name: string, suite: (engine: EngineName) => void | Promise<void>): void =>
  describe.each(databasesOfStatements(['postgres', 'embedded']))(`${name} (%s)`, suite)

/** A connector that keeps a copy of some entities, synced. */
export async function syncedConnector(world: World, name: string, body: object): Promise<string> {
  const id = await world.connect(name, { ...body })
  await world.context.sync()
  return id
}

/** A search. */
export const search = (world: World, connectorId: string, body: object): Promise<Answer> =>
  world.execute(connectorId, { action: 'context_store_search', ...body })

/** The records of all pages of a search. */
export async function allFound(world: World, connectorId: string, { entity, params }: { entity: string; params: object }): Promise<Json[]> {
  const records: Json[] = []
  let cursor: string | null | undefined
  do {
    const page = await search(world, connectorId, { entity, params: { ...params, ...(cursor === undefined ? {} : { cursor }) } })
    if (page.status !== 200) throw new Error(page.text)
    records.push(...page.json.data)
    cursor = page.json.meta.cursor
  } while (cursor !== null)
  return records
}

/** Returns all users, page by page, as the vendor lists them. */
export async function listUsers(world: World, connectorId: string): Promise<Json[]> {
  const records: Json[] = []
  let params: object | null = {}
  while (params !== null) {
    const { json }: { json: Json } = await world.execute(connectorId, { entity: 'users', action: 'list', params })
    records.push(...json.data)
    params = json.meta.next_params
  }
  return records
}

/** Waits for something that happens in the background; fails with what was seen last before a test ends. */
export async function eventually<T>(look: () => Promise<T>, isThere: (seen: T) => boolean): Promise<T> {
  const end = performance.now() + 240_000
  for (;;) {
    const seen = await look()
    if (isThere(seen)) return seen
    if (performance.now() > end) throw new Error(`it did not happen; last seen: ${(JSON.stringify(seen) ?? '').slice(0, 1_000)}`)
    await wait(20)
  }
}
