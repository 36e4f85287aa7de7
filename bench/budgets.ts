/**
 * Calls that take a turn in a budget which nodes share over PostgreSQL, against the same calls without a budget. No limit holds them, so what
 * is measured is the way to the turn. The nodes are in this process; vendor and database are processes of their own.
 */
import { Agent } from 'undici'
import { Secret } from '../packages/ferrule/src/engine/credentials/source.ts'
import type { Asker, Limiter } from '../packages/ferrule/src/engine/limits/limits.ts'
import { createVendorBudgets } from '../packages/server/src/calls/budgets/limiter.ts'
import { migrate } from '../packages/server/src/db/migrate.ts'
import { openPostgres } from '../packages/server/src/db/postgres.ts'
import { startCluster } from '../test/support/postgres-cluster.ts'
import { start } from './child.ts'
import { type Result, rate } from './result.ts'
import { alternate, type Effort, median } from './rounds.ts'

/** Calls at once under load. */
const width = 16
const cases = [
  { nodes: 1, keys: 1 },
  { nodes: 1, keys: 1_000 },
  { nodes: 4, keys: 1 },
  { nodes: 4, keys: 1_000 },
]
/** As TikTok counts, in numbers that nothing here reaches. */
const limits = {
  key: ['access_key'],
  rates: [
    { calls: 1_000_000, seconds: 1 },
    { calls: 60_000_000, seconds: 60 },
  ],
}
const steady = (): number => performance.now()
const makeAsker = (key: number): Asker => ({ key: `key ${key}`, credential: `of ${key}`, limits, isProven: () => true })
const pause = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds))

/** Takes a turn, as the engine does for each call. */
async function withTurn(limiter: Limiter, asker: Asker, send: () => Promise<void>): Promise<void> {
  const { turn, wait } = await limiter.reserve(asker, { now: steady(), latest: steady() + 60_000 })
  if (turn === undefined) throw new Error(`a call without a turn; the next one in ${wait} ms`)
  if (wait > 0) await pause(wait)
  for (let more = await limiter.enter(turn, steady()); more > 0; more = await limiter.enter(turn, steady())) await pause(more)
  await send()
  limiter.prove(turn, true, steady())
  limiter.giveBack(turn)
}

/** Makes calls for some seconds, so many at once. @returns the time of each, in milliseconds */
async function measure(call: () => Promise<void>, seconds: number, atOnce: number): Promise<number[]> {
  const times: number[] = []
  const end = steady() + seconds * 1_000
  const work = async (): Promise<void> => {
    while (steady() < end) {
      const begin = steady()
      await call()
      times.push(steady() - begin)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, work))
  return times
}

/** Runs the benchmark, a line for each case. @yields calls a second with `width` at once; `added_ms` is of calls one by one, at the median */
export async function* budgets({ rounds, seconds }: Effort): AsyncGenerator<Result> {
  await using vendor = await start('vendor.ts')
  const cluster = await startCluster()
  const databases = Array.from({ length: 4 }, () => openPostgres({ url: new Secret(cluster.url), connections: 10 }))
  for (const database of databases) await migrate(database)
  const agent = new Agent({ connections: width })
  const send = async (): Promise<void> => {
    const { body } = await agent.request({ origin: vendor.origin, path: '/media?size=100', method: 'GET' })
    await body.dump()
  }
  for (const { nodes, keys } of cases) {
    const limiters = databases.slice(0, nodes).map((database) => {
      const source = { clock: Date.now }
      return createVendorBudgets({ database, source, steady, isClockGiven: false, onBackgroundError: (error) => console.error(error) })
        .limiter
    })
    let calls = 0
    const ours = async (): Promise<void> => {
      const limiter = limiters[calls % nodes]
      const asker = makeAsker((calls * 7_919) % keys)
      calls += 1
      if (limiter !== undefined) await withTurn(limiter, asker, send)
    }
    const sides = { ours, baseline: send }
    const single = await alternate(sides, { rounds }, async (call) => median(await measure(call, seconds, 1)))
    const many = await alternate(sides, { rounds }, async (call) => (await measure(call, seconds, width)).length / seconds)
    yield rate({
      name: `budgets-${nodes}-nodes-${keys}-keys`,
      unit: 'calls/s',
      ours: median(many.ours),
      baseline: median(many.baseline),
      single_ms: median(single.ours),
      added_ms: median(single.ours) - median(single.baseline),
    })
    for (const limiter of limiters) await limiter.close()
  }
  await agent.close()
  for (const database of databases) await database.close()
  await cluster.stop()
}
