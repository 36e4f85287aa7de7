/** Indexes that are made on demand: what is seen of them, and what bounds them. */

/** `failed`: it could not be made; it is tried again after a pause, a few times. */
export type IndexState = 'building' | 'ready' | 'failed'

/** An index that was made on demand, or is to be. Moments are milliseconds since 1970. */
export interface IndexRecord {
  /** The searchable field that it is over. */
  readonly field: string
  readonly state: IndexState
  /** When it was ready; until then: when its making began. */
  readonly createdAt: number
  /** When searches were seen to use it last, to about ten minutes; null: never. */
  readonly usedAt: number | null
  readonly bytes: number
  /** Why it could not be made: a code of the table of errors, or PostgreSQL's SQLSTATE. */
  readonly error: string | null
}

/** When an index is made, and how many may be there. */
export interface IndexRules {
  /** Milliseconds of the database's time from which a search is slow. */
  readonly slowMs: number
  /** Records of an entity of a connector below which everything is read fast enough. */
  readonly leastRecords: number
  /** Indexes of one entity of one connector. */
  readonly mostOfEntity: number
  /** Indexes in the whole database; 0 makes none. */
  readonly mostInAll: number
}

/**
 * The rules of a service. 5,000 records are read in 10 ms without an index and 1,000,000 in 200 ms and more. Each index makes writes of
 * the connector about a tenth slower, and those of others in its partition a little; a million records take 30 to 60 MB.
 */
export const indexRules: IndexRules = { slowMs: 200, leastRecords: 100_000, mostOfEntity: 3, mostInAll: 64 }

/** Something happened to an index; for logs. */
export interface IndexChange {
  readonly kind: string
  readonly entity: string
  readonly field: string
  readonly change: 'ready' | 'failed'
  /** Why it failed: a code of the table of errors, or PostgreSQL's SQLSTATE. */
  readonly error?: string
}
