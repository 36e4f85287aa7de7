/** The copy of each kind that ships: equal to what the stand-in of its vendor holds, after every run. */
import { describe, expect, test } from 'vitest'
import { loadSubject } from './connectors.ts'
import { equal, openCopy, startFor } from './copies.ts'
import { GoogleCalendar } from './stand-ins/google-calendar.ts'
import { HubSpot } from './stand-ins/hubspot.ts'
import { Salesforce } from './stand-ins/salesforce.ts'
import { at, type Vendor } from './stand-ins/shared.ts'
import { ZendeskObjects } from './stand-ins/zendesk-objects.ts'
import { subjects } from './subjects.ts'

/** A vendor whose account made types of records, and where a record has the fields of its type. */
interface Making {
  readonly start: () => Vendor & { readonly made: Set<string> }
  readonly own: string
  /** The fields of two types. */
  readonly types: Readonly<Record<string, readonly string[]>>
}

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

const making: Readonly<Record<string, Making>> = {
  hubspot: {
    start: () => new HubSpot({ records: 30 }),
    own: 'properties',
    types: { '2-11': ['own_crew', 'own_ship'], '2-12': ['own_crate', 'own_ship', 'own_weight'] },
  },
  salesforce: {
    start: () => new Salesforce({ records: 30, batch: 4 }),
    own: 'custom',
    types: { Shipment__c: ['OwnerId', 'Route__c', 'Weight__c'], acme__Box__c: ['Size__c', 'Weight__c'] },
  },
  zendesk: {
    start: () => new ZendeskObjects({ records: 30 }),
    own: 'custom_object_fields',
    types: { ship: ['crew', 'draught'], dock: ['places', 'town'] },
  },
}

describe('two accounts have each their own types with their own fields, new ones and removed ones too:', () => {
  test.each(Object.entries(making))('%s', async (slug, { start, own, types }) => {
    const subject = subjects.find((each) => each.slug === slug)
    const copy = subject?.copies.find(({ entity }) => entity === 'custom_records')
    if (subject === undefined || copy === undefined) throw new Error('the kind is not there')
    const all = Object.values(types).flat()
    for (const [name, other] of [Object.keys(types), Object.keys(types).toReversed()] as [string, string][]) {
      await using vendor = start()
      vendor.made.delete(other)
      await using connection = await openCopy(subject, copy, { vendor, kind: await loadSubject(subject) })
      /** Names of the fields that the copied records have. */
      const listFields = (): readonly string[] => {
        const records = [...connection.store.shelf('custom_records').rows.values()].map(({ fields }) => at(fields, own) ?? {})
        return [...new Set(records.flatMap((record) => Object.keys(record)))].filter((field) => all.includes(field)).toSorted()
      }
      expect(await connection.run()).toMatchObject({ custom_objects: 'complete', custom_records: 'complete' })
      expect(connection.compare(copy)).toEqual({ ...equal, kept: 0 })
      expect(listFields()).toEqual(types[name])

      vendor.made.add(other)
      await connection.run()
      expect(connection.compare(copy)).toEqual({ ...equal, kept: 0 })
      expect(listFields()).toEqual([...new Set(all)].toSorted())

      vendor.made.delete(name)
      await connection.run('full')
      expect(connection.compare(copy)).toEqual({ ...equal, kept: 0 })
      expect(listFields()).toEqual(types[other])
    }
  })
})
