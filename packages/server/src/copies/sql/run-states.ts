/** Defines the transitions between the states of a run, and the order of the queue. */
import { type RunCause, type RunState, runStates } from 'ferrule/wire'

/** All transitions. A run that returns to `queued` keeps its position and its progress. */
export const runMoves = {
  queued: ['running', 'partial', 'failed', 'cancelled'],
  running: ['queued', 'succeeded', 'partial', 'failed', 'cancelled'],
  succeeded: [],
  partial: [],
  failed: [],
  cancelled: [],
} as const satisfies Readonly<Record<RunState, readonly RunState[]>>

/** Returns the states from which a run can reach a state. */
export const findOrigins = (to: RunState): readonly RunState[] => runStates.filter((from) => runMoves[from].some((move) => move === to))

/** Returns whether a run has ended. */
export const isFinished = (state: RunState): boolean => runMoves[state].length === 0

/**
 * Causes of runs, with their head start in the queue in milliseconds. Requested runs start earlier than scheduled ones, because somebody
 * waits for them. A head start is no rank: a run that has waited longer than that still goes first.
 */
export const headStarts = {
  /** A client requested the run. */
  demand: 600_000,
  /** A search needs a younger copy. */
  search: 600_000,
  /** First run of a connector. */
  created: 300_000,
  /** Credentials, configuration, entities or the workspace changed. */
  changed: 300_000,
  /** A schedule was due. */
  schedule: 0,
} as const satisfies Readonly<Record<RunCause, number>>
