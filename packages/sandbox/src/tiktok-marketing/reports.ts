import { setEach } from '../data.ts'
import { isObject, parseJson } from '../http.ts'
import { hash32, Random } from '../random.ts'
import { type Account, localDay } from './accounts.ts'
import { adGroupName, choosesPlacements } from './ad-groups.ts'
import { adName, adText, showsImages } from './ads.ts'
import { Failure, invalid, type JsonRecord, listIn, neededListIn, neededTextIn, textIn, textsOf } from './answers.ts'
import { campaignName, objectiveOf } from './campaigns.ts'
import { dateOf, dayOf, parseDate } from './time.ts'
import { campaignOf, createdAt, deletionOf, draw, layerOf, objectId, type Spot, type Structural, sizeOf, type View } from './world.ts'

const additive =
  'impressions clicks cents reach conversions plays watched2s watched6s p25 p50 p75 p100 playSeconds visits likes comments shares follows music installs'

/** Sums over the ads and days of a row, by what adds up. */
type Sums = Readonly<Record<string, number>>

const noSums: Sums = setEach(0, additive)

function addSums(sums: Record<string, number>, further: Sums): void {
  for (const [name, value] of Object.entries(further)) sums[name] = (sums[name] ?? 0) + value
}

/** Writes a metric; the objective is that of the campaign, undefined for a whole account. */
type Metric = (sums: Sums, objective: string | undefined) => string

const unavailable = '-'

const count =
  (name: string): Metric =>
  (sums) =>
    String(sums[name])

const money =
  (part: number): Metric =>
  ({ cents = 0 }) =>
    (Math.round(cents * part) / 100).toFixed(2)

/** Two decimals; 0.00 where there is nothing to divide by. */
const ratio =
  (top: string, bottom: string, factor: number): Metric =>
  ({ [top]: dividend = 0, [bottom]: divisor = 0 }) =>
    ((divisor === 0 ? 0 : dividend / divisor) * factor).toFixed(2)

const only =
  (fits: (sums: Sums, objective: string | undefined) => boolean, metric: Metric): Metric =>
  (sums, objective) =>
    fits(sums, objective) ? metric(sums, objective) : unavailable

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
const metrics: ReadonlyMap<string, Metric> = new Map([
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

const accountMetrics: ReadonlyMap<string, Metric> = new Map([
  ['cash_spend', money(0.9)],
  ['voucher_spend', money(0.1)],
])

/** Days since 1 January 1970, both ends included. */
interface Span {
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

interface Visit {
  /** Days; those after the account's today have nothing. */
  readonly span: Span
  /** The oldest ad that counts. */
  readonly firstAd: number
  readonly counts: (ad: Spot<Structural>) => boolean
  /** Called for every ad and day with delivery, newest ads first. */
  readonly each: (ad: Spot<Structural>, day: number, sums: Sums) => void
}

function visitDelivery(view: View, account: Account, { span, firstAd, counts, each }: Visit): void {
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

/** The kinds of objects of the levels of a report, from the account down; the account's level has no kind. */
const levels = { advertiser: undefined, campaign: 'campaigns', adgroup: 'ad_groups', ad: 'ads' } as const
const levelNames = ['advertiser', 'campaign', 'adgroup', 'ad'] as const
type Level = keyof typeof levels

type ReportQuery = ReturnType<typeof reportQueryIn>

/** Names of metrics that a level can return beside numbers. It returns those of the levels above too. */
const attributes: Readonly<Record<Level, readonly string[]>> = {
  advertiser: ['advertiser_name', 'currency', 'timezone'],
  campaign: ['campaign_name', 'campaign_id', 'objective_type'],
  adgroup: ['adgroup_name', 'adgroup_id', 'placement_type'],
  ad: ['ad_name', 'ad_id', 'ad_text'],
}

const idFields: Readonly<Record<string, Structural>> = { campaign_ids: 'campaigns', adgroup_ids: 'ad_groups', ad_ids: 'ads' }
const reportTypes = ['BASIC', 'AUDIENCE', 'PLAYABLE_MATERIAL', 'CATALOG', 'BC', 'TT_SHOP']
const longestDaily = 30
const longestTotal = 365

function oneOf(query: URLSearchParams, name: string, choices: readonly string[]): string {
  const value = neededTextIn(query, name)
  if (!choices.includes(value)) throw invalid(name, `Must be one of: ${choices.join(', ')}.`)
  return value
}

function levelIn(query: URLSearchParams): { readonly level: Level; readonly reservation: boolean } {
  const reportType = oneOf(query, 'report_type', reportTypes)
  if (reportType !== 'BASIC') throw invalid('report_type', `This stand-in does not imitate ${reportType}.`)
  const service = query.has('service_type') ? oneOf(query, 'service_type', ['AUCTION', 'RESERVATION']) : 'AUCTION'
  const names = levelNames.map((level) => `${service}_${level.toUpperCase()}`)
  const wanted = oneOf(query, 'data_level', names)
  return { level: levelNames[names.indexOf(wanted)] ?? 'ad', reservation: service === 'RESERVATION' }
}

const unknownFields = (what: string, names: readonly string[]): Failure =>
  new Failure(40002, `Invalid ${what} fields: [${names.map((name) => `'${name}'`).join(', ')}]`)

function dimensionsIn(query: URLSearchParams, level: Level): readonly string[] {
  const dimensions = neededListIn(query, 'dimensions')
  const known = [...levelNames.map((name) => `${name}_id`), 'stat_time_day', 'country_code']
  const unknown = dimensions.filter((name) => !known.includes(name))
  if (unknown.length > 0) throw unknownFields('dimension', unknown)
  if (new Set(dimensions).size < dimensions.length) throw invalid('dimensions', 'Duplicate dimension.')
  const ids = dimensions.filter((name) => name.endsWith('_id'))
  if (ids.length !== 1) throw invalid('dimensions', 'Exactly one ID dimension is required.')
  if (ids[0] !== `${level}_id`) throw invalid('dimensions', `${ids[0]} does not match the data_level.`)
  return dimensions
}

function metricsIn(query: URLSearchParams, level: Level, withdrawn: readonly string[]): readonly string[] {
  const wanted = listIn(query, 'metrics') ?? ['spend', 'impressions']
  const told = levelNames.slice(0, levelNames.indexOf(level) + 1).flatMap((name) => attributes[name])
  const fits = (name: string) => metrics.has(name) || told.includes(name) || (level === 'advertiser' && accountMetrics.has(name))
  const unknown = wanted.filter((name) => withdrawn.includes(name) || !fits(name))
  if (unknown.length > 0) throw unknownFields('metric', unknown)
  return wanted
}

function dateIn(query: URLSearchParams, name: string): number {
  const day = parseDate(neededTextIn(query, name))
  if (day === undefined) throw invalid(name, 'Not a valid date, must be YYYY-MM-DD.')
  return day
}

function spanIn(query: URLSearchParams, daily: boolean): Span {
  if (query.get('query_lifetime') === 'true') {
    if (daily) throw invalid('query_lifetime', 'Not supported with stat_time_day.')
    return { from: 0, to: 100_000 }
  }
  const [from, to] = [dateIn(query, 'start_date'), dateIn(query, 'end_date')]
  if (from > to) throw invalid('start_date', 'Must not be after end_date.')
  const days = to - from + 1
  if (daily && days > longestDaily) throw new Failure(40002, `max time span is ${longestDaily} days when use stat_time_day`)
  if (days > longestTotal) throw new Failure(40002, `max time span is ${longestTotal} days`)
  return { from, to }
}

function conditionOf(value: unknown): { readonly field: string; readonly values: readonly string[] } {
  if (!isObject(value)) throw invalid('filtering', 'Not a valid list of objects.')
  const { field_name: field, filter_type: type, filter_value: text } = value
  if (typeof field !== 'string' || typeof text !== 'string' || type !== 'IN') throw invalid('filtering', 'Invalid condition.')
  const values = textsOf(parseJson(text))
  const known = field in idFields || ['campaign_status', 'adgroup_status', 'ad_status'].includes(field)
  if (!values || !known) throw invalid('filtering', `Invalid condition on ${field}.`)
  return { field, values }
}

function filteringIn(query: URLSearchParams) {
  const text = textIn(query, 'filtering')
  const list: unknown = text === undefined ? [] : parseJson(text)
  if (!Array.isArray(list)) throw invalid('filtering', 'Not a valid list.')
  const conditions = list.map(conditionOf)
  const withDeleted = conditions.some(({ field, values }) => !(field in idFields) && values.includes('STATUS_ALL'))
  const ids = conditions.flatMap(({ field, values }) => {
    const kind = idFields[field]
    return kind ? [{ kind, wanted: new Set(values) }] : []
  })
  return { withDeleted, ids }
}

function orderIn(query: URLSearchParams, fields: readonly string[]) {
  const field = textIn(query, 'order_field')
  if (field === undefined) return undefined
  if (!fields.includes(field)) throw invalid('order_field', 'Must be one of the metrics or dimensions.')
  return { field, descending: query.get('order_type') !== 'ASC' }
}

/** Reads the parameters of a synchronous report. */
export function reportQueryIn(query: URLSearchParams, withdrawn: readonly string[]) {
  const { level, reservation } = levelIn(query)
  const dimensions = dimensionsIn(query, level)
  const wanted = metricsIn(query, level, withdrawn)
  const daily = dimensions.includes('stat_time_day')
  const span = spanIn(query, daily)
  const filtering = filteringIn(query)
  const order = orderIn(query, [...dimensions, ...wanted])
  return { level, reservation, dimensions, daily, metrics: wanted, span, ...filtering, order }
}

interface ReportRow {
  readonly account: Account
  /** Undefined for the account itself. */
  readonly object: Spot<Structural> | undefined
  /** Days since 1 January 1970; undefined for a sum over all days. */
  readonly day: number | undefined
  readonly sums: Sums
}

/** Ads that a report counts at most, the newest ones. */
const mostAds = 20_000

/** Returns true when the report leaves ads of the account out. */
export const leavesAdsOut = (account: Account, { level }: ReportQuery): boolean => level === 'ad' && sizeOf(account, 'ads') > mostAds

function objectOf(ad: Spot<Structural>, level: Level): Spot<Structural> | undefined {
  const kind = levels[level]
  return kind && layerOf(ad, kind)
}

function rowsOfAccount(view: View, account: Account, query: ReportQuery): readonly ReportRow[] {
  const rows = new Map<string, ReportRow & { readonly sums: Record<string, number> }>()
  visitDelivery(view, account, {
    span: query.span,
    firstAd: leavesAdsOut(account, query) ? sizeOf(account, 'ads') - mostAds : 0,
    counts(ad) {
      const object = objectOf(ad, query.level)
      if (!query.withDeleted && object && deletionOf(view, object)) return false
      return query.ids.every(({ kind, wanted }) => wanted.has(objectId(view, layerOf(ad, kind) ?? ad)))
    },
    each(ad, date, sums) {
      const object = objectOf(ad, query.level)
      const day = query.daily ? date : undefined
      const key = `${object?.position} ${day}`
      const row = rows.get(key) ?? { account, object, day, sums: { ...noSums } }
      addSums(row.sums, sums)
      rows.set(key, row)
    },
  })
  return [...rows.values()]
}

function attributesOf(view: View, { account, object }: ReportRow): JsonRecord {
  const above = { advertiser_name: account.name, currency: account.currency, timezone: account.timezone }
  if (!object) return above
  const campaign = campaignOf(object)
  const group = layerOf(object, 'ad_groups')
  return {
    ...above,
    campaign_name: campaignName(view, campaign),
    campaign_id: objectId(view, campaign),
    objective_type: objectiveOf(view, campaign),
    ...(group && {
      adgroup_name: adGroupName(view, group),
      adgroup_id: objectId(view, group),
      placement_type: choosesPlacements(view, group) ? 'Automatic Placement' : 'Select Placement',
    }),
    ...(object.kind === 'ads' && {
      ad_name: adName(view, object),
      ad_id: objectId(view, object),
      ad_text: adText(view, object) ?? unavailable,
    }),
  }
}

/** Returns a row as the vendor writes it: dimensions apart from metrics, every value a text. */
export function writtenRow(view: View, row: ReportRow, query: ReportQuery): { dimensions: JsonRecord; metrics: JsonRecord } {
  const named = attributesOf(view, row)
  const objective = row.object && objectiveOf(view, campaignOf(row.object))
  const metricOf = (name: string) => {
    const metric = metrics.get(name) ?? accountMetrics.get(name)
    return metric ? metric(row.sums, objective) : named[name]
  }
  const dimensions: JsonRecord = {
    [`${query.level}_id`]: row.object ? objectId(view, row.object) : row.account.id,
    stat_time_day: row.day === undefined ? undefined : `${dateOf(row.day)} 00:00:00`,
    country_code: row.account.country,
  }
  const entries = query.dimensions.map((name) => [name, dimensions[name]])
  return { dimensions: Object.fromEntries(entries), metrics: Object.fromEntries(query.metrics.map((name) => [name, metricOf(name)])) }
}

function compared(left: unknown, right: unknown): number {
  const difference = Number(left) - Number(right)
  if (!Number.isNaN(difference)) return difference
  return String(left) < String(right) ? -1 : Number(String(left) > String(right))
}

/** Returns all rows of a report, in no order unless one is asked for. */
export function reportRows(view: View, accounts: readonly Account[], query: ReportQuery): readonly ReportRow[] {
  const rows = query.reservation ? [] : accounts.flatMap((account) => rowsOfAccount(view, account, query))
  const { order } = query
  if (!order) return rows
  const sorted = rows.map((row) => {
    const { dimensions, metrics: values } = writtenRow(view, row, query)
    return { row, value: { ...dimensions, ...values }[order.field] }
  })
  sorted.sort((left, right) => compared(left.value, right.value) * (order.descending ? -1 : 1))
  return sorted.map(({ row }) => row)
}
