/** Statements over facts of the installation. */
import type { Db } from './database.ts'

/** Names of the facts. */
export type StateName = 'first_application' | 'first_organization' | 'data_key_rotation'

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

/** Removes a fact. */
export const dropState = async (db: Db, name: StateName): Promise<void> => {
  await db.deleteFrom('state').where('name', '=', name).execute()
}
