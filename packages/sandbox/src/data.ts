import { createHmac } from 'node:crypto'
import { isObject, parseJson } from './http.ts'

/** Returns an entry of a list that is known to be there. @throws RangeError when it is not */
export function at<T>(list: ArrayLike<T>, index: number): T {
  const value = list[index]
  if (value === undefined) throw new RangeError(`There is no entry ${index}`)
  return value
}

/** Later changes to the records of a stand-in, so that syncs have something to find. */

/** A later change to a record; what is left out stays. */
export interface RecordEdit {
  /** Fields that replace those of the record, with the vendor's names. */
  readonly fields?: Readonly<Record<string, unknown>>
  /** The record is deleted, or exists again: lists leave it out, and the vendor's other signs of a deletion appear. */
  readonly erased?: boolean
}

/** An edit and when it was made, epoch milliseconds. */
export interface DatedEdit extends RecordEdit {
  readonly at: number
}

/** Returns an edit on top of the one before it. */
export function mergedEdit(before: RecordEdit | undefined, change: RecordEdit, at: number): DatedEdit {
  const fields = change.fields || before?.fields ? { fields: { ...before?.fields, ...change.fields } } : {}
  return { ...before, ...change, ...fields, at }
}

/** Returns whether a body of a control request has the parts of an edit. */
export function isRecordEdit(body: unknown): body is RecordEdit {
  if (!isObject(body)) return false
  const { fields, erased } = body
  return (fields === undefined || isObject(fields)) && (erased === undefined || typeof erased === 'boolean')
}

const signature = (secret: string, text: string): string => createHmac('sha256', secret).update(text).digest('base64url')

/** Writes a JSON value as an opaque text that only the owner of the secret can make. The content can be read by everybody. */
export function seal(secret: string, content: unknown): string {
  const text = Buffer.from(JSON.stringify(content)).toString('base64url')
  return `${text}.${signature(secret, text)}`
}

/** Reads what `seal` wrote. @returns the content, or undefined when the text was not made with this secret */
export function unseal(secret: string, sealed: string): unknown {
  const [text = '', signed = ''] = sealed.split('.')
  return signature(secret, text) === signed ? parseJson(Buffer.from(text, 'base64url').toString()) : undefined
}

/** Gives the same value to fields whose names are separated by spaces. */
export const setEach = <T>(value: T, names: string): Readonly<Record<string, T>> =>
  Object.fromEntries(names.split(' ').map((name) => [name, value]))

/** Splits a text at its commas: short tables of words. */
export const wordsOf = (text: string): readonly string[] => text.split(', ')

/** Remembers what is made once. */
export function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}

/** Forgets the oldest entry of a map or a set that has become too large. */
export function keepNewest<K>(
  entries: { readonly size: number; keys(): IterableIterator<K>; delete(key: K): boolean },
  most: number,
): void {
  const oldest = entries.keys().next()
  if (entries.size > most && !oldest.done) entries.delete(oldest.value)
}
