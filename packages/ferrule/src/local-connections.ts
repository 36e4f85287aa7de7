/**
 * What stands behind a connector of this process. Code that is given a connector finds it here without loading the engine: who made the
 * connector has loaded it.
 */
import type { KindDocument } from './document/kind-document.ts'

/** A connector of this process, without types. */
export interface LocalConnection {
  /** Describes the kind. */
  readKind(): KindDocument
  /** Runs an operation. @throws FerruleError */
  execute(call: LocalCall): Promise<unknown>
}

/** One call. */
export interface LocalCall {
  readonly entity: string
  readonly action: string
  readonly params: Readonly<Record<string, unknown>>
  readonly signal?: AbortSignal | undefined
  readonly deadlineMs?: number | undefined
  /** Stands for a write that must happen once: the vendor's request id is derived from it where the vendor has one. */
  readonly idempotencyKey?: string | undefined
}

const connections = new WeakMap<object, LocalConnection>()

/** Notes what stands behind a connector. */
export function noteLocalConnection(connector: object, connection: LocalConnection): void {
  connections.set(connector, connection)
}

/** Finds what stands behind a connector of this process; undefined for any other value. */
export const findLocalConnection = (value: object): LocalConnection | undefined => connections.get(value)
