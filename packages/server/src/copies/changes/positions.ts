/** Writes and reads positions: as signed cursors for clients, and as text for the row of a consumer. */
import type { ConnectorAccess } from '../../values/access.ts'
import { type CursorScope, signCursor, verifyCursor } from '../../values/cursor.ts'
import { digestParts } from '../../values/ids.ts'
import type { EntityRef } from '../entity-ref.ts'
import type { Positions } from './connector-feed.ts'
import type { FeedPosition } from './reader.ts'

/** What signs cursors. */
export interface CursorParts {
  /** HMAC key for cursors. */
  readonly cursorKey: () => Uint8Array
  readonly clock: () => number
}

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

const bindAll = (parts: CursorParts, { ref, connection }: ConnectorAccess): CursorScope =>
  bindCursor(parts, { connector: ref.connectorId, kind: connection.kind.definition.kind })

/** Signs the cursor of a position in the feed of an entity. */
export function signPosition(parts: CursorParts, ref: EntityRef, { generation, position, key }: FeedPosition): string {
  const at = [generation, String(position)]
  return signCursor(key === undefined ? [ofChanges, ...at] : [ofRecords, ...at, key], bindCursor(parts, ref))
}

/** Reads the cursor of an entity. @throws FerruleError `invalid_cursor` */
export function parsePosition(parts: CursorParts, ref: EntityRef, cursor: string): FeedPosition {
  const [form, generation, position, key] = verifyCursor(cursor, bindCursor(parts, ref))
  return { generation: String(generation), position: BigInt(position ?? 0), ...(form === ofRecords ? { key: key ?? '' } : {}) }
}

type CursorValues = readonly (string | null)[]

const listValues = (positions: Positions): CursorValues =>
  [...positions].flatMap(([entity, { generation, position, key = null }]) => [entity, generation, String(position), key])

function readValues(values: CursorValues): Positions {
  const positions = new Map<string, FeedPosition>()
  for (let index = 0; index < values.length; index += valuesOfEntity) {
    const [entity, generation, position, key] = values.slice(index, index + valuesOfEntity)
    positions.set(String(entity), { generation: String(generation), position: BigInt(position ?? 0), key: key ?? undefined })
  }
  return positions
}

/** Signs the cursor of the feed of a connector. */
export const signPositions = (parts: CursorParts, access: ConnectorAccess, positions: Positions): string =>
  signCursor([ofConnector, ...listValues(positions)], bindAll(parts, access))

/** Reads the cursor of a connector. @throws FerruleError `invalid_cursor` */
export function parsePositions(parts: CursorParts, access: ConnectorAccess, cursor: string): Positions {
  const [, ...values] = verifyCursor(cursor, bindAll(parts, access))
  return readValues(values)
}

/** Writes positions for the row of a consumer: equal positions are equal texts. */
export const writePositions = (positions: Positions): string => JSON.stringify(listValues(positions))

/** Reads what `writePositions` wrote; nothing: no positions. */
export function readPositions(text: string | null): Positions {
  const values: CursorValues = text === null ? [] : JSON.parse(text) // JSON that this service wrote
  return readValues(values)
}
