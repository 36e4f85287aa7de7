/** Computes what a simulation of many connectors has shown. */

import { hourMs, type Starts } from './thousands.ts'
import { oftenSeconds, type Simulated } from './thousands-walks.ts'

const intervalOf = ({ behaviour }: Simulated): number => (behaviour === 'often' ? oftenSeconds * 1_000 : hourMs)

/** Returns the longest time between two starts of a connector whose walks succeed in time, as a fraction of its interval. */
export function findLongestGap({ starts, connectors }: Starts, { from, to }: { readonly from: number; readonly to: number }): number {
  let longest = 0
  for (const each of connectors.values()) {
    if (each.behaviour === 'failing' || each.behaviour === 'unchecked') continue
    let last = from
    for (const time of [...(starts.get(each.id) ?? []), to]) {
      if (time < from) continue
      // The first and the last part lie at the ends of the simulation; a connector without a start has the whole time.
      longest = Math.max(longest, (time - last) / intervalOf(each))
      last = time
    }
  }
  return longest
}

/** Counts the starts in each minute of the hour. */
export function countByMinute({ starts }: Starts, from: number): readonly number[] {
  const minutes = Array.from({ length: 60 }, () => 0)
  for (const times of starts.values())
    for (const time of times) {
      if (time < from) continue
      const minute = Math.floor((time % hourMs) / 60_000)
      minutes[minute] = (minutes[minute] ?? 0) + 1
    }
  return minutes
}
