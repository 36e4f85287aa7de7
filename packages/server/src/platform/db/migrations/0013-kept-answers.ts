/** Adds kept answers of agents. */
import type { Migration } from './migration.ts'

/** Adds the table of what a write or a statement answered, so that any node continues it. Its rows live for minutes. */
export const keptAnswers: Migration = {
  version: 13,
  statements: ({ id, text, bytes, moment, end }) => [
    `create table kept_answers (
      organization_id ${id} not null references organizations (id) on delete cascade,
      digest ${text} not null,
      sealed ${bytes} not null,
      expires_at ${moment} not null,
      primary key (organization_id, digest)
    )${end}`,
    'create index kept_answers_of_organization on kept_answers (organization_id, expires_at)',
    'create index kept_answers_by_end on kept_answers (expires_at)',
  ],
}
