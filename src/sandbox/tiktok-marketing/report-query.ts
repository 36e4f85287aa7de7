import { isObject, parseJson } from '../http.ts'
import type { Failure } from './answers.ts'
import { failure, invalid, isFailure, missing } from './answers.ts'
import type { Span } from './delivery.ts'
import { accountMetrics, metrics } from './metrics.ts'
import { listIn, neededListIn, textIn, textsOf } from './parameters.ts'
import { parseDate } from './time.ts'

/** The levels of a report, from the account down. */
export const levels = ['advertiser', 'campaign', 'adgroup', 'ad'] as const

/** A level of a report. */
export type Level = (typeof levels)[number]

/** A report that was asked for. */
export interface ReportQuery {
  readonly level: Level
  /** Reports of reservations have no rows. */
  readonly reservation: boolean
  readonly dimensions: readonly string[]
  readonly daily: boolean
  readonly metrics: readonly string[]
  readonly span: Span
  /** Deleted objects have rows as well. */
  readonly withDeleted: boolean
  /** Only objects with these ids, by level. */
  readonly ids: Readonly<Partial<Record<Level, ReadonlySet<string>>>>
  readonly order?: { readonly field: string; readonly descending: boolean }
}

/** Names that a level can tell beside numbers; those of the levels above are told as well. */
const attributes: Readonly<Record<Level, readonly string[]>> = {
  advertiser: ['advertiser_name', 'currency', 'timezone'],
  campaign: ['campaign_name', 'campaign_id', 'objective_type'],
  adgroup: ['adgroup_name', 'adgroup_id', 'placement_type'],
  ad: ['ad_name', 'ad_id', 'ad_text'],
}

const idFields: Readonly<Record<string, Level>> = { campaign_ids: 'campaign', adgroup_ids: 'adgroup', ad_ids: 'ad' }
const reportTypes = ['BASIC', 'AUDIENCE', 'PLAYABLE_MATERIAL', 'CATALOG', 'BC', 'TT_SHOP']
const longestDaily = 30
const longestTotal = 365

function oneOf(query: URLSearchParams, name: string, choices: readonly string[]): string | Failure {
  const value = textIn(query, name)
  if (value === undefined) return missing(name)
  return choices.includes(value) ? value : invalid(name, `Must be one of: ${choices.join(', ')}.`)
}

function levelIn(query: URLSearchParams): { readonly level: Level; readonly reservation: boolean } | Failure {
  const reportType = oneOf(query, 'report_type', reportTypes)
  if (isFailure(reportType)) return reportType
  if (reportType !== 'BASIC') return invalid('report_type', `This stand-in does not imitate ${reportType}.`)
  const service = query.has('service_type') ? oneOf(query, 'service_type', ['AUCTION', 'RESERVATION']) : 'AUCTION'
  if (isFailure(service)) return service
  const names = levels.map((level) => `${service}_${level.toUpperCase()}`)
  const wanted = oneOf(query, 'data_level', names)
  if (isFailure(wanted)) return wanted
  return { level: levels[names.indexOf(wanted)] ?? 'ad', reservation: service === 'RESERVATION' }
}

function dimensionsIn(query: URLSearchParams, level: Level): readonly string[] | Failure {
  const dimensions = neededListIn(query, 'dimensions')
  if (isFailure(dimensions)) return dimensions
  const known = [...levels.map((name) => `${name}_id`), 'stat_time_day', 'country_code']
  const unknown = dimensions.filter((name) => !known.includes(name))
  if (unknown.length > 0) return failure(40002, `Invalid dimension fields: [${unknown.map((name) => `'${name}'`).join(', ')}]`)
  if (new Set(dimensions).size < dimensions.length) return invalid('dimensions', 'Duplicate dimension.')
  const ids = dimensions.filter((name) => name.endsWith('_id'))
  if (ids.length !== 1) return invalid('dimensions', 'Exactly one ID dimension is required.')
  return ids[0] === `${level}_id` ? dimensions : invalid('dimensions', `${ids[0]} does not match the data_level.`)
}

function metricsIn(query: URLSearchParams, level: Level): readonly string[] | Failure {
  const wanted = listIn(query, 'metrics') ?? ['spend', 'impressions']
  if (isFailure(wanted)) return wanted
  const told = levels.slice(0, levels.indexOf(level) + 1).flatMap((name) => attributes[name])
  const fits = (name: string) => metrics.has(name) || told.includes(name) || (level === 'advertiser' && accountMetrics.has(name))
  const unknown = wanted.filter((name) => !fits(name))
  return unknown.length === 0 ? wanted : failure(40002, `Invalid metric fields: [${unknown.map((name) => `'${name}'`).join(', ')}]`)
}

function dateIn(query: URLSearchParams, name: string): number | Failure {
  const text = textIn(query, name)
  return text === undefined ? missing(name) : (parseDate(text) ?? invalid(name, 'Not a valid date, must be YYYY-MM-DD.'))
}

function spanIn(query: URLSearchParams, daily: boolean): Span | Failure {
  if (query.get('query_lifetime') === 'true') {
    if (daily) return invalid('query_lifetime', 'Not supported with stat_time_day.')
    return { from: 0, to: 100_000 }
  }
  const from = dateIn(query, 'start_date')
  if (isFailure(from)) return from
  const to = dateIn(query, 'end_date')
  if (isFailure(to)) return to
  if (from > to) return invalid('start_date', 'Must not be after end_date.')
  const days = to - from + 1
  if (daily && days > longestDaily) return failure(40002, `max time span is ${longestDaily} days when use stat_time_day`)
  return days > longestTotal ? failure(40002, `max time span is ${longestTotal} days`) : { from, to }
}

/** One condition of the parameter `filtering`: its values. */
function conditionOf(value: unknown): { readonly field: string; readonly values: readonly string[] } | Failure {
  if (!isObject(value)) return invalid('filtering', 'Not a valid list of objects.')
  const { field_name: field, filter_type: type, filter_value: text } = value
  if (typeof field !== 'string' || typeof text !== 'string' || type !== 'IN') return invalid('filtering', 'Invalid condition.')
  const values = textsOf(parseJson(text))
  const known = field in idFields || ['campaign_status', 'adgroup_status', 'ad_status'].includes(field)
  return values && known ? { field, values } : invalid('filtering', `Invalid condition on ${field}.`)
}

function filteringIn(query: URLSearchParams): Pick<ReportQuery, 'withDeleted' | 'ids'> | Failure {
  const text = textIn(query, 'filtering')
  const list: unknown = text === undefined ? [] : parseJson(text)
  if (!Array.isArray(list)) return invalid('filtering', 'Not a valid list.')
  let withDeleted = false
  const ids: Partial<Record<Level, ReadonlySet<string>>> = {}
  for (const value of list) {
    const condition = conditionOf(value)
    if (isFailure(condition)) return condition
    const level = idFields[condition.field]
    if (level) ids[level] = new Set(condition.values)
    else withDeleted ||= condition.values.includes('STATUS_ALL')
  }
  return { withDeleted, ids }
}

function orderIn(query: URLSearchParams, fields: readonly string[]): Pick<ReportQuery, 'order'> | Failure {
  const field = textIn(query, 'order_field')
  if (field === undefined) return {}
  if (!fields.includes(field)) return invalid('order_field', 'Must be one of the metrics or dimensions.')
  return { order: { field, descending: query.get('order_type') !== 'ASC' } }
}

/** Reads the parameters of a synchronous report. */
export function reportQueryIn(query: URLSearchParams): ReportQuery | Failure {
  const at = levelIn(query)
  if (isFailure(at)) return at
  const dimensions = dimensionsIn(query, at.level)
  if (isFailure(dimensions)) return dimensions
  const wanted = metricsIn(query, at.level)
  if (isFailure(wanted)) return wanted
  const daily = dimensions.includes('stat_time_day')
  const span = spanIn(query, daily)
  if (isFailure(span)) return span
  const filtering = filteringIn(query)
  if (isFailure(filtering)) return filtering
  const order = orderIn(query, [...dimensions, ...wanted])
  return isFailure(order) ? order : { ...at, dimensions, daily, metrics: wanted, span, ...filtering, ...order }
}
