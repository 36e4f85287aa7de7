/** The caller's own rates, against the sandbox. Each account of a test is known by an origin that no other test uses. */
import { afterAll, describe, expect, test } from 'vitest'
import { connect, type OwnRates, type RateStore, type RateWish } from '../../packages/ferrule/src/index.ts'
import { heldTimers, serve, type TestServer } from '../engine/support.ts'
import { openDesk } from '../sandbox/tiktok-client.ts'
import { simulateTime } from './simulated-time.ts'
import { connectAds } from './tiktok-support.ts'

const { sandbox, tiktok, clock } = await openDesk()
const day = 86_400_000

const vendors: TestServer[] = []
afterAll(async () => {
  for (const vendor of vendors) await vendor[Symbol.asyncDispose]()
})

/** Starts an origin of its own, which answers every list with one empty page. */
async function startVendor() {
  const page = {
    code: 0,
    message: 'OK',
    request_id: '1',
    data: { list: [], page_info: { page: 1, page_size: 1, total_number: 0, total_page: 1 } },
  }
  const vendor = await serve(() => ({ body: page }))
  vendors.push(vendor)
  const { origin, seen } = vendor
  return {
    connect: (limits: OwnRates, access_token = 'a') => connectAds(sandbox, { credentials: { access_token }, origin, limits }),
    calls: () => seen.length,
  }
}

/** A store that answers as a test says, and notes what it is asked. */
function makeStore(...answers: readonly unknown[]) {
  const wishes: RateWish[] = []
  const left = [...answers]
  const store: RateStore = {
    take: async (wish) => {
      wishes.push(wish)
      const next = left.length > 1 ? left.shift() : left[0]
      if (next instanceof Error) throw next
      return next as number // JavaScript programs may answer anything
    },
  }
  return { store, wishes }
}

const tooMany = {
  code: 'upstream_rate_limited',
  retryable: true,
  message: 'Your own rate for TikTok Marketing allows no call within the deadline.',
}

describe('own rates', () => {
  test('are shared by all connectors to one account: ten calls take four seconds at two a second', async () => {
    using time = simulateTime({ running: 1 }, clock)
    const connectors = [1, 2].map(() => connectAds(sandbox, { limits: { perSecond: 2 } }))
    await Promise.all(Array.from({ length: 10 }, (_each, index) => connectors[index % 2]?.campaigns.list({ page_size: 1 })))
    expect(tiktok.requests()).toHaveLength(10)
    expect(time.seconds()).toBeGreaterThanOrEqual(4)
  })

  test('refuse at once what is later than the deadline, and send nothing', async () => {
    const vendor = await startVendor()
    const [first, second] = [vendor.connect({ perDay: 3 }), vendor.connect({ perDay: 3, perSecond: 1_000 })]
    for (const connector of [first, second, first]) await connector.ads.list()
    for (const connector of [first, second]) {
      const refusal = await connector.ads.list().catch((error: unknown) => error)
      expect(refusal).toMatchObject(tooMany)
      expect(Reflect.get(Object(refusal), 'retryAfterMs')).toBeGreaterThan(day - 600_000)
    }
    expect(vendor.calls()).toBe(3)
    await vendor.connect({ perDay: 3 }, 'another').ads.list()
    await vendor.connect({ perDay: 4 }).ads.list()
    expect(vendor.calls()).toBe(5)
  })

  test('take parts of a call a second', async () => {
    const vendor = await startVendor()
    const connector = vendor.connect({ perSecond: 0.001 })
    await connector.ads.list()
    await expect(connector.ads.list()).rejects.toMatchObject(tooMany)
    expect(vendor.calls()).toBe(1)
  })

  test('count every attempt', async () => {
    const { store, wishes } = makeStore(0)
    sandbox.faults.add({ kind: 'status', status: 503, times: 1 })
    await connectAds(sandbox, { limits: { perDay: 10, store } }).campaigns.list()
    expect(wishes).toHaveLength(2)
  })
})

describe('a store', () => {
  test('is asked by a key that processes share, with the rates, until it has counted the call', async () => {
    const vendor = await startVendor()
    const { store, wishes } = makeStore(20, 5, 0)
    await vendor.connect({ perSecond: 2.5, perDay: 1_000, store }).ads.list()
    expect(wishes).toHaveLength(3)
    for (const { key, rates } of wishes) {
      expect(key).toMatch(/^[\w-]{43}$/)
      expect(key).toBe(wishes[0]?.key)
      expect(rates).toEqual([
        { calls: 2, seconds: 0.8 },
        { calls: 1_000, seconds: 86_400 },
      ])
    }
    const other = makeStore(0)
    await vendor.connect({ perSecond: 1, store: other.store }, 'b').ads.list()
    expect(other.wishes[0]?.key).not.toBe(wishes[0]?.key)
    expect(vendor.calls()).toBe(2)
  })

  test('is asked by one call of an account at a time', async () => {
    const vendor = await startVendor()
    let [running, most] = [0, 0]
    const store: RateStore = {
      take: async () => {
        running += 1
        most = Math.max(most, running)
        await new Promise(setImmediate)
        running -= 1
        return 0
      },
    }
    const connectors = [1, 2].map(() => vendor.connect({ perSecond: 1_000, store }))
    await connectors[0]?.ads.list() // proves the credentials
    await Promise.all(Array.from({ length: 6 }, () => connectors[0]?.ads.list()))
    expect([most, vendor.calls()]).toEqual([1, 7])
  })

  test('that wants a wait beyond the deadline ends the call at once', async () => {
    const vendor = await startVendor()
    const { store, wishes } = makeStore(61_000)
    await expect(vendor.connect({ perDay: 1, store }).ads.list()).rejects.toMatchObject({ ...tooMany, retryAfterMs: 61_000 })
    expect([wishes.length, vendor.calls()]).toEqual([1, 0])
  })

  test('that fails or answers nonsense fails the call, and nothing is sent', async () => {
    const vendor = await startVendor()
    const broken = makeStore(new Error('the store is away'))
    await expect(vendor.connect({ perDay: 1, store: broken.store }).ads.list()).rejects.toThrow('the store is away')
    for (const answer of [undefined, '0', -1, Number.NaN, true]) {
      const { store } = makeStore(answer)
      const refusal = { code: 'validation_failed', errors: [{ field: '/limits/store' }] }
      await expect(vendor.connect({ perDay: 1, store }).ads.list()).rejects.toMatchObject(refusal)
    }
    expect(vendor.calls()).toBe(0)
  })

  test('that never answers is bounded by the deadline and by the signal, and the next call is not held up', async () => {
    const vendor = await startVendor()
    const abort = new AbortController()
    const timers = heldTimers()
    const silent = (then: () => void) => () => new Promise<number>(() => setImmediate(then))
    const answers = [silent(() => timers.pass(30)), silent(() => abort.abort(new Error('enough'))), async () => 0]
    const store: RateStore = { take: () => answers.shift()?.() ?? Promise.resolve(0) }
    const connector = vendor.connect({ perDay: 10, store })
    await expect(connector.ads.list({}, { deadlineMs: 30 })).rejects.toMatchObject({ code: 'upstream_timeout' })
    timers[Symbol.dispose]()
    await expect(connector.ads.list({}, { signal: abort.signal })).rejects.toThrow('enough')
    await connector.ads.list()
    expect(vendor.calls()).toBe(1)
  })
})

test.each([
  {},
  { perSecond: 0 },
  { perSecond: 1_001 },
  { perSecond: Number.NaN },
  { perSecond: '1' },
  { perDay: 1.5 },
  { perDay: 1_000_001 },
  { perSecond: 1, perMinute: 60 },
  { perSecond: 1, store: {} },
  { store: { take: () => 0 } },
  null,
  5,
])('limits %j are refused', (limits) => {
  const options = { credentials: { access_token: 'a' }, limits: limits as OwnRates } // what JavaScript programs may give
  expect(() => connect('tiktok-marketing', options)).toThrow('limits must be true, false or your own rates')
})
