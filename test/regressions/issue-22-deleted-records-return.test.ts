/** A batch that runs beside a deletion of its records must not bring them back. */
import pg from 'pg'
import { expect, test, vi } from 'vitest'
import { createRef, createStoreWorld, idsOf, notesOf, type StoreWorld } from '../context/store-world.ts'

/** A world with a session beside its stores. */
interface Beside {
  readonly world: StoreWorld
  readonly client: pg.Client
  /** Waits until so many sessions wait for a lock. */
  waitForWaiting(count: number): Promise<void>
}

async function withWorld(work: (beside: Beside) => Promise<void>): Promise<void> {
  const world = await createStoreWorld('postgres')
  if (world.settings.engine !== 'postgres') throw new Error('the embedded database has one session')
  const options = { connectionString: world.settings.url.reveal() }
  // A session in a transaction sees the others as they were, so another one looks.
  const [client, observer] = [new pg.Client(options), new pg.Client(options)]
  await Promise.all([client.connect(), observer.connect()])
  const waiting = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
  const waitForWaiting = (count: number) =>
    vi.waitFor(async () => expect((await observer.query(waiting)).rows).toHaveLength(count), { timeout: 240_000 })
  try {
    await work({ world, client, waitForWaiting })
  } finally {
    await Promise.all([client.end(), observer.end()])
    await world.close()
  }
}

test('a batch that waited for a deletion sees it', async () => {
  await withWorld(async ({ world, client, waitForWaiting }) => {
    const ref = createRef()
    const [store, node] = [world.open(), world.open()]
    await store.writeBatch(ref, { records: notesOf(store, 0, 3), asked: world.now - 10 })
    // Another node knows the copy already.
    await node.writeBatch(ref, { records: notesOf(node, 3, 4), asked: world.now - 10 })

    // A row that is locked from outside holds the deletion in its transaction, and the deletion holds the batch.
    await client.query('begin')
    await client.query('select from cs_test_kind_notes where id = 1 for update')
    const forgetting = store.forgetRecords({ ...ref, values: [1], below: [], at: world.now })
    await waitForWaiting(1)
    const writing = node.writeBatch(ref, { records: notesOf(node, 0, 3), asked: world.now - 5 })
    await waitForWaiting(2)
    await client.query('commit')

    expect(await forgetting).toEqual(new Map([['notes', 1]]))
    expect(await writing).toMatchObject({ created: 0 })
    expect(await idsOf(store, ref)).toEqual([0, 2, 3])
  })
})

test('a deletion waits for a first batch, which it could not lock out', async () => {
  await withWorld(async ({ world, client, waitForWaiting }) => {
    const ref = createRef()
    const people = { ...ref, entity: 'people' }
    const person = (id: string, name: string) => ({ key: id, fields: { id, name } })
    const [store, node] = [world.open(), world.open()]
    await store.writeBatch(ref, { records: notesOf(store, 1, 2), asked: world.now - 10 })
    // The table exists, because another connector has people.
    await store.writeBatch({ ...people, connector: createRef().connector }, { records: [person('1', 'x')], asked: world.now - 10 })
    const { rows } = await client.query<{ number: number }>('select number from cs_connectors where id = $1', [ref.connector])

    // The batch waits for a row of the same key, whose transaction is open.
    await client.query('begin')
    await client.query(`insert into cs_test_kind_people (connector_id, pk, h, "$v") values ($1, '1', 0, 0)`, [rows[0]?.number])
    const writing = node.writeBatch(people, { records: [person('1', 'gone'), person('2', 'here')], asked: world.now - 5 })
    await waitForWaiting(1)
    const below = [{ entity: 'people', field: 'name', below: [] }]
    const forgetting = store.forgetRecords({ ...ref, values: ['gone'], below, at: world.now })
    await waitForWaiting(2)
    await client.query('rollback')

    await Promise.all([writing, forgetting])
    expect(await idsOf(store, people)).toEqual([2])
  })
})
