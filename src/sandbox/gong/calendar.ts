import { idOf, Random } from '../random.ts'
import { addDays, midnight } from './time.ts'

/** First and last day of the calls, in the company's zone. */
export const firstDate = '2023-01-01'
export const lastDate = '2026-11-01'

/** The calls in the order of their scheduled time, one position per call. */
export interface Calendar {
  readonly ids: readonly string[]
  /** Epoch milliseconds. */
  readonly scheduled: Float64Array
  /** Epoch milliseconds with microseconds as fraction. */
  readonly started: Float64Array
  /** Digits of the fraction of a second in `started`: 0, 3 or 6. */
  readonly digits: Uint8Array
  /** 1 for web conferences, whose scheduled and started times differ. */
  readonly conference: Uint8Array
  /** How many calls, from the first on, are already known at the start of the sandbox. */
  readonly count: number
}

interface Slot {
  scheduled: number
  started: number
  digits: number
  conference: boolean
}

/** No calls on the last days of a year: windows without a result. */
function isHoliday(date: string): boolean {
  const monthDay = date.slice(5)
  return monthDay >= '12-24' || monthDay === '01-01'
}

function slotsOn(date: string, random: Random): Slot[] {
  const start = midnight(date)
  if (start === undefined || isHoliday(date)) return []
  const weekday = new Date(`${date}T00:00:00Z`).getUTCDay()
  const calls = weekday === 0 || weekday === 6 ? random.int(1, 5) : random.int(14, 26)
  return Array.from({ length: calls }, () => createSlot(start, random))
}

function createSlot(start: number, random: Random): Slot {
  const conference = random.chance(0.8)
  const digits = random.pick([0, 0, 3, 6])
  const quarter = start + random.int(28, 71) * 900_000
  const shift = random.int(-61_000, 572_000)
  const exact = conference ? quarter + shift : quarter + random.int(0, 899_999)
  const whole = digits === 0 ? Math.floor(exact / 1000) * 1000 : exact
  const started = digits === 6 ? whole + random.int(1, 999) / 1000 : whole
  return { scheduled: conference ? quarter : started, started, digits, conference }
}

/**
 * All calls of the company.
 *
 * @param seed - the same seed gives the same calls
 * @param now - epoch milliseconds; calls are known two hours after their scheduled time
 * @param most - so many calls are known at most, the first ones
 */
export function createCalendar(seed: number, now: number, most: number): Calendar {
  const slots: Slot[] = []
  for (let date = firstDate; date <= lastDate; date = addDays(date, 1)) {
    slots.push(...slotsOn(date, new Random(seed, 'day', date)).sort((left, right) => left.scheduled - right.scheduled))
  }
  const scheduled = Float64Array.from(slots, (slot) => slot.scheduled)
  const known = scheduled.findIndex((moment) => moment > now - 7_200_000)
  return {
    ids: slots.map((_, index) => idOf(seed, 'call', index)),
    scheduled,
    started: Float64Array.from(slots, (slot) => slot.started),
    digits: Uint8Array.from(slots, (slot) => slot.digits),
    conference: Uint8Array.from(slots, (slot) => Number(slot.conference)),
    count: Math.min(known < 0 ? slots.length : known, most),
  }
}
