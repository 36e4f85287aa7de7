/**
 * Queries counts of calls over time. As text, and not declared in `Tables`: sums and additions over all bins would cost the compiler 9,000
 * type instantiations.
 */
import { sql } from 'kysely'
import type { Db } from '../../db/database.ts'
import { type UsageBin, type UsageCount, usageBins } from '../../db/schema/usage-schema.ts'

/** Rows of a statement. */
const batch = 200

const key = ['organization_id', 'scope_id', 'step', 'time', 'code'] as const
const columns = [...key, ...usageBins]
const table = sql.table('usage_counts')
const listNames = (names: readonly string[]) => sql.join(names.map((name) => sql.ref(name)))

/**
 * Adds counts to the stored ones.
 * @param rows in the order of their keys, so that nodes cannot block each other; at most one row for each key
 */
export async function addUsage(db: Db, rows: readonly UsageCount[]): Promise<void> {
  const sums = sql.join(usageBins.map((bin) => sql`${sql.ref(bin)} = ${sql.ref(`usage_counts.${bin}`)} + ${sql.ref(`excluded.${bin}`)}`))
  for (let index = 0; index < rows.length; index += batch) {
    const values = rows.slice(index, index + batch).map((row) => sql`(${sql.join(columns.map((column) => row[column]))})`)
    await sql`insert into ${table} (${listNames(columns)}) values ${sql.join(values)}
      on conflict (${listNames(key)}) do update set ${sums}`.execute(db)
  }
}

/** Which counts are read. Times are milliseconds since 1970. */
export interface UsageRange {
  readonly organizationId: string
  /** Ids that the caller was allowed to see. */
  readonly scopeIds: readonly string[]
  readonly step: number
  readonly from: number
  /** Not included. */
  readonly to: number
}

/** Calls of a bucket that ended with one code. */
export type UsageSum = Pick<UsageCount, 'time' | 'code' | UsageBin>

/** Sums the counts of some scopes of one organization, by bucket and code. */
export async function sumUsage(db: Db, { organizationId, scopeIds, step, from, to }: UsageRange): Promise<UsageSum[]> {
  const sums = sql.join(usageBins.map((bin) => sql`cast(sum(${sql.ref(bin)}) as bigint) as ${sql.ref(bin)}`))
  const { rows } = await sql<UsageSum>`select time, code, ${sums} from ${table}
    where organization_id = ${organizationId} and scope_id in (${sql.join(scopeIds)}) and step = ${step} and time >= ${from} and time < ${to}
    group by time, code`.execute(db)
  return rows
}

/** Deletes the oldest buckets of a length, if they began before a timestamp. @returns whether any was deleted */
export async function deleteOldestUsage(db: Db, step: number, before: number): Promise<boolean> {
  const oldest = sql`select min(time) from ${table} where step = ${step} and time < ${before}`
  const { numAffectedRows = 0n } = await sql`delete from ${table} where step = ${step} and time = (${oldest})`.execute(db)
  return numAffectedRows > 0n
}
