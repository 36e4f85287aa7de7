/** Deletes rows that ended. */
import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
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

/** Rows per statement. */
const batch = 100

/** Deletes in batches until nothing is left. Yields between batches, because the embedded database blocks the event loop. */
export async function deleteInBatches(remove: (limit: number) => Promise<number>): Promise<number> {
  let removed = 0
  for (let last = batch; last === batch; removed += last) {
    last = await remove(batch)
    await yieldToEventLoop()
  }
  return removed
}

/** Deletes rows that ended at or before a timestamp, the oldest first; a row that got a later end meanwhile stays. @returns the number */
export function deleteEnded<T extends keyof Tables>(db: Db, { table, key, end }: EndingRows<T>, before: number): Promise<number> {
  const names = sql.join(key.map((name) => sql.ref(name)))
  const isEnded = sql`${sql.ref(end)} <= ${before}`
  return deleteInBatches(async (limit) => {
    const oldest = sql`select ${names} from ${sql.table(table)} where ${isEnded} order by ${sql.ref(end)} limit ${limit}`
    const { numAffectedRows = 0n } = await sql`delete from ${sql.table(table)} where ${isEnded} and (${names}) in (${oldest})`.execute(db)
    return Number(numAffectedRows)
  })
}
