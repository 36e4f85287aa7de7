/** Ranges of time that the charts show. */

const hourMs = 3_600_000

/** Ranges by their name in the address. */
export const ranges = {
  '24h': { label: '24 hours', lengthMs: 24 * hourMs, step: '5m' },
  '7d': { label: '7 days', lengthMs: 7 * 24 * hourMs, step: '1h' },
  '30d': { label: '30 days', lengthMs: 30 * 24 * hourMs, step: '1h' },
} as const

/** Name of a range. */
export type Range = keyof typeof ranges

/** Returns whether a parameter of an address is a range. */
export const isRange = (value: string | undefined): value is Range => value !== undefined && Object.hasOwn(ranges, value)

/** Prints the begin of a range. @param now milliseconds since 1970 */
export const printFrom = (now: number, lengthMs: number): string => new Date(now - lengthMs).toISOString()
