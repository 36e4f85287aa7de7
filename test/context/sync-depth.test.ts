/** Lists per record of lists per record, at any depth. */
import { beforeEach, expect, test } from 'vitest'
import { id, opt, time } from '../../packages/ferrule/src/definition/fields.ts'
import { fail } from '../../packages/ferrule/src/errors.ts'
import { entity, type Params, page, type Row, World } from './sync-words.ts'

const names = ['repositories', 'pulls', 'reviews', 'replies'] as const
let rows: Record<string, Row[]>
let world: World

const below = (name: string) => (params: Params) => page(rows[name]?.filter(({ parent }) => parent === params['parent']) ?? [], params)

beforeEach(() => {
  rows = {
    repositories: [1, 2].map((number) => ({ id: number, changed: '2026-03-20T10:00:00Z' })),
    pulls: Array.from({ length: 10 }, (_, index) => ({ id: 10 + index, parent: 1 + (index % 2) })),
    reviews: Array.from({ length: 20 }, (_, index) => ({ id: 100 + index, parent: 10 + (index % 10) })),
    replies: Array.from({ length: 20 }, (_, index) => ({ id: 1_000 + index, parent: 100 + index })),
  }
  const child = (parent: string) =>
    entity(
      { parent: id('Parent') },
      { each: { entity: parent, take: { parent: 'id' } }, under: { field: 'parent', parent: 'id' } },
      { params: { parent: id('Parent') } },
    )
  world = new World(
    {
      repositories: entity(
        { changed: time('Changed') },
        { since: { param: 'since', field: 'changed', lookback: 60 } },
        { params: { since: opt(time('Since')) } },
      ),
      pulls: child('repositories'),
      reviews: child('pulls'),
      replies: child('reviews'),
    },
    {
      repositories: (params) =>
        page(rows['repositories']?.filter(({ changed }) => String(changed) >= String(params['since'] ?? '')) ?? [], params),
      pulls: below('pulls'),
      reviews: below('reviews'),
      replies: below('replies'),
    },
  )
})

const expectTruth = () => {
  for (const name of names) expect([name, world.ids(name)]).toEqual([name, rows[name]?.map((row) => Number(row['id']))])
}

test('are all read, and what is gone is deleted at each depth', async () => {
  expect([...new Set(Object.values(await world.states()))]).toEqual(['complete'])
  expectTruth()
  rows['pulls'] = rows['pulls']?.filter((row) => row['id'] !== 13) ?? []
  rows['reviews'] = rows['reviews']?.filter((row) => row['parent'] !== 13 && row['id'] !== 101) ?? []
  const left = new Set(rows['reviews'].map((row) => row['id']))
  rows['replies'] = rows['replies']?.filter((row) => left.has(row['parent'])) ?? []
  await world.sync({ mode: 'full' })
  expectTruth()
})

test('are read where only the deepest entity is wanted', async () => {
  await world.sync({ wanted: (name) => name === 'replies' })
  expect(world.ids('replies')).toHaveLength(20)
  expect([world.ids('pulls'), world.ids('reviews')]).toEqual([[], []])
})

test('a list that fails holds back what is below it, and nothing else', async () => {
  await world.sync()
  world.before = (name, { parent }) => {
    if (name === 'pulls' && parent === 1) throw fail('upstream_error', { vendor: 'Acme', reason: 'a bug' })
  }
  rows['replies'] = [...(rows['replies'] ?? []), { id: 1_020, parent: 101 }]
  const states = await world.states({ mode: 'full' })
  expect(states).toEqual({ repositories: 'complete', pulls: 'partial', reviews: 'partial', replies: 'partial' })
  expectTruth()
  world.before = () => undefined
  expect([...new Set(Object.values(await world.states({ mode: 'full' })))]).toEqual(['complete'])
  expectTruth()
})

test('a walk that the vendor interrupts again and again comes to its end', async () => {
  let left = 0
  world.before = () => {
    left -= 1
    if (left < 0) throw fail('upstream_rate_limited', { vendor: 'Acme' })
  }
  let runs = 0
  for (let isDone = false; !isDone && runs < 40; runs += 1) {
    left = 4
    isDone = await world.sync().then(
      () => true,
      () => false,
    )
  }
  expect(runs).toBeLessThan(40)
  expectTruth()
})

test('a killed walk goes on within the list where it stopped, and loses nothing', async () => {
  await world.sync()
  for (let at = 1; at < 60; at += 7) {
    let left = at
    world.store.before = () => {
      left -= 1
      if (left < 0) throw new Error('killed')
    }
    await world.sync({ mode: 'full' }).catch((thrown: Error) => expect(thrown.message).toBe('killed'))
    world.store.before = () => undefined
    expectTruth()
    await world.sync({ mode: 'full' })
    expectTruth()
  }
})

test('a list that shrinks before it goes on keeps what its pages before brought', async () => {
  await world.sync()
  rows['repositories'] = [{ id: 1, changed: new Date(world.now).toISOString() }, ...(rows['repositories']?.slice(1) ?? [])]
  world.before = (name, { parent }) => {
    if (name === 'reviews' && parent === 18) throw fail('upstream_rate_limited', { vendor: 'Acme' })
  }
  await expect(world.sync()).rejects.toThrow()
  world.before = () => undefined
  rows['pulls'] = rows['pulls']?.filter((row) => Number(row['id']) < 16) ?? []
  rows['reviews'] = rows['reviews']?.filter((row) => Number(row['parent']) < 16) ?? []
  const left = new Set(rows['reviews'].map((row) => row['id']))
  rows['replies'] = rows['replies']?.filter((row) => left.has(row['parent'])) ?? []
  world.taken()
  await world.sync()
  expect(world.taken().find((call) => call.startsWith('pulls'))).toBe('pulls parent=1 cursor=3')
  expect(world.ids('pulls')).toEqual(expect.arrayContaining([10, 11, 12, 13, 14, 15]))
  await world.sync({ mode: 'full' })
  expectTruth()
})

test('a position that another key signed begins its list again', async () => {
  rows['repositories'] = Array.from({ length: 8 }, (_, index) => ({ id: 1 + index, changed: '2026-03-20T10:00:00Z' }))
  const only = { wanted: (name: string) => name === 'repositories' }
  const errors = [{ field: '/params/cursor', message: 'is of another key', error_code: 'position' }]
  world.before = (_name, { cursor }) => {
    if (cursor === '6') throw fail('upstream_error', { vendor: 'Acme', reason: 'a bug' })
  }
  await expect(world.sync(only)).rejects.toThrow('a bug')
  let refusals = 1
  world.before = (_name, { cursor }) => {
    if (cursor === '6' && refusals-- > 0) throw fail('invalid_parameter', { reason: 'it is of another key' }, { errors })
  }
  expect(await world.states(only)).toEqual({ repositories: 'complete' })
  expect(world.ids('repositories')).toHaveLength(8)
})
