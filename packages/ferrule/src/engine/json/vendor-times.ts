/** Times as vendors write them. Pure. */
import { findSyncedOperation } from '../../definition/check-sync.ts'
import type { EntityDefinition } from '../../definition/entity.ts'
import type { Field } from '../../definition/fields.ts'
import { findField } from '../../definition/plain-schema.ts'
import type { Since, TimeForm } from '../../definition/sync.ts'
import { getAt, type Path, parsePath } from './paths.ts'
import { parseTimestamp } from './validate.ts'

/** Milliseconds of one unit, by the format of a number. */
const units: Readonly<Record<string, number>> = { 'unix-time': 1_000, 'unix-time-ms': 1 }

const writers: Readonly<Record<string, (milliseconds: number) => string | number>> = {
  // A part of a second more is asked for, never less.
  seconds: (milliseconds) => Math.floor(milliseconds / 1_000),
  milliseconds: (milliseconds) => milliseconds,
  date: (milliseconds) => new Date(milliseconds).toISOString().slice(0, 10),
}

/** Where ISO 8601 has the parts of a time. */
const parts: Readonly<Record<string, readonly [from: number, to: number]>> = {
  year: [0, 4],
  month: [5, 7],
  day: [8, 10],
  hour: [11, 13],
  minute: [14, 16],
  second: [17, 19],
}

/** Writes a time in the form of a parameter. */
export function writeTime(milliseconds: number, form: TimeForm = 'iso'): string | number {
  const write = Object.hasOwn(writers, form) ? writers[form] : undefined
  if (write !== undefined) return write(milliseconds)
  const iso = new Date(milliseconds).toISOString()
  return form === 'iso' ? iso : form.replaceAll(/\{(\w+)\}/g, (_slot, name: string) => iso.slice(...(parts[name] ?? [0, 0])))
}

/** A time without its offset, which counts as UTC. */
const bare = /[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?$/

/**
 * Builds the value of the parameter for the start of a window.
 * @param from ISO 8601. Passed on as it is where the vendor takes this form.
 */
export function buildStart({ as, text }: Pick<Since, 'as' | 'text'>, from: string): string | number {
  const time = as === undefined || as === 'iso' ? from : writeTime(parseTimestamp(from), as)
  return text === undefined ? time : text.replaceAll('{time}', String(time))
}

/** Reads a time in milliseconds since 1970; NaN for anything else. A number counts by the format of its field. */
export function parseTime(value: unknown, field: Field | undefined): number {
  const unit = units[field?.format ?? '']
  if (unit === undefined)
    return typeof value === 'string' ? parseTimestamp(bare.test(value) ? `${value.replace(' ', 'T')}Z` : value) : Number.NaN
  const isNumber = typeof value === 'number' || typeof value === 'bigint' || (typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value))
  return isNumber ? Math.floor(Number(value) * unit) : Number.NaN
}

/** Builds the reading of the time of a record. NaN for a record without one. */
export function buildTimeReader({ record = {} }: Pick<EntityDefinition, 'record'>, path: string): (row: unknown) => number {
  const field = findField(record, path)
  const at = parsePath(path)
  return (row) => parseTime(getAt(row, at), field)
}

/** Returns the path of a parameter. A name with brackets or dots, as `created[gte]`, is no path where the operation has a parameter of it. */
export const toParamPath = (definition: EntityDefinition, name: string): Path =>
  Object.hasOwn(findSyncedOperation(definition)?.params ?? {}, name) ? [name] : parsePath(name)
