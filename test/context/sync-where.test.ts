/** Lists that keep only the records that fulfil conditions: a sync meets the others too, and takes from the copy what no longer fits. */
import { beforeEach, describe, expect, test } from 'vitest'
import type { EntityDefinition } from '../../packages/ferrule/src/definition/entity.ts'
import { id, opt, str, time } from '../../packages/ferrule/src/definition/fields.ts'
import type { Condition } from '../../packages/ferrule/src/definition/sync.ts'
import { type Answered, entity, type Params, page, type Row, World } from './sync-words.ts'

const withWhere = ({ list = { call: 'GET /rows', at: '', params: {} }, ...rest }: EntityDefinition, ...where: Condition[]) => ({
  ...rest,
  list: { ...list, where },
})
const isFile = { field: 'type', is: 'file' }

describe('a record that fits no longer', () => {
  let rows: Row[]
  let world: World
  const record = { changed: time('Changed'), type: str('Type') }
  const since = { param: 'since', field: 'changed', lookback: 60 }
  const files = withWhere(entity(record, { since }, { params: { since: opt(time('Since')) } }), isFile)
  const list = (params: Params): Answered =>
    page(
      rows.filter(({ changed }) => String(changed) >= String(params['since'] ?? '')),
      params,
    )
  const turn = (number: number, type: string) =>
    Object.assign(rows.find((each) => each['id'] === number) ?? {}, { changed: new Date(world.now).toISOString(), type })
  beforeEach(() => {
    rows = Array.from({ length: 60 }, (_, index) => ({
      ...{ id: index + 1, changed: '2026-03-20T10:00:00Z', type: index % 2 === 0 ? 'folder' : 'file' },
    }))
    const notes = rows.map((row) => ({ id: Number(row['id']) * 10, file: row['id'] }))
    world = new World(
      {
        files,
        notes: entity(
          { file: id('File') },
          { each: { entity: 'files', take: { file: 'id' } }, under: { field: 'file', parent: 'id' } },
          { params: { file: id('File') } },
        ),
      },
      { files: list, notes: ({ file }) => ({ rows: notes.filter((each) => each.file === file), next: null }) },
    )
  })
  const listFitting = () => rows.filter(({ type }) => type === 'file').map((row) => Number(row['id']))
  const expectTruth = () =>
    expect([world.ids('files'), world.ids('notes')]).toEqual([listFitting(), listFitting().map((number) => number * 10)])

  test('never enters a copy when it never did, and nothing is asked for below it', async () => {
    expect(await world.states()).toEqual({ files: 'complete', notes: 'complete' })
    expectTruth()
    const calls = world.taken()
    expect([calls.includes('notes file=2'), calls.includes('notes file=1')]).toEqual([true, false])
  })

  test.each(['incremental', 'full'] as const)('leaves the copy with what belongs to it in a run of the mode %s', async (mode) => {
    await world.sync()
    turn(2, 'folder')
    expect(Object.values(await world.states({ mode }))).toContain(mode === 'full' ? 'complete' : 'changes')
    expectTruth()
  })

  test('returns when it fits again', async () => {
    await world.sync()
    turn(2, 'folder')
    await world.sync()
    turn(2, 'file')
    turn(3, 'file')
    await world.sync()
    expectTruth()
  })

  test('leaves the copy in a run that reads changes only, and moves the mark of the changes', async () => {
    world = new World({ files }, { files: list })
    await world.sync()
    turn(2, 'folder')
    const from = new Date(Date.parse(String(rows[1]?.['changed'])) - 60_001).toISOString()
    expect(await world.states()).toEqual({ files: 'changes' })
    expect(world.ids('files')).toEqual(listFitting())
    world.taken()
    expect(await world.states()).toEqual({ files: 'changes' })
    expect(world.taken()).toEqual([`files since=${from}`])
  })
})

test('a complete pass keeps a record whose key another row has too, and that one does not fit', async () => {
  const rows = [
    { id: 1, type: 'file' },
    { id: 2, type: 'file' },
    { id: 3, type: 'folder' },
    { id: 2, type: 'folder' },
    { id: 1, type: 'folder' },
  ]
  const world = new World({ files: withWhere(entity({ type: str('Type') }, {}), isFile) }, { files: (params) => page(rows, params) })
  for (const _run of [1, 2]) {
    await world.sync()
    expect(world.copy('files')).toEqual(rows.slice(0, 2))
  }
})

test('a list from its newest records goes on behind a page on which nothing fits', async () => {
  const rows: Row[] = Array.from({ length: 9 }, (_, index) => ({ id: index, changed: `2026-03-19T0${9 - index}:00:00Z`, type: 'file' }))
  const record = { changed: time('Changed'), type: str('Type') }
  const world = new World({ files: withWhere(entity(record, { newest: 'changed' }), isFile) }, { files: (params) => page(rows, params) })
  await world.sync()
  const more = Array.from({ length: 4 }, (_, index) => ({ id: 20 + index, changed: `2026-03-20T0${9 - index}:00:00Z`, type: 'folder' }))
  rows.unshift(...more, { id: 30, changed: '2026-03-20T01:00:00Z', type: 'file' })
  await world.sync()
  expect(world.ids('files')).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 30])
})

test('another configuration reads everything, and other records stay', async () => {
  const rows = ['a', 'b', 'c', 'b'].map((team, index) => ({ id: index, team, changed: '2026-03-20T10:00:00Z' }))
  const record = { team: str('Team'), changed: time('Changed') }
  const files = withWhere(
    entity(record, { since: { param: 'since', field: 'changed', lookback: 60 } }, { params: { since: opt(time('Since')) } }),
    { field: 'team', is: '{teams}' },
  )
  const world = new World(
    { files },
    {
      files: ({ since = '', ...rest }) =>
        page(
          rows.filter(({ changed }) => changed >= String(since)),
          rest,
        ),
    },
  )
  for (const [teams, ids] of [
    [['b'], [1, 3]],
    [
      ['a', 'c'],
      [0, 2],
    ],
    [[], [0, 1, 2, 3]],
  ] as const) {
    await world.sync({ configuration: { teams } })
    expect(world.ids('files')).toEqual(ids)
  }
})
