import { createZone } from '../zone.ts'
import { dayOf } from './time.ts'

const west = { currency: 'USD', country: 'US', language: 'en', timezone: 'Etc/GMT+8', displayTimezone: 'America/Los_Angeles' }
const east = { currency: 'JPY', country: 'JP', language: 'ja', timezone: 'Etc/GMT-9', displayTimezone: 'Asia/Tokyo' }
/** How many of everything; every so many ads (`steadyEvery`) one is delivered without end. */
const nothing = { campaigns: 0, groupsPerCampaign: 1, adsPerGroup: 1, steadyEvery: 1, audiences: 0, images: 0, videos: 0, posts: 0 }
const few = { campaigns: 6, groupsPerCampaign: 4, adsPerGroup: 4, steadyEvery: 12, audiences: 9, images: 14, videos: 11, posts: 7 }
const many = { ...few, campaigns: 141, groupsPerCampaign: 10, adsPerGroup: 20, steadyEvery: 640 }
const manyFiles = { audiences: 245, images: 340, videos: 260, posts: 130 }
/** `opened` is the time of the first campaign. Days of reports are those of `displayTimezone`, an IANA name. */
const production = { opened: Date.UTC(2023, 0, 9, 7, 30), environment: 'production' }
const sandbox = { opened: Date.UTC(2020, 10, 2, 7, 30), environment: 'sandbox' }

/** The first two ids are one and the same number once they are rounded to a double. */
export const mainAccount = { ...many, ...manyFiles, ...west, ...production, index: 0, id: '7398164205713920517', name: 'Fernway US' }
export const secondAccount = { ...few, ...east, ...production, index: 1, id: '7398164205713920643', name: 'Fernway 日本' }
export const emptyAccount = { ...nothing, ...west, ...production, index: 2, id: '7405523318871106569', name: 'Fernway unused' }
/** Exists, but no documented token may read it: somebody else has it. */
export const deniedAccount = { ...nothing, ...west, ...production, index: 3, id: '7411038864520093703', name: 'Somebody else' }
/** The account of the vendor's sandbox environment. */
export const sandboxAccount = { ...few, ...west, ...sandbox, index: 4, id: '7120394857261839365', name: 'Sandbox account' }

/** An imitated advertiser account: its id has 19 digits, above 2^53. */
export type Account = Readonly<typeof mainAccount>

export const accounts: readonly Account[] = [mainAccount, secondAccount, emptyAccount, deniedAccount, sandboxAccount]

/** The business center that has the catalogs. */
export const businessCenterId = '7402255119283765249'

/** The app of every token. */
export const appId = '7000000000000000019'

const zones = new Map(accounts.map(({ displayTimezone }) => [displayTimezone, createZone(displayTimezone)]))

/** Returns the account's day of a time, as days since 1 January 1970. */
export function localDay(account: Account, instant: number): number {
  const minutes = zones.get(account.displayTimezone)?.offsetMinutes(instant) ?? 0
  return dayOf(instant + minutes * 60_000)
}
