/** Reference to an entity of a connector. */
export interface EntityRef {
  /** UUID of the connector. */
  readonly connector: string
  readonly kind: string
  readonly entity: string
}

/** Formats a reference as a key of a map. */
export const formatRef = ({ connector, kind, entity }: EntityRef): string => `${connector} ${kind} ${entity}`
