/** Creates the tables of kinds that organizations bring. */
import type { ColumnTypes } from './migration.ts'

/** A version never changes. Connectors name it in their column `kind`, so the service deletes no version that one runs. */
export const ownKinds = ({ id, text, bytes, moment, end }: ColumnTypes): readonly string[] => [
  `create table own_kinds (
    id ${id} primary key,
    organization_id ${id} not null references organizations (id) on delete cascade,
    slug ${text} not null,
    newest_version ${moment} not null,
    created_at ${moment} not null,
    updated_at ${moment} not null,
    unique (organization_id, slug),
    unique (id, organization_id)
  )${end}`,
  `create table own_kind_versions (
    kind_id ${id} not null,
    organization_id ${id} not null,
    version ${moment} not null,
    file ${text} not null,
    recordings ${text},
    summary ${text} not null,
    changes ${text} not null,
    definition ${bytes} not null,
    created_at ${moment} not null,
    primary key (kind_id, version),
    foreign key (kind_id, organization_id) references own_kinds (id, organization_id) on delete cascade
  )${end}`,
]
