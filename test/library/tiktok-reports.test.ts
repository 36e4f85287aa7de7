import { describe, expect, test } from 'vitest'
import { kinds } from '../../packages/ferrule/src/connectors/index.ts'
import { failure } from '../engine/support.ts'
import { openDesk } from '../sandbox/tiktok-client.ts'
import { reportOf, reports } from './tiktok-operations.ts'
import { connectAds, execute } from './tiktok-support.ts'

const { sandbox, tiktok, facts, read } = await openDesk()
const ads = connectAds(sandbox)

/** Returns the vendor's last request. */
const asked = () => tiktok.requests().at(-1)

describe('reports', () => {
  test.each(Object.keys(reports) as (keyof typeof reports)[])('%s: flat rows of the level, typed, null for a dash', async (entity) => {
    const params = reportOf(entity, facts.yesterday)
    const { data } = await execute(ads, entity, 'list', params)
    const raw = await read('/report/integrated/get/', { advertiser_id: facts.advertiserId, ...params, page_size: '1000' })
    const rows: readonly Record<'dimensions' | 'metrics', Readonly<Record<string, string>>>[] = Object(raw.body).data.list
    expect(data).toHaveLength(rows.length)
    const { record } = kinds['tiktok-marketing'].definition.entities[entity]
    for (const [index, { dimensions, metrics }] of rows.entries())
      for (const [name, text] of Object.entries({ ...metrics, ...dimensions })) {
        const field: object = Reflect.get(record, name)
        const isText = JSON.stringify(field).includes('"string"')
        const typed = text === '-' ? null : isText ? text : name.endsWith('_id') ? BigInt(text) : Number(text)
        const told = data[index]?.[name]
        expect([name, typeof typed === 'bigint' && told !== null ? BigInt(String(told)) : told]).toEqual([name, typed])
      }
    expect(JSON.stringify(rows).includes('"-"')).toBe(entity !== 'advertisers_reports_daily') // a whole account has every value
  })

  test('fields that were not asked for are null, names that are not declared are kept', async () => {
    const params = { ...reportOf('campaigns_reports_daily', facts.yesterday), metrics: '["spend","currency"]' }
    const { data } = await ads.campaigns_reports_daily.list(params)
    expect(data[0]).toMatchObject({ spend: expect.stringMatching(/^\d+\.\d\d$/), currency: 'USD', likes: null, campaign_name: null })
  })

  test('the arrays travel to the letter, and the range is judged before anything is sent', async () => {
    const params = { ...reportOf('campaigns_reports_daily', '2025-05-17', '2025-06-15'), metrics: ' [ "spend" ,"clicks"]' }
    const { data } = await ads.campaigns_reports_daily.list(params)
    expect(data.length).toBeGreaterThan(30)
    expect(asked()?.query).toMatchObject({ metrics: ' [ "spend" ,"clicks"]', page: '1', page_size: '1000' })
    tiktok.clear()
    expect(await failure(ads.campaigns_reports_daily.list({ ...params, start_date: '2025-05-16' }))).toMatchObject({
      code: 'invalid_parameter',
      errors: [{ field: '/params/end_date', message: expect.stringContaining('30 days') }],
    })
    expect(tiktok.requests()).toEqual([])
    const total = { ...params, dimensions: '["campaign_id"]', start_date: '2024-06-16' }
    expect((await ads.campaigns_reports_daily.list(total)).data[0]?.stat_time_day).toBeNull()
  })

  test('a list is sent as JSON text, and a Date as its day', async () => {
    const params = reportOf('campaigns_reports_daily', '2025-05-17', '2025-05-18')
    const expected = await ads.campaigns_reports_daily.list(params)
    const dimensions = ['campaign_id', 'stat_time_day']
    const lists = { dimensions, metrics: [...JSON.parse(params.metrics)].map(String), start_date: new Date('2025-05-17') }
    expect((await ads.campaigns_reports_daily.list({ ...params, ...lists })).data).toEqual(expected.data)
    expect(asked()?.query).toMatchObject({ ...params, dimensions: JSON.stringify(dimensions) })
  })

  test('a report that left ads out says so', async () => {
    const { data, meta } = await ads.ads_reports_daily.list(reportOf('ads_reports_daily', facts.yesterday))
    expect(data.length).toBeGreaterThan(0)
    expect(Reflect.get(meta, 'warnings')).toEqual(['The number of ads exceeds 20000, only the newest 20000 ads are returned.'])
    const { meta: whole } = await ads.campaigns_reports_daily.list(reportOf('campaigns_reports_daily', facts.yesterday))
    expect('warnings' in whole).toBe(false)
  })
})
