/**
 * Entry of the context store. Resolves entities to tables and connector numbers, and opens the database when it is first needed.
 * Reasons: docs/decisions/copy.md
 */
import { setTimeout as pause } from 'node:timers/promises'
import type { OwnKind } from '../../values/access.ts'
import type { EntityRef } from '../entity-ref.ts'
import { type Batch, type BatchResult, type Checkpoint, ListedWords, saveCheckpoints, writeBatch, writeInAttempts } from './batch.ts'
import { createContextDatabase } from './database/context-database.ts'
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
import type { ContextStoreSettings } from './database/settings.ts'
import { forgetRecords, listEntities, type Removal } from './forget.ts'
import { OnDemandIndexes } from './indexes/on-demand.ts'
import { indexRules } from './indexes/types.ts'
import {
  buildChangeCounts,
  buildLogPage,
  type ChangeCause,
  type ChangeCounts,
  checkLogRoom,
  followLog,
  isReadAgain,
  type LogPage,
  type LogPosition,
  type LogReading,
  type LogRules,
  type LogState,
  type LogWait,
  LogWaits,
  parseChangeCounts,
  parseLogPage,
  parseLogState,
  usualLogRules,
} from './log.ts'
import { moveOwnRows, removeOwnEntity } from './moves.ts'
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
  ContextStore,
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

/** Counts taken slots and waiting requests of an engine, over searches and writes. */
function sumLoad(engine: Engine | undefined): { readonly running: number; readonly waiting: number } {
  const lanes = new Set(Object.values(engine?.lanes ?? {}))
  const sum = (what: 'running' | 'waiting'): number => [...lanes].reduce((total, lane) => total + lane.load[what], 0)
  return { running: sum('running'), waiting: sum('waiting') }
}

/** Timeout of a write, and maximum wait for a slot, in milliseconds. */
const writeMs = 60_000
/** Time that a cancelled statement of the primary has to end before its connection is cut, in milliseconds. Nothing answers instead of it. */
const cutMs = 5_000

interface EngineOptions {
  /** Runs after each opening of the database. */
  readonly prepare: (run: RunStatement) => Promise<void>
  readonly onSetAside: (aside: SetAsideDatabase) => void
  readonly onUpkeepError: ((error: unknown) => void) | undefined
  readonly clock: () => number
}

/** Creates the engine that the settings select. */
export async function createEngine(settings: ContextStoreSettings, parts: EngineOptions): Promise<Engine> {
  const { prepare, onSetAside, onUpkeepError, clock } = parts
  const limits = { waiting: settings.waiting, searchMs: settings.searchSeconds * 1_000, writeMs, prepare }
  if (settings.engine === 'embedded') {
    const { Embedded } = await import('./database/embedded/embedded.ts')
    const { folder, memoryMb } = settings
    return new Embedded({ ...limits, folder, memoryMb, onSetAside, onUpkeepError, clock })
  }
  const { createPostgresEngine: postgresEngine } = await import('./database/postgres.ts')
  const { url, password, searches, writers } = settings
  return postgresEngine({ ...limits, url, password, searches, writers, cutMs })
}

/** The log of an entity that nothing was stored of. */
const noLog = parseLogState(undefined)

/** Waits some milliseconds of the clock. */
const pauseAsLong = (ms: number, signal: AbortSignal): Promise<void> => pause(ms, undefined, { signal, ref: false }).catch(() => undefined) // the store closes

class Store implements ContextStore {
  readonly indexes: OnDemandIndexes
  readonly #options: ContextStoreOptions
  readonly #clock: () => number
  readonly #logRules: LogRules
  readonly #registry: TableRegistry
  readonly #words = new ListedWords()
  readonly #targets: Targets
  readonly #changes = new state.KnownChanges()
  readonly #replicas: Replicas
  readonly #waits = new LogWaits(async (look) => (await this.openDatabase()).glance(look, fitReadOptions(this.#layout, {})))
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
    this.#logRules = { ...usualLogRules, ...options.log }
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

  ensureKind(definition: SearchableKind): void {
    this.#registry.add(definition)
  }

  async checkDatabase(): Promise<void> {
    await (await this.openDatabase()).query({ text: 'select 1' })
  }

  async ready(): Promise<void> {
    if (this.#options.settings.engine === 'postgres') await (await this.openDatabase()).ready()
  }

  getTable = (kind: string, entity: string, own?: OwnKind) => this.#registry.get({ kind, entity, own }).table

  async writeBatch(ref: EntityRef, batch: Batch): Promise<BatchResult> {
    return this.#writeBatch(await this.#createTarget(ref), batch)
  }

  async foldLive(
    ref: EntityRef,
    records: readonly StoredRecord[],
    asked: number,
    cause: ChangeCause = 'live',
  ): Promise<BatchResult | undefined> {
    const target = await this.#targets.find(ref)
    return target === undefined ? undefined : this.#writeBatch(target, { records, asked }, cause)
  }

  async readChanges(ref: EntityRef): Promise<bigint | undefined> {
    const ask = async () => state.parseChanges(await this.#readRows(ref, state.buildChangesStatement))
    return this.#changes.read(await this.openDatabase(), state.nameChanges(this.#epoch, ref), ask)
  }

  peekChanges = (ref: EntityRef): bigint | undefined => this.#changes.peek(state.nameChanges(this.#epoch, ref))

  async forgetRecords(gone: Removal): Promise<ReadonlyMap<string, number>> {
    const kept = listEntities(gone).filter((entity) => this.#registry.find({ ...gone, entity }) !== undefined)
    const found = await Promise.all(kept.map((entity) => this.#targets.find({ ...gone, entity })))
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
    return sweep(this.#fence(target), target, { pass, span, now: this.#clock })
  }

  async hasUnseen(ref: EntityRef, pass: string, span?: Span): Promise<boolean> {
    const target = await this.#createTarget(ref)
    return hasUnseen(this.#fence(target), target, { pass, span })
  }

  sweepSpan = (ref: EntityRef, pass: string, span: Span): Promise<number> => this.sweep(ref, pass, span)

  async abandonPass(ref: EntityRef, pass: string): Promise<void> {
    const target = await this.#createTarget(ref)
    await this.#transaction(target, (session) => abandonPass(session, target, pass))
  }

  async deleteAll(ref: EntityRef): Promise<void> {
    const found = await this.#targets.findNumber(ref.connector)
    const hadOwn = found !== undefined && (await removeOwnEntity(this.#fence(found), found.number, ref.entity))
    if (ref.own === undefined && (!hadOwn || this.#registry.find(ref) !== undefined)) {
      const target = await this.#createTarget(ref)
      await deleteAll(this.#fence(target), target, this.#clock)
    }
    this.indexes.sweepSoon()
  }

  async moveRows(connector: string, from: OwnKind, to: OwnKind): Promise<void> {
    const found = await this.#targets.findNumber(connector)
    if (found === undefined) return
    const find = (own: OwnKind, entity: string) => this.#registry.find({ kind: own.id, entity, own })
    const create = (entity: string) => this.#createTarget({ connector, kind: to.id, entity, own: to })
    await moveOwnRows(this.#fence(found), { number: found.number, from, to, find, create, clock: this.#clock })
    const tables = Object.keys(to.entities).flatMap((entity) => find(to, entity)?.table ?? [])
    await this.#fence(found).transaction((session) => moveViews((statement) => session.query(statement), connector, tables))
    this.indexes.sweepSoon()
  }

  async followChanges(ref: EntityRef, organizationId?: string): Promise<void> {
    const target = await this.#createTarget(ref)
    await this.#transaction(target, async (session) => {
      const { log } = await state.lockState(session, target)
      if (log.feed === null && organizationId !== undefined) await checkLogRoom(session, this.#logRules, organizationId)
      await followLog(session, nameRows(target), log, { ...this.#reading(), organizationId })
    })
  }

  async readLog(ref: EntityRef, from: { readonly after: bigint; readonly limit: number }): Promise<LogPage> {
    const page = parseLogPage(await this.#readRows(ref, (target) => buildLogPage(nameRows(target), from)))
    await this.#noteReading(ref, page)
    return page
  }

  async readLogStates(refs: readonly EntityRef[]): Promise<readonly LogState[]> {
    const targets = await Promise.all(refs.map((ref) => this.#targets.find(ref)))
    const states = await Promise.all(targets.map((target) => (target === undefined ? noLog : this.#waits.look(nameRows(target)))))
    for (const [index, ref] of refs.entries()) await this.#noteReading(ref, states[index])
    return states
  }

  #reading(now = this.#clock()): LogReading {
    return { now, rules: this.#logRules }
  }

  /** Notes from time to time that a log is read. */
  async #noteReading(ref: EntityRef, log: LogState = noLog): Promise<void> {
    if (log.generation !== null && isReadAgain(log.readAt, this.#reading())) await this.followChanges(ref)
  }

  async countChanges(ref: EntityRef, span: { readonly after: bigint; readonly upTo: bigint }): Promise<ChangeCounts> {
    return parseChangeCounts(await this.#readRows(ref, (target) => buildChangeCounts(nameRows(target), span)))
  }

  async waitForChange(followed: readonly Followed[], wait: LogWait): Promise<boolean> {
    const targets = await Promise.all(followed.map(({ ref }) => this.#targets.find(ref)))
    const logs = followed.flatMap(({ from }, index) => {
      const target = targets[index]
      return target === undefined ? [] : [{ rows: nameRows(target), from }]
    })
    return logs.length < followed.length || this.#waits.wait(logs, wait)
  }

  async keepChanges(ref: EntityRef, findNeeded: () => Promise<readonly LogPosition[]>): Promise<void> {
    const target = await this.#targets.find(ref)
    if (target !== undefined) await this.#transaction(target, (session) => state.keepLog(session, nameRows(target), findNeeded))
  }

  async purgeExpired(now: number, own: ReadonlyMap<string, number> = new Map()): Promise<void> {
    if (this.#opening === undefined) return
    this.#consumerLag = await state.purgeLogs(await this.openDatabase(), this.#reading(now), own)
  }

  async saveCheckpoints(ref: EntityRef, checkpoints: readonly Checkpoint[]): Promise<void> {
    const target = await this.#createTarget(ref)
    await this.#transaction(target, (session) => state.lockState(session, target).then(() => saveCheckpoints(session, target, checkpoints)))
  }

  async removeConnector(connector: string): Promise<void> {
    if (!this.#hasDatabase()) return
    const database = await this.openDatabase()
    this.#targets.forget(connector)
    // A connector without records gets a number too: a late write must find the mark.
    const number = await database.transaction((session) => assignNumber(session, connector))
    if (number !== undefined) await database.transaction((session) => markRemoved(session, number))
    await this.finishRemovals()
  }

  async finishRemovals(): Promise<void> {
    if (!this.#hasDatabase()) return
    const database = await this.openDatabase()
    for (const number of await findRemovedNumbers(database)) await deleteConnectorRows(database, number)
    this.indexes.sweepSoon()
  }

  hasRows = async (ref: EntityRef): Promise<boolean> => (await this.#targets.find(ref)) !== undefined

  async search<T>(ref: EntityRef, work: SearchWork<T>, { related = [], ...options }: SearchReadOptions = {}): Promise<T | undefined> {
    const target = await this.#targets.find(ref)
    if (target === undefined) return undefined
    const askPrimary = (given?: ReadOptions) => this.#read(target.epoch, (session) => work(session, target.number), given)
    return this.#replicas.search({ ...nameRows(target), related, work, askPrimary }, options)
  }

  async readKeys(ref: EntityRef, from: state.KeyPage): Promise<readonly string[]> {
    return state.parseKeys(await this.#readRows(ref, (target) => state.buildKeysStatement(target, from)))
  }

  async findKnownKeys(ref: EntityRef, keys: readonly string[]): Promise<ReadonlySet<string>> {
    return new Set(state.parseKeys(await this.#readRows(ref, (target) => state.buildKnownStatement(target, keys))))
  }

  canJoinConnectors = async (): Promise<boolean> => (await this.openDatabase()).ready().then(() => this.#layout !== 'citus')

  async searchSeveral<T>(refs: readonly EntityRef[], work: SeveralWork<T>, options?: ReadOptions): Promise<T> {
    const { epoch = this.#epoch, numbers } = await this.#targets.findEach(refs)
    return this.#read(epoch, (session) => work(session, numbers), options)
  }

  async countRecords(connector: string): Promise<ReadonlyMap<string, number>> {
    const found = await this.#targets.findNumber(connector)
    if (found === undefined) return new Map()
    const { rows } = await this.#read(found.epoch, (session) => session.query<Row>(state.buildCountsStatement(found.number)))
    return state.parseCounts(rows)
  }

  async readCheckpoints(ref: EntityRef): Promise<ReadonlyMap<string, string>> {
    return state.parseCheckpoints(await this.#readRows(ref, state.buildCheckpointsStatement))
  }

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

  async openDatabase(): Promise<ContextDatabase> {
    if (this.#stop.signal.aborted) throw unavailable()
    this.#opening ??= this.#open()
    const database = await this.#opening
    await this.#engine?.open?.()
    return database
  }

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

  async #createTarget(ref: EntityRef): Promise<NumberedTarget> {
    return this.#targets.create(ref)
  }

  /** @param cause of a read outside of a sync */
  async #writeBatch(target: NumberedTarget, batch: Batch, cause?: ChangeCause): Promise<BatchResult> {
    return writeInAttempts({
      mayCopy: this.#layout === 'postgres',
      dropBlocking: (thrown) => this.indexes.dropBlocking(thrown, target.number, target.known.table),
      write: (canCopy) =>
        this.#words.remember((begin) =>
          this.#transaction(target, (session) => {
            const options = { live: cause !== undefined, cause, words: begin(), canCopy, ...this.#reading() }
            return writeBatch(session, target, { ...batch, ...options })
          }),
        ),
    })
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

/** Creates a context store. The database opens when it is first needed. */
export const openContextStore = (options: ContextStoreOptions): ContextStore => new Store(options)
