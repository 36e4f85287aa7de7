/** Makes the records of a page from the rows of an answer. Pure: the caller supplies the looked-up records. */
import type { PageInfo } from '../definition/page.ts'
import { countRows, readRows } from './answer.ts'
import { type LookedUp, type Showing, showRows } from './hidden.ts'
import { RawRows } from './json/raw-rows.ts'
import type { RecordKey } from './outcome.ts'
import type { Params } from './params.ts'
import { buildLocalFilter, fillRow, nameRow } from './rows.ts'
import { slicePage } from './slice.ts'

/** The records of a page, and what was left out. */
export interface Page<Data = readonly unknown[] | RawRows> {
  readonly data: Data
  /** Number of rows that were left out because they are hidden. */
  readonly excluded: number
  /** Keys of the rows among them that the vendor flags. */
  readonly hidden: readonly RecordKey[]
  /** Number of rows in the answer's list; undefined without a list. */
  readonly listed: number | undefined
  /** Meta of a list that the vendor does not page. */
  readonly made?: { readonly page_info: PageInfo }
}

/** What decides on the records of a page. */
export interface PageOptions extends Showing {
  readonly params: Params
}

/** The rows of an answer with documented field names. */
export interface NamedRows extends Pick<Page, 'listed'> {
  readonly rows: readonly unknown[]
}

/**
 * Reads the rows of an answer and renames their fields.
 * @throws FerruleError `upstream_answer_invalid` without rows
 */
export const nameRows = ({ operation, params }: Pick<PageOptions, 'operation' | 'params'>, body: unknown): NamedRows => ({
  rows: readRows(operation, body).map((row) => nameRow(operation, row, params)),
  listed: countRows(operation, body),
})

/**
 * Makes the records of a page.
 * @param found the records of `listIdsToLookUp`
 */
export function buildPage(options: PageOptions, { rows: given, listed }: NamedRows, found: LookedUp): Page<readonly unknown[]> {
  const { operation, params } = options
  const { rows, excluded, hidden } = showRows(options, given, found)
  const records = rows.map((row) => fillRow(row, operation.fields))
  const keep = buildLocalFilter(operation, params)
  const { rows: data, made } = slicePage(operation, params, keep === undefined ? records : records.filter(keep))
  return { data, excluded, hidden, listed, ...(made === undefined ? {} : { made }) }
}

/** Yields rows in batches, and lets the event loop run between two batches. */
export async function* readBatches(rows: readonly unknown[] | RawRows): AsyncGenerator<readonly unknown[], void, undefined> {
  if (!(rows instanceof RawRows)) return yield rows
  for (const batch of rows.batches()) {
    yield batch
    await new Promise((resolve) => setImmediate(resolve))
  }
}
