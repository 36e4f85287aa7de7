/** Intervals of schedules. */

/** Intervals that the page offers. */
export const intervals = [
  { seconds: 300, says: 'every 5 minutes' },
  { seconds: 900, says: 'every 15 minutes' },
  { seconds: 3_600, says: 'every hour' },
  { seconds: 21_600, says: 'every 6 hours' },
  { seconds: 86_400, says: 'every day' },
  { seconds: 604_800, says: 'every week' },
] as const

/** Prints an interval. */
export const printInterval = (seconds: number): string =>
  intervals.find((each) => each.seconds === seconds)?.says ??
  (seconds % 60 === 0 ? `every ${seconds / 60} minutes` : `every ${seconds} seconds`)
