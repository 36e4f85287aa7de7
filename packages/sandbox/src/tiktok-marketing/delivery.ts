import { setEach } from '../data.ts'
import { hash32, Random } from '../random.ts'
import { type Account, localDay } from './accounts.ts'
import { showsImages } from './ads.ts'
import { objectiveOf } from './campaigns.ts'
import { dayOf } from './time.ts'
import { campaignOf, createdAt, draw, type Spot, type Structural, sizeOf, type View } from './world.ts'

const additive =
  'impressions clicks cents reach conversions plays watched2s watched6s p25 p50 p75 p100 playSeconds visits likes comments shares follows music installs'

/** Sums over the ads and days of a row, by what adds up. */
export type Sums = Readonly<Record<string, number>>

/** Sums of nothing. */
export const noSums: Sums = setEach(0, additive)

/** Adds what happened to sums. */
export function addSums(sums: Record<string, number>, further: Sums): void {
  for (const [name, value] of Object.entries(further)) sums[name] = (sums[name] ?? 0) + value
}

/** Writes a metric; the objective is that of the campaign, undefined for a whole account. */
type Metric = (sums: Sums, objective: string | undefined) => string

/** The vendor's text for a metric that is not available. */
export const unavailable = '-'

function count(name: string): Metric {
  return (sums) => String(sums[name])
}

function money(part: number): Metric {
  return ({ cents = 0 }) => (Math.round(cents * part) / 100).toFixed(2)
}

/** Two decimals; 0.00 where there is nothing to divide by. */
function ratio(top: string, bottom: string, factor: number): Metric {
  return ({ [top]: dividend = 0, [bottom]: divisor = 0 }) => ((divisor === 0 ? 0 : dividend / divisor) * factor).toFixed(2)
}

function only(fits: (sums: Sums, objective: string | undefined) => boolean, metric: Metric): Metric {
  return (sums, objective) => (fits(sums, objective) ? metric(sums, objective) : unavailable)
}

const converts = (_: Sums, objective: string | undefined) => objective !== 'REACH' && objective !== 'VIDEO_VIEWS'
const sells = (_: Sums, objective: string | undefined) => objective === undefined || objective === 'WEB_CONVERSIONS'
const installs = (_: Sums, objective: string | undefined) => objective === undefined || objective === 'APP_PROMOTION'
const played = ({ plays = 0 }: Sums) => plays > 0
const seen = ({ impressions = 0 }: Sums) => impressions > 0

const conversions = ['', 'real_time_'].flatMap((when): (readonly [string, Metric])[] => [
  [`${when}conversion`, only(converts, count('conversions'))],
  [`${when}cost_per_conversion`, only(converts, ratio('cents', 'conversions', 0.01))],
  [`${when}conversion_rate`, only(converts, ratio('conversions', 'clicks', 100))],
  [`${when}result`, count('conversions')],
  [`${when}cost_per_result`, ratio('cents', 'conversions', 0.01)],
  [`${when}result_rate`, ratio('conversions', 'impressions', 100)],
])

/** Metrics that are a sum, by the vendor's names. */
const counted: Readonly<Record<string, string>> = {
  impressions: 'impressions',
  clicks: 'clicks',
  reach: 'reach',
  likes: 'likes',
  comments: 'comments',
  shares: 'shares',
  follows: 'follows',
  profile_visits: 'visits',
  clicks_on_music_disc: 'music',
  video_play_actions: 'plays',
  video_watched_2s: 'watched2s',
  video_watched_6s: 'watched6s',
  video_views_p25: 'p25',
  video_views_p50: 'p50',
  video_views_p75: 'p75',
  video_views_p100: 'p100',
}

/** Metrics that every level has, by the vendor's names. */
export const metrics: ReadonlyMap<string, Metric> = new Map([
  ...Object.entries(counted).map(([name, sum]): [string, Metric] => [name, count(sum)]),
  ...conversions,
  ['spend', money(1)],
  ['cpc', ratio('cents', 'clicks', 0.01)],
  ['cpm', ratio('cents', 'impressions', 10)],
  ['ctr', only(seen, ratio('clicks', 'impressions', 100))],
  ['cost_per_1000_reached', ratio('cents', 'reach', 10)],
  ['frequency', only(seen, ratio('impressions', 'reach', 1))],
  ['secondary_goal_result', only(sells, count('p75'))],
  ['cost_per_secondary_goal_result', only(sells, ratio('cents', 'p75', 0.01))],
  ['secondary_goal_result_rate', only(sells, ratio('p75', 'impressions', 100))],
  ['average_video_play', only(played, ratio('playSeconds', 'plays', 1))],
  ['average_video_play_per_user', only(played, ratio('playSeconds', 'reach', 1))],
  ['real_time_app_install', only(installs, count('installs'))],
  ['real_time_app_install_cost', only(installs, ratio('cents', 'installs', 0.01))],
  ['app_install', only(installs, count('installs'))],
])

/** Metrics of whole accounts. */
export const accountMetrics: ReadonlyMap<string, Metric> = new Map([
  ['cash_spend', money(0.9)],
  ['voucher_spend', money(0.1)],
])

/** Days since 1 January 1970, both ends included. */
export interface Span {
  readonly from: number
  readonly to: number
}

/** Days that the vendor's sandbox environment has reports of: 8 to 19 December 2020. */
const mockDays: Span = { from: dayOf(Date.UTC(2020, 11, 8)), to: dayOf(Date.UTC(2020, 11, 19)) }

/** The days on which an ad can be delivered; undefined for an ad that never is. Most ads run once, a few run without end. */
function flightOf(view: View, ad: Spot<Structural>): Span | undefined {
  const { account, position } = ad
  const steady = position % account.steadyEvery === 11 % account.steadyEvery
  if (!steady && position % 10 !== 4) return undefined
  if (account.environment === 'sandbox') return mockDays
  const from = localDay(account, createdAt(ad)) + 1
  return { from, to: steady ? Number.POSITIVE_INFINITY : from + 2 + draw(view, ad, ['flight', 8]) }
}

function videoSums(random: Random, impressions: number): Sums {
  const plays = Math.floor(impressions * (0.85 + random.next() * 0.15))
  const [p25 = 0, p50 = 0, p75 = 0, p100 = 0] = [0.6, 0.35, 0.2, 0.1].map((part) => Math.floor(plays * part * (0.8 + random.next() * 0.2)))
  const playSeconds = Math.floor(plays * (2 + random.next() * 6))
  const watched = { watched2s: Math.floor(plays * 0.4), watched6s: Math.floor(plays * 0.15), music: Math.floor(plays * 0.001) }
  return { plays, p25, p50, p75, p100, playSeconds, ...watched }
}

/** Returns what one ad did on one day; the same whoever asks. */
function sumsOf(view: View, ad: Spot<Structural>, day: number): Sums {
  const random = new Random(view.seed, 'delivery', ad.account.index, ad.position, day)
  const impressions = random.chance(0.03) ? 0 : random.int(200, 9000)
  const clicks = Math.floor(impressions * random.next() * 0.03)
  return {
    impressions,
    clicks,
    cents: Math.floor(impressions * (0.3 + random.next() * 0.9)),
    reach: Math.floor(impressions * 0.8),
    conversions: Math.floor(clicks * random.next() * 0.3),
    ...(showsImages(view, ad) ? {} : videoSums(random, impressions)),
    visits: Math.floor(clicks * 0.1),
    likes: Math.floor(impressions * random.next() * 0.02),
    comments: random.int(0, 4),
    shares: random.int(0, 6),
    follows: random.int(0, 3),
    installs: objectiveOf(view, campaignOf(ad)) === 'APP_PROMOTION' ? Math.floor(clicks * 0.2) : 0,
  }
}

/** What a report visits. */
interface Visit {
  /** Days; those after the account's today have nothing. */
  readonly span: Span
  /** The oldest ad that counts. */
  readonly firstAd: number
  readonly counts: (ad: Spot<Structural>) => boolean
  /** Called for every ad and day with delivery, newest ads first. */
  readonly each: (ad: Spot<Structural>, day: number, sums: Sums) => void
}

/** Visits every delivery of an account. */
export function visitDelivery(view: View, account: Account, { span, firstAd, counts, each }: Visit): void {
  const today = account.environment === 'sandbox' ? span.to : Math.min(span.to, localDay(account, view.now))
  for (let position = sizeOf(account, 'ads') - 1; position >= firstAd; position -= 1) {
    const ad: Spot<Structural> = { kind: 'ads', account, position }
    const flight = flightOf(view, ad)
    if (!flight || flight.from > today || flight.to < span.from || !counts(ad)) continue
    const last = Math.min(flight.to, today)
    for (let day = Math.max(flight.from, span.from); day <= last; day += 1) {
      const pauses = hash32(view.seed, 'pause', account.index, position, day) % 11 === 0
      if (!pauses) each(ad, day, sumsOf(view, ad, day))
    }
  }
}
