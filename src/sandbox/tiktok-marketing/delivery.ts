import { hash32, Random } from '../random.ts'
import type { Account } from './accounts.ts'
import { localDay } from './accounts.ts'
import { showsImages } from './ads.ts'
import { objectiveOf } from './campaigns.ts'
import type { Sums } from './metrics.ts'
import { noSums } from './metrics.ts'
import { dayOf } from './time.ts'
import type { View } from './world.ts'
import { adCreated, campaignOfGroup, groupOfAd, sizeOf } from './world.ts'

/** Days since 1 January 1970, both ends included. */
export interface Span {
  readonly from: number
  readonly to: number
}

/** Days that the vendor's sandbox environment has reports of: 8 to 19 December 2020. */
const mockDays: Span = { from: dayOf(Date.UTC(2020, 11, 8)), to: dayOf(Date.UTC(2020, 11, 19)) }

/** The days on which an ad can be delivered; undefined for an ad that never is. Most ads run once, a few run without end. */
function flightOf(view: View, account: Account, ad: number): Span | undefined {
  const steady = ad % account.steadyEvery === 11 % account.steadyEvery
  if (!steady && ad % 10 !== 4) return undefined
  if (account.environment === 'sandbox') return mockDays
  const from = localDay(account, adCreated(account, ad)) + 1
  return { from, to: steady ? Number.POSITIVE_INFINITY : from + 2 + (hash32(view.seed, 'flight', account.index, ad) % 8) }
}

function pauses(view: View, account: Account, cell: { ad: number; day: number }): boolean {
  return hash32(view.seed, 'pause', account.index, cell.ad, cell.day) % 11 === 0
}

function videoSums(random: Random, impressions: number): Partial<Sums> {
  const plays = Math.floor(impressions * (0.85 + random.next() * 0.15))
  const [p25, p50, p75, p100] = [0.6, 0.35, 0.2, 0.1].map((part) => Math.floor(plays * part * (0.8 + random.next() * 0.2)))
  return {
    plays,
    watched2s: Math.floor(plays * 0.4),
    watched6s: Math.floor(plays * 0.15),
    p25: p25 ?? 0,
    p50: p50 ?? 0,
    p75: p75 ?? 0,
    p100: p100 ?? 0,
    playSeconds: Math.floor(plays * (2 + random.next() * 6)),
    music: Math.floor(plays * 0.001),
  }
}

/** What one ad did on one day; the same whoever asks. */
function sumsOf(view: View, account: Account, cell: { ad: number; day: number }): Sums {
  const { ad, day } = cell
  const random = new Random(view.seed, 'delivery', account.index, ad, day)
  const impressions = random.chance(0.03) ? 0 : random.int(200, 9000)
  const clicks = Math.floor(impressions * random.next() * 0.03)
  const objective = objectiveOf(view, account, campaignOfGroup(account, groupOfAd(account, ad)))
  return {
    ...noSums(),
    impressions,
    clicks,
    cents: Math.floor(impressions * (0.3 + random.next() * 0.9)),
    reach: Math.floor(impressions * 0.8),
    conversions: Math.floor(clicks * random.next() * 0.3),
    ...(showsImages(view, account, ad) ? {} : videoSums(random, impressions)),
    visits: Math.floor(clicks * 0.1),
    likes: Math.floor(impressions * random.next() * 0.02),
    comments: random.int(0, 4),
    shares: random.int(0, 6),
    follows: random.int(0, 3),
    installs: objective === 'APP_PROMOTION' ? Math.floor(clicks * 0.2) : 0,
  }
}

/** What a report visits. */
export interface Visit {
  /** Days; those after the account's today have nothing. */
  readonly span: Span
  /** The oldest ad that counts. */
  readonly firstAd: number
  readonly counts: (ad: number) => boolean
  /** Called for every ad and day with delivery, newest ads first. */
  readonly each: (ad: number, day: number, sums: Sums) => void
}

/** Visits every delivery of an account. */
export function visitDelivery(view: View, account: Account, { span, firstAd, counts, each }: Visit): void {
  const today = account.environment === 'sandbox' ? span.to : Math.min(span.to, localDay(account, view.now))
  for (let ad = sizeOf(account, 'ads') - 1; ad >= firstAd; ad -= 1) {
    const flight = flightOf(view, account, ad)
    if (!flight || flight.from > today || flight.to < span.from || !counts(ad)) continue
    const last = Math.min(flight.to, today)
    for (let day = Math.max(flight.from, span.from); day <= last; day += 1) {
      if (!pauses(view, account, { ad, day })) each(ad, day, sumsOf(view, account, { ad, day }))
    }
  }
}
