/** How a stream reads changes only: the cursor of a manifest. */
import { dropAbsent } from '../../definition/object.ts'
import type { Component } from './component.ts'
import type { Notes } from './outcome.ts'
import { type RequestOption, readOption } from './paging.ts'
import { readPlain } from './template.ts'

/** How a stream asks for changes. */
export interface Incremental {
  readonly field: string
  readonly send?: RequestOption
  readonly until?: RequestOption
  /** How a time is written; undefined for a form that kinds do not write. */
  readonly as: 'iso' | 'seconds' | 'milliseconds' | 'date' | undefined
  /** Type of the field in the record. */
  readonly type: string
  readonly first?: string
  readonly overlap?: string
  readonly isNewest: boolean
  /** Names by which expressions know the start and the end of what is read. */
  readonly names: { readonly start: readonly string[]; readonly end: readonly string[] }
}

/** Reads the form of a time. */
export function readTimeForm(format: string): Incremental['as'] {
  if (/^%s(_as_float)?$|^%epoch/.test(format)) return 'seconds'
  if (format === '%ms') return 'milliseconds'
  if (format === '%Y-%m-%d') return 'date'
  return /^%Y-%m-%dT(%H|00):?/.test(format) || /^%Y-%m-%dT%T/.test(format) ? 'iso' : undefined
}

const types: Readonly<Record<string, string>> = { iso: 'date-time', seconds: 'unix-time', milliseconds: 'unix-time-ms', date: 'date' }

/** Reads an ISO 8601 duration as a time of kind files. */
export function readDuration(text: string | undefined): string | undefined {
  const [, years, months, weeks, days, hours, minutes, seconds] =
    /^P(?:(\d+)Y)?(?:(\d+)M)?(?:(\d+)W)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)(?:\.\d+)?S)?)?$/.exec(text ?? '') ?? []
  const date = Number(years ?? 0) * 365 + Number(months ?? 0) * 30 + Number(weeks ?? 0) * 7 + Number(days ?? 0)
  const time = Number(hours ?? 0) * 3_600 + Number(minutes ?? 0) * 60 + Number(seconds ?? 0)
  if (date === 0 && time === 0) return undefined
  return time === 0 ? `${date}d` : `${date * 86_400 + time}s`
}

function readFirst(cursor: Component, notes: Notes): string | undefined {
  const start = cursor.child('start_datetime')
  const text = start === undefined ? cursor.template('start_datetime') : start.template('datetime')
  start?.leave('datetime_format', 'max_datetime', 'min_datetime')
  const plain = readPlain(text ?? [])
  if (plain !== undefined && /^\d{4}-\d{2}-\d{2}/.test(plain)) {
    const moment = new Date(/^\d{4}-\d{2}-\d{2}$/.test(plain) || /(Z|[+-]\d{2}:?\d{2})$/.test(plain) ? plain : `${plain}Z`)
    if (!Number.isNaN(moment.getTime())) return moment.toISOString().replace('.000Z', 'Z')
  }
  notes.leave('starts', 'start_datetime')
  return undefined
}

const readEnd = (cursor: Component, notes: Notes): void => {
  const end = cursor.child('end_datetime')
  end?.leaveAll()
  if (end !== undefined || cursor.text('end_datetime') !== undefined) notes.leave('starts', 'end_datetime')
}

/** Reads the cursor of a stream. */
export function readIncremental(cursor: Component | undefined, notes: Notes): Incremental | undefined {
  if (cursor === undefined) return undefined
  if (cursor.type !== 'DatetimeBasedCursor')
    return notes.stop(cursor.isCustom ? 'custom code: cursor' : 'a cursor that kind files do not have', cursor.type)
  cursor.leave('global_substream_cursor', 'is_compare_strictly', 'allow_catalog_defined_cursor_field')
  const field = readPlain(cursor.template('cursor_field') ?? [])
  const format = readPlain(cursor.template('datetime_format') ?? [])
  const formats = cursor.takeAll('cursor_datetime_formats')
  if (field === undefined || format === undefined) return notes.stop('logic in the cursor of a stream')
  for (const name of ['step', 'cursor_granularity', 'clamping']) if (cursor.take(name) !== undefined) notes.leave('windows', name)
  const isFiltered = cursor.take('is_client_side_incremental') === true
  if (isFiltered) notes.leave('filters', 'is_client_side_incremental')
  const lookback = cursor.text('lookback_window')
  const overlap = readDuration(lookback)
  if (lookback !== undefined && overlap === undefined) notes.leave('windows', 'lookback_window')
  const send = readOption(cursor.child('start_time_option'), notes)
  const until = readOption(cursor.child('end_time_option'), notes)
  const first = readFirst(cursor, notes)
  readEnd(cursor, notes)
  const as = readTimeForm(format)
  const recordForm = readTimeForm(String([formats].flat()[0] ?? format)) ?? 'iso'
  const names = { start: ['start_time'], end: ['end_time'] }
  for (const [key, list] of [
    ['partition_field_start', names.start],
    ['partition_field_end', names.end],
  ] as const) {
    const name = cursor.text(key)
    if (name !== undefined) list.push(name)
  }
  const [type, isNewest] = [types[recordForm] ?? 'date-time', cursor.take('is_data_feed') === true]
  return { field, as, type, isNewest, names, ...dropAbsent({ send, until, first, overlap }) }
}
