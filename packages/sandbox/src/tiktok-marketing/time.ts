/** One hour and one day in milliseconds. */
export const hour = 3_600_000
export const day = 24 * hour

/** Writes a time as the vendor does for images and videos, in UTC: `2026-04-01T10:58:14Z`. */
export function isoStamp(instant: number): string {
  return `${new Date(instant).toISOString().slice(0, 19)}Z`
}

/** Writes a time as the vendor does for most entities, in UTC: `2026-04-01 10:58:14`. */
export function stamp(instant: number): string {
  return isoStamp(instant).slice(0, 19).replace('T', ' ')
}

/** Returns the days from 1 January 1970 to a time in UTC. */
export function dayOf(instant: number): number {
  return Math.floor(instant / day)
}

/** Returns the date of a day, `YYYY-MM-DD`. */
export function dateOf(dayNumber: number): string {
  return isoStamp(dayNumber * day).slice(0, 10)
}

/** Reads a date, `YYYY-MM-DD`. @returns the days since 1 January 1970; undefined when it is no date */
export function parseDate(text: string): number | undefined {
  const instant = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN
  return Number.isNaN(instant) || dateOf(dayOf(instant)) !== text ? undefined : dayOf(instant)
}
