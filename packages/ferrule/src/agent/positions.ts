/** Positions that handles hold. The signature proves that this code made them; their form is checked, because an older version may have. */
import { isObject } from '../definition/object.ts'
import type { Place } from './answers/rows.ts'
import type { LinePlace } from './context.ts'
import { failHandle } from './handles.ts'
import type { AgentRequest } from './source.ts'

/** A call that can be sent again, and a place in its answer. */
export interface ReadPosition {
  readonly type: 'read'
  readonly connector: string
  readonly request: AgentRequest
  readonly place: Place
  /** Id under which the columns of a statement are kept. */
  readonly columns?: string | undefined
}

/** Rows that are kept, and a place in them. */
export interface KeptPosition {
  readonly type: 'kept'
  readonly connector: string
  /** Id under which the rows are kept. */
  readonly id: string
  readonly place: Place
}

/** A place in the lines of a tool that reads only. */
export interface LinesPosition {
  readonly type: 'lines'
  readonly tool: string
  readonly args: Readonly<Record<string, unknown>>
  readonly place: LinePlace
}

/** A position of a handle. */
export type Position = ReadPosition | KeptPosition | LinesPosition

/** Lists the members of a position in the order of their form. */
function listMembers(position: Position): readonly unknown[] {
  const { type, place } = position
  if (position.type === 'lines') return [type, position.tool, position.args, place.at, position.place.cursor ?? null]
  const own = [position.place.at, position.place.character ?? null]
  if (position.type === 'kept') return [type, position.connector, position.id, ...own]
  const { entity, action, params, fields, maxAge } = position.request
  return [type, position.connector, entity, action, params, fields ?? null, maxAge ?? null, ...own, position.columns ?? null]
}

/** Packs a position: without names, and without what is left out at its end, because the model writes each character of a handle again. */
export function packPosition(position: Position): readonly unknown[] {
  const members = listMembers(position)
  return members.slice(0, members.findLastIndex((member) => member !== null) + 1)
}

const asText = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)
const asNumber = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined)
const asObject = (value: unknown): Readonly<Record<string, unknown>> => (isObject(value) ? value : {})

const readPlace = (at: unknown, character: unknown): Place => ({ at: asNumber(at) ?? 0, character: asNumber(character) })

/**
 * Unpacks a position.
 * @throws FerruleError `invalid_cursor` for the form of another version
 */
export function unpackPosition(packed: unknown): Position {
  const [type, first, ...rest]: readonly unknown[] = Array.isArray(packed) ? packed : []
  const connector = asText(first) ?? ''
  if (type === 'lines') {
    const [args, at, cursor] = rest
    return { type, tool: connector, args: asObject(args), place: { at: asNumber(at) ?? 0, cursor: asText(cursor) } }
  }
  if (type === 'kept') return { type, connector, id: asText(rest[0]) ?? '', place: readPlace(rest[1], rest[2]) }
  if (type !== 'read') throw failHandle('another version made the handle')
  const [entity, action, params, fields, maxAge, at, character, columns] = rest
  const request: AgentRequest = {
    ...{ entity: asText(entity) ?? '', action: asText(action) ?? '', params: asObject(params) },
    ...{ fields: Array.isArray(fields) ? fields.map(String) : undefined, maxAge: asNumber(maxAge) },
  }
  return { type, connector, request, place: readPlace(at, character), columns: asText(columns) }
}
