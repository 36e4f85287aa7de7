/** Positions that handles stand for. */
import { isObject } from '../definition/object.ts'
import type { Place } from './answers/rows.ts'
import type { LinePlace } from './context.ts'
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

/** Returns whether a kept value is a position: an older version may have kept it. */
export const isPosition = (value: unknown): value is Position =>
  isObject(value) && isObject(value['place']) && (isObject(value['request']) || isObject(value['args']) || typeof value['id'] === 'string')
