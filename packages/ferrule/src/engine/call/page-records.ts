/** Makes the records of a page from the rows of an answer. Pure: the caller supplies the looked-up records. */
import type { PageInfo } from '../../definition/page.ts'
import { RawRows } from '../json/raw-rows.ts'
import { countRows, readRows } from './answer.ts'
import { type HiddenCounts, type LookedUp, type Showing, showRows } from './hidden.ts'
import { isInParts } from './meta.ts'
import type { CompiledOperation } from './operation.ts'
import type { Params } from './params.ts'
import { buildLocalFilter, fillRow, nameRow } from './rows.ts'

/** The records of a page, and what was left out. */
export interface Page<Data = readonly unknown[] | RawRows> extends HiddenCounts {
  readonly data: Data
  /** Number of rows in the answer's list; undefined without a list. */
  readonly listed: number | undefined
  /** The vendor's own text of the same records. */
  readonly text?: RawRows | undefined
  /** Meta of a list that the vendor does not page. */
  readonly made?: { readonly page_info: PageInfo } | undefined
}

/** A page of parsed rows. */
export interface BuiltPage extends Page<readonly unknown[]> {
  /** True if the records are the named rows, all of them and unchanged. */
  readonly isSame: boolean
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
export function buildPage(options: PageOptions, { rows: given, listed }: NamedRows, found: LookedUp): BuiltPage {
  const { operation, params } = options
  const { rows, ...counts } = showRows(options, given, found)
  let isSame = counts.excluded + counts.unclear === 0
  for (const row of rows) if (fillRow(row, operation.fields)) isSame = false
  const keep = buildLocalFilter(operation, params)
  const { rows: data, made } = slicePage(operation, params, keep === undefined ? rows : rows.filter(keep))
  return { data, ...counts, listed, isSame: isSame && keep === undefined, made }
}

/** Returns whether the records of a list can be the vendor's rows unchanged: then nothing but missing or hidden ones changes them. */
export function canBeSame(operation: CompiledOperation): boolean {
  const { action, shapings, merged, rule } = operation
  const { join, slice, one } = operation.operation
  const isPlain = shapings.length === 0 && merged === undefined && rule === undefined && join === undefined
  return action === 'list' && isPlain && slice === undefined && one === undefined && !isInParts(operation)
}

/** Yields rows in batches, and lets the event loop run between two batches. */
export async function* readBatches(rows: readonly unknown[] | RawRows): AsyncGenerator<readonly unknown[], void, undefined> {
  if (!(rows instanceof RawRows)) return yield rows
  for (const batch of rows.batches()) {
    yield batch
    await new Promise((resolve) => setImmediate(resolve))
  }
}

/** The rows of one page, and its position. */
interface Slice {
  readonly rows: readonly unknown[]
  readonly made?: { readonly page_info: PageInfo }
}

/** Cuts the page that the parameters name. Without a size all rows are one page; a page beyond the last is empty. */
export function slicePage({ operation }: CompiledOperation, params: Params, rows: readonly unknown[]): Slice {
  if (operation.slice === undefined) return { rows }
  const page = Number(params[operation.slice.page] ?? 1)
  const size = Number(params[operation.slice.size] ?? rows.length)
  return {
    rows: rows.slice((page - 1) * size, page * size),
    made: { page_info: { page, page_size: size, total_number: rows.length, total_page: size === 0 ? 0 : Math.ceil(rows.length / size) } },
  }
}
