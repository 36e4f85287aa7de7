/** Counts how often searches read automatic indexes. */
import type { Row, Session, Statement } from '../database/database.ts'
import type { TableLayout } from '../database/layout.ts'

/** An automatic index and its table. */
export interface CountedIndex {
  readonly id: string
  readonly table: string
}

/** Scans and size of an index, as counted by the database. */
export interface IndexUse {
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
export type ReadReplicas = (statement: Statement) => Promise<readonly Row[]>

/** Counts the scans of indexes on read replicas, which the primary does not know of. A replica that does not answer counts none. */
export async function countReplicaScans(
  readReplicas: ReadReplicas,
  indexes: readonly CountedIndex[],
): Promise<ReadonlyMap<string, bigint>> {
  const scans = new Map<string, bigint>()
  if (indexes.length === 0) return scans
  for (const row of await readReplicas({ text: onServer, values: [indexes.map(({ id }) => id)] })) {
    const use = parseUse(row, String(row['id']))
    scans.set(use.id, (scans.get(use.id) ?? 0n) + use.scans)
  }
  return scans
}

/** Adds scans to the uses of indexes. */
export const addScans = (uses: readonly IndexUse[], scans: ReadonlyMap<string, bigint>): readonly IndexUse[] =>
  uses.map((use) => ({ ...use, scans: use.scans + (scans.get(use.id) ?? 0n) }))

const parseUse = (row: Row, id: string): IndexUse => ({
  id,
  isMissing: row['missing'] === true,
  scans: BigInt(String(row['scans'])),
  bytes: BigInt(String(row['bytes'])),
})

/** Counts the uses of automatic indexes. */
export async function countUses(session: Session, layout: TableLayout, indexes: readonly CountedIndex[]): Promise<readonly IndexUse[]> {
  const { rows } = await session.query<Row>({ text: onServer, values: [indexes.map(({ id }) => id)] })
  const local = rows.map((row) => parseUse(row, String(row['id'])))
  if (layout !== 'citus') return local
  const tables = new Map(indexes.map(({ id, table }) => [id, table]))
  const found: IndexUse[] = []
  for (const use of local) {
    if (use.isMissing) found.push(use)
    else {
      const sums = await session.query<Row>({ text: onShards, values: [`"${tables.get(use.id) ?? ''}"`, use.id] })
      found.push(...sums.rows.map((row) => parseUse(row, use.id)))
    }
  }
  return found
}
