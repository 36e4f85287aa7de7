/** Both databases, prepared for searches: in this process and on the server of the test run. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PGlite } from '@electric-sql/pglite'
import { btree_gin } from '@electric-sql/pglite/contrib/btree_gin'
import { fuzzystrmatch } from '@electric-sql/pglite/contrib/fuzzystrmatch'
import { pg_trgm } from '@electric-sql/pglite/contrib/pg_trgm'
import { Client } from 'pg'
import { listPhysicalColumns, quoteName, quoteTable, type SearchTable } from '../../packages/server/src/copies/search/columns.ts'
import { searchFunctions, searchSettings, termTable } from '../../packages/server/src/copies/search/functions.ts'
import { buildPrimaryKey } from '../../packages/server/src/copies/search/keys.ts'
import { type SearchStatement, StatementNames } from '../../packages/server/src/copies/search/statement.ts'
import { buildCells, createTermReader, listInitialTerms } from '../../packages/server/src/copies/search/values.ts'
import { databaseFolder } from '../../packages/server/src/copies/store/database/embedded/folder.ts'
import { buildCreation, describeTable } from '../../packages/server/src/copies/store/tables.ts'
import { copyEmbeddedDatabase, createTestDatabase } from '../support/postgres.ts'

/** A database under test. */
export interface SearchDatabase {
  run(text: string): Promise<void>
  query(statement: Omit<SearchStatement, 'name'> & { readonly name?: string }): Promise<readonly Record<string, unknown>[]>
  /** Distributes a table over the machines of a cluster. */
  distribute?(table: string): Promise<void>
  close(): Promise<void>
}

/** A record with the parameters of the call that returned it. */
export interface Sent {
  readonly record: Readonly<Record<string, unknown>>
  readonly params?: Readonly<Record<string, unknown>>
}

/** Address of an empty database of a cluster of Citus, for the soak; undefined without a cluster. */
export const citusUrl = process.env['FERRULE_SOAK_CITUS_URL']

const openers = { pglite: openPglite, postgres: openPostgres, citus: openCitus }

/** Opens a database with everything that searches need, and without tables of entities. */
export async function openDatabase(engine: keyof typeof openers): Promise<SearchDatabase> {
  const database = await openers[engine]()
  const columns = termTable.columns.map(({ name, type }) => `${name} ${type} not null`)
  for (const extension of ['pg_trgm', 'btree_gin', 'fuzzystrmatch']) await database.run(`create extension if not exists ${extension}`)
  await database.run(`create table ${termTable.name} (${columns.join()}, primary key (${termTable.primaryKey.join()}))`)
  await database.run(`create index on ${termTable.name} ${termTable.index}`)
  await database.run('create table cs_entities (connector_id int4, name text, listed int8, changes int8)')
  for (const table of [termTable.name, 'cs_entities']) await database.distribute?.(table)
  for (const each of searchFunctions) await database.run(each)
  for (const [name, value] of Object.entries(searchSettings)) await database.run(`set ${name} = '${value}'`)
  return database
}

async function openPglite(): Promise<SearchDatabase> {
  const folder = mkdtempSync(join(tmpdir(), 'ferrule-searches-'))
  await copyEmbeddedDatabase(folder)
  const database = await PGlite.create(databaseFolder(folder), { extensions: { pg_trgm, btree_gin, fuzzystrmatch } })
  await database.exec('drop schema public cascade; create schema public') // without the store's own tables
  return {
    run: async (text) => void (await database.exec(text)),
    query: async ({ text, values }) => (await database.query<Record<string, unknown>>(text, [...values])).rows,
    close: async () => {
      await database.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

async function openPostgres(): Promise<SearchDatabase> {
  const { url, drop } = await createTestDatabase('search')
  const client = new Client({ connectionString: url })
  await client.connect()
  const names = new StatementNames(50)
  return {
    run: async (text) => void (await client.query(text)),
    query: async ({ name, text, values }) => {
      const prepared = name === undefined ? undefined : names.takeName({ name, text, values })
      return (
        await client.query<Record<string, unknown>>({ text, values: [...values], ...(prepared === undefined ? {} : { name: prepared }) })
      ).rows
    },
    close: async () => {
      await client.end()
      await drop()
    },
  }
}

/** Opens the database of a cluster. A statement that runs on several machines is an error. */
async function openCitus(): Promise<SearchDatabase> {
  const client = new Client({ connectionString: citusUrl })
  await client.connect()
  const made = new Set([termTable.name, 'cs_entities'])
  const clear = async () => {
    for (const table of made) await client.query(`drop table if exists "${table}"`)
  }
  await clear()
  return {
    run: async (text) => void (await client.query(text)),
    query: async ({ text, values }) => {
      const explained = text.startsWith('insert') ? [] : (await client.query({ text: `explain ${text}`, values: [...values] })).rows
      const isElsewhere = explained.length > 0 && !explained.some((row) => String(row['QUERY PLAN']).trim() === 'Task Count: 1')
      if (isElsewhere) throw new Error(`it runs on several machines: ${text}`)
      return (await client.query<Record<string, unknown>>({ text, values: [...values] })).rows
    },
    distribute: async (table) => {
      made.add(table)
      await client.query(`select create_distributed_table('"${table}"', 'connector_id')`)
    },
    close: async () => {
      await clear()
      await client.end()
    },
  }
}

/** Creates the table of an entity with the indexes that searches rely on. That of kinds of organizations is created as the store does. */
export async function createTable(database: SearchDatabase, table: SearchTable): Promise<void> {
  if (table.storage !== undefined) {
    for (const text of buildCreation(describeTable(table), { layout: 'embedded', hasLz4: false })) await database.run(text)
    return
  }
  const columns = listPhysicalColumns(table).map(({ name, type }) => `${quoteName(name)} ${type}`)
  const name = quoteName(table.name)
  await database.run(
    `create table ${name} (${['connector_id int4 not null', 'pk text not null', ...columns].join()}, primary key (connector_id, pk))`,
  )
  await database.distribute?.(table.name)
  const words = table.columns.flatMap(({ words: where, terms }) => (where === 'stored' && terms !== undefined ? [quoteName(terms)] : []))
  if (words.length > 0) await database.run(`create index on ${name} using gin (connector_id, ${words.join()})`)
  for (const { at } of table.columns)
    if (at !== undefined) await database.run(`create index on ${name} (connector_id, ${quoteName(at)}, pk)`)
}

/** Writes records under a connector's number, with their words. */
export async function fillTable(
  database: SearchDatabase,
  table: SearchTable,
  { connector, sent }: { connector: number; sent: readonly Sent[] },
): Promise<void> {
  const mark = table.storage?.mark
  const columns = [
    { name: 'connector_id', type: 'int4' },
    ...(table.storage === undefined ? [] : ['h', '$v'].map((name) => ({ name, type: 'int8' }))),
    ...(mark === undefined ? [] : [{ name: 'entity', type: 'uuid' }]),
    { name: 'pk', type: 'text' },
    ...listPhysicalColumns(table),
  ]
  const others = [...(table.storage === undefined ? [] : ['0', '0']), ...(mark === undefined ? [] : [mark])]
  const names = columns.map(({ name }) => quoteName(name)).join()
  const rows = sent.map(({ record, params }) => ({ pk: buildPrimaryKey(table.key, record, params), cells: buildCells(table, record) }))
  await database.run('begin')
  for (const { pk, cells } of rows) {
    const values = columns.map(({ type }, index) => `$${index + 1}::${type}`)
    await database.query({
      text: `insert into ${quoteTable(table)} (${names}) values (${values.join()})`,
      values: [connector, ...others, pk ?? null, ...cells],
    })
  }
  await database.run('commit')
  const terms = [...listInitialTerms(table), ...createTermReader(table)(rows.map(({ cells }) => cells))]
  await database.query({
    text: 'insert into cs_terms select $1::int4, * from unnest($2::int4[], $3::text[]) on conflict do nothing',
    values: [connector, terms.map(({ field }) => String(field)), terms.map(({ term }) => term)],
  })
}
