/** Records that were read live go into the copy, in the background: no call waits for it, and none fails of it. */

import type { ContextStore, EntityPlace } from '../context/store/types.ts'
import { storedForm } from '../context/sync/project.ts'
import type { Kind } from '../definition/connector.ts'
import { isOptional } from '../definition/document.ts'
import type { EntityDefinition } from '../definition/entity.ts'
import { isObject } from '../definition/object.ts'
import { filledParams } from '../engine/fill.ts'
import { type CompiledOperation, operationOf } from '../engine/operation.ts'
import type { Call, Outcome } from '../engine/outcome.ts'
import { inBatches } from '../engine/page.ts'
import type { Params } from '../engine/params.ts'
import { RawJson, RawRows } from '../engine/raw-rows.ts'
import { BoundedMap } from './bounded-map.ts'
import type { ConnectorAccess } from './types.ts'

/** What became of the records of one call. */
export interface FoldReport {
  readonly kind: string
  readonly entity: string
  /** `dropped`: too much was waiting. */
  readonly outcome: 'folded' | 'dropped' | 'failed'
  readonly records: number
}

/** What folding needs. */
export interface FoldOptions {
  readonly store: Pick<ContextStore, 'tableOf' | 'fold'>
  /** Told of each call whose records could be folded in. Must not throw. */
  readonly onFold?: (report: FoldReport) => void
  /** Told how many records are new in a copy. Must not throw. */
  readonly onCreated?: (access: ConnectorAccess, created: ReadonlyMap<string, number>) => Promise<void>
  /** Takes what went wrong. Must not throw. */
  readonly onError?: (error: unknown) => void
  /** Records that may wait. */
  readonly waiting?: number
}

/** Takes records that were read live. */
export interface Folds {
  /**
   * Takes the records of a call that succeeded, if they are whole records of a searchable entity. Returns at once.
   * @param asked when the call was begun, in milliseconds since 1970
   */
  offer(access: ConnectorAccess, call: Call, read: { readonly outcome: Outcome; readonly asked: number }): void
  /** Takes nothing more and waits for what is being written; what waits is given up. */
  close(): Promise<void>
}

const mostWaiting = 10_000
/** What was never synced is not looked at again for so long: most calls of a service that does not search cost nothing. Milliseconds. */
const unsyncedMs = 30_000
/** Entities of connectors that are remembered as never synced. */
const mostUnsynced = 10_000

/** An entity whose records can be folded in, with what its syncs always send that decides what a record holds. */
interface Foldable {
  readonly definition: EntityDefinition
  readonly sync: NonNullable<EntityDefinition['sync']>
  readonly operation: CompiledOperation
  readonly shaping: Params
}

/** A field that comes from another record is not there when the record was read alone: it would be forgotten. */
const needsParent = ({ sync, context_store_search: fields = {} }: EntityDefinition): boolean =>
  Object.keys(fields).some((name) => sync?.project?.[name]?.startsWith('parent.') === true)

/** Optional single values narrow a list or cut it into pages; all others decide what a record holds. */
const shapingOf = (sync: Foldable['sync'], { operation }: CompiledOperation): Params =>
  Object.fromEntries(
    Object.entries(sync.params ?? {}).filter(
      ([name, value]) => isObject(value) || Array.isArray(value) || !isOptional(operation.params, name),
    ),
  )

/** Whether everything of `wanted` is in `given`; objects may hold more. */
const holds = (given: unknown, wanted: unknown): boolean => {
  if (isObject(wanted)) return isObject(given) && Object.entries(wanted).every(([name, value]) => holds(given[name], value))
  if (!Array.isArray(wanted)) return given === wanted
  return Array.isArray(given) && wanted.every((each) => given.some((other) => holds(other, each)))
}

function foldableOf(kind: Kind, { entity, action }: Call): Foldable | undefined {
  const definition = kind.definition.entities[entity]
  if (definition?.sync === undefined || definition.context_store_search === undefined || needsParent(definition)) return undefined
  const operation = operationOf(kind, entity, action)
  return { definition, sync: definition.sync, operation, shaping: action === 'list' ? shapingOf(definition.sync, operation) : {} }
}

/** Records that wait for their turn. */
interface Waiting {
  readonly access: ConnectorAccess
  readonly entity: string
  readonly foldable: Foldable
  readonly params: Params
  readonly rows: readonly unknown[] | RawRows
  readonly count: number
  /** Holds the memory of the records until they are written. */
  readonly memory: Call['memory']
  readonly asked: number
}

const rowsOf = (outcome: Outcome): readonly unknown[] | RawRows => {
  if (outcome.type === 'file') return []
  if (outcome.type === 'list') return outcome.data
  return outcome.data instanceof RawJson ? new RawRows(Buffer.concat([opens, outcome.data.bytes, closes]), 1) : [outcome.data]
}
const [opens, closes] = [Buffer.from('['), Buffer.from(']')]

/** How many records there are; too many for the queue where that is not known. */
const countOf = (rows: readonly unknown[] | RawRows): number =>
  rows instanceof RawRows ? (rows.count ?? Number.POSITIVE_INFINITY) : rows.length

/** A single record that is longer is left out, in bytes: to read it would keep everybody waiting. */
const longestRecord = 4_194_304
const isTooLong = (rows: readonly unknown[] | RawRows, count: number): boolean =>
  rows instanceof RawRows && rows.bytes.length > longestRecord * count

class StoreFolds implements Folds {
  readonly #options: FoldOptions
  readonly #queue: Waiting[] = []
  /** Entities of connectors that had no copy, and until when that is believed. */
  readonly #unsynced = new BoundedMap<string, number>(mostUnsynced)
  #records = 0
  #running: Promise<void> | undefined
  #closed = false

  constructor(options: FoldOptions) {
    this.#options = options
  }

  offer(access: ConnectorAccess, call: Call, { outcome, asked }: { readonly outcome: Outcome; readonly asked: number }): void {
    const rows = rowsOf(outcome)
    const count = countOf(rows)
    if (this.#closed || count === 0 || this.#isUnsynced(access, call.entity)) return
    const foldable = foldableOf(access.connection.kind, call)
    const params = isObject(call.params) ? call.params : {}
    if (foldable === undefined || !holds(params, foldable.shaping)) return
    const waiting = { access, entity: call.entity, foldable, params, rows, count, asked, memory: call.memory }
    if (this.#records + count > (this.#options.waiting ?? mostWaiting) || isTooLong(rows, count) || call.memory?.isScarce) {
      this.#report(waiting, 'dropped')
      return
    }
    this.#records += count
    if (rows instanceof RawRows) rows.hold()
    call.memory?.hold()
    this.#queue.push(waiting)
    this.#running ??= this.#run()
  }

  async close(): Promise<void> {
    this.#closed = true
    for (const { memory } of this.#queue.splice(0)) memory?.close()
    await this.#running
  }

  async #run(): Promise<void> {
    // Not in the turn of the call: its answer goes out first.
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

  async #fold(waiting: Waiting): Promise<void> {
    const { store } = this.#options
    const place = placeOf(waiting)
    const table = store.tableOf(place.kind, place.entity)
    const params = await knownParams(waiting)
    let folded = false
    for await (const rows of inBatches(waiting.rows)) {
      const records = rows.flatMap((record) => storedForm(waiting.foldable, table, { record, params }) ?? [])
      if (records.length === 0) continue
      const written = await store.fold(place, records, waiting.asked)
      folded = written !== undefined
      if (written !== undefined && written.created > 0)
        await this.#options.onCreated?.(waiting.access, new Map([[place.entity, written.created]]))
      if (!folded) return void this.#unsynced.set(nameOf(waiting.access, waiting.entity), performance.now() + unsyncedMs)
    }
    if (folded) this.#report(waiting, 'folded')
  }

  #isUnsynced(access: ConnectorAccess, entity: string): boolean {
    const until = this.#unsynced.get(nameOf(access, entity))
    return until !== undefined && until > performance.now()
  }

  #report({ access, entity, count }: Waiting, outcome: FoldReport['outcome']): void {
    this.#options.onFold?.({ kind: access.connection.kind.definition.kind, entity, outcome, records: Number.isFinite(count) ? count : 0 })
  }
}

const nameOf = ({ place }: ConnectorAccess, entity: string): string => `${place.connectorId} ${entity}`

const placeOf = ({ access: { place, connection }, entity }: Waiting): EntityPlace => ({
  connector: place.connectorId,
  kind: connection.kind.definition.kind,
  entity,
})

/** The parameters with what the configuration supplied: a key can hold them. What the credentials supplied is not known here. */
const knownParams = ({ access, foldable, params }: Waiting): Promise<Params> =>
  filledParams(access.connection, { operation: foldable.operation, params, discovered: async () => '' }).catch(() => params)

/** Builds the folding. */
export const createFolds = (options: FoldOptions): Folds => new StoreFolds(options)
