/** Migrates the schema, or refuses a schema of a newer version. */

import { fail } from 'ferrule/internal'
import { sql } from 'kysely'
import { explainRights } from '../../postgres/rights.ts'
import type { Database } from './database.ts'
import { platform } from './migrations/0001-platform.ts'
import { notices } from './migrations/0002-notices.ts'
import { writes } from './migrations/0003-writes.ts'
import { syncs } from './migrations/0004-syncs.ts'
import { proofs } from './migrations/0005-proofs.ts'
import { verified } from './migrations/0006-verified.ts'
import { ownOrganizations } from './migrations/0007-own-organizations.ts'
import { nodes } from './migrations/0008-nodes.ts'
import { creations } from './migrations/0009-creations.ts'
import { sessions } from './migrations/0010-sessions.ts'
import { deletedOrganizations } from './migrations/0011-deleted-organizations.ts'
import { mcpTokens } from './migrations/0012-mcp-tokens.ts'
import { keptAnswers } from './migrations/0013-kept-answers.ts'
import { oauth } from './migrations/0014-oauth.ts'
import { consoleSessions } from './migrations/0015-console-sessions.ts'
import { connect } from './migrations/0016-connect.ts'
import { usage } from './migrations/0017-usage.ts'
import { consentEnds } from './migrations/0018-consent-ends.ts'
import { budgets } from './migrations/0019-budgets.ts'
import { asked } from './migrations/0020-asked.ts'
import { parked } from './migrations/0021-parked.ts'
import { lists } from './migrations/0022-lists.ts'
import { creationLeases } from './migrations/0023-creation-leases.ts'
import type { ColumnTypes, Migration } from './migrations/migration.ts'

const migrations: readonly Migration[] = [
  ...[platform, notices, writes, syncs, proofs, verified, ownOrganizations, nodes, creations, sessions],
  ...[deletedOrganizations, mcpTokens, keptAnswers, oauth, consoleSessions, connect, usage, consentEnds, budgets, asked],
  ...[parked, lists, creationLeases],
]
const types: Readonly<Record<Database['dialect'], ColumnTypes>> = {
  sqlite: { id: 'text', text: 'text', bytes: 'blob', moment: 'integer', flag: 'integer', end: ' strict' },
  postgres: { id: 'uuid', text: 'text', bytes: 'bytea', moment: 'bigint', flag: 'boolean', end: '' },
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
