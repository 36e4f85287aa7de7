/** Queries kept answers of agents. */
import type { Selectable } from 'kysely'
import type { Db } from '../database.ts'
import type { KeptAnswerTable } from '../outcome-schema.ts'

type Row = Selectable<KeptAnswerTable>

/** Inserts an answer, and deletes the oldest ones of the organization beyond `most`. */
export async function insertKeptAnswer(db: Db, row: Row, most: number): Promise<void> {
  await db.insertInto('kept_answers').values(row).execute()
  await db
    .deleteFrom('kept_answers')
    .where('organization_id', '=', row.organization_id)
    .where(({ eb, selectFrom }) => {
      const own = selectFrom('kept_answers as own').select('own.digest').where('own.organization_id', '=', row.organization_id)
      return eb('digest', 'not in', own.orderBy('own.expires_at', 'desc').orderBy('own.digest').limit(most))
    })
    .execute()
}

/** Finds an answer that has not expired at `now`. */
export const findKeptAnswer = async (
  db: Db,
  { organization_id, digest }: Pick<Row, 'organization_id' | 'digest'>,
  now: number,
): Promise<Uint8Array | undefined> => {
  const rows = db.selectFrom('kept_answers').select('sealed').where('organization_id', '=', organization_id)
  return (await rows.where('digest', '=', digest).where('expires_at', '>', now).executeTakeFirst())?.sealed
}

/** Deletes answers that expired at `now`. */
export const deleteEndedAnswers = async (db: Db, now: number): Promise<void> => {
  await db.deleteFrom('kept_answers').where('expires_at', '<=', now).execute()
}
