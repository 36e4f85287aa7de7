import { beforeAll, describe, expect, test } from 'vitest'
import { type BreadthReport, listedEntities, perRecordEntities, simulateFirstSync } from './sync-breadth.ts'

/** Promised time until every entity can be searched at least in part, in seconds of the simulated clock. */
const promised = 180
const all = [...listedEntities, ...perRecordEntities]

describe('the first sync of a store with 16,000 orders, within the limits of the vendor', () => {
  let report: BreadthReport
  beforeAll(async () => {
    const asked = { since: Number.POSITIVE_INFINITY }
    report = await simulateFirstSync({
      isEnough: ({ filled, calls }) => {
        if (all.every((entity) => filled.has(entity))) asked.since = 0
        return (calls.get('fulfillment_orders') ?? 0) >= 40
      },
      isAsked: (entity, seconds) => entity === 'fulfillment_orders' && seconds > asked.since,
    })
  })

  test('lets every entity be searched at least in part within three minutes', () => {
    expect(report.orders).toBeGreaterThan(15_000)
    expect([...report.filled.keys()].toSorted()).toEqual(all.toSorted())
    expect(Math.max(...report.filled.values())).toBeLessThanOrEqual(promised)
  })

  test('reads what belongs to the newest records first', () => {
    const orders = report.parents.get('fulfillment_orders') ?? []
    expect(orders.length).toBeGreaterThan(20)
    expect(orders).toEqual(orders.toSorted((one, other) => other - one))
    expect(report.newestOrder).toBe(orders[0])
  })

  test('reads at once what a search waits for', () => {
    const others = [...report.calls].filter(([entity]) => perRecordEntities.includes(entity) && entity !== 'fulfillment_orders')
    for (const [entity, calls] of others) expect([entity, calls < 30]).toEqual([entity, true])
  })
})
