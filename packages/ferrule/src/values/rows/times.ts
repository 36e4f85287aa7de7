/** Dates and times as ISO strings, to the nanosecond. */

const [secondsPerDay, minutesPerDay] = [86_400, 1_440]

/** A number of seconds: whole seconds, rounded down, and nanoseconds. */
interface Seconds {
  readonly whole: number
  readonly nanoseconds: number
}

/** Parses seconds with decimals. The sign belongs to the whole number: `-0.5` is half a second before 0. */
function parseSeconds(text: string): Seconds | undefined {
  const [, sign, digits, decimals] = /^(-?)(\d{1,15})\.(\d{1,9})$/.exec(text) ?? []
  if (digits === undefined || decimals === undefined) return undefined
  const [whole, nanoseconds] = [Number(digits), Number(decimals.padEnd(9, '0'))]
  if (sign === '') return { whole, nanoseconds }
  return nanoseconds === 0 ? { whole: 0 - whole, nanoseconds } : { whole: -whole - 1, nanoseconds: 1_000_000_000 - nanoseconds }
}

/** Writes the decimals of a second without zeros at the end, as Temporal does. */
const formatFraction = (nanoseconds: number): string =>
  nanoseconds === 0 ? '' : `.${String(nanoseconds).padStart(9, '0').replace(/0+$/, '')}`

/** Writes whole seconds since 1970 as date and time; undefined beyond the dates that JavaScript knows. */
function formatDateTime(seconds: number): string | undefined {
  const date = new Date(seconds * 1_000)
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString().replace(/\.000Z$/, '')
}

const formatTimestamp = ({ whole, nanoseconds }: Seconds, offset: string): string | undefined => {
  const text = formatDateTime(whole)
  return text === undefined ? undefined : `${text}${formatFraction(nanoseconds)}${offset}`
}

/** Converts days since 1970 to a date. Another string stays. */
export function readDate(text: string): string {
  if (!/^-?\d{1,9}$/.test(text)) return text
  return formatDateTime(Number(text) * secondsPerDay)?.replace(/T.*/, '') ?? text
}

/** Converts seconds since midnight to a time. Another string stays. */
export function readTime(text: string): string {
  const seconds = parseSeconds(text)
  if (seconds === undefined || seconds.whole < 0 || seconds.whole >= secondsPerDay) return text
  return formatTimestamp(seconds, '')?.replace(/^.*T/, '') ?? text
}

/** Converts seconds to a date and a time without an offset. Another string stays. */
export const readLocalTimestamp = (text: string): string => readTimestamp(text, '')

/** Converts seconds since 1970 to an instant in UTC. Another string stays. */
export const readInstant = (text: string): string => readTimestamp(text, 'Z')

function readTimestamp(text: string, offset: string): string {
  const seconds = parseSeconds(text)
  return (seconds === undefined ? undefined : formatTimestamp(seconds, offset)) ?? text
}

/** Converts seconds since 1970, and the minutes of the offset plus 1440, to a timestamp with its offset. Another string stays. */
export function readOffsetTimestamp(text: string): string {
  const [, instant = '', shifted = ''] = /^(\S+) (\d{1,4})$/.exec(text) ?? []
  const seconds = parseSeconds(instant)
  const minutes = Number(shifted) - minutesPerDay
  if (seconds === undefined || Math.abs(minutes) >= minutesPerDay) return text
  return formatTimestamp({ ...seconds, whole: seconds.whole + minutes * 60 }, formatOffset(minutes)) ?? text
}

function formatOffset(minutes: number): string {
  const [hours, rest] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60]
  return `${minutes < 0 ? '-' : '+'}${String(hours).padStart(2, '0')}:${String(rest).padStart(2, '0')}`
}
