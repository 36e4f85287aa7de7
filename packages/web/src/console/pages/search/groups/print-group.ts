/** Prints the values of groups. */
import { isObject, writeJson } from 'ferrule/internal'
import { printDigits } from '../../../parts/print.ts'

/** Prints the value of a group. */
export function printGroup(value: unknown): string {
  if (value === null || value === undefined) return 'no value'
  if (value === '') return '""'
  if (typeof value === 'string') return value
  if (!isObject(value) || !('from' in value && 'to' in value)) return writeJson(value)
  const { from, to } = value
  if (from === null) return `below ${printDigits(to)}`
  return to === null ? `from ${printDigits(from)}` : `${printDigits(from)} to below ${printDigits(to)}`
}
