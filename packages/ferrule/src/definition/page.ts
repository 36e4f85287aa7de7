/** The shapes of a list and of its meta, as the documents name them. */

/** Position of a numbered page. If the vendor omits the totals, they are null and the meta has a warning. */
export interface PageInfo {
  /** From 1. */
  readonly page: number
  readonly page_size: number
  readonly total_number: number | null
  /** 0 if there are no records. */
  readonly total_page: number | null
}

/** One partition of a result. */
export interface PartitionInfo {
  readonly rowCount: number
  readonly uncompressedSize: number
  /** Null for an uncompressed partition. */
  readonly compressedSize: number | null
}

/** Meta fields of each list shape. `none`: a list with one page. */
export interface PageMeta {
  readonly cursor: { readonly cursor: string | null; readonly total_records: number | null; readonly current_page_number: number | null }
  readonly next_page_url: { readonly next_page_url: string | null }
  readonly page_info: { readonly page_info: PageInfo }
  readonly statement: {
    /** As the vendor sends it: a path that needs the vendor's token. */
    readonly next_page_url: string | null
    readonly request_id: string | null
    readonly statement_handle: string | null
    readonly partition_info: readonly PartitionInfo[] | null
    /** The operation that `next_params` belong to. */
    readonly next_operation: { readonly entity: string; readonly action: 'get' } | null
  }
  /** Of every kind but the four that the documents specify. The cursor is opaque. */
  readonly next: { readonly cursor: string | null; readonly total_records: number | null }
  readonly none: Record<never, never>
}
/** The name of a list shape. */
export type PageShape = keyof PageMeta

/** Meta fields that every list has beside the documented keys. */
export interface CommonMeta<P = Record<string, unknown>> {
  /** Merge these into the params of the next call; null after the last page. */
  readonly next_params: Partial<P> | null
  /** Number of calls that the vendor flags as private, omitted from this page; present for operations that can meet private calls. */
  readonly private_calls_excluded?: number
  /** Warnings of the vendor, for example about omitted records; absent without warnings. */
  readonly warnings?: readonly string[]
}

/** How a kind transfers a list shape. */
export type PageDefinition = PositionPages | PartPages | NextPages

/** A result in numbered parts, from 0. Another operation returns the parts after the first. */
export interface PartPages {
  readonly shape: 'statement'
  /** As for positions. */
  readonly read: Readonly<Record<string, string>>
  readonly parts: {
    /** Entity whose `get` returns a part. */
    readonly entity: string
    /** The meta field that names the result, and the parameter that takes the name. */
    readonly handle: { readonly meta: string; readonly param: string }
    /** The parameter for the part number, also the query parameter in the URL of the next part. */
    readonly number: string
    /** The meta field that lists the parts, and the meta field with the URL of the next part. */
    readonly known: string
    readonly url: string
    /** Where the vendor declares how many rows there are, if it does: the field of a listed part, and the path in the body for all parts together. */
    readonly rows?: { readonly part: string; readonly all: string }
  }
}

/** Pages by position: each answer contains the position of the next page. */
export interface PositionPages {
  readonly shape: Exclude<PageShape, 'none' | 'statement' | 'next'>
  /** Meta field → path in the body, or `link:<relation>` for a URL of the `Link` header (RFC 8288). A missing value is null. */
  readonly read: Readonly<Record<string, string>>
  /**
   * The next page: the value of meta field `meta` goes into parameter `param`. `from`: the value is a URL, and this query parameter holds
   * the position. `count`: the value holds the page number (`page`) and the last number (`last`); `size` is the page-size parameter. If the
   * vendor omits the numbers, a full page implies a next page.
   */
  readonly next: {
    readonly meta: string
    readonly param: string
    readonly from?: string
    readonly count?: { readonly page: string; readonly last: string; readonly size: string }
  }
  /** Another parameter that takes the URL of the next page. The engine parses the URL and never fetches it. */
  readonly url?: string
  /** A position excludes all parameters but these and the path's, because it contains the filters of the first page. */
  readonly alone?: readonly string[]
  /**
   * Where the vendor counts all records of the list exactly: the path of their number, the path of the page's number, from 0, and the most
   * records of a page. A last page whose number of all is above what came is in doubt.
   */
  readonly counted?: { readonly all: string; readonly page: string; readonly size: number }
}

/**
 * Pages of any vendor. Callers see one opaque parameter `cursor` and one parameter for the size, whatever the vendor has. An empty position
 * ends the list.
 */
export interface NextPages {
  readonly shape: 'next'
  /**
   * Where the answer has the position of the next page: a path in the body, `header:<name>`, `link:<relation>` for a URL of the `Link`
   * header (RFC 8288), or `last:<path>` for a field of the last row. `rows` and `pages`: the engine counts the rows before the page, or the
   * pages.
   */
  readonly position: string
  /** The first number of `pages`; 1 if omitted. */
  readonly first?: 0 | 1
  /** Query name, or path in the JSON body, that takes the position. Omitted: the position is the URL of the next page, on the same host. */
  readonly send?: string
  /** Where the request carries the position; by default the query of a request without a body, else the body. */
  readonly in?: 'query' | 'body'
  /**
   * Path of the flag that says whether there are more pages. With an exclamation mark in front: whether this page is the last. `rows`: the
   * list continues until a page is empty.
   */
  readonly more?: string
  /** Path of the number of all records. */
  readonly total?: string
  /** The vendor's parameter for the size of a page, and its maximum, which is also what a call without a size asks for. */
  readonly size?: { readonly send: string; readonly most: number }
  readonly cap?: SearchCap
}

/** Where a vendor ends a search, and how the search starts again behind its last record. */
export interface SearchCap {
  /** Number of records after which the vendor ends a search. */
  readonly rows: number
  /** Path in the row of a whole number that sorts the records. No two have the same one, so none is lost and none comes twice. */
  readonly by: string
  /** Parameters that sort by it, the smallest first. A caller with another order reaches the cap, and the vendor's refusal. */
  readonly order: Readonly<Record<string, unknown>>
  /**
   * Parameter (path) → value that asks for what is behind a record; `{last}` in it is the number of the record. `[]` within a path: every
   * element; at its end: added to the list.
   */
  readonly behind: Readonly<Record<string, unknown>>
}

/** Finds the shape of a list: `none` for one page. @param pages the kind's */
export const findShape = (pages: Readonly<Record<string, PageDefinition>>, page: string | undefined): PageShape =>
  pages[page ?? '']?.shape ?? 'none'

/** The flag of lists that continue until a page is empty. */
export const everyRow = 'rows'

/** Names of the parameters that every list with pages of the shape `next` has: the position, and the size where the vendor takes one. */
export const cursorName = 'cursor'
export const sizeName = 'limit'
