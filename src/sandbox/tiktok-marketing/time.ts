/** One hour in milliseconds. */
export const hour = 3_600_000

/** One day in milliseconds. */
export const day = 24 * hour

/** A moment as the vendor writes it for most entities, in UTC: `2026-04-01 10:58:14`. */
export function stamp(instant: number): string {
  return new Date(instant).toISOString().slice(0, 19).replace('T', ' ')
}

/** A moment as the vendor writes it for images and videos, in UTC: `2026-04-01T10:58:14Z`. */
export function isoStamp(instant: number): string {
  return `${new Date(instant).toISOString().slice(0, 19)}Z`
}

/** The days from 1 January 1970 to a moment in UTC. */
export function dayOf(instant: number): number {
  return Math.floor(instant / day)
}

/** The date of a day, `YYYY-MM-DD`. */
export function dateOf(dayNumber: number): string {
  return new Date(dayNumber * day).toISOString().slice(0, 10)
}

/**
 * Reads a date.
 *
 * @param text - `YYYY-MM-DD`
 * @returns the days since 1 January 1970; undefined when it is no date
 */
export function parseDate(text: string): number | undefined {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return undefined
  const instant = Date.parse(`${text}T00:00:00Z`)
  return Number.isNaN(instant) || dateOf(dayOf(instant)) !== text ? undefined : dayOf(instant)
}
