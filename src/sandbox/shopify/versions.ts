/** The first version of the imitated API that has a date as its name. */
const firstVersion = '2019-04'

const releaseHour = 17

/** When a version was, or will be, released: the first day of its month, 17:00 UTC. */
function releasedAt(year: number, month: number): number {
  return Date.UTC(year, month - 1, 1, releaseHour)
}

function nameOf(year: number, month: number): string {
  return `${year}-${String(month).padStart(2, '0')}`
}

/** The oldest version that is supported at a moment: each is for twelve months. */
export function oldestVersion(now: number): string {
  const past = new Date(now)
  let [year, month] = [past.getUTCFullYear() - 1, Math.floor(past.getUTCMonth() / 3) * 3 + 1]
  // The newest version that ran out is the one released a year ago or earlier; its successor is the oldest one left.
  if (releasedAt(year + 1, month) <= now) [year, month] = month === 10 ? [year + 1, 1] : [year, month + 3]
  return nameOf(year, month)
}

/**
 * The version that answers a request: an older one than those that are supported falls forward.
 *
 * @param asked - from the path; undefined when it has none
 * @param now - epoch milliseconds
 * @returns undefined for a version that was never or is not yet released
 */
export function answeringVersion(asked: string | undefined, now: number): string | undefined {
  const oldest = oldestVersion(now)
  if (asked === undefined) return oldest
  const [, year, month] = /^(\d{4})-(01|04|07|10)$/.exec(asked) ?? []
  if (year === undefined || asked < firstVersion || releasedAt(Number(year), Number(month)) > now) return undefined
  return asked < oldest ? oldest : asked
}
