/** Writes the entity of a stream. */
import { isObject } from '../../definition/object.ts'
import type { FileEntity, FileOperation, FileSince, FileSync } from '../../kind-file/file.ts'
import { writeSentence } from '../words.ts'
import { CallWriter, findFolded, type Source } from './call.ts'
import type { Draft } from './draft.ts'
import { firstStep, isName, isStep } from './names.ts'
import { type FileFields, readFields, withTime } from './record-schema.ts'
import { withFields } from './records.ts'
import type { Entry } from './request.ts'
import type { Setting, Settings } from './settings.ts'
import { type Template, writeTemplate } from './template.ts'

/** What entities are written with. */
export interface EntityScope {
  readonly settings: Settings
  /** Takes a value of the account into the configuration, and returns its name there. */
  readonly configure: (setting: Setting) => string
  /** Levels of fields within fields. */
  readonly depth: number
  /** The call's path without the kind's prefix. */
  readonly path: Template
  /** Headers of the call. */
  readonly headers: readonly Entry[]
  /** Name of the way of paging. */
  readonly way: string | undefined
  /** Parameters of the query that the credentials carry. */
  readonly carried: ReadonlySet<string>
  /** Fields that streams below this one take from its records: name → path, or the parameter of the same name. */
  readonly given: ReadonlySet<string>
  readonly passed: ReadonlySet<string>
}

/** Writes the list of a stream, and keeps what its sync needs. */
export function writeCall(
  draft: Draft,
  { settings, configure, path, carried, headers }: Pick<EntityScope, 'settings' | 'configure' | 'path' | 'carried' | 'headers'>,
): CallWriter & { readonly path: string } {
  const { request, way, partition, incremental, notes } = draft
  const writer = new CallWriter(draft, settings, configure)
  const written = writeTemplate(path, (slot) => `{${writer.addSlot(slot)}}`).replaceAll(' ', '%20')
  const call = /^\/[^?#\s]*$/.test(written) ? written : (notes.stop('an address that is no plain path', written) ?? '/')
  const taken = new Set(way?.taken)
  for (const entry of way?.fixed ?? []) writer.add(entry, way?.options.some(({ place }) => place === 'body') ? 'body' : 'params')
  for (const entry of request?.query ?? []) if (!taken.has(entry.name) && !carried.has(entry.name)) writer.add(entry, 'params')
  for (const entry of request?.body ?? []) if (!taken.has(entry.name)) writer.add(entry, 'body')
  Object.assign(writer.always, request?.lists)
  for (const header of headers) writer.addHeader(header)
  if (partition?.option !== undefined) writer.addOption(partition.option, { is: 'parent', path: undefined })
  for (const folded of partition?.folded ?? []) if (folded.option !== undefined) writer.addOption(folded.option, findFolded(folded))
  for (const { option, field } of draft.lists) if (option !== undefined) writer.addOption(option, { is: 'value', field })
  if (incremental?.send !== undefined) writer.addOption(incremental.send, { is: 'start' })
  if (incremental?.until !== undefined) writer.addOption(incremental.until, { is: 'end' })
  return Object.assign(writer, { path: call })
}

function writeSince(draft: Draft, writer: CallWriter): Partial<Pick<FileSync, 'since' | 'newest'>> {
  const { incremental, notes } = draft
  const { sources, around, params } = writer
  if (incremental === undefined) return {}
  const { field, first, overlap, isNewest } = incremental
  const [start, second] = sources.filter(({ source }) => source.is === 'start')
  const [end] = sources.filter(({ source }) => source.is === 'end')
  if (draft.shaped.computed.has(field)) {
    notes.leave('filters', field)
    return {}
  }
  if (start === undefined) {
    if (isNewest && end === undefined) return { newest: field }
    notes.leave('filters', 'cursor_field')
    return {}
  }
  const isNeeded = typeof params[start.name] === 'string' && String(params[start.name]).split(' ')[0]?.endsWith('!') === true
  if (isNeeded && first === undefined) notes.stop('the start of the changes in the path')
  const as = writer.findForm(start.source)
  if (as === undefined || second !== undefined || (end !== undefined && writer.findForm(end.source) !== as)) {
    notes.leave('times', field)
    notes.doubt('sync.since', 'not said')
    return {}
  }
  const text = around.get(start.name)
  const given = { field, send: start.name, until: end?.name, first, overlap, text, as: text !== undefined && as !== 'iso' ? as : undefined }
  const since = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
  const isShort = Object.keys(since).length === 2
  return { since: (isShort ? { [field]: start.name } : since) as FileSince } // both are forms of it
}

/** Lists the parameters that an account must give, and no sync can take from anywhere. */
function listNeeds(
  draft: Draft,
  { sources, params, body }: CallWriter,
): { readonly needs: readonly string[]; readonly fixed: Record<string, string | number | boolean> } {
  const fixed: Record<string, string | number | boolean> = {}
  const needs: string[] = []
  for (const { name, source } of sources) {
    const field = params[name] ?? body[name]
    const isFilled = isObject(field) && field['$from'] !== undefined
    const text = typeof field === 'string' ? field : isObject(field) ? String(field['$type']) : ''
    const isRequired = !isFilled && text.split(' ')[0]?.endsWith('!') === true
    if (source.is === 'setting' && isRequired && source.setting.otherwise !== undefined) fixed[name] = source.setting.otherwise
    else if (source.is === 'setting' && isRequired) needs.push(name)
    if (source.is === 'value' && draft.lists.some(({ field: of, values }) => of === source.field && values === undefined)) needs.push(name)
  }
  return { needs: [...new Set(needs)], fixed }
}

type Take = Record<string, string>

/** Says for which values of a list the list of a stream is called. */
function writeValues(draft: Draft, writer: CallWriter): Pick<FileSync, 'values'> {
  const list = draft.lists.find(({ values }) => values !== undefined)
  const names = writer.sources.flatMap(({ name, source }) => (source.is === 'value' && source.field === list?.field ? [name] : []))
  const [name, other] = new Set(names)
  if (other !== undefined) draft.notes.stop('a list of values for two parameters')
  return list?.values === undefined || name === undefined ? {} : { values: { [name]: list.values } }
}

function writeParents(draft: Draft, writer: CallWriter): Pick<FileSync, 'each' | 'values'> {
  const { partition, notes } = draft
  const values = writeValues(draft, writer)
  if (partition === undefined) return values
  const own = writer.sources.filter(({ source }) => source.is === 'parent' || source.is === 'grandparent')
  if (own.length === 0) {
    notes.doubt('sync', 'guessed')
    return values
  }
  const path = (source: Source, parentPath: string): string =>
    source.is === 'grandparent' ? source.field : source.is === 'parent' ? (source.path ?? parentPath) : ''
  const each = partition.parents.map(({ draft: parent, path: parentPath }) => {
    const take: Take = Object.fromEntries(own.map(({ name, source }) => [name, path(source, parentPath)]))
    return [parent.entity, take] as const
  })
  return { ...values, each: Object.fromEntries(each) }
}

/** Returns the sync of an entity; undefined for one that cannot be copied. */
function writeSync(draft: Draft, writer: CallWriter, key: readonly string[]): FileEntity['sync'] {
  const { notes } = draft
  const since = writeSince(draft, writer)
  const parents = writeParents(draft, writer)
  const { needs, fixed } = listNeeds(draft, writer)
  if (key.length === 0) return undefined
  if (needs.length > 0) {
    notes.doubt('sync', 'not said')
    return undefined
  }
  const sync: FileSync = { ...(Object.keys(fixed).length === 0 ? {} : { params: fixed }), ...parents, ...since }
  return Object.keys(sync).length === 0 ? 'full' : sync
}

/** Finds the key: of the stream, or the field by which others are called, which nobody says is one. */
function findKey(draft: Draft, given: ReadonlySet<string>): readonly string[] {
  const { key, notes, shaped } = draft
  const isComputed = key?.some((name) => shaped.computed.has(name)) === true
  if (key !== undefined && !isComputed) return key
  const [taken] = given
  if (isComputed) notes.doubt('key', 'not said')
  if (taken === undefined || !isName(taken)) return []
  notes.doubt('key', 'guessed')
  return [taken]
}

/** Returns whether a field can be a number, as far as its type is said. */
function isNumber(fields: FileFields, path: string): boolean {
  const field = path.split('.').reduce<unknown>((inner, step) => (isObject(inner) ? inner[step] : undefined), fields)
  const type = typeof field === 'string' ? field : isObject(field) ? 'object' : 'any'
  return /^(integer|number|any)\b(?!\[)/.test(type)
}

/** Makes the fields of the record, with those that the key, the time and the streams below need. */
function writeFields(draft: Draft, key: readonly string[], { depth, given, passed }: EntityScope): FileFields {
  const { schema, shaped, incremental, rows } = draft
  const all = readFields(schema, depth)
  const kept = Object.fromEntries(Object.entries(all).filter(([name]) => !shaped.computed.has(name) || key.includes(name)))
  const { where = {} } = rows
  const compared = Object.keys(where).filter((path) => isObject(where[path]) && ('above' in where[path] || 'below' in where[path]))
  for (const path of compared) if (!isNumber(all, path)) draft.notes.stop('a field that is compared with a number and is none', path)
  const needed = [
    ...key,
    ...[...given, ...passed, ...Object.keys(where)].map(firstStep),
    ...shaped.added.keys(),
    ...(rows.isKeyed ? ['key'] : []),
  ]
  const fields = withFields(withFields(kept, compared.filter(isStep), 'number'), needed)
  const timed =
    incremental === undefined || shaped.computed.has(incremental.field) ? fields : withTime(fields, incremental.field, incremental.type)
  return Object.keys(timed).length === 0 ? { id: 'string Id' } : timed
}

/** Says where fields come from that the platform adds. */
function writeFrom(draft: Draft, writer: CallWriter, passed: ReadonlySet<string>): FileEntity['from'] {
  const { shaped, notes } = draft
  const from: Record<string, string | { param: string }> = {}
  for (const [name, added] of shaped.added) {
    if ('path' in added) {
      from[name] = added.path
      continue
    }
    const source = writer.look(added.slot)
    const param = source === undefined ? undefined : writer.sources.find((each) => JSON.stringify(each.source) === JSON.stringify(source))
    if (param !== undefined) from[name] = { param: param.name }
    else notes.leave('derived', name)
  }
  for (const name of passed) {
    const source = writer.look({ is: 'slot', root: 'stream_partition', path: [name] })
    const param =
      writer.sources.find((each) => each.name === name) ??
      writer.sources.find((each) => source !== undefined && JSON.stringify(each.source) === JSON.stringify(source))
    if (param !== undefined && from[name] === undefined) from[name] = { param: param.name }
  }
  return Object.keys(from).length === 0 ? undefined : from
}

function writeList(draft: Draft, writer: CallWriter & { readonly path: string }, { way }: EntityScope): string | FileOperation {
  const { request, rows, shaped } = draft
  const call = `${request?.method ?? 'GET'} ${writer.path}`
  const merge = [...rows.merge, ...shaped.merge]
  return {
    call,
    ...writer.write(),
    ...(request?.method === 'GET' && request.hasBody ? { as: request.as } : {}),
    ...(request?.method === 'POST' && request.as === 'form' ? { as: 'form' as const } : {}),
    ...(rows.at === '' ? {} : { at: rows.at }),
    ...(rows.isKeyed ? { keyed: 'key' } : {}),
    ...(rows.where === undefined ? {} : { where: rows.where }),
    pages: way ?? 'none',
    ...(merge.length === 0 ? {} : { merge }),
  }
}

/** Writes the entity of a stream. */
export function writeEntity(draft: Draft, scope: EntityScope): FileEntity {
  const writer = writeCall(draft, scope)
  const key = findKey(draft, scope.given)
  const fields = writeFields(draft, key, scope)
  const from = writeFrom(draft, writer, scope.passed)
  const sync = writeSync(draft, writer, key)
  const named = key.length === 1 && key[0] === 'id' ? {} : { key: key.length === 0 ? 'none' : key.length === 1 ? (key[0] ?? 'id') : key }
  return {
    about: writeSentence(undefined, draft.name),
    fields,
    ...named,
    list: writeList(draft, writer, scope),
    ...(from === undefined ? {} : { from }),
    ...(sync === undefined ? {} : { sync }),
  }
}
