/** The states of a run and the moves between them; why runs come into being, and in which order they are taken. */

/** All moves. A run that goes back to `queued` keeps its place and goes on where it stood. */
export const runMoves = {
  queued: ['running', 'cancelled'],
  running: ['queued', 'succeeded', 'partial', 'failed', 'cancelled'],
  succeeded: [],
  partial: [],
  failed: [],
  cancelled: [],
} as const

/** State of a run: `partial` means that some entities were brought up to date and others were not, or not wholly. */
export type RunState = keyof typeof runMoves

/** How much a run asks for: what changed since the last one, or everything. */
export const runModes = ['incremental', 'full'] as const
/** One of them. */
export type RunMode = (typeof runModes)[number]

const states = Object.keys(runMoves) as readonly RunState[] // the keys are the states

/** States from which a run may move to another one. */
export const originsOf = (to: RunState): readonly RunState[] => states.filter((from) => runMoves[from].some((move) => move === to))

/** Whether a run has come to its end. */
export const isFinished = (state: RunState): boolean => runMoves[state].length === 0

/**
 * Why a run came into being, and its head start in the queue in milliseconds: somebody waits for what was asked for, and nobody for
 * what is due. A head start, not a rank: what has waited for longer than that goes first all the same.
 */
export const headStarts = {
  /** A caller asked for it. */
  demand: 600_000,
  /** A search asked for a younger copy. */
  search: 600_000,
  /** The first one of a connector. */
  created: 300_000,
  /** Credentials, configuration, entities or the workspace changed. */
  changed: 300_000,
  /** Its time has come. */
  schedule: 0,
} as const

/** Why a run came into being. */
export type RunCause = keyof typeof headStarts
