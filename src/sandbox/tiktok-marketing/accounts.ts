import { createZone } from '../zone.ts'
import { dayOf } from './time.ts'

/** An imitated advertiser account: how much of everything it has. */
export interface Account {
  /** Position among the accounts. */
  readonly index: number
  /** 19 decimal digits, above 2^53. */
  readonly id: string
  readonly name: string
  readonly currency: string
  readonly country: string
  readonly language: string
  /** As the vendor writes it, `Etc/GMT+8` being west of Greenwich. */
  readonly timezone: string
  /** IANA name. Days of reports are days there. */
  readonly displayTimezone: string
  /** Epoch milliseconds of the first campaign. */
  readonly opened: number
  readonly campaigns: number
  readonly groupsPerCampaign: number
  readonly adsPerGroup: number
  /** Every so many ads one is delivered without end. */
  readonly steadyEvery: number
  readonly audiences: number
  readonly images: number
  readonly videos: number
  readonly posts: number
  /** Belongs to the vendor's sandbox environment. */
  readonly environment: 'production' | 'sandbox'
}

const west = { currency: 'USD', country: 'US', language: 'en', timezone: 'Etc/GMT+8', displayTimezone: 'America/Los_Angeles' } as const
const east = { currency: 'JPY', country: 'JP', language: 'ja', timezone: 'Etc/GMT-9', displayTimezone: 'Asia/Tokyo' } as const
const opened = Date.UTC(2023, 0, 9, 7, 30)
const nothing = {
  campaigns: 0,
  groupsPerCampaign: 1,
  adsPerGroup: 1,
  steadyEvery: 1,
  audiences: 0,
  images: 0,
  videos: 0,
  posts: 0,
} as const
const few = { campaigns: 6, groupsPerCampaign: 4, adsPerGroup: 4, steadyEvery: 12, audiences: 9, images: 14, videos: 11, posts: 7 } as const
const many = {
  campaigns: 141,
  groupsPerCampaign: 10,
  adsPerGroup: 20,
  steadyEvery: 640,
  audiences: 245,
  images: 340,
  videos: 260,
  posts: 130,
} as const

/** The first two ids are one and the same number once they are rounded to a double. */
export const mainAccount: Account = {
  ...many,
  ...west,
  index: 0,
  id: '7398164205713920517',
  name: 'Fernway US',
  opened,
  environment: 'production',
}

export const secondAccount: Account = {
  ...few,
  ...east,
  index: 1,
  id: '7398164205713920643',
  name: 'Fernway 日本',
  opened,
  environment: 'production',
}

export const emptyAccount: Account = {
  ...nothing,
  ...west,
  index: 2,
  id: '7405523318871106569',
  name: 'Fernway unused',
  opened,
  environment: 'production',
}

/** Exists, but no token may read it. */
export const deniedAccount: Account = {
  ...nothing,
  ...west,
  index: 3,
  id: '7411038864520093703',
  name: 'Somebody else',
  opened,
  environment: 'production',
}

/** The account of the vendor's sandbox environment. */
export const sandboxAccount: Account = {
  ...few,
  ...west,
  index: 4,
  id: '7120394857261839365',
  name: 'Sandbox account',
  opened: Date.UTC(2020, 10, 2, 7, 30),
  environment: 'sandbox',
}

export const accounts: readonly Account[] = [mainAccount, secondAccount, emptyAccount, deniedAccount, sandboxAccount]

/** The business center that has the catalogs. */
export const businessCenterId = '7402255119283765249'

/** The app of every token. */
export const appId = '7000000000000000019'

const zones = new Map(accounts.map(({ displayTimezone }) => [displayTimezone, createZone(displayTimezone)]))

/** The account's day of a moment, as days since 1 January 1970. */
export function localDay(account: Account, instant: number): number {
  const minutes = zones.get(account.displayTimezone)?.offsetMinutes(instant) ?? 0
  return dayOf(instant + minutes * 60_000)
}
