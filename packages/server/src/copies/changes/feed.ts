/**
 * The change feed of a copy: all records once, then what was added, changed and removed since, in order. A cursor names the log that it
 * belongs to; when that log has ended, its changes are lost and the client begins again. Reasons: docs/decisions/changes.md
 */
import { JsonText } from 'ferrule/engine'
import { fail, writeBody } from 'ferrule/internal'
import { type ChangeRecord, fromNow } from 'ferrule/wire'
import type { ConnectorAccess } from '../../values/access.ts'
import { type CursorScope, signCursor, verifyCursor } from '../../values/cursor.ts'
import { digestParts } from '../../values/ids.ts'
import { type EntityRef, toEntityRef } from '../entity-ref.ts'
import { parseKeyValue } from '../search/keys.ts'
import type { Searcher } from '../searcher.ts'
import { assertFilled, assertSearchable } from '../searches.ts'
import type { ContextStore, LoggedChange, LogPage, LogPosition, LogWait } from '../store/types.ts'
import type { Copies } from '../sync-types.ts'

/** What a client asks a feed. */
export interface ChangesQuery {
  readonly entity: string
  /** Cursor of the page before, or `now` for an empty page before what changes from now on; left out: all records come first. */
  readonly after?: string | undefined
  /** Maximum number of entries, besides marks. */
  readonly limit: number
  readonly signal?: AbortSignal | undefined
}

/** A page of a feed. */
export interface FoundChanges {
  /** JSON array of the entries. */
  readonly data: JsonText
  /** Cursor of the next page. */
  readonly next: string
  /** True when the next page has entries already. */
  readonly has_more: boolean
}

/** Reads the changes of copies. Callers hold an access already, so no method takes a principal. */
export interface Changes {
  /**
   * Returns a page at once.
   * @throws FerruleError `entity_not_found`, `action_not_supported`, `context_store_not_ready`, `invalid_cursor`, `changes_expired`, and the
   * errors of `ContextStore`
   */
  read(access: ConnectorAccess, query: ChangesQuery): Promise<FoundChanges>
  /** Waits until a page after a cursor has entries, or the time is over. @throws FerruleError as `read`; the reason of the signal */
  wait(access: ConnectorAccess, query: Pick<ChangesQuery, 'entity' | 'after'>, wait: LogWait): Promise<void>
}

/** Options of `createChanges`. */
export interface ChangesOptions {
  readonly store: Pick<ContextStore, 'followChanges' | 'readLog' | 'waitForChange' | 'getTable'>
  readonly searcher: Pick<Searcher, 'readRecords'>
  readonly copies: Pick<Copies, 'readStatus'>
  /** HMAC key for cursors. */
  readonly cursorKey: () => Uint8Array
  /** Milliseconds since 1970. */
  readonly clock: () => number
  /** Days for which changes are kept. */
  readonly days: number
  /** Timeout of the records of a page, in milliseconds. */
  readonly timeoutMs: number
}

/** Where a page begins. */
interface FeedPosition extends LogPosition {
  readonly generation: string
  /** While all records are read: the last key; empty before the first. */
  readonly key?: string | undefined
}

type Entry = Omit<ChangeRecord, 'record'> & { readonly record?: JsonText }

/** Forms of positions in cursors. */
const [ofChanges, ofRecords] = [1, 2]

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

class CopyChanges implements Changes {
  readonly #parts: ChangesOptions

  constructor(parts: ChangesOptions) {
    this.#parts = parts
  }

  async read(access: ConnectorAccess, query: ChangesQuery): Promise<FoundChanges> {
    assertSearchable(access, query.entity)
    const ref = toEntityRef(access, query.entity)
    const { after } = query
    if (after === fromNow) return this.#build(ref, { data: [], next: await this.#begin(access, ref), hasMore: false })
    const from = after === undefined ? { ...(await this.#begin(access, ref)), key: '' } : this.#parse(ref, after)
    return from.key === undefined ? this.#readChanges(ref, from, query) : this.#readRecords(ref, { ...from, key: from.key }, query)
  }

  async wait(access: ConnectorAccess, { entity, after }: Pick<ChangesQuery, 'entity' | 'after'>, wait: LogWait): Promise<void> {
    assertSearchable(access, entity)
    if (after === undefined || after === fromNow) return
    const ref = toEntityRef(access, entity)
    const from = this.#parse(ref, after)
    if (from.key === undefined) await this.#parts.store.waitForChange(ref, from, wait)
  }

  /** Begins the log, before the first record is read: so no change is missed. */
  async #begin(access: ConnectorAccess, ref: EntityRef): Promise<FeedPosition> {
    const { copies, store, days } = this.#parts
    assertFilled(ref.entity, await copies.readStatus(access, ref.entity))
    await store.followChanges(ref, days)
    const { generation, position } = await store.readLog(ref, { after: 0n, limit: 0 })
    if (generation === null) throw expired('the copy was emptied meanwhile')
    return { generation, position }
  }

  async #readRecords(ref: EntityRef, from: FeedPosition & { readonly key: string }, query: ChangesQuery): Promise<FoundChanges> {
    const { searcher, timeoutMs } = this.#parts
    const wanted = { after: from.key === '' ? undefined : from.key, limit: query.limit }
    const page = await searcher.readRecords(ref, wanted, { signal: query.signal, timeoutMs })
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
    return this.#build(ref, { data, next, hasMore: !isLast || position !== from.position })
  }

  async #readChanges(ref: EntityRef, from: FeedPosition, query: ChangesQuery): Promise<FoundChanges> {
    const { changes, position: newest } = await this.#readLog(ref, from, query.limit)
    const joined = joinChanges(changes)
    const keys = joined.flatMap(({ kind, key }) => (kind === 'removed' ? [] : [key]))
    const { records, count } = await this.#readKeys(ref, keys, query)
    const isCut = count < keys.length
    const told = isCut ? joined.slice(0, 1 + joined.findIndex(({ key }) => key === keys[count - 1])) : joined
    const data = told.flatMap((change) => this.#describe(ref, change, records))
    const position = (isCut ? told.at(-1) : changes.at(-1))?.position ?? from.position
    return this.#build(ref, { data, next: { ...from, position }, hasMore: position !== newest })
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
   * Reads records by their keys. Where they are too many bytes for a page, reads those of the first keys only.
   * @returns the records, and the number of keys that were looked up
   */
  async #readKeys(
    ref: EntityRef,
    keys: readonly string[],
    { signal }: ChangesQuery,
  ): Promise<{ readonly records: ReadonlyMap<string, string>; readonly count: number }> {
    const { searcher, timeoutMs } = this.#parts
    for (let count = keys.length; count > 0; count = Math.ceil(count / 4)) {
      const page = await searcher.readRecords(ref, { keys: keys.slice(0, count), limit: count }, { signal, timeoutMs })
      if (page?.hasMore !== true || count === 1) return { records: page?.records ?? new Map(), count }
    }
    return { records: new Map(), count: 0 }
  }

  /** Returns the key as clients see it: the value of a key of one part, else the text that orders the copy. */
  #toKey({ kind, entity, own }: EntityRef, pk: string): string {
    return parseKeyValue(this.#parts.store.getTable(kind, entity, own).key, pk) ?? pk
  }

  #parse(ref: EntityRef, cursor: string): FeedPosition {
    const [form, generation, position, key] = verifyCursor(cursor, this.#bind(ref))
    return { generation: String(generation), position: BigInt(position ?? 0), ...(form === ofRecords ? { key: key ?? '' } : {}) }
  }

  #bind({ connector, kind, entity }: EntityRef): CursorScope {
    const { cursorKey, clock } = this.#parts
    const digest = digestParts(connector, kind, entity)
    // The log says what is too old: a client without news for long loses nothing.
    return { key: cursorKey(), purpose: 'changes', digest, belongsTo: 'entity or connector', now: clock(), life: Number.POSITIVE_INFINITY }
  }

  #build(
    ref: EntityRef,
    { data, next, hasMore }: { readonly data: readonly Entry[]; readonly next: FeedPosition; readonly hasMore: boolean },
  ): FoundChanges {
    const { generation, position, key } = next
    const place = [generation, String(position)]
    const cursor = signCursor(key === undefined ? [ofChanges, ...place] : [ofRecords, ...place, key], this.#bind(ref))
    return { data: new JsonText(`[${data.map(writeBody).join()}]`), next: cursor, has_more: hasMore }
  }
}

/** Builds the change feeds of copies. */
export const createChanges = (parts: ChangesOptions): Changes => new CopyChanges(parts)
