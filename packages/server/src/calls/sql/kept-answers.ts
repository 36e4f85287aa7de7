/** Queries kept answers of agents. */
import { type Selectable, sql } from 'kysely'
import type { Db } from '../../db/database.ts'
import type { KeptAnswerTable } from '../../db/schema/schema.ts'

type Row = Selectable<KeptAnswerTable>

/** How much an organization keeps. */
export interface KeptBounds {
  readonly mostAnswers: number
  readonly mostBytes: number
}

/** Inserts an answer, and deletes the oldest ones of the organization beyond the bounds. */
export async function insertKeptAnswer(db: Db, row: Row, { mostAnswers, mostBytes }: KeptBounds): Promise<void> {
  await db.insertInto('kept_answers').values(row).execute()
  await sql`
    delete from kept_answers where organization_id = ${row.organization_id} and digest in (
      select digest from (
        select digest, row_number() over newest as answers, sum(length(sealed)) over newest as bytes
        from kept_answers where organization_id = ${row.organization_id}
        window newest as (order by expires_at desc, digest rows unbounded preceding)
      ) as counted where answers > ${mostAnswers} or bytes > ${mostBytes}
    )`.execute(db)
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
