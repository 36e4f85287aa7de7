import { createZone } from '../zone.ts'

/** Time zone of the store; its offset changes in March and October. */
const shopZone = 'Europe/Berlin'

/** One day in milliseconds. */
export const day = 86_400_000

/** One minute in milliseconds. */
export const minute = 60_000

const zone = createZone(shopZone)

/** A moment as the vendor writes it, in the store's zone: `2026-08-28T06:59:14+02:00`. */
export function shopTime(instant: number): string {
  return zone.time(instant)
}

/** The same for a moment that may not have come. */
export function shopTimeOrNull(instant: number | undefined): string | null {
  return instant === undefined ? null : zone.time(instant)
}

const momentPattern = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d)?)(?:\.\d{1,9})?)? ?(Z|[+-]\d\d:?\d\d)?$/

/**
 * Reads a date or a moment of a filter; without an offset it is in the store's zone.
 *
 * @returns epoch milliseconds; undefined when it is none
 */
export function parseMoment(text: string): number | undefined {
  const found = momentPattern.exec(text)
  if (!found) return undefined
  const [, date, clock = '00:00:00', offset] = found
  const local = Date.parse(`${date}T${clock}Z`)
  if (Number.isNaN(local)) return undefined
  if (offset === undefined) return local - zone.offsetMinutes(local - zone.offsetMinutes(local) * minute) * minute
  const withOffset = Date.parse(`${date}T${clock}${offset.length === 5 ? `${offset.slice(0, 3)}:${offset.slice(3)}` : offset}`)
  return Number.isNaN(withOffset) ? undefined : withOffset
}
