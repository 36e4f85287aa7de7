/** Rates of a vendor that reports neither a level nor a time to wait. */
import { describe, expect, test } from 'vitest'
import { kinds } from '../../packages/ferrule/src/connectors/index.ts'
import type { Turn } from '../../packages/ferrule/src/engine/limits/limits.ts'
import { ProvenKey } from './limiter-support.ts'
import { movedTime } from './snowflake-support.ts'
import { failure, type Reply, serve, testEngine } from './support.ts'
import { advertiser_id, limits, start, tiktokAt, VendorRates, walk } from './tiktok-limits-support.ts'

const page_info = { page: 1, page_size: 1000, total_number: 0, total_page: 0 }
const empty: Reply = { body: { code: 0, message: 'OK', request_id: 'r', data: { list: [], page_info } } }
const refusal = (code: number): Reply => ({ body: { code, message: 'Requests made too frequently.', request_id: 'r', data: {} } })
const call = { entity: 'campaigns', action: 'list' }
/** Too short a life to wait, for all calls: the time to wait is told instead. */
const hasten = () => movedTime(400)

describe('twenty walkers', () => {
  test.each([
    ['calendar', 60],
    ['calendar', 80],
    ['moving', 60],
    ['moving', 80],
  ] as const)(
    'meet no refusal where the way to the vendor takes 30 ms or more: %s windows, %i ms at most; they use nine tenths of both rates',
    (windows, most) => {
      const vendor = new VendorRates(windows)
      expect(walk(vendor, { walkers: 20, seconds: 600, way: { least: 30, most } })).toEqual({ surfaced: 0 })
      expect(vendor.refused).toBe(0)
      expect(vendor.served).toBeGreaterThanOrEqual(0.9 * 10 * 600)
      expect(vendor.minutes.slice(0, 10).filter((calls) => calls < 0.9 * 600)).toEqual([])
    },
  )

  test('meet some where it takes now 30 and now 230 ms: none surfaces, and the rates are used all the same', () => {
    const vendor = new VendorRates('calendar')
    expect(walk(vendor, { walkers: 20, seconds: 600, way: { least: 30, most: 230 } })).toEqual({ surfaced: 0 })
    expect(vendor.refused).toBeGreaterThan(0)
    expect(vendor.served).toBeGreaterThanOrEqual(0.9 * 10 * 600)
  })
})

describe('a budget', () => {
  /** Uses the budget of a connector up, then returns what the others meet. */
  async function others(first: readonly [Record<string, string>, object?], ...rest: (readonly [Record<string, string>, object?])[]) {
    using _time = hasten()
    await using server = await serve(() => empty)
    const clock = { now: start }
    await using engine = testEngine({ limits: true, clock: () => clock.now })
    const at = ([values, more]: readonly [Record<string, string>, object?]) => tiktokAt(server.origin, values, { advertiser_id, ...more })
    for (const other of rest) await engine.run(at(other), call).then(() => (clock.now += 2000)) // they prove themselves
    for (let count = 0; count < 10; count++) await engine.run(at(first), call)
    return await Promise.all(
      rest.map((other) =>
        engine.run(at(other), call).then(
          () => 'served',
          (error: unknown) => Reflect.get(Object(error), 'retryAfterMs') ?? error,
        ),
      ),
    )
  }
  const app = { app_id: '7000000000000000019' }
  const oauth = { ...app, secret: 'an-app-secret' }

  test('is shared by the connectors of an app, whatever their tokens, advertisers and schemes are', async () => {
    expect(
      await others(
        [{ access_token: 'one', ...app }],
        [{ access_token: 'two', ...app }],
        [{ access_token: 'one', ...app }, { advertiser_id: '7398164205713920643' }],
        [{ access_token: 'three', ...oauth }],
      ),
    ).toEqual([1050, 1050, 1050])
  })

  test('is not shared by tokens whose app is not known, by other apps, and by the other host of the vendor', async () => {
    expect(
      await others(
        [{ access_token: 'one' }],
        [{ access_token: 'one' }],
        [{ access_token: 'two' }],
        [{ access_token: 'one', ...app }],
        [{ access_token: 'one' }, { api_host: 'sandbox' }],
      ),
    ).toEqual([1050, 'served', 'served', 'served'])
  })

  test("of the vendor's sandbox is one call in a second, 28 in a minute", async () => {
    using _time = hasten()
    await using server = await serve(() => empty)
    const clock = { now: start }
    await using engine = testEngine({ limits: true, clock: () => clock.now })
    const sandbox = tiktokAt(server.origin, undefined, { advertiser_id, api_host: 'sandbox' })
    for (let count = 0; count < 28; count++) {
      await engine.run(sandbox, call)
      expect((await failure(engine.run(sandbox, call))).retryAfterMs).toBe(count < 27 ? 1050 : 60_000 - 27 * 1050)
      clock.now += 1050
    }
  })
})

describe('a refusal without a time', () => {
  test('suspends for a second, twice as long with each in a row, five minutes at most; a success begins anew', async () => {
    let reply: Reply = refusal(40100)
    using _time = hasten()
    await using server = await serve(() => reply)
    const clock = { now: start }
    await using engine = testEngine({ limits: true, clock: () => clock.now })
    const refused = async () => (await failure(engine.run(tiktokAt(server.origin), call))).retryAfterMs ?? 0
    const waits: number[] = []
    for (let count = 0; count < 11; count++) {
      const wait = await refused()
      waits.push(wait / 1000)
      clock.now += wait / 2 // too early: nothing is sent, and it counts as no refusal
      expect(await refused()).toBe(wait / 2)
      clock.now += wait / 2
    }
    expect(waits).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300])
    expect(server.seen).toHaveLength(11)
    reply = empty
    await engine.run(tiktokAt(server.origin), call)
    reply = refusal(40133)
    expect(await refused()).toBe(1000)
  })

  test('is one, however many calls were on their way', async () => {
    let reply: Reply = empty
    using _time = hasten()
    await using server = await serve(() => reply)
    const clock = { now: start }
    await using engine = testEngine({ limits: true, clock: () => clock.now })
    await engine.run(tiktokAt(server.origin), call) // the credentials prove themselves, so the others need not wait for each other
    clock.now += 2000
    reply = refusal(40016)
    const errors = await Promise.all(Array.from({ length: 10 }, () => failure(engine.run(tiktokAt(server.origin), call))))
    expect(errors.map(({ code, retryAfterMs }) => [code, retryAfterMs])).toEqual(Array(10).fill(['upstream_rate_limited', 1000]))
    clock.now += 1000
    expect((await failure(engine.run(tiktokAt(server.origin), call))).retryAfterMs).toBe(2000)
  })

  test('spreads the calls that wait, anew: never more than the rate when it is over', () => {
    const key = new ProvenKey(limits)
    const turns = Array.from({ length: 40 }, () => key.turn(start))
    expect(turns.filter(({ wait }) => wait === 0)).toHaveLength(10)
    for (const { turn } of turns.slice(0, 1)) key.limiter.refuse(turn, { first: 1, longest: 300 }, start + 50)
    const entered: number[] = []
    const waiting: { at: number; turn: Turn }[] = turns.slice(10).map(({ wait, turn }) => ({ at: start + wait, turn }))
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const { at, turn } = next
      const more = key.limiter.enter(turn, at)
      if (more > 0) waiting.push({ at: at + more, turn })
      else {
        entered.push(at)
        key.limiter.prove(turn, true, at)
      }
      waiting.sort((a, b) => a.at - b.at)
    }
    expect(entered).toHaveLength(30)
    expect(entered.filter((moment) => moment < start + 1050)).toEqual([])
    for (const [index, moment] of entered.entries())
      expect((entered[index + 10] ?? Number.POSITIVE_INFINITY) - moment).toBeGreaterThanOrEqual(1050)
  })

  test('of another sort is no suspension: 60001 tells of five minutes, is not slept, and holds no other call', async () => {
    let reply: Reply = empty
    using _time = hasten()
    await using server = await serve(() => reply)
    await using engine = testEngine({ limits: true, clock: () => start })
    await engine.run(tiktokAt(server.origin), call) // the credentials prove themselves
    reply = refusal(60001)
    const error = await failure(engine.run(tiktokAt(server.origin), call))
    expect(error).toMatchObject({ code: 'upstream_error', retryable: true, retryAfterMs: 300_000, upstream: { code: '60001' } })
    expect(server.seen).toHaveLength(2)
    reply = empty
    await engine.run(tiktokAt(server.origin), call)
    expect(server.seen).toHaveLength(3)
  })
})

test('what the kind says: 10 calls a second and 600 a minute, five in a hundred left free', () => {
  const perSecond = limits.rates.map(({ calls, seconds }) => calls / seconds)
  for (const [index, rate] of [10, 600 / 60].entries()) {
    expect(perSecond[index]).toBeGreaterThanOrEqual(0.95 * rate - 1e-9)
    expect(perSecond[index]).toBeLessThan(rate)
  }
  expect(kinds['tiktok-marketing'].definition.limits.key).toEqual(['app_id', 'access_token'])
})
