import { type Column, columnOf, textColumn } from './cells.ts'
import type { EngineSession } from './engine.ts'
import { type Failure, failure, isFailure } from './failures.ts'
import {
  informationSchema,
  isWord,
  literal,
  marked,
  nameAt,
  placeOf,
  quotedName,
  type StatementPart,
  type Token,
  unmarkedSql,
  writtenName,
} from './lexer.ts'
import { type Session, schemasOf, scopeOfNames, warehouses } from './sessions.ts'
import { databases } from './world.ts'

/** A listing with its rows. */
export interface Listing {
  readonly columns: readonly Column[]
  readonly rows: readonly (readonly (string | null)[])[]
}

interface Scope {
  readonly database: string | undefined
  readonly schema: string | undefined
  readonly table: string | undefined
  /** Objects of the same name in different schemas are listed once. */
  readonly collapsed: boolean
}

interface ShowRequest {
  readonly kind: ShowKind
  readonly scope: Scope
  readonly like: string | undefined
  readonly starts: string | undefined
  readonly from: string | undefined
  readonly limit: number | undefined
}

const kinds: readonly ShowKind[] = ['DATABASES', 'SCHEMAS', 'TABLES', 'VIEWS', 'WAREHOUSES', 'COLUMNS']
/** These are cut at the limit, the others are refused above it. */
const cutKinds: readonly ShowKind[] = ['COLUMNS', 'WAREHOUSES']

function after(tokens: readonly Token[], ...words: readonly string[]): string | undefined {
  const index = tokens.findIndex((_token, at) => words.every((word, step) => isWord(tokens[at + step], word)))
  const value = index < 0 ? undefined : tokens[index + words.length]
  return value?.kind === 'string' || value?.kind === 'number' ? value.text : undefined
}

/** Returns the database, schema and table of a name with as many parts as it has; the last part is what the level says. */
function scopeOf(level: string, name: readonly string[], { database, schema }: Session): Scope {
  const back = (position: number) => name.at(position)
  if (level === 'DATABASE') return { database: back(-1) ?? database, schema: undefined, table: undefined, collapsed: false }
  if (level === 'SCHEMA') return { database: back(-2) ?? database, schema: back(-1) ?? schema, table: undefined, collapsed: false }
  return { database: back(-3) ?? database, schema: back(-2) ?? schema, table: back(-1), collapsed: false }
}

const levels = ['DATABASE', 'SCHEMA', 'TABLE', 'VIEW']

function scopeIn(tokens: readonly Token[], kind: ShowKind, session: Session): Scope {
  const index = tokens.findIndex((token) => isWord(token, 'IN'))
  const { database } = session
  if (index < 0) return { database, schema: undefined, table: undefined, collapsed: database !== undefined }
  const word = tokens[index + 1]
  if (isWord(word, 'ACCOUNT')) return { database: undefined, schema: undefined, table: undefined, collapsed: false }
  if (isWord(word, ...levels)) return scopeOf(word?.text ?? '', nameAt(tokens, index + 2), session)
  const usual: Readonly<Record<string, string>> = { SCHEMAS: 'DATABASE', COLUMNS: 'TABLE' }
  return scopeOf(usual[kind] ?? 'SCHEMA', nameAt(tokens, index + 1), session)
}

function askedIn(part: StatementPart, source: string, session: Session): ShowRequest | Failure {
  const tokens = part.tokens.filter((token, index) => !(index === 1 && isWord(token, 'TERSE')))
  const kind = kinds.find((each) => isWord(tokens[1], each))
  if (!kind) {
    const found = tokens[1]
    const where = placeOf(source, found?.start ?? part.tokens.at(-1)?.end ?? 0)
    return failure('syntax', `SQL compilation error:\nsyntax error ${where} unexpected '${found?.text ?? '<EOF>'}'.`)
  }
  const limit = after(tokens, 'LIMIT')
  return {
    kind,
    scope: scopeIn(tokens, kind, session),
    like: after(tokens, 'LIKE'),
    starts: after(tokens, 'STARTS', 'WITH'),
    from: after(tokens, 'FROM'),
    limit: limit === undefined ? undefined : Number(limit),
  }
}

const [database, schema] = [unmarkedSql('database_name'), unmarkedSql('schema_name')]

function within(scope: Scope): string {
  const known = Object.keys(databases).map((name) => literal(marked(name)))
  const conditions = [
    `database_name IN (${known.join(', ')})`,
    'NOT internal',
    `schema_name <> ${literal(marked(informationSchema))}`,
    ...(scope.database === undefined ? [] : [`database_name = ${literal(marked(scope.database))}`]),
    ...(scope.schema === undefined ? [] : [`schema_name = ${literal(marked(scope.schema))}`]),
  ]
  return conditions.join(' AND ')
}

async function tablesIn(engine: EngineSession, scope: Scope): Promise<readonly ListedObject[]> {
  const found = await engine.rows(
    `SELECT ${database}, ${schema}, ${unmarkedSql('table_name')} FROM duckdb_tables() WHERE ${within(scope)} AND NOT temporary`,
  )
  const tables = found.map(([own = '', inSchema = '', name = '']) => ({ database: own ?? '', schema: inSchema ?? '', name: name ?? '' }))
  const counts = tables.map((each) => {
    const parts = [each.database, each.schema, each.name].map(quotedName)
    return `(SELECT count(*) FROM ${parts.join('.')})`
  })
  const [rows = []] = counts.length === 0 ? [] : await engine.rows(`SELECT ${counts.join(', ')}`)
  return tables.map((table, index) => ({ ...table, rows: Number(rows[index] ?? 0) }))
}

async function viewsIn(engine: EngineSession, scope: Scope): Promise<readonly ListedObject[]> {
  const columns = [database, schema, unmarkedSql('view_name'), unmarkedSql('sql')]
  const found = await engine.rows(`SELECT ${columns.join(', ')} FROM duckdb_views() WHERE ${within(scope)}`)
  return found.map(([own, inSchema, name, text]) => ({ database: own ?? '', schema: inSchema ?? '', name: name ?? '', text: text ?? '' }))
}

async function columnsIn(engine: EngineSession, scope: Scope): Promise<readonly ListedObject[]> {
  const columns = [database, schema, unmarkedSql('table_name'), unmarkedSql('column_name'), 'data_type', 'is_nullable', 'column_index']
  const table = scope.table === undefined ? '' : ` AND table_name = ${literal(marked(scope.table))}`
  const found = await engine.rows(
    `SELECT ${columns.join(', ')} FROM duckdb_columns() WHERE ${within(scope)}${table} ORDER BY database_name, schema_name, table_name, column_index`,
  )
  return found.map(([own, inSchema, name, column, type, nullable]) => {
    const where = { database: own ?? '', schema: inSchema ?? '', name: name ?? '' }
    return { ...where, column: column ?? '', type: type ?? '', nullable: nullable === 'true' }
  })
}

async function schemasIn(engine: EngineSession, scope: Scope): Promise<readonly ListedObject[]> {
  const names = scope.database === undefined ? Object.keys(databases) : [scope.database]
  const all: ListedObject[] = []
  for (const name of names) {
    for (const own of await schemasOf(engine, name)) all.push({ database: name, schema: '', name: own })
  }
  return all
}

function listed(engine: EngineSession, { kind, scope }: ShowRequest): Promise<readonly ListedObject[]> {
  const named = (names: readonly string[]) => Promise.resolve(names.map((name) => ({ database: '', schema: '', name })))
  const finders: Readonly<Record<ShowKind, () => Promise<readonly ListedObject[]>>> = {
    DATABASES: () => named(Object.keys(databases)),
    SCHEMAS: () => schemasIn(engine, scope),
    TABLES: () => tablesIn(engine, scope),
    VIEWS: () => viewsIn(engine, scope),
    WAREHOUSES: () => named(warehouses),
    COLUMNS: () => columnsIn(engine, scope),
  }
  return finders[kind]()
}

function likeForm(pattern: string): RegExp {
  const text = pattern
    .replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')
    .replaceAll('%', '[\\s\\S]*')
    .replaceAll('_', '[\\s\\S]')
  return new RegExp(`^${text}$`, 'i')
}

function compared(one: ListedObject, other: ListedObject): number {
  const key = ({ database: own, schema: inSchema, name }: ListedObject) => [own, inSchema, name]
  const [left, right] = [key(one), key(other)]
  const at = left.findIndex((value, index) => value !== right[index])
  return at < 0 ? 0 : String(left[at]) < String(right[at]) ? -1 : 1
}

function chosen(objects: readonly ListedObject[], { kind, scope, like, starts, from }: ShowRequest): readonly ListedObject[] {
  const form = like === undefined ? undefined : likeForm(like)
  const label = (object: ListedObject) => object.column ?? object.name
  const fitting = objects.filter((object) => form?.test(label(object)) ?? true).filter((object) => label(object).startsWith(starts ?? ''))
  const ordered = fitting.toSorted(compared).filter((object) => from === undefined || label(object) >= from)
  const once = scope.collapsed && (kind === 'TABLES' || kind === 'VIEWS')
  return once ? ordered.filter((object, index) => ordered.findIndex(({ name }) => name === object.name) === index) : ordered
}

/** Returns what a SHOW statement lists. */
export async function show(
  part: StatementPart,
  env: { readonly source: string; readonly session: Session; readonly engine: EngineSession; readonly limit: number },
): Promise<Listing | Failure> {
  const asked = askedIn(part, env.source, env.session)
  if (isFailure(asked)) return asked
  const found = await scopeOfNames(env.engine, asked.scope)
  if (isFailure(found)) return failure('noObject', `SQL compilation error:\nObject does not exist, or operation cannot be performed.`)
  const objects = chosen(await listed(env.engine, asked), asked)
  const { kind, limit = env.limit, scope } = asked
  if (objects.length > env.limit && asked.limit === undefined && !cutKinds.includes(kind)) {
    const many = `The result set size exceeded the max number of rows(${env.limit}) supported for SHOW statements.`
    return failure('showLimit', `${many} Use LIMIT option to limit result set to a smaller number.`)
  }
  if (kind === 'COLUMNS' && scope.table !== undefined && objects.length === 0)
    return failure('noTable', `SQL compilation error:\nTable '${writtenName(scope.table)}' does not exist or not authorized.`)
  const rows = objects.slice(0, Math.min(limit, env.limit)).map((object) => showRow(kind, object, env.session))
  return { columns: fields[kind].map(columnNamed), rows }
}

interface ListedObject {
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

type ShowKind = 'DATABASES' | 'SCHEMAS' | 'TABLES' | 'VIEWS' | 'WAREHOUSES' | 'COLUMNS'

interface Current {
  readonly database: string | undefined
  readonly schema: string | undefined
  readonly warehouse: string | undefined
}

type Value = string | null | ((object: ListedObject, current: Current) => string | null)
type Field = readonly [name: string, type: 'text' | 'fixed' | 'timestamp_ltz', value: Value]

/** Everything was created at this second, long before any clock of a sandbox. */
const created = '1704067200.123000000'
const owner = 'SANDBOX_ROLE'

const texts = (values: Readonly<Record<string, Value>>): readonly Field[] =>
  Object.entries(values).map(([name, value]) => [name, 'text', value])
const counts = (values: Readonly<Record<string, Value>>): readonly Field[] =>
  Object.entries(values).map(([name, value]) => [name, 'fixed', value])
const moments = (...names: readonly string[]): readonly Field[] => names.map((name) => [name, 'timestamp_ltz', created])
const name = (object: ListedObject) => object.name
const scopeColumns = { database_name: ({ database }: ListedObject) => database, schema_name: ({ schema }: ListedObject) => schema }
const isCurrent = (own: string, current: string | undefined) => (own === current ? 'Y' : 'N')

function typeJson({ type = 'VARCHAR', nullable = true }: ListedObject): string {
  const column = columnOf('', { text: type, alias: type === 'JSON' ? 'JSON' : undefined })
  const kind = column.type.toUpperCase()
  const { precision, scale, length, byteLength } = column
  if (kind === 'FIXED') return JSON.stringify({ type: kind, precision, scale, nullable })
  if (kind === 'TEXT' || kind === 'BINARY') return JSON.stringify({ type: kind, length, byteLength, nullable, fixed: kind === 'BINARY' })
  return JSON.stringify({ type: kind, ...(precision === undefined ? {} : { precision, scale }), nullable })
}

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
    ...texts({ database_name: scopeColumns.database_name, owner, comment: '', options: '', retention_time: '1', owner_role_type: 'ROLE' }),
    ...texts({ object_visibility: null, is_nested: 'N' }),
  ],
  TABLES: [
    ...moments('created_on'),
    ...texts({ name, ...scopeColumns, kind: 'TABLE', comment: '', cluster_by: '' }),
    ...counts({ rows: ({ rows = 0 }) => String(rows), bytes: ({ rows = 0 }) => String(rows * 64) }),
    ...texts({ owner, retention_time: '1', automatic_clustering: 'OFF', change_tracking: 'OFF', search_optimization: 'OFF' }),
    ...counts({ search_optimization_progress: null, search_optimization_bytes: null }),
    ...texts({ is_external: 'N', enable_schema_evolution: 'N', owner_role_type: 'ROLE', is_event: 'N', budget: null }),
    ...texts({ is_hybrid: 'N', is_iceberg: 'N', is_dynamic: 'N', is_immutable: 'N' }),
  ],
  VIEWS: [
    ...moments('created_on'),
    ...texts({ name, reserved: '', ...scopeColumns, owner, comment: '', text: ({ text = '' }) => text, is_secure: 'false' }),
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
    ...texts({ table_name: name, schema_name: scopeColumns.schema_name, column_name: ({ column = '' }) => column, data_type: typeJson }),
    ...texts({ 'null?': ({ nullable = true }) => (nullable ? 'true' : 'NOT_NULL'), default: '', kind: 'COLUMN' }),
    ...texts({ expression: '', comment: '', database_name: scopeColumns.database_name, autoincrement: '', schema_evolution_record: null }),
  ],
}

function columnNamed([name, type]: Field): Column {
  if (type === 'text') return textColumn(name)
  return { name, type, ...(type === 'fixed' ? { precision: 38, scale: 0 } : { precision: 0, scale: 3 }) }
}

const showRow = (kind: ShowKind, object: ListedObject, current: Current): readonly (string | null)[] =>
  fields[kind].map(([, , value]) => (typeof value === 'function' ? value(object, current) : value))
