/** Lists that are sorted by the time of change, newest first, and have no filter by it. */
import { beforeEach, expect, test } from 'vitest'
import { str, time } from '../../packages/ferrule/src/definition/fields.ts'
import { fail } from '../../packages/ferrule/src/errors.ts'
import { Random } from '../../packages/sandbox/src/random.ts'
import { entity, page, type Row, World } from './sync-words.ts'

let rows: Row[]
let world: World
/** How many records the vendor shows at most. */
let most: number
const sorted = (): Row[] => rows.toSorted((one, other) => String(other['changed']).localeCompare(String(one['changed']))).slice(0, most)
const change = (id: number) => {
  const changed = { id, changed: new Date(world.now).toISOString(), name: `${id} at ${world.now}` }
  rows = [...rows.filter((row) => row['id'] !== id), changed]
}

beforeEach(() => {
  most = Number.POSITIVE_INFINITY
  const record = { changed: time('Changed'), name: str('Name') }
  world = new World({ rows: entity(record, { newest: 'changed' }) }, { rows: (params) => page(sorted(), params) })
  rows = []
  for (let id = 1; id <= 40; id += 1) {
    world.now += 60_000
    change(id)
  }
  world.now += 3_600_000
})

const expectTruth = () => expect(world.copy('rows')).toEqual(rows.toSorted((one, other) => Number(one['id']) - Number(other['id'])))

test('a run reads back to what the copy has, and a complete pass reads everything', async () => {
  expect(await world.states()).toEqual({ rows: 'complete' })
  expect(world.taken()).toHaveLength(14)
  for (const id of [3, 9, 41]) change(id)
  expect(await world.states()).toEqual({ rows: 'changes' })
  expect(world.taken()).toEqual(['rows', 'rows cursor=3'])
  expectTruth()
  expect(await world.states({ mode: 'full' })).toEqual({ rows: 'complete' })
  expect(world.taken()).toHaveLength(14)
})

test('records of one instant at the end of a page are all read', async () => {
  await world.sync()
  world.now += 3_600_000
  for (const id of [1, 2, 3, 4, 5]) change(id)
  await world.sync()
  for (const id of [6, 7, 8]) change(id)
  await world.sync()
  expectTruth()
})

test('a walk that ends before it reached what the copy has is repeated', async () => {
  await world.sync()
  for (const id of [1, 2, 3, 4, 5, 6, 7]) {
    world.now += 60_000
    change(id)
  }
  most = 4
  expect(await world.states()).toEqual({ rows: 'changes' })
  most = Number.POSITIVE_INFINITY
  world.now += 3_600_000
  change(8)
  await world.sync()
  expectTruth()
})

test('an interrupted walk loses nothing that changes meanwhile', async () => {
  await world.sync()
  for (let id = 1; id <= 9; id += 1) change(id)
  world.before = (_name, { cursor }) => {
    if (cursor === '6') throw fail('upstream_error', { vendor: 'Acme', reason: 'a bug' })
  }
  await expect(world.sync()).rejects.toThrow()
  for (const id of [8, 20, 21]) change(id)
  world.before = () => undefined
  await world.sync()
  await world.sync()
  expectTruth()
})

test('the copy equals the vendor after the next run, whatever changes during walks', async () => {
  const random = new Random(24)
  await world.sync()
  for (let round = 0; round < 30; round += 1) {
    world.before = () => {
      if (random.int(0, 2) === 0) change(random.int(1, 60))
    }
    for (let index = random.int(0, 12); index > 0; index -= 1) {
      world.now += random.int(0, 1) * 30_000
      change(random.int(1, 60))
    }
    await world.sync()
    world.before = () => undefined
    await world.sync()
    expectTruth()
  }
})
