/**
 * The change feed of a copy: all records once, then what was added, changed and removed since, in order. A cursor names the log that it
 * belongs to; when that log has ended, its changes are lost and the client begins again. Reasons: docs/decisions/changes.md
 */
import { JsonText } from 'ferrule/engine'
import { writeBody } from 'ferrule/internal'
import { fromNow } from 'ferrule/wire'
import type { ConnectorAccess } from '../../values/access.ts'
import { type CursorScope, signCursor, verifyCursor } from '../../values/cursor.ts'
import { digestParts } from '../../values/ids.ts'
import type { EntityRef } from '../entity-ref.ts'
import { assertFilled } from '../searches.ts'
import type { ContextStore, LogWait } from '../store/types.ts'
import type { Copies } from '../sync-types.ts'
import { ConnectorFeed, type Positions } from './connector-feed.ts'
import { type FeedPosition, FeedReader, type FeedReaderOptions, findFed, type PartLimits } from './reader.ts'

/** Which changes: those of one entity, of some, or of all of a connector. */
export interface Followed {
  readonly entity?: string | undefined
  /** Without `entity`: the entities to read; left out: all that can be searched. */
  readonly entities?: readonly string[] | undefined
  /** Cursor of the page before, or `now` for an empty page before what changes from now on; left out: all records come first. */
  readonly after?: string | undefined
}

/** What a client asks a feed. */
export interface ChangesQuery extends Followed, PartLimits {}

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
  wait(access: ConnectorAccess, followed: Followed, wait: LogWait): Promise<void>
}

/** Options of `createChanges`. */
export interface ChangesOptions extends FeedReaderOptions {
  readonly store: FeedReaderOptions['store'] & Pick<ContextStore, 'readLogStates' | 'waitForChange'>
  readonly copies: Pick<Copies, 'readStatus' | 'listFilled'>
  /** HMAC key for cursors. */
  readonly cursorKey: () => Uint8Array
  /** Milliseconds since 1970. */
  readonly clock: () => number
}

/** What signs cursors. */
export type CursorParts = Pick<ChangesOptions, 'cursorKey' | 'clock'>

/** Forms of positions in cursors. */
const [ofChanges, ofRecords, ofConnector] = [1, 2, 3]
/** Values of an entity in the cursor of a connector. */
const valuesOfEntity = 4

/** Binds cursors to a connector, or to an entity of it. The log says what is too old: a client without news for long loses nothing. */
function bindCursor(
  { cursorKey, clock }: CursorParts,
  { connector, kind, entity }: Pick<EntityRef, 'connector' | 'kind'> & { readonly entity?: string },
): CursorScope {
  const digest = digestParts(connector, kind, entity ?? null)
  return { key: cursorKey(), purpose: 'changes', digest, belongsTo: 'entity or connector', now: clock(), life: Number.POSITIVE_INFINITY }
}

/** Signs the cursor of a position in the feed of an entity. */
export function signPosition(parts: CursorParts, ref: EntityRef, { generation, position, key }: FeedPosition): string {
  const place = [generation, String(position)]
  return signCursor(key === undefined ? [ofChanges, ...place] : [ofRecords, ...place, key], bindCursor(parts, ref))
}

const toPage = (data: readonly object[], next: string, hasMore: boolean): FoundChanges => ({
  data: new JsonText(`[${data.map(writeBody).join()}]`),
  next,
  has_more: hasMore,
})

class CopyChanges implements Changes {
  readonly #parts: ChangesOptions
  readonly #reader: FeedReader
  readonly #connector: ConnectorFeed

  constructor(parts: ChangesOptions) {
    this.#parts = parts
    this.#reader = new FeedReader(parts)
    this.#connector = new ConnectorFeed({ ...parts, reader: this.#reader })
  }

  async read(access: ConnectorAccess, { entity, entities, after, ...limits }: ChangesQuery): Promise<FoundChanges> {
    if (entity === undefined) {
      if (after === fromNow) return toPage([], this.#signAll(access, await this.#connector.begin(access, entities)), false)
      const page = await this.#connector.read(access, { entities, from: this.#parseAll(access, after) }, limits)
      return toPage(page.data, this.#signAll(access, page.next), page.hasMore)
    }
    const ref = findFed(access, entity)
    if (after === fromNow) return toPage([], this.#sign(ref, await this.#begin(access, ref)), false)
    const from = after === undefined ? { ...(await this.#begin(access, ref)), key: '' } : this.#parse(ref, after)
    const part = await this.#reader.read(ref, from, limits)
    return toPage(part.data, this.#sign(ref, part.next), part.hasMore)
  }

  async wait(access: ConnectorAccess, { entity, entities, after }: Followed, wait: LogWait): Promise<void> {
    if (after === fromNow) return
    if (entity === undefined) return this.#connector.wait(access, { entities, from: this.#parseAll(access, after) }, wait)
    const ref = findFed(access, entity)
    if (after === undefined) return
    const from = this.#parse(ref, after)
    if (from.key === undefined) await this.#parts.store.waitForChange([{ ref, from }], wait)
  }

  async #begin(access: ConnectorAccess, ref: EntityRef): Promise<FeedPosition> {
    assertFilled(ref.entity, await this.#parts.copies.readStatus(access, ref.entity))
    return this.#reader.begin(ref)
  }

  #parse(ref: EntityRef, cursor: string): FeedPosition {
    const [form, generation, position, key] = verifyCursor(cursor, bindCursor(this.#parts, ref))
    return { generation: String(generation), position: BigInt(position ?? 0), ...(form === ofRecords ? { key: key ?? '' } : {}) }
  }

  #sign(ref: EntityRef, position: FeedPosition): string {
    return signPosition(this.#parts, ref, position)
  }

  #bindAll({ ref, connection }: ConnectorAccess): CursorScope {
    return bindCursor(this.#parts, { connector: ref.connectorId, kind: connection.kind.definition.kind })
  }

  #parseAll(access: ConnectorAccess, cursor: string | undefined): Positions {
    if (cursor === undefined) return new Map()
    const [, ...values] = verifyCursor(cursor, this.#bindAll(access))
    const positions = new Map<string, FeedPosition>()
    for (let index = 0; index < values.length; index += valuesOfEntity) {
      const [entity, generation, position, key] = values.slice(index, index + valuesOfEntity)
      positions.set(String(entity), { generation: String(generation), position: BigInt(position ?? 0), key: key ?? undefined })
    }
    return positions
  }

  #signAll(access: ConnectorAccess, positions: Positions): string {
    const values = [...positions].flatMap(([entity, { generation, position, key = null }]) => [entity, generation, String(position), key])
    return signCursor([ofConnector, ...values], this.#bindAll(access))
  }
}

/** Builds the change feeds of copies. */
export const createChanges = (parts: ChangesOptions): Changes => new CopyChanges(parts)
