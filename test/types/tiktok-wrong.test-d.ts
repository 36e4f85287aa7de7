/** Wrong uses of a kind with parameters that the connector supplies and with reports: each is a compile error. Never run. */
import { connect } from '../../packages/ferrule/src/index.ts'

const credentials = { access_token: 'a' }
const tiktok = connect('tiktok-marketing', { credentials })
const range = { start_date: '2025-01-01', end_date: '2025-01-30' }
const arrays = { dimensions: '["ad_id"]', metrics: '["spend"]' }
const report = { service_type: 'AUCTION', report_type: 'BASIC', data_level: 'AUCTION_AD', ...arrays, ...range } as const
const { metrics: _metrics, ...unmeasured } = report

// @ts-expect-error the folder's name is not the slug
connect('tiktok', { credentials })
// @ts-expect-error the token is missing
connect('tiktok-marketing', { credentials: { app_id: '1' } })
// @ts-expect-error the app is missing
connect('tiktok-marketing', { credentials: { secret: 'b', auth_code: 'c' } })
// @ts-expect-error credentials of another kind
connect('tiktok-marketing', { credentials: { api_key: 'a' } })
// @ts-expect-error an id of an advertiser is a text: a number would have lost digits
connect('tiktok-marketing', { credentials, config: { advertiser_id: 7398164205 } })
// @ts-expect-error several advertisers are texts too
connect('tiktok-marketing', { credentials, config: { advertiser_id: [1, 2] } })
// @ts-expect-error a host that there is not
connect('tiktok-marketing', { credentials, config: { api_host: 'staging' } })
// @ts-expect-error a configuration field that there is not
connect('tiktok-marketing', { credentials, config: { environment: 'sandbox' } })

// @ts-expect-error an id is a text
await tiktok.ads.list({ advertiser_id: 7398164205 })
// @ts-expect-error the ids are strings, in a list too
await tiktok.advertisers.list({ advertiser_ids: [1] })
// @ts-expect-error one advertiser is no parameter of the list of advertisers
await tiktok.advertisers.list({ advertiser_id: '1' })
// @ts-expect-error a page is a number
await tiktok.ads.list({ page: '2' })
// @ts-expect-error pages are not positions
await tiktok.ads.list({ cursor: 'x' })
// @ts-expect-error the filter is a text or an object
await tiktok.campaigns.list({ filtering: 7 })
// @ts-expect-error nothing is made here
await tiktok.campaigns.create({ campaign_name: 'x' })
// @ts-expect-error campaigns can only be listed
await tiktok.campaigns.get({ campaign_id: '1' })
// @ts-expect-error an entity of the vendor under another name
await tiktok.adgroups.list()
// @ts-expect-error search is offered by the hosted platform only
await tiktok.ads.context_store_search({ query: {} })

// @ts-expect-error a report has parameters that it needs
await tiktok.ads_reports_daily.list()
// @ts-expect-error the metrics are missing
await tiktok.ads_reports_daily.list(unmeasured)
// @ts-expect-error a level that there is not
await tiktok.ads_reports_daily.list({ ...report, data_level: 'AD' })
// @ts-expect-error a kind of report that there is not
await tiktok.ads_reports_daily.list({ ...report, report_type: 'basic' })
// @ts-expect-error dimensions are a list, or one text that holds an array
await tiktok.ads_reports_daily.list({ ...report, dimensions: { ad_id: true } })
// @ts-expect-error a day is a text or a Date
await tiktok.ads_reports_daily.list({ ...report, start_date: Date.now() })
// @ts-expect-error an id of a report may be too large for a number
for await (const { ad_id } of tiktok.ads_reports_daily.records(report)) console.log(Math.max(ad_id))
// @ts-expect-error spend is a text
for await (const { spend } of tiktok.ads_reports_daily.records(report)) console.log((spend ?? 0) * 2)
// @ts-expect-error an id of a list is a text: no sums of it
for await (const { ad_id } of tiktok.ads.records()) console.log(BigInt.asIntN(64, ad_id))
// @ts-expect-error the vendor's name of it is another
for await (const { user_info } of tiktok.promoted_post_ads.records()) console.log(user_info?.tiktok_name)
// @ts-expect-error null must be thought of
for await (const { secondary_status } of tiktok.campaigns.records()) console.log(secondary_status.length)
// @ts-expect-error numbered pages have no cursor
for await (const { meta } of tiktok.ads.pages()) console.log(meta.cursor)
// @ts-expect-error the last page has no next one
for await (const { meta } of tiktok.ads.pages()) console.log(meta.next_params.page)
