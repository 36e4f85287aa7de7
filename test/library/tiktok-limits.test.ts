/** The rates of an app against a stand-in that enforces them: over minutes in simulated time, and briefly in real time. */
import { describe, expect, test } from 'vitest'
import { tiktokCredentials as known, startSandbox } from '../../packages/sandbox/src/index.ts'
import { watchRequests } from '../engine/shopify-support.ts'
import { openDesk } from '../sandbox/tiktok-client.ts'
import { simulateTime } from './simulated-time.ts'
import { connectAds, type Tiktok } from './tiktok-support.ts'

const { sandbox, tiktok, facts, clock } = await openDesk()
const config = { advertiser_id: facts.secondAdvertiserId }
const callers = 20

/** Lets twenty callers ask again and again for so many seconds. @returns times of the answers; any failure fails the test */
async function callFor(connector: Tiktok, seconds: number, time: ReturnType<typeof simulateTime>): Promise<number[]> {
  const moments: number[] = []
  const caller = async () => {
    while (time.seconds() < seconds) {
      expect((await connector.campaigns.list({ page_size: 1 })).data).toHaveLength(1)
      moments.push(time.seconds())
    }
    time.finished()
  }
  await Promise.all(Array.from({ length: callers }, caller))
  return moments
}

describe('twenty callers', () => {
  test('of one app meet no 40100, and use nine tenths of 10 calls a second and of 600 a minute', async () => {
    tiktok.switches.set({ limits: true })
    using time = simulateTime({ running: callers }, clock)
    using watched = watchRequests()
    const moments = await callFor(connectAds(sandbox, { config, limits: true }), 180, time)
    expect(watched.origins).toHaveLength(moments.length) // none was refused and sent again
    for (let minute = 0; minute < 3; minute++)
      expect(moments.filter((moment) => Math.floor(moment / 60) === minute).length).toBeGreaterThanOrEqual(0.9 * 600)
    for (let second = 0; second + 10 <= 50; second++) {
      const inTen = moments.filter((moment) => moment >= second && moment < second + 10).length
      expect(inTen).toBeGreaterThanOrEqual(0.9 * 100) // until the minute is used up
    }
  })

  test('are not refused when the vendor suspends the app meanwhile: they wait, and begin spread', async () => {
    tiktok.switches.set({ limits: true })
    using time = simulateTime({ running: callers }, clock)
    const connector = connectAds(sandbox, { config, limits: true })
    sandbox.faults.add({ kind: 'code', code: 40100, times: 2 })
    await callFor(connector, 20, time)
    const sent = tiktok.requests().map(({ at }) => at)
    expect(sent.length).toBeGreaterThan(150)
    for (const [index, at] of sent.entries()) expect((sent[index + 10] ?? Number.POSITIVE_INFINITY) - at).toBeGreaterThanOrEqual(1050)
  })

  test("of the vendor's sandbox meet no 40100 either", async () => {
    tiktok.switches.set({ limits: true })
    using time = simulateTime({ running: callers }, clock)
    using watched = watchRequests()
    const connector = connectAds(sandbox, {
      credentials: { access_token: known.environmentToken },
      config: { advertiser_id: facts.sandboxAdvertiserId, api_host: 'sandbox' },
      limits: true,
    })
    const moments = await callFor(connector, 120, time)
    expect(watched.origins).toHaveLength(moments.length)
    expect(moments.length).toBeGreaterThanOrEqual(0.9 * 60)
  })
})

// How many the vendor refuses is told in simulated time above: a busy machine delivers requests in other intervals than they were sent.
test('in real time, sixty calls at once are all served', async () => {
  await using real = await startSandbox({ limits: true })
  const connector = connectAds(real, { config, limits: true })
  const answers = await Promise.all(Array.from({ length: 60 }, () => connector.campaigns.list({ page_size: 1 })))
  expect(answers.filter(({ data }) => data.length !== 1)).toEqual([])
  expect(real.tiktok.requests().length).toBeGreaterThanOrEqual(60)
})
