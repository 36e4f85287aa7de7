/** Mistakes in the files of kinds that ship are found by their stand-ins: so a file that passes is right there. */
import { describe, expect, test } from 'vitest'
import type { LoadedKind } from '../../packages/ferrule/src/kind-file/index.ts'
import { held, loadSubject, open, parseText, readKindFile, walk } from './connectors.ts'
import { equal, openCopy, startFor } from './copies.ts'
import { type Mistake, mistakes } from './mistakes.ts'
import { type Subject, subjects } from './subjects.ts'

/** Walks the first list of an entity. @returns whether it has what the vendor has */
async function isWhole(subject: Subject, kind: LoadedKind, entity: string): Promise<boolean> {
  const list = subject.lists.find((one) => one.entity === entity)
  if (list === undefined) throw new Error(`${entity} has no list in the tests`)
  await using vendor = subject.start()
  await using connector = await open(subject, vendor, kind)
  vendor.mutate()
  const keys = await walk(connector, list)
  return JSON.stringify(keys.toSorted()) === JSON.stringify(held(vendor, list).toSorted())
}

/** Copies an entity, and again after changes. @returns how the runs ended, and whether the copy equals the vendor */
async function copyTwice(subject: Subject, kind: LoadedKind, entity: string) {
  const copy = subject.copies.find((one) => one.entity === entity)
  if (copy === undefined) throw new Error(`${entity} has no copy in the tests`)
  await using vendor = startFor(subject, copy)()
  await using connection = await openCopy(subject, copy, { vendor, kind })
  const states = [(await connection.run())[entity]]
  for (let count = 0; count < 3; count += 1) vendor.mutate()
  states.push((await connection.run())[entity])
  const { lost, more, old } = connection.compare(copy)
  return { states, isEqual: JSON.stringify({ lost, more, old }) === JSON.stringify(equal) }
}

async function isCopied(subject: Subject, kind: LoadedKind, entity: string): Promise<boolean> {
  const { states, isEqual } = await copyTwice(subject, kind, entity)
  return isEqual && states.every((state) => state === 'complete' || state === 'changes')
}

async function isIncremental(subject: Subject, kind: LoadedKind, entity: string): Promise<boolean> {
  const { states } = await copyTwice(subject, kind, entity)
  return states[1] === 'changes'
}

/** Does the first write of an entity, and loses its answer if the vendor knows repeated writes. @returns whether it was done once */
async function isWritten(subject: Subject, kind: LoadedKind, entity: string): Promise<boolean> {
  const write = subject.writes.find((one) => one.entity === entity)
  if (write === undefined) throw new Error(`${entity} has no write in the tests`)
  await using vendor = subject.start()
  await using connector = await open(subject, vendor, kind)
  const before = vendor.holds(write.holds).length
  vendor.lostAnswers = write.once ? 1 : 0
  await connector.execute(write.entity, write.action, write.params({}))
  return vendor.holds(write.holds).length - before === (write.more ?? 0)
}

const checks = { list: isWhole, copy: isCopied, changes: isIncremental, write: isWritten }

/** Returns whether a kind does what it should by one entity; an error counts as no. */
async function isRight(subject: Subject, load: () => Promise<LoadedKind>, by: Mistake['by']): Promise<boolean> {
  const [way = '', entity = ''] = by.split(' ')
  const check = Object.entries(checks).find(([name]) => name === way)?.[1]
  if (check === undefined) throw new Error(`${way} is no check`)
  try {
    return await check(subject, await load(), entity)
  } catch (thrown) {
    if (String(thrown).includes('in the tests')) throw thrown
    return false
  }
}

describe.each(subjects)('in $slug', (subject) => {
  const own = mistakes[subject.slug] ?? []

  test('ten mistakes are tried, and none of their checks fails without them', async () => {
    expect(own.length).toBeGreaterThanOrEqual(10)
    for (const by of new Set(own.map((mistake) => mistake.by)))
      expect([by, await isRight(subject, () => loadSubject(subject), by)]).toEqual([by, true])
  })

  test.each(own.map((mistake) => [mistake.says, mistake] as const))('%s is found', async (_says, { change: [from, to], by }) => {
    const text = await readKindFile(subject)
    expect(text.split(from).length - 1).toBeGreaterThan(0)
    expect(await isRight(subject, () => parseText(subject, text.replace(from, to)), by)).toBe(false)
  })
})
