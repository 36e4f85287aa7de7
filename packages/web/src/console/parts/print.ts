/** Prints counts, sizes and times. */

const counts = new Intl.NumberFormat('en')
const byteUnits = ['B', 'kB', 'MB', 'GB', 'TB'] as const
const medium = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' })
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' })
const day = 86_400_000
/** Units with their length, and the time from which they are used; the longest first. In milliseconds. */
const timeUnits = [
  ['year', 365.25 * day, 365 * day],
  ['month', 30.44 * day, 100 * day], // terms of 30, 60 and 90 days are said in days
  ['day', day, day],
  ['hour', 3_600_000, 3_600_000],
  ['minute', 60_000, 60_000],
  ['second', 1_000, 0],
] as const

/** Prints a whole number with separators, such as `12,345`. */
export const printCount = (count: number): string => counts.format(count)

/** Prints a number with its noun, such as `1 record` or `12,345 records`. */
export const printCounted = (count: number, one: string, many = `${one}s`): string => `${printCount(count)} ${count === 1 ? one : many}`

/** Prints a number with separators and every digit. Anything else stays as it is. */
export function printDigits(value: unknown): string {
  const text = String(value)
  const [, sign = '', whole = '', rest = ''] = /^(-?)(\d+)(\.\d+)?$/.exec(text) ?? []
  return whole === '' ? text : `${sign}${whole.replace(/\B(?=(?:\d{3})+$)/g, ',')}${rest}`
}

/** Prints a size in bytes, such as `1.5 MB`. */
export function printSize(bytes: number): string {
  const step = bytes < 1 ? 0 : Math.min(byteUnits.length - 1, Math.floor(Math.log10(bytes) / 3))
  const value = bytes / 1_000 ** step
  return `${step === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${byteUnits[step]}`
}

/** Prints a time from now, such as `5 minutes ago`, to the nearest whole unit. @param at milliseconds since 1970 */
export function printRelative(at: number, now: number): string {
  const difference = at - now
  // Half of the shorter unit is added: `60 minutes` is an hour.
  const isLong = ([, , from]: (typeof timeUnits)[number], index: number) =>
    Math.abs(difference) + (timeUnits[index + 1]?.[1] ?? 0) / 2 >= from
  const [unit, length] = timeUnits.find(isLong) ?? timeUnits[5]
  return relative.format(Math.round(difference / length), unit)
}

/** Prints a time in the reader's zone, such as `Jan 5, 2026, 1:30 PM`. @param value ISO 8601 */
export const printMoment = (value: string): string => medium.format(Date.parse(value))

/** Prints a length of time, such as `1 min 5 s` or `350 ms`. */
export function printDuration(milliseconds: number): string {
  if (milliseconds < 1_000) return `${Math.round(milliseconds)} ms`
  if (milliseconds < 60_000) return `${(milliseconds / 1_000).toFixed(1)} s`
  const seconds = Math.round(milliseconds / 1_000)
  const [hours, minutes] = [Math.floor(seconds / 3_600), Math.floor((seconds % 3_600) / 60)]
  return hours > 0 ? `${hours} h ${minutes} min` : `${minutes} min ${seconds % 60} s`
}
