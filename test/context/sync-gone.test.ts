/** Records that the vendor still lists, with a field that says that they are deleted. */
import { beforeEach, describe, expect, test } from 'vitest'
import { bool, type Field, id, opt, orNull, str, time } from '../../packages/ferrule/src/definition/fields.ts'
import { fail } from '../../packages/ferrule/src/errors.ts'
import { type Answered, entity, type Params, page, type Row, World } from './sync-words.ts'

const people = (more: number): Row[] => Array.from({ length: more }, (_, index) => ({ id: index + 1, changed: '2026-03-20T10:00:00Z' }))

describe('a deleted record', () => {
  let rows: Row[]
  let notes: Row[]
  let world: World
  const list = (params: Params): Answered =>
    page(
      rows.filter(({ changed }) => String(changed) >= String(params['since'] ?? '')),
      params,
    )
  const mark = (number: number, more: Row) => {
    const row = rows.find((each) => each['id'] === number)
    Object.assign(row ?? {}, { changed: new Date(world.now).toISOString() }, more)
  }
  beforeEach(() => {
    rows = people(40)
    notes = [1, 2, 3].map((number) => ({ id: number * 10, person: number }))
    const record = { changed: time('Changed'), status: opt(str('Status')) }
    const since = { param: 'since', field: 'changed', lookback: 60 }
    world = new World(
      {
        people: entity(record, { since, gone: { field: 'status', is: 'deleted' } }, { params: { since: opt(time('Since')) } }),
        notes: entity(
          { person: id('Person') },
          { each: { entity: 'people', take: { person: 'id' } }, under: { field: 'person', parent: 'id' } },
          { params: { person: id('Person') } },
        ),
      },
      { people: list, notes: ({ person }) => ({ rows: notes.filter((each) => each['person'] === person), next: null }) },
    )
  })

  test('never enters a copy, and nothing is asked for below it', async () => {
    mark(2, { status: 'deleted' })
    expect(await world.states()).toEqual({ people: 'complete', notes: 'complete' })
    expect(world.ids('people')).toHaveLength(39)
    expect(world.ids('notes')).toEqual([10, 30])
    expect(world.taken()).not.toContain('notes person=2')
  })

  test.each(['incremental', 'full'] as const)('leaves the copy with what belongs to it in a run of the mode %s', async (mode) => {
    await world.sync()
    expect(world.ids('notes')).toEqual([10, 20, 30])
    mark(2, { status: 'deleted' })
    const lost: [string, number][] = []
    const onLost = async (by: ReadonlyMap<string, number>) => void lost.push(...by)
    expect(Object.values(await world.states({ mode, onLost }))).toContain(mode === 'full' ? 'complete' : 'changes')
    expect([world.ids('people').includes(2), world.ids('notes')]).toEqual([false, [10, 30]])
    expect(lost).toEqual([
      ['people', 1],
      ['notes', 1],
    ])
  })

  test('returns when the vendor has it again', async () => {
    await world.sync()
    mark(2, { status: 'deleted' })
    await world.sync()
    mark(2, { status: 'active' })
    await world.sync()
    expect([world.ids('people').includes(2), world.ids('notes')]).toEqual([true, [10, 20, 30]])
  })

  test('is found again after a kill between its deletion and the progress of the walk', async () => {
    await world.sync()
    mark(2, { status: 'deleted' })
    world.store.before = (change, moment) => {
      if (change === 'forget people' && moment === 'after') throw new Error('killed')
    }
    await expect(world.sync()).rejects.toThrow('killed')
    world.store.before = () => undefined
    await world.sync()
    expect([world.ids('people').includes(2), world.ids('notes')]).toEqual([false, [10, 30]])
  })

  test('brings back nothing that could not be read below it before', async () => {
    world.before = (name, { person }) => {
      if (name === 'notes' && person === 2) throw fail('upstream_error', { vendor: 'Acme', reason: 'a bug' })
    }
    await world.sync()
    expect(world.ids('notes')).toEqual([10, 30])
    mark(2, { status: 'deleted' })
    await world.sync()
    world.before = () => undefined
    world.taken()
    await world.sync()
    expect(world.taken()).not.toContain('notes person=2')
    expect(world.ids('notes')).toEqual([10, 30])
  })
})

const says: readonly (readonly [string, { dead: unknown; alive: unknown; field: Field; is?: true }])[] = [
  ['a time', { dead: '2026-03-01T00:00:00Z', alive: null, field: orNull(time('Archived')) }],
  ['a flag', { dead: true, alive: false, field: bool('Archived') }],
  ['a flag by its value', { dead: true, alive: false, field: bool('Archived'), is: true }],
]

test.each(says)('%s says that a record is deleted', async (_name, { dead, alive, field, ...is }) => {
  const given = [1, 2, 3].map((number) => ({ id: number, archived: number === 2 ? dead : alive }))
  const world = new World(
    { rows: entity({ archived: field }, { gone: { field: 'archived', ...is } }) },
    { rows: (params) => page(given, params) },
  )
  await world.sync()
  expect(world.ids('rows')).toEqual([1, 3])
})

test('one with a key of several parts leaves the copy', async () => {
  const rows = [1, 2].flatMap((day) => ['a', 'b'].map((part): Row => ({ id: day, part, gone: false })))
  const definition = { ...entity({ part: str('Part'), gone: bool('Gone') }, { gone: { field: 'gone' } }), key: ['id', 'part'] }
  const world = new World({ rows: definition }, { rows: (params) => page(rows, params) })
  await world.sync()
  expect(world.copy('rows')).toHaveLength(4)
  Object.assign(rows[1] ?? {}, { gone: true })
  await world.sync()
  expect(world.copy('rows').map(({ id: day, part }) => `${day}${part}`)).toEqual(['1a', '2a', '2b'])
})
