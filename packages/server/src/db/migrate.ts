/** Migrates the schema, or refuses a schema of a newer version. */
import { fail } from 'ferrule/internal'
import { sql } from 'kysely'
import { explainRights } from './connections/problems.ts'
import type { Database } from './database.ts'
import { initial } from './migrations/0001-initial.ts'
import type { ColumnTypes, Migration } from './migrations/migration.ts'

const migrations: readonly Migration[] = [initial]
const types: Readonly<Record<Database['dialect'], ColumnTypes>> = {
  sqlite: { id: 'text', text: 'text', bytes: 'blob', moment: 'integer', moments: 'text', flag: 'integer', end: ' strict' },
  postgres: { id: 'uuid', text: 'text', bytes: 'bytea', moment: 'bigint', moments: 'bigint[]', flag: 'boolean', end: '' },
}

/**
 * Runs the missing migrations in one exclusive transaction.
 * @throws FerruleError `setting_invalid` when a newer version wrote the schema, or the user may not change it
 */
export async function migrate(database: Database): Promise<void> {
  const known = migrations.at(-1)?.version ?? 0
  const work = database.exclusive(async (db) => {
    await sql.raw('create table if not exists schema_versions (version integer primary key, applied_at bigint not null)').execute(db)
    const { rows } = await sql<{ version: number | null }>`select max(version) as version from schema_versions`.execute(db)
    const found = rows[0]?.version ?? 0
    if (found > known) throw newer(database, found, known)
    for (const { version, statements } of migrations.filter((step) => step.version > found)) {
      for (const statement of statements(types[database.dialect])) await sql.raw(statement).execute(db)
      await sql`insert into schema_versions (version, applied_at) values (${version}, ${Date.now()})`.execute(db)
    }
  })
  await work.catch((thrown: unknown) => {
    const reason = explainRights(thrown)
    throw reason === undefined ? thrown : fail('setting_invalid', { name: nameSetting(database), reason }, { cause: thrown })
  })
}

const nameSetting = ({ dialect }: Database): string => (dialect === 'sqlite' ? 'FERRULE_DATA' : 'DATABASE_URL')

const newer = (database: Database, found: number, known: number) =>
  fail('setting_invalid', {
    name: nameSetting(database),
    reason: `the database has schema ${found} of a newer version of the service, and this one knows ${known}; start the newer version`,
  })
