/** Statements over facts of the installation. */
import { sql } from 'kysely'
import type { Db } from './database.ts'

/** Names of the facts. */
export type StateName = 'first_application' | 'first_organization' | 'data_key_rotation' | 'clock'

/** The value of a fact. */
export const readState = async (db: Db, name: StateName): Promise<string | undefined> =>
  (await db.selectFrom('state').select('value').where('name', '=', name).executeTakeFirst())?.value

/** Writes a fact unless it is there already. @returns the value that holds */
export async function keepState(db: Db, name: StateName, value: string): Promise<string> {
  await db
    .insertInto('state')
    .values({ name, value })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute()
  return (await readState(db, name)) ?? value
}

/** Writes a fact over the one that is there. */
export const writeState = async (db: Db, name: StateName, value: string): Promise<void> => {
  await db
    .insertInto('state')
    .values({ name, value })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
    .execute()
}

/** The database's clock, in milliseconds since 1970. PostgreSQL only. */
export async function databaseNow(db: Db): Promise<number> {
  const { rows } = await sql<{ now: string }>`select (extract(epoch from clock_timestamp()) * 1000)::text as now`.execute(db)
  return Number(rows[0]?.now)
}

/** Removes a fact. */
export const dropState = async (db: Db, name: StateName): Promise<void> => {
  await db.deleteFrom('state').where('name', '=', name).execute()
}
