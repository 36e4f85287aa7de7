/** The query of an export: a search, as the parts of an address. */

import { int, oneOf, opt, str } from '../definition/index.ts'
import { formulaModes } from '../values/csv.ts'
import { longestAge } from './execute-request.ts'
import { query } from './words.ts'

/** Formats of an export. */
export const exportFormatNames = ['ndjson', 'csv'] as const
/** Format of an export. */
export type ExportFormatName = (typeof exportFormatNames)[number]

/** The query of an export. */
export const exportQuery = query({
  format: opt(oneOf('ndjson (default): one JSON record per line; csv: RFC 4180, nested values as JSON', ...exportFormatNames)),
  formulas: opt(
    oneOf(
      'In CSV, text that a spreadsheet would run, because it begins with =, +, - or @. mark (default): a single quote stands before it; keep: it stays as it is',
      ...formulaModes,
    ),
  ),
  filter: opt(str('`query.filter` of a search, as JSON')),
  text: opt(str('`query.text` of a search: words in any field that holds a string')),
  sort: opt(
    str(
      '`query.sort` of a search, as JSON; left out: by relevance when the filter searches words, else by the primary key, which is the fastest',
    ),
  ),
  fields: opt(str('Field paths, separated by commas; left out: all searchable fields')),
  allow_partial: opt(oneOf('true: a part of the records is enough while the first sync runs', 'true', 'false')),
  max_age: opt(int('Maximum age of the copy in seconds; an older copy is refreshed first', { minimum: 0, maximum: longestAge })),
})
