/** Creates the table of consumers of changes. */
import type { ColumnTypes } from './migration.ts'

/** A consumer keeps its cursor here as positions, so that it outlives the key that signs cursors. */
export const changeConsumers = ({ id, text, moment, end }: ColumnTypes): readonly string[] => [
  `create table change_consumers (
    organization_id ${id} not null,
    connector_id ${id} not null,
    name ${text} not null,
    entities ${text},
    positions ${text},
    created_at ${moment} not null,
    moved_at ${moment},
    primary key (connector_id, name),
    foreign key (connector_id, organization_id) references connectors (id, organization_id) on delete cascade
  )${end}`,
  'create index change_consumers_of_organization on change_consumers (organization_id)',
]
