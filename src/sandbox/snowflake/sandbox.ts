import type { RecordedRequest } from '../exchange.ts'
import type { SwitchControl } from '../switches.ts'
import type { ExecutedStatement } from './executed.ts'
import type { SnowflakeWorldFacts } from './facts.ts'
import type { Hold, HoldOptions } from './holds.ts'
import type { RunningSnowflake } from './snowflake.ts'
import type { SnowflakeSwitches } from './switches.ts'

/** What can be asked of, and done to, the stand-in of Snowflake. It needs the package @duckdb/node-api as soon as a statement runs. */
export interface SnowflakeSandbox {
  /** The newest 1,000 requests, oldest first. */
  requests(): readonly RecordedRequest[]
  /** The newest 10,000 statements that really ran, oldest first: parts of a chain and of several statements one by one. */
  executed(): readonly ExecutedStatement[]
  /** Forgets the recorded requests and what ran. */
  clear(): void
  /** Faults, holds, switches, keys, statements, rows and recorded requests as they were at the start. What runs is ended. */
  reset(): void
  /** Makes statements stand still until the release, so that nothing has to be waited for. */
  hold(options?: HoldOptions): Hold
  /**
   * Registers a public key of SANDBOX_USER; the newest two count.
   *
   * @param pem - SubjectPublicKeyInfo
   * @returns its fingerprint, as it belongs into `iss`
   * @throws Error when it is no public RSA key
   */
  registerPublicKey(pem: string): string
  /**
   * Opens the engine and builds the rows, which the first statement does otherwise.
   *
   * @throws Error when the package of the engine is not installed
   */
  open(): Promise<void>
  /**
   * Counts rows beside the API: no credentials, no holds, no record.
   *
   * @param table - for example `SCRATCH.EVENTS`; without database and schema it is one of SANDBOX.PUBLIC
   * @param where - a condition in the vendor's SQL
   * @throws Error when it cannot be asked
   */
  rowCount(table: string, where?: string): Promise<number>
  /**
   * Runs one statement beside the API, in SANDBOX.PUBLIC.
   *
   * @param statement - in the vendor's SQL
   * @returns cells as the engine writes them
   * @throws Error when it cannot be run
   */
  query(statement: string): Promise<readonly (readonly (string | null)[])[]>
  readonly switches: SwitchControl<SnowflakeSwitches>
  /** Names worth knowing, as of the start. */
  readonly world: SnowflakeWorldFacts
}

/** The side of a running stand-in that its users see. */
export function snowflakeSandbox(snowflake: RunningSnowflake): SnowflakeSandbox {
  const { executed, clear, reset, hold, registerPublicKey, open, query, switches, facts } = snowflake
  return {
    requests: () => snowflake.journal.list(),
    async rowCount(table, where) {
      const [row] = await query(`SELECT COUNT(*) FROM ${table}${where === undefined ? '' : ` WHERE ${where}`}`)
      return Number(row?.[0])
    },
    ...{ executed, clear, reset, hold, registerPublicKey, open, query, switches, world: facts },
  }
}
