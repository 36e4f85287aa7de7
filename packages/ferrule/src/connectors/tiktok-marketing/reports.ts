/** Daily reports: one endpoint of the vendor. Its rows have `dimensions` and `metrics`, and its values are strings. */
import {
  date,
  decimal,
  each,
  entity,
  type Fields,
  id,
  jsonArray,
  jsonFilter,
  num,
  oneOf,
  opt,
  orNull,
  stamp,
  str,
} from '../../definition/index.ts'
import { advertiser_id, filteredPerAdvertiser, firstPage, longestReports, paging } from './shared.ts'

const text = orNull(str('As in the account at the time of the report'))
const figure = orNull(decimal('Decimal string as the vendor sends it; null without a value'))
const reference = orNull(id('Id'))

const shared = each(figure, 'spend', 'cpc', 'cpm', 'impressions', 'clicks', 'ctr', 'reach', 'cost_per_1000_reached', 'frequency')

const conversions = each(
  figure,
  'conversion',
  'cost_per_conversion',
  'conversion_rate',
  'real_time_conversion',
  'real_time_cost_per_conversion',
  'real_time_conversion_rate',
  'result',
  'cost_per_result',
  'result_rate',
  'real_time_result',
  'real_time_cost_per_result',
  'real_time_result_rate',
  'secondary_goal_result',
  'cost_per_secondary_goal_result',
  'secondary_goal_result_rate',
)

const numberNames = [
  'video_play_actions',
  'video_watched_2s',
  'video_watched_6s',
  'average_video_play',
  'average_video_play_per_user',
  'video_views_p25',
  'video_views_p50',
  'video_views_p75',
  'video_views_p100',
  'profile_visits',
  'likes',
  'comments',
  'shares',
  'follows',
  'clicks_on_music_disc',
  'real_time_app_install',
  'real_time_app_install_cost',
  'app_install',
] as const
const numbers = each(orNull(num('Number; null without a value')), ...numberNames)

const stat_time_day = orNull(stamp('Day of the report in the time zone of the advertiser, YYYY-MM-DD 00:00:00'))

/** Converts ids to integers and figures to numbers, as documented. */
const convertTypes = <const N extends 'campaign_id' | 'adgroup_id' | 'ad_id'>(...ids: readonly N[]) => ({
  advertiser_id: { param: 'advertiser_id', as: 'integer' } as const,
  ...each({ as: 'integer' } as const, ...ids),
  ...each({ as: 'number' } as const, ...numberNames),
})

/** Adds the advertiser to the record of a level below it. The vendor's rows do not name it; searches have the documented fields only. */
const withAdvertiser = <const F extends Fields>(record: F) => ({ ...record, advertiser_id: reference })

const list = {
  call: 'GET /open_api/v1.3/report/integrated/get/',
  at: 'data.list',
  page: 'page_info',
  rows: { merge: ['metrics', 'dimensions'], empty: '-', names: ['campaign_name', 'adgroup_name', 'ad_name'] },
  admit: 'rule:report_range',
  params: {
    advertiser_id,
    service_type: oneOf('AUCTION, or RESERVATION (deprecated by the vendor)', 'AUCTION', 'RESERVATION'),
    report_type: oneOf('Kind of report', 'BASIC', 'AUDIENCE', 'PLAYABLE_MATERIAL', 'CATALOG', 'BC', 'TT_SHOP'),
    data_level: oneOf(
      'Level of a row',
      'AUCTION_ADVERTISER',
      'AUCTION_CAMPAIGN',
      'AUCTION_ADGROUP',
      'AUCTION_AD',
      'RESERVATION_ADVERTISER',
      'RESERVATION_CAMPAIGN',
      'RESERVATION_ADGROUP',
      'RESERVATION_AD',
    ),
    dimensions: jsonArray(
      'What a row is of, a JSON array of strings in a string: ["campaign_id","stat_time_day"]',
      '["advertiser_id","stat_time_day"]',
    ),
    metrics: jsonArray(
      'What is counted, a JSON array of strings in a string: ["spend","impressions"]; unknown names are refused by the vendor',
      '["spend","impressions"]',
    ),
    start_date: date('First day, in the time zone of the advertiser'),
    end_date: date('Last day, included; with stat_time_day at most 29 days after the first'),
    filtering: opt(
      jsonFilter(
        'Filter of the vendor, a JSON list of objects in a string; sent unchanged. By it a report also counts deleted ads',
        'list',
        '[{"field_name":"ad_status","filter_type":"IN","filter_value":"[\\"STATUS_ALL\\"]"}]',
      ),
    ),
    ...paging(1000),
  },
  defaults: firstPage(1000),
} as const

/**
 * Declares a report of one level with all its figures. Figures of the last days can still change; days are in the advertiser's time zone.
 */
const buildDailyReport = (data_level: string, dimension: string, record: Fields) => {
  const dimensions = [dimension, 'stat_time_day']
  const metrics = Object.keys(record).filter((name) => !dimensions.includes(name))
  return {
    ...filteredPerAdvertiser,
    params: {
      service_type: 'AUCTION',
      report_type: 'BASIC',
      data_level,
      dimensions: JSON.stringify(dimensions),
      metrics: JSON.stringify(metrics),
    },
    // Beside the attribution, two days: figures arrive up to half a day late, and days are those of the advertiser's time zone.
    windows: {
      from: 'start_date',
      to: 'end_date',
      days: longestReports.stat_time_day,
      first: 'start_date',
      lookback: 2,
      setting: 'attribution_window',
    },
    withdrawn: { param: 'metrics', matches: '^Invalid metric fields: \\[(.+)\\]' },
  } as const
}

const advertiserReport = {
  advertiser_id: reference,
  stat_time_day,
  ...each(figure, 'cash_spend', 'voucher_spend'),
  ...shared,
  ...numbers,
}

/** GET /open_api/v1.3/report/integrated/get/ with data_level AUCTION_ADVERTISER */
export const advertisers_reports_daily = entity({
  about: 'Daily report of advertisers',
  filled: { record: 'all', searchable: 'all' },
  scope: ['44'],
  key: ['param.advertiser_id', 'stat_time_day'],
  refers: { advertiser_id: 'advertisers' },
  record: advertiserReport,
  from: convertTypes(),
  list,
  context_store_search: advertiserReport,
  sync: buildDailyReport('AUCTION_ADVERTISER', 'advertiser_id', advertiserReport),
})

const campaignReport = { campaign_id: reference, stat_time_day, campaign_name: text, ...shared, ...numbers }

/** GET /open_api/v1.3/report/integrated/get/ with data_level AUCTION_CAMPAIGN */
export const campaigns_reports_daily = entity({
  about: 'Daily report of campaigns',
  filled: { record: 'all' },
  scope: ['44'],
  key: ['campaign_id', 'stat_time_day'],
  refers: { campaign_id: 'campaigns' },
  record: withAdvertiser(campaignReport),
  from: convertTypes('campaign_id'),
  list,
  context_store_search: campaignReport,
  sync: buildDailyReport('AUCTION_CAMPAIGN', 'campaign_id', campaignReport),
})

const adGroupReport = {
  adgroup_id: reference,
  stat_time_day,
  campaign_name: text,
  campaign_id: reference,
  adgroup_name: text,
  placement_type: text,
  ...shared,
  ...conversions,
  ...numbers,
}

/** GET /open_api/v1.3/report/integrated/get/ with data_level AUCTION_ADGROUP */
export const ad_groups_reports_daily = entity({
  about: 'Daily report of ad groups',
  scope: ['44'],
  key: ['adgroup_id', 'stat_time_day'],
  refers: { campaign_id: 'campaigns', adgroup_id: 'ad_groups' },
  record: withAdvertiser(adGroupReport),
  from: convertTypes('adgroup_id', 'campaign_id'),
  list,
  context_store_search: adGroupReport,
  sync: buildDailyReport('AUCTION_ADGROUP', 'adgroup_id', adGroupReport),
})

const adReport = {
  ad_id: reference,
  stat_time_day,
  campaign_name: text,
  campaign_id: reference,
  adgroup_name: text,
  adgroup_id: reference,
  ad_name: text,
  ad_text: text,
  placement_type: text,
  ...shared,
  ...conversions,
  ...numbers,
}

/** GET /open_api/v1.3/report/integrated/get/ with data_level AUCTION_AD */
export const ads_reports_daily = entity({
  about: 'Daily report of ads',
  scope: ['44'],
  key: ['ad_id', 'stat_time_day'],
  refers: { campaign_id: 'campaigns', adgroup_id: 'ad_groups', ad_id: 'ads' },
  record: withAdvertiser(adReport),
  from: convertTypes('ad_id', 'adgroup_id', 'campaign_id'),
  list,
  context_store_search: adReport,
  sync: buildDailyReport('AUCTION_AD', 'ad_id', adReport),
})
