/** Automatic indexes: what is reported of them, and their limits. */

/** `failed`: creation failed; it is retried a few times, with pauses. */
export type IndexState = 'building' | 'ready' | 'failed'

/** An automatic index. Timestamps are milliseconds since 1970. */
export interface IndexRecord {
  /** The searchable field with the index. */
  readonly field: string
  readonly state: IndexState
  /** When the index was ready; until then, when its creation began. */
  readonly createdAt: number
  /** Last use by searches, to about ten minutes; null: never used. */
  readonly usedAt: number | null
  readonly bytes: number
  /** Reason of a failure: a code of the error table, or PostgreSQL's SQLSTATE. */
  readonly error: string | null
}

/** When to create an index, and how many. */
export interface IndexRules {
  /** Time of the database from which a search is slow, in milliseconds. */
  readonly slowMs: number
  /** Time of the database from which the rows that a search reads are worth counting, in milliseconds. */
  readonly suspectMs: number
  /** Number of rows from which a search reads too many, in all and for each returned one. It needs an index when it reaches both. */
  readonly mostRowsRead: number
  readonly mostRowsReadPerReturned: number
  /** Minimum number of records of an entity of a connector; fewer are read fast enough. */
  readonly leastRecords: number
  /** Maximum number of indexes of one entity of one connector. */
  readonly mostOfEntity: number
  /** Maximum number of indexes of an organization, over all kinds that it brought. */
  readonly mostOfOrganization: number
  /** Maximum number of indexes in the database; 0 disables them. */
  readonly mostInAll: number
}

/**
 * Default rules. Without an index, reading 5,000 records takes 10 ms, and 1,000,000 records 200 ms or more. Each index slows writes of its
 * connector by about a tenth, and others in its partition a little. A million records take 30 to 60 MB. Reading 50,000 rows takes longer
 * than 5 ms on any machine.
 */
export const indexRules: IndexRules = {
  slowMs: 200,
  suspectMs: 5,
  mostRowsRead: 50_000,
  mostRowsReadPerReturned: 100,
  leastRecords: 100_000,
  mostOfEntity: 3,
  mostOfOrganization: 8,
  mostInAll: 64,
}

/** A change of an index, for logs. */
export interface IndexChange {
  readonly kind: string
  readonly entity: string
  readonly field: string
  readonly change: 'ready' | 'failed'
  /** Reason of a failure: a code of the error table, or PostgreSQL's SQLSTATE. */
  readonly error?: string
}
