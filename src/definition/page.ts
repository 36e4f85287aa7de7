/** The shapes of a list and of its meta, as the documents name them. */

/** Meta fields of each list shape. `none`: a list that has one page only. */
export interface PageMeta {
  readonly cursor: { readonly cursor: string | null; readonly total_records: number | null; readonly current_page_number: number | null }
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
}

/** How one kind writes a list shape on the wire. */
export interface PageDefinition {
  readonly shape: Exclude<PageShape, 'none'>
  /** Meta field → path in the answer's body. What is missing there is null. */
  readonly read: Readonly<Record<string, string>>
  /** The next page: this meta field's value goes into this parameter. */
  readonly next: { readonly meta: string; readonly param: string }
}
