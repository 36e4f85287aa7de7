/** Timestamps as microseconds since 1970, and the periods of partial dates. `cs_instant` (`functions.ts`) accepts the same timestamps. */

const shape =
  /^([0-9]{4})-([0-9]{2})-([0-9]{2})(?:[Tt ]([0-9]{2}):([0-9]{2})(?::([0-9]{2})(?:[.,]([0-9]{1,30}))?)?([Zz]|[+-](?:[01][0-9]|2[0-3])(?::?[0-5][0-9])?)?)?$/

const parseOffset = (zone: string): number => {
  if (zone === '' || zone === 'Z' || zone === 'z') return 0
  const minutes = Number(zone.slice(1, 3)) * 60 + Number(zone.slice(3).replace(':', '') || 0)
  return zone.startsWith('-') ? -minutes : minutes
}

/** Returns the milliseconds of the beginning of a day; undefined for an invalid date. Years 1 to 9999. */
const parseDay = (year: number, month: number, day: number): number | undefined => {
  const date = new Date(0)
  date.setUTCFullYear(year, month - 1, day)
  return year > 0 && month > 0 && date.getUTCMonth() === month - 1 && date.getUTCDate() === day ? date.getTime() : undefined
}

/**
 * Parses a timestamp into microseconds since 1970.
 *
 * Accepts ISO 8601 dates (`2025-03-01`, midnight) and date-times with minutes or seconds, `T` or a space between, and any offset (`Z`,
 * `+02:00`, `+0200`, `+02`). Without an offset it is UTC. Digits beyond microseconds are cut. A leap second (`:60`, RFC 3339) counts as
 * the second after it, as in POSIX time; `24:00:00` is the next midnight.
 * @returns undefined when the string is no timestamp
 */
export function parseTimestamp(text: string): bigint | undefined {
  const found = text.length <= 64 ? shape.exec(text) : null
  if (found === null) return undefined
  const [, year, month, day, hour = '0', minute = '0', second = '0', fraction = '', zone = ''] = found
  const midnight = parseDay(Number(year), Number(month), Number(day))
  const micros = Number(fraction.slice(0, 6).padEnd(6, '0'))
  const isLastMidnight = hour === '24' && Number(minute) === 0 && Number(second) === 0 && micros === 0
  const isInRange = (Number(hour) < 24 || isLastMidnight) && Number(minute) < 60 && Number(second) <= 60
  if (midnight === undefined || !isInRange) return undefined
  const seconds = midnight / 1000 + Number(hour) * 3600 + (Number(minute) - parseOffset(zone)) * 60 + Number(second)
  return BigInt(seconds) * 1_000_000n + BigInt(micros)
}

/** Matches what microseconds since 1970 do not keep: a leap second, and digits beyond microseconds. For JavaScript and PostgreSQL. */
export const beyondMicros = ':60|[.,][0-9]{6}[0-9]*[1-9]'

/** A range of time in microseconds since 1970: `begin` inclusive, `next` exclusive. */
export interface Period {
  readonly begin: bigint
  readonly next: bigint
}

const partial = /^([0-9]{4})(?:-([0-9]{2})(?:-([0-9]{2}))?)?$/

function findPeriodEnd(begin: bigint, { month, day }: { month: string | undefined; day: string | undefined }): bigint {
  const date = new Date(Number(begin / 1000n))
  if (day !== undefined) date.setUTCDate(date.getUTCDate() + 1)
  else if (month !== undefined) date.setUTCMonth(date.getUTCMonth() + 1)
  else date.setUTCFullYear(date.getUTCFullYear() + 1)
  return BigInt(date.getTime()) * 1000n
}

/**
 * Parses the operand of a timestamp comparison. A year, a month or a day (`2025`, `2025-03`, `2025-03-01`) is the whole period in UTC. A
 * date-time as in `parseTimestamp` is its microsecond.
 * @returns undefined for other strings
 */
export function parsePeriod(text: string): Period | undefined {
  const found = partial.exec(text)
  if (found === null) {
    const begin = parseTimestamp(text)
    return begin === undefined ? undefined : { begin, next: begin + 1n }
  }
  const [, year, month, day] = found
  const begin = parseTimestamp(`${year}-${month ?? '01'}-${day ?? '01'}`)
  return begin === undefined ? undefined : { begin, next: findPeriodEnd(begin, { month, day }) }
}
