/** Creates, watches and drops indexes in the database. */
import { buildRowCondition, findTableRows, quoteName, quoteTable } from '../../search/columns.ts'
import type { ContextDatabase, Row, Session, Statement, TableLayout } from '../database/database.ts'
import { chooseColumn, type IndexAdvice } from './advice.ts'
import { deleteExpired, type IndexTarget, indexPrefix, markReady, statementMs } from './index-rows.ts'

interface CountedIndex {
  readonly id: string
  readonly table: string
}

/** Scans and size of an index, as counted by the database. */
interface IndexUse {
  readonly id: string
  readonly isMissing: boolean
  readonly scans: bigint
  readonly bytes: bigint
}

/** Reads what one server counts. Statements without tables run where the client is connected. */
const onServer = `select id, to_regclass(id) is null as missing, coalesce(pg_stat_get_numscans(to_regclass(id)), 0)::text as scans,
    coalesce(pg_relation_size(to_regclass(id)), 0)::text as bytes from unnest($1::text[]) id`

/** Sums what the machines of Citus count: each shard has a part of the index, whose name begins with that of the index. */
const onShards = `select coalesce(sum(split_part(result, ' ', 1)::int8), 0)::text as scans, coalesce(sum(split_part(result, ' ', 2)::int8), 0)::text as bytes
  from run_command_on_shards($1::regclass, format($command$
    select coalesce(sum(pg_stat_get_numscans(indexrelid)), 0) || ' ' || coalesce(sum(pg_relation_size(indexrelid)), 0)
    from pg_index join pg_class c on c.oid = indexrelid where indrelid = '%%s'::regclass and starts_with(c.relname, %L)$command$, $2::text)) where success`

/** Runs a short statement on each read replica. */
type ReadReplicas = (statement: Statement) => Promise<readonly Row[]>

/** Counts the scans of indexes on read replicas, which the primary does not know of. A replica that does not answer counts none. */
async function countReplicaScans(readReplicas: ReadReplicas, indexes: readonly CountedIndex[]): Promise<ReadonlyMap<string, bigint>> {
  const scans = new Map<string, bigint>()
  if (indexes.length === 0) return scans
  for (const row of await readReplicas({ text: onServer, values: [indexes.map(({ id }) => id)] })) {
    const use = parseUse(row, String(row['id']))
    scans.set(use.id, (scans.get(use.id) ?? 0n) + use.scans)
  }
  return scans
}

const parseUse = (row: Row, id: string): IndexUse => ({
  id,
  isMissing: row['missing'] === true,
  scans: BigInt(String(row['scans'])),
  bytes: BigInt(String(row['bytes'])),
})

async function countUses(session: Session, layout: TableLayout, indexes: readonly CountedIndex[]): Promise<readonly IndexUse[]> {
  const { rows } = await session.query<Row>({ text: onServer, values: [indexes.map(({ id }) => id)] })
  const local = rows.map((row) => parseUse(row, String(row['id'])))
  if (layout !== 'citus') return local
  const tables = new Map(indexes.map(({ id, table }) => [id, table]))
  const found: IndexUse[] = []
  for (const use of local) {
    if (use.isMissing) found.push(use)
    else {
      const sums = await session.query<Row>({ text: onShards, values: [quoteTable(findTableRows(tables.get(use.id) ?? '')), use.id] })
      found.push(...sums.rows.map((row) => parseUse(row, use.id)))
    }
  }
  return found
}

/**
 * Timeout for creating an index in the embedded database, in milliseconds. The statement blocks everything else; a million records take
 * some seconds.
 */
const embeddedMs = 120_000

/** Database in which an index is created. */
export interface IndexDatabase {
  readonly database: ContextDatabase
  readonly layout: TableLayout
}

/** Partition that holds the rows of a connector; only where tables have partitions. */
interface Partition {
  /** Object id of the partition. */
  readonly oid: number
  /** Name, quoted if needed. */
  readonly name: string
}

/** Finds the partition that holds all rows of a connector; undefined without rows. */
async function findPartition(
  database: ContextDatabase,
  { number, table }: Pick<IndexTarget, 'number' | 'table'>,
): Promise<Partition | undefined> {
  const own = findTableRows(table)
  const { rows } = await database.query<Row>({
    text: `select tableoid as oid, tableoid::regclass::text as name from ${quoteTable(own)} where ${buildRowCondition(own)} limit 1`,
    values: [number],
  })
  return rows[0] === undefined ? undefined : { oid: Number(rows[0]['oid']), name: String(rows[0]['name']) }
}

/**
 * Reads the number of distinct values of columns from the statistics of a partition, which store large numbers as negative fractions of
 * the rows.
 */
async function readDistinctCounts(database: ContextDatabase, { oid }: Partition): Promise<ReadonlyMap<string, number>> {
  const { rows } = await database.query<Row>({
    text: `select s.attname::text as col, case when s.n_distinct < 0 then -s.n_distinct * greatest(c.reltuples, 0) else s.n_distinct end::float8 as values
      from pg_class c join pg_namespace n on n.oid = c.relnamespace
      join pg_stats s on s.schemaname = n.nspname and s.tablename = c.relname and not s.inherited where c.oid = $1`,
    values: [oid],
  })
  return new Map(rows.map((row) => [String(row['col']), Number(row['values'])]))
}

/** Chooses the column to index; undefined without records or without advice. */
export async function chooseIndexColumn(
  { database, layout }: IndexDatabase,
  target: Pick<IndexTarget, 'number' | 'table'>,
  wish: IndexAdvice,
): Promise<string | undefined> {
  if (layout === 'citus') return chooseColumn(wish, new Map()) // the statistics are on the machine that has the rows
  const leaf = await findPartition(database, target)
  return leaf === undefined ? undefined : chooseColumn(wish, await readDistinctCounts(database, leaf))
}

/**
 * Builds the statement that creates an index over the rows of one entity of a connector. `connector_id` is constant there, so the index
 * leaves it out. The planner can prove the condition, because searches are planned with the connector's number (`searchSettings`).
 */
export const buildIndexSql = (
  layout: TableLayout,
  { id, leaf, number, table, column }: IndexTarget & { readonly id: string; readonly leaf: string },
): string =>
  `create index ${layout === 'embedded' ? '' : 'concurrently '}${quoteName(id)} on ${leaf} (${quoteName(column)}, pk) where ${buildRowCondition(findTableRows(table), String(number))}`

/**
 * Creates an index. On PostgreSQL neither reads nor writes wait for it. A cancelled statement leaves an invalid index, which is dropped
 * later. Citus creates it on every shard; it is empty where the connector has no rows.
 */
export async function createIndex(
  { database, layout }: IndexDatabase,
  wanted: IndexTarget & { readonly id: string },
  signal: AbortSignal,
): Promise<void> {
  const leaf = layout === 'citus' ? quoteTable(findTableRows(wanted.table)) : (await findPartition(database, wanted))?.name
  if (leaf === undefined) return
  const text = buildIndexSql(layout, { ...wanted, leaf })
  if (database.engine === 'postgres') await database.withOwnConnection((run) => run({ text }), { timeoutMs: statementMs, signal })
  else await database.transaction((session) => session.query({ text }), { timeoutMs: embeddedMs })
}

/**
 * Marks a created index as ready.
 * @returns false when it is no longer wanted, or another process took it over
 */
export const finishIndex = ({ database, layout }: IndexDatabase, index: CountedIndex, now: number): Promise<boolean> =>
  database.transaction(async (session) => {
    const [use] = await countUses(session, layout, [index])
    return markReady(session, index.id, { bytes: Number(use?.bytes ?? 0), now })
  })

/** Drops an index if it exists. */
export async function dropIndex(database: ContextDatabase, id: string, signal?: AbortSignal): Promise<void> {
  if (database.engine === 'postgres') {
    const text = `drop index concurrently if exists ${quoteName(id)}`
    await database.withOwnConnection((run) => run({ text }), { timeoutMs: statementMs, signal })
  } else await database.transaction((session) => session.query({ text: `drop index if exists ${quoteName(id)}` }))
}

/** Finds automatic indexes that should not exist. */
export async function findOrphans(database: ContextDatabase): Promise<readonly string[]> {
  const wanted = await database.query<Row>({ text: "select id from cs_indexes where state <> 'failed'" })
  const { rows } = await database.query<Row>({
    // On a machine of Citus, the index of a shard has the number of the shard behind its name.
    text: `select relname::text as name from pg_class where relkind = 'i' and starts_with(relname, $1) and pg_table_is_visible(oid)
      and relname::text <> all($2::text[]) and regexp_replace(relname::text, '_[0-9]+$', '') <> all($2::text[])`,
    values: [indexPrefix, wanted.rows.map(({ id }) => String(id))],
  })
  return rows.map(({ name }) => String(name))
}

/** A new scan counts as a use; after a crash the database counts from zero. */
const use = `update cs_indexes i set scans = c.scans, bytes = c.bytes,
    used_at = case when c.scans > 0 and c.scans <> i.scans then $4 else i.used_at end
  from unnest($1::text[], $2::int8[], $3::int8[]) c(id, scans, bytes) where c.id = i.id and (c.scans <> i.scans or c.bytes <> i.bytes)`

/** Records which indexes searches have used, and deletes expired rows (`deleteExpired`). The indexes of deleted rows are orphans. */
export async function recordUses(
  { database, layout, readReplicas }: IndexDatabase & { readonly readReplicas: ReadReplicas },
  now: number,
): Promise<void> {
  const { rows } = await database.query<Row>({ text: "select id, name from cs_indexes where state = 'ready' order by id" })
  const indexes = rows.map(({ id, name }) => ({ id: String(id), table: String(name) }))
  const onReplicas = await countReplicaScans(readReplicas, indexes)
  await database.transaction(async (session) => {
    const found = (await countUses(session, layout, indexes)).map((use) => ({ ...use, scans: use.scans + (onReplicas.get(use.id) ?? 0n) }))
    const there = found.filter(({ isMissing }) => !isMissing)
    await session.query({
      text: use,
      values: [there.map(({ id }) => id), there.map(({ scans }) => scans), there.map(({ bytes }) => bytes), now],
    })
    await deleteExpired(session, { missing: found.flatMap(({ id, isMissing }) => (isMissing ? [id] : [])), now })
  })
}

/** `program_limit_exceeded` of PostgreSQL: a value is too long for an index entry (2,700 bytes), so a retry does not help. */
export const valueTooLong = '54000'
