/** Indexes that are made when searches are seen to need them, and dropped when they are not used (docs/decisions/0021-indexes-on-demand.md). */
import { randomBytes, randomUUID } from 'node:crypto'
import { FerruleError } from '../../errors.ts'
import { physicalColumns, type SearchTable } from '../query/columns.ts'
import type { SearchQuery } from '../query/tree.ts'
import type { ContextDatabase, EngineName } from '../store/database.ts'
import { mainTimeOf } from '../store/tables.ts'
import type { EntityPlace } from '../store/types.ts'
import { columnFor, dropIndex, look, makeIndex, orphans, tooLong } from './build.ts'
import { clearWay } from './in-the-way.ts'
import { Observations } from './observations.ts'
import { type Builder, claim, giveBack, giveUp, type IndexRow, indexPrefix, isDue, markFailed, markReady, readRows } from './rows.ts'
import { type IndexChange, type IndexRecord, type IndexRules, indexRules } from './types.ts'
import { columnsOf, narrowed, type Wish, wishOf } from './wish.ts'

/** What a search took. */
export interface SearchCost {
  /** Milliseconds of the database. */
  readonly ms: number
  /** Characters of the page's JSON. */
  readonly size: number
}

/** What indexes are made with. */
export interface OnDemandOptions {
  readonly engine: EngineName
  readonly rules: Partial<IndexRules> | undefined
  /** Whether the database is open: nothing here opens it. */
  isOpen(): boolean
  database(): Promise<ContextDatabase>
  /** Undefined for an entity that this process does not know. */
  tableOf(kind: string, entity: string): SearchTable | undefined
  /** The connector's number; undefined when nothing was ever written. */
  numberOf(place: EntityPlace): Promise<number | undefined>
  /** Milliseconds since 1970. */
  readonly clock: () => number
  /** Something of it failed that is tried again later. */
  readonly onError: ((error: unknown) => void) | undefined
  readonly onChange: ((change: IndexChange) => void) | undefined
}

/** Milliseconds between two looks at the rows, and between two looks at what was used. */
const turnMs = 60_000
const upkeepMs = 600_000
/** Places with a wish that wait for their turn. */
const mostWanted = 64
/** Characters of a page that a millisecond is allowed for: writing 16 MiB takes the database a while, index or not. */
const charactersPerMs = 20_000

const nameOf = ({ connector, kind, entity }: EntityPlace): string => `${connector} ${kind} ${entity}`
const none: ReadonlySet<string> = new Set()

/** The indexes of a process' store. */
export class OnDemandIndexes {
  readonly #options: OnDemandOptions
  readonly #rules: IndexRules
  readonly #owner = randomUUID()
  readonly #observed = new Observations()
  readonly #wanted = new Map<string, { readonly place: EntityPlace; readonly wish: Wish }>()
  readonly #ending = new AbortController()
  #rows: readonly IndexRow[] = []
  #isAsked = false
  #isSweepDue = false
  #nextUpkeep: number
  #timer: NodeJS.Timeout | undefined
  #turning: Promise<void> | undefined
  #isAgain = false

  constructor(options: OnDemandOptions) {
    this.#options = options
    this.#rules = { ...indexRules, ...options.rules }
    this.#nextUpkeep = options.clock() + upkeepMs
  }

  /** How many are ready, as this process last saw. */
  get count(): number {
    return this.#rows.filter(({ state }) => state === 'ready').length
  }

  /** The database was opened: from now on there is a turn each minute. What was known was of another one. */
  opened(): void {
    this.#rows = []
    this.#isAsked = false
    this.#timer ??= setInterval(this.#look, turnMs).unref()
  }

  /** Columns of a place that have an index, as this process last saw; never waits. */
  ready(place: EntityPlace): ReadonlySet<string> {
    if (!this.#isAsked && this.#options.isOpen()) this.#ask()
    if (this.#rows.length === 0) return none
    return new Set(this.#rowsOf(place).flatMap(({ state, column }) => (state === 'ready' ? [column] : [])))
  }

  /** Takes note of a search. When it was slow, and the third such one of a day, an index is made in the background. */
  observe(place: EntityPlace, query: SearchQuery, { ms, size }: SearchCost): void {
    const { slowMs, mostInAll } = this.#rules
    if (mostInAll === 0 || ms <= slowMs + size / charactersPerMs) return
    const known = new Set(this.#rowsOf(place).map(({ column }) => column))
    const wish = wishOf(query, (column) => column === mainTimeOf(query.table) || known.has(column))
    const now = this.#options.clock()
    const due = columnsOf(wish).filter((column) => this.#observed.note(`${nameOf(place)} ${column}`, now))
    const name = `${nameOf(place)} ${due.join()}`
    if (due.length === 0 || (this.#wanted.size >= mostWanted && !this.#wanted.has(name))) return
    this.#wanted.set(name, { place, wish: narrowed(wish, due) })
    this.#look()
  }

  /** All of a connector, by their entities. */
  async of(connector: string): Promise<ReadonlyMap<string, readonly IndexRecord[]>> {
    const rows = await readRows(await this.#options.database(), connector)
    const byEntity = new Map<string, IndexRecord[]>()
    for (const row of rows) byEntity.set(row.entity, [...(byEntity.get(row.entity) ?? []), this.#recordOf(row)])
    return byEntity
  }

  /** Rows of indexes were removed with what they were over: what is left of them is dropped soon. */
  removed(): void {
    this.#isSweepDue = true
    this.#look()
  }

  /** Takes indexes away that a value is too long for. @returns whether the write that was refused is worth trying again */
  async isInTheWay(thrown: unknown, number: number, table: SearchTable): Promise<boolean> {
    if (codeOf(thrown) !== tooLong) return false
    const isCleared = await clearWay(await this.#options.database(), thrown, { number, table, now: this.#options.clock() })
    this.#look()
    return isCleared
  }

  /**
   * Does all that is due: looks at the rows, makes what is wanted, and drops what is not to be there. Failures are told, not thrown. It is
   * called by itself.
   */
  turn(): Promise<void> {
    this.#isAgain = this.#turning !== undefined
    this.#turning ??= this.#turns().finally(() => {
      this.#turning = undefined
    })
    return this.#turning
  }

  /** Stops what runs, and gives back what was begun. */
  async close(): Promise<void> {
    this.#ending.abort(new Error('the context store is closed'))
    clearInterval(this.#timer)
    await this.#turning
  }

  readonly #look = (): void => {
    void this.turn()
  }

  get #isEnding(): boolean {
    return this.#ending.signal.aborted
  }

  #rowsOf({ connector, kind, entity }: EntityPlace): readonly IndexRow[] {
    return this.#rows.filter((row) => row.connector === connector && row.entity === entity && row.kind === kind)
  }

  async #turns(): Promise<void> {
    do {
      this.#isAgain = false
      if (this.#isEnding || !this.#options.isOpen()) return
      await this.#once().catch((thrown: unknown) => {
        if (!this.#isEnding) this.#options.onError?.(thrown)
      })
    } while (this.#isAgain)
  }

  async #once(): Promise<void> {
    const database = await this.#options.database()
    if (this.#options.clock() >= this.#nextUpkeep) await this.#upkeep(database)
    await this.#load(database)
    for (const { connector, kind, entity, column, number, table } of this.#rows.filter((row) => isDue(row, this.#builder())))
      await this.#make(database, { connector, kind, entity }, { number, table, column })
    for (const [name, { place, wish }] of [...this.#wanted])
      if (!this.#isEnding && (await this.#fulfil(database, place, wish)) !== 'busy') {
        this.#wanted.delete(name)
        for (const column of columnsOf(wish)) this.#observed.forget(`${nameOf(place)} ${column}`)
      }
    if (this.#isSweepDue) await this.#sweep(database)
  }

  async #load(database: ContextDatabase): Promise<void> {
    this.#rows = await readRows(this.#untilEnd(database))
  }

  /** The same database, whose turns are given up when the store closes. */
  #untilEnd(database: ContextDatabase): ContextDatabase {
    const { signal } = this.#ending
    return {
      ...database,
      query: (what, options) => database.query(what, { signal, ...options }),
      transaction: (work, options) => database.transaction(work, { signal, ...options }),
    }
  }

  /** The rows are asked for with the first search, and then with each turn. */
  #ask(): void {
    this.#isAsked = true
    this.#options
      .database()
      .then((database) => this.#load(database))
      .catch(() => undefined) // the next turn tells it
  }

  async #upkeep(database: ContextDatabase): Promise<void> {
    await look(this.#untilEnd(database), this.#options.clock())
    this.#isSweepDue = true
    this.#nextUpkeep = this.#options.clock() + upkeepMs
  }

  async #fulfil(database: ContextDatabase, place: EntityPlace, wish: Wish): Promise<'busy' | 'done'> {
    const number = await this.#options.numberOf(place)
    const table = this.#options.tableOf(place.kind, place.entity)?.name
    if (number === undefined || table === undefined) return 'done'
    const column = await columnFor(this.#untilEnd(database), { number, table }, wish)
    return column === undefined ? 'done' : this.#make(database, place, { number, table, column })
  }

  #builder(): Builder {
    const { clock, engine } = this.#options
    return { owner: this.#owner, now: clock(), isAlone: engine === 'embedded' }
  }

  async #make(
    database: ContextDatabase,
    place: EntityPlace,
    wanted: { readonly number: number; readonly table: string; readonly column: string },
  ): Promise<'busy' | 'done'> {
    const id = `${indexPrefix}${wanted.number}_${randomBytes(6).toString('hex')}`
    const asking = { id, builder: this.#builder(), rules: this.#rules }
    const claimed = await this.#untilEnd(database).transaction((session) => claim(session, wanted, asking))
    if (claimed !== 'claimed') return claimed === 'busy' ? 'busy' : 'done'
    this.#isSweepDue = true // what made room, and what an earlier attempt has left behind
    try {
      await makeIndex(database, { ...wanted, id }, this.#ending.signal)
      const isReady = await database.transaction((session) => markReady(session, id, this.#options.clock()))
      if (isReady) this.#told(place, wanted.column, { change: 'ready' })
    } catch (thrown) {
      await this.#failed(database, id, thrown)
      if (!this.#isEnding) this.#told(place, wanted.column, { change: 'failed', error: codeOf(thrown) })
    }
    await this.#load(database)
    return 'done'
  }

  async #failed(database: ContextDatabase, id: string, thrown: unknown): Promise<void> {
    const outcome = { error: codeOf(thrown), now: this.#options.clock() }
    await database.transaction(async (session) => {
      if (this.#isEnding) await giveBack(session, id)
      else if (outcome.error === tooLong) await giveUp(session, id, outcome)
      else await markFailed(session, id, outcome)
    })
  }

  async #sweep(database: ContextDatabase): Promise<void> {
    for (const id of await orphans(this.#untilEnd(database))) {
      if (this.#isEnding) return
      await dropIndex(database, id, this.#ending.signal)
    }
    this.#isSweepDue = false
  }

  #told(place: EntityPlace, column: string, change: Pick<IndexChange, 'change' | 'error'>): void {
    this.#options.onChange?.({ kind: place.kind, entity: place.entity, field: this.#fieldOf(place, column), ...change })
  }

  #recordOf(row: IndexRow): IndexRecord {
    const { state, createdAt, usedAt, bytes, error } = row
    return { field: this.#fieldOf(row, row.column), state, createdAt, usedAt, bytes, error }
  }

  /** The searchable field of a column; the column itself when this version does not know the field. */
  #fieldOf({ kind, entity }: Pick<EntityPlace, 'kind' | 'entity'>, column: string): string {
    const table = this.#options.tableOf(kind, entity)
    return (table === undefined ? [] : physicalColumns(table)).find(({ name }) => name === column)?.field ?? column
  }
}

const codeOf = (thrown: unknown): string => {
  if (thrown instanceof FerruleError) return thrown.code
  const code: unknown = typeof thrown === 'object' && thrown !== null ? Reflect.get(thrown, 'code') : undefined
  return typeof code === 'string' ? code : 'unknown'
}
