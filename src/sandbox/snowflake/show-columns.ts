import type { Column } from './cells.ts'
import { columnOf, textColumn } from './cells.ts'
import { warehouses } from './sessions.ts'

/** Something that SHOW lists. */
export interface Listed {
  readonly database: string
  readonly schema: string
  /** Of the table that a column belongs to; of everything else, its own. */
  readonly name: string
  readonly rows?: number
  /** Definition of a view. */
  readonly text?: string
  readonly column?: string
  /** Type of a column, as the engine writes it. */
  readonly type?: string
  readonly nullable?: boolean
}

/** What can be listed. */
export type ShowKind = 'DATABASES' | 'SCHEMAS' | 'TABLES' | 'VIEWS' | 'WAREHOUSES' | 'COLUMNS'

/** What a value of a listing can depend on beside its object. */
interface Current {
  readonly database: string | undefined
  readonly schema: string | undefined
  readonly warehouse: string | undefined
}

type Value = string | null | ((object: Listed, current: Current) => string | null)
type Field = readonly [name: string, type: 'text' | 'fixed' | 'timestamp_ltz', value: Value]

/** Everything was created at this second, long before any clock of a sandbox. */
const created = '1704067200.123000000'
const owner = 'SANDBOX_ROLE'

const text = (name: string, value: Value): Field => [name, 'text', value]
const count = (name: string, value: Value): Field => [name, 'fixed', value]
const moment = (name: string): Field => [name, 'timestamp_ltz', created]
const ownName = (object: Listed) => object.name
const flags = (value: string, ...names: readonly string[]): readonly Field[] => names.map((name) => text(name, value))
const isCurrent = (own: string, current: string | undefined) => (own === current ? 'Y' : 'N')

function typeJson({ type = 'VARCHAR', nullable = true }: Listed): string {
  const column = columnOf('', { text: type, alias: type === 'JSON' ? 'JSON' : undefined })
  const kind = column.type.toUpperCase()
  const { precision, scale, length, byteLength } = column
  if (kind === 'FIXED') return JSON.stringify({ type: kind, precision, scale, nullable })
  if (kind === 'TEXT' || kind === 'BINARY') return JSON.stringify({ type: kind, length, byteLength, nullable, fixed: kind === 'BINARY' })
  return JSON.stringify({ type: kind, ...(precision === undefined ? {} : { precision, scale }), nullable })
}

const warehouseCounts = ['min_cluster_count', 'max_cluster_count', 'started_clusters', 'running', 'queued']

/** The vendor's columns in their order. */
const fields: Readonly<Record<ShowKind, readonly Field[]>> = {
  DATABASES: [
    moment('created_on'),
    text('name', ownName),
    text('is_default', 'N'),
    text('is_current', ({ name }, { database }) => isCurrent(name, database)),
    text('origin', ''),
    text('owner', owner),
    ...flags('', 'comment', 'options'),
    text('retention_time', '1'),
    text('kind', 'STANDARD'),
    text('owner_role_type', 'ROLE'),
    text('object_visibility', null),
    text('data_quality_monitoring_settings', null),
  ],
  SCHEMAS: [
    moment('created_on'),
    text('name', ownName),
    text('is_default', 'N'),
    text('is_current', (object, current) => (object.database === current.database ? isCurrent(object.name, current.schema) : 'N')),
    text('database_name', ({ database }) => database),
    text('owner', owner),
    ...flags('', 'comment', 'options'),
    text('retention_time', '1'),
    text('owner_role_type', 'ROLE'),
    text('object_visibility', null),
    text('is_nested', 'N'),
  ],
  TABLES: [
    moment('created_on'),
    text('name', ownName),
    text('database_name', ({ database }) => database),
    text('schema_name', ({ schema }) => schema),
    text('kind', 'TABLE'),
    ...flags('', 'comment', 'cluster_by'),
    count('rows', ({ rows = 0 }) => String(rows)),
    count('bytes', ({ rows = 0 }) => String(rows * 64)),
    text('owner', owner),
    text('retention_time', '1'),
    ...flags('OFF', 'automatic_clustering', 'change_tracking', 'search_optimization'),
    count('search_optimization_progress', null),
    count('search_optimization_bytes', null),
    ...flags('N', 'is_external', 'enable_schema_evolution'),
    text('owner_role_type', 'ROLE'),
    text('is_event', 'N'),
    text('budget', null),
    ...flags('N', 'is_hybrid', 'is_iceberg', 'is_dynamic', 'is_immutable'),
  ],
  VIEWS: [
    moment('created_on'),
    text('name', ownName),
    text('reserved', ''),
    text('database_name', ({ database }) => database),
    text('schema_name', ({ schema }) => schema),
    text('owner', owner),
    text('comment', ''),
    text('text', (object) => object.text ?? ''),
    ...flags('false', 'is_secure', 'is_materialized'),
    text('owner_role_type', 'ROLE'),
    text('change_tracking', 'OFF'),
  ],
  WAREHOUSES: [
    text('name', ownName),
    text('state', ({ name }) => (name === warehouses[0] ? 'STARTED' : 'SUSPENDED')),
    text('type', 'STANDARD'),
    text('size', 'X-Small'),
    ...warehouseCounts.map((name) => count(name, name.endsWith('cluster_count') ? '1' : '0')),
    text('is_default', 'N'),
    text('is_current', ({ name }, { warehouse }) => isCurrent(name, warehouse)),
    text('is_interactive', 'N'),
    count('auto_suspend', '600'),
    text('auto_resume', 'true'),
    ...flags('', 'available', 'provisioning', 'quiescing', 'other'),
    ...['created_on', 'resumed_on', 'updated_on'].map(moment),
    text('owner', owner),
    text('comment', ''),
    text('enable_query_acceleration', 'false'),
    count('query_acceleration_max_scale_factor', '8'),
    text('resource_monitor', 'null'),
    ...['actives', 'pendings', 'failed', 'suspended'].map((name) => count(name, '0')),
    text('uuid', ({ name }) => String(name.length)),
    text('scaling_policy', 'STANDARD'),
    text('budget', null),
    text('owner_role_type', 'ROLE'),
    text('resource_constraint', null),
    text('generation', '2'),
  ],
  COLUMNS: [
    text('table_name', ownName),
    text('schema_name', ({ schema }) => schema),
    text('column_name', ({ column = '' }) => column),
    text('data_type', typeJson),
    text('null?', ({ nullable = true }) => (nullable ? 'true' : 'NOT_NULL')),
    text('default', ''),
    text('kind', 'COLUMN'),
    ...flags('', 'expression', 'comment'),
    text('database_name', ({ database }) => database),
    text('autoincrement', ''),
    text('schema_evolution_record', null),
  ],
}

function columnNamed([name, type]: Field): Column {
  if (type === 'text') return textColumn(name)
  return { name, type, ...(type === 'fixed' ? { precision: 38, scale: 0 } : { precision: 0, scale: 3 }) }
}

/** The columns of a listing. */
export function showColumns(kind: ShowKind): readonly Column[] {
  return fields[kind].map(columnNamed)
}

/** One row of a listing. */
export function showRow(kind: ShowKind, object: Listed, current: Current): readonly (string | null)[] {
  return fields[kind].map(([, , value]) => (typeof value === 'function' ? value(object, current) : value))
}
