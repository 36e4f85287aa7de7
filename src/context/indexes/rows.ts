/**
 * The rows of `cs_indexes`: which indexes are to be there. A row decides: an index of our names without one, or whose row says that it
 * failed, is dropped by whoever looks next. Each attempt has a name of its own, so what an earlier one has left behind can be told apart.
 */
import type { ContextDatabase, Row, Session } from '../store/database.ts'
import type { IndexRules, IndexState } from './types.ts'

/** Begins the names of indexes. */
export const indexPrefix = 'cs_on_demand_'
/** Longest time of one statement that makes or drops an index. Milliseconds. */
export const statementMs = 600_000
/** A builder that has said nothing for so long is dead: its statements would have ended. Milliseconds. */
const leaseMs = 2 * statementMs
const minute = 60_000
const day = 24 * 60 * minute
/** Waits after a failure, the first to the last but one; after the last one the column is left alone for a week. */
const pauses = [minute, 10 * minute, 60 * minute] as const
const mostAttempts = pauses.length + 1
/** An index that was not used for so long goes. Milliseconds. */
const unusedMs = 7 * day

/** A row. Moments are milliseconds since 1970. */
export interface IndexRow {
  readonly connector: string
  readonly number: number
  readonly kind: string
  readonly entity: string
  readonly table: string
  /** Column of the database. */
  readonly column: string
  /** Name of the index. */
  readonly id: string
  readonly state: IndexState
  /** Which process makes it. */
  readonly owner: string
  /** While it is made: when its builder counts as dead. After a failure: when it is tried again, or forgotten. */
  readonly until: number
  readonly attempts: number
  readonly createdAt: number
  readonly usedAt: number | null
  readonly bytes: number
  readonly error: string | null
}

const selection = `select c.id::text as connector, i.connector_id as number, t.kind, t.entity, i.name as in_table, i.col, i.id as named,
    i.state, i.owner, i.until, i.attempts, i.created_at, i.used_at, i.bytes, i.error
  from cs_indexes i join cs_connectors c on c.number = i.connector_id join cs_tables t on t.name = i.name`

const states: readonly IndexState[] = ['building', 'ready', 'failed']

const rowOf = (row: Row): IndexRow => ({
  connector: String(row['connector']),
  number: Number(row['number']),
  kind: String(row['kind']),
  entity: String(row['entity']),
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

/** All rows, or those of one connector. They are few. */
export async function readRows(database: Pick<ContextDatabase, 'query'>, connector?: string): Promise<readonly IndexRow[]> {
  const order = 'order by i.created_at, i.col'
  const { rows } =
    connector === undefined
      ? await database.query({ name: 'cs_indexes', text: `${selection} ${order}` })
      : await database.query({ name: 'cs_indexes_of', text: `${selection} where c.id = $1::uuid ${order}`, values: [connector] })
  return rows.map(rowOf)
}

/** An index that is to be made. */
export interface Wanted {
  readonly number: number
  readonly table: string
  readonly column: string
}

/** Who wants to make it. */
export interface Builder {
  /** Id of this process. */
  readonly owner: string
  /** Milliseconds since 1970. */
  readonly now: number
  /** Whether no other process uses the database: then what another one has begun is over. */
  readonly isAlone: boolean
}

/** A claim; `busy`: another index is being made, ask again; `refused`: it is there, rests after a failure, or there is no room. */
export type Claim = 'claimed' | 'busy' | 'refused'

const isSame = (wanted: Wanted, row: IndexRow): boolean =>
  row.number === wanted.number && row.table === wanted.table && row.column === wanted.column

const isGivenUp = ({ state, attempts }: IndexRow): boolean => state === 'failed' && attempts >= mostAttempts

/** Whether somebody else makes it at this moment. */
const isUnderWay = ({ state, owner, until }: IndexRow, builder: Builder): boolean =>
  state === 'building' && !builder.isAlone && owner !== builder.owner && until > builder.now

/** Whether it is time for another attempt: its builder died, or the pause after a failure is over. */
export const isDue = (row: IndexRow, builder: Builder): boolean =>
  row.state === 'building' ? !isUnderWay(row, builder) : row.state === 'failed' && !isGivenUp(row) && row.until <= builder.now

const lastUse = ({ usedAt, createdAt }: IndexRow): number => Math.max(usedAt ?? 0, createdAt)

/** What has to go so that one more has room: a row, nothing, or `full`. Only what was not used for a day goes. */
function making(rows: readonly IndexRow[], { wanted, rules, now }: { wanted: Wanted; rules: IndexRules; now: number }) {
  const own = rows.filter((row) => row.number === wanted.number && row.table === wanted.table && !isGivenUp(row))
  const crowd = own.length >= rules.mostOfEntity ? own : rows.length >= rules.mostInAll ? rows : undefined
  if (crowd === undefined) return undefined
  const idle = crowd.filter((row) => row.state === 'ready' && lastUse(row) <= now - day)
  return idle.toSorted((a, b) => lastUse(a) - lastUse(b))[0] ?? 'full'
}

/**
 * Claims the making of an index in a transaction; one at a time in the whole database.
 * @param id name of the index, never used before
 * @returns whether the caller makes it now
 */
export async function claim(
  session: Session,
  wanted: Wanted,
  { id, builder, rules }: { id: string; builder: Builder; rules: IndexRules },
): Promise<Claim> {
  const { number, table, column } = wanted
  // The share lock waits for a removal of the connector, and lets one wait.
  const there = await session.query({
    text: `select from cs_connectors c join cs_entities e on e.connector_id = c.number and e.name = $2 and e.records >= $3
      where c.number = $1 and not c.removed for share of c`,
    values: [number, table, rules.leastRecords],
  })
  if (there.rows.length === 0) return 'refused'
  await session.query({ text: 'lock table cs_indexes in share row exclusive mode' })
  const rows = (await session.query<Row>({ text: selection })).rows.map(rowOf)
  if (rows.some((row) => isUnderWay(row, builder))) return 'busy'
  const known = rows.find((row) => isSame(wanted, row))
  if (known !== undefined) return again(session, known, { id, builder })
  const leaves = making(rows, { wanted, rules, now: builder.now })
  if (leaves === 'full') return 'refused'
  if (leaves !== undefined) await session.query({ text: 'delete from cs_indexes where id = $1', values: [leaves.id] })
  await session.query({
    text: `insert into cs_indexes (connector_id, name, col, id, state, owner, until, attempts, created_at)
      values ($1, $2, $3, $4, 'building', $5, $6, 1, $7)`,
    values: [number, table, column, id, builder.owner, builder.now + leaseMs, builder.now],
  })
  return 'claimed'
}

async function again(session: Session, row: IndexRow, { id, builder }: { id: string; builder: Builder }): Promise<Claim> {
  if (!isDue(row, builder)) return 'refused'
  if (row.attempts >= mostAttempts) {
    await giveUp(session, row.id, { error: row.error ?? 'unavailable', now: builder.now })
    return 'refused'
  }
  await session.query({
    text: `update cs_indexes set id = $2, state = 'building', owner = $3, until = $4, attempts = attempts + 1 where id = $1`,
    values: [row.id, id, builder.owner, builder.now + leaseMs],
  })
  return 'claimed'
}

/** It is there. @returns false when it is not wanted any more, or another process has taken it over */
export async function markReady(session: Session, id: string, now: number): Promise<boolean> {
  const { count } = await session.query({
    text: `update cs_indexes set state = 'ready', created_at = $2, until = 0, attempts = 0, error = null,
      bytes = coalesce(pg_relation_size(to_regclass(id)), 0) where id = $1 and state = 'building'`,
    values: [id, now],
  })
  return count > 0
}

/** It could not be made: it rests, longer each time. */
export async function markFailed(session: Session, id: string, { error, now }: { error: string; now: number }): Promise<void> {
  const rests = pauses.map((pause, index) => `when ${index + 1} then ${pause}`).join(' ')
  await session.query({
    text: `update cs_indexes set state = 'failed', error = $2, until = $3::int8 + case attempts ${rests} else ${unusedMs} end
      where id = $1 and state = 'building'`,
    values: [id, error, now],
  })
}

/** It cannot be made, however often it is tried: the column is left alone for a week. */
export async function giveUp(session: Session, id: string, { error, now }: { error: string; now: number }): Promise<void> {
  await session.query({
    text: `update cs_indexes set state = 'failed', error = $2, attempts = ${mostAttempts}, until = $3, bytes = 0 where id = $1`,
    values: [id, error, now + unusedMs],
  })
}

/** This process ends: another one may begin at once, and the attempt does not count. */
export const giveBack = (session: Session, id: string) =>
  session.query({
    text: `update cs_indexes set until = 0, attempts = attempts - 1 where id = $1 and state = 'building'`,
    values: [id],
  })

/** Forgets indexes that are gone, those that were not used for a week, and those that could not be made a week ago. */
export const forgetOver = (session: Session, now: number) =>
  session.query({
    text: `delete from cs_indexes where (state = 'ready' and (to_regclass(id) is null or greatest(used_at, created_at) <= $1))
      or (state = 'failed' and attempts >= ${mostAttempts} and until <= $2)`,
    values: [now - unusedMs, now],
  })
