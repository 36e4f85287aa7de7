/** Cuts long texts of records for readers with little room (`skip_truncation: false`). */

import { isObject } from '../definition/object.ts'

/** Longest text that is returned whole, in UTF-16 units. */
export const longestText = 2_000
/** How many different paths of cut texts an answer names. */
const namedPaths = 100

/** Cuts between characters, never inside a surrogate pair. */
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
 * Cuts every text of more than 2,000 characters to that length and appends its original length.
 * @param records stay as they are
 * @returns the records, and the paths (`transcript[].sentences[].text`) of cut texts, at most 100
 */
export function shortenTexts(records: readonly unknown[]): { readonly records: readonly unknown[]; readonly paths: readonly string[] } {
  const cuts = new Set<string>()
  return { records: records.map((record) => shorten(record, '', cuts)), paths: [...cuts] }
}
