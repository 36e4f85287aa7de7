/** Making, watching and dropping indexes in the database. */
import { quoted } from '../query/columns.ts'
import type { ContextDatabase, EngineName, Row } from '../store/database.ts'
import { forgetOver, indexPrefix, statementMs, type Wanted } from './rows.ts'
import { chosenOf, type Wish } from './wish.ts'

/** A plain statement keeps everybody else waiting, so the embedded database gets less time: a million records take some seconds. Milliseconds. */
const embeddedMs = 120_000

/** Where the rows of a connector lie. */
interface Leaf {
  /** Object id of the partition. */
  readonly oid: number
  /** Its name, quoted where it needs to be. */
  readonly name: string
}

/** The partition that holds the rows of a connector; undefined when there are none. All of them are in one. */
async function leafOf(database: ContextDatabase, { number, table }: Pick<Wanted, 'number' | 'table'>): Promise<Leaf | undefined> {
  const { rows } = await database.query<Row>({
    text: `select tableoid as oid, tableoid::regclass::text as name from ${quoted(table)} where connector_id = $1 limit 1`,
    values: [number],
  })
  return rows[0] === undefined ? undefined : { oid: Number(rows[0]['oid']), name: String(rows[0]['name']) }
}

/** Distinct values of columns, by the statistics of the partition; a share of the rows is negative there. */
async function distinctOf(database: ContextDatabase, { oid }: Leaf): Promise<ReadonlyMap<string, number>> {
  const { rows } = await database.query<Row>({
    text: `select s.attname::text as col, case when s.n_distinct < 0 then -s.n_distinct * greatest(c.reltuples, 0) else s.n_distinct end::float8 as values
      from pg_class c join pg_namespace n on n.oid = c.relnamespace
      join pg_stats s on s.schemaname = n.nspname and s.tablename = c.relname and not s.inherited where c.oid = $1`,
    values: [oid],
  })
  return new Map(rows.map((row) => [String(row['col']), Number(row['values'])]))
}

/** The column of a wish that an index is made for; undefined when there are no records, or nothing is wished. */
export async function columnFor(
  database: ContextDatabase,
  place: Pick<Wanted, 'number' | 'table'>,
  wish: Wish,
): Promise<string | undefined> {
  const leaf = await leafOf(database, place)
  return leaf === undefined ? undefined : chosenOf(wish, await distinctOf(database, leaf))
}

/**
 * The statement that makes an index over the rows of one connector: `connector_id` is the same in all of them, so it is not in the
 * index. The planner proves the condition because searches are planned when the connector's number is known (`searchSettings`).
 */
export const indexSql = (
  engine: EngineName,
  { id, leaf, number, column }: { id: string; leaf: string; number: number; column: string },
): string =>
  `create index ${engine === 'postgres' ? 'concurrently ' : ''}${quoted(id)} on ${leaf} (${quoted(column)}, pk) where connector_id = ${number}`

/** Makes an index; neither reads nor writes wait for it on PostgreSQL. Stopped there, it leaves an invalid one, which is dropped later. */
export async function makeIndex(database: ContextDatabase, wanted: Wanted & { readonly id: string }, signal: AbortSignal): Promise<void> {
  const leaf = await leafOf(database, wanted)
  if (leaf === undefined) return
  const text = indexSql(database.engine, { ...wanted, leaf: leaf.name })
  if (database.engine === 'postgres') await database.apart((run) => run({ text }), { timeoutMs: statementMs, signal })
  else await database.transaction((session) => session.query({ text }), { timeoutMs: embeddedMs })
}

/** Drops an index, if it is there. */
export async function dropIndex(database: ContextDatabase, id: string, signal?: AbortSignal): Promise<void> {
  if (database.engine === 'postgres') {
    const text = `drop index concurrently if exists ${quoted(id)}`
    await database.apart((run) => run({ text }), { timeoutMs: statementMs, signal })
  } else await database.transaction((session) => session.query({ text: `drop index if exists ${quoted(id)}` }))
}

/** Indexes of our names that are not to be there. */
export async function orphans(database: ContextDatabase): Promise<readonly string[]> {
  const { rows } = await database.query<Row>({
    text: `select c.relname::text as name from pg_class c where c.relkind = 'i' and starts_with(c.relname, $1) and pg_table_is_visible(c.oid)
      and not exists (select from cs_indexes i where i.id = c.relname and i.state <> 'failed')`,
    values: [indexPrefix],
  })
  return rows.map(({ name }) => String(name))
}

/** What the database has counted of each index that is there: its scans, and its size. */
const counted = `select id, coalesce(pg_stat_get_numscans(to_regclass(id)), 0) as scans, coalesce(pg_relation_size(to_regclass(id)), 0) as bytes
  from cs_indexes where state = 'ready'`

/** A use is a scan more than the last time; after a crash the database counts from zero. */
const use = `update cs_indexes i set scans = c.scans, bytes = c.bytes,
    used_at = case when c.scans > 0 and c.scans <> i.scans then $1 else i.used_at end
  from (${counted}) c where c.id = i.id and (c.scans <> i.scans or c.bytes <> i.bytes)`

/**
 * Notes which indexes searches have used, and forgets what is over (`forgetOver`). What that leaves behind is among the orphans then.
 * @param now milliseconds since 1970
 */
export const look = (database: ContextDatabase, now: number): Promise<void> =>
  database.transaction(async (session) => {
    await session.query({ text: use, values: [now] })
    await forgetOver(session, now)
  })

/** `program_limit_exceeded` of PostgreSQL: a value is too long for an entry of an index (2,700 bytes); trying again will not help. */
export const tooLong = '54000'
