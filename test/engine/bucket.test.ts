import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { kinds } from '../../packages/ferrule/src/connectors/index.ts'
import { readLevel, type Turn } from '../../packages/ferrule/src/engine/limits/limits.ts'
import { limits, start, VendorBucket, walk } from './bucket-support.ts'
import { ProvenKey } from './limiter-support.ts'
import { shopifyAt } from './shopify-support.ts'
import { movedTime } from './snowflake-support.ts'
import { failure, serve, testEngine } from './support.ts'

/** A call that is sent when its turn comes; what it waits for its turn. */
function send(key: ProvenKey, { now, latest }: { now: number; latest: number }): { readonly wait: number; readonly turn: Turn } {
  const { wait, turn } = key.reserve({ now, latest })
  if (turn === undefined) throw new Error('no turn was given')
  if (wait === 0) expect(key.limiter.enter(turn, now)).toBe(0)
  return { wait, turn }
}

describe('a leaky bucket', () => {
  test('is never above its size, whatever happens and whenever it is asked', () => {
    const step = fc.record({ passes: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 40_000 })), asks: fc.integer({ min: 0, max: 60 }) })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), fc.boolean(), (steps, tells) => {
        const key = new ProvenKey(limits)
        const vendor = new VendorBucket()
        const waiting: { readonly at: number; readonly turn: Turn }[] = []
        let now = start
        for (const { passes, asks } of steps) {
          now += passes
          for (let next = waiting[0]; next !== undefined && next.at <= now; next = waiting[0]) {
            const { at, turn } = waiting.shift() ?? next
            const more = key.limiter.enter(turn, at)
            if (more > 0) {
              expect(tells).toBe(true) // the header rounds up
              waiting.push({ at: at + more, turn })
              waiting.sort((a, b) => a.at - b.at)
              continue
            }
            const level = vendor.take(at)
            if (tells) key.limiter.observe(turn, level, at)
          }
          for (let ask = 0; ask < asks; ask++) {
            const { wait, turn } = key.reserve({ now, latest: now + 60_000 })
            if (turn !== undefined) waiting.push({ at: now + wait, turn })
          }
          const moments = waiting.map(({ at }) => at)
          if (tells) waiting.sort((a, b) => a.at - b.at)
          if (!tells) expect(moments.toSorted((a, b) => a - b)).toEqual(moments) // turns in the order of asking
        }
        expect(vendor.refused).toBe(0)
        expect(vendor.highest).toBeLessThanOrEqual(40)
      }),
      { numRuns: 500 },
    )
  })

  test('serves the first calls at once, then at the rate of the leak', () => {
    const key = new ProvenKey(limits)
    const at = { now: start, latest: start + 60_000 }
    const waits = Array.from({ length: 40 }, () => send(key, at).wait)
    expect(waits.slice(0, 36)).toEqual(Array(36).fill(0))
    expect(waits.slice(36)).toEqual([500, 1000, 1500, 2000])
    expect(key.asked({ now: start, latest: start + 100 })).toEqual({ wait: 2500, refused: true })
  })

  test('gives the turn of a call that is not sent to others', () => {
    const key = new ProvenKey(limits)
    const at = { now: start, latest: start + 60_000 }
    const sent = Array.from({ length: 46 }, () => send(key, at))
    for (const { turn } of sent.slice(36)) key.limiter.giveBack(turn)
    expect(send(key, at).wait).toBe(500)
  })

  test.each([
    ['standard plan', 40, 2],
    ['advanced plan', 80, 4],
    ['largest plan', 800, 40],
  ])('twenty walkers reach its rate and meet no refusal: %s', (_what, size, perSecond) => {
    const vendor = new VendorBucket(size, perSecond)
    const seconds = 300
    let asked = 0
    const latency = () => 80 + ((++asked * 48_271) % 400)
    const { calls } = walk(vendor, { walkers: 20, seconds, latency })
    expect(vendor.refused).toBe(0)
    expect(calls).toBeGreaterThanOrEqual(0.9 * perSecond * seconds)
    expect(vendor.highest).toBeLessThanOrEqual(size)
  })

  test('leaves room for another program with the same token, whose level the header tells', () => {
    const vendor = new VendorBucket()
    const { calls } = walk(vendor, { walkers: 20, seconds: 600, latency: () => 200, other: 1 })
    expect(vendor.refused).toBe(0)
    expect(calls).toBeGreaterThanOrEqual(0.9 * 600) // what the other leaves is one call in a second
  })

  test.each([2, 4])('is shared by %i nodes of twenty walkers each, through the level that every answer tells', (nodes) => {
    const vendor = new VendorBucket()
    const seconds = 300
    const { calls, surfaced } = walk(vendor, { walkers: 20 * nodes, nodes, seconds, latency: () => 200 })
    expect(surfaced).toBe(0)
    expect(calls - vendor.refused).toBeGreaterThanOrEqual(0.9 * 2 * seconds)
  })

  test('obeys a level that others caused, and a bucket that the vendor made smaller', () => {
    const key = new ProvenKey(limits)
    const at = { now: start, latest: start + 60_000 }
    const { turn } = send(key, at)
    key.limiter.observe(turn, { used: 39, size: 40 }, start)
    const next = key.reserve(at)
    expect(next.wait).toBe(2000)
    if (next.turn !== undefined) key.limiter.giveBack(next.turn)
    key.limiter.observe(turn, { used: 20, size: 20 }, start + 60_000)
    expect(key.reserve({ now: start + 60_000, latest: start + 120_000 }).wait).toBe(3000) // one call in a second
  })

  test('counts calls that wait for their turn on top of what the header tells, and holds them when their turn comes too early', () => {
    const key = new ProvenKey(limits)
    const at = { now: start, latest: start + 60_000 }
    const sent = Array.from({ length: 46 }, () => send(key, at)) // ten of them wait, the first for half a second
    const [turn] = sent.slice(36).map((each) => each.turn)
    if (turn === undefined) throw new Error('no call waits')
    key.limiter.observe(turn, { used: 40, size: 40 }, start) // four calls were not ours
    expect(key.reserve(at).wait).toBe(((40 + 10 - 35) / 2) * 1000)
    expect(key.limiter.enter(turn, start + 500)).toBe(2000)
    expect(key.limiter.enter(turn, start + 2500)).toBe(0)
  })

  test('holds calls that wait for their turn when the vendor says to', () => {
    const key = new ProvenKey(limits)
    const at = { now: start, latest: start + 60_000 }
    const turn = Array.from({ length: 37 }, () => send(key, at).turn).at(-1)
    if (turn === undefined) throw new Error('no call waits')
    key.limiter.postpone(turn, start + 3000, start)
    expect(key.limiter.enter(turn, start + 500)).toBe(2500)
    expect(key.limiter.enter(turn, start + 3000)).toBe(0)
  })

  test.each(['', 'x', '40', '/40', '5/', '-5/40', '5/-40', '5/0', '1e3/40', '5/40/2', '99999999/40', '5.5/40'])(
    'takes no harm from the header %j',
    (header) => expect(readLevel(limits, { headers: { 'x-shopify-shop-api-call-limit': header } })).toBeUndefined(),
  )

  test('does not run backwards with a clock that does', () => {
    const key = new ProvenKey(limits)
    for (let call = 0; call < 36; call++) send(key, { now: start, latest: start })
    expect(key.reserve({ now: start - 3_600_000, latest: start }).wait).toBe(500)
    expect(key.reserve({ now: start, latest: start + 60_000 }).wait).toBe(1000)
  })
})

describe('calls to a store', () => {
  const call = { entity: 'shop', action: 'get' }
  const level = (used: string): Readonly<Record<string, string>> => ({ 'x-shopify-shop-api-call-limit': used })

  test('wait when the header says that the bucket is full, for all connectors with the token', async () => {
    using _time = movedTime(500)
    await using server = await serve(() => ({ headers: level('40/40'), body: { shop: { id: 1 } } }))
    await using engine = testEngine({ limits: true, clock: () => start })
    await engine.run(shopifyAt(server.origin), call)
    const error = await failure(engine.run(shopifyAt(server.origin), call))
    expect(error).toMatchObject({ code: 'upstream_rate_limited', retryAfterMs: 2500 })
    expect(server.seen).toHaveLength(1)
  })

  test('of another token to the same store do not wait: a wrong one costs nobody else a call', async () => {
    using _time = movedTime(500)
    await using server = await serve(() => ({ headers: level('40/40'), body: { shop: { id: 1 } } }))
    await using engine = testEngine({ limits: true, clock: () => start })
    await engine.run(shopifyAt(server.origin, { api_key: 'shpat_other' }), call)
    await engine.run(shopifyAt(server.origin), call)
    expect(server.seen).toHaveLength(2)
  })

  test('a larger plan shows in the header, and its rate is used', async () => {
    using _time = movedTime(500)
    await using server = await serve(() => ({ headers: level('400/400'), body: { shop: { id: 1 } } }))
    await using engine = testEngine({ limits: true, clock: () => start })
    await engine.run(shopifyAt(server.origin), call)
    expect((await failure(engine.run(shopifyAt(server.origin), call))).retryAfterMs).toBe((41 / 20) * 1000)
  })

  test('a refusal beside an almost empty bucket is obeyed all the same', async () => {
    using _time = movedTime(500)
    await using server = await serve(() => ({
      status: 429,
      headers: { ...level('1/40'), 'retry-after': '2.0' },
      body: { errors: 'Exceeded 2 calls per second for api client. Reduce request rates to resume uninterrupted service.' },
    }))
    await using engine = testEngine({ limits: true, clock: () => start })
    const first = await failure(engine.run(shopifyAt(server.origin), call))
    const second = await failure(engine.run(shopifyAt(server.origin), call))
    expect([first, second].map(({ code, retryAfterMs }) => [code, retryAfterMs])).toEqual([
      ['upstream_rate_limited', 2000],
      ['upstream_rate_limited', 2000],
    ])
    expect(server.seen).toHaveLength(1)
  })

  test('are shared by the token, as the vendor counts by app and store', () => {
    expect(kinds.shopify.definition.limits.key).toEqual(['api_key', 'client_id'])
  })
})
