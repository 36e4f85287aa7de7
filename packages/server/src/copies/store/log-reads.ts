/** Reads the logs of changes, and waits until one continues. */
import { EventEmitter, once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { GroupedLooks } from '../../values/grouped-looks.ts'
import type { Row, Statement } from './database/database.ts'
import { type ChangeCause, type ChangeKind, changeCauses, changeKinds } from './log.ts'
import { type EntityRows, timeline } from './replicas/facts.ts'

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
  /** Milliseconds since 1970. */
  readonly at: number
}

/** State of a log. */
export interface LogState extends LogPosition {
  /** Changes up to this position are deleted. */
  readonly keptAfter: bigint
  /** When the log was last read, to the hour, in milliseconds since 1970. */
  readonly readAt: number
  readonly days: number
}

/** Some changes of a log in order, and its state then. */
export interface LogPage extends LogState {
  readonly changes: readonly LoggedChange[]
}

const generation = `e.feed || ' ' || ${timeline}`

/** The entries of a log one by one, in the order of their blocks. */
const entries = `cs_changes b cross join lateral (select key as pk, b.start + b.size * nr as place
  from json_array_elements_text(b.keys::json) with ordinality as entry(key, nr) where key is not null) c`

/** Returns whether a generation names the log of a number, on whatever timeline. */
export const isOfLog = (generation: string | null, feed: bigint): boolean => generation?.split(' ')[0] === String(feed)

/** Builds the statement that reads the state of a log, with a change after a position in each row. It reads no block that it does not need. */
export const buildLogPage = ({ number, name }: EntityRows, { after, limit }: { after: bigint; limit: number }): Statement => ({
  name: 'cs_log_page',
  text: `select ${generation} as generation, e.position, e.kept_after, e.read_at, e.log_days, c.place, c.pk, c.kind,
      c.cause, c.fields, c.at
    from cs_entities e left join lateral (select c.place, c.pk, b.kind, b.cause, b.fields, b.at from ${entries}
      where b.connector_id = $1 and b.name = $2 and b.position > $3 and c.place > $3 order by b.position, c.place limit $4) c on true
    where e.connector_id = $1 and e.name = $2 order by c.place`,
  values: [number, name, after, limit],
})

function parseChange(row: Row): readonly LoggedChange[] {
  const [kind, cause] = [changeKinds.find((each) => each === row['kind']), changeCauses.find((each) => each === row['cause'])]
  if (typeof row['place'] !== 'bigint' || kind === undefined || cause === undefined) return []
  const fields: unknown = JSON.parse(String(row['fields']))
  const names = Array.isArray(fields) ? fields.map(String) : []
  return [{ position: row['place'], key: String(row['pk']), kind, cause, fields: names, at: Number(row['at']) }]
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
export const buildLook = (entities: readonly EntityRows[]): Statement => ({
  name: 'cs_log_look',
  text: `select e.connector_id, e.name, ${generation} as generation, e.position, e.kept_after, e.read_at, e.log_days
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
    from (select max(place) filter (where kind = 'added') as came, max(place) filter (where kind = 'removed') as went from ${entries}
      where b.connector_id = $1 and b.name = $2 and b.position > $3 and b.start < $4 and place > $3 and place <= $4 group by pk) records`,
  values: [number, name, after, upTo],
})

/** Parses the row of `buildChangeCounts`. */
export const parseChangeCounts = ([row]: readonly Row[]): ChangeCounts => ({
  added: Number(row?.['added'] ?? 0),
  changed: Number(row?.['changed'] ?? 0),
  removed: Number(row?.['removed'] ?? 0),
})

/** Interval of looks for what other nodes have written, in milliseconds. */
const lookMs = 1_000

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
      const { rows } = await glance(buildLook(entities))
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
        await Promise.race([written, pause(Math.min(lookMs - (performance.now() % lookMs), leftMs), undefined, { signal: either })])
      } finally {
        ends.abort()
      }
    }
    return true
  }

  async #haveMoved(logs: readonly FollowedLog[]): Promise<boolean> {
    const states = await Promise.all(logs.map(({ rows }) => this.look(rows)))
    return states.some((state, index) => hasMoved(state, logs[index]?.from))
  }
}

/** Returns whether a log is elsewhere than at a position. */
export const hasMoved = (state: LogPosition, from: LogPosition | undefined): boolean =>
  state.generation !== from?.generation || state.position !== from.position

const nameRows = ({ number, name }: EntityRows): string => `${number} ${name}`
