/** Searches that the vendor ends after some results: walks and copies continue behind the last one. */
import { describe, expect, test } from 'vitest'
import { held, open, parseText, readKindFile, walk } from './connectors.ts'
import { equal, openCopy } from './copies.ts'
import { HubSpot } from './stand-ins/hubspot.ts'
import type { Row } from './stand-ins/shared.ts'
import { type Subject, subjects } from './subjects.ts'

const hubspot = subjects.find(({ slug }) => slug === 'hubspot') as Subject // one of the ten
const cap = 400
const start = () => new HubSpot({ records: 1_000, cap })
/** Loads the kind with the small cap of the stand-in, and a copy of what it finds. */
const load = async () =>
  parseText(
    hubspot,
    (await readKindFile(hubspot))
      .replace('rows: 10000', `rows: ${cap}`)
      .replace('  found_contacts:\n', '  found_contacts:\n    sync: full\n'),
  )
const list = { entity: 'found_contacts', holds: 'contacts' }
/** A filter by ids: records above some, and one below. */
const filterGroups = [
  { filters: [{ propertyName: 'hs_object_id', operator: 'GT', value: '300' }] },
  { filters: [{ propertyName: 'email', operator: 'EQ', value: 'p7@example.com' }] },
]

describe('a search with fifty records of each time, which HubSpot ends', () => {
  test.each([
    ['without filters', list],
    [
      'with filters',
      {
        ...list,
        params: { filterGroups, limit: 150 },
        only: (row: Row) => Number(row['id']) > 300 || JSON.stringify(row).includes('"p7@'),
      },
    ],
  ])('is walked to its end %s', async (_name, wanted) => {
    await using vendor = start()
    await using connector = await open(hubspot, vendor, await load())
    const keys = await walk(connector, wanted)
    expect(keys.toSorted()).toEqual(held(vendor, wanted).toSorted())
    expect(keys.length).toBeGreaterThan(cap * 2)
  })

  test('counts all records on every page', async () => {
    await using vendor = start()
    await using connector = await open(hubspot, vendor, await load())
    const totals = new Set<unknown>()
    for await (const { meta } of connector.pages('found_contacts', {})) totals.add(Reflect.get(meta, 'total_records'))
    expect([...totals]).toEqual([1_000])
  })

  test('is copied whole, also while it changes', async () => {
    await using vendor = start()
    const copy = { ...list, compared: ['updatedAt'] }
    await using connection = await openCopy(hubspot, copy, { vendor, kind: await load() })
    vendor.between = () => vendor.mutate()
    await connection.run()
    vendor.between = undefined
    expect(await connection.run()).toMatchObject({ found_contacts: 'complete' })
    expect(connection.compare(copy)).toMatchObject(equal)
  })

  test('ends with an error in an order of the caller, and in an order that is not the one it was asked for', async () => {
    await using vendor = start()
    await using connector = await open(hubspot, vendor, await load())
    const sorts = [{ propertyName: 'createdate', direction: 'DESCENDING' }]
    await expect(walk(connector, { ...list, params: { sorts } })).rejects.toMatchObject({
      code: 'upstream_invalid_request',
      hint: 'HubSpot ends a search after 400 records, in an order of your own. Leave out sorts, or ask for less.',
    })
    const wrong = await parseText(hubspot, (await readKindFile(hubspot)).replace('rows: 10000', `rows: ${cap}`).replace('ASC', 'DESC'))
    await using other = await open(hubspot, vendor, wrong)
    await expect(walk(other, list)).rejects.toMatchObject({ code: 'upstream_answer_invalid' })
  })

  /** Groups with as many filters as HubSpot takes, or with fewer; all of them hold for every record. */
  const full = (groups: number, filters: number) =>
    Array.from({ length: groups }, () => ({
      filters: Array.from({ length: filters }, () => ({ propertyName: 'hs_object_id', operator: 'GT', value: '0' })),
    }))

  test.each([
    [1, 9],
    [5, 4],
  ])('goes on with %i groups of %i filters, which leave room for one more each', async (groups, filters) => {
    await using vendor = start()
    await using connector = await open(hubspot, vendor, await load())
    const keys = await walk(connector, { ...list, params: { filterGroups: full(groups, filters) } })
    expect(keys.toSorted()).toEqual(held(vendor, list).toSorted())
  })

  test.each([
    [1, 10],
    [5, 5],
  ])('with %i groups of %i filters is read to its end, and says why there is no more', async (groups, filters) => {
    await using vendor = start()
    await using connector = await open(hubspot, vendor, await load())
    const found: unknown[] = []
    const reading = async () => {
      for await (const { id } of connector.entity('found_contacts').records({ filterGroups: full(groups, filters) })) found.push(id)
    }
    await expect(reading()).rejects.toMatchObject({
      code: 'upstream_invalid_request',
      hint:
        'HubSpot ends a search after 400 records, and takes no further condition for what is behind them. ' +
        'Use fewer filters in each group, or ask for less.',
    })
    expect(new Set(found).size).toBe(cap)
  })
})
