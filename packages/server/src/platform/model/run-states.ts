/** Defines the states of a run and their transitions, the causes of runs, and the order of the queue. */

/** All transitions. A run that returns to `queued` keeps its position and its progress. */
export const runMoves = {
  queued: ['running', 'cancelled'],
  running: ['queued', 'succeeded', 'partial', 'failed', 'cancelled'],
  succeeded: [],
  partial: [],
  failed: [],
  cancelled: [],
} as const

/** State of a run; `partial` when some entities were not updated, or not completely. */
export type RunState = keyof typeof runMoves

/** Scope of a run: changes since the last run, or everything. */
export const runModes = ['incremental', 'full'] as const
/** Mode of a run. */
export type RunMode = (typeof runModes)[number]

/** All states. */
export const runStates = Object.keys(runMoves) as readonly RunState[] // the keys are the states

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
} as const

/** Cause of a run. */
export type RunCause = keyof typeof headStarts
/** All causes. */
export const runCauses = Object.keys(headStarts) as readonly RunCause[] // the keys are the causes
