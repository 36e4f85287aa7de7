/** A store in memory that keeps the promises of the real one, for tests of walks; each change can be made to fail. */
import { expect } from 'vitest'
import type { EntityDefinition } from '../../packages/ferrule/src/definition/entity.ts'
import { fail } from '../../packages/ferrule/src/errors.ts'
import { writeJson } from '../../packages/ferrule/src/values/json/json.ts'
import type { EntityRef } from '../../packages/server/src/copies/entity-ref.ts'
import { buildSearchTable } from '../../packages/server/src/copies/search/columns.ts'
import { parseTimestamp } from '../../packages/server/src/copies/search/timestamps.ts'
import type { Checkpoint } from '../../packages/server/src/copies/store/batch.ts'
import { buildKey } from '../../packages/server/src/copies/store/forget.ts'
import type { StoredRecord } from '../../packages/server/src/copies/store/row-encoder.ts'
import type { Link, Removal, Span } from '../../packages/server/src/copies/store/types.ts'
import type { EntityProgress, SyncTask } from '../../packages/server/src/copies/sync/walk/types.ts'
import { type SyncResult, syncConnector, type WholeSync } from './sync-connector.ts'
import { type EntityName, entities, madeUp } from './sync-kind.ts'
import type { Vendor } from './sync-vendor.ts'

type Store = SyncTask['store']
interface Stored {
  readonly fields: StoredRecord['fields']
  readonly version: number
}

interface Shelf {
  readonly rows: Map<string, Stored>
  readonly checkpoints: Map<string, string>
  pass: string | undefined
  seen: Set<string>
  /** When a record, or all of a field's value, were found to be deleted. */
  readonly gone: Map<string, number>
}

const isNamed = (names: readonly string[], key: string, fields: StoredRecord['fields']): boolean =>
  names.includes(`\0${key}`) || names.some((name) => Object.entries(fields).some(([field, value]) => name === `${field}\0${value}`))

/** Returns whether a record was found to be deleted after it was requested. */
const isGone = ({ gone }: Shelf, { key, fields, version }: StoredRecord, asked: number): boolean =>
  [...gone].some(([name, at]) => isNamed([name], key, fields) && (version ?? asked) <= at)

/** The store. */
export class StoreDouble implements Store {
  readonly #shelves = new Map<string, Shelf>()
  readonly #entities: Readonly<Record<string, EntityDefinition>>
  /** Called before each change, and with `moment: 'after'` when the change is made and its answer is lost. */
  before: (change: string, moment: 'before' | 'after') => void = () => undefined
  /** Milliseconds since 1970. */
  clock: () => number = () => 0
  /** Number of changes so far. */
  changes = 0

  /** @param definitions entities of the kind; those of the made-up one by default */
  constructor(definitions: Readonly<Record<string, EntityDefinition>> = entities) {
    this.#entities = definitions
  }

  shelf(entity: string): Shelf {
    const known = this.#shelves.get(entity) ?? {
      rows: new Map(),
      checkpoints: new Map(),
      pass: undefined,
      seen: new Set(),
      gone: new Map(),
    }
    this.#shelves.set(entity, known)
    return known
  }

  /** Forgets an entity, as a store does after it recreated the table. */
  remake(entity: EntityName): void {
    this.#shelves.delete(entity)
  }

  getTable(kind: string, entity: string) {
    const definition = this.#entities[entity]
    if (definition === undefined) throw fail('entity_not_found', { entity, kind, known: '' })
    return buildSearchTable(kind, entity, definition)
  }

  writeBatch({ entity }: EntityRef, batch: Parameters<Store['writeBatch']>[1]): ReturnType<Store['writeBatch']> {
    return this.#change(`write ${entity}`, () => {
      const shelf = this.shelf(entity)
      if (batch.pass !== undefined && batch.pass !== shelf.pass) throw fail('unavailable', { reason: 'another complete pass has begun' })
      const counts = { created: 0, updated: 0, unchanged: 0, removed: 0 }
      const records = batch.records.filter((record) => !isGone(shelf, record, batch.asked))
      for (const record of records) counts[this.#put(shelf, record, batch.asked)] += 1
      const keys = new Set(records.map(({ key }) => key))
      for (const [key, { fields, version }] of shelf.rows) {
        const isUnder = batch.whole?.values.includes(String(fields[batch.whole.field])) === true
        if (isUnder && !keys.has(key) && version <= batch.asked && shelf.rows.delete(key)) counts.removed += 1
      }
      if (shelf.pass !== undefined) for (const { key } of records) shelf.seen.add(key)
      this.#note(shelf, batch.checkpoints ?? [])
      return counts
    })
  }

  async findKnownKeys({ entity }: EntityRef, keys: readonly string[]): Promise<ReadonlySet<string>> {
    const { rows } = this.shelf(entity)
    return new Set(keys.filter((key) => rows.has(key)))
  }

  forgetRecords({ kind, entity, values, keys = [], below, at }: Removal): Promise<ReadonlyMap<string, number>> {
    return this.#change(`forget ${entity}`, () => {
      const lost = new Map<string, number>()
      const isStored = this.#entities[entity]?.context_store_search !== undefined
      const own = isStored ? [...values.flatMap((value) => buildKey(this.getTable(kind, entity), value) ?? []), ...keys] : []
      const rows = this.#forget(
        entity,
        own.map((key) => `\0${key}`),
        { at, lost },
      )
      this.#forgetBelow(kind, below, { values: values.map(String), rows, at, lost })
      return lost
    })
  }

  /** Deletes the rows that one of the names means: a key, or a field with its value. @returns them */
  #forget(entity: string, names: readonly string[], { at, lost }: { at: number; lost: Map<string, number> }): StoredRecord['fields'][] {
    const shelf = this.shelf(entity)
    for (const name of names) shelf.gone.set(name, Math.max(at, shelf.gone.get(name) ?? 0))
    const due = [...shelf.rows].filter(([key, row]) => isNamed(names, key, row.fields) && (row.version <= at || row.version > this.clock()))
    for (const [key] of due) shelf.rows.delete(key)
    if (due.length > 0) lost.set(entity, (lost.get(entity) ?? 0) + due.length)
    return due.map(([, { fields }]) => fields)
  }

  #forgetBelow(
    kind: string,
    below: readonly Link[],
    given: { values: readonly string[]; rows: readonly StoredRecord['fields'][]; at: number; lost: Map<string, number> },
  ): void {
    for (const { entity, field, parent, below: deeper } of below) {
      const values = parent === undefined ? given.values : given.rows.map((fields) => String(fields[parent]))
      const names = values.map((value) =>
        field === undefined ? `\0${buildKey(this.getTable(kind, entity), value)}` : `${field}\0${value}`,
      )
      const rows = this.#forget(entity, names, given)
      const [key = ''] = this.#entities[entity]?.key ?? []
      this.#forgetBelow(kind, deeper, { ...given, values: rows.map((fields) => String(fields[key])), rows })
    }
  }

  beginPass({ entity }: EntityRef, pass: string): Promise<void> {
    return this.#change(`beginPass ${entity}`, () => {
      const shelf = this.shelf(entity)
      if (shelf.pass === pass) return
      Object.assign(shelf, { pass, seen: new Set() })
    })
  }

  async hasUnseen({ entity }: EntityRef, pass: string, span?: Span): Promise<boolean> {
    const shelf = this.shelf(entity)
    return shelf.pass === pass && this.#unseen(shelf, span).length > 0
  }

  sweep({ entity }: EntityRef, pass: string, span?: Span): Promise<number> {
    return this.#change(`sweep ${entity}`, () => this.#sweep(entity, pass, span))
  }

  abandonPass({ entity }: EntityRef, pass: string): Promise<void> {
    return this.#change(`abandonPass ${entity}`, () => {
      const shelf = this.shelf(entity)
      if (shelf.pass === pass) Object.assign(shelf, { pass: undefined, seen: new Set() })
    })
  }

  async readCheckpoints({ entity }: EntityRef): Promise<ReadonlyMap<string, string>> {
    return new Map(this.shelf(entity).checkpoints)
  }

  saveCheckpoints({ entity }: EntityRef, checkpoints: readonly Checkpoint[]): Promise<void> {
    return this.#change(`keep ${entity}`, () => this.#note(this.shelf(entity), checkpoints))
  }

  /** Returns the stored records of an entity, comparable to `Vendor.truth`. */
  copy(entity: EntityName): Map<string, StoredRecord['fields']> {
    const { key } = entities[entity]
    const rows = [...this.shelf(entity).rows.values()].map(({ fields }): [string, StoredRecord['fields']] => {
      const plain = Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, value ?? null]))
      return [key.map((name) => String(fields[name])).join(' '), plain]
    })
    return new Map(rows.toSorted(([one], [other]) => (one < other ? -1 : 1)))
  }

  async #change<T>(name: string, work: () => T): Promise<T> {
    this.changes += 1
    this.before(name, 'before')
    const result = work()
    this.before(name, 'after')
    return result
  }

  #put({ rows }: Shelf, { key, fields, version }: StoredRecord, asked: number): 'created' | 'updated' | 'unchanged' {
    const known = rows.get(key)
    const mine = version ?? asked
    const isNewer = known === undefined || known.version <= mine || known.version > this.clock()
    if (known !== undefined && (writeJson(known.fields) === writeJson(fields) || !isNewer)) return 'unchanged'
    rows.set(key, { fields, version: mine })
    return known === undefined ? 'created' : 'updated'
  }

  #note({ checkpoints }: Shelf, given: readonly Checkpoint[]): void {
    for (const { name: part, value } of given) {
      if (value === null) checkpoints.delete(part)
      else checkpoints.set(part, value)
    }
  }

  #unseen({ rows, seen }: Shelf, span: Span | undefined): string[] {
    const isIn = ({ fields }: Stored): boolean => {
      if (span === undefined) return true
      const at = parseTimestamp(String(fields[span.field]))
      const [from = 0n, before] = [span.from, span.before].map((text) => (text === undefined ? undefined : parseTimestamp(text)))
      return at !== undefined && at >= from && (before === undefined || at < before)
    }
    return [...rows].filter(([key, row]) => !seen.has(key) && isIn(row)).map(([key]) => key)
  }

  #sweep(entity: string, pass: string, span?: Span): number {
    const shelf = this.shelf(entity)
    if (shelf.pass !== pass) throw fail('unavailable', { reason: 'another complete pass has begun' })
    const gone = this.#unseen(shelf, span)
    for (const key of gone) shelf.rows.delete(key)
    Object.assign(shelf, { pass: undefined, seen: new Set() })
    return gone.length
  }
}

/** UUID of the connector of the tests. */
export const connector = '0190a000-0000-7000-8000-000000000001'
const day = 86_400_000

/** A syncing service: its store, its clock, its configuration. */
export class Side {
  readonly vendor: Vendor
  readonly store: StoreDouble
  /** Milliseconds since 1970. */
  now: number
  configuration: Record<string, unknown> = {}
  ask: SyncTask['ask']
  progress: EntityProgress[] = []

  constructor(vendor: Vendor, store = new StoreDouble()) {
    this.vendor = vendor
    this.store = store
    this.now = vendor.now
    this.ask = vendor.ask
    store.clock = () => this.now
  }

  /** Advances the clocks of both sides. */
  pass(milliseconds: number): void {
    this.now += milliseconds
    this.vendor.now += milliseconds
  }

  task(more: Partial<WholeSync> = {}): WholeSync {
    return {
      kind: madeUp,
      connector,
      configuration: this.configuration,
      store: this.store,
      ask: this.ask,
      wanted: () => true,
      mode: 'incremental',
      fullEvery: 7 * day,
      clock: () => this.now,
      signal: new AbortController().signal,
      progress: { note: (progress) => this.progress.push(progress), noteShare: () => undefined },
      ...more,
    }
  }

  sync(more: Partial<WholeSync> = {}): Promise<SyncResult> {
    return syncConnector(this.task(more))
  }

  /** Limits a sync to some entities. */
  only(...names: readonly EntityName[]): Pick<WholeSync, 'wanted'> {
    return { wanted: (entity) => names.some((name) => name === entity) }
  }

  /** Returns how the last run ended, by entity. */
  static states({ entities: results }: SyncResult): Record<string, string> {
    return Object.fromEntries(results.map(({ entity, state }) => [entity, state]))
  }
}

/** Entities with a copy. */
export const kept = (Object.keys(entities) as EntityName[]).filter((name) => name !== 'orders')

/** Expects the copy to equal the vendor's records. */
export function expectTruth({ store, vendor }: Side, ...names: readonly EntityName[]): void {
  for (const name of names.length === 0 ? kept : names) expect([name, store.copy(name)]).toEqual([name, vendor.truth(name)])
}
