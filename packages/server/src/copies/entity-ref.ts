import type { Connection } from 'ferrule/engine'
import type { ConnectorAccess, OwnKind } from '../values/access.ts'

/** Returns the reference to an entity of an opened connector. */
export const toEntityRef = (
  {
    ref,
    connection,
    own,
  }: Pick<ConnectorAccess, 'own'> & { readonly ref: { readonly connectorId: string }; readonly connection: Pick<Connection, 'kind'> },
  entity: string,
): EntityRef => ({
  connector: ref.connectorId,
  kind: connection.kind.definition.kind,
  entity,
  own,
})

/** Reference to an entity of a connector. */
export interface EntityRef {
  /** UUID of the connector. */
  readonly connector: string
  readonly kind: string
  readonly entity: string
  /** The kind, where an organization brought it. The store finds the entity in it, and never by the slug. */
  readonly own?: OwnKind | undefined
}

/** Formats a reference as a key of a map. */
export const formatRef = ({ connector, kind, entity }: EntityRef): string => `${connector} ${kind} ${entity}`

/** Names an entity: by the slug of a kind that the process knows, or within an own kind. */
export type EntityName = Pick<EntityRef, 'kind' | 'entity' | 'own'>
