/** Prints the values of groups. */
import { isObject, writeJson } from 'ferrule/internal'
import { printDigits } from '../../../parts/print.ts'
import type { GroupKey } from './choice.ts'

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

/** A row by the titles of its columns. */
export type NamedRow = Readonly<Record<string, unknown>>

const isMissing = (value: unknown): boolean => value === null || value === undefined

/** Prints a field of the record that a group refers to. */
export const printRelated = (value: unknown): string => (isMissing(value) ? '–' : printGroup(value))

/** Prints the values of some groups in a row. What is known of the record that a value refers to comes first: a chart cuts long names. */
export const printKeys = (row: NamedRow, groups: readonly GroupKey[]): string =>
  groups
    .map(({ title, related }) => {
      const known = related.map((each) => row[each.title]).filter((value) => !isMissing(value))
      const key = printGroup(row[title])
      return known.length === 0 ? key : `${known.map(printGroup).join(', ')} (${key})`
    })
    .join(' · ')
