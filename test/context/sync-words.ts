/** Kinds of one or two entities with a vendor of few lines, for tests of single words of a sync. */
import type { EntityDefinition, Operation } from '../../packages/ferrule/src/definition/entity.ts'
import type { Fields } from '../../packages/ferrule/src/definition/fields.ts'
import { id, opt, str } from '../../packages/ferrule/src/definition/fields.ts'
import type { PageDefinition } from '../../packages/ferrule/src/definition/page.ts'
import type { Sync } from '../../packages/ferrule/src/definition/sync.ts'
import type { Answered, SyncTask } from '../../packages/server/src/copies/sync/walk/types.ts'
import { acme } from '../definition/acme.ts'
import { type SyncResult, syncConnector, type WholeSync } from './sync-connector.ts'
import { connector, StoreDouble } from './sync-double.ts'
import { said } from './sync-vendor.ts'

/** A record of the vendor. */
export type Row = Record<string, unknown>
/** Parameters of a call. */
export type { Answered }
/** Parameters of a call. */
export type Params = Readonly<Record<string, unknown>>

/** Declares an entity with an integer id, its fields and its sync. */
export const entity = (
  record: Fields,
  sync: Sync,
  { params = {}, page, call = 'GET /rows' }: { params?: Fields; page?: string; call?: Operation['call'] } = {},
): EntityDefinition => ({
  about: 'Rows',
  key: ['id'],
  record: { id: id('Id'), ...record },
  list: { call, at: 'data', params: { cursor: opt(str('Position')), ...params }, ...(page === undefined ? {} : { page }) },
  context_store_search: { id: id('Id'), ...record },
  sync,
})

/** A page of rows by position, as a vendor with an opaque cursor returns it. */
export function page(rows: readonly Row[], { cursor }: Params, size = 3): Answered {
  const from = Number(cursor ?? 0)
  return { rows: rows.slice(from, from + size), next: from + size < rows.length ? { cursor: String(from + size) } : null }
}

/** What a vendor answers to the list of an entity. */
export type Lists = Readonly<Record<string, (params: Params) => Answered | Promise<Answered>>>

/** A kind, its vendor, and a copy. */
export class World {
  readonly store: StoreDouble
  /** Milliseconds since 1970, for both sides. */
  now = Date.parse('2026-03-20T12:00:00Z')
  /** How long a call takes. */
  tick = 1
  readonly #entities: Readonly<Record<string, EntityDefinition>>
  readonly #pages: Readonly<Record<string, PageDefinition>>
  readonly #lists: Lists
  #calls: string[] = []
  /** Called before each call is answered; what it throws becomes the answer. */
  before: (entity: string, params: Params) => void = () => undefined

  constructor(entities: Readonly<Record<string, EntityDefinition>>, lists: Lists, pages: Readonly<Record<string, PageDefinition>> = {}) {
    this.#entities = entities
    this.#pages = pages
    this.#lists = lists
    this.store = new StoreDouble(entities)
    this.store.clock = () => this.now
  }

  readonly #ask: SyncTask['ask'] = async (call) => {
    this.#calls.push(said(call))
    this.now += this.tick
    this.before(call.entity, call.params)
    const list = this.#lists[call.entity]
    if (list === undefined) throw new Error(`${call.entity} has no list`)
    return structuredClone(await list(call.params))
  }

  /** Runs a sync. The time moves with each call, and by an hour before each run. */
  sync(more: Partial<WholeSync> = {}): Promise<SyncResult> {
    this.now += 3_600_000
    const { lookups: _lookups, hidden: _hidden, ...bare } = acme
    const definition = { ...bare, kind: 'words', pages: { ...acme.pages, ...this.#pages }, entities: this.#entities }
    return syncConnector({
      kind: { definition, rules: {} },
      connector,
      configuration: {},
      store: this.store,
      ask: this.#ask,
      wanted: () => true,
      mode: 'incremental',
      fullEvery: 7 * 86_400_000,
      clock: () => this.now,
      signal: new AbortController().signal,
      ...more,
    })
  }

  /** Runs a sync, and returns how it ended by entity. */
  async states(more: Partial<WholeSync> = {}): Promise<Record<string, string>> {
    const { entities } = await this.sync(more)
    return Object.fromEntries(entities.map(({ entity: name, state }) => [name, state]))
  }

  /** Returns the calls since the last time, one line each. */
  taken(): string[] {
    return this.#calls.splice(0)
  }

  /** Returns the copied records of an entity, by id. */
  copy(name: string): Row[] {
    const rows = [...this.store.shelf(name).rows.values()].map(({ fields }) => ({ ...fields }))
    return rows.toSorted((one, other) => Number(one['id']) - Number(other['id']))
  }

  /** Returns the ids of the copied records of an entity. */
  ids(name: string): number[] {
    return this.copy(name).map((row) => Number(row['id']))
  }
}
