/** Shortens long strings of records for readers with little room (`skip_truncation: false`). */

import { isObject } from 'ferrule/internal'

/** Longest string that stays whole, in UTF-16 units. */
export const longestText = 2_000
/** Maximum number of distinct paths of shortened strings in an answer. */
const namedPaths = 100

/** Shortens a string without splitting a surrogate pair. */
function cut(text: string): string {
  const last = text.charCodeAt(longestText - 1)
  const end = last >= 0xd800 && last <= 0xdbff ? longestText - 1 : longestText
  return `${text.slice(0, end)}… [${text.length} characters]`
}

function shorten(value: unknown, path: string, cuts: Set<string>): unknown {
  if (typeof value === 'string') {
    if (value.length <= longestText) return value
    if (cuts.size < namedPaths) cuts.add(path)
    return cut(value)
  }
  if (Array.isArray(value)) return value.map((element) => shorten(element, `${path}[]`, cuts))
  if (!isObject(value)) return value
  const prefix = path === '' ? '' : `${path}.`
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, shorten(part, prefix + name, cuts)]))
}

/**
 * Shortens every string of more than 2,000 characters to that length and appends its original length.
 * @param records not modified
 * @returns the records, and at most 100 paths of shortened strings (`transcript[].sentences[].text`)
 */
export function shortenTexts(records: readonly unknown[]): { readonly records: readonly unknown[]; readonly paths: readonly string[] } {
  const cuts = new Set<string>()
  return { records: records.map((record) => shorten(record, '', cuts)), paths: [...cuts] }
}
