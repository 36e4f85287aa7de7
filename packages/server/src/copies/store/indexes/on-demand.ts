/**
 * Creates indexes when searches need them, and drops unused ones (docs/decisions/copy.md). A search needs an index when it was slow, or read
 * far more rows than it returned, three times in a day.
 */
import { randomBytes, randomUUID } from 'node:crypto'
import { FerruleError } from 'ferrule'
import { BoundedMap, RecentTimes } from 'ferrule/internal'
import type { OwnKind } from '../../../values/access.ts'
import { type EntityName, type EntityRef, formatRef } from '../../entity-ref.ts'
import { findMainTime, listPhysicalColumns, type SearchTable } from '../../search/columns.ts'
import type { SearchQuery } from '../../search/tree.ts'
import type { ContextDatabase, Row, Statement, TableLayout } from '../database/database.ts'
import { adviseIndexes, type IndexAdvice, listColumns, narrowAdvice } from './advice.ts'
import { chooseIndexColumn, createIndex, dropIndex, findOrphans, finishIndex, recordUses, valueTooLong } from './build.ts'
import {
  claimIndex,
  type IndexBuilder,
  type IndexRow,
  indexPrefix,
  isDue,
  markFailed,
  markGivenUp,
  readRows,
  releaseClaim,
} from './index-rows.ts'
import { type IndexChange, type IndexRecord, type IndexRules, indexRules } from './types.ts'

interface SearchCost {
  /** Time of the database in milliseconds. */
  readonly ms: number
  /** Characters of the page's JSON. */
  readonly size: number
  /** Number of returned records; 0 when the search was stopped. */
  readonly count: number
  /**
   * Runs the search once more, and counts the rows that it reads; omitted for a search that was stopped.
   * @throws what the store's `search` throws
   */
  readonly countRowsRead?: (signal: AbortSignal) => Promise<number>
}

interface Wish {
  readonly ref: EntityRef
  readonly wish: IndexAdvice
}

interface Suspect extends Wish {
  readonly cost: SearchCost
}

/** Maximum number of waiting advices, and of searches that wait to be measured. */
const mostWanted = 64
const mostSuspects = 16
/** Characters of a page allowed per millisecond: writing 16 MiB takes time with or without an index. */
const charactersPerMs = 20_000
/** Slow searches within a day make an index wanted. A single one can be a peak of load or a question that nobody repeats. */
const wanted = [{ calls: 3, seconds: 24 * 60 * 60 }] as const
/** A column is measured three times in an hour at most, because a measurement costs as much as its search. */
const measured = [{ calls: 3, seconds: 60 * 60 }] as const
/** Maximum number of columns whose searches are counted. */
const mostCounted = 1_000

/** The indexes that searches of this process need. */
export class Wishes {
  readonly #rules: IndexRules
  readonly #clock: () => number
  readonly #observed = new BoundedMap<string, RecentTimes>(mostCounted)
  readonly #wanted = new Map<string, Wish>()
  readonly #measured = new BoundedMap<string, RecentTimes>(mostCounted)
  #suspects: Suspect[] = []

  /** @param clock milliseconds since 1970 */
  constructor(rules: IndexRules, clock: () => number) {
    this.#rules = rules
    this.#clock = clock
  }

  /**
   * Observes a search.
   * @param indexed columns that have an index, or had one that failed
   * @returns true when there is work for a tick
   */
  observe(ref: EntityRef, query: SearchQuery, { cost, indexed }: { cost: SearchCost; indexed: () => ReadonlySet<string> }): boolean {
    const { slowMs, mostInAll, suspectMs } = this.#rules
    if (mostInAll === 0 || cost.ms <= Math.min(slowMs, suspectMs)) return false
    const known = indexed()
    const wish = adviseIndexes(query, (column) => column === findMainTime(query.table) || known.has(column))
    if (listColumns(wish).length === 0) return false
    if (cost.ms > slowMs + cost.size / charactersPerMs) return this.#count({ ref, wish })
    return cost.ms > suspectMs && this.#suspect({ ref, wish, cost })
  }

  /** Measures the searches that may have read too many rows. Reports failures to `onError`: a later search is measured instead. */
  async measure(signal: AbortSignal, onError: (thrown: unknown) => void): Promise<void> {
    const { mostRowsRead, mostRowsReadPerReturned } = this.#rules
    for (const { ref, wish, cost } of this.#suspects.splice(0)) {
      if (signal.aborted) return
      const rows = (await cost.countRowsRead?.(signal).catch(onError)) ?? 0
      if (rows >= mostRowsRead && rows >= mostRowsReadPerReturned * cost.count) this.#count({ ref, wish })
    }
  }

  /** Lists the wanted indexes by the names for `delete`. */
  list(): readonly (readonly [string, Wish])[] {
    return [...this.#wanted]
  }

  /** Deletes a wanted index, which exists or cannot be made. Its searches are counted from the beginning. */
  delete(name: string): void {
    const found = this.#wanted.get(name)
    this.#wanted.delete(name)
    if (found !== undefined) for (const column of listColumns(found.wish)) this.#observed.delete(`${formatRef(found.ref)} ${column}`)
  }

  /** Counts a search that needs an index. Returns true when that was the third one. */
  #count({ ref, wish }: Wish): boolean {
    const now = this.#clock()
    const due = listColumns(wish).filter((column) => {
      const times = this.#observed.take(`${formatRef(ref)} ${column}`, () => new RecentTimes())
      times.add(wanted, now)
      return times.earliest(wanted, now) > now
    })
    const name = `${formatRef(ref)} ${due.join()}`
    if (due.length === 0 || (this.#wanted.size >= mostWanted && !this.#wanted.has(name))) return false
    this.#wanted.set(name, { ref, wish: narrowAdvice(wish, due) })
    return true
  }

  #suspect(suspect: Suspect): boolean {
    if (suspect.cost.countRowsRead === undefined || this.#suspects.length >= mostSuspects) return false
    const name = `${formatRef(suspect.ref)} ${listColumns(suspect.wish).join()}`
    const now = this.#clock()
    const times = this.#measured.take(name, () => new RecentTimes())
    if (times.earliest(measured, now) > now) return false
    times.add(measured, now)
    this.#suspects.push(suspect)
    return true
  }
}

interface RefusedWrite {
  readonly number: number
  readonly table: SearchTable
}

/** Finds the indexes that can have refused a write: the named one. The error names none for a value of more than a page. */
function findSuspects(thrown: object, { number, table }: RefusedWrite, rows: readonly IndexRow[]): readonly IndexRow[] {
  const texts = new Set(listPhysicalColumns(table).flatMap(({ name, type }) => (type === 'text' ? [name] : [])))
  const named: unknown = Reflect.get(thrown, 'constraint')
  return rows.filter(
    (row) =>
      row.number === number &&
      row.table === table.name &&
      row.state !== 'failed' &&
      texts.has(row.column) &&
      (named === undefined || named === row.id),
  )
}

/**
 * Drops automatic indexes that refuse a write because a value is too long.
 * @returns true when some were dropped, so the write is worth a retry
 */
async function dropBlockingIndexes(
  database: ContextDatabase,
  thrown: unknown,
  { now, ...refused }: RefusedWrite & { now: number },
): Promise<boolean> {
  if (typeof thrown !== 'object' || thrown === null || Reflect.get(thrown, 'code') !== valueTooLong) return false
  const found = findSuspects(thrown, refused, await readRows(database))
  for (const { id } of found) {
    await database.transaction((session) => markGivenUp(session, id, { error: valueTooLong, now }))
    await dropIndex(database, id)
  }
  return found.length > 0
}

/** Options of automatic indexes. */
export interface OnDemandOptions {
  readonly rules: Partial<IndexRules> | undefined
  /** Returns whether the database is open. Automatic indexes never open it. */
  isOpen(): boolean
  database(): Promise<ContextDatabase>
  /** Runs a short statement on each read replica. Omitted: the database has no replicas. */
  readReplicas?(statement: Statement): Promise<readonly Row[]>
  /** Finds a table; undefined for an entity that this process does not know. */
  findTable(name: EntityName): SearchTable | undefined
  /** Finds the number of a connector; undefined when it has no records. */
  findNumber(ref: EntityRef): Promise<number | undefined>
  readonly clock: () => number
  /** Called for failures that are retried later. */
  readonly onError: ((error: unknown) => void) | undefined
  readonly onChange: ((change: IndexChange) => void) | undefined
}

/** Intervals in milliseconds: of ticks, and of upkeep. */
const tickMs = 60_000
const upkeepMs = 600_000

const none: ReadonlySet<string> = new Set()

/** The automatic indexes of a process' store. */
export class OnDemandIndexes {
  readonly #options: OnDemandOptions
  readonly #rules: IndexRules
  readonly #owner = randomUUID()
  readonly #wishes: Wishes
  readonly #ending = new AbortController()
  #rows: readonly IndexRow[] = []
  /** Set by `start`. */
  #layout: TableLayout = 'postgres'
  #isAsked = false
  #isSweepDue = false
  #nextUpkeep: number
  #timer: NodeJS.Timeout | undefined
  #ticking: Promise<void> | undefined
  #isAgain = false

  constructor(options: OnDemandOptions) {
    this.#options = options
    this.#rules = { ...indexRules, ...options.rules }
    this.#wishes = new Wishes(this.#rules, options.clock)
    this.#nextUpkeep = options.clock() + upkeepMs
  }

  /** Number of ready indexes, as last read by this process. */
  get readyCount(): number {
    return this.#rows.filter(({ state }) => state === 'ready').length
  }

  /** Runs a tick each minute after the database was opened. Resets what was known, because it can be another database. */
  start(layout: TableLayout): void {
    this.#layout = layout
    this.#rows = []
    this.#isAsked = false
    this.#timer ??= setInterval(this.#startTick, tickMs).unref()
  }

  /** Returns the columns of an entity with an index, as last read by this process. Never waits. */
  readyColumns(ref: EntityRef): ReadonlySet<string> {
    if (!this.#isAsked && this.#options.isOpen()) this.#loadFirst()
    if (this.#rows.length === 0) return none
    return new Set(this.#findRows(ref).flatMap(({ state, column }) => (state === 'ready' ? [column] : [])))
  }

  /** Observes a search. The third one of a day that needs an index triggers it in the background. */
  observe(ref: EntityRef, query: SearchQuery, cost: SearchCost): void {
    const indexed = () => new Set(this.#findRows(ref).map(({ column }) => column))
    if (this.#wishes.observe(ref, query, { cost, indexed })) this.#startTick()
  }

  /**
   * Lists the automatic indexes of a connector by entity.
   * @param own the kind, where an organization brought it
   */
  async listByEntity(connector: string, own?: OwnKind): Promise<ReadonlyMap<string, readonly IndexRecord[]>> {
    const rows = await readRows(await this.#options.database(), connector)
    const byEntity = new Map<string, IndexRecord[]>()
    for (const row of rows) byEntity.set(row.entity, [...(byEntity.get(row.entity) ?? []), this.#toRecord({ ...row, own })])
    return byEntity
  }

  /** Schedules dropping the indexes whose rows were deleted with their records. */
  sweepSoon(): void {
    this.#isSweepDue = true
    this.#startTick()
  }

  /**
   * Drops indexes that refuse a write because a value is too long.
   * @returns true when the write is worth a retry
   */
  async dropBlocking(thrown: unknown, number: number, table: SearchTable): Promise<boolean> {
    if (readErrorCode(thrown) !== valueTooLong) return false
    const isCleared = await dropBlockingIndexes(await this.#options.database(), thrown, { number, table, now: this.#options.clock() })
    this.#startTick()
    return isCleared
  }

  /**
   * Runs a tick: reads the rows, creates wanted indexes, and drops orphans. Reports failures instead of throwing. Timers and searches call
   * it.
   */
  tick(): Promise<void> {
    this.#isAgain = this.#ticking !== undefined
    this.#ticking ??= this.#runTicks().finally(() => {
      this.#ticking = undefined
    })
    return this.#ticking
  }

  /** Stops running work and releases claims. */
  async close(): Promise<void> {
    this.#ending.abort(new Error('the context store is closed'))
    clearInterval(this.#timer)
    await this.#ticking
  }

  readonly #startTick = (): void => {
    void this.tick()
  }

  get #isEnding(): boolean {
    return this.#ending.signal.aborted
  }

  #findRows(ref: EntityRef): readonly IndexRow[] {
    const name = this.#rows.length === 0 ? undefined : this.#options.findTable(ref)?.name
    return this.#rows.filter((row) => row.connector === ref.connector && row.table === name)
  }

  async #runTicks(): Promise<void> {
    do {
      this.#isAgain = false
      if (this.#isEnding || !this.#options.isOpen()) return
      await this.#runOnce().catch((thrown: unknown) => this.#reportError(thrown))
    } while (this.#isAgain)
  }

  #reportError(thrown: unknown): void {
    if (!this.#isEnding) this.#options.onError?.(thrown)
  }

  async #runOnce(): Promise<void> {
    const database = await this.#options.database()
    if (this.#options.clock() >= this.#nextUpkeep) await this.#runUpkeep(database)
    await this.#loadRows(database)
    for (const { connector, kind, entity, column, number, table } of this.#rows.filter((row) => isDue(row, this.#builder())))
      await this.#createIndex(database, { connector, kind, entity }, { number, table, column })
    await this.#wishes.measure(this.#ending.signal, (thrown) => this.#reportError(thrown))
    for (const [name, { ref, wish }] of this.#wishes.list())
      if (!this.#isEnding && (await this.#createAdvised(database, ref, wish)) !== 'busy') this.#wishes.delete(name)
    if (this.#isSweepDue) await this.#dropOrphans(database)
  }

  async #loadRows(database: ContextDatabase): Promise<void> {
    this.#rows = await readRows(this.#withAbort(database))
  }

  /** Wraps the database so that closing the store aborts its statements. */
  #withAbort(database: ContextDatabase): ContextDatabase {
    const { signal } = this.#ending
    return {
      ...database,
      query: (what, options) => database.query(what, { signal, ...options }),
      transaction: (work, options) => database.transaction(work, { signal, ...options }),
    }
  }

  /** Reads the rows for the first search; later ticks refresh them. */
  #loadFirst(): void {
    this.#isAsked = true
    this.#options
      .database()
      .then((database) => this.#loadRows(database))
      .catch(() => undefined) // the next tick reports it
  }

  async #runUpkeep(database: ContextDatabase): Promise<void> {
    const { readReplicas = async () => [] } = this.#options
    await recordUses({ database: this.#withAbort(database), layout: this.#layout, readReplicas }, this.#options.clock())
    this.#isSweepDue = true
    this.#nextUpkeep = this.#options.clock() + upkeepMs
  }

  async #createAdvised(database: ContextDatabase, ref: EntityRef, wish: IndexAdvice): Promise<'busy' | 'done'> {
    const number = await this.#options.findNumber(ref)
    const table = this.#options.findTable(ref)?.name
    if (number === undefined || table === undefined) return 'done'
    const column = await chooseIndexColumn({ database: this.#withAbort(database), layout: this.#layout }, { number, table }, wish)
    return column === undefined ? 'done' : this.#createIndex(database, ref, { number, table, column })
  }

  #builder(): IndexBuilder {
    return { owner: this.#owner, now: this.#options.clock(), isAlone: this.#layout === 'embedded' }
  }

  async #createIndex(
    database: ContextDatabase,
    ref: EntityRef,
    wanted: { readonly number: number; readonly table: string; readonly column: string },
  ): Promise<'busy' | 'done'> {
    const id = `${indexPrefix}${wanted.number}_${randomBytes(6).toString('hex')}`
    const asking = { id, builder: this.#builder(), rules: this.#rules }
    const claimed = await this.#withAbort(database).transaction((session) => claimIndex(session, wanted, asking))
    if (claimed !== 'claimed') return claimed === 'busy' ? 'busy' : 'done'
    this.#isSweepDue = true // the index that made room, and leftovers of earlier attempts
    const target = { database, layout: this.#layout }
    try {
      await createIndex(target, { ...wanted, id }, this.#ending.signal)
      const isReady = await finishIndex(target, { id, table: wanted.table }, this.#options.clock())
      if (isReady) this.#report(ref, wanted.column, { change: 'ready' })
    } catch (thrown) {
      await this.#recordFailure(database, id, thrown)
      if (!this.#isEnding) this.#report(ref, wanted.column, { change: 'failed', error: readErrorCode(thrown) })
    }
    await this.#loadRows(database)
    return 'done'
  }

  async #recordFailure(database: ContextDatabase, id: string, thrown: unknown): Promise<void> {
    const outcome = { error: readErrorCode(thrown), now: this.#options.clock() }
    await database.transaction(async (session) => {
      if (this.#isEnding) await releaseClaim(session, id)
      else if (outcome.error === valueTooLong) await markGivenUp(session, id, outcome)
      else await markFailed(session, id, outcome)
    })
  }

  async #dropOrphans(database: ContextDatabase): Promise<void> {
    for (const id of await findOrphans(this.#withAbort(database))) {
      if (this.#isEnding) return
      await dropIndex(database, id, this.#ending.signal)
    }
    this.#isSweepDue = false
  }

  #report(ref: EntityRef, column: string, change: Pick<IndexChange, 'change' | 'error'>): void {
    const { kind, entity } = ref
    this.#options.onChange?.({ kind, entity, field: this.#findField(ref, column), ...change })
  }

  #toRecord(row: IndexRow & Pick<EntityName, 'own'>): IndexRecord {
    const { state, createdAt, usedAt, bytes, error } = row
    return { field: this.#findField(row, row.column), state, createdAt, usedAt, bytes, error }
  }

  /** Finds the searchable field of a column; the column itself for a field that this version does not know. */
  #findField(name: EntityName, column: string): string {
    const table = this.#options.findTable(name)
    return (table === undefined ? [] : listPhysicalColumns(table)).find(({ name }) => name === column)?.field ?? column
  }
}

const readErrorCode = (thrown: unknown): string => {
  if (thrown instanceof FerruleError) return thrown.code
  const code: unknown = typeof thrown === 'object' && thrown !== null ? Reflect.get(thrown, 'code') : undefined
  return typeof code === 'string' ? code : 'unknown'
}
