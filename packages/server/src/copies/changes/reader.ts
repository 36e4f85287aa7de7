/** Reads the feed of one entity from a position: all records once, then the changes of its log. */
import { JsonText } from 'ferrule/engine'
import { fail } from 'ferrule/internal'
import type { ChangeRecord } from 'ferrule/wire'
import type { ConnectorAccess } from '../../values/access.ts'
import { type EntityRef, toEntityRef } from '../entity-ref.ts'
import { parseKeyValue } from '../search/keys.ts'
import type { Searcher } from '../searcher.ts'
import { assertSearchable } from '../searches.ts'
import type { ContextStore } from '../store/store.ts'
import type { LoggedChange, LogPage, LogPosition } from '../store/types.ts'

/** Where the next part begins. */
export interface FeedPosition extends LogPosition {
  readonly generation: string
  /** While all records are read: the last key; empty before the first. */
  readonly key?: string | undefined
}

/** An entry, whose record is JSON already. */
export type Entry = Omit<ChangeRecord, 'record'> & { readonly record?: JsonText }

/** Bounds of a part. */
export interface PartLimits {
  /** Maximum number of entries, besides marks. */
  readonly limit: number
  readonly signal?: AbortSignal | undefined
}

/** Some entries of the feed of an entity. */
export interface FeedPart {
  readonly data: readonly Entry[]
  /** Where the next part begins. */
  readonly next: FeedPosition
  /** True when the next part has entries already. */
  readonly hasMore: boolean
}

/** Options of `FeedReader`. */
export interface FeedReaderOptions {
  readonly store: Pick<ContextStore, 'followChanges' | 'readLog' | 'getTable'>
  readonly searcher: Pick<Searcher, 'readRecords'>
  /** Timeout of the records of a part, in milliseconds. */
  readonly timeoutMs: number
}

const expired = (reason: string) => fail('changes_expired', { reason })

/** Keeps the newest change of each key. A record that was added and then changed was added. */
function joinChanges(changes: readonly LoggedChange[]): readonly LoggedChange[] {
  const byKey = new Map<string, LoggedChange>()
  for (const change of changes) {
    const before = byKey.get(change.key)
    byKey.delete(change.key) // the order is that of the newest changes
    const isAdded = before?.kind === 'added' && change.kind === 'changed'
    const fields = change.kind === 'changed' ? [...new Set([...(before?.fields ?? []), ...change.fields])] : []
    byKey.set(change.key, isAdded ? { ...change, kind: 'added', fields: [] } : { ...change, fields })
  }
  return [...byKey.values()]
}

/** Returns the ref of an entity whose changes can be read. @throws FerruleError `entity_not_found`, `action_not_supported` */
export function findFed(access: ConnectorAccess, entity: string): EntityRef {
  assertSearchable(access, entity)
  return toEntityRef(access, entity)
}

/** Reads the feeds of entities. */
export class FeedReader {
  readonly #parts: FeedReaderOptions

  constructor(parts: FeedReaderOptions) {
    this.#parts = parts
  }

  /**
   * Begins the log, before the first record is read: so no change is missed.
   * @throws FerruleError `changes_expired` when the copy was emptied meanwhile; `validation_failed` as `ContextStore.followChanges`
   */
  async begin(ref: EntityRef, organizationId?: string): Promise<FeedPosition> {
    const { store } = this.#parts
    await store.followChanges(ref, organizationId)
    const { generation, position } = await store.readLog(ref, { after: 0n, limit: 0 })
    if (generation === null) throw expired('the copy was emptied meanwhile')
    return { generation, position }
  }

  /** Reads the next part. @throws FerruleError `changes_expired`, and the errors of `ContextStore` */
  read(ref: EntityRef, from: FeedPosition, limits: PartLimits): Promise<FeedPart> {
    return from.key === undefined ? this.#readChanges(ref, from, limits) : this.#readRecords(ref, { ...from, key: from.key }, limits)
  }

  async #readRecords(ref: EntityRef, from: FeedPosition & { readonly key: string }, { limit, signal }: PartLimits): Promise<FeedPart> {
    const { searcher, timeoutMs } = this.#parts
    const page = await searcher.readRecords(ref, { after: from.key === '' ? undefined : from.key, limit }, { signal, timeoutMs })
    // After the records: those of a log that has ended are not told as the last ones.
    const { position } = await this.#readLog(ref, from, 0)
    const records = [...(page?.records ?? [])]
    const isLast = page?.hasMore !== true
    const data: Entry[] = [
      ...(from.key === '' ? [{ type: 'snapshot_begin' as const }] : []),
      ...records.map(([pk, json]) => ({ type: 'present' as const, key: this.#toKey(ref, pk), record: new JsonText(json) })),
      ...(isLast ? [{ type: 'snapshot_end' as const }] : []),
    ]
    const next = { ...from, key: isLast ? undefined : records.at(-1)?.[0] }
    return { data, next, hasMore: !isLast || position !== from.position }
  }

  async #readChanges(ref: EntityRef, from: FeedPosition, limits: PartLimits): Promise<FeedPart> {
    const { changes, position: newest } = await this.#readLog(ref, from, limits.limit)
    const { told, records, count } = await this.#readRecordsOf(ref, changes, limits)
    const data = told.flatMap((change) => this.#describe(ref, change, records))
    const position = changes[count - 1]?.position ?? from.position
    return { data, next: { ...from, position }, hasMore: position !== newest }
  }

  /** Describes a change, with the record as it is now. A record that no longer exists is left out: a later change reports it. */
  #describe(ref: EntityRef, change: LoggedChange, records: ReadonlyMap<string, string>): readonly Entry[] {
    const { kind: type, cause, fields, at } = change
    const common = { key: this.#toKey(ref, change.key), cause, changed_at: new Date(at).toISOString() }
    if (type === 'removed') return [{ type, ...common }]
    const json = records.get(change.key)
    return json === undefined ? [] : [{ type, ...common, ...(type === 'changed' ? { fields } : {}), record: new JsonText(json) }]
  }

  /** Reads a page of the log that a cursor belongs to. @throws FerruleError `changes_expired` */
  async #readLog(ref: EntityRef, { generation, position }: FeedPosition, limit: number): Promise<LogPage> {
    const page = await this.#parts.store.readLog(ref, { after: position, limit })
    if (page.generation !== generation) throw expired('the copy was made anew or restored, or nobody read its changes for long')
    if (position < page.keptAfter) throw expired('they are no longer kept')
    if (position > page.position) throw expired('the copy was restored to an earlier state')
    return page
  }

  /**
   * Reads the records of changes. Where they are too many bytes for a page, reads those of the first changes only.
   * @returns these changes, joined, and how many they were
   */
  async #readRecordsOf(
    ref: EntityRef,
    changes: readonly LoggedChange[],
    { signal }: PartLimits,
  ): Promise<{ readonly told: readonly LoggedChange[]; readonly records: ReadonlyMap<string, string>; readonly count: number }> {
    const { searcher, timeoutMs } = this.#parts
    for (let count = changes.length; ; count = Math.ceil(count / 4)) {
      // Joined after the cut: what the next part has of a record is told there.
      const told = joinChanges(changes.slice(0, count))
      const keys = told.flatMap(({ kind, key }) => (kind === 'removed' ? [] : [key]))
      const page = keys.length === 0 ? undefined : await searcher.readRecords(ref, { keys, limit: keys.length }, { signal, timeoutMs })
      if (page?.hasMore !== true || keys.length === 1) return { told, records: page?.records ?? new Map(), count }
    }
  }

  /** Returns the key as clients see it: the value of a key of one part, else the text that orders the copy. */
  #toKey({ kind, entity, own }: EntityRef, pk: string): string {
    return parseKeyValue(this.#parts.store.getTable(kind, entity, own).key, pk) ?? pk
  }
}
