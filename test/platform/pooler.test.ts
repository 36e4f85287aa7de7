import { afterAll, expect, test } from 'vitest'
import { startPgBouncer } from '../support/pgbouncer.ts'
import { listLeftovers } from '../support/pooled-sessions.ts'
import { createTestDatabase } from '../support/postgres.ts'
import { createSyncWorld, newest, whole } from './sync-world.ts'

const databases: string[] = []
const any = await createTestDatabase('pooler platform')
const pooler = await startPgBouncer(any.url, 4)
await any.drop()
const here = await createSyncWorld('postgres', 'pooled', {
  through: (url) => {
    if (!databases.includes(url)) databases.push(url)
    return pooler.through(url)
  },
})
const other = await here.node()
afterAll(async () => {
  await other.worker.stop()
  await here.close()
  await pooler.stop()
})

test('two nodes behind PgBouncer start, sync each run once, search, remove, and leave nothing in its sessions', async () => {
  here.vendor.fill(3, 3)
  const ids = await Promise.all(Array.from({ length: 6 }, () => here.connect()))
  for (let turns = 0; turns < 6; turns += 1) {
    await Promise.all([here.worker.tick(), other.worker.tick()])
    await Promise.all([here.worker.idle(), other.worker.idle()])
  }
  expect(here.errors).toEqual([])
  for (const id of ids) {
    expect(await newest(here, here.principal, id)).toMatchObject({ state: 'succeeded', attempts: 1 })
    expect(await here.copies(id)).toEqual(whole)
  }
  const [first = ''] = ids
  await other.platform.connectors.remove(here.principal, first)
  await here.work()
  expect(await here.copies(first)).toEqual({})
  const tokens = await Promise.all(Array.from({ length: 30 }, () => other.platform.connectors.list(here.principal, {})))
  expect(tokens.map(({ data }) => data.length)).toEqual(Array.from({ length: 30 }, () => 5))
  for (const url of databases) await expect.poll(() => listLeftovers(pooler.through(url), url)).toEqual([]) // the nodes still work
})
