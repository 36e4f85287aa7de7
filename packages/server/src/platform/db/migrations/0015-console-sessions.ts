/** Adds sessions of the console. */
import type { Migration } from './migration.ts'

/** Adds the table. A session ends with its application; a replaced secret leaves rows that no longer count. */
export const consoleSessions: Migration = {
  version: 15,
  statements: ({ id, text, moment, end }) => [
    `create table console_sessions (
      digest ${text} primary key,
      application_id ${id} not null references applications (id) on delete cascade,
      secret_mark ${text} not null,
      created_at ${moment} not null,
      last_used_at ${moment} not null
    )${end}`,
    'create index console_sessions_of_application on console_sessions (application_id, created_at)',
    'create index console_sessions_by_use on console_sessions (last_used_at)',
  ],
}
