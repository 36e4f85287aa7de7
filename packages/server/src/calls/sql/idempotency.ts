/** Queries stored answers: of calls under an Idempotency-Key, and those that agents read on. */
import { type ExpressionBuilder, type Selectable, sql } from 'kysely'
import type { Db } from '../../db/database.ts'
import { deleteEnded } from '../../db/delete-ended.ts'
import type { IdempotencyKeyTable, KeptAnswerTable, Tables } from '../../db/schema/schema.ts'

/** A key with its outcome. */
export type KeyRow = Selectable<IdempotencyKeyTable>
/** Identifies a key. */
export type KeyId = Pick<KeyRow, 'organization_id' | 'connector_id' | 'key_digest'>
/** One attempt under a key. */
export type Attempt = KeyId & Pick<KeyRow, 'owner'>

const idColumns = ['organization_id', 'connector_id', 'key_digest'] as const
const stored = (row: KeyRow) => ({ ...row, claimed: Boolean(row.claimed) })

/** Inserts a key unless it exists. @returns whether it was inserted */
export async function insertKey(db: Db, row: KeyRow): Promise<boolean> {
  const done = await db
    .insertInto('idempotency_keys')
    .values(stored(row))
    .onConflict((conflict) => conflict.columns(idColumns).doNothing())
    .executeTakeFirst()
  return (done.numInsertedOrUpdatedRows ?? 0n) > 0n
}

const isKey =
  ({ organization_id, connector_id, key_digest }: KeyId) =>
  ({ and }: ExpressionBuilder<Tables, 'idempotency_keys'>) =>
    and({ organization_id, connector_id, key_digest })

/** Finds a key. */
export const findKey = (db: Db, id: KeyId): Promise<KeyRow | undefined> =>
  db.selectFrom('idempotency_keys').selectAll().where(isKey(id)).executeTakeFirst()

const ofKey = (db: Db, id: KeyId) => db.updateTable('idempotency_keys').where(isKey(id))

/** Selects the key while the attempt runs. */
const ofAttempt = (db: Db, attempt: Attempt) => ofKey(db, attempt).where('owner', '=', attempt.owner).where('status', 'is', null)

/** Gives a key to a new attempt, unless it changed since `seen` was read. @returns whether it was given */
export async function takeOver(db: Db, seen: KeyRow, next: KeyRow): Promise<boolean> {
  const same = ofKey(db, seen).set(stored(next)).where('owner', '=', seen.owner).where('expires_at', '=', seen.expires_at)
  const done = await same.where('status', seen.status === null ? 'is' : 'is not', null).executeTakeFirst()
  return done.numUpdatedRows > 0n
}

/** Stores that the attempt claimed a vendor request id. @returns false when another attempt owns the key */
export const setClaimed = async (db: Db, attempt: Attempt): Promise<boolean> =>
  (await ofAttempt(db, attempt).set({ claimed: true }).executeTakeFirst()).numUpdatedRows > 0n

/** Outcome of an attempt. */
export type Settled = Pick<KeyRow, 'status' | 'code' | 'data_key_id' | 'sealed' | 'expires_at'>

/** Stores the outcome of an attempt; does nothing when another attempt owns the key. */
export const settleKey = async (db: Db, attempt: Attempt, settled: Settled): Promise<void> => {
  await ofAttempt(db, attempt).set(settled).execute()
}

/** Deletes the key of an attempt that wrote nothing. */
export const releaseKey = async (db: Db, attempt: Attempt): Promise<void> => {
  const own = db.deleteFrom('idempotency_keys').where(isKey(attempt)).where('owner', '=', attempt.owner)
  await own.where('status', 'is', null).execute()
}

/** Deletes keys that expired at `now`, except keys that a new attempt took over. @returns the number */
export const deleteEndedKeys = (db: Db, before: number): Promise<number> =>
  deleteEnded(db, { table: 'idempotency_keys', key: idColumns, end: 'expires_at' }, before)

/** Finds the current data key of a workspace, deleted or not. */
export const findCurrentDataKey = async (db: Db, { organizationId, workspaceId }: { organizationId: string; workspaceId: string }) => {
  const rows = db.selectFrom('workspaces').select('data_key_id').where('id', '=', workspaceId)
  return (await rows.where('organization_id', '=', organizationId).executeTakeFirst())?.data_key_id
}

/** Lists outcomes of a workspace that are not encrypted with its current key. */
export const listStaleOutcomes = (db: Db, workspaceId: string, limit: number) =>
  db
    .selectFrom('idempotency_keys')
    .innerJoin('connectors', 'connectors.id', 'idempotency_keys.connector_id')
    .innerJoin('workspaces', 'workspaces.id', 'connectors.workspace_id')
    .selectAll('idempotency_keys')
    .select(['connectors.workspace_id', 'workspaces.data_key_id as current_key_id'])
    .where('connectors.workspace_id', '=', workspaceId)
    .whereRef('idempotency_keys.data_key_id', '<>', 'workspaces.data_key_id')
    .limit(limit)
    .execute()

/** Replaces or deletes the encrypted body of an outcome, unless it changed in the meantime. */
export const replaceOutcome = async (db: Db, row: KeyRow, next: Pick<KeyRow, 'data_key_id' | 'sealed'>): Promise<void> => {
  await ofKey(db, row).set(next).where('owner', '=', row.owner).where('data_key_id', '=', row.data_key_id).execute()
}

type KeptAnswerRow = Selectable<KeptAnswerTable>

interface KeptBounds {
  readonly mostAnswers: number
  readonly mostBytes: number
}

/** Inserts an answer, and deletes the oldest ones of the organization beyond the bounds. */
export async function insertKeptAnswer(db: Db, row: KeptAnswerRow, { mostAnswers, mostBytes }: KeptBounds): Promise<void> {
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
  { organization_id, digest }: Pick<KeptAnswerRow, 'organization_id' | 'digest'>,
  now: number,
): Promise<Uint8Array | undefined> => {
  const rows = db.selectFrom('kept_answers').select('sealed').where('organization_id', '=', organization_id)
  return (await rows.where('digest', '=', digest).where('expires_at', '>', now).executeTakeFirst())?.sealed
}

/** Deletes answers that expired at `now`. */
export const deleteEndedAnswers = async (db: Db, now: number): Promise<void> => {
  await db.deleteFrom('kept_answers').where('expires_at', '<=', now).execute()
}
