/** Moments as microseconds since 1970, and the periods that partial dates mean. SQL reads moments alike in `cs_instant` (`functions.ts`). */

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

/** Moments from `begin` up to `next`, which is not one of them; in microseconds since 1970. */
export interface Period {
  readonly begin: bigint
  readonly next: bigint
}

const partial = /^([0-9]{4})(?:-([0-9]{2})(?:-([0-9]{2}))?)?$/

/** The first moment after a year, a month or a day. */
function after(begin: bigint, { month, day }: { month: string | undefined; day: string | undefined }): bigint {
  const date = new Date(Number(begin / 1000n))
  if (day !== undefined) date.setUTCDate(date.getUTCDate() + 1)
  else if (month !== undefined) date.setUTCMonth(date.getUTCMonth() + 1)
  else date.setUTCFullYear(date.getUTCFullYear() + 1)
  return BigInt(date.getTime()) * 1000n
}

/**
 * What a text of a query means where times are compared: a year, a month or a day (`2025`, `2025-03`, `2025-03-01`) is all of it in UTC,
 * a date-time as `instantOf` takes it is its microsecond. Undefined when it is none.
 */
export function periodOf(text: string): Period | undefined {
  const found = partial.exec(text)
  if (found === null) {
    const begin = instantOf(text)
    return begin === undefined ? undefined : { begin, next: begin + 1n }
  }
  const [, year, month, day] = found
  const begin = instantOf(`${year}-${month ?? '01'}-${day ?? '01'}`)
  return begin === undefined ? undefined : { begin, next: after(begin, { month, day }) }
}
