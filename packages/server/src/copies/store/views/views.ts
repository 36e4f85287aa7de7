/** SQL views of one connector, in a schema of its own, for programs that read PostgreSQL. */

import { randomBytes } from 'node:crypto'
import { splitInto } from '../../../values/slices.ts'
import {
  buildRowCondition,
  type Column,
  findTable,
  isColumnName,
  listNamed,
  quoteName,
  quoteTable,
  rescuedColumn,
  type SearchTable,
} from '../../search/columns.ts'
import { beyondMicros } from '../../search/timestamps.ts'
import type { ContextDatabase, RunStatement } from '../database/database.ts'
import { changeSchema, schemaMs } from '../database/requirements.ts'

// The roles of the views of a connector: their owner, which cannot log in, and the reader.

/** Names of what belongs to the views of a connector. Unquoted. */
interface ViewNames {
  readonly schema: string
  readonly owner: string
  readonly reader: string
}

const prefix = 'ferrule_'

/** Matches the schemas of views. */
const schemaPattern = `^${prefix}[0-9a-f]{32}$`

/** Names the schema and the roles of a connector. @param connector UUID */
export function nameViews(connector: string): ViewNames {
  const schema = `${prefix}${connector.toLowerCase().replaceAll('-', '')}`
  return { schema, owner: `${schema}_owner`, reader: `${schema}_reader` }
}

const readConnector = (schema: string): string => schema.slice(prefix.length).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')

/** Connections of a reader at the same time, and the usual time of its statements. An administrator may change both. */
const [connections, statementTime] = [10, '60s']

/** Builds the statements that create both roles. @param user the service's user of the database */
const buildRoles = ({ schema, owner, reader }: ViewNames, { user, password }: { user: string; password: string }): readonly string[] => [
  `create role ${quoteName(owner)} nologin`,
  `grant ${quoteName(owner)} to ${quoteName(user)}`,
  `create role ${quoteName(reader)} login noinherit connection limit ${connections} password ${quoteText(password)}`,
  `alter role ${quoteName(reader)} set default_transaction_read_only = on`,
  `alter role ${quoteName(reader)} set statement_timeout = ${quoteText(statementTime)}`,
  `alter role ${quoteName(reader)} set search_path = ${quoteName(schema)}`,
]

/** Builds the statements that drop both roles, after their schema. */
const buildRoleRemoval = ({ owner, reader }: ViewNames): readonly string[] => [
  `drop owned by ${quoteName(owner)}`,
  `drop role ${quoteName(owner)}`,
  `drop role ${quoteName(reader)}`,
]

interface RoleState {
  readonly user: string
  readonly mayCreate: boolean
  readonly areThere: boolean
}

async function readRoles(run: RunStatement, { owner, reader }: ViewNames): Promise<RoleState> {
  const { rows } = await run({
    text: `select rolname::text as name, rolsuper or rolcreaterole as may,
      (select count(*) from pg_roles where rolname = any($1)) = 2 as there from pg_roles where rolname = current_user`,
    values: [[owner, reader]],
  })
  const [row] = rows
  return { user: String(row?.['name']), mayCreate: row?.['may'] === true, areThere: row?.['there'] === true }
}

/** A right that the reader must not have, and how an administrator takes it away. */
interface SurplusRight {
  readonly what: string
  readonly remedy: string
}

/** Objects of extensions, such as the statistics of statements, say for themselves who may read what of them. */
const isOfExtension = (catalog: string, oid: string): string =>
  `exists (select from pg_depend e where e.classid = '${catalog}'::regclass and e.objid = ${oid} and e.deptype = 'e')`

/**
 * Finds every right of the reader beside that to read the views: TEMP and CREATE, any right on another table, functions that run with the
 * rights of their owner, other roles, and the right to write views. `$1` is the reader, `$2` the schema, `$3` from whom rights are taken.
 */
const surplusRights = `
  select 'TEMP or CREATE in the database ' || datname as what, format('revoke temporary, create on database %I from %s', datname, $3::text) as remedy
    from pg_database where datname = current_database() and has_database_privilege($1::text, oid, 'TEMPORARY, CREATE')
  union all select 'CREATE in the schema ' || nspname, format('revoke create on schema %I from %s', nspname, $3::text)
    from pg_namespace where nspname !~ '^pg_(toast|temp)' and has_schema_privilege($1::text, oid, 'CREATE')
  union all select 'rights on ' || c.oid::regclass, format('revoke all on %s from %s', c.oid::regclass, $3::text)
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where c.relkind in ('r', 'p', 'v', 'm', 'f') and n.nspname not in ('pg_catalog', 'information_schema') and n.nspname !~ '^pg_(toast|temp)'
      and not ${isOfExtension('pg_class', 'c.oid')}
      and (has_table_privilege($1::text, c.oid, 'INSERT, UPDATE, DELETE, TRUNCATE, REFERENCES, TRIGGER')
        or has_any_column_privilege($1::text, c.oid, 'INSERT, UPDATE, REFERENCES')
        or n.nspname <> $2::text and has_any_column_privilege($1::text, c.oid, 'SELECT'))
  union all select 'the function ' || p.oid::regprocedure || ', which has the rights of its owner',
      format('revoke execute on function %s from %s', p.oid::regprocedure, $3::text)
    from pg_proc p join pg_namespace n on n.oid = p.pronamespace
    where p.prosecdef and n.nspname <> 'pg_catalog' and not ${isOfExtension('pg_proc', 'p.oid')} and has_function_privilege($1::text, p.oid, 'EXECUTE')
  union all select 'the role ' || m.roleid::regrole, format('revoke %s from %I', m.roleid::regrole, $1::text)
    from pg_auth_members m where m.member = $1::text::regrole
  union all select 'attributes of an administrator', format('alter role %I nosuperuser nocreatedb nocreaterole noreplication nobypassrls', $1::text)
    from pg_roles where rolname = $1::text and (rolsuper or rolcreatedb or rolcreaterole or rolreplication or rolbypassrls)`

/**
 * Lists the rights that the reader has beside reading the views.
 * @param isNew true: the reader goes again when there is such a right, so no remedy may name it
 */
async function findSurplusRights(run: RunStatement, { reader, schema }: ViewNames, isNew: boolean): Promise<readonly SurplusRight[]> {
  const from = isNew ? 'public' : `public, ${quoteName(reader)}`
  const { rows } = await run({ text: surplusRights, values: [reader, schema, from] })
  return rows.map(({ what, remedy }) => ({ what: String(what), remedy: String(remedy) }))
}

/** What became of a wish for views. */
export type ViewsResult =
  | {
      readonly type: 'made'
      readonly names: ViewNames
      readonly views: readonly string[]
      /** Entities without a table: nothing of them was ever read. */
      readonly without: readonly string[]
      /** Password of a new reader. */
      readonly password?: string
    }
  /** The user of the database may not create roles: an administrator does it by these statements. */
  | { readonly type: 'needs-administrator'; readonly statements: readonly string[] }
  /** Nothing was made: the reader would have more rights than it may have. */
  | { readonly type: 'refused'; readonly rights: readonly SurplusRight[] }
  /** Nothing of the connector was ever stored. */
  | { readonly type: 'empty' }
  /** The tables are on several machines. */
  | { readonly type: 'distributed' }

/** Carries a result out of a transaction that is rolled back. */
class Refused extends Error {
  readonly rights: readonly SurplusRight[]

  constructor(rights: readonly SurplusRight[]) {
    super('the reader would have more rights')
    this.rights = rights
  }
}

const isThere = async (run: RunStatement, condition: string, values: readonly string[]): Promise<boolean> =>
  (await run({ text: `select ${condition} as there`, values })).rows[0]?.['there'] === true

const hasSchema = (run: RunStatement, schema: string): Promise<boolean> => isThere(run, 'to_regnamespace($1) is not null', [schema])

async function findNumber(run: RunStatement, connector: string): Promise<number | undefined> {
  const { rows } = await run({ text: 'select number from cs_connectors where id = $1::uuid and not removed', values: [connector] })
  return rows[0] === undefined ? undefined : Number(rows[0]['number'])
}

/** Creates the view of an entity. Its owner may read the table, the reader the view only. */
async function createView(
  run: RunStatement,
  { schema, owner, reader }: ViewNames,
  { table, number }: { table: SearchTable; number: number },
) {
  const view = `${quoteName(schema)}.${quoteName(table.entity)}`
  for (const text of [
    `create view ${view} with (security_barrier) as ${buildViewQuery(table, number)}`,
    `grant select on ${quoteTable(table)} to ${quoteName(owner)}`,
    `alter view ${view} owner to ${quoteName(owner)}`,
    `grant select on ${view} to ${quoteName(reader)}`,
  ])
    await run({ text })
}

/** Drops all views of a connector, and creates those of its entities that have a table. @returns the entities with a view */
async function replaceViews(run: RunStatement, connector: string, tables: readonly SearchTable[]): Promise<readonly string[]> {
  const names = nameViews(connector)
  const number = await findNumber(run, connector)
  const { rows } = await run({ text: 'select viewname::text as name from pg_views where schemaname = $1', values: [names.schema] })
  for (const { name } of rows) await run({ text: `drop view ${quoteName(names.schema)}.${quoteName(String(name))}` })
  const made: string[] = []
  for (const table of tables) {
    if (number === undefined || !(await isThere(run, 'to_regclass($1) is not null', [quoteName(findTable(table))]))) continue
    await createView(run, names, { table, number })
    made.push(table.entity)
  }
  return made
}

async function makeAll(run: RunStatement, connector: string, tables: readonly SearchTable[]): Promise<ViewsResult> {
  const names = nameViews(connector)
  const { user, mayCreate, areThere } = await readRoles(run, names)
  const password = randomBytes(24).toString('base64url')
  const roles = areThere ? [] : buildRoles(names, { user, password })
  if (roles.length > 0 && !mayCreate) return { type: 'needs-administrator', statements: roles }
  const [schema, owner, reader] = [names.schema, names.owner, names.reader].map(quoteName)
  for (const text of [
    ...roles,
    `create schema if not exists ${schema}`,
    `grant usage, create on schema ${schema} to ${owner}`, // an owner of views must have CREATE where they are
    `grant usage on schema ${schema} to ${reader}`,
  ])
    await run({ text })
  const views = await replaceViews(run, connector, tables)
  const rights = await findSurplusRights(run, names, roles.length > 0)
  if (rights.length > 0) throw new Refused(rights)
  const without = tables.map(({ entity }) => entity).filter((entity) => !views.includes(entity))
  return { type: 'made', names, views, without, ...(roles.length === 0 ? {} : { password }) }
}

/**
 * Makes the views of a connector with their schema and roles, or makes them again. All or nothing.
 * @param connector UUID
 * @param tables tables of its searchable entities
 */
export async function makeViews(database: ContextDatabase, connector: string, tables: readonly SearchTable[]): Promise<ViewsResult> {
  return database.withConnection(
    async (run): Promise<ViewsResult> => {
      if (await isThere(run, "exists (select from pg_extension where extname = 'citus')", [])) return { type: 'distributed' }
      if ((await findNumber(run, connector)) === undefined) return { type: 'empty' }
      let result: ViewsResult = { type: 'empty' }
      try {
        await changeSchema('postgres', run, async () => {
          result = await makeAll(run, connector, tables)
        })
      } catch (thrown) {
        if (!(thrown instanceof Refused)) throw thrown
        return { type: 'refused', rights: thrown.rights }
      }
      return result
    },
    { timeoutMs: schemaMs },
  )
}

/** Drops the schema of a connector with its views, in a transaction of the caller. */
export async function dropViews(run: RunStatement, connector: string): Promise<void> {
  const { schema } = nameViews(connector)
  if (await hasSchema(run, schema)) await run({ text: `drop schema ${quoteName(schema)} cascade` })
}

/**
 * Drops the schema and the roles of a connector, which may be deleted.
 * @returns statements for an administrator, where the user of the database may not drop roles
 */
export async function removeViews(database: ContextDatabase, connector: string): Promise<readonly string[]> {
  const names = nameViews(connector)
  return database.withConnection(async (run) => {
    const { mayCreate, areThere } = await readRoles(run, names)
    await changeSchema('postgres', run, async () => {
      await dropViews(run, connector)
      if (areThere && mayCreate) for (const text of buildRoleRemoval(names)) await run({ text })
    })
    return areThere && !mayCreate ? buildRoleRemoval(names) : []
  })
}

/** Makes the views of a connector again if it has some: its kind has another version, whose rows are elsewhere. */
export async function moveViews(run: RunStatement, connector: string, tables: readonly SearchTable[]): Promise<void> {
  if (await hasSchema(run, nameViews(connector).schema)) await replaceViews(run, connector, tables)
}

/** Drops the views over a table of the database, in the transaction that changes it. @returns their schemas */
export async function dropViewsOver(run: RunStatement, table: string): Promise<readonly string[]> {
  const { rows } = await run({
    text: `select distinct n.nspname::text as schema, c.relname::text as name from pg_depend d join pg_rewrite r on r.oid = d.objid
      join pg_class c on c.oid = r.ev_class join pg_namespace n on n.oid = c.relnamespace
      where d.classid = 'pg_rewrite'::regclass and d.refclassid = 'pg_class'::regclass and d.refobjid = to_regclass($1) and n.nspname ~ $2`,
    values: [quoteName(table), schemaPattern],
  })
  for (const { schema, name } of rows) await run({ text: `drop view ${quoteName(String(schema))}.${quoteName(String(name))}` })
  return [...new Set(rows.map(({ schema }) => String(schema)))]
}

/** Creates the views of an entity again, in schemas that had one. */
export async function restoreViews(run: RunStatement, schemas: readonly string[], table: SearchTable): Promise<void> {
  for (const schema of schemas) {
    const connector = readConnector(schema)
    const number = await findNumber(run, connector)
    if (number !== undefined) await createView(run, nameViews(connector), { table, number })
  }
}

interface ViewColumn {
  /** SQL of the value. */
  readonly value: string
  /** SQL that says whether the value is lost, and of the value as it came. */
  readonly lost?: { readonly when: string; readonly value: string }
}

const quoteText = (text: string): string => `'${text.replaceAll("'", "''")}'`

const finer = quoteText(beyondMicros)

function describeTime(own: string, at: string, isDate: boolean): ViewColumn {
  const fits = `${at} is not null and ${isDate ? `length(${own}) = 10` : `${own} !~ ${finer}`}`
  // Whole seconds and the rest, because a double does not hold all microseconds.
  const value = isDate
    ? `date '1970-01-01' + (${at} / 86400000000)::int`
    : `to_timestamp((${at} / 1000000)::float8) + (${at} % 1000000) * interval '1 microsecond'`
  return { value: `case when ${fits} then ${value} end`, lost: { when: `${own} is not null and not (${fits})`, value: own } }
}

function describeColumn({ sql, at, number, wide, schema }: Column): ViewColumn {
  const own = quoteName(sql)
  if (at !== undefined) return describeTime(own, quoteName(at), schema.format === 'date')
  if (number !== undefined) {
    const value = quoteName(number)
    return { value, lost: { when: `${own} is not null and ${value} is null`, value: own } }
  }
  if (wide === undefined) return { value: own }
  const large = quoteName(wide) // also of the two integers at the ends of int8, which fit
  return { value: `case when ${large} is null or ${large} = ${own} then ${own} end`, lost: { when: `${large} <> ${own}`, value: large } }
}

/** Most fields of one call: a function of PostgreSQL takes 100 arguments. */
const mostOfCall = 50

/** Builds the column of lost values: JSON by field, null without any. Those that no column holds are stored so. */
function buildRescued(lost: readonly string[]): string {
  const calls = splitInto(lost, mostOfCall).map((part) => `jsonb_strip_nulls(jsonb_build_object(${part.join(', ')}))`)
  return `nullif(${[`coalesce(${quoteName(rescuedColumn.name)}, '{}')`, ...calls].join(' || ')}, '{}'::jsonb)`
}

/**
 * Builds the query of the view of an entity, of one connector only: columns with the names of the documents, and types of SQL. A value that its
 * type cannot hold exactly is null there, and stands in the last column, as in Parquet files. A field whose name is too long has the name of its
 * column.
 */
function buildViewQuery(table: SearchTable, number: number): string {
  const columns = table.columns.map((column) => ({
    name: isColumnName(column.name) ? column.name : column.sql,
    ...describeColumn(column),
  }))
  const lost = columns.flatMap(({ name, lost: gone }) =>
    gone === undefined ? [] : [`${quoteText(name)}, case when ${gone.when} then to_jsonb(${gone.value}) end`],
  )
  const rescued = listNamed(table)
    .slice(columns.length)
    .map(({ name }) => ({ name, value: buildRescued(lost) }))
  const selected = [...columns, ...rescued].map(({ name, value }) => `${value} as ${quoteName(name)}`)
  return `select ${selected.join(', ')} from ${quoteTable(table)} where ${buildRowCondition(table, String(number))}`
}
