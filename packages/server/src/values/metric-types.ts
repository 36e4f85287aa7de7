/** Types of what the service counts. */
import type { ErrorCode } from 'ferrule'
import type { ToolReport } from 'ferrule/internal'
import type { DeliveryStatus, RunCause, RunMode, RunState } from 'ferrule/wire'

/** One finished call. */
export interface CallReport {
  readonly kind: string
  readonly entity: string
  readonly action: string
  readonly code: CallCode
}
/** Result of a call; `aborted` when the client disconnected first. */
export type CallCode = 'ok' | 'aborted' | ErrorCode

/** What became of the records of one live read. */
export interface FoldReport {
  readonly kind: string
  readonly entity: string
  /** `dropped`: the queue was full. */
  readonly outcome: 'folded' | 'dropped' | 'failed'
  readonly records: number
}

/** Result of an attempt of a run. */
export interface RunReport {
  readonly runId: string
  readonly connectorId: string
  readonly kind: string
  readonly mode: RunMode
  readonly cause: RunCause
  /** `queued`: the run resumes later. */
  readonly state: RunState
  readonly code: ErrorCode | 'ok'
  readonly attempts: number
}

/** One attempt to deliver a webhook. */
export interface DeliveryReport {
  /** What it leaves: `waiting` is tried again, `failed` is given up. */
  readonly outcome: DeliveryStatus
  readonly seconds: number
}

/** One event of a vendor, at the end of the work on it. */
export interface VendorEventReport {
  readonly outcome: VendorEventOutcome
  /** Time since its arrival. */
  readonly seconds: number
}
/** What became of events of vendors. */
export const vendorEventOutcomes = ['worked', 'given_up'] as const
/** What became of an event of a vendor. */
export type VendorEventOutcome = (typeof vendorEventOutcomes)[number]

/** One answered request. */
export interface RequestReport {
  /** Pattern of the route, or `unmatched`. */
  readonly route: string
  readonly method: string
  readonly status: number
  readonly seconds: number
}

/** The metrics of one server. */
export interface Metrics {
  request(report: RequestReport): void
  call(report: CallReport): void
  /** Counts a call of a tool over MCP. */
  tool(report: ToolReport): void
  syncCall(report: CallReport): void
  /** Counts an ended attempt of a sync. */
  sync(report: RunReport): void
  /** Counts the records of a live read. */
  fold(report: FoldReport): void
  /** Counts an attempt to deliver a webhook. */
  delivery(report: DeliveryReport): void
  /** Counts an event of a vendor that was worked on, or given up. */
  vendorEvent(report: VendorEventReport): void
  /** Adds a gauge that is read at each scrape. */
  gauge(gauge: GaugeOptions): void
  /** Adds counters, one for each value of a label, that are read at each scrape. */
  counters(counters: CounterOptions): void
  /** Returns the text for a scraper, with its media type. */
  text(): Promise<{ readonly content: string; readonly type: string }>
  /** Stops counting vendor requests. */
  close(): void
}

/** A gauge that is read at each scrape. */
export interface GaugeOptions {
  readonly name: string
  readonly help: string
  /** Label of several values; then `read` returns a number for each of them. */
  readonly label?: string
  readonly read: () => number | ReadonlyMap<string, number> | Promise<ReadonlyMap<string, number>>
}

/** Counters that are read at each scrape. */
export interface CounterOptions {
  readonly name: string
  readonly help: string
  readonly label: string
  /** Returns the counts since the start by the values of the label. */
  readonly read: () => ReadonlyMap<string, number>
}
