import { describe, expect, test } from 'vitest'
import { tiktokCredentials } from '../../packages/sandbox/src/index.ts'
import type { Answered } from './client.ts'
import { get, rows } from './client.ts'
import { codeOf, openDesk, withToken } from './tiktok-client.ts'

const { tiktok, facts, read } = await openDesk()
const daily = {
  advertiser_id: facts.advertiserId,
  service_type: 'AUCTION',
  report_type: 'BASIC',
  data_level: 'AUCTION_CAMPAIGN',
  dimensions: ['campaign_id', 'stat_time_day'],
  metrics: ['spend', 'impressions'],
  start_date: '2025-05-01',
  end_date: '2025-05-30',
  page_size: 1000,
}
const report = (query: Readonly<Record<string, unknown>> = {}, headers?: Readonly<Record<string, string>>) =>
  read('/report/integrated/get/', { ...daily, ...query }, headers)
const level = (name: string) => ({ data_level: `AUCTION_${name.toUpperCase()}`, dimensions: [`${name}_id`, 'stat_time_day'] })
const list = (answer: Answered) => rows(answer.body, 'data', 'list')
const all = { filtering: [{ field_name: 'ad_status', filter_type: 'IN', filter_value: '["STATUS_ALL"]' }] }

async function total(query: Readonly<Record<string, unknown>>): Promise<number> {
  let sum = 0
  for (let page = 1, pages = 1; page <= pages; page += 1) {
    const answer = await report({ ...query, page })
    pages = Number(get(answer.body, 'data', 'page_info', 'total_page'))
    for (const row of list(answer)) sum += Number(get(row, 'metrics', 'impressions'))
  }
  return sum
}

describe('rows', () => {
  test('have dimensions and metrics apart, every value a text', async () => {
    const answer = await report({ metrics: ['campaign_name', 'spend', 'video_play_actions'] })
    for (const row of list(answer)) {
      expect(row).toEqual({
        dimensions: { campaign_id: expect.stringMatching(/^\d{16}$/), stat_time_day: expect.stringMatching(/^2025-05-\d\d 00:00:00$/) },
        metrics: {
          campaign_name: expect.any(String),
          spend: expect.stringMatching(/^\d+\.\d\d$/),
          video_play_actions: expect.stringMatching(/^\d+$/),
        },
      })
    }
    expect(list(answer).length).toBeGreaterThan(100)
    expect(list(await report({ metrics: ['campaign_name', 'spend', 'video_play_actions'] }))).toEqual(list(answer))
  })

  test('spend and impressions when no metrics are named', async () => {
    const { metrics: _, ...rest } = daily
    const answer = await read('/report/integrated/get/', rest)
    expect(Object.keys(Object(get(list(answer)[0], 'metrics')))).toEqual(['spend', 'impressions'])
  })

  test('levels add up once deleted objects count', async () => {
    const days = { start_date: '2025-05-01', end_date: '2025-05-03' }
    const account = await total({ ...level('advertiser'), ...days })
    for (const name of ['campaign', 'adgroup']) {
      expect(await total({ ...level(name), ...days, ...all })).toBe(account)
      expect(await total({ ...level(name), ...days })).toBeLessThan(account)
    }
    const second = { advertiser_id: facts.secondAdvertiserId, ...days }
    expect(await total({ ...level('ad'), ...second, ...all })).toBe(await total({ ...level('advertiser'), ...second }))
  })

  test('days are those of the account', async () => {
    const span = { ...level('advertiser'), start_date: '2025-06-14', end_date: '2025-06-20' }
    const last = async (advertiserId: string) => {
      const found = list(await report({ ...span, advertiser_id: advertiserId, order_field: 'stat_time_day', order_type: 'DESC' }))
      return get(found[0], 'dimensions', 'stat_time_day')
    }
    expect(await last(facts.advertiserId)).toBe('2025-06-15 00:00:00')
    expect(await last(facts.secondAdvertiserId)).toBe('2025-06-16 00:00:00')
    expect(facts.yesterday).toBe('2025-06-14')
  })

  test('there are none before the first campaign, for an idle account, for reservations', async () => {
    const empty = { list: [], page_info: { page: 1, page_size: 1000, total_number: 0, total_page: 0 } }
    for (const query of [
      { start_date: '2020-01-01', end_date: '2020-01-30' },
      { advertiser_id: facts.emptyAdvertiserId },
      { service_type: 'RESERVATION', data_level: 'RESERVATION_CAMPAIGN' },
    ])
      expect(get((await report(query)).body, 'data')).toEqual(empty)
  })

  test('go back for years, in windows', async () => {
    for (const month of ['2023-02', '2024-02', '2025-02']) {
      expect(list(await report({ start_date: `${month}-01`, end_date: `${month}-28` })).length).toBeGreaterThan(0)
    }
  })

  test('without a day they are sums, up to a year', async () => {
    const sums = { dimensions: ['campaign_id'], start_date: '2024-06-01', end_date: '2025-05-31' }
    const found = list(await report(sums))
    expect(new Set(found.map((row) => get(row, 'dimensions', 'campaign_id'))).size).toBe(found.length)
    expect(codeOf(await report({ ...sums, start_date: '2024-05-31' }))).toEqual([40002, 'max time span is 365 days'])
    expect(list(await report({ ...sums, start_date: '', query_lifetime: 'true' })).length).toBeGreaterThanOrEqual(found.length)
  })

  test('are sorted when that is asked for', async () => {
    const spends = list(await report({ order_field: 'spend', order_type: 'ASC' })).map((row) => Number(get(row, 'metrics', 'spend')))
    expect(spends).toEqual([...spends].sort((left, right) => left - right))
  })
})

describe('what is refused', () => {
  test.each([
    ['31 days', { end_date: '2025-05-31' }, 'max time span is 30 days when use stat_time_day'],
    ['an unknown metric', { metrics: ['spend', 'video_views'] }, "Invalid metric fields: ['video_views']"],
    ['a metric of another level', { metrics: ['ad_name'] }, "Invalid metric fields: ['ad_name']"],
    ['an unknown dimension', { dimensions: ['campaign_id', 'moon'] }, "Invalid dimension fields: ['moon']"],
    ['no id', { dimensions: ['stat_time_day'] }, 'dimensions: Exactly one ID dimension is required.'],
    ['the id of another level', { dimensions: ['ad_id'] }, 'dimensions: ad_id does not match the data_level.'],
    ['dimensions that are no list', { dimensions: 'campaign_id' }, 'dimensions: Not a valid list.'],
    ['no dimensions', { dimensions: '' }, 'dimensions: Missing data for required field.'],
    ['no type', { report_type: '' }, 'report_type: Missing data for required field.'],
    ['a wrong level', { data_level: 'CAMPAIGN' }, expect.stringMatching(/^data_level: Must be one of: AUCTION_ADVERTISER/)],
    ['a wrong service', { service_type: 'MOON' }, 'service_type: Must be one of: AUCTION, RESERVATION.'],
    ['no date', { start_date: '' }, 'start_date: Missing data for required field.'],
    ['a day that is none', { start_date: '2025-02-30' }, 'start_date: Not a valid date, must be YYYY-MM-DD.'],
    ['an end before the start', { start_date: '2025-06-01' }, 'start_date: Must not be after end_date.'],
    ['a large page', { page_size: 1001 }, 'page_size: Must be between 1 and 1000.'],
    [
      'a wrong filter',
      { filtering: [{ field_name: 'moon', filter_type: 'IN', filter_value: '[]' }] },
      'filtering: Invalid condition on moon.',
    ],
    ['no account', { advertiser_id: '' }, 'advertiser_id: Missing data for required field.'],
  ])('%s', async (_, query, message) => {
    expect(codeOf(await report(query))).toEqual([40002, message])
  })

  test('a report above the budget', async () => {
    tiktok.switches.set({ cellBudget: 500 })
    expect(codeOf(await report())[0]).toBe(40067)
    expect(codeOf(await report({ end_date: '2025-05-01' }))[0]).toBe(0)
  })
})

test("the vendor's sandbox environment has twelve days", async () => {
  const headers = { ...withToken(tiktokCredentials.environmentToken), 'x-forwarded-host': 'sandbox-ads.tiktok.com' }
  const span = { advertiser_id: facts.sandboxAdvertiserId, start_date: '2020-12-01', end_date: '2020-12-30' }
  const days = new Set(list(await report(span, headers)).map((row) => String(get(row, 'dimensions', 'stat_time_day')).slice(0, 10)))
  expect([...days].sort()).toEqual([...days].sort().filter((date) => date >= '2020-12-08' && date <= '2020-12-19'))
  expect(days.size).toBeGreaterThan(0)
  expect(codeOf(await report({ ...span, ...level('advertiser') }, headers))[0]).toBe(40009)
})
