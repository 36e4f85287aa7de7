/** A table that begins with a snapshot while the copy changes all the time: it equals the copy at the end. */
import { expect, test } from 'vitest'
import { buildPrimaryKey } from '../../packages/server/src/copies/search/keys.ts'
import type { StoredRecord } from '../../packages/server/src/copies/store/row-encoder.ts'
import { Random } from '../context/random.ts'
import { choose } from '../support/draws.ts'
import { Follower } from '../support/follower.ts'
import { allFound, overStatements, startCopyWorld } from './search-support.ts'
import { connectorsPath, type Json, type World } from './support.ts'

const records = choose(2_000, 100_000)
/** Records of a transaction, as many as a page of a vendor's list has, and entries of a page of the feed. */
const [size, page] = [choose(100, 1_000), choose(100, 1_000)]
const timeout = choose(480_000, 3_600_000)

/** Writes users into the copy of a connector. */
function createWriter({ context: { store }, clock }: World, connector: string) {
  const { key: parts } = store.getTable('gong', 'users')
  const build = (index: number, fields: object): StoredRecord => {
    const id = String(10_000_000 + index)
    const key = buildPrimaryKey(parts, { id })
    if (key === undefined) throw new Error(id)
    return { key, fields: { id, ...fields } }
  }
  const put = (wanted: readonly StoredRecord[], removed: readonly string[] = []) =>
    store.writeBatch({ connector, kind: 'gong', entity: 'users' }, { records: wanted, removed, asked: clock.now })
  const random = new Random(26)
  let change = 0
  return {
    fill: async () => {
      for (let from = 0; from < records; from += 1_000)
        await put(Array.from({ length: Math.min(1_000, records - from) }, (_, offset) => build(from + offset, { title: 'as it was' })))
    },
    /** Changes, adds and removes some records. @returns how many */
    change: async (): Promise<number> => {
      change += 1
      const drawn = [...new Set(Array.from({ length: size }, () => random.below(records + records / 10)))]
      const [gone, rest] = [drawn.slice(0, size / 4), drawn.slice(size / 4)]
      const written = rest.map((index) => build(index, random.chance(0.5) ? { title: `${change}` } : { title: `${change}`, active: true }))
      const removed = gone.map((index) => build(index, {}).key)
      const { created, updated, removed: by } = await put(written, removed)
      return created + updated + by
    },
  }
}

overStatements(`a snapshot of ${records} records that change meanwhile`, (engine) => {
  test('is equal to the copy at the end', { timeout }, async () => {
    const world = await startCopyWorld(engine)
    const connector = await world.connect('changing', { entities: [{ entity: 'users' }] })
    await world.context.sync()
    const writer = createWriter(world, connector)
    await writer.fill()
    const follower = new Follower<Json>()
    let next = ''
    let [isOver, changes, entries] = [false, 0, 0]
    const read = async (): Promise<Json> => {
      const { status, json } = await world.ask(`${connectorsPath}/${connector}/entities/users/changes?limit=${page}${next}`, {
        token: world.token,
      })
      expect(status).toBe(200)
      follower.take(json.data)
      entries += json.data.length
      next = `&after=${encodeURIComponent(String(json.next))}`
      return json
    }
    const follow = async (): Promise<void> => {
      while (!isOver) isOver = (await read()).data.some(({ type }: Json) => type === 'snapshot_end')
    }
    const write = async (): Promise<void> => {
      while (!isOver) changes += await writer.change()
    }
    const began = performance.now()
    await Promise.all([follow(), write()])
    const seconds = (performance.now() - began) / 1_000
    while ((await read()).has_more);
    console.log(engine, JSON.stringify({ records, changes, seconds, changesPerSecond: changes / seconds, entries }))
    expect(changes).toBeGreaterThan(size)
    const found = await allFound(world, connector, { entity: 'users', params: { query: {}, limit: 1_000 } })
    expect(follower.table.size).toBe(found.length)
    for (const record of found) expect(follower.table.get(String(record.id))).toEqual(record)
    await world.close()
  })
})
