/** Bounds the young generation of the JavaScript heap in a process with an embedded database. V8 takes its maximum at the start only. */
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'

/** Bytes from which it no longer grows: two halves of 16 MB. V8 lets it grow to 134 MB, and writes take as long with a quarter. */
const mostBytes = 32_000_000

let isGrowing = true

/**
 * Lets the young generation grow by doubling while it is small, which it is again after an idle time. Call it often: it doubles within a
 * burst of allocations.
 */
export function boundYoungGeneration(): void {
  const young = getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space')
  const mayGrow = (young?.space_size ?? 0) < mostBytes
  if (mayGrow === isGrowing) return
  isGrowing = mayGrow
  setFlagsFromString(`--semi-space-growth-factor=${mayGrow ? 2 : 1}`)
}
