/** The roles of the views of a connector: their owner, which cannot log in, and the reader. */
import { quoteName } from '../../search/columns.ts'
import type { RunStatement } from '../database/database.ts'
import { quoteText } from './columns.ts'

/** Names of what belongs to the views of a connector. Unquoted. */
export interface ViewNames {
  readonly schema: string
  readonly owner: string
  readonly reader: string
}

const prefix = 'ferrule_'

/** Matches the schemas of views. */
export const schemaPattern = `^${prefix}[0-9a-f]{32}$`

/** Names the schema and the roles of a connector. @param connector UUID */
export function nameViews(connector: string): ViewNames {
  const schema = `${prefix}${connector.toLowerCase().replaceAll('-', '')}`
  return { schema, owner: `${schema}_owner`, reader: `${schema}_reader` }
}

/** Returns the UUID of the connector of a schema. */
export const readConnector = (schema: string): string => schema.slice(prefix.length).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')

/** Connections of a reader at the same time, and the usual time of its statements. An administrator may change both. */
const [connections, statementTime] = [10, '60s']

/** Builds the statements that create both roles. @param user the service's user of the database */
export const buildRoles = (
  { schema, owner, reader }: ViewNames,
  { user, password }: { user: string; password: string },
): readonly string[] => [
  `create role ${quoteName(owner)} nologin`,
  `grant ${quoteName(owner)} to ${quoteName(user)}`,
  `create role ${quoteName(reader)} login noinherit connection limit ${connections} password ${quoteText(password)}`,
  `alter role ${quoteName(reader)} set default_transaction_read_only = on`,
  `alter role ${quoteName(reader)} set statement_timeout = ${quoteText(statementTime)}`,
  `alter role ${quoteName(reader)} set search_path = ${quoteName(schema)}`,
]

/** Builds the statements that drop both roles, after their schema. */
export const buildRoleRemoval = ({ owner, reader }: ViewNames): readonly string[] => [
  `drop owned by ${quoteName(owner)}`,
  `drop role ${quoteName(owner)}`,
  `drop role ${quoteName(reader)}`,
]

/** What the user of a database may do, and which roles are there. */
export interface RoleState {
  readonly user: string
  readonly mayCreate: boolean
  readonly areThere: boolean
}

/** Reads what is there. */
export async function readRoles(run: RunStatement, { owner, reader }: ViewNames): Promise<RoleState> {
  const { rows } = await run({
    text: `select rolname::text as name, rolsuper or rolcreaterole as may,
      (select count(*) from pg_roles where rolname = any($1)) = 2 as there from pg_roles where rolname = current_user`,
    values: [[owner, reader]],
  })
  const [row] = rows
  return { user: String(row?.['name']), mayCreate: row?.['may'] === true, areThere: row?.['there'] === true }
}

/** A right that the reader must not have, and how an administrator takes it away. */
export interface SurplusRight {
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
export async function findSurplusRights(
  run: RunStatement,
  { reader, schema }: ViewNames,
  isNew: boolean,
): Promise<readonly SurplusRight[]> {
  const from = isNew ? 'public' : `public, ${quoteName(reader)}`
  const { rows } = await run({ text: surplusRights, values: [reader, schema, from] })
  return rows.map(({ what, remedy }) => ({ what: String(what), remedy: String(remedy) }))
}
