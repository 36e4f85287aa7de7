/** What one entity says about itself: plain data that the vendor's page can be held against. */
import type { CheckEntity } from './check-types.ts'
import type { Fields } from './fields.ts'
import type { PageShape } from './page.ts'
import type { Sync } from './sync.ts'

/** Live actions: they go to the external system. */
export const liveActions = ['list', 'get', 'create', 'update', 'delete', 'download'] as const
/** One of them. */
export type LiveAction = (typeof liveActions)[number]

/** Names a rule of the kind: a pure function in `connectors/<kind>/rules.ts`. */
export type RuleName = `rule:${string}`

/** How a parameter travels when the vendor names or writes it otherwise. Paths are dotted (`filter.fromDateTime`). */
export interface Send {
  /** The vendor's name: a path in the body, or a query name. */
  readonly to: string
  /**
   * For a window of moments that the vendor takes as calendar days in a time zone that we do not know: `day_before` (of the
   * start, inclusive) is the UTC day before the moment; `day_after` (of the end, exclusive) the second UTC day after the last
   * millisecond before it, left out when that day is not in the past (vendors refuse days after today).
   */
  readonly as?: 'day_before' | 'day_after'
}

/** A filter that the vendor lacks and the engine applies to the page. The parameter is not sent unless `send` names it. */
export interface LocalFilter {
  /** Field of the record. */
  readonly field: string
  /** `from`: at or after the moment; `before`: strictly before it; `equals`; `in`: one of the listed values. */
  readonly keep: 'from' | 'before' | 'equals' | 'in'
}

/**
 * Where a record field comes from when the answer does not have it by its documented name. One of `rename` (vendor's key removed),
 * `copy` (kept) and `param` (what the call asked for), and a conversion: `integer` and `number` read a decimal text, and give null for
 * one that is none. What the answer has by its documented name goes first: it is neither replaced nor, where there is a source, converted.
 */
export interface Origin {
  readonly rename?: string
  readonly copy?: string
  readonly param?: string
  readonly as?: 'text' | 'lower' | 'integer' | 'number'
}

/**
 * Rows that lie in parts: one record of the objects under these keys, a later one wins, and what lies beside them wins over all. A value
 * that means "none" becomes null. A row without parts that has its documented key is a record already.
 */
export interface MergedRows {
  readonly merge: readonly string[]
  readonly empty: string
}

/** A second call that completes the rows of a page. */
export interface Join {
  /** Name of a lookup of the kind. */
  readonly lookup: string
  /** Field of the record that holds the lookup's key. */
  readonly on: string
  /** Record field → path in the record that was looked up, for rows that do not have the field. */
  readonly take?: Readonly<Record<string, string>>
}

/** A file that lies behind a URL in the answer. */
export interface FileSource {
  /** Path of the URL in the answer. */
  readonly at: string
  /** The parameter that is sent as the `Range` header of the file request. It is never sent to the API. */
  readonly range: string
  /** Statuses of the file host that mean "the URL has expired": a fresh one is asked for once. */
  readonly renew: readonly number[]
  /** File name of the download; `{path}` is filled from the parameters, for example `{filter.callIds[0]}.mp3`. */
  readonly name: string
}

/** A request that the vendor knows by an id: sent again, it is not carried out twice. The body holds everything but the two query names. */
export interface Submission {
  /** Query name of the id, a UUID; a parameter of this name gives it, where the action has one. */
  readonly id: string
  /** Query name of `true`, which says that the request was sent before; a parameter of this name says so, where the action has one. */
  readonly again: string
  /** Parameter that bounds how long the vendor works on it, in seconds: a request that is older is over. */
  readonly within: string
}

/** Where a request that is not ready is asked for; `{…}` in the paths is its handle. */
export interface Poll {
  readonly call: `GET /${string}`
  /** Statuses that mean "not ready yet". */
  readonly statuses: readonly number[]
  /** Path of the handle in the answer. */
  readonly handle: string
  /** Ends a request whose caller went away, unless it changes something. */
  readonly cancel: `POST /${string}`
}

/** One operation: an entity with an action. */
export interface Operation {
  /** What it does, when the entity's sentence does not say it. */
  readonly about?: string
  /** The vendor's own endpoint, in the vendor's notation. */
  readonly call: `${'GET' | 'POST'} /${string}`
  /** Path of the row, or of the rows, in the answer; '' is the whole body. */
  readonly at: string
  readonly params: Fields
  /** List shape; a list without it has one page. Other actions have a shape where all actions of the kind have one. */
  readonly page?: PageShape
  /** The whole answer is the one record, of a list too. */
  readonly one?: true
  readonly submits?: Submission
  /** The vendor answers the whole list at once: its meta has the fields of the shape, and never a next page. */
  readonly onePage?: true
  /** Parameters that travel otherwise, by their path. */
  readonly send?: Readonly<Record<string, Send>>
  /** Values that the vendor must always get, by their path on the wire. */
  readonly constant?: Readonly<Record<string, string | number | boolean>>
  /** What is sent for a parameter that the caller leaves out; never beside a position that excludes it. */
  readonly defaults?: Readonly<Record<string, string | number | boolean>>
  /** Parameters of the documents that the vendor's endpoint does not have. */
  readonly unsent?: readonly string[]
  /**
   * A status that means "not ready yet": the request is repeated after `Retry-After`, within the deadline; with `poll` its result
   * is asked for elsewhere, and when the deadline comes first, the answer that says "not ready" is the result.
   */
  readonly running?: { readonly status: number; readonly poll?: Poll }
  /** Filters that the vendor lacks, by the path of their parameter. */
  readonly local?: Readonly<Record<string, LocalFilter>>
  /** How the records are made from the rows at `at`: a rule that reads each of them, or the parts that each of them is merged from. */
  readonly rows?: RuleName | MergedRows
  /** A rule that reads the parameters before anything is sent: it lets them through, changes or refuses them. */
  readonly admit?: RuleName
  /**
   * The vendor answers all rows at once and the documents page them: the parameters that name the page, from 1, and its size.
   * The page is taken here and its meta is made.
   */
  readonly slice?: { readonly page: string; readonly size: string }
  /** Path in the row whose value `true` means that the row is to be hidden. */
  readonly hidden?: string
  readonly join?: Join
  readonly file?: FileSource
}

/** Parts of an entity that the documents leave open; what stands there is from the vendor's own pages. */
export interface Filled {
  /** Actions whose parameters are not shown. */
  readonly params?: readonly LiveAction[]
  /** All fields of the record, or these. */
  readonly record?: 'all' | readonly string[]
  readonly searchable?: 'all'
}

/** One entity. */
export interface EntityDefinition extends Partial<Record<LiveAction, Operation>> {
  readonly about: string
  /** Scopes of which the credentials need one; none: every credential may read it. Left out: the kind does not tell. */
  readonly scope?: readonly string[]
  /** Fields that identify a row; `param.<path>` for what only the call knows. */
  readonly key: readonly string[]
  /** The entity that this one is a view or a part of, under the same key: what is gone or hidden there, or here, is so in both. */
  readonly of?: string
  /** Fields of a record; left out for downloads. */
  readonly record?: Fields
  /** Field of the record → where it comes from at the vendor. Paths: `a`, `a.b`, `a[].b`. */
  readonly from?: Readonly<Record<string, Origin>>
  /** Searchable fields of the context store. */
  readonly context_store_search?: Fields
  readonly sync?: Sync
  readonly filled?: Filled
}

/**
 * Declares an entity. What does not fit (a path slot without a parameter, a key that the record lacks, an unknown part)
 * is a compile error with a sentence.
 */
export const entity = <const E extends EntityDefinition>(definition: E & CheckEntity<E>): E => definition
