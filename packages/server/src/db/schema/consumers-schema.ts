/** Declares the table of consumers of changes. */

/** Consumers of the changes of connectors. */
export interface ChangeConsumerTable {
  organization_id: string
  connector_id: string
  name: string
  /** JSON array of the entities that it reads; null for all. */
  entities: string | null
  /** JSON array with a position for each entity (`copies/changes/positions.ts`); null before it has a cursor. */
  positions: string | null
  created_at: number
  moved_at: number | null
}

/** The tables by name. */
export interface ConsumerTables {
  change_consumers: ChangeConsumerTable
}
