/** Moments as microseconds since 1970. SQL has the same reading in `cs_instant` (`functions.ts`). */

const shape =
  /^([0-9]{4})-([0-9]{2})-([0-9]{2})(?:[Tt ]([0-9]{2}):([0-9]{2})(?::([0-9]{2})(?:[.,]([0-9]{1,30}))?)?([Zz]|[+-](?:[01][0-9]|2[0-3])(?::?[0-5][0-9])?)?)?$/

const offsetMinutes = (zone: string): number => {
  if (zone === '' || zone === 'Z' || zone === 'z') return 0
  const minutes = Number(zone.slice(1, 3)) * 60 + Number(zone.slice(3).replace(':', '') || 0)
  return zone.startsWith('-') ? -minutes : minutes
}

/** Milliseconds of a day's begin; undefined when there is no such day. Years 1 to 9999. */
const dayOf = (year: number, month: number, day: number): number | undefined => {
  const date = new Date(0)
  date.setUTCFullYear(year, month - 1, day)
  return year > 0 && month > 0 && date.getUTCMonth() === month - 1 && date.getUTCDate() === day ? date.getTime() : undefined
}

/**
 * A moment as microseconds since 1970; undefined when the text is none.
 *
 * Taken are ISO 8601 dates (`2025-03-01`, midnight) and date-times with minutes or seconds, `T` or a space between, and any offset
 * (`Z`, `+02:00`, `+0200`, `+02`); without one it is UTC. Digits beyond microseconds are cut. A leap second (`:60`, RFC 3339) counts
 * as the second after it, as POSIX time does; `24:00:00` is the next midnight.
 */
export function instantOf(text: string): bigint | undefined {
  const found = text.length <= 64 ? shape.exec(text) : null
  if (found === null) return undefined
  const [, year, month, day, hour = '0', minute = '0', second = '0', fraction = '', zone = ''] = found
  const midnight = dayOf(Number(year), Number(month), Number(day))
  const micros = Number(fraction.slice(0, 6).padEnd(6, '0'))
  const isLastMidnight = hour === '24' && Number(minute) === 0 && Number(second) === 0 && micros === 0
  const isInRange = (Number(hour) < 24 || isLastMidnight) && Number(minute) < 60 && Number(second) <= 60
  if (midnight === undefined || !isInRange) return undefined
  const seconds = midnight / 1000 + Number(hour) * 3600 + (Number(minute) - offsetMinutes(zone)) * 60 + Number(second)
  return BigInt(seconds) * 1_000_000n + BigInt(micros)
}
