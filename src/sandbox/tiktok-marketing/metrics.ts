/** What adds up over ads and days. */
export const additive = [
  'impressions',
  'clicks',
  'cents',
  'reach',
  'conversions',
  'plays',
  'watched2s',
  'watched6s',
  'p25',
  'p50',
  'p75',
  'p100',
  'playSeconds',
  'visits',
  'likes',
  'comments',
  'shares',
  'follows',
  'music',
  'installs',
] as const

/** Sums over the ads and days of a row. */
export type Sums = Record<(typeof additive)[number], number>

/** What decides whether a metric can be told. */
export interface MetricContext {
  /** Of the campaign; undefined for a whole account. */
  readonly objective: string | undefined
}

type Metric = (sums: Sums, context: MetricContext) => string

/** The vendor's text for a metric that is not available. */
export const unavailable = '-'

const emptySums: Sums = {
  impressions: 0,
  clicks: 0,
  cents: 0,
  reach: 0,
  conversions: 0,
  plays: 0,
  watched2s: 0,
  watched6s: 0,
  p25: 0,
  p50: 0,
  p75: 0,
  p100: 0,
  playSeconds: 0,
  visits: 0,
  likes: 0,
  comments: 0,
  shares: 0,
  follows: 0,
  music: 0,
  installs: 0,
}

/** Sums of nothing. */
export function noSums(): Sums {
  return { ...emptySums }
}

const count =
  (name: keyof Sums): Metric =>
  (sums) =>
    String(sums[name])

const money =
  (part: number): Metric =>
  ({ cents }) =>
    (Math.round(cents * part) / 100).toFixed(2)

/** Two decimals; 0.00 where there is nothing to divide by. */
const ratio =
  (top: keyof Sums, bottom: keyof Sums, factor: number): Metric =>
  (sums) =>
    ((sums[bottom] === 0 ? 0 : sums[top] / sums[bottom]) * factor).toFixed(2)

const only =
  (fits: (sums: Sums, context: MetricContext) => boolean, metric: Metric): Metric =>
  (sums, context) =>
    fits(sums, context) ? metric(sums, context) : unavailable

const converts = (_: Sums, { objective }: MetricContext) => objective !== 'REACH' && objective !== 'VIDEO_VIEWS'
const sells = (_: Sums, { objective }: MetricContext) => objective === undefined || objective === 'WEB_CONVERSIONS'
const installs = (_: Sums, { objective }: MetricContext) => objective === undefined || objective === 'APP_PROMOTION'
const played = ({ plays }: Sums) => plays > 0
const seen = ({ impressions }: Sums) => impressions > 0

const conversions: readonly (readonly [string, Metric])[] = [
  ['conversion', only(converts, count('conversions'))],
  ['cost_per_conversion', only(converts, ratio('cents', 'conversions', 0.01))],
  ['conversion_rate', only(converts, ratio('conversions', 'clicks', 100))],
  ['real_time_conversion', only(converts, count('conversions'))],
  ['real_time_cost_per_conversion', only(converts, ratio('cents', 'conversions', 0.01))],
  ['real_time_conversion_rate', only(converts, ratio('conversions', 'clicks', 100))],
  ['result', count('conversions')],
  ['cost_per_result', ratio('cents', 'conversions', 0.01)],
  ['result_rate', ratio('conversions', 'impressions', 100)],
  ['real_time_result', count('conversions')],
  ['real_time_cost_per_result', ratio('cents', 'conversions', 0.01)],
  ['real_time_result_rate', ratio('conversions', 'impressions', 100)],
  ['secondary_goal_result', only(sells, count('p75'))],
  ['cost_per_secondary_goal_result', only(sells, ratio('cents', 'p75', 0.01))],
  ['secondary_goal_result_rate', only(sells, ratio('p75', 'impressions', 100))],
]

/** Metrics that every level has, by the vendor's names. */
export const metrics: ReadonlyMap<string, Metric> = new Map([
  ['spend', money(1)],
  ['cpc', ratio('cents', 'clicks', 0.01)],
  ['cpm', ratio('cents', 'impressions', 10)],
  ['impressions', count('impressions')],
  ['clicks', count('clicks')],
  ['ctr', only(seen, ratio('clicks', 'impressions', 100))],
  ['reach', count('reach')],
  ['cost_per_1000_reached', ratio('cents', 'reach', 10)],
  ['frequency', only(seen, ratio('impressions', 'reach', 1))],
  ...conversions,
  ['video_play_actions', count('plays')],
  ['video_watched_2s', count('watched2s')],
  ['video_watched_6s', count('watched6s')],
  ['average_video_play', only(played, ratio('playSeconds', 'plays', 1))],
  ['average_video_play_per_user', only(played, ratio('playSeconds', 'reach', 1))],
  ['video_views_p25', count('p25')],
  ['video_views_p50', count('p50')],
  ['video_views_p75', count('p75')],
  ['video_views_p100', count('p100')],
  ['profile_visits', count('visits')],
  ['likes', count('likes')],
  ['comments', count('comments')],
  ['shares', count('shares')],
  ['follows', count('follows')],
  ['clicks_on_music_disc', count('music')],
  ['real_time_app_install', only(installs, count('installs'))],
  ['real_time_app_install_cost', only(installs, ratio('cents', 'installs', 0.01))],
  ['app_install', only(installs, count('installs'))],
])

/** Metrics of whole accounts. */
export const accountMetrics: ReadonlyMap<string, Metric> = new Map([
  ['cash_spend', money(0.9)],
  ['voucher_spend', money(0.1)],
])
