/** SQL views of one connector, in a schema of its own, for programs that read PostgreSQL. */
import { randomBytes } from 'node:crypto'
import { findTable, quoteName, quoteTable, type SearchTable } from '../../search/columns.ts'
import type { ContextDatabase, RunStatement } from '../database/database.ts'
import { changeSchema, schemaMs } from '../database/requirements.ts'
import { buildViewQuery } from './columns.ts'
import {
  buildRoleRemoval,
  buildRoles,
  findSurplusRights,
  nameViews,
  readConnector,
  readRoles,
  type SurplusRight,
  schemaPattern,
  type ViewNames,
} from './roles.ts'

/** What became of a wish for views. */
export type ViewsResult =
  | {
      readonly type: 'made'
      readonly names: ViewNames
      /** Entities with a view. */
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

const hasTable = (run: RunStatement, table: SearchTable): Promise<boolean> =>
  isThere(run, 'to_regclass($1) is not null', [quoteName(findTable(table))])

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
    if (number === undefined || !(await hasTable(run, table))) continue
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
