/** The stored state of one budget that several nodes share, and its text. Times are milliseconds of the database's clock. */
import { isObject } from 'ferrule/internal'
import type { LedgerState } from './ledger.ts'

/** The node that alone sends calls for now. It counts them itself, and reports them with its next look. */
export interface Ownership {
  readonly node: string
  readonly until: number
  /** Maximum number of calls until the next look. If the node does not come back, all of them count. */
  readonly quota: number
}

/** Calls that a node would like to send. */
export interface Demand {
  /** Calls that a client waits for. */
  readonly urgent: number
  /** Calls of syncs, which go behind. */
  readonly calm: number
  /** Turns that were planned for these calls. */
  readonly planned: number
  /** Turns that the node got so far, for fairness. */
  readonly served: number
  /** Time of the node's last look. */
  readonly at: number
}

/** A planned turn of a node. */
export interface Slot {
  readonly id: number
  readonly at: number
  readonly node: string
}

/** The state of one budget. */
export interface BudgetState {
  readonly ledger: LedgerState
  readonly owner: Ownership | null
  readonly demands: Readonly<Record<string, Demand>>
  readonly slots: readonly Slot[]
  readonly lastSlot: number
  /** End of a wait that the vendor asked for; null once it accepted a call. Until then one node alone sends. */
  readonly hold: number | null
}

/** The state of a budget that nobody used yet. */
export const emptyState: BudgetState = { ledger: {}, owner: null, demands: {}, slots: [], lastSlot: 0, hold: null }

/** Version of the text. Nodes of another version start an empty state instead of misreading this one. */
const textVersion = 1

/** Writes a state as text. */
export const writeState = (state: BudgetState): string => JSON.stringify({ version: textVersion, ...state })

/** Reads the text of a state. A text of another version is an empty state. */
export function readState(text: string | undefined): BudgetState {
  if (text === undefined) return emptyState
  const value: unknown = JSON.parse(text)
  return isState(value) ? value : emptyState
}

/** Only this service writes the text, so its version says what it holds. */
const isState = (value: unknown): value is BudgetState => isObject(value) && value['version'] === textVersion
