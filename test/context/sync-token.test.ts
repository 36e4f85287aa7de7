/** A token of changes that is kept between runs. */
import { beforeEach, expect, test } from 'vitest'
import { id, opt, str } from '../../packages/ferrule/src/definition/fields.ts'
import { type FerruleError, fail } from '../../packages/ferrule/src/errors.ts'
import { Random } from '../../packages/sandbox/src/random.ts'
import { type Answered, entity, type Params, page, type Row, World } from './sync-words.ts'

let rows: Map<number, Row>
let at: number
let world: World
let notes: Row[]

const put = (number: number, more: Row = {}) => {
  at += 1
  rows.set(number, { id: number, status: 'here', at, ...more })
}
const drop = (number: number) => put(number, { status: 'cancelled' })

/** Answers as the vendor does: without a token everything that is here, with one what changed since; the last page names the next token. */
function list(params: Params): Answered {
  const token = params['sync']
  if (token === 'ended') throw fail('invalid_cursor', { reason: 'the token has ended' })
  const all = [...rows.values()].toSorted((one, other) => Number(one['at']) - Number(other['at']))
  const due = token === undefined ? all.filter(({ status }) => status === 'here') : all.filter((row) => Number(row['at']) > Number(token))
  const answer = page(due, params)
  return answer.next === null ? { ...answer, token: String(at) } : answer
}

beforeEach(() => {
  rows = new Map()
  notes = [1, 2, 3].map((number) => ({ id: number * 10, row: number }))
  at = 0
  for (let number = 1; number <= 8; number += 1) put(number)
  const token = { read: 'next_sync', param: 'sync' }
  world = new World(
    {
      rows: entity(
        { status: str('Status') },
        { token, gone: { field: 'status', is: 'cancelled' } },
        { params: { sync: opt(str('Token')) } },
      ),
      notes: entity(
        { row: id('Row') },
        { each: { entity: 'rows', take: { row: 'id' } }, under: { field: 'row', parent: 'id' } },
        { params: { row: id('Row') } },
      ),
    },
    { rows: list, notes: ({ row }) => ({ rows: notes.filter((each) => each['row'] === row), next: null }) },
  )
})

const only = { wanted: (name: string) => name === 'rows' }
const expectTruth = () => {
  const here = [...rows.values()].filter(({ status }) => status === 'here').map((row) => Number(row['id']))
  expect(world.ids('rows')).toEqual(here.toSorted((one, other) => one - other))
}

test('a run sends the token of the run before, and takes what changed and what is gone', async () => {
  expect(await world.states()).toEqual({ rows: 'complete', notes: 'complete' })
  world.taken()
  put(2)
  put(9)
  drop(3)
  expect(await world.states()).toEqual({ rows: 'changes', notes: 'changes' })
  expect(world.taken()).toEqual(['rows sync=8', 'rows sync=8', 'notes row=2', 'notes row=9'])
  expectTruth()
  expect(world.ids('notes')).toEqual([10, 20])
  await world.sync(only)
  expect(world.taken()).toEqual(['rows sync=11'])
})

test('a walk of several pages keeps the token with its position', async () => {
  await world.sync(only)
  world.taken()
  for (let number = 10; number < 18; number += 1) put(number)
  world.before = (_name, { cursor }) => {
    if (cursor === '6') throw fail('upstream_error', { vendor: 'Acme', reason: 'a bug' })
  }
  await expect(world.sync(only)).rejects.toThrow()
  world.before = () => undefined
  await world.sync(only)
  expect(world.taken().at(-1)).toBe('rows sync=8 cursor=6')
  expectTruth()
})

test.each<[string, () => FerruleError]>([
  ['invalid_cursor', () => fail('invalid_cursor', { reason: 'the token has ended' })],
  ['gone', () => fail('record_not_found', { reason: 'the token has ended' }, { gone: true })],
])('a token that the vendor refuses (%s) makes a complete pass, which deletes what went meanwhile', async (_name, refuse) => {
  await world.sync(only)
  drop(4)
  rows.delete(4)
  put(11)
  world.before = (_entity, { sync }) => {
    if (sync === '8') throw refuse()
  }
  expect(await world.states(only)).toEqual({ rows: 'complete' })
  expectTruth()
  world.before = () => undefined
  put(12)
  expect(await world.states(only)).toEqual({ rows: 'changes' })
  expectTruth()
})

test('a complete pass whose last page names no token is followed by another one', async () => {
  const { wanted } = only
  world = new World(
    { rows: entity({}, { token: { read: 'next_sync', param: 'sync' } }, { params: { sync: opt(str('Token')) } }) },
    {
      rows: (params) => page([...rows.values()], params),
    },
  )
  expect(await world.states({ wanted })).toEqual({ rows: 'complete' })
  expect(await world.states({ wanted })).toEqual({ rows: 'complete' })
})

test('the copy stays true, whenever a run is killed', async () => {
  const random = new Random(24)
  for (let round = 0; round < 40; round += 1) {
    for (let index = random.int(0, 9); index > 0; index -= 1) (random.chance(0.3) ? drop : put)(random.int(1, 15))
    let left = random.chance(0.4) ? random.int(1, 6) : Number.POSITIVE_INFINITY
    world.store.before = () => {
      left -= 1
      if (left < 0) throw new Error('killed')
    }
    await world.sync(only).catch((thrown: Error) => expect(thrown.message).toBe('killed'))
    world.store.before = () => undefined
    await world.sync(only)
    await world.sync(only)
    expectTruth()
  }
})
