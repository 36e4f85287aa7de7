/** Types of the answer of an execution, for every surface. */
import type { JsonText, Outcome } from 'ferrule/engine'
import type { AggregateMeta, Freshness, SearchMeta } from 'ferrule/wire'

/** Paths of shortened strings, when the caller requested shortening. */
export interface Cut {
  readonly truncatedFields?: readonly string[]
}

/** Answer of a search or an aggregate: records as JSON of the database, or parsed where the caller selected fields. */
export interface Found extends Cut {
  readonly type: 'found'
  readonly data: JsonText | readonly unknown[]
  readonly meta: SearchMeta | AggregateMeta
  readonly contextStore: Freshness
}

/** Outcome of any action. */
export type Executed = (Outcome & Cut) | Found

/** Outcome of a vendor that is no file, as writes return it. */
export type ExecutedData = Exclude<Outcome, { readonly type: 'file' }> & Cut

/** Stored answer of an earlier call under the same Idempotency-Key. */
export interface ReplayedAnswer {
  readonly type: 'replayed'
  /** 200, or the status of the error. */
  readonly status: number
  /** JSON: the body of the answer, or problem details. */
  readonly text: string
}
