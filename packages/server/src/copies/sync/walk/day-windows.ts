/** Windows of days. Pure. */
import type { ConnectorDefinition, Windows } from 'ferrule/definition'
import { readLookback } from 'ferrule/internal'

const day = 86_400_000

/** Converts a timestamp to its UTC day, YYYY-MM-DD. */
export const toDay = (milliseconds: number): string => new Date(milliseconds).toISOString().slice(0, 10)
const parseDay = (text: string): number => Date.parse(`${text}T00:00:00Z`)
/** Adds days to a day. */
export const addDays = (text: string, days: number): string => toDay(parseDay(text) + days * day)

/** A window, both days inclusive. */
export interface DayWindow {
  readonly from: string
  readonly to: string
}

interface Configured {
  readonly kind: { readonly definition: Pick<ConnectorDefinition, 'configuration'> }
  readonly configuration: Readonly<Record<string, unknown>>
}

/** Finds the first day whose figures can still change, after all days until `through` were read. */
export const findChangingDay = (windows: Windows, through: string, { kind, configuration }: Configured): string =>
  addDays(through, -readLookback(kind.definition, windows, configuration))

/**
 * Finds the first day to request.
 * @param through last day that was read; undefined without one
 * @param of the connector
 */
export function findFirstDay(windows: Windows, through: string | undefined, of: Configured, now: number): string {
  const fallback = of.kind.definition.configuration[windows.first]?.default
  const configured = String(of.configuration[windows.first] ?? fallback)
  // A last day in the future comes from a wrong clock: the progress of the windows is unknown.
  if (through === undefined || through > addDays(toDay(now), 1)) return configured
  const known = findChangingDay(windows, through, of)
  return known < configured ? configured : known
}

/** Lists the windows from a day to tomorrow, because clocks ahead of UTC already have tomorrow. */
export function listWindows(first: string, { days }: Windows, now: number): readonly DayWindow[] {
  const last = addDays(toDay(now), 1)
  const windows: DayWindow[] = []
  for (let from = first; from <= last; from = addDays(from, days)) {
    const to = addDays(from, days - 1)
    windows.push({ from, to: to < last ? to : last })
  }
  return windows
}

/** Splits a window in halves; undefined for a single day. */
export function splitWindow({ from, to }: DayWindow): readonly [DayWindow, DayWindow] | undefined {
  if (from === to) return undefined
  const middle = toDay(parseDay(from) + Math.floor((parseDay(to) - parseDay(from)) / day / 2) * day)
  return [
    { from, to: middle },
    { from: addDays(middle, 1), to },
  ]
}
