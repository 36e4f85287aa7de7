interface Zone {
  /** Minutes east of UTC at a time (epoch milliseconds). */
  offsetMinutes(instant: number): number
  /**
   * A time with its offset: `2024-11-01T07:01:00-07:00`. Microseconds are the fraction of the instant. The fraction has 0, 3 or 6
   * digits.
   */
  time(instant: number, digits?: number): string
}

const hour = 3_600_000
const remembered = 50_000

function readOffset(format: Intl.DateTimeFormat, instant: number): number {
  const name = format.formatToParts(instant).find((part) => part.type === 'timeZoneName')?.value ?? ''
  const found = /^GMT([+-])(\d\d):(\d\d)$/.exec(name)
  if (!found) return 0
  const minutes = Number(found[2]) * 60 + Number(found[3])
  return found[1] === '-' ? -minutes : minutes
}

function offsetText(minutes: number): string {
  const size = Math.abs(minutes)
  const part = (value: number) => String(value).padStart(2, '0')
  return `${minutes < 0 ? '-' : '+'}${part(Math.floor(size / 60))}:${part(size % 60)}`
}

/** Returns a time zone with its changes of offset. Zones must change their offset on full hours of UTC only. */
export function createZone(name: string): Zone {
  let format: Intl.DateTimeFormat | undefined
  const offsets = new Map<number, number>()
  const offsetMinutes = (instant: number): number => {
    const key = Math.floor(instant / hour)
    const known = offsets.get(key)
    if (known !== undefined) return known
    if (offsets.size > remembered) offsets.clear()
    format ??= new Intl.DateTimeFormat('en-US', { timeZone: name, timeZoneName: 'longOffset' })
    const offset = readOffset(format, key * hour)
    offsets.set(key, offset)
    return offset
  }
  return {
    offsetMinutes,
    time(instant, digits = 0) {
      const wholeMs = Math.floor(instant)
      const offset = offsetMinutes(instant)
      const local = new Date(wholeMs + offset * 60_000).toISOString()
      const micros = String(Math.round((instant - wholeMs) * 1000)).padStart(3, '0')
      const fraction = digits === 0 ? '' : `.${`${local.slice(20, 23)}${micros}`.slice(0, digits)}`
      return `${local.slice(0, 19)}${fraction}${offsetText(offset)}`
    },
  }
}
