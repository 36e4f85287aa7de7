/** The log of changes keeps what a consumer has not read: beyond its days, up to its bytes, and while nobody reads it. */
import { expect, test } from 'vitest'
import type { EntityRef } from '../../packages/server/src/copies/entity-ref.ts'
import { mostBytes } from '../../packages/server/src/copies/store/log.ts'
import type { LogPosition } from '../../packages/server/src/copies/store/types.ts'
import { share } from '../support/share.ts'
import { createRef, createStoreWorld, notesOf, overStatements } from './store-world.ts'

const dayMs = 86_400_000

overStatements('what a consumer has not read', async (engine) => {
  const world = await share(createStoreWorld(engine))
  const store = world.open()

  const state = (ref: EntityRef) => store.readLog(ref, { after: 0n, limit: 0 })
  const write = (ref: EntityRef, id: number, until = id + 1) =>
    store.writeBatch(ref, { records: notesOf(store, id, until), asked: world.now })
  const keep = (ref: EntityRef, ...at: readonly LogPosition[]) => store.keepChanges(ref, async () => at)
  const readKeptFor = async (): Promise<unknown[]> => {
    const { rows } = await (await store.openDatabase()).query({ text: 'select kept_for from cs_entities order by connector_id' })
    return rows.map((row) => Reflect.get(row, 'kept_for'))
  }
  const followed = async (): Promise<{ ref: EntityRef; from: LogPosition }> => {
    const ref = createRef()
    await write(ref, 0, 10)
    await store.followChanges(ref)
    return { ref, from: await state(ref) }
  }
  /** Lets days pass, and writes a change then. */
  const age = async (ref: EntityRef, count: number, id: number): Promise<void> => {
    world.now += count * dayMs
    await write(ref, id)
  }

  test('stays although its days are over, and goes when the consumer has read it', async () => {
    const { ref, from } = await followed()
    await write(ref, 10)
    const read = await state(ref)
    await write(ref, 11)
    await keep(ref, from)
    await age(ref, 30, 12)
    await store.purgeExpired(world.now)
    expect(await state(ref)).toMatchObject({ generation: from.generation, keptAfter: from.position })
    expect((await store.readLog(ref, { after: from.position, limit: 10 })).changes).toHaveLength(3)
    expect(store.status().consumerLag).toBe(Number((await state(ref)).position - from.position))
    await keep(ref, read)
    await store.purgeExpired(world.now)
    expect((await state(ref)).keptAfter).toBe(read.position)
    await keep(ref)
    await store.purgeExpired(world.now)
    expect((await store.readLog(ref, { after: 0n, limit: 10 })).changes).toHaveLength(1)
  })

  test('goes with the oldest bytes', async () => {
    const { ref, from } = await followed()
    await write(ref, 10)
    await keep(ref, from)
    const text = 'update cs_entities set position = position + $1'
    await (await store.openDatabase()).transaction((session) => session.query({ text, values: [mostBytes] }))
    await write(ref, 11)
    await store.purgeExpired(world.now)
    expect((await state(ref)).keptAfter).toBeGreaterThan(from.position)
    expect((await store.readLog(ref, { after: 0n, limit: 10 })).changes).toHaveLength(1)
  })

  test('lets the log go on although nobody reads it', async () => {
    const [one, other] = [await followed(), await followed()]
    await keep(one.ref, one.from)
    world.now += 8 * dayMs
    await store.purgeExpired(world.now)
    await write(one.ref, 10)
    await write(other.ref, 10)
    const text = 'select feed is null as ended from cs_entities order by connector_id desc limit 2'
    const { rows } = await (await store.openDatabase()).query({ text })
    expect(rows).toEqual([{ ended: true }, { ended: false }])
  })

  test('is that of the one furthest behind, in the log that there is', async () => {
    const { ref, from } = await followed()
    await write(ref, 10)
    const later = await state(ref)
    await keep(ref, later, from, { generation: '1 1', position: 0n }, { generation: null, position: 0n })
    expect((await readKeptFor()).at(-1)).toBe(from.position)
    await keep(ref, { generation: '1 1', position: 0n })
    expect((await readKeptFor()).at(-1)).toBeNull()
    await keep(ref, later)
    await store.deleteAll(ref)
    await store.followChanges(ref)
    expect((await readKeptFor()).at(-1)).toBeNull()
  })

  test('is nothing where no log is', async () => {
    const ref = createRef()
    await keep(ref, { generation: '1 1', position: 0n })
    await write(ref, 0)
    await keep(ref, { generation: '1 1', position: 0n })
    expect((await readKeptFor()).at(-1)).toBeNull()
  })

  test('is looked at while the state is locked, so the later look is the last', async () => {
    const { ref, from } = await followed()
    await write(ref, 10)
    const later = await state(ref)
    const positions = new Set<LogPosition>([later])
    const [asked, go] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const first = store.keepChanges(ref, async () => {
      const seen = [...positions]
      asked.resolve()
      await go.promise
      return seen
    })
    await asked.promise
    positions.add(from)
    const second = store.keepChanges(ref, async () => [...positions])
    go.resolve()
    await Promise.all([first, second])
    expect((await readKeptFor()).at(-1)).toBe(from.position)
  })
})
