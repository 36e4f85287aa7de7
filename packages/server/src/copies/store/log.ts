/**
 * The log of changes of an entity: which records were added, changed and removed, written in the transaction that did it. The state of the
 * entity is locked then, so the order of positions is the order of commits. The log has keys and names of fields, never a record.
 *
 * A row of `cs_changes` is a block: JSON of the keys of up to `blockEntries` records with the same change. It begins after the position `start`,
 * its entries count `size` bytes each, and `position` is that of the last one. So the position of each follows from its index in the block, also
 * where other keys were forgotten: null stands for those. Readers can wait until a log continues. Reasons: docs/decisions/data-out.md
 */
import { randomInt } from 'node:crypto'
import { EventEmitter, once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { GroupedLooks } from '../../values/grouped-looks.ts'
import { failField } from '../../values/read.ts'
import type { Row, Session, Statement } from './database/database.ts'
import { type EntityRows, timeline } from './replicas/facts.ts'

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
  readonly at: number
}

/** Which logs are written, and for how long changes are kept. */
export interface LogRules {
  /** Days for which changes are kept, and after which a log ends that nobody reads. */
  readonly days: number
  /** True: all logs are written, also those that nobody reads. */
  readonly isAlwaysOn: boolean
  /** Maximum number of logs that the readers of an organization keep on. */
  readonly ofOrganization: number
}

/** Rules unless a store has others. */
export const usualLogRules: LogRules = { days: 7, isAlwaysOn: false, ofOrganization: 10_000 }

/** Time of the last reading of a log that is always on: it never ends. Milliseconds since 1970. */
export const latestReadAt = Number.MAX_SAFE_INTEGER

/** A day, in milliseconds. */
export const dayMs = 86_400_000
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
  const bounds = [log.position]
  let { position } = log
  for (const { count, size } of added) {
    position += BigInt(count * size)
    bounds.push(position)
  }
  if (added.length > 0 && entries !== 'ends') await insertBlocks(session, rows, { blocks: added, bounds, entries })
  const end = { feed: isRead ? log.feed : null, position }
  const hasOld = isRead && added.length > 0 ? position - log.keptAfter > mostBytes : position > log.keptAfter
  if (!hasOld) return { ...end, keptAfter: log.keptAfter }
  const oldest = isRead ? { upTo: position - mostBytes, before: entries.at - log.days * dayMs } : { upTo: position, before: 0 }
  return { ...end, keptAfter: await prune(session, rows, { ...oldest, limit: pruneBlocks + 2 * added.length, log }) }
}

interface Insertion {
  readonly blocks: readonly Block[]
  /** Where the first block begins, and each ends. */
  readonly bounds: readonly bigint[]
  readonly entries: Entries
}

/** Writes blocks. Keys go as texts, of which PostgreSQL makes nothing: to read them all from JSON takes more than half of its time. */
const insertBlocks = (session: Session, { number, name }: EntityRows, { blocks, bounds, entries: { cause, at } }: Insertion) =>
  session.query({
    name: 'cs_log',
    text: `insert into cs_changes (connector_id, name, position, start, size, keys, kind, cause, fields, at)
      select $1::int4, $2::text, position, start, size, keys, kind, $3::text, fields, $4::int8
      from unnest($5::int8[], $6::int8[], $7::int4[], $8::text[], $9::text[], $10::text[]) as block(start, position, size, keys, kind, fields)`,
    values: [
      ...[number, name, cause, at, bounds.slice(0, -1), bounds.slice(1), blocks.map(({ size }) => size)],
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

const findReadAt = ({ isAlwaysOn }: LogRules, now: number): number => (isAlwaysOn ? latestReadAt : now)

/** A reading, and the rules of the store. */
export interface LogReading {
  readonly now: number
  readonly rules: LogRules
  /** Whose reader it is. */
  readonly organizationId?: string | undefined
}

/** Returns whether a reading is worth a note. */
export const isReadAgain = (readAt: number, { rules, now }: LogReading): boolean => Math.abs(findReadAt(rules, now) - readAt) >= readMs

/**
 * Refuses a log that begins while its organization keeps as many as it may. Those that begin at the same time do not count each other.
 * @throws FerruleError `validation_failed`
 */
export async function checkLogRoom(
  session: Session,
  { ofOrganization: most, isAlwaysOn }: LogRules,
  organizationId: string,
): Promise<void> {
  if (isAlwaysOn) return
  const text = 'select count(*) as count from cs_entities where feed is not null and followed_by = $1::uuid'
  const { rows } = await session.query<Row>({ text, values: [organizationId] })
  if (Number(rows[0]?.['count']) < most) return
  const message =
    `cannot be done: the organization follows the changes of ${most} entities, the most that the service lets it (FERRULE_CHANGES_ENTITIES); ` +
    'one that nobody reads is left out after the days of its connector (changes_days)'
  throw failField('', message, 'limit')
}

/**
 * Begins the log of an entity whose state is locked, or notes that it is read. The purge corrects its days where the connector has a value of
 * its own.
 */
export async function followLog(session: Session, { number, name }: EntityRows, log: Log, reading: LogReading): Promise<Log> {
  if (log.feed !== null && !isReadAgain(log.readAt, reading)) return log
  const { rules, now, organizationId = null } = reading
  const begun = {
    feed: log.feed ?? BigInt(randomInt(latestFeed)),
    readAt: findReadAt(rules, now),
    days: log.feed === null ? rules.days : log.days,
  }
  await session.query({
    name: 'cs_log_follow',
    text: `update cs_entities set feed = $3, read_at = $4, log_days = $5, followed_by = coalesce($6::uuid, followed_by)
      where connector_id = $1 and name = $2`,
    values: [number, name, begun.feed, begun.readAt, begun.days, organizationId],
  })
  return { ...log, ...begun }
}

/**
 * Forgets the keys of some records, and deletes the blocks of which nothing is left. That they were removed stays, because readers must learn
 * it. The state is locked.
 */
export const redactLog = (session: Session, { number, name }: EntityRows, keys: readonly string[]) =>
  session.query({
    text: `with emptied as (delete from cs_changes b where ${ofOthers} and not ${hasOthers})
      update cs_changes b set keys = (select json_agg(case when key <> all($3::text[]) then key end order by nr)::text
        from json_array_elements_text(b.keys::json) with ordinality as entry(key, nr))
      where ${ofOthers} and ${hasOthers}
        and exists (select from json_array_elements_text(b.keys::json) as entry(key) where key = any($3::text[]))`,
    values: [number, name, keys],
  })

const ofOthers = "connector_id = $1 and name = $2 and kind <> 'removed'"
const hasOthers = 'exists (select from json_array_elements_text(b.keys::json) as entry(key) where key <> all($3::text[]))'

/** Where a log is. */
export interface LogPosition {
  /**
   * Names the log: its number, and the timeline of the server, which a restored or promoted server begins again. Null while nobody reads the
   * log, and nothing is written.
   */
  readonly generation: string | null
  /** Position of the newest change. */
  readonly position: bigint
}

/** One change of the log. */
export interface LoggedChange {
  readonly position: bigint
  /** Key of the record, as `buildPrimaryKey` builds it. */
  readonly key: string
  readonly kind: ChangeKind
  readonly cause: ChangeCause
  /** Fields with another value; empty where a record was added or removed. */
  readonly fields: readonly string[]
  readonly at: number
}

/** State of a log. */
export interface LogState extends LogPosition, Pick<Log, 'keptAfter' | 'readAt' | 'days'> {}

/** Some changes of a log in order, and its state then. */
export interface LogPage extends LogState {
  readonly changes: readonly LoggedChange[]
}

const logGeneration = `e.feed || ' ' || ${timeline}`

/** The entries of a log one by one, in the order of their blocks. */
const loggedEntries = `cs_changes b cross join lateral (select key as pk, b.start + b.size * nr as number
  from json_array_elements_text(b.keys::json) with ordinality as entry(key, nr) where key is not null) c`

/** Returns whether a generation names the log of a number, on whatever timeline. */
export const isOfLog = (generation: string | null, feed: bigint): boolean => generation?.split(' ')[0] === String(feed)

/** Builds the statement that reads the state of a log, with a change after a position in each row. It reads no block that it does not need. */
export const buildLogPage = ({ number, name }: EntityRows, { after, limit }: { after: bigint; limit: number }): Statement => ({
  name: 'cs_log_page',
  text: `select ${logGeneration} as generation, e.position, e.kept_after, e.read_at, e.log_days, c.number, c.pk, c.kind,
      c.cause, c.fields, c.at
    from cs_entities e left join lateral (select c.number, c.pk, b.kind, b.cause, b.fields, b.at from ${loggedEntries}
      where b.connector_id = $1 and b.name = $2 and b.position > $3 and c.number > $3 order by b.position, c.number limit $4) c on true
    where e.connector_id = $1 and e.name = $2 order by c.number`,
  values: [number, name, after, limit],
})

function parseChange(row: Row): readonly LoggedChange[] {
  const [kind, cause] = [changeKinds.find((each) => each === row['kind']), changeCauses.find((each) => each === row['cause'])]
  if (typeof row['number'] !== 'bigint' || kind === undefined || cause === undefined) return []
  const fields: unknown = JSON.parse(String(row['fields']))
  const names = Array.isArray(fields) ? fields.map(String) : []
  return [{ position: row['number'], key: String(row['pk']), kind, cause, fields: names, at: Number(row['at']) }]
}

/** Parses the state of a log. An entity without a state has a log that nobody reads. */
export const parseLogState = (row: Row | undefined): LogState => ({
  generation: typeof row?.['generation'] === 'string' ? row['generation'] : null,
  position: BigInt(String(row?.['position'] ?? 0)),
  keptAfter: BigInt(String(row?.['kept_after'] ?? 0)),
  readAt: Number(row?.['read_at'] ?? 0),
  days: Number(row?.['log_days'] ?? 0),
})

/** Parses the rows of `buildLogPage`. */
export const parseLogPage = (rows: readonly Row[]): LogPage => ({ ...parseLogState(rows[0]), changes: rows.flatMap(parseChange) })

/** Builds the statement that reads the states of the logs of several entities. */
export const buildLogLook = (entities: readonly EntityRows[]): Statement => ({
  name: 'cs_log_look',
  text: `select e.connector_id, e.name, ${logGeneration} as generation, e.position, e.kept_after, e.read_at, e.log_days
    from unnest($1::int4[], $2::text[]) w(number, name) join cs_entities e on e.connector_id = w.number and e.name = w.name`,
  values: [entities.map(({ number }) => number), entities.map(({ name }) => name)],
})

/** Numbers of records that were added, changed and removed. */
export interface ChangeCounts {
  readonly added: number
  readonly changed: number
  readonly removed: number
}

/** Builds the statement that counts the records that changed between two positions: each once, by what became of it. */
export const buildChangeCounts = ({ number, name }: EntityRows, { after, upTo }: { after: bigint; upTo: bigint }): Statement => ({
  name: 'cs_log_counts',
  text: `select count(*) filter (where came > coalesce(went, 0)) as added, count(*) filter (where came is null and went is null) as changed,
      count(*) filter (where went > coalesce(came, 0)) as removed
    from (select max(number) filter (where kind = 'added') as came, max(number) filter (where kind = 'removed') as went from ${loggedEntries}
      where b.connector_id = $1 and b.name = $2 and b.position > $3 and b.start < $4 and number > $3 and number <= $4 group by pk) records`,
  values: [number, name, after, upTo],
})

/** Parses the row of `buildChangeCounts`. */
export const parseChangeCounts = ([row]: readonly Row[]): ChangeCounts => ({
  added: Number(row?.['added'] ?? 0),
  changed: Number(row?.['changed'] ?? 0),
  removed: Number(row?.['removed'] ?? 0),
})

/** Interval of looks for what other nodes have written, in milliseconds. */
const logLookMs = 1_000

/** How long to wait for a change. */
export interface LogWait {
  readonly ms: number
  readonly signal?: AbortSignal | undefined
  /** Returns true to end the wait soon: the service stops. */
  readonly isEnding?: () => boolean
}

/** A log that somebody follows, and how far. */
export interface FollowedLog {
  readonly rows: EntityRows
  readonly from: LogPosition
}

/** Waits for changes: what this node writes wakes a wait at once, what other nodes write within a second. */
export class LogWaits {
  readonly #written = new EventEmitter().setMaxListeners(0)
  readonly #looks: GroupedLooks<EntityRows, LogState>

  /** @param glance runs a statement about several connectors */
  constructor(glance: (look: Statement) => Promise<{ readonly rows: readonly Row[] }>) {
    this.#looks = new GroupedLooks(async (entities) => {
      const { rows } = await glance(buildLogLook(entities))
      const found = new Map(rows.map((row) => [nameRows({ number: Number(row['connector_id']), name: String(row['name']) }), row]))
      return entities.map((entity) => parseLogState(found.get(nameRows(entity))))
    })
  }

  /** Notes that this node has written rows of a connector. */
  written(number: number): void {
    this.#written.emit(String(number))
  }

  /** Reads the state of a log. Those who ask at the same time share a statement. */
  look(rows: EntityRows): Promise<LogState> {
    return this.#looks.look(nameRows(rows), rows)
  }

  /**
   * Resolves when one of some logs is elsewhere than at a position, or the time is over. Waits look together, all at the same time.
   * @param logs all of one connector
   */
  async wait(logs: readonly FollowedLog[], { ms, signal, isEnding }: LogWait): Promise<boolean> {
    const end = performance.now() + ms
    while (isEnding?.() !== true) {
      signal?.throwIfAborted()
      const ends = new AbortController()
      const either = signal === undefined ? ends.signal : AbortSignal.any([signal, ends.signal])
      try {
        const written = once(this.#written, String(logs[0]?.rows.number), { signal: either }) // before the look, which would miss a later commit
        written.catch(() => undefined)
        const isOver = await this.#haveMoved(logs)
        const leftMs = end - performance.now()
        if (isOver || leftMs <= 0) return isOver
        await Promise.race([written, pause(Math.min(logLookMs - (performance.now() % logLookMs), leftMs), undefined, { signal: either })])
      } finally {
        ends.abort()
      }
    }
    return true
  }

  async #haveMoved(logs: readonly FollowedLog[]): Promise<boolean> {
    const states = await Promise.all(logs.map(({ rows }) => this.look(rows)))
    return states.some((state, index) => hasLogMoved(state, logs[index]?.from))
  }
}

/** Returns whether a log is elsewhere than at a position. */
export const hasLogMoved = (state: LogPosition, from: LogPosition | undefined): boolean =>
  state.generation !== from?.generation || state.position !== from.position

const nameRows = ({ number, name }: EntityRows): string => `${number} ${name}`
