import { warehouses } from './sessions.ts'
import { snowflakeCredentials } from './tokens.ts'
import { databases, rowCounts } from './world.ts'

/** What is worth knowing about the account. */
export interface SnowflakeWorldFacts {
  readonly account: string
  readonly database: string
  readonly warehouse: string
  readonly role: string
  /** Schema with empty tables to write in. */
  readonly scratchSchema: string
  readonly warehouses: readonly string[]
  /** Schemas by database. */
  readonly schemas: Readonly<Record<string, readonly string[]>>
  /** Rows at the start, by the full name of a table. */
  readonly rowCounts: Readonly<Record<string, number>>
  readonly views: readonly string[]
}

/** The facts about the account, as of the start. */
export function factsOf(): SnowflakeWorldFacts {
  const { account, database, warehouse, role } = snowflakeCredentials
  return {
    account,
    database,
    warehouse,
    role,
    scratchSchema: 'SCRATCH',
    warehouses,
    schemas: databases,
    rowCounts,
    views: ['SANDBOX.PUBLIC.ORDER_TOTALS', 'SANDBOX.SALES."Large Orders"'],
  }
}
