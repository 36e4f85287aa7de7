import { afterAll, expect, test } from 'vitest'
import { kinds } from '../../packages/ferrule/src/connectors/index.ts'
import { Secret } from '../../packages/ferrule/src/engine/credentials/source.ts'
import { formatFailure } from '../../packages/server/src/main/failure.ts'
import { startService } from '../../packages/server/src/main/service.ts'
import { readSettings } from '../../packages/server/src/main/settings/settings.ts'
import { startPgBouncer } from '../support/pgbouncer.ts'
import { listLeftovers } from '../support/pooled-sessions.ts'
import { createTestDatabase } from '../support/postgres.ts'
import { client, startWorld } from './support.ts'

const environment = {
  FERRULE_PORT: '0',
  FERRULE_OPERATOR_CLIENT_ID: client.id,
  FERRULE_OPERATOR_CLIENT_SECRET: client.secret,
  FERRULE_MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
  FERRULE_RATE_LIMIT: '0',
  FERRULE_SANDBOX: 'off',
}

/** Nothing listens there. */
const nowhere = 'postgresql://postgres:a-password@127.0.0.1:1/any'

const databases = [await createTestDatabase('pooled http'), await createTestDatabase('pooled http context')] as const
const pooler = await startPgBouncer(databases[0].url, 3)
afterAll(async () => {
  await pooler.stop()
  for (const database of databases) await database.drop()
})

test('calls over HTTP, syncs and searches work through PgBouncer, with more callers than sessions', async () => {
  const [own, context] = databases.map(({ url }) => pooler.through(url))
  const settings = readSettings({ ...environment, FERRULE_SANDBOX: 'on', DATABASE_URL: own }, { kinds: Object.keys(kinds) })
  const copies = { engine: 'postgres', url: new Secret(context ?? ''), searches: 3, writers: 2, waiting: 50, searchSeconds: 100 } as const
  const world = await startWorld({ settings, context: copies })
  const id = await world.connect('pooled', { entities: [{ entity: 'users' }] })
  const list = { entity: 'users', action: 'list', params: {} }
  const listed = await Promise.all(Array.from({ length: 12 }, () => world.execute(id, list)))
  const { data } = listed[0]?.json ?? {}
  expect(listed.map(({ status, json }) => [status, json.data])).toEqual(listed.map(() => [200, data]))
  expect(data.length).toBeGreaterThan(1)
  await world.context.sync()
  const search = { entity: 'users', action: 'context_store_search', params: { query: { filter: { eq: { id: data[0].id } } } } }
  const found = await Promise.all(Array.from({ length: 12 }, () => world.execute(id, search)))
  expect(found.map(({ status, json }) => [status, json.data?.length])).toEqual(found.map(() => [200, 1]))
  await world.close()
  for (const { url } of databases) await expect.poll(() => listLeftovers(pooler.through(url), url)).toEqual([])
})

/** Starts the service with databases that do not answer. Returns what its program prints. */
const startFailing = (env: Readonly<Record<string, string>>): Promise<string> =>
  startService({ ...environment, ...env }).then(() => 'it started', formatFailure)

test('a start says which setting names a pooler that is down, or whose server is', async () => {
  const behind = await startPgBouncer(nowhere, 2)
  const [own = '', context = ''] = databases.map(({ url }) => pooler.through(url))
  const lost = behind.through(context)
  expect(await startFailing({ DATABASE_URL: own, CONTEXT_DATABASE_URL: lost })).toMatch(
    /^The database that CONTEXT_DATABASE_URL names does not answer: .+\. Check that the database runs, and the pooler before it/,
  )
  expect(await startFailing({ DATABASE_URL: lost })).toMatch(/^The database that DATABASE_URL names does not answer: .+\. Check/)
  await behind.stop()
  const down = await startFailing({ DATABASE_URL: nowhere })
  expect(down).toMatch(/^The database that DATABASE_URL names does not answer: connect ECONNREFUSED 127\.0\.0\.1:\d+\. Check/)
  expect(down).not.toContain('password')
})
