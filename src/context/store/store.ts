/** The door of the context store: places become tables and numbers here, and the database is opened when it is first needed. */
import { fail } from '../../errors.ts'
import { OnDemandIndexes } from '../indexes/on-demand.ts'
import { indexRules } from '../indexes/types.ts'
import { clearRows, findNumber, giveNumber, markRemoved, removedNumbers } from './connectors.ts'
import type { Answer, ContextDatabase, Engine, QueryOptions, Row, Run, Session, Statement } from './database.ts'
import { databaseOf } from './database.ts'
import { hasDatabase, type SetAside } from './embedded-folder.ts'
import { engineOf, loadOf } from './engines.ts'
import { entitiesOf, forget, type Gone } from './forget.ts'
import { ListedWords } from './listed-words.ts'
import { abandonPass, beginPass, empty, sweep, unseen } from './passes.ts'
import { unavailable } from './problems.ts'
import * as reads from './reads.ts'
import { Registry } from './registry.ts'
import { Renewal } from './renewal.ts'
import { prepareOwn } from './requirements.ts'
import type { Compile, ContextStore, ContextStoreOptions, EntityPlace, SearchableKind, Span, StoreStatus } from './types.ts'
import type { StoredRecord } from './writer.ts'
import { type Batch, type Checkpoint, keep, lockState, type Place, type Written, writeBatch } from './writes.ts'

/** Milliseconds until a write is stopped, and until somebody who waits for a turn gives up. */
const writeMs = 60_000
/** Making a table of many partitions, or adding an index to a large one. Milliseconds. */
const schemaMs = 600_000

/** A place in the database of its time. */
type NumberedPlace = Place & { readonly epoch: number }

class Store implements ContextStore {
  readonly indexes: OnDemandIndexes
  readonly #options: ContextStoreOptions
  readonly #clock: () => number
  readonly #registry: Registry
  readonly #words = new ListedWords()
  readonly #numbers = new reads.ConnectorNumbers()
  readonly #renewal: Renewal
  #engine: Engine | undefined
  #opening: Promise<ContextDatabase> | undefined
  #setAside: SetAside | undefined
  /** Counts databases that took the place of another: numbers of connectors mean nothing there. */
  #epoch = 0
  #closed = false

  constructor(options: ContextStoreOptions) {
    this.#options = options
    this.#clock = options.clock ?? Date.now
    this.#registry = new Registry(options.settings.engine, options.onTableChange)
    for (const kind of options.kinds ?? []) this.#registry.add(kind)
    const { engine, indexes = indexRules.mostInAll } = options.settings
    const database = (): Promise<ContextDatabase> => this.database()
    this.#renewal = new Renewal({ database, tables: () => this.#registry.renewing(), onError: options.onUpkeepError, rest: options.rest })
    this.indexes = new OnDemandIndexes({
      engine,
      rules: { mostInAll: indexes, ...options.indexRules },
      isOpen: () => this.#opening !== undefined,
      database,
      tableOf: (kind, entity) => this.#registry.find(kind, entity)?.table,
      numberOf: async (place) => (await this.#found(place))?.number,
      clock: this.#clock,
      onError: options.onUpkeepError,
      onChange: options.onIndex,
    })
  }

  ensureKind(definition: SearchableKind): void {
    this.#registry.add(definition)
  }

  async check(): Promise<void> {
    await (await this.database()).query({ text: 'select 1' })
  }

  tableOf(kind: string, entity: string) {
    return this.#registry.get(kind, entity).table
  }

  async searchedTable(place: EntityPlace) {
    const known = (await this.#found(place))?.known ?? this.#registry.get(place.kind, place.entity)
    const isOld = this.#registry.renewing().includes(known) && (await this.#rows(place, reads.isOldStatement)).length > 0
    return isOld ? known.first.table : known.table
  }

  async write(place: EntityPlace, batch: Batch): Promise<Written> {
    return this.#writeBatch(await this.#place(place), batch)
  }

  async fold(place: EntityPlace, records: readonly StoredRecord[], asked: number): Promise<Written | undefined> {
    const where = await this.#found(place)
    return where === undefined ? undefined : this.#writeBatch(where, { records, asked }, true)
  }

  async forget(gone: Gone): Promise<ReadonlyMap<string, number>> {
    const kept = entitiesOf(gone).filter((entity) => this.#registry.find(gone.kind, entity) !== undefined)
    const found = await Promise.all(kept.map((entity) => this.#found({ ...gone, entity })))
    const places = found.filter((place) => place !== undefined)
    const [first] = places
    return first === undefined ? new Map() : this.#transaction(first, (session) => forget(session, gone, { places, now: this.#clock() }))
  }

  async beginPass(place: EntityPlace, pass: string): Promise<void> {
    const where = await this.#place(place)
    await this.#transaction(where, (session) => beginPass(session, where, pass))
  }

  async sweep(place: EntityPlace, pass: string, span?: Span): Promise<number> {
    const where = await this.#place(place)
    return sweep({ transaction: (work) => this.#transaction(where, work) }, where, { pass, span, now: this.#clock })
  }

  async unseen(place: EntityPlace, pass: string, span?: Span): Promise<boolean> {
    const where = await this.#place(place)
    return unseen({ transaction: (work) => this.#transaction(where, work) }, where, { pass, span })
  }

  sweepSpan(place: EntityPlace, pass: string, span: Span): Promise<number> {
    return this.sweep(place, pass, span)
  }

  async abandonPass(place: EntityPlace, pass: string): Promise<void> {
    const where = await this.#place(place)
    await this.#transaction(where, (session) => abandonPass(session, where, pass))
  }

  async empty(place: EntityPlace): Promise<void> {
    const where = await this.#place(place)
    await empty({ transaction: (work) => this.#transaction(where, work) }, where, this.#clock)
    this.indexes.removed()
  }

  async keep(place: EntityPlace, checkpoints: readonly Checkpoint[]): Promise<void> {
    const where = await this.#place(place)
    await this.#transaction(where, (session) => lockState(session, where).then(() => keep(session, where, checkpoints)))
  }

  async remove(connector: string): Promise<void> {
    if (!this.#exists()) return
    const database = await this.database()
    this.#numbers.delete(connector)
    await database.transaction((session) => markRemoved(session, connector))
    await this.finishRemovals()
  }

  async finishRemovals(): Promise<void> {
    if (!this.#exists()) return
    const database = await this.database()
    for (const number of await removedNumbers(database)) await clearRows(database, number)
    this.indexes.removed()
  }

  async search<R = Row>(place: EntityPlace, compile: Compile, options?: QueryOptions) {
    const where = await this.#found(place)
    return where === undefined ? undefined : this.#read<R>(where.epoch, compile(where.known.table, where.number), options)
  }

  async keys(place: EntityPlace, from: reads.KeysFrom): Promise<readonly string[]> {
    return reads.pksOf(await this.#rows(place, (where) => reads.keysStatement(where, from)))
  }

  async known(place: EntityPlace, keys: readonly string[]): Promise<ReadonlySet<string>> {
    return new Set(reads.pksOf(await this.#rows(place, (where) => reads.knownStatement(where, keys))))
  }

  async counts(connector: string): Promise<ReadonlyMap<string, number>> {
    return reads.countsOf(await this.#connectorRows(connector, reads.countsStatement))
  }

  renewals(connector: string): ReadonlySet<string> {
    return this.#renewal.of(connector)
  }

  async checkpoints(place: EntityPlace): Promise<ReadonlyMap<string, string>> {
    return reads.checkpointsOf(await this.#rows(place, reads.checkpointsStatement))
  }

  status(): StoreStatus {
    const { engine } = this.#options.settings
    return { engine, opened: this.#opening !== undefined, ...loadOf(this.#engine), setAside: this.#setAside }
  }

  async database(): Promise<ContextDatabase> {
    if (this.#closed) throw unavailable()
    this.#opening ??= this.#open()
    const database = await this.#opening
    await this.#engine?.ready?.()
    return database
  }

  async close(): Promise<void> {
    this.#closed = true
    await Promise.all([this.indexes.close(), this.#renewal.close()])
    await (await this.#opening)?.close()
  }

  async #open(): Promise<ContextDatabase> {
    const { settings, onUpkeepError } = this.#options
    const onSetAside = (aside: SetAside): void => {
      this.#setAside = aside
      this.#epoch += 1
      this.#options.onSetAside?.(aside)
    }
    const parts = { writeMs, prepare: (run: Run) => this.#prepare(run), onSetAside, onUpkeepError, clock: this.#clock }
    this.#engine = await engineOf(settings, parts)
    return databaseOf(this.#engine)
  }

  /** After each opening: it can be another database than before. */
  async #prepare(run: Run): Promise<void> {
    this.#numbers.clear()
    this.#words.clear()
    await prepareOwn(this.#options.settings.engine, run)
    await this.#registry.prepare(run)
    this.indexes.opened()
    this.#renewal.opened()
  }

  #exists(): boolean {
    const { settings } = this.#options
    return settings.engine === 'postgres' || this.#opening !== undefined || hasDatabase(settings.folder)
  }

  /** Reads, unless another database has taken the place of the one that is meant. */
  async #read<R>(epoch: number, statement: Statement, options?: QueryOptions): Promise<Answer<R>> {
    const answer = await (await this.database()).query<R>(statement, options)
    this.#assertSame({ epoch })
    return answer
  }

  async #connectorRows(connector: string, statement: (number: number) => Statement): Promise<readonly Row[]> {
    const found = await this.#number(connector)
    return found === undefined ? [] : (await this.#read<Row>(found.epoch, statement(found.number))).rows
  }

  /** Reads of an entity; nothing when it was never written. */
  async #rows(place: EntityPlace, statement: (where: Place) => Statement): Promise<readonly Row[]> {
    const where = await this.#found(place)
    return where === undefined ? [] : (await this.#read<Row>(where.epoch, statement(where))).rows
  }

  async #number(connector: string): Promise<{ readonly number: number; readonly epoch: number } | undefined> {
    if (!this.#exists()) return undefined
    const database = await this.database()
    const epoch = this.#epoch
    const number = this.#numbers.get(connector) ?? (await findNumber(database, connector))
    if (number === undefined) return undefined
    this.#numbers.set(connector, number)
    return { number, epoch }
  }

  /** A place that something was written to. */
  async #found({ connector, kind, entity }: EntityPlace): Promise<NumberedPlace | undefined> {
    const known = this.#registry.get(kind, entity)
    const found = await this.#number(connector)
    if (found === undefined) return undefined
    const database = await this.database()
    return (await this.#registry.look(known.table, (statement) => database.query(statement))) ? { ...found, known } : undefined
  }

  /** A place to write to; its table and the connector's number come into being. */
  async #place({ connector, kind, entity }: EntityPlace): Promise<NumberedPlace> {
    const known = this.#registry.get(kind, entity)
    const database = await this.database()
    const epoch = this.#epoch
    const number = (await this.#number(connector))?.number ?? (await database.transaction((session) => giveNumber(session, connector)))
    if (number === undefined) throw fail('connector_not_found', {})
    this.#numbers.set(connector, number)
    if (!this.#registry.isReady(known.table)) await database.pinned((run) => this.#registry.make(known.table, run), { timeoutMs: schemaMs })
    this.#renewal.opened()
    return { number, known, epoch }
  }

  async #writeBatch(where: NumberedPlace, batch: Batch, live = false): Promise<Written> {
    for (let attempt = 1; ; attempt += 1) {
      const words = this.#words.begin()
      try {
        const options = { live, words, now: this.#clock() }
        const written = await this.#transaction(where, (session) => writeBatch(session, where, { ...batch, ...options }))
        words.commit()
        return written
      } catch (thrown) {
        // An index that a value is too long for is taken away; there are not more of them.
        if (attempt > indexRules.mostOfEntity || !(await this.indexes.isInTheWay(thrown, where.number, where.known.table))) throw thrown
      }
    }
  }

  async #transaction<T>(where: NumberedPlace, work: (session: Session) => Promise<T>): Promise<T> {
    return (await this.database()).transaction((session) => {
      this.#assertSame(where)
      return work(session)
    })
  }

  #assertSame({ epoch }: Pick<NumberedPlace, 'epoch'>): void {
    if (epoch !== this.#epoch) throw unavailable()
  }
}

/** Opens the context store. Nothing is started before it is needed. */
export const openContextStore = (options: ContextStoreOptions): ContextStore => new Store(options)
