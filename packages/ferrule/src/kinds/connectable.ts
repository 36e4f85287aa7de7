/** A kind as a value that `connect` takes. */
import type { ConnectorDefinition, Kind } from '../definition/connector.ts'
import { type ConnectOptions, connectLocally } from '../engine/local.ts'
import type { LocalConnector } from '../engine/types.ts'

/** A kind with its way to the vendor. */
export interface ConnectableKind<D extends ConnectorDefinition> {
  /** The kind as data: entities, actions, credentials and configuration. */
  readonly definition: D
  /**
   * Makes a connector that calls the vendor from this process. `connect` calls it when `credentials` are given.
   * @throws FerruleError `credentials_mismatch`, `validation_failed`
   */
  readonly connectLocally: (options: ConnectOptions<D>) => LocalConnector<D>
}

/** Joins a kind with the engine. */
export const makeConnectable = <D extends ConnectorDefinition>(kind: Kind<D>): ConnectableKind<D> => ({
  definition: kind.definition,
  connectLocally: (options) => connectLocally(kind, options),
})
