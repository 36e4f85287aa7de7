import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { holdLock } from '../../packages/server/src/db/folder-lock.ts'
import { createSyncWorld, newest, type SyncWorld } from './sync-world.ts'
import { overBoth } from './world.ts'

const leaseMs = 90_000

overBoth('a node that was killed while it walked', (database) => {
  const folderOf = ({ world }: SyncWorld): string => world.env['FERRULE_DATA'] ?? ''

  /** Creates a connector whose run, and a removal, were just leased by a dead node. */
  async function killed(here: SyncWorld, node: string): Promise<string> {
    mkdirSync(folderOf(here), { recursive: true })
    writeFileSync(join(folderOf(here), 'node.id'), 'came back')
    const id = await here.connect()
    const { db } = here.world.raw()
    const lease = { lease_owner: 'an attempt', lease_until: here.world.now + leaseMs, lease_node: node }
    const begun = { state: 'running' as const, attempts: 1, started_at: here.world.now, ...lease }
    await db.updateTable('sync_runs').set(begun).where('connector_id', '=', id).execute()
    return id
  }

  test('goes on at once when it comes back with its data folder', async () => {
    const here = await createSyncWorld(database, 'comeback')
    const id = await killed(here, 'came back')
    await here.work()
    expect(await newest(here, here.principal, id)).toMatchObject({ state: 'succeeded', attempts: 2 })
    // Later leases are its own: another worker of the node takes nothing.
    const again = await here.connect()
    await here.hold()
    const other = await here.node()
    await other.worker.tick()
    expect([here.worker.running, other.worker.running]).toEqual([1, 0])
    here.vendor.open()
    await here.work()
    expect(await newest(here, here.principal, again)).toMatchObject({ state: 'succeeded', attempts: 1 })
    await here.close()
  })

  // The embedded database has one process, so no other process can hold a lease.
  if (database === 'sqlite') return

  test('is respected by all others until its lease ends', async () => {
    const here = await createSyncWorld(database, 'comeback of others')
    const id = await killed(here, 'another node')
    await here.work()
    expect(await newest(here, here.principal, id)).toMatchObject({ state: 'running', attempts: 1 })
    here.world.now += leaseMs
    await here.work()
    expect(await newest(here, here.principal, id)).toMatchObject({ state: 'succeeded', attempts: 2 })
    await here.close()
  })

  test('is respected by a process beside the one that has its data folder', async () => {
    const here = await createSyncWorld(database, 'comeback beside')
    const id = await killed(here, 'came back')
    const release = holdLock(folderOf(here), 'node.lock')
    await here.work()
    expect(await newest(here, here.principal, id)).toMatchObject({ state: 'running', attempts: 1 })
    release()
    await here.close()
  })
})
