/** Writes records of live reads into the copy in the background. No call waits for a write or fails because of it. */
import { hash } from 'node:crypto'
import type { EntityDefinition, Field, Kind } from 'ferrule/definition'
import { type Call, type CompiledOperation, findOperation, type Outcome, type Params, RawJson, RawRows, writeJson } from 'ferrule/engine'
import { BoundedMap, fillParams, isObject, isOptional, readBatches } from 'ferrule/internal'
import type { ConnectorAccess } from '../values/access.ts'
import type { FoldReport } from '../values/metric-types.ts'
import { toEntityRef } from './entity-ref.ts'
import type { ChangeCause } from './store/log.ts'
import type { ContextStore } from './store/store.ts'
import { buildGone, type Met, splitGone, toStoredRecord } from './sync/walk/records.ts'

/** Maximum number of remembered pages; each takes about 200 bytes. */
const mostPages = 10_000
/** Longest time in milliseconds that a page is remembered. It bounds the trust in a count after a database was restored. */
const rememberedMs = 600_000

/** Maximum number of kept bodies, and the largest one in bytes: 8 MiB together. */
const mostBodies = 64
const longestBody = 131_072

/** Digests a vendor's body. */
export const digestBody = (body: Buffer): string => hash('sha256', body, 'base64url')

/** A body that was read; its bytes only after it was read twice, so that lists that change copy nothing. */
interface ReadBody {
  readonly digest: string
  readonly bytes?: Uint8Array
}

/** Digests bodies, and compares them with the latest ones first: 60 kB are compared in 2 µs and digested in 40. */
export class BodyDigests {
  readonly #bodies = new BoundedMap<string, ReadBody>(mostBodies)
  #clearing: NodeJS.Timeout | undefined

  /**
   * Returns what `digestBody` returns.
   * @param list name of the connector and the entity; bodies are compared with those of the same list only
   */
  digest(list: string, body: Buffer): string {
    if (body.length > longestBody) return digestBody(body)
    const name = `${list} ${body.length}`
    const last = this.#bodies.get(name)
    if (last?.bytes !== undefined && body.equals(last.bytes)) return last.digest
    const digest = digestBody(body)
    // A copy, because the engine frees the memory of the body.
    this.#bodies.set(name, last?.digest === digest ? { digest, bytes: new Uint8Array(body) } : { digest })
    this.#clearing ??= setTimeout(() => this.clear(), rememberedMs).unref()
    return digest
  }

  /** Drops all bodies. It happens by itself too, so that no body of a removed connector stays. */
  clear(): void {
    clearTimeout(this.#clearing)
    this.#clearing = undefined
    this.#bodies.clear()
  }
}

/**
 * Names a page by all that makes its records: the connector with its configuration, the call, and the vendor's body.
 * @param digest result of `digestBody`
 */
function namePage({ ref, connection }: ConnectorAccess, { entity, action, params }: Call, digest: string): string {
  const made = [ref.connectorId, connection.configuration, entity, action, params ?? {}, digest]
  return hash('sha256', writeJson(made), 'base64url')
}

/** Pages with the counts of changes at which the copy had their records. */
class FoldedPages {
  readonly #pages = new BoundedMap<string, { readonly storedAt: bigint; readonly until: number }>(mostPages)

  /**
   * Remembers a page.
   * @param storedAt count of changes of the rows, when each record was stored as it is
   */
  add(page: string, storedAt: bigint): void {
    this.#pages.set(page, { storedAt, until: performance.now() + rememberedMs })
  }

  /** Returns the count of changes at which the copy had the page; undefined for an unknown page. */
  find(page: string): bigint | undefined {
    const known = this.#pages.get(page)
    return known === undefined || known.until < performance.now() ? undefined : known.storedAt
  }
}

/** Options of `Folds`. */
export interface FoldOptions {
  readonly store: Pick<ContextStore, 'getTable' | 'foldLive' | 'readChanges' | 'peekChanges' | 'forgetRecords'>
  /** Called once for each call whose records could be written. Must not throw. */
  readonly onFold?: (report: FoldReport) => void
  /** Called with the number of new records in a copy, by entity. Must not throw. */
  readonly onCreated?: (access: ConnectorAccess, created: ReadonlyMap<string, number>) => Promise<void>
  /** Called with the number of records that left a copy, by entity, because the vendor lists them as deleted. Must not throw. */
  readonly onLost?: (access: ConnectorAccess, lost: ReadonlyMap<string, number>) => Promise<void>
  /** Called with errors of background writes. Must not throw. */
  readonly onError?: (error: unknown) => void
  /** Maximum number of waiting records. */
  readonly waiting?: number
}

/** A read outside of a sync. */
export interface LiveRead {
  readonly outcome: Outcome
  /** Start of the call, in milliseconds since 1970. */
  readonly asked: number
  /** Default: a client's read. */
  readonly cause?: ChangeCause
}

const mostWaiting = 10_000
/** Skips an entity without a copy for this time, in milliseconds. Most calls of a service without searches then cost nothing. */
const unsyncedMs = 30_000
/** Maximum number of remembered entities without a copy. */
const mostUnsynced = 10_000

/** An entity whose live records can be written, and the sync parameters that decide the content of a record. */
interface Foldable {
  readonly definition: EntityDefinition
  readonly sync: NonNullable<EntityDefinition['sync']>
  readonly operation: CompiledOperation
  readonly shaping: Params
  /** False where a record lacks a value of its parent: only deletions are taken from it. */
  readonly isWhole: boolean
}

/** Returns whether a searchable field comes from the parent record. A live read lacks the parent, so writing would erase the field. */
const needsParent = ({ sync, context_store_search: fields = {} }: EntityDefinition): boolean =>
  Object.keys(fields).some((name) => sync?.project?.[name]?.startsWith('parent.') === true)

/**
 * Returns the parameters that decide which records, and what of them, a sync copies, as far as an operation has them. Optional scalars only
 * narrow or page a list. Other operations name one record: what they require only says whose record it is.
 */
const readShapingParams = (sync: Foldable['sync'], { operation, action }: CompiledOperation): Params =>
  Object.fromEntries(
    Object.entries(sync.params ?? {}).filter(([name, value]) => {
      if (!(name in operation.params)) return false
      const isStructured = isObject(value) || Array.isArray(value)
      return (action === 'list' && isStructured) || !isOptional(operation.params, name)
    }),
  )

/** Returns whether `given` contains everything of `wanted`; objects may hold more members. */
const isContained = (given: unknown, wanted: unknown): boolean => {
  if (isObject(wanted)) return isObject(given) && Object.entries(wanted).every(([name, value]) => isContained(given[name], value))
  if (!Array.isArray(wanted)) return given === wanted
  return Array.isArray(given) && wanted.every((each) => given.some((other) => isContained(other, each)))
}

/** Returns whether a call chooses fields: the others are null in its records. */
const choosesFields = ({ operation }: CompiledOperation, params: Params): boolean =>
  Object.entries(operation.params).some(([name, field]: [string, Field]) => field['x-chooses'] === true && params[name] !== undefined)

function findFoldable(kind: Kind, { entity, action }: Call): Foldable | undefined {
  const definition = kind.definition.entities[entity]
  const { sync, context_store_search: searchable } = definition ?? {}
  if (definition === undefined || sync === undefined || searchable === undefined) return undefined
  const isWhole = !needsParent(definition)
  if (!isWhole && (sync.gone ?? definition.list?.where) === undefined) return undefined
  const operation = findOperation(kind, entity, action)
  return { definition, sync, operation, shaping: readShapingParams(sync, operation), isWhole }
}

/** Finds how the records of a call are written; undefined where they are not whole, or not those of the copy. */
function findWritten(kind: Kind, call: Call): Foldable | undefined {
  const foldable = findFoldable(kind, call)
  const params = isObject(call.params) ? call.params : {}
  if (foldable === undefined || !isContained(params, foldable.shaping) || choosesFields(foldable.operation, params)) return undefined
  return foldable.sync.notCopied?.some((name) => params[name] !== undefined && params[name] !== null) ? undefined : foldable
}

interface WaitingFold {
  readonly access: ConnectorAccess
  readonly entity: string
  readonly foldable: Foldable
  readonly params: Params
  readonly rows: readonly unknown[] | RawRows
  readonly count: number
  /** Reserves the memory of the records until they are written. */
  readonly memory: Call['memory']
  readonly asked: number
  /** Name of the page; undefined without a digest. */
  readonly page: string | undefined
  readonly cause: ChangeCause | undefined
  /** Position among all offers. */
  readonly order: number
}

/** Count of changes of an entity's rows. */
interface Changes {
  readonly name: string
  /** Latest offer before the count was read. */
  readonly order: number
  readonly count: bigint | undefined
}

const toRows = (outcome: Outcome): readonly unknown[] | RawRows => {
  if (outcome.type === 'file') return []
  if (outcome.type === 'list') return outcome.data
  return outcome.data instanceof RawJson ? new RawRows(Buffer.concat([opens, outcome.data.bytes, closes]), 1) : [outcome.data]
}
const [opens, closes] = [Buffer.from('['), Buffer.from(']')]

/** Returns the number of records, or infinity when the number is unknown; the queue then rejects the records. */
const countRows = (rows: readonly unknown[] | RawRows): number =>
  rows instanceof RawRows ? (rows.count ?? Number.POSITIVE_INFINITY) : rows.length

/** Largest single record, in bytes. Parsing a larger record would block the event loop. */
const longestRecordBytes = 4_194_304
const isTooLong = (rows: readonly unknown[] | RawRows, count: number): boolean =>
  rows instanceof RawRows && rows.bytes.length > longestRecordBytes * count

/** Accepts records of live reads. */
export class Folds {
  readonly #options: FoldOptions
  readonly #queue: WaitingFold[] = []
  /** Entities without a copy, with the time until which this is assumed. */
  readonly #unsynced = new BoundedMap<string, number>(mostUnsynced)
  readonly #pages = new FoldedPages()
  readonly #digests = new BodyDigests()
  /** The newest count of changes; offers from before it need no other one. */
  #changes: Changes | undefined
  #order = 0
  #records = 0
  #running: Promise<void> | undefined
  #closed = false

  constructor(options: FoldOptions) {
    this.#options = options
  }

  /** Returns what digests the vendor's body of a call whose records may be in a copy: an unchanged page is then not written again. */
  findDigest(access: ConnectorAccess, call: Call): Call['digest'] {
    const isFolded = !this.#closed && !this.#isUnsynced(access, call.entity)
    if (!isFolded || findFoldable(access.connection.kind, call) === undefined) return undefined
    return (body) => this.#digests.digest(buildName(access, call.entity), body)
  }

  /** Returns whether a call reads whole records of an entity that can have a copy. */
  takes(access: ConnectorAccess, call: Call): boolean {
    return findWritten(access.connection.kind, call)?.isWhole === true
  }

  /**
   * Writes the records of such a call at once.
   * @returns the number of new records that were left out, because something was deleted after they were requested: read them again
   * @throws FerruleError of the store
   */
  async fold(access: ConnectorAccess, call: Call, read: LiveRead): Promise<number> {
    const waiting = this.#prepare(access, call, read)
    return waiting === undefined || waiting.count === 0 ? 0 : this.#fold(waiting)
  }

  #prepare(access: ConnectorAccess, call: Call, { outcome, asked, cause }: LiveRead): WaitingFold | undefined {
    const rows = toRows(outcome)
    const foldable = findWritten(access.connection.kind, call)
    if (foldable === undefined) return undefined
    const params = isObject(call.params) ? call.params : {}
    const { digest } = outcome.type === 'file' ? {} : outcome
    const page = digest === undefined ? undefined : namePage(access, call, digest)
    const made = { access, entity: call.entity, foldable, params, rows, count: countRows(rows), asked, cause, memory: call.memory, page }
    return { ...made, order: ++this.#order }
  }

  /**
   * Queues the records of a successful call, if these are whole records of a searchable entity. Returns at once.
   * @param asked start of the call, in milliseconds since 1970
   */
  offer(access: ConnectorAccess, call: Call, read: LiveRead): void {
    if (this.#closed || countRows(toRows(read.outcome)) === 0 || this.#isUnsynced(access, call.entity)) return
    const waiting = this.#prepare(access, call, read)
    if (waiting === undefined) return
    const { rows, count } = waiting
    const isTooMuch = this.#records + count > (this.#options.waiting ?? mostWaiting) || isTooLong(rows, count) || call.memory?.isScarce
    const isStored = this.#isKnownStored(waiting)
    if (isStored || isTooMuch) {
      this.#report(waiting, isStored ? 'folded' : 'dropped')
      return
    }
    this.#records += count
    if (rows instanceof RawRows) rows.hold()
    call.memory?.hold()
    this.#queue.push(waiting)
    this.#running ??= this.#run()
  }

  /** Accepts nothing more, drops the queue, and waits for the write in progress. */
  async close(): Promise<void> {
    this.#closed = true
    this.#digests.clear()
    for (const { memory } of this.#queue.splice(0)) memory?.close()
    await this.#running
  }

  async #run(): Promise<void> {
    // The answer of the call goes out first.
    await new Promise((resolve) => setImmediate(resolve))
    for (let next = this.#queue.shift(); next !== undefined; next = this.#queue.shift()) {
      await this.#fold(next).catch((error: unknown) => {
        this.#report(next, 'failed')
        this.#options.onError?.(error)
      })
      this.#records -= next.count
      if (next.rows instanceof RawRows) next.rows.release()
      next.memory?.close()
    }
    this.#running = undefined
  }

  /** @returns the number of late records, see `fold` */
  async #fold(waiting: WaitingFold): Promise<number> {
    if (await this.#isStored(waiting)) {
      this.#report(waiting, 'folded')
      return 0
    }
    const { store } = this.#options
    const ref = toEntityRef(waiting.access, waiting.entity)
    const table = store.getTable(ref.kind, ref.entity, ref.own)
    const params = await knownParams(waiting)
    this.#changes = undefined
    let storedAt: bigint | undefined
    let [batches, late] = [0, 0]
    const lost: Met[] = []
    for await (const rows of readBatches(waiting.rows)) {
      const { alive, gone, unfit } = splitGone(
        waiting.foldable.definition,
        rows.map((record) => ({ record, params })),
        waiting.access.connection.configuration,
      )
      lost.push(...gone, ...unfit)
      const records = waiting.foldable.isWhole ? alive.flatMap((each) => toStoredRecord(waiting.foldable, table, each) ?? []) : []
      if (records.length === 0) continue
      const written = await store.foldLive(ref, records, waiting.asked, waiting.cause)
      if (written === undefined) {
        this.#unsynced.set(buildName(waiting.access, waiting.entity), performance.now() + unsyncedMs)
        return 0
      }
      if (written.created > 0) await this.#options.onCreated?.(waiting.access, new Map([[ref.entity, written.created]]))
      batches += 1
      late += written.late ?? 0
      storedAt = written.storedAt
    }
    // The others first: after a deletion no new record of an older read is written.
    if (lost.length > 0) await this.#forget(waiting, lost)
    if (waiting.page !== undefined && batches === 1 && storedAt !== undefined) this.#pages.add(waiting.page, storedAt)
    if (batches > 0) this.#report(waiting, 'folded')
    return late
  }

  /** Deletes records that the vendor lists as deleted, with what belongs to them. */
  async #forget({ access, entity, asked }: WaitingFold, gone: readonly Met[]): Promise<void> {
    const { definition } = access.connection.kind
    const removal = { ...toEntityRef(access, entity), ...buildGone(definition, entity, gone), at: asked }
    const lost = await this.#options.store.forgetRecords(removal)
    if (lost.size > 0) await this.#options.onLost?.(access, lost)
  }

  /** As `#isStored`, at once, so that no record waits. Not while others wait: one of them may replace a record of the page. */
  #isKnownStored(waiting: WaitingFold): boolean {
    const known = waiting.page === undefined || this.#running !== undefined ? undefined : this.#pages.find(waiting.page)
    return known !== undefined && this.#options.store.peekChanges(toEntityRef(waiting.access, waiting.entity)) === known
  }

  /** Returns whether the copy has the records of a page already, on account of an equal page and no change since. */
  async #isStored(waiting: WaitingFold): Promise<boolean> {
    const known = waiting.page === undefined ? undefined : this.#pages.find(waiting.page)
    return known !== undefined && (await this.#readChanges(waiting)) === known
  }

  /** Reads the count of changes, once for all offers that wait. Undefined if it cannot be read: the page is written then. */
  async #readChanges(waiting: WaitingFold): Promise<bigint | undefined> {
    const name = buildName(waiting.access, waiting.entity)
    const newest = this.#changes
    if (newest?.name === name && waiting.order <= newest.order) return newest.count
    const order = this.#order
    const count = await this.#options.store.readChanges(toEntityRef(waiting.access, waiting.entity)).catch(() => undefined)
    this.#changes = { name, order, count }
    return count
  }

  #isUnsynced(access: ConnectorAccess, entity: string): boolean {
    const until = this.#unsynced.get(buildName(access, entity))
    return until !== undefined && until > performance.now()
  }

  #report({ access, entity, count }: WaitingFold, outcome: FoldReport['outcome']): void {
    this.#options.onFold?.({ kind: access.connection.kind.definition.kind, entity, outcome, records: Number.isFinite(count) ? count : 0 })
  }
}

const buildName = ({ ref }: ConnectorAccess, entity: string): string => `${ref.connectorId} ${entity}`

/** Returns the parameters with values of the configuration, which a key can hold. Values from the credentials are unknown here. */
const knownParams = ({ access, foldable, params }: WaitingFold): Promise<Params> =>
  fillParams(access.connection, { operation: foldable.operation, params, discovered: async () => '' }).catch(() => params)
