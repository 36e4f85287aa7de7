/** Periods of time for the oracle, by the time zones of this process. */

const secondsOf = (parts: readonly Intl.DateTimeFormatPart[]): number => {
  const read = (type: string): number => Number(parts.find((part) => part.type === type)?.value)
  const isBefore = parts.some(({ type, value }) => type === 'era' && value.startsWith('B'))
  const date = new Date(0)
  date.setUTCFullYear(isBefore ? 1 - read('year') : read('year'), read('month') - 1, read('day'))
  return date.getTime() / 1000 + (read('hour') % 24) * 3600 + read('minute') * 60 + read('second')
}

const formats = new Map<string, Intl.DateTimeFormat>()

/** Returns the local time of a zone, in seconds as if it were UTC. */
function localOf(zone: string, seconds: number): number {
  const numeric = { year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric', minute: 'numeric', second: 'numeric' } as const
  const format =
    formats.get(zone) ??
    new Intl.DateTimeFormat('en-US', { timeZone: zone, calendar: 'gregory', era: 'short', hourCycle: 'h23', ...numeric })
  formats.set(zone, format)
  return secondsOf(format.formatToParts(new Date(seconds * 1000)))
}

const offsetOf = (zone: string, seconds: number): number => localOf(zone, seconds) - seconds

/** Returns the instant of a local time: of two the later one; of none, by the offset before. */
function instantOf(zone: string, local: number): number {
  const [before, after] = [local - 86_400, local + 86_400].map((each) => offsetOf(zone, each))
  const fits = [after, before].filter((offset = 0) => offsetOf(zone, local - offset) === offset)
  return local - (fits[0] ?? before ?? 0)
}

const pad = (value: number, length = 2): string => String(Math.abs(value)).padStart(length, '0')
const dayOf = (seconds: number): string => {
  const date = new Date(seconds * 1000)
  return `${pad(date.getUTCFullYear(), 4)}-${pad(date.getUTCMonth() + 1)}-${pad(date.getUTCDate())}`
}

function weekOf(seconds: number): string {
  const day = Math.floor(seconds / 86_400)
  const thursday = day - ((((day + 3) % 7) + 7) % 7) + 3
  const year = new Date(thursday * 86_400_000).getUTCFullYear()
  const first = new Date(0)
  first.setUTCFullYear(year, 0, 1)
  return `${pad(year, 4)}-W${pad(Math.floor((thursday - first.getTime() / 86_400_000) / 7) + 1)}`
}

function hourOf(zone: string, seconds: number): string {
  const local = localOf(zone, seconds)
  const begin = seconds - (((local % 3600) + 3600) % 3600)
  const shown = localOf(zone, begin)
  const offset = shown - begin
  const rest = Math.abs(offset) % 60 === 0 ? '' : `:${pad(offset % 60)}`
  const sign = offset < 0 ? '-' : '+'
  const written =
    offset === 0 ? 'Z' : `${sign}${pad(Math.trunc(Math.abs(offset) / 3600))}:${pad(Math.trunc(Math.abs(offset) / 60) % 60)}${rest}`
  const clock = ((shown % 86_400) + 86_400) % 86_400
  return `${dayOf(shown)}T${pad(Math.trunc(clock / 3600))}:${pad(Math.trunc(clock / 60) % 60)}:${pad(clock % 60)}${written}`
}

/** A period: what is shown, and its rank in the order. */
export interface PeriodOf {
  readonly label: string
  readonly order: bigint
}

/**
 * Returns the period of a timestamp. A date has its own day in any zone.
 * @param micros microseconds since 1970 of the timestamp, or of the midnight of the date
 */
export function periodOf(unit: string, zone: string, { micros, isDate }: { readonly micros: bigint; readonly isDate: boolean }): PeriodOf {
  const seconds = Number((micros - (((micros % 1_000_000n) + 1_000_000n) % 1_000_000n)) / 1_000_000n)
  const local = isDate ? seconds : localOf(zone, seconds)
  const day = dayOf(local)
  const instant = isDate ? instantOf(zone, local) : seconds
  if (unit === 'hour') return { label: hourOf(zone, instant), order: BigInt(instant - (((localOf(zone, instant) % 3600) + 3600) % 3600)) }
  const year = day.slice(0, -6)
  const labels: Record<string, string> = {
    year,
    quarter: `${year}-Q${Math.ceil(Number(day.slice(-5, -3)) / 3)}`,
    month: day.slice(0, -3),
    week: weekOf(local),
    day,
  }
  const label = labels[unit] ?? ''
  return { label, order: BigInt(label.replace(/\D/g, '')) }
}

/** Writes a time in UTC. */
export function utcOf(micros: bigint): string {
  const rest = ((micros % 1_000_000n) + 1_000_000n) % 1_000_000n
  const seconds = Number((micros - rest) / 1_000_000n)
  const fraction = rest === 0n ? '' : `.${String(rest).padStart(6, '0').replace(/0+$/, '')}`
  const clock = ((seconds % 86_400) + 86_400) % 86_400
  return `${dayOf(seconds)}T${pad(Math.trunc(clock / 3600))}:${pad(Math.trunc(clock / 60) % 60)}:${pad(clock % 60)}${fraction}Z`
}
