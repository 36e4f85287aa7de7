/** Lists below repositories of GitHub: each has its own mark. */
import { expect, test } from 'vitest'
import { loadSubject } from './connectors.ts'
import { equal, openCopy } from './copies.ts'
import { GitHub, githubRefusals } from './stand-ins/github.ts'
import type { Answer, Call } from './stand-ins/shared.ts'
import { subjects } from './subjects.ts'

/** Refuses what lies below a repository. */
class Refusing extends GitHub {
  refused = 'none'

  protected override answer(call: Call): Answer {
    return call.path.includes(`/octo/${this.refused}/`) ? githubRefusals.may : super.answer(call)
  }
}

const listed = ['issues', 'pull_requests', 'issue_comments'] as const

/** Opens a copy of the lists of a vendor with two large repositories. */
async function openGitHub(entity: (typeof listed)[number]) {
  const subject = subjects.find(({ slug }) => slug === 'github')
  const copy = subject?.copies.find((each) => each.entity === entity)
  if (subject === undefined || copy === undefined) throw new Error('the kind is not there')
  const vendor = new Refusing({ records: 240, small: 120, smaller: 10 })
  const connection = await openCopy(subject, copy, { vendor, kind: await loadSubject(subject) })
  /** The first calls of the lists since the last time, by repository. */
  const takeFirst = () => {
    const calls = vendor.calls.splice(0).filter(({ path }) => path.startsWith('/repos/'))
    return Object.fromEntries(calls.toReversed().map(({ path, query }) => [path.split('/')[3], query.get('since')]))
  }
  return { vendor, connection, copy, takeFirst }
}

test.each(listed)('%s: a run by changes deletes nothing, a complete one does, and both have the same', async (entity) => {
  const { vendor, connection, copy } = await openGitHub(entity)
  await using _vendor = vendor
  await using _connection = connection
  await connection.run()
  const all = vendor.calls.splice(0).length
  for (let round = 0; round < 3; round += 1) vendor.mutate()
  expect(await connection.run()).toMatchObject({ [entity]: 'changes' })
  expect(vendor.calls.length).toBeLessThan(all / 2)
  const { kept, ...rest } = connection.compare(copy)
  expect(rest).toEqual(equal)
  expect(kept).toBe(entity === 'issue_comments' ? 3 : 0)
  expect(await connection.run('full')).toMatchObject({ [entity]: 'complete' })
  expect(connection.compare(copy)).toEqual({ ...equal, kept: 0 })
})

test('a repository that fails keeps its mark, and the others go on', async () => {
  const { vendor, connection, copy, takeFirst } = await openGitHub('issues')
  await using _vendor = vendor
  await using _connection = connection
  await connection.run()
  expect(takeFirst()).toMatchObject({ large: null, small: null })
  await connection.run()
  const before = takeFirst()
  expect(before).toMatchObject({ large: expect.stringMatching(/^20/), small: expect.stringMatching(/^20/) })

  vendor.refused = 'large'
  vendor.mutate()
  expect(await connection.run()).toMatchObject({ issues: expect.stringContaining('partial') })
  const refused = takeFirst()
  expect(Date.parse(String(refused['small']))).toBeGreaterThan(Date.parse(String(before['small'])))

  vendor.refused = 'none'
  vendor.mutate()
  expect(await connection.run()).toMatchObject({ issues: 'changes' })
  expect(takeFirst()['large']).toBe(refused['large'])
  expect(connection.compare(copy)).toEqual({ ...equal, kept: 0 })
})
