/** Reference to an entity of a connector. */
export interface EntityRef {
  /** UUID of the connector. */
  readonly connector: string
  readonly kind: string
  readonly entity: string
}
