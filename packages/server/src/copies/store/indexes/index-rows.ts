/**
 * Rows of `cs_indexes`, which decide which indexes exist. Any process drops an automatic index without a row, or with a row that says
 * failed. Each attempt uses a new name, so leftovers of earlier attempts are recognizable.
 */
import { parseTableName } from '../../search/columns.ts'
import { holdConnector } from '../database/connector-lock.ts'
import type { ContextDatabase, Row, Session } from '../database/database.ts'
import type { IndexRules, IndexState } from './types.ts'

/** Prefix of the names of automatic indexes. */
export const indexPrefix = 'cs_on_demand_'
/** Timeout of one statement that creates or drops an index, in milliseconds. */
export const statementMs = 600_000
/** Lease of a builder in milliseconds. After it the builder is dead: its statements would have ended. */
const leaseMs = 2 * statementMs
const minute = 60_000
const day = 24 * 60 * minute
/** Pauses after each failure but the last, in milliseconds. After the last one the column is left alone for a week. */
const pauses = [minute, 10 * minute, 60 * minute] as const
const mostAttempts = pauses.length + 1
/** Unused indexes are dropped after this time, in milliseconds. */
const unusedMs = 7 * day

/** A row. Timestamps are milliseconds since 1970. */
export interface IndexRow {
  readonly connector: string
  readonly number: number
  /** Slug of the kind; of an organization's kind its id. */
  readonly kind: string
  readonly entity: string
  readonly table: string
  readonly column: string
  /** Name of the index. */
  readonly id: string
  readonly state: IndexState
  /** Process that creates the index. */
  readonly owner: string
  /** While building: end of the builder's lease. After a failure: time of the next attempt, or of deletion. */
  readonly until: number
  readonly attempts: number
  readonly createdAt: number
  readonly usedAt: number | null
  readonly bytes: number
  readonly error: string | null
}

const selection = `select c.id::text as connector, i.connector_id as number, t.kind, t.entity, i.name as in_table, i.col, i.id as named,
    i.state, i.owner, i.until, i.attempts, i.created_at, i.used_at, i.bytes, i.error
  from cs_indexes i join cs_connectors c on c.number = i.connector_id left join cs_tables t on t.name = i.name`

const states: readonly IndexState[] = ['building', 'ready', 'failed']

const parseRow = (row: Row): IndexRow => ({
  connector: String(row['connector']),
  number: Number(row['number']),
  ...(parseTableName(String(row['in_table'])) ?? { kind: String(row['kind']), entity: String(row['entity']) }),
  table: String(row['in_table']),
  column: String(row['col']),
  id: String(row['named']),
  state: states.find((state) => state === row['state']) ?? 'failed',
  owner: String(row['owner']),
  until: Number(row['until']),
  attempts: Number(row['attempts']),
  createdAt: Number(row['created_at']),
  usedAt: row['used_at'] === null ? null : Number(row['used_at']),
  bytes: Number(row['bytes']),
  error: row['error'] === null ? null : String(row['error']),
})

/** Reads all rows, or those of one connector; they are few. */
export async function readRows(database: Pick<ContextDatabase, 'query'>, connector?: string): Promise<readonly IndexRow[]> {
  const order = 'order by i.created_at, i.col'
  const { rows } =
    connector === undefined
      ? await database.query({ name: 'cs_indexes', text: `${selection} ${order}` })
      : await database.query({ name: 'cs_indexes_of', text: `${selection} where c.id = $1::uuid ${order}`, values: [connector] })
  return rows.map(parseRow)
}

/** An index to create. */
export type IndexTarget = Pick<IndexRow, 'number' | 'table' | 'column'>

/** Process that wants to create an index. */
export interface IndexBuilder {
  /** Id of the process. */
  readonly owner: string
  readonly now: number
  /** True when no other process uses the database: claims of other processes are then void. */
  readonly isAlone: boolean
}

/**
 * Result of a claim. `busy`: another index is being created, try again. `refused`: the index exists, rests after a failure, or there is no
 * room.
 */
export type ClaimResult = 'claimed' | 'busy' | 'refused'

const isGivenUp = ({ state, attempts }: IndexRow): boolean => state === 'failed' && attempts >= mostAttempts

/** Returns whether another process creates the index now. */
const isBeingBuilt = ({ state, owner, until }: IndexRow, builder: IndexBuilder): boolean =>
  state === 'building' && !builder.isAlone && owner !== builder.owner && until > builder.now

/** Returns whether an attempt is due: the builder died, or the pause after a failure is over. */
export const isDue = (row: IndexRow, builder: IndexBuilder): boolean =>
  row.state === 'building' ? !isBeingBuilt(row, builder) : row.state === 'failed' && !isGivenUp(row) && row.until <= builder.now

const findLastUse = ({ usedAt, createdAt }: IndexRow): number => Math.max(usedAt ?? 0, createdAt)

/**
 * Finds the rows that leave no room for one more index. An organization has few over all kinds that it brought, and all such kinds together
 * have at most half of all, because anybody may bring kinds.
 */
function findCrowd(rows: readonly IndexRow[], wanted: IndexTarget, rules: IndexRules): readonly IndexRow[] | undefined {
  const organization = parseTableName(wanted.table)?.organization
  const made = rows.filter((row) => !isGivenUp(row))
  const own = made.filter((row) => parseTableName(row.table) !== undefined)
  const mine = own.filter((row) => parseTableName(row.table)?.organization === organization)
  const bounds: readonly (readonly [readonly IndexRow[], number])[] = [
    [made.filter((row) => row.number === wanted.number && row.table === wanted.table), rules.mostOfEntity],
    ...(organization === undefined ? [] : ([[mine, rules.mostOfOrganization]] as const)),
    ...(organization === undefined ? [] : ([[own, Math.floor(rules.mostInAll / 2)]] as const)),
    [rows, rules.mostInAll],
  ]
  return bounds.find(([found, most]) => found.length >= most)?.[0]
}

/**
 * Finds room for one more index: the row to delete, undefined if there is room, or `full`. Deletes only indexes that were unused for a
 * day.
 */
function findRoom(rows: readonly IndexRow[], { wanted, rules, now }: { wanted: IndexTarget; rules: IndexRules; now: number }) {
  const crowd = findCrowd(rows, wanted, rules)
  if (crowd === undefined) return undefined
  const idle = crowd.filter((row) => row.state === 'ready' && findLastUse(row) <= now - day)
  return idle.toSorted((a, b) => findLastUse(a) - findLastUse(b))[0] ?? 'full'
}

/**
 * Claims the creation of an index, in a transaction; the whole database creates one index at a time.
 * @param id name of the index, never used before
 * @returns `claimed` when the caller creates it now
 */
export async function claimIndex(
  session: Session,
  wanted: IndexTarget,
  { id, builder, rules }: { id: string; builder: IndexBuilder; rules: IndexRules },
): Promise<ClaimResult> {
  const { number, table, column } = wanted
  if (!(await holdConnector(session, number))) return 'refused'
  const large = await session.query({
    text: 'select from cs_entities where connector_id = $1 and name = $2 and records >= $3',
    values: [number, table, rules.leastRecords],
  })
  if (large.rows.length === 0) return 'refused'
  await session.query({ text: 'lock table cs_indexes in share row exclusive mode' })
  const rows = (await session.query<Row>({ text: selection })).rows.map(parseRow)
  if (rows.some((row) => isBeingBuilt(row, builder))) return 'busy'
  const known = rows.find((row) => row.number === wanted.number && row.table === wanted.table && row.column === wanted.column)
  if (known !== undefined) return reclaimIndex(session, known, { id, builder })
  const leaves = findRoom(rows, { wanted, rules, now: builder.now })
  if (leaves === 'full') return 'refused'
  if (leaves !== undefined) await session.query({ text: 'delete from cs_indexes where id = $1', values: [leaves.id] })
  await session.query({
    text: `insert into cs_indexes (connector_id, name, col, id, state, owner, until, attempts, created_at)
      values ($1, $2, $3, $4, 'building', $5, $6, 1, $7)`,
    values: [number, table, column, id, builder.owner, builder.now + leaseMs, builder.now],
  })
  return 'claimed'
}

async function reclaimIndex(session: Session, row: IndexRow, { id, builder }: { id: string; builder: IndexBuilder }): Promise<ClaimResult> {
  if (!isDue(row, builder)) return 'refused'
  if (row.attempts >= mostAttempts) {
    await markGivenUp(session, row.id, { error: row.error ?? 'unavailable', now: builder.now })
    return 'refused'
  }
  await session.query({
    text: `update cs_indexes set id = $2, state = 'building', owner = $3, until = $4, attempts = attempts + 1 where id = $1`,
    values: [row.id, id, builder.owner, builder.now + leaseMs],
  })
  return 'claimed'
}

/**
 * Marks an index as ready.
 * @returns false when it is no longer wanted, or another process took it over
 */
export async function markReady(session: Session, id: string, { bytes, now }: { bytes: number; now: number }): Promise<boolean> {
  const { count } = await session.query({
    text: `update cs_indexes set state = 'ready', created_at = $2, until = 0, attempts = 0, error = null, bytes = $3
      where id = $1 and state = 'building'`,
    values: [id, now, bytes],
  })
  return count > 0
}

/** Marks an index as failed; each pause before the next attempt is longer. */
export async function markFailed(session: Session, id: string, { error, now }: { error: string; now: number }): Promise<void> {
  const rests = pauses.map((pause, index) => `when ${index + 1} then ${pause}`).join(' ')
  await session.query({
    text: `update cs_indexes set state = 'failed', error = $2, until = $3::int8 + case attempts ${rests} else ${unusedMs} end
      where id = $1 and state = 'building'`,
    values: [id, error, now],
  })
}

/** Marks an index as impossible: its column is left alone for a week. */
export async function markGivenUp(session: Session, id: string, { error, now }: { error: string; now: number }): Promise<void> {
  await session.query({
    text: `update cs_indexes set state = 'failed', error = $2, attempts = ${mostAttempts}, until = $3, bytes = 0 where id = $1`,
    values: [id, error, now + unusedMs],
  })
}

/** Releases a claim when the process ends. Another process may start at once, and the attempt does not count. */
export const releaseClaim = (session: Session, id: string) =>
  session.query({
    text: `update cs_indexes set until = 0, attempts = attempts - 1 where id = $1 and state = 'building'`,
    values: [id],
  })

/** Deletes rows of missing indexes, of indexes unused for a week, and of failures older than a week. */
export const deleteExpired = (session: Session, { missing, now }: { missing: readonly string[]; now: number }) =>
  session.query({
    text: `delete from cs_indexes where (state = 'ready' and (id = any($3::text[]) or greatest(used_at, created_at) <= $1))
      or (state = 'failed' and attempts >= ${mostAttempts} and until <= $2)`,
    values: [now - unusedMs, now, missing],
  })
