/**
 * The change feed of a connector: the feeds of its entities in one, with a position for each. Between entities there is no order. An entity
 * begins with all its records when it can be searched, and again when its changes are lost. Reasons: docs/decisions/data-out.md
 */
import { FerruleError } from 'ferrule'
import type { ConnectorAccess } from '../../values/access.ts'
import { failField } from '../../values/read.ts'
import { largestPage } from '../search/functions.ts'
import { hasLogMoved } from '../store/log.ts'
import type { ContextStore } from '../store/store.ts'
import type { LogWait } from '../store/types.ts'
import type { Copies } from '../sync-types.ts'
import { type Entry, type FeedPart, type FeedPosition, type FeedReader, findFed, type PartLimits } from './reader.ts'

/** Where the next page begins in each entity. The entity whose turn comes first is the first. */
export type Positions = ReadonlyMap<string, FeedPosition>

/** The entities to read, and where. */
export interface ConnectorPosition {
  /** Left out: all that can be searched. */
  readonly entities: readonly string[] | undefined
  readonly from: Positions
}

/** An entry that names its entity. */
export type EntityEntry = Entry & { readonly entity: string }

/** A page of the feed of a connector. */
export interface ConnectorPage {
  readonly data: readonly EntityEntry[]
  readonly next: Positions
  /** True when the next page has entries already. */
  readonly hasMore: boolean
}

/** Maximum number of entities of a cursor. */
export const mostEntities = 50

/** Interval of looks for entities that join, in milliseconds. */
const joinMs = 5_000

/** Options of `ConnectorFeed`. */
export interface ConnectorFeedOptions {
  readonly reader: FeedReader
  readonly store: Pick<ContextStore, 'readLogStates' | 'waitForChange'>
  readonly copies: Pick<Copies, 'listFilled'>
}

interface Work {
  /** Entities with entries, in the order in which they are read. */
  readonly active: readonly string[]
  /** Entities that can be searched and have not begun. */
  readonly joining: readonly string[]
}

const isReadingRecords = (positions: Positions, entities: readonly string[]): boolean =>
  entities.some((entity) => positions.get(entity)?.key !== undefined)

/** Returns undefined when the changes of an entity are lost. */
async function ignoreLost<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read()
  } catch (thrown) {
    if (thrown instanceof FerruleError && thrown.code === 'changes_expired') return undefined
    throw thrown
  }
}

/** A page while it is read. Each entity with entries has its share, so a busy one takes no turn from the others. */
class PageBuilder {
  readonly #access: ConnectorAccess
  readonly #reader: FeedReader
  readonly #limits: PartLimits
  readonly #data: EntityEntry[] = []
  /** Whoever had a turn goes to the end. */
  readonly #next: Map<string, FeedPosition>
  #left: number
  #bytes = 0
  #hasMore = false

  constructor(access: ConnectorAccess, reader: FeedReader, { from, limits }: { readonly from: Positions; readonly limits: PartLimits }) {
    this.#access = access
    this.#reader = reader
    this.#limits = limits
    this.#next = new Map(from)
    this.#left = limits.limit
  }

  /** Reads the page. Records of one entity at a time are read, so that the cursor stays short. */
  async build({ active, joining }: Work): Promise<ConnectorPage> {
    const asked = [...active, ...joining]
    const joins = [...joining]
    const queue = isReadingRecords(this.#next, active) ? [...active] : [...joins.splice(0, 1), ...active]
    while (this.#left > 0 && this.#bytes < largestPage) {
      const entity = queue.shift() ?? (isReadingRecords(this.#next, asked) ? undefined : joins.shift())
      if (entity === undefined) break
      await this.#take(entity, Math.max(1, Math.floor(this.#left / (queue.length + 1))))
    }
    return { data: this.#data, next: this.#next, hasMore: this.#hasMore || queue.length + joins.length > 0 }
  }

  async #take(entity: string, limit: number): Promise<void> {
    const part = await this.#read(entity, limit)
    this.#next.delete(entity)
    if (part === undefined) return
    this.#next.set(entity, part.next)
    for (const entry of part.data) this.#data.push({ entity, ...entry })
    this.#left -= part.data.filter(({ key }) => key !== undefined).length
    this.#bytes += part.data.reduce((sum, { record }) => sum + (record?.text.length ?? 0), 0)
    this.#hasMore ||= part.hasMore
  }

  /** An entity whose changes are lost joins again as soon as it can be searched. */
  async #read(entity: string, limit: number): Promise<FeedPart | undefined> {
    const ref = findFed(this.#access, entity)
    const part = await ignoreLost(async () => {
      const from = this.#next.get(entity) ?? { ...(await this.#reader.begin(ref, this.#access.ref.organizationId)), key: '' }
      return this.#reader.read(ref, from, { ...this.#limits, limit })
    })
    this.#hasMore ||= part === undefined
    return part
  }
}

/** Reads the changes of connectors. */
export class ConnectorFeed {
  readonly #parts: ConnectorFeedOptions

  constructor(parts: ConnectorFeedOptions) {
    this.#parts = parts
  }

  /** Returns the positions of now. @throws FerruleError as `Changes.read` */
  async begin(access: ConnectorAccess, entities: readonly string[] | undefined): Promise<Positions> {
    listAsked(access, entities, new Map())
    const positions = new Map<string, FeedPosition>()
    const joining = await this.#listJoining(access, entities, positions)
    await this.#explainFull(access, joining, async () => {
      for (const entity of joining) {
        const position = await ignoreLost(() => this.#parts.reader.begin(findFed(access, entity), access.ref.organizationId))
        if (position !== undefined) positions.set(entity, position)
      }
    })
    return positions
  }

  /** Returns a page at once. Positions of entities that are not asked for stay. @throws FerruleError as `Changes.read` */
  async read(access: ConnectorAccess, { entities, from }: ConnectorPosition, limits: PartLimits): Promise<ConnectorPage> {
    const positions = dropUnknown(access, from)
    const asked = listAsked(access, entities, positions)
    const states = await this.#parts.store.readLogStates(asked.map((entity) => findFed(access, entity)))
    const active = asked.filter((entity, index) => {
      const [position, state] = [positions.get(entity), states[index]]
      return position?.key !== undefined || (state !== undefined && hasLogMoved(state, position))
    })
    const joining = await this.#listJoining(access, entities, positions)
    const page = new PageBuilder(access, this.#parts.reader, { from: positions, limits })
    return this.#explainFull(access, [...asked, ...joining], () => page.build({ active, joining }))
  }

  /** Adds to the refusal of one more followed entity which ones the organization follows already: these can be read. */
  async #explainFull<T>(access: ConnectorAccess, entities: readonly string[], work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (thrown) {
      const [problem] = thrown instanceof FerruleError && thrown.code === 'validation_failed' ? thrown.errors : []
      if (problem?.error_code !== 'limit') throw thrown
      const states = await this.#parts.store.readLogStates(entities.map((entity) => findFed(access, entity)))
      const followed = entities.filter((_, index) => states[index]?.generation !== null)
      const way =
        followed.length === 0 ? 'None of this connector is among them' : `Those of this connector are read with entities=${followed.join()}`
      throw failField('/entities', `${problem.message} ${way}`, problem.error_code)
    }
  }

  /** Waits until a page has entries, or the time is over. Looks from time to time for entities that can be searched only now. */
  async wait(access: ConnectorAccess, { entities, from }: ConnectorPosition, wait: LogWait): Promise<void> {
    const positions = dropUnknown(access, from)
    const asked = listAsked(access, entities, positions)
    if (isReadingRecords(positions, asked)) return
    const followed = asked.flatMap((entity) => {
      const position = positions.get(entity)
      return position === undefined ? [] : [{ ref: findFed(access, entity), from: position }]
    })
    for (let left = wait.ms; left > 0 && (await this.#listJoining(access, entities, positions)).length === 0; left -= joinMs)
      if (await this.#parts.store.waitForChange(followed, { ...wait, ms: Math.min(left, joinMs) })) return
  }

  /** Lists the entities that can be searched and have no position. @throws FerruleError `validation_failed` for too many */
  async #listJoining(access: ConnectorAccess, entities: readonly string[] | undefined, positions: Positions): Promise<readonly string[]> {
    const filled = await this.#parts.copies.listFilled(access)
    const joining = filled.filter((entity) => !positions.has(entity) && entities?.includes(entity) !== false)
    const count = positions.size + joining.length
    if (count <= mostEntities) return joining
    throw failField('/entities', `must name at most ${mostEntities} of the ${count} entities: a cursor holds no more`, 'max')
  }
}

/** Returns whether the changes of an entity can be read. */
export const isFed = (access: ConnectorAccess, entity: string): boolean => {
  const { entities } = access.connection.kind.definition
  return Object.hasOwn(entities, entity) && entities[entity]?.context_store_search !== undefined
}

/** Drops the positions of entities that a newer version of the kind lacks. */
const dropUnknown = (access: ConnectorAccess, positions: Positions): Positions =>
  new Map([...positions].filter(([entity]) => isFed(access, entity)))

/** Lists the entities with a position that are asked for. @throws FerruleError `entity_not_found`, `action_not_supported` */
function listAsked(access: ConnectorAccess, entities: readonly string[] | undefined, positions: Positions): readonly string[] {
  for (const entity of entities ?? []) findFed(access, entity)
  return [...positions.keys()].filter((entity) => entities?.includes(entity) !== false)
}
