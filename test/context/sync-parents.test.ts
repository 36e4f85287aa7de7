/** Lists per record of several entities, and of some of their records. */
import { expect, test } from 'vitest'
import { bool, id, opt } from '../../packages/ferrule/src/definition/fields.ts'
import type { Each } from '../../packages/ferrule/src/definition/sync.ts'
import { fail } from '../../packages/ferrule/src/errors.ts'
import { entity, type Params, page, type Row, World } from './sync-words.ts'

const below = (rows: () => readonly Row[], param: string) => (params: Params) =>
  page(
    rows().filter((row) => row[param] === params[param]),
    params,
  )

/** Comments below issues and below pulls of repositories, whose ids are the same; and answers below comments. */
function makeWorld(parents: readonly Each[]) {
  const rows: Record<string, Row[]> = {
    repositories: [1, 2].map((number) => ({ id: number })),
    issues: Array.from({ length: 4 }, (_, index) => ({ id: 10 + index, repository: 1 + (index % 2), open: index > 0 })),
    pulls: Array.from({ length: 4 }, (_, index) => ({ id: 10 + index, repository: 1 + (index % 2), open: index > 1 })),
    comments: ['issues', 'pulls'].flatMap((kind, of) =>
      Array.from({ length: 8 }, (_, index) => ({ id: 100 * (of + 1) + index, on: `${kind}/${10 + (index % 4)}` })),
    ),
    answers: Array.from({ length: 16 }, (_, index) => ({ id: 1_000 + index, comment: 100 * (1 + (index % 2)) + Math.floor(index / 2) })),
  }
  const read = (name: string) => () => rows[name] ?? []
  const ofRepository = { each: { entity: 'repositories', take: { repository: 'id' } } }
  const inRepository = { repository: id('Repository'), open: opt(bool('Open')) }
  const world = new World(
    {
      repositories: entity({}, {}),
      issues: entity(inRepository, ofRepository, { params: { repository: id('Repository') } }),
      pulls: entity(inRepository, ofRepository, { params: { repository: id('Repository') } }),
      comments: entity({}, { each: parents }, { params: { issue: opt(id('Issue')), pull: opt(id('Pull')) } }),
      answers: entity({}, { each: { entity: 'comments', take: { comment: 'id' } } }, { params: { comment: id('Comment') } }),
    },
    {
      repositories: (params) => page(read('repositories')(), params),
      issues: below(read('issues'), 'repository'),
      pulls: below(read('pulls'), 'repository'),
      comments: (params) => {
        const on = params['issue'] === undefined ? `pulls/${params['pull']}` : `issues/${params['issue']}`
        return page(
          read('comments')().filter((row) => row['on'] === on),
          params,
        )
      },
      answers: below(read('answers'), 'comment'),
    },
  )
  const expectTruth = () => {
    for (const name of Object.keys(rows)) expect([name, world.ids(name)]).toEqual([name, rows[name]?.map((row) => Number(row['id']))])
  }
  return { rows, world, expectTruth }
}

const both: readonly Each[] = [
  { entity: 'issues', take: { issue: 'id' } },
  { entity: 'pulls', take: { pull: 'id' } },
]

test('are read below each of them, and what is gone is deleted', async () => {
  const { rows, world, expectTruth } = makeWorld(both)
  expect([...new Set(Object.values(await world.states()))]).toEqual(['complete'])
  expectTruth()
  rows['comments'] = rows['comments']?.filter((row) => row['id'] !== 101 && row['on'] !== 'pulls/12') ?? []
  const left = new Set(rows['comments'].map((row) => row['id']))
  rows['answers'] = rows['answers']?.filter((row) => left.has(row['comment'])) ?? []
  expect(await world.states()).toMatchObject({ comments: 'complete', answers: 'complete' })
  expectTruth()
})

test('a parent that fails holds back itself, not one of the same id, and is read as soon as it can be', async () => {
  const { rows, world, expectTruth } = makeWorld(both)
  await world.sync()
  world.before = (_name, { pull }) => {
    if (pull === 11) throw fail('upstream_error', { vendor: 'Acme', reason: 'a bug' })
  }
  rows['comments'] = [
    ...(rows['comments'] ?? []).slice(0, 8),
    { id: 108, on: 'issues/11' },
    ...(rows['comments'] ?? []).slice(8),
    { id: 208, on: 'pulls/12' },
  ]
  const { entities } = await world.sync()
  expect(entities.find((each) => each.entity === 'comments')).toMatchObject({
    state: 'partial',
    error: { message: expect.stringContaining('Below 1 record of issues and pulls nothing could be read (pulls/11)') },
  })
  expectTruth()
  world.before = () => undefined
  expect([...new Set(Object.values(await world.states()))]).toEqual(['complete'])
  expectTruth()
})

test('an attempt that is stopped goes on where it was, below either', async () => {
  const { world, expectTruth } = makeWorld(both)
  for (let stopped = 0; stopped < 40; stopped += 1) {
    const controller = new AbortController()
    let calls = 0
    world.before = () => {
      calls += 1
      if (calls === 30) controller.abort(new Error('stopped'))
    }
    const ended = await world.sync({ signal: controller.signal }).then(
      () => true,
      () => false,
    )
    if (ended && calls < 30) break
  }
  expectTruth()
})

test('only records that fit are called for', async () => {
  const { world } = makeWorld(both.map((each) => ({ ...each, where: { field: 'open', is: true } })))
  await world.sync()
  expect(world.ids('comments')).toEqual([101, 102, 103, 105, 106, 107, 202, 203, 206, 207])
  const some = makeWorld([{ entity: 'issues', take: { issue: 'id' }, where: { field: 'id', is: '{issues}' } }])
  await some.world.sync({ configuration: { issues: ['10', '13'] } })
  expect(some.world.ids('comments')).toEqual([100, 103, 104, 107])
  await some.world.sync({ configuration: {} })
  expect(some.world.ids('comments')).toEqual([100, 101, 102, 103, 104, 105, 106, 107])
})
