/**
 * The change feed of a copy: all records once, then what was added, changed and removed since, in order. A cursor names the log that it
 * belongs to; when that log has ended, its changes are lost and the client begins again. Reasons: docs/decisions/data-out.md
 */
import { JsonText } from 'ferrule/engine'
import { writeBody } from 'ferrule/internal'
import { fromNow } from 'ferrule/wire'
import type { ConnectorAccess } from '../../values/access.ts'
import type { EntityRef } from '../entity-ref.ts'
import { assertFilled } from '../searches.ts'
import type { ContextStore } from '../store/store.ts'
import type { LogWait } from '../store/types.ts'
import type { Copies } from '../sync-types.ts'
import { ConnectorFeed, type Positions } from './connector-feed.ts'
import { type CursorParts, parsePosition, parsePositions, signPosition, signPositions } from './positions.ts'
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

/** Options of `Changes`. */
export interface ChangesOptions extends FeedReaderOptions, CursorParts {
  readonly store: FeedReaderOptions['store'] & Pick<ContextStore, 'readLogStates' | 'waitForChange'>
  readonly copies: Pick<Copies, 'readStatus' | 'listFilled'>
}

const toPage = (data: readonly object[], next: string, hasMore: boolean): FoundChanges => ({
  data: new JsonText(`[${data.map(writeBody).join()}]`),
  next,
  has_more: hasMore,
})

/** Reads the changes of copies. Callers hold an access already, so no method takes a principal. */
export class Changes {
  readonly #parts: ChangesOptions
  readonly #reader: FeedReader
  readonly #connector: ConnectorFeed

  constructor(parts: ChangesOptions) {
    this.#parts = parts
    this.#reader = new FeedReader(parts)
    this.#connector = new ConnectorFeed({ ...parts, reader: this.#reader })
  }

  /**
   * Returns a page at once.
   * @throws FerruleError `entity_not_found`, `action_not_supported`, `context_store_not_ready`, `invalid_cursor`, `changes_expired`, and the
   * errors of `ContextStore`
   */
  async read(access: ConnectorAccess, { entity, entities, after, ...limits }: ChangesQuery): Promise<FoundChanges> {
    if (entity === undefined) {
      if (after === fromNow) return toPage([], signPositions(this.#parts, access, await this.#connector.begin(access, entities)), false)
      const page = await this.#connector.read(access, { entities, from: this.#parseAll(access, after) }, limits)
      return toPage(page.data, signPositions(this.#parts, access, page.next), page.hasMore)
    }
    const ref = findFed(access, entity)
    if (after === fromNow) return toPage([], signPosition(this.#parts, ref, await this.#begin(access, ref)), false)
    const from = after === undefined ? { ...(await this.#begin(access, ref)), key: '' } : parsePosition(this.#parts, ref, after)
    const part = await this.#reader.read(ref, from, limits)
    return toPage(part.data, signPosition(this.#parts, ref, part.next), part.hasMore)
  }

  /** Waits until a page after a cursor has entries, or the time is over. @throws FerruleError as `read`; the reason of the signal */
  async wait(access: ConnectorAccess, { entity, entities, after }: Followed, wait: LogWait): Promise<void> {
    if (after === fromNow) return
    if (entity === undefined) return this.#connector.wait(access, { entities, from: this.#parseAll(access, after) }, wait)
    const ref = findFed(access, entity)
    if (after === undefined) return
    const from = parsePosition(this.#parts, ref, after)
    if (from.key === undefined) await this.#parts.store.waitForChange([{ ref, from }], wait)
  }

  async #begin(access: ConnectorAccess, ref: EntityRef): Promise<FeedPosition> {
    assertFilled(ref.entity, await this.#parts.copies.readStatus(access, ref.entity))
    return this.#reader.begin(ref, access.ref.organizationId)
  }

  #parseAll(access: ConnectorAccess, cursor: string | undefined): Positions {
    return cursor === undefined ? new Map() : parsePositions(this.#parts, access, cursor)
  }
}
