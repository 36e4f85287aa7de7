/** Writes the entity of a stream. */

import { readFirstStep } from '../../definition/fields.ts'
import { dropAbsent, isObject } from '../../definition/object.ts'
import type { FileEntity, FileOperation, FileSince, FileSync, FileText, Scalar } from '../../kind-file/file.ts'
import { dropEmpty } from '../imported.ts'
import { toSlotName, writeSentence } from '../sentences.ts'
import type { Draft, Folded } from './draft.ts'
import { type Incremental, readTimeForm } from './incremental.ts'
import { isName, isStep } from './names.ts'
import type { RequestOption } from './paging.ts'
import { type FileFields, readFields, withTime } from './record-schema.ts'
import { withFields } from './records.ts'
import type { Entry } from './request.ts'
import type { Setting, Settings } from './settings.ts'
import { listSlots, type Slot, type Template, writeTemplate } from './template.ts'

/** What entities are written with. */
export interface EntityScope {
  readonly settings: Settings
  /** Takes a value of the account into the configuration, and returns its name there. */
  readonly configure: (setting: Setting) => string
  /** Levels of fields within fields. */
  readonly depth: number
  /** The call's path without the kind's prefix. */
  readonly path: Template
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
  for (const entry of way?.fixed ?? []) writer.add(entry, way?.options.some((option) => option.in === 'body') ? 'body' : 'params')
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
  const since = dropAbsent(given)
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
  const path = (source: ParamSource, parentPath: string): string =>
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
    ...[...given, ...passed, ...Object.keys(where)].map(readFirstStep),
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
  const isSaid = request !== undefined && (request.method === 'GET' ? request.hasBody : request.as === 'form')
  return {
    call,
    ...writer.write(),
    ...dropEmpty({ as: isSaid ? request.as : undefined, at: rows.at, keyed: rows.isKeyed ? 'key' : undefined, where: rows.where }),
    pages: way ?? 'none',
    ...dropEmpty({ merge }),
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
    ...dropAbsent({ from, sync }),
  }
}

type ParamSource =
  | { readonly is: 'setting'; readonly setting: Setting }
  | { readonly is: 'parent'; readonly path: string | undefined }
  /** A value of a list, or one that an account chooses of it. */
  | { readonly is: 'value'; readonly field: string }
  /** A value that the parent was called with. */
  | { readonly is: 'grandparent'; readonly field: string }
  | { readonly is: 'start' | 'end'; readonly form?: string }

const timeTypes = { iso: 'date-time', seconds: 'unix-time', milliseconds: 'unix-time-ms', date: 'date', none: 'string' } as const

/** Finds where the value of a further stream comes from. */
const findFolded = ({ passed, parent }: Folded): ParamSource =>
  passed === undefined ? { is: 'parent', path: parent.path } : { is: 'grandparent', field: passed }

const isWordOfPages = (name: string): boolean => /^(cursor|limit)$/.test(name)

class CallWriter {
  readonly params: Record<string, unknown> = {}
  readonly body: Record<string, unknown> = {}
  readonly always: Record<string, Scalar | readonly unknown[]> = {}
  readonly defaults: Record<string, Scalar> = {}
  readonly text: Record<string, FileText> = {}
  readonly headers: Record<string, string> = {}
  /** Parameters whose values the sync takes from somewhere, in the order of the request. */
  readonly sources: { readonly name: string; readonly source: ParamSource }[] = []
  /** Text around the time of a change, by parameter. */
  readonly around = new Map<string, string>()
  readonly #draft: Draft
  readonly #settings: Settings
  readonly #configure: (setting: Setting) => string

  /** @param configure takes a value of the account into the configuration, and returns its name there */
  constructor(draft: Draft, settings: Settings, configure: (setting: Setting) => string) {
    this.#draft = draft
    this.#settings = settings
    this.#configure = configure
  }

  /** Finds where the value of a slot comes from. A slot that nothing fills stops the stream. */
  find(slot: Slot): ParamSource | undefined {
    return (
      this.look(slot) ??
      this.#draft.notes.stop('an expression for a value that the call does not have', `${slot.root}.${slot.path.join('.')}`)
    )
  }

  /** Finds where the value of a slot comes from; undefined for nowhere. */
  look(slot: Slot): ParamSource | undefined {
    const { partition, incremental } = this.#draft
    const [first = '', second = '', ...rest] = slot.path.map(String)
    const form = slot.form === undefined ? {} : { form: slot.form }
    if (slot.root === 'config') return { is: 'setting', setting: this.#settings.find(slot) }
    if (/^stream_(partition|slice|interval)$/.test(slot.root)) {
      const name = first === 'cursor_slice' ? second : first
      if (first === 'parent_slice') return { is: 'grandparent', field: [second, ...rest].at(-1) ?? '' }
      if (first === 'extra_fields') {
        const key = [second, ...rest].join('.')
        return { is: 'parent', path: partition?.parents[0]?.extra[key] ?? key }
      }
      // A part of a parent's value is logic.
      if (slot.form !== undefined && (partition?.field === first || partition?.folded?.some(({ field }) => field === first)))
        return undefined
      if (partition?.field === first) return { is: 'parent', path: undefined }
      const folded = partition?.folded?.find(({ field }) => field === first)
      if (folded !== undefined) return findFolded(folded)
      if (this.#draft.lists.some(({ field }) => field === first)) return { is: 'value', field: first }
      if (incremental?.names.start.includes(name)) return { is: 'start', ...form }
      if (incremental?.names.end.includes(name)) return { is: 'end', ...form }
    }
    if (slot.root === 'now') return { is: 'end', ...form }
    return undefined
  }

  #nameOf(slot: Slot, source: ParamSource): string {
    if (source.is === 'setting') return source.setting.name
    return source.is === 'start' || source.is === 'end' ? `${source.is}_time` : toSlotName(slot.path.map(String).at(-1) ?? '')
  }

  /** Notes a parameter that the path has a slot for. @returns its name */
  addSlot(slot: Slot): string {
    const source = this.find(slot)
    if (source === undefined) return 'value'
    const name = this.#nameOf(slot, source)
    this.sources.push({ name, source })
    if (source.is === 'setting') this.params[name] = this.#writeField(name, source, { isRequired: true })
    if (source.is === 'start' || source.is === 'end') this.params[name] = `${this.typeTime(source)}! ${timeAbout[source.is]}`
    return name
  }

  /** Finds how a time is written: in the form of its expression, else in that of the cursor. */
  findForm(source: ParamSource): Incremental['as'] {
    const own = source.is === 'start' || source.is === 'end' ? source.form : undefined
    return own === undefined ? this.#draft.incremental?.as : readTimeForm(own)
  }

  typeTime(source: ParamSource): string {
    return timeTypes[this.findForm(source) ?? 'none']
  }

  /** Writes a parameter. The configuration fills one that takes a value of the account. */
  #writeField(
    name: string,
    source: ParamSource,
    { to, isRequired }: { readonly to?: string | undefined; readonly isRequired: boolean },
  ): unknown {
    const mark = isRequired ? '!' : ''
    const isTime = source.is === 'start' || source.is === 'end'
    const setting = source.is === 'setting' ? source.setting : undefined
    const type = isTime ? this.typeTime(source) : setting?.isList ? 'string[]' : setting?.isNumber ? 'number' : 'string'
    const about = setting?.about ?? (isTime ? timeAbout[source.is] : sayParent(name))
    const from = setting === undefined || setting.isSecret || setting.isList ? undefined : this.#configure(setting)
    if (to === undefined && from === undefined) return `${type}${mark} ${about}`
    return dropAbsent({ $type: `${type}${mark}`, $about: about, $to: to, $from: from })
  }

  #declare(entry: string, into: 'params' | 'body', source: ParamSource): void {
    // A name of the path is another value.
    const isTaken = isWordOfPages(entry) || Object.hasOwn(this.params, entry) || Object.hasOwn(this.body, entry)
    const name = isTaken ? `${toSlotName(entry)}_value` : isName(entry) && !/[.]/.test(entry) ? entry : toSlotName(entry)
    const setting = source.is === 'setting' ? source.setting : undefined
    const isRequired = /^(parent|grandparent|value)$/.test(source.is) || (setting?.isRequired === true && setting.otherwise === undefined)
    this[into][name] = this.#writeField(name, source, { to: name === entry ? undefined : entry, isRequired })
    this.sources.push({ name, source })
    if (setting?.isList !== true && setting?.isSecret !== true) return
    if (setting.otherwise !== undefined) this.defaults[name] = setting.otherwise
  }

  /** Writes one value of the query, or of the body. */
  add({ name, value }: Entry, into: 'params' | 'body'): void {
    if (typeof value === 'object') this.#addTemplate(name, value, into)
    else if (isWordOfPages(name) && into === 'params') {
      this.params[`${name}_value`] = { $type: typeof value, $about: sayParent(name), $to: name }
      this.defaults[`${name}_value`] = value
    } else if (into === 'body' || this.#draft.request?.hasBody !== true) this.always[name] = value
    else {
      this.params[name] = `${typeof value} ${sayParent(name)}`
      this.defaults[name] = value
    }
  }

  #addTemplate(name: string, template: Template, into: 'params' | 'body'): void {
    const [part] = template
    const slots = listSlots(template)
    const found = slots.map((slot) => this.find(slot))
    const [source] = found
    if (source === undefined || found.some((each) => each === undefined)) return
    if (template.length === 1 && part?.is === 'slot') {
      this.#declare(name, into, source)
      return
    }
    if (template.some((each) => each.is === 'slot' && each.isList)) {
      this.#draft.notes.stop('a list within a text', name)
      return
    }
    if (slots.length === 1 && source.is === 'start') {
      this.#declare(name, into, source)
      this.around.set(
        name,
        writeTemplate(template, () => '{time}'),
      )
      return
    }
    const written = writeTemplate(template, (slot) => {
      const from = this.find(slot)
      const param = from === undefined ? 'value' : this.#nameOf(slot, from)
      if (from !== undefined && !Object.hasOwn(this.params, param) && !Object.hasOwn(this.body, param)) this.#declare(param, into, from)
      return `{${param}|bare}`
    })
    this.text[name] = { parts: [written], quote: '"' }
  }

  addOption({ name, in: sentIn }: Pick<RequestOption, 'name' | 'in'>, source: ParamSource): void {
    if (sentIn === 'header') this.headers[name.toLowerCase()] = this.#declareInHeader(toSlotName(name.toLowerCase()), source)
    else this.#declare(name, sentIn === 'body' ? 'body' : 'params', source)
  }

  /** Writes a header. Its values are parameters that stand nowhere else. */
  addHeader({ name, value }: Entry): void {
    this.headers[name] =
      typeof value === 'object'
        ? writeTemplate(value, (slot) => {
            const source = this.find(slot)
            return source === undefined ? '' : this.#declareInHeader(this.#nameOf(slot, source), source)
          })
        : String(value)
  }

  #declareInHeader(name: string, source: ParamSource): string {
    const param = Object.hasOwn(this.params, name) || Object.hasOwn(this.body, name) ? `${name}_header` : name
    const setting = source.is === 'setting' ? source.setting : undefined
    const isRequired = setting === undefined || (setting.isRequired && setting.otherwise === undefined)
    this.params[param] = this.#writeField(param, source, { isRequired })
    this.sources.push({ name: param, source })
    return `{${param}}`
  }

  write(): Partial<FileOperation> {
    const { params, body, always, defaults, text, headers } = this
    return dropEmpty({ params, body, always, defaults, text, headers })
  }
}

const timeAbout = { start: 'Changed since', end: 'Changed before' } as const
const sayParent = (name: string): string => {
  const words = name
    .replace(/[^A-Za-z0-9]+/g, ' ')
    .trim()
    .toLowerCase()
  return words === '' ? 'Value' : `${words[0]?.toUpperCase()}${words.slice(1)}`
}
