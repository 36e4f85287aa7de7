/** How the context store is filled: what a definition says of it. */

/** Only what is new or changed is asked for. */
export interface Since {
  /** Parameter (path) that takes the moment, inclusive. */
  readonly param: string
  /** Parameter (path) that the vendor needs beside it: the end of the window, a day after the beginning of the run. */
  readonly until?: string
  /** What is sent when nothing is known yet; left out: the parameter is, too. */
  readonly first?: string
  /** Path of the moment in the record; the latest that was met is remembered. */
  readonly field: string
  /** Asked for again before the latest moment, in seconds: records can change or appear late. */
  readonly lookback: number
  /** The moment of a record never changes: what lies within the window and was not met is gone. */
  readonly fixed?: true
}

/** Days are asked for window by window. */
export interface Windows {
  /** Parameters that take the first and the last day, both included. */
  readonly from: string
  readonly to: string
  /** Longest window, in days. */
  readonly days: number
  /** Configuration field of the first day of all. */
  readonly first: string
  /** Days before the last known one whose figures can still change. */
  readonly lookback: number
}

/** Records within those of another entity. */
export interface Within {
  readonly entity: string
  readonly at: string
  /** The vendor shows so many at most; where there are as many, all are asked for by their own list: parameter → path in the record. */
  readonly most?: { readonly records: number; readonly take: Readonly<Record<string, string>> }
}

/** How the context store gets the records of an entity. Searchable entities have it, and those that feed them. */
export interface Sync {
  /** Parameters of every call. */
  readonly params?: Readonly<Record<string, unknown>>
  /** The records lie within those of another entity, at this path: they cost no call. */
  readonly within?: Within
  /** A call for each record of another entity, or for so many of them together: parameter (path) → path in that record. */
  readonly each?: { readonly entity: string; readonly take: Readonly<Record<string, string>>; readonly batch?: number }
  /**
   * Searchable field that holds the parent's value at a path: what is stored with the value of a parent that was read, and was not met
   * with it, is gone. Left out: it is gone after a complete pass.
   */
  readonly under?: { readonly field: string; readonly parent: string }
  /** Left out: every run is a complete pass. */
  readonly since?: Since
  /** The next page is what follows the largest value of a field: unlike the vendor's positions that never ends. */
  readonly after?: { readonly param: string; readonly field: string }
  readonly windows?: Windows
  /** Searchable field → path in the record; `parent.<path>` in the record that the call was made for. */
  readonly project?: Readonly<Record<string, string>>
}
