import type { Account } from './accounts.ts'
import { adGroupName, placesItself } from './ad-groups.ts'
import { adName, adText } from './ads.ts'
import type { JsonRecord } from './answers.ts'
import { campaignName, objectiveOf } from './campaigns.ts'
import { visitDelivery } from './delivery.ts'
import type { Sums } from './metrics.ts'
import { accountMetrics, additive, metrics, noSums, unavailable } from './metrics.ts'
import type { Level, ReportQuery } from './report-query.ts'
import { dateOf } from './time.ts'
import type { View } from './world.ts'
import { adDeletion, campaignDeleted, campaignOfGroup, groupDeletion, groupOfAd, objectId, sizeOf } from './world.ts'

/** A row before it is written. */
export interface ReportRow {
  readonly account: Account
  /** Position of the object of the report's level; 0 for an account. */
  readonly object: number
  /** Days since 1 January 1970; undefined for a sum over all days. */
  readonly day: number | undefined
  readonly sums: Sums
}

/** Ads that a report counts at most, the newest ones. */
export const mostAds = 20_000

/** The object of a level that an ad belongs to. */
function objectOf(account: Account, level: Level, ad: number): number {
  if (level === 'ad') return ad
  if (level === 'advertiser') return 0
  const group = groupOfAd(account, ad)
  return level === 'adgroup' ? group : campaignOfGroup(account, group)
}

function isDeleted(view: View, account: Account, spot: { level: Level; object: number }): boolean {
  const { level, object } = spot
  if (level === 'ad') return adDeletion(view, account, object) !== undefined
  if (level === 'adgroup') return groupDeletion(view, account, object) !== undefined
  return level === 'campaign' && campaignDeleted(view, account, object)
}

/** The id of an object of a report's level. */
function idAt(view: View, account: Account, spot: { level: Level; object: number }): string {
  const { level, object: position } = spot
  if (level === 'advertiser') return account.id
  const kind = level === 'campaign' ? 'campaigns' : level === 'adgroup' ? 'ad_groups' : 'ads'
  return objectId(view, { kind, account, position })
}

/** Whether an ad counts in a report. */
function counter(view: View, account: Account, query: ReportQuery): (ad: number) => boolean {
  const wanted = Object.entries(query.ids)
  return (ad) => {
    const object = objectOf(account, query.level, ad)
    if (!query.withDeleted && isDeleted(view, account, { level: query.level, object })) return false
    return wanted.every(([name, ids]) => {
      const level: Level = name === 'campaign' ? 'campaign' : name === 'adgroup' ? 'adgroup' : 'ad'
      return ids?.has(idAt(view, account, { level, object: objectOf(account, level, ad) }))
    })
  }
}

/** True when the report leaves ads of the account out. */
export function leavesAdsOut(account: Account, { level }: ReportQuery): boolean {
  return level === 'ad' && sizeOf(account, 'ads') > mostAds
}

function rowsOfAccount(view: View, account: Account, query: ReportQuery): readonly ReportRow[] {
  const rows = new Map<string, ReportRow>()
  visitDelivery(view, account, {
    span: query.span,
    firstAd: leavesAdsOut(account, query) ? sizeOf(account, 'ads') - mostAds : 0,
    counts: counter(view, account, query),
    each(ad, date, sums) {
      const object = objectOf(account, query.level, ad)
      const day = query.daily ? date : undefined
      const key = `${object} ${day ?? ''}`
      const row = rows.get(key) ?? { account, object, day, sums: noSums() }
      for (const name of additive) row.sums[name] += sums[name]
      rows.set(key, row)
    },
  })
  return [...rows.values()]
}

function attributesOf(view: View, row: ReportRow, level: Level): JsonRecord {
  const { account, object } = row
  const above = { advertiser_name: account.name, currency: account.currency, timezone: account.timezone }
  if (level === 'advertiser') return above
  const group = level === 'ad' ? groupOfAd(account, object) : object
  const campaign = level === 'campaign' ? object : campaignOfGroup(account, group)
  const ofCampaign = {
    ...above,
    campaign_name: campaignName(view, account, campaign),
    campaign_id: objectId(view, { kind: 'campaigns', account, position: campaign }),
    objective_type: objectiveOf(view, account, campaign),
  }
  if (level === 'campaign') return ofCampaign
  const ofGroup = {
    ...ofCampaign,
    adgroup_name: adGroupName(view, account, group),
    adgroup_id: objectId(view, { kind: 'ad_groups', account, position: group }),
    placement_type: placesItself(view, account, group) ? 'Automatic Placement' : 'Select Placement',
  }
  if (level === 'adgroup') return ofGroup
  return {
    ...ofGroup,
    ad_name: adName(view, account, object),
    ad_id: objectId(view, { kind: 'ads', account, position: object }),
    ad_text: adText(view, account, object) ?? unavailable,
  }
}

/** A row as the vendor writes it: dimensions apart from metrics, every value a text. */
export function writtenRow(view: View, row: ReportRow, query: ReportQuery): { dimensions: JsonRecord; metrics: JsonRecord } {
  const { level } = query
  const named = attributesOf(view, row, level)
  const objective = level === 'advertiser' ? undefined : String(named['objective_type'])
  const metricOf = (name: string) => {
    const metric = metrics.get(name) ?? accountMetrics.get(name)
    return metric ? metric(row.sums, { objective }) : named[name]
  }
  const dimensions: JsonRecord = {
    [`${level}_id`]: idAt(view, row.account, { level, object: row.object }),
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

/** All rows of a report, in no order unless one is asked for. */
export function reportRows(view: View, accounts: readonly Account[], query: ReportQuery): readonly ReportRow[] {
  if (query.reservation) return []
  const rows = accounts.flatMap((account) => rowsOfAccount(view, account, query))
  const { order } = query
  if (!order) return rows
  const sorted = rows.map((row) => {
    const { dimensions, metrics: values } = writtenRow(view, row, query)
    return { row, value: { ...dimensions, ...values }[order.field] }
  })
  sorted.sort((left, right) => compared(left.value, right.value) * (order.descending ? -1 : 1))
  return sorted.map(({ row }) => row)
}
