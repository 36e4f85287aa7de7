/** Cuts a page from a list that the vendor returns at once. Pure. */
import type { PageInfo } from '../../definition/page.ts'
import type { CompiledOperation } from './operation.ts'
import type { Params } from './params.ts'

/** The rows of one page, and its position. */
export interface Slice {
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
