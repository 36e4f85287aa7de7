/** Returns the reference to an entity of an opened connector. */
export const toEntityRef = (
  { ref, connection }: { readonly ref: { readonly connectorId: string }; readonly connection: Pick<Connection, 'kind'> },
  entity: string,
): EntityRef => ({
  connector: ref.connectorId,
  kind: connection.kind.definition.kind,
  entity,
})

import type { Connection } from 'ferrule/engine'

/** Reference to an entity of a connector. */
export interface EntityRef {
  /** UUID of the connector. */
  readonly connector: string
  readonly kind: string
  readonly entity: string
}

/** Formats a reference as a key of a map. */
export const formatRef = ({ connector, kind, entity }: EntityRef): string => `${connector} ${kind} ${entity}`
