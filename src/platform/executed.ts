/** What an execution answers, whatever surface asked. */
import type { Outcome } from '../engine/outcome.ts'

/** An outcome, with the paths of texts that were cut on the caller's wish. */
export type Executed = Outcome & { readonly truncatedFields?: readonly string[] }

/** An outcome that is not a file: what writes answer. */
export type ExecutedData = Exclude<Executed, { readonly type: 'file' }>

/** The answer of an earlier call under the same Idempotency-Key, to be sent as it is. */
export interface ReplayedAnswer {
  readonly type: 'replayed'
  /** 200, or the status of the error. */
  readonly status: number
  /** JSON: the body of the answer, or problem details. */
  readonly text: string
}

/** The body of an answer that is not a file. */
export const answerBody = ({ data, meta, truncatedFields }: ExecutedData) =>
  truncatedFields === undefined ? { data, meta } : { data, meta, truncated_fields: truncatedFields }
