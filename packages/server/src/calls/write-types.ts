/** Interfaces of writes under an Idempotency-Key, and of answers that are kept for agents. */

import type { Connection } from 'ferrule/engine'
import type { ConnectorAccess, Principal } from '../values/access.ts'
import type { ExecutedData, ReplayedAnswer } from './executed.ts'

/** A write under an Idempotency-Key. */
export interface KeyedWrite {
  /** 1 to 255 printable ASCII characters, unique per connector. */
  readonly key: string
  readonly entity: string
  readonly action: string
  readonly params: unknown
  /** Timeout of the write, in milliseconds. */
  readonly deadlineMs: number
  /** Id of the request, for a stored error. */
  readonly requestId?: string | undefined
}

/** Runs writes once. Callers hold an access already, so no method takes a principal. */
export interface Writes {
  /**
   * Runs a write, or returns the answer of the earlier call with the same key. Stores the key before `run` starts, and the outcome before
   * it returns. Keeps the outcome for 24 hours. Errors without an effect release the key.
   * @param run does the write with the given connection and `Call.idempotencyKey`
   * @throws FerruleError `validation_failed` (the key), `idempotency_key_conflict`, `idempotency_key_in_flight`, `outcome_unknown` (its
   * node died), and errors of `run`; a stored error is not retryable
   */
  once(
    access: ConnectorAccess,
    write: KeyedWrite,
    run: (connection: Connection, idempotencyKey: string) => Promise<ExecutedData>,
  ): Promise<ExecutedData | ReplayedAnswer>
  /** Deletes keys and vendor request ids that expired at `now` (milliseconds). @returns the number */
  purgeExpired(now: number): Promise<number>
}

/** Keeps for minutes what writes and statements answered to agents, for any node. */
export interface KeptAnswers {
  /** Returns the answers of the principal's organization. */
  of(principal: Pick<Principal, 'organizationId'>): {
    /** Keeps a text until a time (milliseconds). The oldest texts of the organization make room. @returns false: it is too large, or the database failed */
    put(id: string, text: string, untilMs: number): Promise<boolean>
    /** Returns a kept text; undefined: never kept, or no longer. */
    get(id: string): Promise<string | undefined>
  }
  /** Deletes what expired at `now` (milliseconds). */
  purgeExpired(now: number): Promise<void>
}
