/**
 * Queries the budgets of vendors. As text, and not declared in `Tables`: they are read and changed in groups, and each database has its own
 * statement for that.
 */
import { sql } from 'kysely'
import type { Database, Db } from '../../db/database.ts'

/** A stored budget. */
export interface BudgetRow {
  readonly key: string
  readonly version: number
  readonly state: string
}

/** A changed budget. `version` is the one that was read; 0 if there was no row. */
export interface ChangedBudget extends BudgetRow {
  /** Milliseconds since 1970. */
  readonly usedAt: number
}

const table = sql.table('vendor_budgets')

/** Reads budgets and the clock of PostgreSQL in one statement. */
export async function readSharedBudgets(
  db: Db,
  keys: readonly string[],
): Promise<{ readonly now: number; readonly rows: readonly BudgetRow[] }> {
  const { rows } = await sql<{ readonly [Name in keyof BudgetRow]: BudgetRow[Name] | null } & { readonly now: string }>`
    select (extract(epoch from clock_timestamp()) * 1000)::text as now, found.key, found.version, found.state
    from (select 1) as one left join ${table} as found on found.key in (${sql.join(keys)})`.execute(db)
  return {
    now: Number(rows[0]?.now),
    rows: rows.flatMap(({ key, version, state }) => (key === null || version === null || state === null ? [] : [{ key, version, state }])),
  }
}

/** Reads budgets. */
export async function readBudgets(db: Db, keys: readonly string[]): Promise<readonly BudgetRow[]> {
  const { rows } = await sql<BudgetRow>`select key, version, state from ${table} where key in (${sql.join(keys)})`.execute(db)
  return rows
}

/** Stores budgets whose version is unchanged. @returns their keys */
export async function storeBudgets(database: Database, changes: readonly ChangedBudget[]): Promise<ReadonlySet<string>> {
  const sorted = changes.toSorted((a, b) => (a.key < b.key ? -1 : 1)) // one order in all nodes, so that none blocks another
  const [added, changed] = [sorted.filter(({ version }) => version === 0), sorted.filter(({ version }) => version > 0)]
  const stored = new Set<string>()
  if (added.length > 0) for (const { key } of await insertBudgets(database.db, added)) stored.add(key)
  if (changed.length === 0) return stored
  const update = database.dialect === 'sqlite' ? updateOneByOne : updateTogether
  for (const { key } of await update(database, changed)) stored.add(key)
  return stored
}

type Keys = readonly { readonly key: string }[]

async function insertBudgets(db: Db, added: readonly ChangedBudget[]): Promise<Keys> {
  const values = added.map(({ key, state, usedAt }) => sql`(${key}, 1, ${state}, ${usedAt})`)
  const { rows } = await sql<{ readonly key: string }>`insert into ${table} (key, version, state, used_at) values ${sql.join(values)}
    on conflict (key) do nothing returning key`.execute(db)
  return rows
}

/** Skips rows that another node changes now: their version would not fit afterwards. */
async function updateTogether({ db }: Database, changed: readonly ChangedBudget[]): Promise<Keys> {
  const values = changed.map(
    ({ key, version, state, usedAt }) => sql`(${key}::text, ${version}::bigint, ${state}::text, ${usedAt}::bigint)`,
  )
  const { rows } = await sql<{ readonly key: string }>`with given (key, version, state, used_at) as (values ${sql.join(values)}),
    locked as materialized (select kept.key from ${table} as kept join given on given.key = kept.key and given.version = kept.version
      order by kept.key for update of kept skip locked)
    update ${table} as kept set state = given.state, version = given.version + 1, used_at = given.used_at
    from given join locked on locked.key = given.key where kept.key = given.key returning kept.key`.execute(db)
  return rows
}

const updateOneByOne = (database: Database, changed: readonly ChangedBudget[]): Promise<Keys> =>
  database.transaction(async (db) => {
    const keys: { key: string }[] = []
    for (const { key, version, state, usedAt } of changed) {
      const { numAffectedRows = 0n } = await sql`update ${table} set state = ${state}, version = ${version + 1}, used_at = ${usedAt}
        where key = ${key} and version = ${version}`.execute(db)
      if (numAffectedRows > 0n) keys.push({ key })
    }
    return keys
  })

/** Deletes budgets that nobody used since a time. @returns their number */
export async function deleteUnusedBudgets(db: Db, before: number): Promise<number> {
  const { numAffectedRows = 0n } = await sql`delete from ${table} where used_at < ${before}`.execute(db)
  return Number(numAffectedRows)
}
