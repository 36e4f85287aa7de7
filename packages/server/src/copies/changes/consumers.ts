/**
 * Registered consumers of the feed of a connector. Each keeps a cursor here, and what it has not read is kept beyond the days of the log.
 * Reasons: docs/decisions/data-out.md
 */
import { compileFields, fail, failValidation } from 'ferrule/internal'
import { type ChangeConsumer, type ChangeConsumerRemoval, changeConsumerInput, consumerName } from 'ferrule/wire'
import { type ConnectorAccess, type Principal, requireScope } from '../../values/access.ts'
import { iso, isoOrNull } from '../../values/ids.ts'
import { readBody } from '../../values/read.ts'
import type { ConsumerRow } from '../sql/change-consumers.ts'
import { hasLogMoved } from '../store/log.ts'
import type { ContextStore } from '../store/store.ts'
import { isFed, type Positions } from './connector-feed.ts'
import type { ConsumerRows } from './consumer-rows.ts'
import type { Followed } from './feed.ts'
import { type CursorParts, parsePositions, readPositions, signPositions, writePositions } from './positions.ts'
import { type FeedPosition, findFed } from './reader.ts'

/** Options of `Consumers`. */
export interface ConsumersOptions extends CursorParts {
  readonly rows: ConsumerRows
  readonly store: Pick<ContextStore, 'readLogStates' | 'readLog' | 'keepChanges'>
}

const nameField = compileFields({ name: consumerName('Name') })

const nowhere: Positions = new Map()

type ConsumedEntity = ChangeConsumer['positions'][number]

const parseEntities = ({ entities }: Pick<ConsumerRow, 'entities'>): readonly string[] | null =>
  entities === null ? null : JSON.parse(entities) // JSON that this service wrote

function listWanted(row: ConsumerRow): Positions {
  const entities = parseEntities(row)
  return new Map([...readPositions(row.positions)].filter(([entity]) => entities?.includes(entity) !== false))
}

/** Returns whether what must be kept at a new position is not kept for the old one. */
const isBefore = (position: FeedPosition, old: FeedPosition | undefined): boolean =>
  old === undefined || position.generation !== old.generation || position.position < old.position

/** Lists the entities whose log must know of a move: all of them when it is a repetition, whose first answer may be lost. */
function listTouched(old: Positions, next: Positions): readonly string[] {
  const names = [...new Set([...old.keys(), ...next.keys()])]
  const moved = names.filter((entity) => {
    const [before, after] = [old.get(entity), next.get(entity)]
    return before === undefined || after === undefined || hasLogMoved(before, after)
  })
  return moved.length === 0 ? names : moved
}

const sayLost = (entities: readonly string[]): string =>
  `The changes of ${entities.join(', ')} are no longer kept. Read on: all records of ${entities.length === 1 ? 'it' : 'them'} come again, between ` +
  'snapshot_begin and snapshot_end. Delete what you have and did not meet there.'

const sumUnread = (positions: readonly ConsumedEntity[]): Pick<ChangeConsumer, 'unread_bytes' | 'unread_since'> => ({
  unread_bytes: positions.reduce((sum, { unread_bytes: bytes }) => sum + (bytes ?? 0), 0),
  unread_since: positions.flatMap(({ unread_since: since }) => since ?? []).toSorted()[0] ?? null,
})

/** Consumers of connectors. Callers hold an access, and have checked scope execute:read. */
export class Consumers {
  readonly #parts: ConsumersOptions

  constructor(parts: ConsumersOptions) {
    this.#parts = parts
  }

  /** Lists the consumers of a connector by their names. */
  async list(access: ConnectorAccess): Promise<readonly ChangeConsumer[]> {
    const described: ChangeConsumer[] = []
    for (const row of await this.#parts.rows.list(access.ref)) described.push(await this.#describe(access, row))
    return described
  }

  /** Reads a consumer. @throws FerruleError `consumer_not_found` */
  async get(access: ConnectorAccess, name: string): Promise<ChangeConsumer> {
    return this.#describe(access, await this.#find(access, name))
  }

  /** Returns what a consumer reads, and from where. @throws FerruleError `consumer_not_found` */
  async follow(access: ConnectorAccess, name: string): Promise<Followed> {
    const row = await this.#find(access, name)
    return { entities: parseEntities(row) ?? undefined, after: this.#sign(access, row) ?? undefined }
  }

  /**
   * Registers a consumer, or moves its cursor. A new one, and other entities, need scope connectors:write.
   * @throws FerruleError `insufficient_scope`, `consumer_moved`, `invalid_cursor`, `validation_failed`
   */
  async save(
    access: ConnectorAccess,
    { principal, name, body }: { readonly principal: Principal; readonly name: string; readonly body: unknown },
  ): Promise<ChangeConsumer> {
    const { cursor, replaces, entities } = readBody(changeConsumerInput, body ?? {})
    const problems = nameField.problems({ name })
    if (problems.length > 0) throw failValidation(problems)
    for (const entity of entities ?? []) findFed(access, entity)
    const given = cursor === undefined ? undefined : parsePositions(this.#parts, access, cursor)
    const old = await this.#parts.rows.find(access.ref, name)
    if (old === undefined) requireScope(principal, 'connectors:write')
    const before = old === undefined ? nowhere : listWanted(old)
    const lowered = [...(given ?? [])].filter(([entity, position]) => isBefore(position, before.get(entity)))
    // What the consumer will need is kept before it may rely on it, and given up after it has moved on.
    for (const [entity, position] of lowered) await this.#keep(access, entity, { position })
    let row = old
    try {
      row = await this.#parts.rows.save(principal, access.ref, {
        name,
        entities: entities === undefined || entities === null ? entities : JSON.stringify(entities),
        positions: given === undefined ? undefined : writePositions(given),
        replaces: typeof replaces === 'string' ? writePositions(parsePositions(this.#parts, access, replaces)) : replaces,
      })
      return await this.#describe(access, row)
    } finally {
      const after = row === undefined ? nowhere : listWanted(row)
      const changed = listTouched(before, after)
      for (const entity of new Set([...changed, ...lowered.map(([entity]) => entity)])) await this.#keep(access, entity)
    }
  }

  /** Deletes a consumer. @throws FerruleError `consumer_not_found` */
  async remove(access: ConnectorAccess, name: string): Promise<ChangeConsumerRemoval> {
    const { rows, clock } = this.#parts
    const row = await this.#find(access, name)
    const entities = [...listWanted(row).keys()]
    // Nothing is kept for it any more before its row goes: a kill leaves no log that is kept for nobody.
    for (const entity of entities) await this.#keep(access, entity, { without: name })
    if (!(await rows.remove(access.ref, name))) throw fail('consumer_not_found', {})
    for (const entity of entities) await this.#keep(access, entity)
    return { name, deleted_at: iso(clock()) }
  }

  async #find({ ref }: ConnectorAccess, name: string): Promise<ConsumerRow> {
    const row = await this.#parts.rows.find(ref, name)
    if (row === undefined) throw fail('consumer_not_found', {})
    return row
  }

  #sign(access: ConnectorAccess, { positions }: ConsumerRow): string | null {
    return positions === null ? null : signPositions(this.#parts, access, readPositions(positions))
  }

  /** Notes in the log of an entity from where on consumers need its changes. */
  async #keep(
    access: ConnectorAccess,
    entity: string,
    { position, without }: { readonly position?: FeedPosition; readonly without?: string } = {},
  ): Promise<void> {
    if (!isFed(access, entity)) return
    await this.#parts.store.keepChanges(findFed(access, entity), async () => {
      const rows = (await this.#parts.rows.list(access.ref)).filter(({ name }) => name !== without)
      return [...rows.map((row) => listWanted(row).get(entity)), position].filter((each) => each !== undefined)
    })
  }

  async #describe(access: ConnectorAccess, row: ConsumerRow): Promise<ChangeConsumer> {
    const positions = await this.#locate(access, row)
    const lost = positions.flatMap(({ entity, state }) => (state === 'expired' ? [entity] : []))
    return {
      name: row.name,
      entities: parseEntities(row),
      cursor: this.#sign(access, row),
      status: lost.length > 0 ? 'expired' : 'active',
      status_reason: lost.length > 0 ? sayLost(lost) : null,
      ...sumUnread(positions),
      positions,
      created_at: iso(row.created_at),
      moved_at: isoOrNull(row.moved_at),
    }
  }

  async #locate(access: ConnectorAccess, row: ConsumerRow): Promise<readonly ConsumedEntity[]> {
    const { store } = this.#parts
    const wanted = [...listWanted(row)].filter(([entity]) => isFed(access, entity))
    const states = await store.readLogStates(wanted.map(([entity]) => findFed(access, entity)))
    const located: ConsumedEntity[] = []
    for (const [index, [entity, from]] of wanted.entries()) {
      const log = states[index]
      const isKept = log?.generation === from.generation && from.position >= log.keptAfter && from.position <= log.position
      if (!isKept) {
        located.push({ entity, state: 'expired', unread_bytes: null, unread_since: null })
        continue
      }
      const hasUnread = hasLogMoved(log, from)
      const unread = hasUnread ? await store.readLog(findFed(access, entity), { after: from.position, limit: 1 }) : undefined
      located.push({
        entity,
        state: from.key === undefined ? 'following' : 'snapshot',
        unread_bytes: Number(log.position - from.position),
        unread_since: isoOrNull(unread?.changes[0]?.at),
      })
    }
    return located
  }
}
