/** The rows of an answer → the records of a page. Pure: what a second call has to find comes in. */
import type { PageInfo } from '../definition/page.ts'
import { listedIn, rowsOf } from './answer.ts'
import { type Found, type Showing, shownRows } from './hidden.ts'
import type { RecordKey } from './outcome.ts'
import type { Params } from './params.ts'
import { RawRows } from './raw-rows.ts'
import { fillRow, localFilterOf, nameRow } from './rows.ts'
import { sliceOf } from './slice.ts'

/** The records of a page, and what was done to get them. */
export interface Page<Data = readonly unknown[] | RawRows> {
  readonly data: Data
  /** Rows that were left out because they are hidden. */
  readonly excluded: number
  /** Those of them that the vendor flags, by their keys. */
  readonly hidden: readonly RecordKey[]
  /** How many rows the answer's list has; undefined where it has none. */
  readonly listed: number | undefined
  /** Meta of a list that the vendor does not page. */
  readonly made?: { readonly page_info: PageInfo }
}

/** What decides on the records of a page. */
export interface PageOptions extends Showing {
  readonly params: Params
}

/** The rows of an answer under the names of the documents. */
export interface NamedRows extends Pick<Page, 'listed'> {
  readonly rows: readonly unknown[]
}

/** Reads the rows of an answer. @throws FerruleError `upstream_answer_invalid` where they are none */
export const namedRows = ({ operation, params }: Pick<PageOptions, 'operation' | 'params'>, body: unknown): NamedRows => ({
  rows: rowsOf(operation, body).map((row) => nameRow(operation, row, params)),
  listed: listedIn(operation, body),
})

/**
 * Makes the records of a page.
 * @param found the records of `idsToLookUp`
 */
export function pageFrom(options: PageOptions, { rows: given, listed }: NamedRows, found: Found): Page<readonly unknown[]> {
  const { operation, params } = options
  const { rows, excluded, hidden } = shownRows(options, given, found)
  const records = rows.map((row) => fillRow(row, operation.fields))
  const keep = localFilterOf(operation, params)
  const { rows: data, made } = sliceOf(operation, params, keep === undefined ? records : records.filter(keep))
  return { data, excluded, hidden, listed, ...(made === undefined ? {} : { made }) }
}

/** Rows in batches, so that others get their turn between two of them. */
export async function* inBatches(rows: readonly unknown[] | RawRows): AsyncGenerator<readonly unknown[], void, undefined> {
  if (!(rows instanceof RawRows)) return yield rows
  for (const batch of rows.batches()) {
    yield batch
    await new Promise((resolve) => setImmediate(resolve))
  }
}
