/** Deletes rows that ended, some at once: the embedded database blocks the event loop. */
import { sql } from 'kysely'
import type { Db } from './database.ts'
import type { Tables } from './schema/schema.ts'

/** Rows that end. */
export interface EndingRows<T extends keyof Tables> {
  readonly table: T
  readonly key: readonly (keyof Tables[T] & string)[]
  /** Column with the time of the end. */
  readonly end: keyof Tables[T] & string
}

/** Deletes rows that ended at or before a timestamp, the oldest first; a row that got a later end meanwhile stays. @returns the number */
export async function deleteEnded<T extends keyof Tables>(
  db: Db,
  { table, key, end }: EndingRows<T>,
  { before, limit }: { readonly before: number; readonly limit: number },
): Promise<number> {
  const names = sql.join(key.map((name) => sql.ref(name)))
  const isEnded = sql`${sql.ref(end)} <= ${before}`
  const oldest = sql`select ${names} from ${sql.table(table)} where ${isEnded} order by ${sql.ref(end)} limit ${limit}`
  const { numAffectedRows = 0n } = await sql`delete from ${sql.table(table)} where ${isEnded} and (${names}) in (${oldest})`.execute(db)
  return Number(numAffectedRows)
}
