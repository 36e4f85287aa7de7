/** What the compiler knows of a kind with parameters that the connector supplies, numbered pages, and ids that are texts in lists and numbers in reports. Never run. */
import {
  type ConfigurationOf,
  type CredentialsOf,
  connect,
  type Kinds,
  type MetaOf,
  type ParamsOf,
  type RecordOf,
} from '../../packages/ferrule/src/index.ts'
import { type Same, yes } from './same.ts'

type Tiktok = Kinds['tiktok-marketing']
type Entities = Tiktok['entities']
const tiktok = connect('tiktok-marketing', { credentials: { access_token: 'a' } })

// Both schemes, and a configuration of which nothing is needed
connect('tiktok-marketing', { credentials: { access_token: 'a', app_id: '1' }, config: { advertiser_id: '7398164205713920517' } })
connect('tiktok-marketing', {
  credentials: { app_id: '1', secret: 'b', auth_code: 'c' },
  config: { advertiser_id: ['1', '2'], start_date: '2025-01-01', api_host: 'sandbox' },
  onCredentials: (next) => yes<Same<typeof next, CredentialsOf<Tiktok>>>(),
})
yes<Same<ConfigurationOf<Tiktok>['advertiser_id'], string | readonly string[] | undefined>>()
yes<Same<ConfigurationOf<Tiktok>['api_host'], 'production' | 'sandbox' | undefined>>()
type OAuth = Extract<CredentialsOf<Tiktok>, { secret: string }>
yes<Same<OAuth['app_id'], string>>()
yes<Same<OAuth['auth_code'], string | undefined>>()

// The advertiser may be left out everywhere: the connector may know it
type AdParams = ParamsOf<Entities['ads'], 'list'>
yes<
  Same<AdParams, { advertiser_id?: string | null; filtering?: string | object | null; page?: number | null; page_size?: number | null }>
>()
await tiktok.ads.list()
await tiktok.ads.list({ advertiser_id: '7398164205713920517', page: 2, page_size: 1000 })
await tiktok.ads.list({ advertiser_id: null }, { deadlineMs: 5_000 })
await tiktok.advertisers.list()
await tiktok.advertisers.list({ advertiser_ids: '["7398164205713920517"]' })
await tiktok.catalogs.list({ bc_id: '7402255119283765249' })
yes<Same<ParamsOf<Entities['catalogs'], 'list'>['bc_id'], string | null | undefined>>()

// Ids of lists are texts, with all their digits; a pixel is a number that may be large
const ads = await tiktok.ads.list()
const ad = ads.data[0]
if (ad === undefined) throw new Error('a type test is never run')
yes<Same<typeof ad.ad_id, string>>()
yes<Same<typeof ad.advertiser_id, string>>()
yes<Same<typeof ad.tracking_pixel_id, number | bigint | null>>()
yes<Same<typeof ad.modify_time, string | null>>()
yes<Same<typeof ad.landing_page_urls, string[] | null>>()
yes<Same<RecordOf<Entities['campaigns']>['secondary_status'], string | null>>()
yes<Same<RecordOf<Entities['campaigns']>['budget'], number>>()
yes<Same<RecordOf<Entities['audiences']>['audience_id'], string | null>>()
yes<Same<NonNullable<RecordOf<Entities['promoted_post_ads']>['user_info']>['platform_name'], string | null>>()
yes<Same<RecordOf<Entities['catalogs']>['product_count'], number | null>>()

// Reports: what is required, what is one of some texts, ids as numbers, figures as texts and as numbers
type ReportParams = ParamsOf<Entities['ads_reports_daily'], 'list'>
yes<Same<ReportParams['service_type'], 'AUCTION' | 'RESERVATION'>>()
yes<Same<ReportParams['report_type'], 'BASIC' | 'AUDIENCE' | 'PLAYABLE_MATERIAL' | 'CATALOG' | 'BC' | 'TT_SHOP'>>()
yes<
  Same<
    Extract<ReportParams['data_level'], `AUCTION_${string}`>,
    'AUCTION_ADVERTISER' | 'AUCTION_CAMPAIGN' | 'AUCTION_ADGROUP' | 'AUCTION_AD'
  >
>()
yes<Same<ReportParams['advertiser_id'], string | null | undefined>>()
// A list stands for JSON text, and a Date for a day
yes<Same<ReportParams['dimensions'], string | readonly string[]>>()
yes<Same<ReportParams['end_date'], string | Date>>()
const range = { start_date: '2025-01-01', end_date: '2025-01-30' }
const basic = { service_type: 'AUCTION', report_type: 'BASIC', metrics: '["spend"]', ...range } as const
const daily = await tiktok.ads_reports_daily.list({ ...basic, data_level: 'AUCTION_AD', dimensions: '["ad_id","stat_time_day"]' })
const lists = { dimensions: ['ad_id', 'stat_time_day'], metrics: ['spend'], start_date: new Date(), end_date: new Date() } as const
yes<Same<Awaited<ReturnType<typeof tiktok.ads_reports_daily.list>>, typeof daily>>()
await tiktok.ads_reports_daily.list({ ...basic, ...lists, data_level: 'AUCTION_AD' })
const row = daily.data[0]
if (row === undefined) throw new Error('a type test is never run')
yes<Same<typeof row.ad_id, number | bigint | null>>()
yes<Same<typeof row.campaign_id, number | bigint | null>>()
yes<Same<typeof row.spend, string | null>>()
yes<Same<typeof row.likes, number | null>>()
yes<Same<typeof row.stat_time_day, string | null>>()
yes<Same<RecordOf<Entities['advertisers_reports_daily']>['cash_spend'], string | null>>()

// Numbered pages
yes<Same<typeof ads.meta.page_info.total_page, number | null>>()
yes<Same<MetaOf<Entities['advertisers']>['page_info']['total_number'], number | null>>()
yes<Same<typeof ads.meta.next_params, Partial<AdParams> | null>>()
yes<Same<typeof ads.meta.warnings, readonly string[] | undefined>>()
let params: AdParams = { page_size: 500 }
for (;;) {
  const page = await tiktok.ads.list(params)
  if (page.meta.next_params === null) break
  params = { ...params, ...page.meta.next_params }
}
for await (const { campaign_id } of tiktok.campaigns.records()) yes<Same<typeof campaign_id, string>>()
for await (const page of tiktok.pages('audiences', { page_size: 100 })) yes<Same<typeof page.meta.page_info.page, number>>()
