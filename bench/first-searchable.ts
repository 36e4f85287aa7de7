/**
 * A first sync of the stand-in's store with 16,000 orders within the vendor's limits, on a simulated clock: seconds until every entity can
 * be searched at least in part. The baseline is the promise.
 */
import { type BreadthReport, listedEntities, perRecordEntities, simulateFirstSync } from '../test/context/sync-breadth.ts'
import { type Result, time } from './result.ts'

const promisedSeconds = 180

const latest = (times: BreadthReport['filled'], entities: readonly string[]): number =>
  Math.max(...entities.map((entity) => times.get(entity) ?? Number.POSITIVE_INFINITY))

/** The seconds until all entities are there in part, until each list is complete, and the calls of that time. */
export async function firstSearchable(): Promise<Result> {
  const all = [...listedEntities, ...perRecordEntities]
  const report = await simulateFirstSync({
    isEnough: ({ filled, complete }) => all.every((entity) => filled.has(entity)) && listedEntities.every((entity) => complete.has(entity)),
  })
  const calls = [...report.calls.values()].reduce((sum, count) => sum + count, 0)
  const lists = Object.fromEntries(listedEntities.map((entity) => [`${entity}_complete`, report.complete.get(entity) ?? '']))
  return time({
    ...{ name: 'first-searchable', unit: 'simulated s', ours: latest(report.filled, all), baseline: promisedSeconds },
    ...{ orders: report.orders, calls, lists_complete: latest(report.complete, listedEntities), ...lists },
  })
}
