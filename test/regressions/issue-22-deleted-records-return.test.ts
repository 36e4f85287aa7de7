/** A batch that waited behind a deletion of its records must not bring them back. */
import pg from 'pg'
import { expect, test, vi } from 'vitest'
import { createRef, createStoreWorld, idsOf, notesOf } from '../context/store-world.ts'

test('a batch that waited for a deletion sees it', async () => {
  const world = await createStoreWorld('postgres')
  if (world.settings.engine !== 'postgres') throw new Error('the embedded database has one session')
  const client = new pg.Client({ connectionString: world.settings.url.reveal() })
  await client.connect()
  /** Waits until so many sessions wait for a lock. */
  const waitForWaiting = (count: number) =>
    vi.waitFor(
      async () => {
        const { rows } = await client.query(`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`)
        expect(rows).toHaveLength(count)
      },
      { timeout: 30_000 },
    )
  try {
    const ref = createRef()
    const [store, node] = [world.open(), world.open()]
    await store.writeBatch(ref, { records: notesOf(store, 0, 3), asked: world.now - 10 })
    // Another node knows the copy already.
    await node.writeBatch(ref, { records: notesOf(node, 3, 4), asked: world.now - 10 })

    // A row that is locked from outside holds the deletion in its transaction, and the deletion holds the batch.
    await client.query('begin')
    await client.query(`select from cs_test_kind_notes where id = 1 for update`)
    const forgetting = store.forgetRecords({ ...ref, values: [1], below: [], at: world.now })
    await waitForWaiting(1)
    const writing = node.writeBatch(ref, { records: notesOf(node, 0, 3), asked: world.now - 5 })
    await waitForWaiting(2)
    await client.query('commit')

    expect(await forgetting).toEqual(new Map([['notes', 1]]))
    expect(await writing).toMatchObject({ created: 0 })
    expect(await idsOf(store, ref)).toEqual([0, 2, 3])
  } finally {
    await client.end()
    await world.close()
  }
}, 60_000)
