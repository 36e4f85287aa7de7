/** Windows of days. Pure. */
import type { Windows } from '../../definition/sync.ts'

const day = 86_400_000

/** YYYY-MM-DD of a moment in UTC. */
export const dayOf = (milliseconds: number): string => new Date(milliseconds).toISOString().slice(0, 10)
const momentOf = (text: string): number => Date.parse(`${text}T00:00:00Z`)
/** The day so many days later. */
export const daysAfter = (text: string, days: number): string => dayOf(momentOf(text) + days * day)

/** A window, both days included. */
export interface DayWindow {
  readonly from: string
  readonly to: string
}

/**
 * The first day to ask for.
 * @param configured first day of all
 * @param through last day that was read; undefined when none was
 * @param now milliseconds since 1970
 */
export function firstDayOf(
  { lookback }: Windows,
  { configured, through }: { configured: string; through: string | undefined },
  now: number,
): string {
  // A last day that is still to come was written by a clock that was wrong: nobody knows how far the windows came.
  if (through === undefined || through > daysAfter(dayOf(now), 1)) return configured
  const known = daysAfter(through, -lookback)
  return known < configured ? configured : known
}

/**
 * The windows from a day to the last that can exist anywhere: where clocks are ahead it is tomorrow already.
 * @param now milliseconds since 1970
 */
export function windowsFrom(first: string, { days }: Windows, now: number): readonly DayWindow[] {
  const last = daysAfter(dayOf(now), 1)
  const windows: DayWindow[] = []
  for (let from = first; from <= last; from = daysAfter(from, days)) {
    const to = daysAfter(from, days - 1)
    windows.push({ from, to: to < last ? to : last })
  }
  return windows
}

/** The halves of a window; undefined for a single day. */
export function halvesOf({ from, to }: DayWindow): readonly [DayWindow, DayWindow] | undefined {
  if (from === to) return undefined
  const middle = dayOf(momentOf(from) + Math.floor((momentOf(to) - momentOf(from)) / day / 2) * day)
  return [
    { from, to: middle },
    { from: daysAfter(middle, 1), to },
  ]
}
