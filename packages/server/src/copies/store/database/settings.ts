/** Settings of the context database. */
import type { Secret } from 'ferrule/engine'
import type { PasswordSource } from '../../../db/connections/passwords.ts'

/** Whether Citus distributes the tables. `auto`: where an empty database has it. */
export type Distribution = 'auto' | 'citus' | 'none'

/** Location and limits of the copy, read from the settings of the process. */
export type ContextStoreSettings = {
  /** Maximum number of searches, and of writes, that wait on this node. */
  readonly waiting: number
  /** Timeout of a search in seconds. */
  readonly searchSeconds: number
  /** Maximum number of automatic indexes across all connectors; 0 disables them. Default: 64. */
  readonly indexes?: number
} & (
  | {
      readonly engine: 'embedded'
      /** Folder for the store alone. */
      readonly folder: string
      /** Megabytes of the database's buffers. */
      readonly memoryMb: number
    }
  | {
      readonly engine: 'postgres'
      readonly url: Secret<string>
      /** Source of the password where a URL has none. */
      readonly password?: PasswordSource | undefined
      /** Read replicas of the database, for searches. Default: none. */
      readonly replicas?: readonly Secret<string>[]
      /** Whether Citus distributes the tables. Default: `auto`. */
      readonly distribution?: Distribution
      /** Connections of this node for searches. */
      readonly searches: number
      /** Connections of this node for writes. */
      readonly writers: number
    }
)
