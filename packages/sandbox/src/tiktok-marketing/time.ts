/** One hour and one day in milliseconds. */
export const hour = 3_600_000
export const day = 24 * hour

/** Writes a time as the vendor does for images and videos, in UTC: `2026-04-01T10:58:14Z`. */
export const isoStamp = (instant: number): string => `${new Date(instant).toISOString().slice(0, 19)}Z`

/** Writes a time as the vendor does for most entities, in UTC: `2026-04-01 10:58:14`. */
export const stamp = (instant: number): string => isoStamp(instant).slice(0, 19).replace('T', ' ')

/** Returns the days from 1 January 1970 to a time in UTC. */
export const dayOf = (instant: number): number => Math.floor(instant / day)

/** Returns the date of a day, `YYYY-MM-DD`. */
export const dateOf = (dayNumber: number): string => isoStamp(dayNumber * day).slice(0, 10)

/** Reads a date, `YYYY-MM-DD`. @returns the days since 1 January 1970; undefined when it is no date */
export function parseDate(text: string): number | undefined {
  const instant = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN
  return Number.isNaN(instant) || dateOf(dayOf(instant)) !== text ? undefined : dayOf(instant)
}
