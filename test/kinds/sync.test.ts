/** The copy of each kind that ships: equal to what the stand-in of its vendor holds, after every run. */
import { describe, expect, test } from 'vitest'
import { loadSubject } from './connectors.ts'
import { equal, openCopy, startFor } from './copies.ts'
import { GoogleCalendar } from './stand-ins/google-calendar.ts'
import { subjects } from './subjects.ts'

const copied = subjects.flatMap((subject) => subject.copies.map((copy) => [`${subject.slug} ${copy.entity}`, subject, copy] as const))

describe('the copy equals the vendor after a complete run, after changes, and after changes during a run:', () => {
  test.each(copied)('%s', async (_name, subject, copy) => {
    await using vendor = startFor(subject, copy)()
    await using connection = await openCopy(subject, copy, { vendor, kind: await loadSubject(subject) })
    expect(await connection.run()).toMatchObject({ [copy.entity]: 'complete' })
    expect(connection.compare(copy)).toMatchObject(equal)

    const before = vendor.calls.length
    vendor.mutate()
    const state = await connection.run()
    expect(state[copy.entity]).toBe(copy.incremental ? 'changes' : 'complete')
    // Little is read when little changed.
    if (copy.incremental) expect(vendor.calls.length - before).toBeLessThan(Math.max(3, before / 2))
    expect(connection.compare(copy)).toMatchObject(equal)

    vendor.between = () => vendor.mutate()
    await connection.run()
    vendor.between = undefined
    await connection.run()
    expect(connection.compare(copy)).toMatchObject(equal)

    await connection.run('full')
    expect(connection.compare(copy)).toEqual({ ...equal, kept: 0 })
  })
})

test('a token of changes that has ended is followed by a complete run', async () => {
  const subject = subjects.find(({ slug }) => slug === 'google-calendar')
  const copy = subject?.copies.find(({ entity }) => entity === 'events')
  if (subject === undefined || copy === undefined) throw new Error('the kind is not there')
  await using vendor = new GoogleCalendar()
  await using connection = await openCopy(subject, copy, { vendor, kind: await loadSubject(subject) })
  await connection.run()
  vendor.mutate()
  vendor.ended = Number.MAX_SAFE_INTEGER
  await connection.run()
  expect(vendor.calls.some(({ query }) => query.has('syncToken'))).toBe(true)
  expect(connection.compare(copy)).toMatchObject(equal)
})
