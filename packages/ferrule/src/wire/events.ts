/** Server-sent events on the wire. */
import type { Field } from '../definition/index.ts'
import { contextStoreStatus } from './context-store.ts'
import { problemDetails } from './problem.ts'
import { syncRunRecord } from './syncs.ts'

/** One kind of server-sent event. */
export interface EventSchema<S extends Field = Field> {
  /** The member `event`. */
  readonly name: string
  /** Schema of the member `data`, which is JSON. */
  readonly data: S
}

const event = <S extends Field>(name: string, data: S): EventSchema<S> => ({ name, data })

/** A run, now and after every change. */
export const runEvent = event('run', syncRunRecord)
/** The status of a copy, now and after every change. */
export const statusEvent = event('status', contextStoreStatus)
/** Why a stream ends before its values do. */
export const endEvent = event('end', problemDetails)
