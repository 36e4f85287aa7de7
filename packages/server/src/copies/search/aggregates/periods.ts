/** Periods of time and ranges of numbers: their SQL, and how an answer writes them. */
import type { TimeUnit } from 'ferrule/internal'
import type { Values } from '../statement.ts'
import type { GroupBy } from './tree.ts'
import type { ValueSql } from './values.ts'

/** Stands for a value that is no time. */
export const noTime = "'infinity'::timestamp"
const noInstant = "'infinity'::timestamptz"
/** Stands for a value that is no number. */
export const noRange = '-1'

const microsOfSecond = 1_000_000
const microsOfDay = 86_400 * microsOfSecond

const divideDown = (micros: string, by: number): string => `((${micros} - case when ${micros} < 0 then ${by - 1} else 0 end) / ${by})`

type Time = Extract<GroupBy, { readonly is: 'time' }>

/** Builds the begin of a value's period: an instant for hours, else a local time. Dates are days of any zone. */
export function buildPeriod({ unit, zone }: Time, { value, time, isDate }: ValueSql, values: Values): string {
  const isUtc = zone === 'UTC'
  const zoneSql = isUtc ? `'UTC'` : values.add(zone, 'text')
  const instant = `to_timestamp(${divideDown(time, microsOfSecond)})`
  const day = `(date '1970-01-01' + ${divideDown(time, microsOfDay)}::int4)::timestamp`
  const here = (sql: string, ofDate: string): string => (isUtc ? sql : `case when ${isDate} then ${ofDate} else ${sql} end`)
  const period =
    unit === 'hour'
      ? `date_trunc('hour', ${here(instant, `${day} at time zone ${zoneSql}`)}, ${zoneSql})`
      : `date_trunc('${unit}', ${isUtc ? day : here(`${instant} at time zone ${zoneSql}`, day)})`
  return `coalesce(${period}, case when ${value} is not null then ${unit === 'hour' ? noInstant : noTime} end)`
}

/** Builds the number of a value's range: 0 below the first bound, 1 from there on. */
export const buildRange = (bounds: readonly string[], { value, number }: ValueSql, values: Values): string =>
  `case when ${value} is not null then coalesce(width_bucket(${number}, ${values.add(bounds, 'numeric[]')}), ${noRange}) end`

/** Selects what `formatPeriod` reads. */
export function selectPeriod({ unit, zone }: Time, key: string, values: Values): string {
  const seconds = (sql: string): string => `extract(epoch from ${sql})::int8`
  return unit === 'hour'
    ? `${seconds(key)} || ' ' || ${seconds(`${key} at time zone ${values.add(zone, 'text')}`)}`
    : `${seconds(key)}::text`
}

const pad = (value: number, length = 2): string => String(value).padStart(length, '0')
const formatDay = (at: Date): string => `${pad(at.getUTCFullYear(), 4)}-${pad(at.getUTCMonth() + 1)}-${pad(at.getUTCDate())}`

/** Names the week of ISO 8601 that begins on a Monday: the year is that of its Thursday. */
function formatWeek(monday: Date): string {
  const thursday = new Date(monday.getTime() + 3 * 86_400_000)
  const first = new Date(thursday.getTime())
  first.setUTCMonth(0, 1)
  const week = Math.floor((thursday.getTime() - first.getTime()) / (7 * 86_400_000)) + 1
  return `${pad(thursday.getUTCFullYear(), 4)}-W${pad(week)}`
}

const labels: Readonly<Record<Exclude<TimeUnit, 'hour'>, (begin: Date) => string>> = {
  year: (begin) => formatDay(begin).slice(0, -6),
  quarter: (begin) => `${formatDay(begin).slice(0, -6)}-Q${Math.floor(begin.getUTCMonth() / 3) + 1}`,
  month: (begin) => formatDay(begin).slice(0, -3),
  week: formatWeek,
  day: formatDay,
}

/** Writes the offset of a zone in seconds; zones before 1900 have seconds too. */
function formatOffset(seconds: number): string {
  if (seconds === 0) return 'Z'
  const [size, sign] = [Math.abs(seconds), seconds < 0 ? '-' : '+']
  const rest = size % 60 === 0 ? '' : `:${pad(size % 60)}`
  return `${sign}${pad(Math.floor(size / 3_600))}:${pad(Math.floor(size / 60) % 60)}${rest}`
}

const formatClock = (at: Date): string => `${pad(at.getUTCHours())}:${pad(at.getUTCMinutes())}:${pad(at.getUTCSeconds())}`

/** Writes a period as `timeUnits` shows it. @param cell as `selectPeriod` selects it */
export function formatPeriod(unit: TimeUnit, cell: string): string {
  const [instant = 0, local = 0] = cell.split(' ').map(Number)
  if (unit !== 'hour') return labels[unit](new Date(instant * 1_000))
  const at = new Date(local * 1_000)
  return `${formatDay(at)}T${formatClock(at)}${formatOffset(local - instant)}`
}

/** Writes a time in UTC. @param micros microseconds since 1970 */
export function formatTime(micros: bigint): string {
  const rest = ((micros % 1_000_000n) + 1_000_000n) % 1_000_000n
  const at = new Date(Number((micros - rest) / 1_000n))
  const fraction = rest === 0n ? '' : `.${String(rest).padStart(6, '0').replace(/0+$/, '')}`
  return `${formatDay(at)}T${formatClock(at)}${fraction}Z`
}

/** Writes a range as JSON; null is an open end. @param cell number of the range */
export function formatRange(bounds: readonly string[], cell: string): string {
  const index = Number(cell)
  return `{"from":${bounds[index - 1] ?? 'null'},"to":${bounds[index] ?? 'null'}}`
}
