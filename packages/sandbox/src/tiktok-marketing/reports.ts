import { isObject, parseJson } from '../http.ts'
import type { Account } from './accounts.ts'
import { adGroupName, placesItself } from './ad-groups.ts'
import { adName, adText } from './ads.ts'
import { Failure, invalid, type JsonRecord, listIn, neededListIn, neededTextIn, textIn, textsOf } from './answers.ts'
import { campaignName, objectiveOf } from './campaigns.ts'
import { accountMetrics, addSums, metrics, noSums, type Span, type Sums, unavailable, visitDelivery } from './delivery.ts'
import { dateOf, parseDate } from './time.ts'
import { campaignOf, deletionOf, layerOf, objectId, type Spot, type Structural, sizeOf, type View } from './world.ts'

/** The kinds of objects of the levels of a report, from the account down; the account's level has no kind. */
const levels = { advertiser: undefined, campaign: 'campaigns', adgroup: 'ad_groups', ad: 'ads' } as const
const levelNames = ['advertiser', 'campaign', 'adgroup', 'ad'] as const
type Level = keyof typeof levels

/** A report that was asked for. */
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

function unknownFields(what: string, names: readonly string[]): Failure {
  return new Failure(40002, `Invalid ${what} fields: [${names.map((name) => `'${name}'`).join(', ')}]`)
}

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

/** One condition of the parameter `filtering`: its values. */
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

/** A row before it is written. */
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
export function leavesAdsOut(account: Account, { level }: ReportQuery): boolean {
  return level === 'ad' && sizeOf(account, 'ads') > mostAds
}

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

/** Returns what a row says of its object and of those above it. */
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
      placement_type: placesItself(view, group) ? 'Automatic Placement' : 'Select Placement',
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

/** Compares two values as numbers where both are, else as texts. */
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
