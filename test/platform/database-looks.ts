/** Looks into the database of a world. */
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import type { Database } from '../../packages/server/src/db/database.ts'
import type { World } from './world.ts'

/** Resolves when a statement waits for a lock. */
export async function untilOneWaits({ db }: Database): Promise<void> {
  const waiting = sql`select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
  while ((await waiting.execute(db)).rows.length === 0) await new Promise((resolve) => setImmediate(resolve))
}

/** Everything that an installation has stored, as text. */
export async function dumpDatabase(world: World): Promise<string> {
  if (world.database === 'sqlite') {
    const files = readdirSync(world.folder).map((name) => join(world.folder, name))
    return files.flatMap((file) => (statSync(file).isFile() ? [readFileSync(file, 'latin1')] : [])).join('\n')
  }
  const { db } = world.raw()
  const tables = await sql<{
    name: string
  }>`select table_name as name from information_schema.tables where table_schema = 'public'`.execute(db)
  const dumps: string[] = []
  for (const { name } of tables.rows) {
    const { rows } = await sql<{ row: string }>`select t::text as row from ${sql.table(name)} t`.execute(db)
    dumps.push(...rows.map(({ row }) => row))
  }
  return dumps.join('\n')
}
