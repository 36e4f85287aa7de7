/** One right call of every operation of a TikTok Marketing connector against the sandbox; every list finds something. */
import { kinds } from '../../packages/ferrule/src/connectors/index.ts'
import { listLiveActions } from '../../packages/ferrule/src/definition/entity.ts'
import type { TiktokWorldFacts } from '../../packages/sandbox/src/index.ts'

type Values = Readonly<Record<string, unknown>>
type Entities = (typeof kinds)['tiktok-marketing']['definition']['entities']

/** All operations as `entity action`, with the definition of the entity. */
export const operations = Object.entries(kinds['tiktok-marketing'].definition.entities).flatMap(([entity, definition]) =>
  listLiveActions(definition).map((action) => ({ entity, action, definition })),
)

/** The reports: what a row is of. */
export const reports = {
  advertisers_reports_daily: { data_level: 'AUCTION_ADVERTISER', dimension: 'advertiser_id' },
  campaigns_reports_daily: { data_level: 'AUCTION_CAMPAIGN', dimension: 'campaign_id' },
  ad_groups_reports_daily: { data_level: 'AUCTION_ADGROUP', dimension: 'adgroup_id' },
  ads_reports_daily: { data_level: 'AUCTION_AD', dimension: 'ad_id' },
} as const

/** Parameters of a report with every field that its record has, for one day or some. */
export function reportOf(entity: keyof typeof reports, first: string, last = first) {
  const { data_level, dimension } = reports[entity]
  const dimensions: readonly string[] = [dimension, 'stat_time_day']
  const metrics = Object.keys(kinds['tiktok-marketing'].definition.entities[entity].context_store_search).filter(
    (name) => !dimensions.includes(name),
  )
  return {
    service_type: 'AUCTION',
    report_type: 'BASIC',
    data_level,
    dimensions: JSON.stringify(dimensions),
    metrics: JSON.stringify(metrics),
    start_date: first,
    end_date: last,
  } as const
}

/** Parameters of every operation, in the order of the definition; the advertiser is the connector's. The checker of records is slow. */
export function usesOf({ yesterday, businessCenterId }: TiktokWorldFacts): Readonly<Record<keyof Entities, Values>> {
  const few = { page_size: 20 }
  const report = (entity: keyof typeof reports) => ({ ...reportOf(entity, yesterday), ...few })
  return {
    advertisers: {},
    campaigns: few,
    ad_groups: few,
    ads: few,
    audiences: few,
    creative_assets_images: few,
    creative_assets_videos: few,
    promoted_post_ads: few,
    catalogs: { bc_id: businessCenterId },
    advertisers_reports_daily: report('advertisers_reports_daily'),
    campaigns_reports_daily: report('campaigns_reports_daily'),
    ad_groups_reports_daily: report('ad_groups_reports_daily'),
    ads_reports_daily: report('ads_reports_daily'),
  }
}
