import { type Column, columnOf, textColumn } from './cells.ts'
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

const texts = (values: Readonly<Record<string, Value>>): readonly Field[] =>
  Object.entries(values).map(([name, value]) => [name, 'text', value])
const counts = (values: Readonly<Record<string, Value>>): readonly Field[] =>
  Object.entries(values).map(([name, value]) => [name, 'fixed', value])
const moments = (...names: readonly string[]): readonly Field[] => names.map((name) => [name, 'timestamp_ltz', created])
const name = (object: Listed) => object.name
const place = { database_name: ({ database }: Listed) => database, schema_name: ({ schema }: Listed) => schema }
const isCurrent = (own: string, current: string | undefined) => (own === current ? 'Y' : 'N')

function typeJson({ type = 'VARCHAR', nullable = true }: Listed): string {
  const column = columnOf('', { text: type, alias: type === 'JSON' ? 'JSON' : undefined })
  const kind = column.type.toUpperCase()
  const { precision, scale, length, byteLength } = column
  if (kind === 'FIXED') return JSON.stringify({ type: kind, precision, scale, nullable })
  if (kind === 'TEXT' || kind === 'BINARY') return JSON.stringify({ type: kind, length, byteLength, nullable, fixed: kind === 'BINARY' })
  return JSON.stringify({ type: kind, ...(precision === undefined ? {} : { precision, scale }), nullable })
}

/** The vendor's columns in their order. */
const fields: Readonly<Record<ShowKind, readonly Field[]>> = {
  DATABASES: [
    ...moments('created_on'),
    ...texts({ name, is_default: 'N', is_current: (object, { database }) => isCurrent(object.name, database), origin: '', owner }),
    ...texts({ comment: '', options: '', retention_time: '1', kind: 'STANDARD', owner_role_type: 'ROLE' }),
    ...texts({ object_visibility: null, data_quality_monitoring_settings: null }),
  ],
  SCHEMAS: [
    ...moments('created_on'),
    ...texts({ name, is_default: 'N' }),
    ...texts({ is_current: (object, { database, schema }) => (object.database === database ? isCurrent(object.name, schema) : 'N') }),
    ...texts({ database_name: place.database_name, owner, comment: '', options: '', retention_time: '1', owner_role_type: 'ROLE' }),
    ...texts({ object_visibility: null, is_nested: 'N' }),
  ],
  TABLES: [
    ...moments('created_on'),
    ...texts({ name, ...place, kind: 'TABLE', comment: '', cluster_by: '' }),
    ...counts({ rows: ({ rows = 0 }) => String(rows), bytes: ({ rows = 0 }) => String(rows * 64) }),
    ...texts({ owner, retention_time: '1', automatic_clustering: 'OFF', change_tracking: 'OFF', search_optimization: 'OFF' }),
    ...counts({ search_optimization_progress: null, search_optimization_bytes: null }),
    ...texts({ is_external: 'N', enable_schema_evolution: 'N', owner_role_type: 'ROLE', is_event: 'N', budget: null }),
    ...texts({ is_hybrid: 'N', is_iceberg: 'N', is_dynamic: 'N', is_immutable: 'N' }),
  ],
  VIEWS: [
    ...moments('created_on'),
    ...texts({ name, reserved: '', ...place, owner, comment: '', text: ({ text = '' }) => text, is_secure: 'false' }),
    ...texts({ is_materialized: 'false', owner_role_type: 'ROLE', change_tracking: 'OFF' }),
  ],
  WAREHOUSES: [
    ...texts({ name, state: (object) => (object.name === warehouses[0] ? 'STARTED' : 'SUSPENDED'), type: 'STANDARD', size: 'X-Small' }),
    ...counts({ min_cluster_count: '1', max_cluster_count: '1', started_clusters: '0', running: '0', queued: '0' }),
    ...texts({ is_default: 'N', is_current: (object, { warehouse }) => isCurrent(object.name, warehouse), is_interactive: 'N' }),
    ...counts({ auto_suspend: '600' }),
    ...texts({ auto_resume: 'true', available: '', provisioning: '', quiescing: '', other: '' }),
    ...moments('created_on', 'resumed_on', 'updated_on'),
    ...texts({ owner, comment: '', enable_query_acceleration: 'false' }),
    ...counts({ query_acceleration_max_scale_factor: '8' }),
    ...texts({ resource_monitor: 'null' }),
    ...counts({ actives: '0', pendings: '0', failed: '0', suspended: '0' }),
    ...texts({ uuid: (object) => String(object.name.length), scaling_policy: 'STANDARD', budget: null, owner_role_type: 'ROLE' }),
    ...texts({ resource_constraint: null, generation: '2' }),
  ],
  COLUMNS: [
    ...texts({ table_name: name, schema_name: place.schema_name, column_name: ({ column = '' }) => column, data_type: typeJson }),
    ...texts({ 'null?': ({ nullable = true }) => (nullable ? 'true' : 'NOT_NULL'), default: '', kind: 'COLUMN' }),
    ...texts({ expression: '', comment: '', database_name: place.database_name, autoincrement: '', schema_evolution_record: null }),
  ],
}

function columnNamed([name, type]: Field): Column {
  if (type === 'text') return textColumn(name)
  return { name, type, ...(type === 'fixed' ? { precision: 38, scale: 0 } : { precision: 0, scale: 3 }) }
}

/** Returns the columns of a listing. */
export function showColumns(kind: ShowKind): readonly Column[] {
  return fields[kind].map(columnNamed)
}

/** Returns one row of a listing. */
export function showRow(kind: ShowKind, object: Listed, current: Current): readonly (string | null)[] {
  return fields[kind].map(([, , value]) => (typeof value === 'function' ? value(object, current) : value))
}
