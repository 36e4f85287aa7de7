/** Later changes to the records of a stand-in, so that syncs have something to find. */
import { isObject } from './http.ts'

/** A later change to a record; what is left out stays. */
export interface RecordEdit {
  /** Fields that replace those of the record, with the vendor's names. */
  readonly fields?: Readonly<Record<string, unknown>>
  /** The record is gone, or there again: lists leave it out, and the vendor's other signs of a deletion appear. */
  readonly erased?: boolean
}

/** An edit and when it was made, epoch milliseconds. */
export interface DatedEdit extends RecordEdit {
  readonly at: number
}

/** An edit on top of the one before it. */
export function mergedEdit(before: RecordEdit | undefined, change: RecordEdit, at: number): DatedEdit {
  const fields = change.fields || before?.fields ? { fields: { ...before?.fields, ...change.fields } } : {}
  return { ...before, ...change, ...fields, at }
}

/** Whether a body of a control request has the parts of an edit. */
export function isRecordEdit(body: unknown): body is RecordEdit {
  if (!isObject(body)) return false
  const { fields, erased } = body
  return (fields === undefined || isObject(fields)) && (erased === undefined || typeof erased === 'boolean')
}
