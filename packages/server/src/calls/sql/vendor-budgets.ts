/**
 * Statements on the budgets of vendors (docs/decisions/budgets.md). As text, and not declared in `Tables`: PostgreSQL counts calls and gives
 * turns in a function of its own, and SQLite only keeps the calls of long windows.
 */
import { CompiledQuery, sql } from 'kysely'
import { type Db, named, withValues } from '../../db/database.ts'

/** What a node wants of a key, and what it reports. */
export interface BudgetAsk {
  readonly key: string
  readonly calls: number
  /** True for calls that were sent without a turn: they count, whatever the vendor allows. */
  readonly is_sent: boolean
  /** A turn this far ahead can be taken, in milliseconds. */
  readonly ahead: number
  /** A call is sent so much after its turn at most, in milliseconds. */
  readonly late: number
  /** Limits of the vendor: at most `calls` in any `ms`. The time of each call is kept whose number is a multiple of `every`. */
  readonly rate_calls: readonly number[]
  readonly rate_ms: readonly number[]
  readonly rate_every: readonly number[]
  /** Number of times that are kept before the unneeded ones go. */
  readonly most_kept: number
  /** The vendor's leaky bucket: its size, and the share of it that leaks in a millisecond. */
  readonly size: number | undefined
  readonly leak: number | undefined
  /** What a call is expected to cost, and what earlier calls cost beyond that. */
  readonly cost: number
  readonly spent: number
  /** The level and size that the vendor reported last. */
  readonly seen_level: number | undefined
  readonly seen_size: number | undefined
  /** Milliseconds until the end of a wait that the vendor asked this node for. */
  readonly hold: number | undefined
  /** True if the vendor accepted a call after such a wait. */
  readonly is_accepted: boolean
}

/** What a node got. */
export interface BudgetAnswer {
  readonly key: string
  /** Number of turns. Several are all for now. */
  readonly granted: number
  /** Milliseconds until these; without any, until the next one can be had. */
  readonly wait: number
  /** End of the vendor's wait on the clock of the database; null without one. */
  readonly hold_until: number | null
  /** Milliseconds until this end, negative after it. */
  readonly held: number | null
}

const table = sql.table('vendor_budgets')

const turns = named(
  'turns of vendors',
  CompiledQuery.raw('select key, granted, wait, hold_until, held from take_turns($1::jsonb, $2::float8)'),
)

/**
 * Gives turns of several keys, and stores what the node reports.
 * @param now instead of the database's clock
 */
export async function takeTurns(db: Db, asks: readonly BudgetAsk[], now: number | null): Promise<readonly BudgetAnswer[]> {
  const { rows } = await db.executeQuery<BudgetAnswer>(withValues(turns, JSON.stringify(asks), now))
  return rows
}

/** Rows of a node among those with calls of unproven credentials. No key of a budget begins so. */
const strangers = 'strangers/'

/** A node counts for this long, in milliseconds. */
const strangerMs = 2_500

/** Counts a node among those with calls of unproven credentials. @returns their number. @param now instead of the database's clock */
export async function countStrangers(db: Db, { node, now }: { readonly node: string; readonly now: number | null }): Promise<number> {
  const { rows } = await sql<{ readonly nodes: number }>`with own as (
      insert into ${table} (key, used_at) values (${strangers + node}, coalesce(${now}::float8, extract(epoch from clock_timestamp()) * 1000)::bigint)
      on conflict (key) do update set used_at = excluded.used_at returning key, used_at)
    select 1 + count(*) as nodes from own join ${table} as other on other.key >= ${strangers} and other.key < 'strangers0'
      and other.key <> own.key and abs(other.used_at - own.used_at) <= ${strangerMs}`.execute(db)
  return rows[0]?.nodes ?? 1
}

/** Calls of a part of a long window. */
export interface CountedCalls {
  readonly calls: number
  /** Time of the last one, in milliseconds since 1970. */
  readonly at: number
}

/** Adds calls to a part of a key's long windows. */
export async function countCalls(
  db: Db,
  { key, part, calls, at }: CountedCalls & { readonly key: string; readonly part: number },
): Promise<void> {
  await sql`insert into ${table} (key, total, used_at) values (${`${key}/${part}`}, ${calls}, ${at})
    on conflict (key) do update set total = total + excluded.total, used_at = excluded.used_at`.execute(db)
}

/** Lists the calls of a key since a time, oldest first. */
export async function listCalls(db: Db, key: string, since: number): Promise<readonly CountedCalls[]> {
  const { rows } = await sql<CountedCalls>`select total as calls, used_at as at from ${table}
    where key > ${`${key}/`} and key < ${`${key}0`} and used_at >= ${since} order by used_at`.execute(db)
  return rows
}

/** Deletes budgets that nobody used since a time. @returns their number */
export async function deleteUnusedBudgets(db: Db, before: number): Promise<number> {
  const { numAffectedRows = 0n } = await sql`delete from ${table} where used_at < ${before}`.execute(db)
  return Number(numAffectedRows)
}
