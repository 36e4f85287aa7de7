/** Entry of the context store. Resolves entities to tables and connector numbers, and opens the database when it is first needed. */
import { fail } from 'ferrule/internal'
import { createContextDatabase } from '../database/context-database.ts'
import type { ContextDatabase, Engine, ReadOptions, Row, Run, Session, Statement } from '../database/database.ts'
import { hasDatabase, type SetAsideDatabase } from '../database/embedded/folder.ts'
import { createEngine, sumLoad } from '../database/engines.ts'
import { findLayout, fitReadOptions, type TableLayout } from '../database/layout.ts'
import { unavailable } from '../database/problems.ts'
import { prepareOwnTables, schemaMs } from '../database/requirements.ts'
import type { EntityRef } from '../entity-ref.ts'
import { OnDemandIndexes } from '../indexes/on-demand.ts'
import { indexRules } from '../indexes/types.ts'
import { writeInAttempts } from './attempts.ts'
import { type Batch, type BatchResult, type Checkpoint, saveCheckpoints, writeBatch } from './batch.ts'
import { assignNumber, deleteConnectorRows, findNumber, findRemovedNumbers, markRemoved } from './connectors.ts'
import { type ConnectorTable, lockState } from './copy-state.ts'
import { forgetRecords, listEntities, type Removal } from './forget.ts'
import { ListedWords } from './listed-words.ts'
import { abandonPass, beginPass, deleteAll, hasUnseen, sweep } from './passes.ts'
import * as reads from './reads.ts'
import { TableRegistry } from './registry.ts'
import { Renewal } from './renewal.ts'
import type { StoredRecord } from './row-encoder.ts'
import type { ContextStore, ContextStoreOptions, SearchableKind, SearchWork, Span, StoreStatus } from './types.ts'

/** Rows of a connector, valid while the database of the epoch is in use. */
type NumberedTarget = ConnectorTable & { readonly epoch: number }

class Store implements ContextStore {
  readonly indexes: OnDemandIndexes
  readonly #options: ContextStoreOptions
  readonly #clock: () => number
  readonly #registry: TableRegistry
  readonly #words = new ListedWords()
  readonly #numbers = new reads.ConnectorNumbers()
  readonly #changes = new reads.KnownChanges()
  readonly #renewal: Renewal
  #engine: Engine | undefined
  #layout: TableLayout = 'embedded'
  #opening: Promise<ContextDatabase> | undefined
  #setAside: SetAsideDatabase | undefined
  /** Counts replacements of the database: a replacement has other connector numbers. */
  #epoch = 0
  #closed = false

  constructor(options: ContextStoreOptions) {
    this.#options = options
    this.#clock = options.clock ?? Date.now
    this.#registry = new TableRegistry(options.onTableChange)
    for (const kind of options.kinds ?? []) this.#registry.add(kind)
    const { indexes = indexRules.mostInAll } = options.settings
    const { onUpkeepError: onError, rest } = options
    const database = (): Promise<ContextDatabase> => this.openDatabase()
    this.#renewal = new Renewal({ database, tables: () => this.#registry.listRenewing(), onError, rest })
    this.indexes = new OnDemandIndexes({
      rules: { mostInAll: indexes, ...options.indexRules },
      isOpen: () => this.#opening !== undefined,
      database,
      findTable: (kind, entity) => this.#registry.find(kind, entity)?.table,
      findNumber: async (ref) => (await this.#findTarget(ref))?.number,
      clock: this.#clock,
      onError,
      onChange: options.onIndex,
    })
  }

  ensureKind(definition: SearchableKind): void {
    this.#registry.add(definition)
  }

  async checkDatabase(): Promise<void> {
    await (await this.openDatabase()).query({ text: 'select 1' })
  }

  getTable = (kind: string, entity: string) => this.#registry.get(kind, entity).table

  async findSearchedTable(ref: EntityRef) {
    const known = (await this.#findTarget(ref))?.known ?? this.#registry.get(ref.kind, ref.entity)
    const isOld = this.#registry.listRenewing().includes(known) && (await this.#readRows(ref, reads.buildIsOldStatement)).length > 0
    return isOld ? known.first.table : known.table
  }

  async writeBatch(ref: EntityRef, batch: Batch): Promise<BatchResult> {
    return this.#writeBatch(await this.#createTarget(ref), batch)
  }

  async foldLive(ref: EntityRef, records: readonly StoredRecord[], asked: number): Promise<BatchResult | undefined> {
    const target = await this.#findTarget(ref)
    return target === undefined ? undefined : this.#writeBatch(target, { records, asked }, true)
  }

  async readChanges(ref: EntityRef): Promise<bigint | undefined> {
    const database = await this.openDatabase()
    const ask = async () => reads.parseChanges(await this.#readRows(ref, reads.buildChangesStatement))
    return this.#changes.read(database, `${this.#epoch} ${ref.connector} ${ref.entity}`, ask)
  }

  async forgetRecords(gone: Removal): Promise<ReadonlyMap<string, number>> {
    const kept = listEntities(gone).filter((entity) => this.#registry.find(gone.kind, entity) !== undefined)
    const found = await Promise.all(kept.map((entity) => this.#findTarget({ ...gone, entity })))
    const targets = found.filter((target) => target !== undefined)
    const [first] = targets
    return first === undefined
      ? new Map()
      : this.#transaction(first, (session) => forgetRecords(session, gone, { targets, now: this.#clock() }))
  }

  async beginPass(ref: EntityRef, pass: string): Promise<void> {
    const target = await this.#createTarget(ref)
    await this.#transaction(target, (session) => beginPass(session, target, pass))
  }

  async sweep(ref: EntityRef, pass: string, span?: Span): Promise<number> {
    const target = await this.#createTarget(ref)
    return sweep({ transaction: (work) => this.#transaction(target, work) }, target, { pass, span, now: this.#clock })
  }

  async hasUnseen(ref: EntityRef, pass: string, span?: Span): Promise<boolean> {
    const target = await this.#createTarget(ref)
    return hasUnseen({ transaction: (work) => this.#transaction(target, work) }, target, { pass, span })
  }

  sweepSpan = (ref: EntityRef, pass: string, span: Span): Promise<number> => this.sweep(ref, pass, span)

  async abandonPass(ref: EntityRef, pass: string): Promise<void> {
    const target = await this.#createTarget(ref)
    await this.#transaction(target, (session) => abandonPass(session, target, pass))
  }

  async deleteAll(ref: EntityRef): Promise<void> {
    const target = await this.#createTarget(ref)
    await deleteAll({ transaction: (work) => this.#transaction(target, work) }, target, this.#clock)
    this.indexes.sweepSoon()
  }

  async saveCheckpoints(ref: EntityRef, checkpoints: readonly Checkpoint[]): Promise<void> {
    const target = await this.#createTarget(ref)
    await this.#transaction(target, (session) => lockState(session, target).then(() => saveCheckpoints(session, target, checkpoints)))
  }

  async removeConnector(connector: string): Promise<void> {
    if (!this.#hasDatabase()) return
    const database = await this.openDatabase()
    this.#numbers.delete(connector)
    await database.transaction((session) => markRemoved(session, connector))
    await this.finishRemovals()
  }

  async finishRemovals(): Promise<void> {
    if (!this.#hasDatabase()) return
    const database = await this.openDatabase()
    for (const number of await findRemovedNumbers(database)) await deleteConnectorRows(database, number)
    this.indexes.sweepSoon()
  }

  async search<T>(ref: EntityRef, work: SearchWork<T>, options?: ReadOptions): Promise<T | undefined> {
    const target = await this.#findTarget(ref)
    return target === undefined ? undefined : this.#read(target.epoch, (session) => work(session, target.number), options)
  }

  async readKeys(ref: EntityRef, from: reads.KeyPage): Promise<readonly string[]> {
    return reads.parseKeys(await this.#readRows(ref, (target) => reads.buildKeysStatement(target, from)))
  }

  async findKnownKeys(ref: EntityRef, keys: readonly string[]): Promise<ReadonlySet<string>> {
    return new Set(reads.parseKeys(await this.#readRows(ref, (target) => reads.buildKnownStatement(target, keys))))
  }

  async countRecords(connector: string): Promise<ReadonlyMap<string, number>> {
    const found = await this.#findNumber(connector)
    if (found === undefined) return new Map()
    const { rows } = await this.#read(found.epoch, (session) => session.query<Row>(reads.buildCountsStatement(found.number)))
    return reads.parseCounts(rows)
  }

  listRenewing = (connector: string): ReadonlySet<string> => this.#renewal.listEntities(connector)

  async readCheckpoints(ref: EntityRef): Promise<ReadonlyMap<string, string>> {
    return reads.parseCheckpoints(await this.#readRows(ref, reads.buildCheckpointsStatement))
  }

  status(): StoreStatus {
    const { engine } = this.#options.settings
    return { engine, opened: this.#opening !== undefined, ...sumLoad(this.#engine), setAside: this.#setAside }
  }

  async openDatabase(): Promise<ContextDatabase> {
    if (this.#closed) throw unavailable()
    this.#opening ??= this.#open()
    const database = await this.#opening
    await this.#engine?.open?.()
    return database
  }

  async close(): Promise<void> {
    this.#closed = true
    await Promise.all([this.indexes.close(), this.#renewal.close()])
    await (await this.#opening)?.close()
  }

  async #open(): Promise<ContextDatabase> {
    const { settings, onUpkeepError } = this.#options
    const onSetAside = (aside: SetAsideDatabase): void => {
      this.#setAside = aside
      this.#epoch += 1
      this.#options.onSetAside?.(aside)
    }
    const options = { prepare: (run: Run) => this.#prepare(run), onSetAside, onUpkeepError, clock: this.#clock }
    this.#engine = await createEngine(settings, options)
    return createContextDatabase(this.#engine)
  }

  /** Runs after each opening, because it can be another database. */
  async #prepare(run: Run): Promise<void> {
    this.#numbers.clear()
    this.#words.clear()
    this.#layout = await findLayout(run, this.#options.settings)
    await prepareOwnTables(this.#layout, run)
    await this.#registry.prepare(this.#layout, run)
    this.indexes.start(this.#layout)
    this.#renewal.start()
  }

  #hasDatabase(): boolean {
    const { settings } = this.#options
    return settings.engine === 'postgres' || this.#opening !== undefined || hasDatabase(settings.folder)
  }

  async #read<T>(epoch: number, work: (session: Session) => Promise<T>, options?: ReadOptions): Promise<T> {
    const result = await (await this.openDatabase()).read(work, fitReadOptions(this.#layout, options))
    this.#assertSame({ epoch })
    return result
  }

  async #readRows(ref: EntityRef, statement: (target: ConnectorTable) => Statement): Promise<readonly Row[]> {
    const target = await this.#findTarget(ref)
    return target === undefined ? [] : (await this.#read(target.epoch, (session) => session.query<Row>(statement(target)))).rows
  }

  async #findNumber(connector: string): Promise<{ readonly number: number; readonly epoch: number } | undefined> {
    if (!this.#hasDatabase()) return undefined
    const database = await this.openDatabase()
    const epoch = this.#epoch
    const number = this.#numbers.get(connector) ?? (await findNumber(database, connector))
    if (number === undefined) return undefined
    this.#numbers.set(connector, number)
    return { number, epoch }
  }

  async #findTarget({ connector, kind, entity }: EntityRef): Promise<NumberedTarget | undefined> {
    const known = this.#registry.get(kind, entity)
    const found = await this.#findNumber(connector)
    if (found === undefined) return undefined
    const database = await this.openDatabase()
    return (await this.#registry.checkTable(known.table, (statement) => database.query(statement))) ? { ...found, known } : undefined
  }

  async #createTarget({ connector, kind, entity }: EntityRef): Promise<NumberedTarget> {
    const known = this.#registry.get(kind, entity)
    const database = await this.openDatabase()
    const epoch = this.#epoch
    const found = await this.#findNumber(connector)
    const number = found?.number ?? (await database.transaction((session) => assignNumber(session, connector)))
    if (number === undefined) throw fail('connector_not_found', {})
    this.#numbers.set(connector, number)
    if (!this.#registry.isReady(known.table))
      await database.withConnection((run) => this.#registry.createTable(known.table, run), { timeoutMs: schemaMs })
    this.#renewal.start()
    return { number, known, epoch }
  }

  async #writeBatch(target: NumberedTarget, batch: Batch, live = false): Promise<BatchResult> {
    return writeInAttempts({
      mayCopy: this.#layout === 'postgres',
      dropBlocking: (thrown) => this.indexes.dropBlocking(thrown, target.number, target.known.table),
      write: (canCopy) =>
        this.#words.remember((begin) =>
          this.#transaction(target, (session) => {
            const options = { live, words: begin(), now: this.#clock(), canCopy }
            return writeBatch(session, target, { ...batch, ...options })
          }),
        ),
    })
  }

  async #transaction<T>(target: NumberedTarget, work: (session: Session) => Promise<T>): Promise<T> {
    return (await this.openDatabase()).transaction((session) => {
      this.#assertSame(target)
      return work(session)
    })
  }

  #assertSame({ epoch }: Pick<NumberedTarget, 'epoch'>): void {
    if (epoch !== this.#epoch) throw unavailable()
  }
}

/** Creates a context store. The database opens when it is first needed. */
export const openContextStore = (options: ContextStoreOptions): ContextStore => new Store(options)
