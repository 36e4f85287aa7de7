/** What an execution answers, whatever surface asked. */
import type { JsonText } from '../engine/json.ts'
import type { Outcome } from '../engine/outcome.ts'

/** What was cut: the paths of texts, on the wish of the caller. */
export interface Cut {
  readonly truncatedFields?: readonly string[]
}

/** How fresh the copy is that a search read. */
export interface Freshness {
  /** What was new or changed until this moment is in the copy; ISO 8601. null while it is filled for the first time. */
  readonly synced_at: string | null
  /** The copy was compared with everything that the vendor had at this moment. */
  readonly verified_at: string | null
  readonly status: string
  /** Whether no part was left unread. It tells nothing of age. */
  readonly complete: boolean
}

/** What a search found: the records as the database wrote them, or taken apart where fields of them were asked for. */
export interface Found extends Cut {
  readonly type: 'found'
  readonly data: JsonText | readonly unknown[]
  readonly meta: {
    readonly has_more: boolean
    readonly cursor: string | null
    readonly took_ms: number
    /** Too much matches to be ordered by relevance; left out where the order is the one that was asked for. */
    readonly relevance_left_out?: true
    /** Paths of the query that no record had; left out where there are none. */
    readonly unknown_paths?: readonly string[]
  }
  readonly contextStore: Freshness
}

/** An outcome, whatever the action. */
export type Executed = (Outcome & Cut) | Found

/** An outcome of a vendor that is not a file: what writes answer. */
export type ExecutedData = Exclude<Outcome, { readonly type: 'file' }> & Cut

/** The answer of an earlier call under the same Idempotency-Key, to be sent as it is. */
export interface ReplayedAnswer {
  readonly type: 'replayed'
  /** 200, or the status of the error. */
  readonly status: number
  /** JSON: the body of the answer, or problem details. */
  readonly text: string
}

/** The body of an answer that is not a file; `writeBody` writes it. */
export const answerBody = (executed: ExecutedData | Found) => ({
  data: executed.data,
  meta: executed.meta,
  ...(executed.truncatedFields === undefined ? {} : { truncated_fields: executed.truncatedFields }),
  ...(executed.type === 'found' ? { context_store: executed.contextStore } : {}),
})
