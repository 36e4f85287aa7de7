/** Tables, functions and extensions that both databases need besides the tables of records. */
import { createHash } from 'node:crypto'
import { searchFunctions, termTable } from '../../search/functions.ts'
import { buildDistribution, buildReference, buildTable, type RunStatement, type TableLayout } from './database.ts'

/** Contrib modules of PostgreSQL: trigrams, integers in the same index, and edit distances. */
export const extensions: readonly string[] = ['pg_trgm', 'btree_gin', 'fuzzystrmatch']

/** Timeout in milliseconds for a schema change: creating a table of many partitions, or adding an index to a large table. */
export const schemaMs = 600_000

/** Arbitrary key of the advisory lock that serializes schema changes over all nodes. PGlite has one session. */
const schemaLock = 7_214_995_032

/** Distributes the store's own tables. The rows of `cs_seen` have no key, and shards move by their rows' identity. */
const distribute: readonly string[] = [
  'alter table cs_seen replica identity full',
  ...['cs_entities', 'cs_seen', 'cs_gone', 'cs_checkpoints'].map(buildDistribution),
  ...['cs_meta', 'cs_connectors', 'cs_tables', 'cs_indexes'].map(buildReference),
]

/**
 * Builds the statements for the store's own tables:
 * - `cs_connectors` assigns numbers; an identity column never reuses one.
 * - `cs_entities` has a row for each entity of a connector. Writers lock the row, so its counts are exact.
 * - `cs_seen` holds the keys seen by a complete pass, a row for each batch.
 * - `cs_gone` holds deleted records for a day (`forget.ts`).
 * - `cs_changes` is the log of changes of the entities that somebody follows (`log.ts`).
 * - `cs_indexes` lists the automatic indexes (`copies/store/indexes/index-rows.ts`).
 */
export const buildOwnStatements = (layout: TableLayout): readonly string[] => [
  'create table if not exists cs_meta (name text primary key, value text not null)',
  `create table if not exists cs_connectors (id uuid primary key, number int4 generated always as identity unique,
    removed boolean not null default false, cleared boolean not null default false)`,
  'create table if not exists cs_tables (name text primary key, kind text not null, entity text not null, shape text not null)',
  // `listed`: number of changes of the listed words of its columns (`query/lookups.ts`). `pruned`: how often listed words were deleted
  // (`words.ts`). `changes`: number of changes of its rows. `feed` to `followed_by`: the log of its changes (`log.ts`).
  `create table if not exists cs_entities (connector_id int4, name text, records int8 not null default 0, deleted_at int8 not null default 0, pass text,
    listed int8 not null default 0, pruned int8 not null default 0, changes int8 not null default 0, feed int8,
    position int8 not null default 0, kept_after int8 not null default 0,
    read_at int8 not null default 0, log_days int4 not null default 0, kept_for int8, followed_by uuid, primary key (connector_id, name))
    with (fillfactor = 50)`,
  'create table if not exists cs_seen (connector_id int4 not null, name text not null, keys text[] not null)',
  'create index if not exists cs_seen_of on cs_seen (connector_id, name)',
  `create table if not exists cs_gone (connector_id int4, name text, field text, value text, at int8 not null,
    primary key (connector_id, name, field, value))`,
  `create table if not exists cs_checkpoints (connector_id int4, name text, part text, value text not null, primary key (connector_id, name, part))
    with (fillfactor = 50)`,
  `create table if not exists cs_indexes (connector_id int4, name text, col text, id text not null unique, state text not null, owner text not null,
    until int8 not null, attempts int4 not null, created_at int8 not null, used_at int8, scans int8 not null default 0,
    bytes int8 not null default 0, error text, primary key (connector_id, name, col))`,
  ...(layout === 'citus' ? distribute : []),
  ...buildTable(
    'cs_changes',
    `connector_id int4 not null, name text not null, position int8 not null, start int8 not null, size int4 not null, keys text not null,
      kind text not null, cause text not null, fields text not null, at int8 not null, primary key (connector_id, name, position)`,
    layout,
  ),
  ...buildTable(
    termTable.name,
    `${termTable.columns.map(({ name, type }) => `${name} ${type} not null`).join(', ')}, primary key (${termTable.primaryKey.join(', ')})`,
    layout,
  ),
  `create index if not exists ${termTable.name}_parts on ${termTable.name} ${termTable.index}`,
  ...searchFunctions,
]

/** Runs schema changes in one transaction, excluding other nodes. */
export async function changeSchema(layout: TableLayout, run: RunStatement, work: () => Promise<void>): Promise<void> {
  await run({ text: 'begin' })
  try {
    // Functions and reference tables change over one connection to each machine, so the rest of the transaction must use it too.
    if (layout === 'citus') await run({ text: "set local citus.multi_shard_modify_mode = 'sequential'" })
    if (layout !== 'embedded') await run({ text: `select pg_advisory_xact_lock(${schemaLock})` })
    await work()
    await run({ text: 'commit' })
  } catch (thrown) {
    await run({ text: 'rollback' }).catch(() => undefined) // the first error is thrown
    throw thrown
  }
}

/** Updates the store's own tables and functions if needed. */
export async function prepareOwnTables(layout: TableLayout, run: RunStatement): Promise<void> {
  const statements = buildOwnStatements(layout)
  const digest = createHash('sha256').update(statements.join(';')).digest('hex')
  if ((await hasMetaTable(run)) && (await readDigest(run)) === digest) return
  await changeSchema(layout, run, async () => {
    for (const text of statements) await run({ text })
    await run({
      text: 'insert into cs_meta (name, value) values ($1, $2) on conflict (name) do update set value = excluded.value',
      values: ['own', digest],
    })
  })
}

const hasMetaTable = async (run: RunStatement): Promise<boolean> => {
  const { rows } = await run({ text: "select to_regclass('cs_meta') is not null as there" })
  return rows[0]?.['there'] === true
}

const readDigest = async (run: RunStatement): Promise<unknown> => {
  const { rows } = await run({ text: 'select value from cs_meta where name = $1', values: ['own'] })
  return rows[0]?.['value']
}
