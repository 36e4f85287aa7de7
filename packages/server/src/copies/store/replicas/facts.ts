/** Facts about servers and entities, by which a replica is compared with the primary. */
import type { Row, Statement } from '../database/database.ts'

/** Rows of an entity in the context database. */
export interface EntityRows {
  readonly number: number
  /** Name of the entity's table. */
  readonly name: string
}

/** Rows that a search reads: those of its entity and of the entities that it refers to. */
export interface SearchedRows extends EntityRows {
  /** Names of the tables of further entities. */
  readonly related: readonly string[]
}

/** What the primary says before a search. */
export interface PrimaryLook {
  /** Timeline of the primary's log: a promotion begins a new one. */
  readonly timeline: number
  /** State of the entity; null before its first batch. */
  readonly stamp: string | null
}

/**
 * Version of an entity's row in `cs_entities`, which each transaction that changes records of the entity changes too. The transaction id
 * covers changes that are not counted. A replica with the same version has the same records.
 */
const stamp = "e.changes || ' ' || e.xmin"
/** SQL of the timeline of a primary's log. */
export const timeline = "('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::int4"

/** Selects the states of the entities of a search. @param names SQL of an array of the names of their tables */
const selectStamp = (number: string, names: string): string =>
  `(select string_agg(${stamp}, ',' order by e.name) from cs_entities e where e.connector_id = ${number} and e.name = any(${names}))`

const listNames = ({ name, related }: SearchedRows): readonly string[] => [name, ...related]

/** Builds the look of several searches at the primary. Fails on a server in recovery. */
export const buildLookStatement = (searches: readonly SearchedRows[]): Statement => ({
  name: 'cs_look',
  text: `select ${timeline} as timeline, ${selectStamp('w.number', "string_to_array(w.names, ',')")} as stamp
    from unnest($1::int4[], $2::text[]) with ordinality w(number, names, ordinal) order by ordinal`,
  values: [searches.map(({ number }) => number), searches.map((each) => listNames(each).join())],
})

/** Parses a row of `buildLookStatement`. */
export const parseLook = (row: Row): PrimaryLook => ({
  timeline: Number(row['timeline']),
  stamp: row['stamp'] === null ? null : String(row['stamp']),
})

/** Builds the first statement of a search on a replica. It has no values, because it shares a message with the begin of the transaction. */
export const buildStampStatement = (rows: SearchedRows): Statement => {
  const names = listNames(rows).map((name) => `'${name.replaceAll("'", "''")}'`)
  return {
    text: `select pg_is_in_recovery() as standby, ${selectStamp(String(Math.trunc(rows.number)), `array[${names.join()}]`)} as stamp`,
  }
}

/** Identity and position of a server. */
export interface ServerFacts {
  /** Identifies the data of a server: replicas have that of their primary. */
  readonly system: string
  /** Object id of the database. */
  readonly database: string
  readonly isStandby: boolean
  readonly timeline: number
  /** Bytes of the log that were written, or replayed by a replica. */
  readonly position: bigint
}

/**
 * Reads the facts of a server. A replica names the newest timeline that it surely follows. Its control file lags behind, and its receiver is
 * visible to members of `pg_monitor` only; a timeline that is too old is safe.
 */
export const factsStatement: Statement = {
  name: 'cs_facts',
  text: `select (pg_control_system()).system_identifier::text as system,
    (select oid from pg_database where datname = current_database())::text as database, pg_is_in_recovery() as standby,
    case when pg_is_in_recovery() then greatest((pg_control_checkpoint()).timeline_id, (pg_control_recovery()).min_recovery_end_timeline,
      (select received_tli from pg_stat_wal_receiver)) else ${timeline} end as timeline,
    (case when pg_is_in_recovery() then pg_last_wal_replay_lsn() else pg_current_wal_lsn() end - '0/0'::pg_lsn)::int8 as position`,
}

/** Parses the row of `factsStatement`. */
export const parseFacts = ([row]: readonly Row[]): ServerFacts => ({
  system: String(row?.['system']),
  database: String(row?.['database']),
  isStandby: row?.['standby'] === true,
  timeline: Number(row?.['timeline']),
  position: BigInt(String(row?.['position'] ?? 0)),
})

/** Rules that a replica must keep, each with the reason of its refusal. */
const rules: readonly (readonly [(replica: ServerFacts, primary: ServerFacts) => boolean, string])[] = [
  [(_replica, primary) => !primary.isStandby, 'CONTEXT_DATABASE_URL names a server in recovery'],
  [(replica, primary) => replica.system === primary.system, 'it is no replica of the server of CONTEXT_DATABASE_URL'],
  [(replica, primary) => replica.database === primary.database, 'it is another database than that of CONTEXT_DATABASE_URL'],
  [({ isStandby }) => isStandby, 'it is not in recovery, so it is no replica any more'],
  [(replica, primary) => replica.timeline === primary.timeline, 'it follows another timeline than the server of CONTEXT_DATABASE_URL'],
]

/** Returns why a server is no replica of the primary; undefined for a replica. */
export const findRefusal = (replica: ServerFacts, primary: ServerFacts): string | undefined =>
  rules.find(([holds]) => !holds(replica, primary))?.[1]
