import { createZone } from '../zone.ts'

const companyZone = 'America/Los_Angeles'

/** The name that the vendor writes for that zone. */
export const companyZoneLabel = 'US/Pacific'

/** One day in milliseconds. */
export const day = 86_400_000

const zone = createZone(companyZone)

/** Returns the offset of the company's zone in minutes east of UTC. */
export const offsetMinutes = (instant: number): number => zone.offsetMinutes(instant)

/**
 * Returns a time in the company's zone, as the vendor writes it: `2024-11-01T07:01:00-07:00`. Microseconds are the fraction of the
 * instant. The fraction has 0, 3 or 6 digits.
 */
export const companyTime = (instant: number, digits = 0): string => zone.time(instant, digits)

/** Returns a time in UTC without fraction: `2024-11-01T07:00:00Z`. */
export const utcTime = (instant: number): string => `${new Date(instant).toISOString().slice(0, 19)}Z`

/** Returns the company's date of a time, `YYYY-MM-DD`. */
export const companyDate = (instant: number): string => new Date(instant + offsetMinutes(instant) * 60_000).toISOString().slice(0, 10)

const momentPattern = /^(\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d)?)(?:\.(\d{1,9}))?(Z|[+-]\d\d:?\d\d)$/

/** Reads an ISO 8601 time with an offset or `Z`. @returns epoch milliseconds with microseconds as fraction; undefined for any other text */
export function parseMoment(text: string): number | undefined {
  const found = momentPattern.exec(text)
  if (!found) return undefined
  const zone = found[3] === 'Z' || found[3]?.includes(':') ? found[3] : `${found[3]?.slice(0, 3)}:${found[3]?.slice(3)}`
  const instant = Date.parse(`${found[1]}${zone}`)
  if (Number.isNaN(instant)) return undefined
  const micros = Number((found[2] ?? '').padEnd(6, '0').slice(0, 6))
  return instant + Math.floor(micros / 1000) + (micros % 1000) / 1000
}

/** Returns midnight at the start of a company's day. @returns epoch milliseconds; undefined when it is no date */
export function midnight(date: string): number | undefined {
  if (!/^\d{4}-\d\d-\d\d$/.test(date)) return undefined
  const utc = Date.parse(`${date}T00:00:00Z`)
  if (Number.isNaN(utc) || new Date(utc).toISOString().slice(0, 10) !== date) return undefined
  const guess = utc - offsetMinutes(utc) * 60_000
  return utc - offsetMinutes(guess) * 60_000
}

/** Returns the date some days later, `YYYY-MM-DD`. */
export const addDays = (date: string, days: number): string =>
  new Date(Date.parse(`${date}T00:00:00Z`) + days * day).toISOString().slice(0, 10)
