/** Shows times in the reader's zone; the exact value appears on hover and with the keyboard. */
import { Text, Tooltip } from '@mantine/core'

const exact = new Intl.DateTimeFormat(undefined, { dateStyle: 'full', timeStyle: 'long' })
const medium = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' })
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' })
const day = 86_400_000
/** Units with their length, and the time from which they are used; the longest first. In milliseconds. */
const units = [
  ['year', 365.25 * day, 365 * day],
  ['month', 30.44 * day, 100 * day], // terms of 30, 60 and 90 days are said in days
  ['day', day, day],
  ['hour', 3_600_000, 3_600_000],
  ['minute', 60_000, 60_000],
  ['second', 1_000, 0],
] as const

/** Prints a time from now, such as `5 minutes ago`, to the nearest whole unit. @param at milliseconds since 1970 */
export function printRelative(at: number, now: number): string {
  const difference = at - now
  // Half of the shorter unit is added: `60 minutes` is an hour.
  const isLong = ([, , from]: (typeof units)[number], index: number) => Math.abs(difference) + (units[index + 1]?.[1] ?? 0) / 2 >= from
  const [unit, length] = units.find(isLong) ?? units[5]
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

/** Shows a time. @param props `value`: ISO 8601; null: `none` is shown */
export function Time({ value, none = 'never' }: { readonly value: string | null | undefined; readonly none?: string }) {
  const at = value === null || value === undefined ? Number.NaN : Date.parse(value)
  if (Number.isNaN(at))
    return (
      <Text span inherit c="dimmed">
        {none}
      </Text>
    )
  return (
    <Tooltip label={`${exact.format(at)} (${value})`} events={{ hover: true, focus: true, touch: true }}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard reaches the exact time too */}
      <time dateTime={value ?? undefined} tabIndex={0}>
        {printRelative(at, Date.now())}
      </time>
    </Tooltip>
  )
}
