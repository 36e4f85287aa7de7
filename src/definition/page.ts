/** The shapes of a list and of its meta, as the documents name them. */

/** Where a numbered page stands. Where the vendor does not tell it, the totals are null, and the warnings of the meta say so. */
export interface PageInfo {
  /** From 1. */
  readonly page: number
  readonly page_size: number
  readonly total_number: number | null
  /** 0 when there are no records. */
  readonly total_page: number | null
}

/** One part of a result. */
export interface PartitionInfo {
  readonly rowCount: number
  readonly uncompressedSize: number
  /** Null for a part that is not compressed. */
  readonly compressedSize: number | null
}

/** Meta fields of each list shape. `none`: a list that has one page only. */
export interface PageMeta {
  readonly cursor: { readonly cursor: string | null; readonly total_records: number | null; readonly current_page_number: number | null }
  readonly next_page_url: { readonly next_page_url: string | null }
  readonly page_info: { readonly page_info: PageInfo }
  readonly statement: {
    /** As the vendor sends it: a path that only the vendor's token opens. */
    readonly next_page_url: string | null
    readonly request_id: string | null
    readonly statement_handle: string | null
    readonly partition_info: readonly PartitionInfo[] | null
    /** The operation that `next_params` are for. */
    readonly next_operation: { readonly entity: string; readonly action: 'get' } | null
  }
  readonly none: Record<never, never>
}
/** The name of a list shape. */
export type PageShape = keyof PageMeta

/** What every list's meta has beside the documented keys. */
export interface CommonMeta<P = Record<string, unknown>> {
  /** What to merge into the params of the next call, or null when there is no further page. */
  readonly next_params: Partial<P> | null
  /** How many private calls were left out of this page; present for operations that can meet them. */
  readonly private_calls_excluded?: number
  /** What the vendor tells beside the records, for example that it left some out; present when it tells something. */
  readonly warnings?: readonly string[]
}

/** How one kind writes a list shape on the wire. */
export type PageDefinition = PositionPages | PartPages

/** A result in numbered parts, from 0; those after the first are another operation. */
export interface PartPages {
  readonly shape: 'statement'
  /** As with positions. */
  readonly read: Readonly<Record<string, string>>
  readonly parts: {
    /** Entity whose `get` gives a part. */
    readonly entity: string
    /** The meta field that names the result, and the parameter that takes it. */
    readonly handle: { readonly meta: string; readonly param: string }
    /** The parameter that takes the number of the part, and the query value of the next part's URL that tells it. */
    readonly number: string
    /** The meta field that lists the parts, and the one that holds the URL of the next. */
    readonly known: string
    readonly url: string
  }
}

/** Pages by a position: the answer tells what asks for the next one. */
export interface PositionPages {
  readonly shape: Exclude<PageShape, 'none' | 'statement'>
  /** Meta field → path in the answer's body, or `link:<relation>` for a URL of the `Link` header (RFC 8288). What is missing there is null. */
  readonly read: Readonly<Record<string, string>>
  /**
   * The next page: this meta field's value goes into this parameter. `from` names the query value of a URL that is meant. `count`
   * names the number of the page and that of the last one within the field: the next number, while there is one; and the parameter that
   * bounds a page: where the vendor does not tell the numbers, a full page is taken to have a next one.
   */
  readonly next: {
    readonly meta: string
    readonly param: string
    readonly from?: string
    readonly count?: { readonly page: string; readonly last: string; readonly size: string }
  }
  /** Another parameter that takes the URL of the next page as it was returned. It is taken apart, never fetched. */
  readonly url?: string
  /** A position excludes every other parameter but these and those of the path: it holds the filters of the first page. */
  readonly alone?: readonly string[]
}
