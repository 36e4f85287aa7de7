/**
 * The log of changes of an entity: which records were added, changed and removed, written in the transaction that did it. The state of the
 * entity is locked then, so the order of positions is the order of commits. The log has keys and names of fields, never a record.
 *
 * A row of `cs_changes` is a block: JSON of the keys of up to `blockEntries` records with the same change. It begins after the position `start`,
 * its entries count `size` bytes each, and `position` is that of the last one. So the position of each follows from its place in the block, also
 * where other keys were forgotten: null stands for those. Reasons: docs/decisions/changes.md
 */
import { randomInt } from 'node:crypto'
import type { Row, Session } from './database/database.ts'
import type { EntityRows } from './replicas/facts.ts'

/** Kinds of changes, as readers see them. */
export const changeKinds = ['added', 'changed', 'removed'] as const
/** Kind of a change. */
export type ChangeKind = (typeof changeKinds)[number]

/** What found changes: a sync, a live read, or a read that a webhook of the vendor caused. */
export const changeCauses = ['sync', 'live', 'webhook'] as const
/** What found a change. */
export type ChangeCause = (typeof changeCauses)[number]

/** State of the log of an entity. */
export interface Log {
  /** A random number that is new whenever the log begins; null while nobody reads it, and nothing is written. */
  readonly feed: bigint | null
  /** Position of the newest change that was ever written. Each change adds about its bytes, so one bound limits rows and bytes. */
  readonly position: bigint
  /** Changes up to this position are deleted. */
  readonly keptAfter: bigint
  /** When the log was last read, to the hour, in milliseconds since 1970. */
  readonly readAt: number
  /** Days for which changes are kept, and after which a log ends that nobody reads. */
  readonly days: number
  /** Position of the consumer that is furthest behind: changes after it are kept beyond their days. Null: no consumer reads the log. */
  readonly keptFor: bigint | null
}

/** Columns of the state of an entity that `parseLog` reads. */
export const logColumns = 'feed, position, kept_after, read_at, log_days, kept_for'

/** Parses the columns of a log. */
export const parseLog = (row: Row): Log => ({
  feed: typeof row['feed'] === 'bigint' ? row['feed'] : null,
  position: BigInt(String(row['position'])),
  keptAfter: BigInt(String(row['kept_after'])),
  readAt: Number(row['read_at']),
  days: Number(row['log_days']),
  keptFor: typeof row['kept_for'] === 'bigint' ? row['kept_for'] : null,
})

/** A replaced row. */
export interface ChangedRow {
  readonly key: string
  /** Searchable fields with another value. */
  readonly fields: readonly string[]
}

/** Changes of one transaction. */
export interface Entries {
  readonly added?: readonly string[]
  readonly changed?: readonly ChangedRow[]
  readonly removed?: readonly string[]
  readonly cause: ChangeCause
  /** Milliseconds since 1970. */
  readonly at: number
}

const dayMs = 86_400_000
/** Maximum size of the log of an entity of a connector, in bytes. */
export const mostBytes = 64n * 1_024n * 1_024n
/** Maximum number of entries of a block. Its row is short enough then that PostgreSQL does not compress it, which costs more than many rows. */
export const blockEntries = 50
/** About the bytes of a block without its keys and its names, and of an entry without its key. */
const [blockBytes, entryBytes] = [100, 8]
/** Blocks that a transaction deletes at most, beside twice as many as it writes. */
const pruneBlocks = 1_000

interface Block {
  readonly kind: ChangeKind
  /** JSON of the keys, and of the names of fields. */
  readonly keys: string
  readonly fields: string
  readonly count: number
  /** Bytes of an entry: all count the same. */
  readonly size: number
}

function splitKeys(kind: ChangeKind, all: readonly string[], names: readonly string[] = []): readonly Block[] {
  const blocks: Block[] = []
  const fields = JSON.stringify(names)
  for (let index = 0; index < all.length; index += blockEntries) {
    const some = all.slice(index, index + blockEntries)
    const [keys, count] = [JSON.stringify(some), some.length]
    const size = entryBytes + Math.ceil((blockBytes + Buffer.byteLength(keys) + fields.length) / count)
    blocks.push({ kind, keys, fields, count, size })
  }
  return blocks
}

/** Splits replaced rows by the fields that have another value. */
function splitChanged(changed: readonly ChangedRow[]): readonly Block[] {
  const byFields = Map.groupBy(changed, ({ fields }) => JSON.stringify(fields))
  return [...byFields.values()].flatMap((rows) => {
    const fields = rows[0]?.fields ?? []
    const keys = rows.map(({ key }) => key)
    return fields.length === 0 ? [] : splitKeys('changed', keys, fields)
  })
}

/** Lists changes, deletions first: a key that is removed and added in one transaction is there afterwards. */
const listBlocks = ({ added = [], changed = [], removed = [] }: Entries): readonly Block[] => [
  ...splitKeys('removed', removed),
  ...splitKeys('added', added),
  ...splitChanged(changed),
]

/** Where a log ends up. */
export type LogEnd = Pick<Log, 'feed' | 'position' | 'keptAfter'>

/**
 * Writes changes, and deletes some of the oldest where they are too many bytes. Without changes it deletes those whose days are over, too. A
 * log that nobody reads any more ends, unless it has a consumer.
 * @param log of the locked state
 * @param entries `ends`: the rows go, and none is reported
 * @returns what the caller saves in the state
 */
export async function writeLog(session: Session, rows: EntityRows, log: Log, entries: Entries | 'ends'): Promise<LogEnd> {
  const isRead = log.feed !== null && entries !== 'ends' && (log.keptFor !== null || entries.at - log.readAt <= log.days * dayMs)
  const added = isRead ? listBlocks(entries) : []
  const places = [log.position]
  let { position } = log
  for (const { count, size } of added) {
    position += BigInt(count * size)
    places.push(position)
  }
  if (added.length > 0 && entries !== 'ends') await insertBlocks(session, rows, { blocks: added, places, entries })
  const end = { feed: isRead ? log.feed : null, position }
  const hasOld = isRead && added.length > 0 ? position - log.keptAfter > mostBytes : position > log.keptAfter
  if (!hasOld) return { ...end, keptAfter: log.keptAfter }
  const oldest = isRead ? { upTo: position - mostBytes, before: entries.at - log.days * dayMs } : { upTo: position, before: 0 }
  return { ...end, keptAfter: await prune(session, rows, { ...oldest, limit: pruneBlocks + 2 * added.length, log }) }
}

interface Insertion {
  readonly blocks: readonly Block[]
  /** Where the first block begins, and each ends. */
  readonly places: readonly bigint[]
  readonly entries: Entries
}

/** Writes blocks. Keys go as texts, of which PostgreSQL makes nothing: to read them all from JSON takes more than half of its time. */
const insertBlocks = (session: Session, { number, name }: EntityRows, { blocks, places, entries: { cause, at } }: Insertion) =>
  session.query({
    name: 'cs_log',
    text: `insert into cs_changes (connector_id, name, position, start, size, keys, kind, cause, fields, at)
      select $1::int4, $2::text, position, start, size, keys, kind, $3::text, fields, $4::int8
      from unnest($5::int8[], $6::int8[], $7::int4[], $8::text[], $9::text[], $10::text[]) as block(start, position, size, keys, kind, fields)`,
    values: [
      ...[number, name, cause, at, places.slice(0, -1), places.slice(1), blocks.map(({ size }) => size)],
      ...[blocks.map(({ keys }) => keys), blocks.map(({ kind }) => kind), blocks.map(({ fields }) => fields)],
    ],
  })

interface Pruning {
  readonly log: Log
  /** Deletes blocks that end at this position or before it, */
  readonly upTo: bigint
  /** and those before this time, in milliseconds since 1970, that all consumers have read. */
  readonly before: number
  readonly limit: number
}

/**
 * Deletes some of the oldest blocks. A block that a clock dated too early takes those before it with it.
 * @returns the position up to which changes are deleted
 */
async function prune(session: Session, { number, name }: EntityRows, { log, upTo, before, limit }: Pruning): Promise<bigint> {
  const { rows } = await session.query<Row>({
    name: 'cs_log_prune',
    text: `with oldest as (select position, at from cs_changes where connector_id = $1 and name = $2 order by position limit $3),
        gone as (delete from cs_changes where connector_id = $1 and name = $2
          and position <= (select max(position) from oldest where position <= $4 or (at < $5 and position <= $6)) returning position)
      select max(position) as position from gone`,
    values: [number, name, limit, upTo, before, log.keptFor ?? log.position],
  })
  const position = rows[0]?.['position']
  return typeof position === 'bigint' ? position : log.keptAfter
}

/** The highest generation. */
const latestFeed = 2 ** 47
/** Milliseconds after which a further reading is noted. */
const readMs = 3_600_000

/** Returns whether a reading is worth a note. */
export const isReadAgain = (readAt: number, now: number): boolean => Math.abs(now - readAt) >= readMs

/** Begins the log of an entity whose state is locked, or notes that it is read. */
export async function followLog(
  session: Session,
  { number, name }: EntityRows,
  { log, now, days }: { log: Log; now: number; days: number },
): Promise<void> {
  if (log.feed !== null && !isReadAgain(log.readAt, now) && log.days === days) return
  await session.query({
    name: 'cs_log_follow',
    text: 'update cs_entities set feed = $3, read_at = $4, log_days = $5 where connector_id = $1 and name = $2',
    values: [number, name, log.feed ?? BigInt(randomInt(latestFeed)), now, days],
  })
}

/**
 * Forgets the keys of some records, and deletes the blocks of which nothing is left. That they were removed stays, because readers must learn
 * it. The state is locked.
 */
export const redactLog = (session: Session, { number, name }: EntityRows, keys: readonly string[]) =>
  session.query({
    text: `with emptied as (delete from cs_changes b where ${ofOthers} and not ${hasOthers})
      update cs_changes b set keys = (select json_agg(case when key <> all($3::text[]) then key end order by place)::text
        from json_array_elements_text(b.keys::json) with ordinality as entry(key, place))
      where ${ofOthers} and ${hasOthers}
        and exists (select from json_array_elements_text(b.keys::json) as entry(key) where key = any($3::text[]))`,
    values: [number, name, keys],
  })

const ofOthers = "connector_id = $1 and name = $2 and kind <> 'removed'"
const hasOthers = 'exists (select from json_array_elements_text(b.keys::json) as entry(key) where key <> all($3::text[]))'
