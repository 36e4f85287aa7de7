/**
 * Entry of the context store. Resolves entities to tables and connector numbers, and opens the database when it is first needed.
 * Reasons: docs/decisions/copy.md
 */
import { setTimeout as pause } from 'node:timers/promises'
import type { OwnKind } from '../../values/access.ts'
import type { EntityRef } from '../entity-ref.ts'
import { type Batch, type BatchResult, type Checkpoint, ListedWords, saveCheckpoints, writeBatch, writeInAttempts } from './batch.ts'
import { createContextDatabase, createEngine, sumLoad } from './database/context-database.ts'
import {
  type ContextDatabase,
  type Engine,
  findLayout,
  fitReadOptions,
  type ReadOptions,
  type Row,
  type RunStatement,
  type Session,
  type Statement,
  type TableLayout,
} from './database/database.ts'
import { hasDatabase, type SetAsideDatabase } from './database/embedded/folder.ts'
import { unavailable } from './database/problems.ts'
import { prepareOwnTables } from './database/requirements.ts'
import { forgetRecords, listEntities, type Removal } from './forget.ts'
import { OnDemandIndexes } from './indexes/on-demand.ts'
import { indexRules } from './indexes/types.ts'
import * as logs from './log.ts'
import { moveOwnRows, removeOwnEntity } from './moves.ts'
import { BatchParts } from './parts.ts'
import { abandonPass, beginPass, deleteAll, hasUnseen, sweep } from './passes.ts'
import {
  assignNumber,
  type ConnectorTable,
  deleteConnectorRows,
  findRemovedNumbers,
  markRemoved,
  type NumberedTarget,
  nameRows,
  TableRegistry,
  Targets,
} from './registry.ts'
import { Replicas } from './replicas/replicas.ts'
import type { StoredRecord } from './row-encoder.ts'
import * as state from './state.ts'
import type {
  ContextStoreOptions,
  Followed,
  SearchableKind,
  SearchReadOptions,
  SearchWork,
  SeveralWork,
  Span,
  StoreStatus,
} from './types.ts'
import { moveViews } from './views/views.ts'

/** The log of an entity that nothing was stored of. */
const noLog = logs.parseLogState(undefined)

/** Waits some milliseconds of the clock. */
const pauseAsLong = (ms: number, signal: AbortSignal): Promise<void> => pause(ms, undefined, { signal, ref: false }).catch(() => undefined) // the store closes

/**
 * The synced copy of records. The database opens when it is first needed; reading from an embedded store without data opens nothing. Every
 * call may throw FerruleError `context_store_unavailable`, `context_store_timeout` or `overloaded`. The first call also throws
 * `setting_invalid` when the database is not usable.
 */
export class ContextStore {
  readonly indexes: OnDemandIndexes
  readonly #options: ContextStoreOptions
  readonly #clock: () => number
  readonly #logRules: logs.LogRules
  readonly #registry: TableRegistry
  readonly #words = new ListedWords()
  readonly #parts = new BatchParts()
  readonly #targets: Targets
  readonly #changes = new state.KnownChanges()
  readonly #replicas: Replicas
  readonly #waits = new logs.LogWaits(async (look) => (await this.openDatabase()).glance(look, fitReadOptions(this.#layout, {})))
  #engine: Engine | undefined
  #layout: TableLayout = 'embedded'
  #opening: Promise<ContextDatabase> | undefined
  #setAside: SetAsideDatabase | undefined
  #consumerLag = 0
  /** Counts replacements of the database: a replacement has other connector numbers. */
  #epoch = 0
  readonly #stop = new AbortController()

  constructor(options: ContextStoreOptions) {
    this.#options = options
    this.#clock = options.clock ?? Date.now
    this.#logRules = { ...logs.usualLogRules, ...options.log }
    this.#registry = new TableRegistry(options.onTableChange)
    for (const kind of options.kinds ?? []) this.#registry.add(kind)
    const { settings, onUpkeepError: onError, onReplica: onChange, replicaRules: rules, rest = pauseAsLong } = options
    const database = (): Promise<ContextDatabase> => this.openDatabase()
    this.#targets = new Targets({
      registry: this.#registry,
      database,
      hasDatabase: () => this.#hasDatabase(),
      epoch: () => this.#epoch,
      rest: (ms) => rest(ms, this.#stop.signal),
    })
    this.#replicas = new Replicas({ settings, rules, primary: database, onChange })
    this.indexes = new OnDemandIndexes({
      rules: { mostInAll: settings.indexes ?? indexRules.mostInAll, ...options.indexRules },
      isOpen: () => this.#opening !== undefined,
      database,
      readReplicas: (statement) => this.#replicas.readAll(statement),
      findTable: (name) => this.#registry.find(name)?.table,
      findNumber: async (ref) => (await this.#targets.find(ref))?.number,
      clock: this.#clock,
      onError,
      onChange: options.onIndex,
    })
  }

  /** Adds the searchable entities of a kind. Their tables are created with the first write. */
  ensureKind(definition: SearchableKind): void {
    this.#registry.add(definition)
  }

  /** Opens the database and checks it. Used at the start of a service with PostgreSQL. */
  async checkDatabase(): Promise<void> {
    await (await this.openDatabase()).query({ text: 'select 1' })
  }

  /** Resolves when a PostgreSQL server answers and takes writes, within two seconds; an embedded database is not asked. */
  async ready(): Promise<void> {
    if (this.#options.settings.engine === 'postgres') await (await this.openDatabase()).ready()
  }

  /**
   * Returns the table of a searchable entity.
   * @param own the kind, where an organization brought it
   */
  getTable = (kind: string, entity: string, own?: OwnKind) => this.#registry.get({ kind, entity, own }).table

  /**
   * Writes a batch of one entity with its checkpoints. PostgreSQL takes all or nothing; the embedded database takes parts, the last with
   * checkpoints and deletions, so after a failure the batch is repeated. Unchanged rows are skipped. Only one run at a time writes an entity.
   * @throws FerruleError `connector_not_found` when the connector was deleted; `unavailable` when another complete pass has begun
   */
  async writeBatch(ref: EntityRef, batch: Batch): Promise<BatchResult> {
    return this.#writeBatch(await this.#targets.create(ref), batch)
  }

  /**
   * Updates the copy with records that were read outside of a sync. Does nothing when no sync has written the entity.
   * @param asked time of the request, in milliseconds since 1970
   * @param cause default: a client's read
   */
  async foldLive(
    ref: EntityRef,
    records: readonly StoredRecord[],
    asked: number,
    cause: logs.ChangeCause = 'live',
  ): Promise<BatchResult | undefined> {
    const target = await this.#targets.find(ref)
    return target === undefined ? undefined : this.#writeBatch(target, { records, asked }, cause)
  }

  /**
   * Reads how often the rows of an entity have changed, on any node. While the count is the `storedAt` of a batch, each record of the batch
   * is stored as it was. Undefined when no sync has written the entity.
   */
  async readChanges(ref: EntityRef): Promise<bigint | undefined> {
    const ask = async () => state.parseChanges(await this.#readRows(ref, state.buildChangesStatement))
    return this.#changes.read(await this.openDatabase(), state.nameChanges(this.#epoch, ref), ask)
  }

  /** Returns the same count at once if an embedded database was asked before and nothing was written since; else undefined. */
  peekChanges = (ref: EntityRef): bigint | undefined => this.#changes.peek(state.nameChanges(this.#epoch, ref))

  /**
   * Deletes records that no longer exist, with their descendants. Responses to earlier requests do not restore them.
   * @returns the number of deleted records by entity
   */
  async forgetRecords(gone: Removal): Promise<ReadonlyMap<string, number>> {
    const kept = listEntities(gone).filter((entity) => this.#registry.find({ ...gone, entity }) !== undefined)
    const found = await Promise.all(kept.map((entity) => this.#targets.find({ ...gone, entity })))
    const targets = found.filter((target) => target !== undefined)
    const [first] = targets
    return first === undefined
      ? new Map()
      : this.#transaction(first, (session) => forgetRecords(session, gone, { targets, now: this.#clock() }))
  }

  /** Begins or resumes the pass of this id, which remembers the keys written with it. */
  async beginPass(ref: EntityRef, pass: string): Promise<void> {
    const target = await this.#targets.create(ref)
    await this.#transaction(target, (session) => beginPass(session, target, pass))
  }

  /**
   * Ends a pass over everything, or over the records of a span, and deletes what it did not see. Call it again after a kill.
   * @returns the number of deleted rows
   * @throws FerruleError `unavailable` when the pass is over
   */
  async sweep(ref: EntityRef, pass: string, span?: Span): Promise<number> {
    const target = await this.#targets.create(ref)
    return sweep(this.#fence(target), target, { pass, span, now: this.#clock })
  }

  /** Returns whether a sweep would delete rows, of everything or of a span. False when the pass is over. */
  async hasUnseen(ref: EntityRef, pass: string, span?: Span): Promise<boolean> {
    const target = await this.#targets.create(ref)
    return hasUnseen(this.#fence(target), target, { pass, span })
  }

  /** Ends an incomplete pass without deleting anything. */
  async abandonPass(ref: EntityRef, pass: string): Promise<void> {
    const target = await this.#targets.create(ref)
    await this.#transaction(target, (session) => abandonPass(session, target, pass))
  }

  /**
   * Deletes all rows and checkpoints of an entity; the connector stays. Rows of a kind of an organization are found without the kind, of
   * any version.
   */
  async deleteAll(ref: EntityRef): Promise<void> {
    const found = await this.#targets.findNumber(ref.connector)
    const hadOwn = found !== undefined && (await removeOwnEntity(this.#fence(found), found.number, ref.entity))
    if (ref.own === undefined && (!hadOwn || this.#registry.find(ref) !== undefined)) {
      const target = await this.#targets.create(ref)
      await deleteAll(this.#fence(target), target, this.#clock)
    }
    this.indexes.sweepSoon()
  }

  /**
   * Moves the rows of a connector from one version of its organization's kind to another (`findOwnMoves`). Rows of entities that are stored
   * alike stay as they are. Others lose their checkpoints, so they are read again. Call it again after a kill. No run may write meanwhile.
   */
  async moveRows(connector: string, from: OwnKind, to: OwnKind): Promise<void> {
    const found = await this.#targets.findNumber(connector)
    if (found === undefined) return
    const find = (own: OwnKind, entity: string) => this.#registry.find({ kind: own.id, entity, own })
    const create = (entity: string) => this.#targets.create({ connector, kind: to.id, entity, own: to })
    await moveOwnRows(this.#fence(found), { number: found.number, from, to, find, create, clock: this.#clock })
    const tables = Object.keys(to.entities).flatMap((entity) => find(to, entity)?.table ?? [])
    await this.#fence(found).transaction((session) => moveViews((statement) => session.query(statement), connector, tables))
    this.indexes.sweepSoon()
  }

  /**
   * Begins the log of the changes of an entity, or notes that it is still read.
   * @param organizationId whose reader it is; left out: it counts for none
   * @throws FerruleError `validation_failed` when the organization keeps as many logs as it may
   */
  async followChanges(ref: EntityRef, organizationId?: string): Promise<void> {
    const target = await this.#targets.create(ref)
    await this.#transaction(target, async (session) => {
      const { log } = await state.lockState(session, target)
      if (log.feed === null && organizationId !== undefined) await logs.checkLogRoom(session, this.#logRules, organizationId)
      await logs.followLog(session, nameRows(target), log, { ...this.#reading(), organizationId })
    })
  }

  /** Reads changes of an entity after a position, in the order of their commits. */
  async readLog(ref: EntityRef, from: { readonly after: bigint; readonly limit: number }): Promise<logs.LogPage> {
    const page = logs.parseLogPage(await this.#readRows(ref, (target) => logs.buildLogPage(nameRows(target), from)))
    await this.#noteReading(ref, page)
    return page
  }

  /** Reads the states of the logs of some entities, in their order; an empty log for what has no copy. */
  async readLogStates(refs: readonly EntityRef[]): Promise<readonly logs.LogState[]> {
    const targets = await Promise.all(refs.map((ref) => this.#targets.find(ref)))
    const states = await Promise.all(targets.map((target) => (target === undefined ? noLog : this.#waits.look(nameRows(target)))))
    for (const [index, ref] of refs.entries()) await this.#noteReading(ref, states[index])
    return states
  }

  #reading(now = this.#clock()): logs.LogReading {
    return { now, rules: this.#logRules }
  }

  /** Notes from time to time that a log is read. */
  async #noteReading(ref: EntityRef, log: logs.LogState = noLog): Promise<void> {
    if (log.generation !== null && logs.isReadAgain(log.readAt, this.#reading())) await this.followChanges(ref)
  }

  /** Counts the records of an entity that changed between two positions. */
  async countChanges(ref: EntityRef, span: { readonly after: bigint; readonly upTo: bigint }): Promise<logs.ChangeCounts> {
    return logs.parseChangeCounts(await this.#readRows(ref, (target) => logs.buildChangeCounts(nameRows(target), span)))
  }

  /**
   * Waits until the log of one of some entities of a connector is elsewhere than at its position.
   * @returns false when the time is over
   * @throws the reason of the signal
   */
  async waitForChange(followed: readonly Followed[], wait: logs.LogWait): Promise<boolean> {
    const targets = await Promise.all(followed.map(({ ref }) => this.#targets.find(ref)))
    const waited = followed.flatMap(({ from }, index) => {
      const target = targets[index]
      return target === undefined ? [] : [{ rows: nameRows(target), from }]
    })
    return waited.length < followed.length || this.#waits.wait(waited, wait)
  }

  /**
   * Notes from where on consumers need the changes of an entity: those are kept beyond their days, and the log does not end.
   * @param findNeeded reads where all consumers are. It may run again, and never waits for the store
   */
  async keepChanges(ref: EntityRef, findNeeded: () => Promise<readonly logs.LogPosition[]>): Promise<void> {
    const target = await this.#targets.find(ref)
    if (target !== undefined) await this.#transaction(target, (session) => state.keepLog(session, nameRows(target), findNeeded))
  }

  /**
   * Deletes changes whose days are over, also of entities that nothing writes any more.
   * @param own days of connectors with a value of their own, by their ids
   */
  async purgeExpired(now: number, own: ReadonlyMap<string, number> = new Map()): Promise<void> {
    if (this.#opening === undefined) return
    this.#consumerLag = await state.purgeLogs(await this.openDatabase(), this.#reading(now), own)
  }

  /** Saves checkpoints without records. */
  async saveCheckpoints(ref: EntityRef, checkpoints: readonly Checkpoint[]): Promise<void> {
    const target = await this.#targets.create(ref)
    await this.#transaction(target, (session) => state.lockState(session, target).then(() => saveCheckpoints(session, target, checkpoints)))
  }

  /** Deletes everything of a connector for good. After a kill, call it again, or `finishRemovals`. */
  async removeConnector(connector: string): Promise<void> {
    if (!this.#hasDatabase()) return
    const database = await this.openDatabase()
    this.#targets.forget(connector)
    // A connector without records gets a number too: a late write must find the mark.
    const number = await database.transaction((session) => assignNumber(session, connector))
    if (number !== undefined) await database.transaction((session) => markRemoved(session, number))
    await this.finishRemovals()
  }

  /** Resumes interrupted deletions. */
  async finishRemovals(): Promise<void> {
    if (!this.#hasDatabase()) return
    const database = await this.openDatabase()
    for (const number of await findRemovedNumbers(database)) await deleteConnectorRows(database, number)
    this.indexes.sweepSoon()
  }

  /** Returns whether a search can read an entity: its table exists. */
  hasRows = async (ref: EntityRef): Promise<boolean> => (await this.#targets.find(ref)) !== undefined

  /** Runs a search in one slot; undefined when no record of the entity was ever written. */
  async search<T>(ref: EntityRef, work: SearchWork<T>, { related = [], ...options }: SearchReadOptions = {}): Promise<T | undefined> {
    const target = await this.#targets.find(ref)
    if (target === undefined) return undefined
    const askPrimary = (given?: ReadOptions) => this.#read(target.epoch, (session) => work(session, target.number), given)
    return this.#replicas.search({ ...nameRows(target), related, work, askPrimary }, options)
  }

  /** Reads keys of an entity in their order, after a given key. */
  async readKeys(ref: EntityRef, from: state.KeyPage): Promise<readonly string[]> {
    return state.parseKeys(await this.#readRows(ref, (target) => state.buildKeysStatement(target, from)))
  }

  /** Finds which of some keys are stored. */
  async findKnownKeys(ref: EntityRef, keys: readonly string[]): Promise<ReadonlySet<string>> {
    return new Set(state.parseKeys(await this.#readRows(ref, (target) => state.buildKnownStatement(target, keys))))
  }

  /** Returns whether a statement may be about several connectors: their rows are in one database. */
  canJoinConnectors = async (): Promise<boolean> => (await this.openDatabase()).ready().then(() => this.#layout !== 'citus')

  /**
   * Runs statements about several entities in one slot, on the primary. Where connectors cannot be joined: entities of one.
   * @param work gets the numbers of their connectors, undefined where nothing of the entity was ever written
   */
  async searchSeveral<T>(refs: readonly EntityRef[], work: SeveralWork<T>, options?: ReadOptions): Promise<T> {
    const { epoch = this.#epoch, numbers } = await this.#targets.findEach(refs)
    return this.#read(epoch, (session) => work(session, numbers), options)
  }

  /** Counts the records of each entity of a connector; an empty map for an unknown one. */
  async countRecords(connector: string): Promise<ReadonlyMap<string, number>> {
    const found = await this.#targets.findNumber(connector)
    if (found === undefined) return new Map()
    const { rows } = await this.#read(found.epoch, (session) => session.query<Row>(state.buildCountsStatement(found.number)))
    return state.parseCounts(rows)
  }

  /** Reads the checkpoints of an entity, as JSON by name. */
  async readCheckpoints(ref: EntityRef): Promise<ReadonlyMap<string, string>> {
    return state.parseCheckpoints(await this.#readRows(ref, state.buildCheckpointsStatement))
  }

  /** Says what the store does and holds, without asking the database. */
  status(): StoreStatus {
    const { engine } = this.#options.settings
    const { status: replicas, counts: searches } = this.#replicas
    return {
      engine,
      opened: this.#opening !== undefined,
      ...sumLoad(this.#engine),
      setAside: this.#setAside,
      consumerLag: this.#consumerLag,
      replicas,
      searches,
    }
  }

  /** Opens the database, or returns the open one. @throws FerruleError `unavailable` once the store is closed, or when it cannot be opened */
  async openDatabase(): Promise<ContextDatabase> {
    if (this.#stop.signal.aborted) throw unavailable()
    this.#opening ??= this.#open()
    const database = await this.#opening
    await this.#engine?.open?.()
    return database
  }

  /** Waits for running work and closes everything. */
  async close(): Promise<void> {
    this.#stop.abort()
    await Promise.all([this.indexes.close(), this.#replicas.close()])
    await (await this.#opening)?.close()
  }

  async #open(): Promise<ContextDatabase> {
    const { settings, onUpkeepError } = this.#options
    const onSetAside = (aside: SetAsideDatabase): void => {
      this.#setAside = aside
      this.#epoch += 1
      this.#options.onSetAside?.(aside)
    }
    const options = { prepare: (run: RunStatement) => this.#prepare(run), onSetAside, onUpkeepError, clock: this.#clock }
    this.#engine = await createEngine(settings, options)
    return createContextDatabase(this.#engine)
  }

  /** Runs after each opening, because it can be another database. */
  async #prepare(run: RunStatement): Promise<void> {
    this.#targets.forget()
    this.#words.clear()
    this.#layout = await findLayout(run, this.#options.settings)
    this.#replicas.assertUsable(this.#layout)
    await prepareOwnTables(this.#layout, run)
    await this.#registry.prepare(this.#layout, run)
    this.indexes.start(this.#layout)
    this.#replicas.start()
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
    const target = await this.#targets.find(ref)
    return target === undefined ? [] : (await this.#read(target.epoch, (session) => session.query<Row>(statement(target)))).rows
  }

  /** @param cause of a read outside of a sync */
  async #writeBatch(target: NumberedTarget, batch: Batch, cause?: logs.ChangeCause): Promise<BatchResult> {
    const writePart = (part: Batch, written?: readonly string[]): Promise<BatchResult> =>
      writeInAttempts({
        mayCopy: this.#layout === 'postgres',
        dropBlocking: (thrown) => this.indexes.dropBlocking(thrown, target.number, target.known.table),
        write: (canCopy) =>
          this.#words.remember((begin) =>
            this.#transaction(target, (session) => {
              const options = { live: cause !== undefined, cause, words: begin(), canCopy, written, ...this.#reading() }
              return this.#parts.measure(part.records.length, () => writeBatch(session, target, { ...part, ...options }))
            }),
          ),
      })
    return this.#layout === 'embedded' ? this.#parts.write(batch, writePart) : writePart(batch)
  }

  /** Runs transactions while the database of a number is in use. */
  #fence(numbered: Pick<NumberedTarget, 'epoch' | 'number'>): Pick<ContextDatabase, 'transaction'> {
    return { transaction: (work) => this.#transaction(numbered, work) }
  }

  async #transaction<T>(target: Pick<NumberedTarget, 'epoch' | 'number'>, work: (session: Session) => Promise<T>): Promise<T> {
    const database = await this.openDatabase()
    const result = await database.transaction((session) => {
      this.#assertSame(target)
      return work(session)
    })
    this.#waits.written(target.number)
    return result
  }

  #assertSame({ epoch }: Pick<NumberedTarget, 'epoch'>): void {
    if (epoch !== this.#epoch) throw unavailable()
  }
}
