/** Queries facts of the installation. */
import { sql } from 'kysely'
import type { Db } from '../../db/database.ts'

/** Names of the facts. */
export type StateName = 'first_application' | 'first_organization' | 'data_key_rotation' | 'clock'

/** Reads a fact. */
export const readState = async (db: Db, name: StateName): Promise<string | undefined> =>
  (await db.selectFrom('state').select('value').where('name', '=', name).executeTakeFirst())?.value

/** Inserts a fact unless it exists. @returns the stored value */
export async function insertState(db: Db, name: StateName, value: string): Promise<string> {
  await db
    .insertInto('state')
    .values({ name, value })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute()
  return (await readState(db, name)) ?? value
}

/** Inserts or replaces a fact. */
export const writeState = async (db: Db, name: StateName, value: string): Promise<void> => {
  await db
    .insertInto('state')
    .values({ name, value })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
    .execute()
}

/** Reads the clock of PostgreSQL, in milliseconds since 1970. */
export async function databaseNow(db: Db): Promise<number> {
  const { rows } = await sql<{ now: string }>`select (extract(epoch from clock_timestamp()) * 1000)::text as now`.execute(db)
  return Number(rows[0]?.now)
}

/** Deletes a fact. */
export const deleteState = async (db: Db, name: StateName): Promise<void> => {
  await db.deleteFrom('state').where('name', '=', name).execute()
}
