/** Types of read replicas. */

/**
 * States of a replica. `unknown`: not looked at yet. `used`: searches go there. `gone`: it does not answer. `refused`: it answers, and is no
 * replica of this context database.
 */
export const replicaStates = ['unknown', 'used', 'gone', 'refused'] as const

/** State of a replica, see `replicaStates`. */
export type ReplicaState = (typeof replicaStates)[number]

/** A replica as this node sees it. */
export interface ReplicaStatus {
  /** Position in the setting, from 1 on. */
  readonly position: number
  readonly state: ReplicaState
  /** Bytes of the primary's log that the replica has not replayed, as of the last look; null unless used. */
  readonly lagBytes: number | null
}

/** A change of a replica's state. */
export interface ReplicaChange extends Pick<ReplicaStatus, 'position' | 'state'> {
  /** Reason of a replica that is not used. Never a part of its URL. */
  readonly reason: string | undefined
}

/**
 * Where a search ran, and why. `primary`: there is no usable replica. `primary_busy`: all replicas are busy. `primary_behind`: the replica
 * had another state of the entity. `primary_failed`: the look at the primary before, or the replica, did not finish.
 */
export const searchRoutes = ['replica', 'primary', 'primary_busy', 'primary_behind', 'primary_failed'] as const

/** Where a search ran, and why. */
export type SearchRoute = (typeof searchRoutes)[number]

/** Intervals and limits of replicas in milliseconds. */
export interface ReplicaRules {
  /** Between two looks at a replica that is used. */
  readonly checkMs: number
  /** Until the first look at a replica that is not used; doubles with each look, up to `longestRetryMs`. */
  readonly retryMs: number
  readonly longestRetryMs: number
  /** Timeout of connecting, of a look, and of the first statement of a search. */
  readonly answerMs: number
}

/** The usual rules. */
export const replicaRules: ReplicaRules = { checkMs: 5_000, retryMs: 500, longestRetryMs: 30_000, answerMs: 1_000 }
