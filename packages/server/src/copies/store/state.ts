/**
 * The state of an entity of a connector: its row in `cs_entities`, which writers lock, so they run one after the other. Every change of rows
 * is noted here, in the counts and in the log of changes. The statements that read what a connector has besides its records stand below.
 */
import { randomInt } from 'node:crypto'
import { BoundedMap, fail } from 'ferrule/internal'
import type { EntityRef } from '../entity-ref.ts'
import { buildRowCondition, parseTableName, quoteName, quoteTable } from '../search/columns.ts'
import { holdConnector } from './database/connector-lock.ts'
import type { ContextDatabase, Row, Session, Statement } from './database/database.ts'
import {
  dayMs,
  type Entries,
  isOfLog,
  type Log,
  type LogPosition,
  type LogReading,
  latestReadAt,
  logColumns,
  parseLog,
  writeLog,
} from './log.ts'
import type { ConnectorTable } from './registry.ts'
import type { EntityRows } from './replicas/facts.ts'

/** State of an entity of a connector. */
export interface CopyState {
  readonly records: number
  /** Time of the last deletion, in milliseconds since 1970. */
  readonly deletedAt: number
  readonly pass: string | null
  /** Number of deletions of listed words: words that were listed before one may be missing. */
  readonly pruned: string
  /** Number of changes of the rows and of their passes: while it stays, a page that was stored is still stored. */
  readonly changes: bigint
  readonly log: Log
}

/** The counts of changes begin anywhere, so a recreated entity does not repeat the counts that searches and live reads remember. */
const latestBegin = 2 ** 47

/** Locks the state of an entity until the end of the transaction; creates it for the first batch. */
export async function lockState(session: Session, { number, known }: ConnectorTable): Promise<CopyState> {
  const taken = await lockExistingState(session, number, known.table.name)
  if (taken !== undefined) return taken
  if (!(await holdConnector(session, number))) throw fail('connector_not_found', {})
  await session.query({
    text: 'insert into cs_entities (connector_id, name, listed, pruned, changes) values ($1, $2, $3, $3, $3) on conflict do nothing',
    values: [number, known.table.name, randomInt(latestBegin)],
  })
  const made = await lockExistingState(session, number, known.table.name)
  if (made === undefined) throw fail('unavailable', { reason: 'the copy was deleted meanwhile' })
  return made
}

/**
 * Locks the state of an entity until the end of the transaction; undefined before its first batch. The statement reads nothing else: it
 * reads other tables as they were before it waited.
 */
export async function lockExistingState(session: Session, number: number, name: string): Promise<CopyState | undefined> {
  const { rows } = await session.query<Row>({
    name: 'cs_state',
    text: `select records, deleted_at, pass, pruned, changes, ${logColumns} from cs_entities where connector_id = $1 and name = $2 for update`,
    values: [number, name],
  })
  const [row] = rows
  if (row === undefined) return undefined
  const { records, deleted_at: deletedAt, pass, pruned, changes } = row
  return {
    records: Number(records),
    deletedAt: Number(deletedAt),
    pass: typeof pass === 'string' ? pass : null,
    pruned: String(pruned),
    changes: BigInt(String(changes)),
    log: parseLog(row),
  }
}

interface RowChange {
  /** Created minus deleted rows. */
  readonly by: number
  /** Time of a deletion, in milliseconds since 1970. */
  readonly removedAt?: number
  /** True when rows were replaced. */
  readonly hasUpdated?: boolean
  /** True when words were listed: searches that looked up words before must look them up again (`lookups.ts`). */
  readonly hasListed?: boolean
  /** The keys, for the log; `ends`: rows go without being told one by one, and the log ends. */
  readonly entries: Entries | 'ends'
}

/**
 * Notes a change of rows in the counts of an entity, and in its log. Whatever creates, replaces or deletes rows calls it in its transaction.
 * @param state as it was locked
 * @returns whether anything has changed
 */
export async function noteChange(session: Session, rows: EntityRows, { log }: Pick<CopyState, 'log'>, change: RowChange): Promise<boolean> {
  const { by, removedAt, hasUpdated = false, hasListed = false } = change
  if (by === 0 && removedAt === undefined && !hasUpdated && !hasListed) return false
  const { feed, position, keptAfter } = await writeLog(session, rows, log, change.entries)
  await session.query({
    name: 'cs_count',
    text: `update cs_entities set records = records + $3, deleted_at = greatest(deleted_at, $4), listed = listed + $5,
        changes = changes + 1, feed = $6, position = $7, kept_after = $8,
        kept_for = case when $6::int8 is not null then kept_for end
      where connector_id = $1 and name = $2`,
    values: [rows.number, rows.name, by, removedAt ?? 0, hasListed ? 1 : 0, feed, position, keptAfter],
  })
  return true
}

/** Gives each log the rules of now: they can change while nobody reads it. */
async function setLogRules(
  database: Pick<ContextDatabase, 'query' | 'transaction'>,
  { rules: { days: usual, isAlwaysOn }, now }: LogReading,
  own: ReadonlyMap<string, number>,
): Promise<void> {
  const { rows } = await database.query<Row>({
    text: `select connector_id, name, days from cs_entities e join (select number, coalesce(days, $3) as days from cs_connectors
      left join unnest($1::uuid[], $2::int4[]) own(id, days) using (id)) c on number = connector_id
      where feed is not null and (log_days <> days or (read_at = $4) <> $5)`,
    values: [[...own.keys()], [...own.values()], usual, latestReadAt, isAlwaysOn],
  })
  const text = `update cs_entities set log_days = $3, read_at = case when $5 then $4 when read_at = $4 then $6 else read_at end
    where connector_id = $1 and name = $2`
  for (const { connector_id: number, name, days } of rows)
    await database.transaction((session) =>
      session.query({ text, values: [Number(number), String(name), Number(days), latestReadAt, isAlwaysOn, now] }),
    )
}

/** Lists the entities of connectors with changes in their logs, or whose log nobody reads any more. */
async function listLogs(database: Pick<ContextDatabase, 'query'>, now: number): Promise<readonly EntityRows[]> {
  const { rows } = await database.query<Row>({
    text: `select connector_id, name from cs_entities
      where position > kept_after or (feed is not null and kept_for is null and $1 - read_at > log_days::int8 * ${dayMs})`,
    values: [now],
  })
  return rows.map(({ connector_id: number, name }) => ({ number: Number(number), name: String(name) }))
}

/** Deletes some changes of an entity whose days are over. @returns false when nothing is left to delete */
async function pruneLog(session: Session, rows: EntityRows, now: number): Promise<boolean> {
  const log = (await lockExistingState(session, rows.number, rows.name))?.log
  if (log === undefined) return false
  const end = await writeLog(session, rows, log, { cause: 'sync', at: now })
  if (end.keptAfter === log.keptAfter && end.feed === log.feed) return false
  const { feed, position, keptAfter } = end
  await session.query({
    text: `update cs_entities set feed = $3, position = $4, kept_after = $5, kept_for = case when $3::int8 is not null then kept_for end
      where connector_id = $1 and name = $2`,
    values: [rows.number, rows.name, feed, position, keptAfter],
  })
  return true
}

/** Reads how many bytes of changes the consumer furthest behind has not read in an entity. */
async function readConsumerLag(database: Pick<ContextDatabase, 'query'>): Promise<number> {
  const text = 'select max(position - kept_for) as lag from cs_entities where kept_for is not null'
  const { rows } = await database.query<Row>({ text })
  return Number(rows[0]?.['lag'] ?? 0)
}

/**
 * Deletes changes whose days are over.
 * @param own days of connectors with a value of their own, by their ids
 * @returns how many bytes of changes the consumer furthest behind has not read in an entity
 */
export async function purgeLogs(
  database: Pick<ContextDatabase, 'query' | 'transaction'>,
  reading: LogReading,
  own: ReadonlyMap<string, number>,
): Promise<number> {
  await setLogRules(database, reading, own)
  for (const rows of await listLogs(database, reading.now))
    for (let more = true; more; ) more = await database.transaction((session) => pruneLog(session, rows, reading.now))
  return readConsumerLag(database)
}

/**
 * Notes from where on consumers need the changes of an entity.
 * @param findNeeded reads where they are, while the state is locked: of two notes, the later one knows more
 */
export async function keepLog(session: Session, rows: EntityRows, findNeeded: () => Promise<readonly LogPosition[]>): Promise<void> {
  const log = (await lockExistingState(session, rows.number, rows.name))?.log
  if (log === undefined || log.feed === null) return
  const { feed } = log
  const needed = (await findNeeded()).flatMap(({ generation, position }) => (isOfLog(generation, feed) ? [position] : []))
  const keptFor = needed.reduce<bigint | null>((least, each) => (least === null || each < least ? each : least), null)
  if (keptFor === log.keptFor) return
  await session.query({
    text: 'update cs_entities set kept_for = $3 where connector_id = $1 and name = $2',
    values: [rows.number, rows.name, keptFor],
  })
}

/** Builds the statement that counts the records of each entity of a connector. */
export const buildCountsStatement = (number: number): Statement => ({
  name: 'cs_counts',
  text: 'select e.name, t.entity, e.records from cs_entities e left join cs_tables t on t.name = e.name where e.connector_id = $1',
  values: [number],
})

/** Parses the rows of `buildCountsStatement` into counts by entity. While rows of an own kind move, the entity has two of them. */
export function parseCounts(rows: readonly Row[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const { name, entity, records } of rows) {
    const found = parseTableName(String(name))?.entity ?? entity
    if (typeof found === 'string') counts.set(found, (counts.get(found) ?? 0) + Number(records))
  }
  return counts
}

/** Builds the statement that reads how often the rows of an entity have changed. */
export const buildChangesStatement = ({ number, known }: ConnectorTable): Statement => ({
  name: 'cs_changes',
  text: 'select changes from cs_entities where connector_id = $1 and name = $2',
  values: [number, known.table.name],
})

/** Parses the row of `buildChangesStatement`; undefined without a row. */
export const parseChanges = ([row]: readonly Row[]): bigint | undefined => (row === undefined ? undefined : BigInt(String(row['changes'])))

const rememberedCounts = 10_000

/** Names the changes of an entity in a database. */
export const nameChanges = (epoch: number, { connector, entity }: EntityRef): string => `${epoch} ${connector} ${entity}`

type WriteCounter = Pick<ContextDatabase, 'engine' | 'countWrites'>

/** Counts of changes that an embedded database is not asked for again: no other process writes to it. */
export class KnownChanges {
  readonly #known = new BoundedMap<
    string,
    { readonly database: WriteCounter; readonly writes: number; readonly count: bigint | undefined }
  >(rememberedCounts)

  /**
   * Returns the count of an entity, from memory while this process has written nothing.
   * @param name result of `nameChanges`
   */
  async read(database: WriteCounter, name: string, ask: () => Promise<bigint | undefined>): Promise<bigint | undefined> {
    if (database.engine !== 'embedded') return ask()
    const writes = database.countWrites()
    const known = this.#known.get(name)
    if (known?.writes === writes) return known.count
    const count = await ask()
    this.#known.set(name, { database, writes, count })
    return count
  }

  /** Returns a count from memory; undefined if this process has written since. */
  peek(name: string): bigint | undefined {
    const known = this.#known.get(name)
    return known !== undefined && known.writes === known.database.countWrites() ? known.count : undefined
  }
}

/** Builds the statement that reads the checkpoints of an entity. */
export const buildCheckpointsStatement = ({ number, known }: ConnectorTable): Statement => ({
  name: 'cs_checkpoints',
  text: 'select part, value from cs_checkpoints where connector_id = $1 and name = $2',
  values: [number, known.table.name],
})

/** Parses the rows of `buildCheckpointsStatement` into JSON by name. */
export const parseCheckpoints = (rows: readonly Row[]): ReadonlyMap<string, string> =>
  new Map(rows.map(({ part, value }) => [String(part), String(value)]))

/** A page of keys, after a given key. */
export interface KeyPage {
  readonly after?: string | undefined
  readonly limit: number
  /** Only records with this value in a searchable field; `anyCase`: in small or capital letters. */
  readonly under?: { readonly field: string; readonly value: unknown; readonly anyCase?: boolean }
}

/** Builds the statement that reads keys of an entity in their order. */
export function buildKeysStatement({ number, known }: ConnectorTable, { after = '', limit, under }: KeyPage): Statement {
  const column = known.table.columns.find(({ name }) => name === under?.field)?.sql
  if (under !== undefined && column === undefined) throw new Error(`There is no column ${under.field} in ${known.table.name}`)
  const fold = (sql: string): string => (under?.anyCase === true ? `cs_lower(${sql})` : sql)
  const isUnder = column === undefined ? '' : ` and ${fold(`${quoteName(column)}::text`)} = ${fold('$4')}`
  return {
    text: `select pk from ${quoteTable(known.table)} where ${buildRowCondition(known.table)} and pk > $2${isUnder} order by pk limit $3`,
    values: [number, after, limit, ...(under === undefined ? [] : [String(under.value)])],
  }
}

/** Builds the statement that finds which of some keys are stored. */
export const buildKnownStatement = ({ number, known }: ConnectorTable, keys: readonly string[]): Statement => ({
  ...known.encoder.probe,
  values: [number, keys],
})

/** Parses rows into keys. */
export const parseKeys = (rows: readonly Row[]): readonly string[] => rows.map(({ pk }) => String(pk))
