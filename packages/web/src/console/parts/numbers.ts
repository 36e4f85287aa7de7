/** Prints counts and sizes. */

const counts = new Intl.NumberFormat('en')
const units = ['B', 'kB', 'MB', 'GB', 'TB'] as const

/** Prints a whole number with separators, such as `12,345`. */
export const printCount = (count: number): string => counts.format(count)

/** Prints a number with its noun, such as `1 record` or `12,345 records`. */
export const printCounted = (count: number, one: string, many = `${one}s`): string => `${printCount(count)} ${count === 1 ? one : many}`

/** Prints a size in bytes, such as `1.5 MB`. */
export function printSize(bytes: number): string {
  const step = bytes < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(bytes) / 3))
  const value = bytes / 1_000 ** step
  return `${step === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${units[step]}`
}
