/** One walk for each value of a parameter. */
import { beforeEach, expect, test } from 'vitest'
import { id, opt, str, time } from '../../packages/ferrule/src/definition/fields.ts'
import type { Sync } from '../../packages/ferrule/src/definition/sync.ts'
import { fail } from '../../packages/ferrule/src/errors.ts'
import { entity, type Params, page, type Row, World } from './sync-words.ts'

const colors = ['red', 'green', 'blue'] as const
const values = colors.map((kind) => ({ kind }))
const params = { kind: str('Kind'), since: opt(time('Since')) }
const record = { kind: str('Kind'), changed: time('Changed') }
let rows: Row[]
let world: World

const list = (given: Params) =>
  page(
    rows.filter((row) => row['kind'] === given['kind'] && String(row['changed']) >= String(given['since'] ?? '')),
    given,
  )
const begin = (sync: Sync) => {
  world = new World({ rows: entity(record, { values, ...sync }, { params }) }, { rows: list })
}
const change = (number: number) => {
  rows = rows.map((row) => (row['id'] === number ? { ...row, changed: new Date(world.now).toISOString() } : row))
}
const expectTruth = () => expect(world.copy('rows')).toEqual(rows.toSorted((one, other) => Number(one['id']) - Number(other['id'])))

beforeEach(() => {
  rows = Array.from({ length: 12 }, (_, index) => ({ id: index + 1, kind: colors[index % 3], changed: '2026-03-20T10:00:00Z' }))
})

test('walks the list of each value to its end', async () => {
  begin({})
  expect(await world.states()).toEqual({ rows: 'complete' })
  expect(world.taken()).toEqual(colors.flatMap((kind) => [`rows kind=${kind}`, `rows kind=${kind} cursor=3`]))
  expectTruth()
  rows = rows.filter((row) => row['id'] !== 5)
  await world.sync()
  expectTruth()
})

test('asks for changes of each value, from one mark', async () => {
  rows = [...rows, ...rows.flatMap((row) => [1, 2, 3, 4].map((more) => ({ ...row, id: Number(row['id']) + more * 20 })))]
  begin({ since: { param: 'since', field: 'changed', lookback: 60 } })
  await world.sync()
  world.taken()
  world.before = (_name, { kind }) => {
    if (kind === 'blue') change(1)
  }
  change(2)
  expect(await world.states()).toEqual({ rows: 'changes' })
  expect(world.taken().every((call) => call.includes('since='))).toBe(true)
  world.before = () => undefined
  await world.sync()
  expectTruth()
})

test('goes on with the value at which it stopped', async () => {
  begin({})
  world.before = (_name, { kind, cursor }) => {
    if (kind === 'green' && cursor === '3') throw fail('upstream_error', { vendor: 'Acme', reason: 'a bug' })
  }
  await expect(world.sync()).rejects.toThrow()
  world.before = () => undefined
  world.taken()
  await world.sync()
  expect(world.taken()[0]).toMatch(/^rows kind=(red|green)/)
  expectTruth()
})

test('passes over a value that the vendor refuses, and deletes nothing', async () => {
  begin({})
  await world.sync()
  world.before = (_name, { kind }) => {
    if (kind === 'green') throw fail('upstream_permission_denied', { vendor: 'Acme', reason: 'not green' })
  }
  rows = rows.map((row) => (row['id'] === 3 ? { ...row, changed: '2026-03-21T00:00:00Z' } : row))
  expect(await world.states({ mode: 'full' })).toEqual({ rows: 'partial' })
  expectTruth()
  world.before = () => {
    throw fail('upstream_permission_denied', { vendor: 'Acme', reason: 'no colour' })
  }
  expect(await world.states({ mode: 'full' })).toEqual({ rows: 'skipped' })
  expectTruth()
})

test('a list from its newest records comes back in the list of each value', async () => {
  rows = [
    ...rows,
    ...rows.flatMap((row) => [1, 2, 3, 4].map((more) => ({ ...row, id: Number(row['id']) + more * 20, changed: '2026-03-20T09:00:00Z' }))),
  ]
  const sorted = (given: Params) =>
    page(
      rows
        .filter(({ kind }) => kind === given['kind'])
        .toSorted((one, other) => String(other['changed']).localeCompare(String(one['changed']))),
      given,
    )
  world = new World({ rows: entity(record, { values, newest: 'changed' }, { params }) }, { rows: sorted })
  await world.sync()
  world.now += 3_600_000
  for (const number of [1, 2, 3]) change(number)
  await world.sync()
  world.taken()
  change(4)
  await world.sync()
  expect(world.taken()).toEqual(colors.map((kind) => `rows kind=${kind}`))
  expectTruth()
})

test('are asked for below each record too', async () => {
  const below = { each: { entity: 'rows', take: { row: 'id' } }, values: [{ kind: 'a' }, { kind: 'b' }] }
  const notes = [1, 2].flatMap((row) => ['a', 'b'].map((kind): Row => ({ id: row * 10 + (kind === 'a' ? 0 : 1), row, kind })))
  world = new World(
    {
      rows: entity({}, {}),
      notes: entity({ row: id('Row'), kind: str('Kind') }, below, { params: { row: id('Row'), kind: str('Kind') } }),
    },
    {
      rows: (given) => page([{ id: 1 }, { id: 2 }], given),
      notes: ({ row, kind }) => ({ rows: notes.filter((note) => note['row'] === row && note['kind'] === kind), next: null }),
    },
  )
  await world.sync()
  expect(world.ids('notes')).toEqual([10, 11, 20, 21])
})

test('are combined, where several parameters have some', async () => {
  const each = [1, 2].flatMap((size) => ['a', 'b'].map((kind) => ({ kind, size })))
  const shown = { kind: str('Kind'), size: id('Size') }
  world = new World(
    { notes: entity(shown, { values: each }, { params: shown }) },
    { notes: ({ kind, size }) => ({ rows: [{ id: Number(size) * 10 + (kind === 'a' ? 0 : 1), kind, size }], next: null }) },
  )
  await world.sync()
  expect(world.ids('notes')).toEqual([10, 11, 20, 21])
})
