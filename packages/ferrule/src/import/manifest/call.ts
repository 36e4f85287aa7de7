/** Writes the list of a stream: its parameters, and where a sync takes their values from. */
import type { FileOperation, FileText, Scalar } from '../../kind-file/file.ts'
import { toSlotName } from '../words.ts'
import type { Draft, Folded } from './draft.ts'
import { type Incremental, readTimeForm } from './incremental.ts'
import { isName } from './names.ts'
import type { Entry } from './request.ts'
import type { Setting, Settings } from './settings.ts'
import { listSlots, type Slot, type Template, writeTemplate } from './template.ts'

/** Where the value of a parameter comes from. */
export type Source =
  | { readonly is: 'setting'; readonly setting: Setting }
  | { readonly is: 'parent'; readonly path: string | undefined }
  /** A value of a list, or one that an account chooses of it. */
  | { readonly is: 'value'; readonly field: string }
  /** A value that the parent was called with. */
  | { readonly is: 'grandparent'; readonly field: string }
  | { readonly is: 'start' | 'end'; readonly form?: string }

interface Param {
  readonly name: string
  readonly source: Source
}

const timeTypes = { iso: 'date-time', seconds: 'unix-time', milliseconds: 'unix-time-ms', date: 'date', none: 'string' } as const

/** Finds where the value of a further stream comes from. */
export const findFolded = ({ passed, parent }: Folded): Source =>
  passed === undefined ? { is: 'parent', path: parent.path } : { is: 'grandparent', field: passed }

/** Returns whether callers have this name for the position or the size of a page. */
const isWordOfPages = (name: string): boolean => /^(cursor|limit)$/.test(name)

/** Writes one list. */
export class CallWriter {
  readonly params: Record<string, unknown> = {}
  readonly body: Record<string, unknown> = {}
  readonly always: Record<string, Scalar | readonly unknown[]> = {}
  readonly defaults: Record<string, Scalar> = {}
  readonly text: Record<string, FileText> = {}
  readonly headers: Record<string, string> = {}
  /** Parameters whose values the sync takes from somewhere, in the order of the request. */
  readonly sources: Param[] = []
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
  find(slot: Slot): Source | undefined {
    return (
      this.look(slot) ??
      this.#draft.notes.stop('an expression for a value that the call does not have', `${slot.root}.${slot.path.join('.')}`)
    )
  }

  /** Finds where the value of a slot comes from; undefined for nowhere. */
  look(slot: Slot): Source | undefined {
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

  #nameOf(slot: Slot, source: Source): string {
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
  findForm(source: Source): Incremental['as'] {
    const own = source.is === 'start' || source.is === 'end' ? source.form : undefined
    return own === undefined ? this.#draft.incremental?.as : readTimeForm(own)
  }

  /** Finds the type of a time. */
  typeTime(source: Source): string {
    return timeTypes[this.findForm(source) ?? 'none']
  }

  /** Writes a parameter. The configuration fills one that takes a value of the account. */
  #writeField(
    name: string,
    source: Source,
    { to, isRequired }: { readonly to?: string | undefined; readonly isRequired: boolean },
  ): unknown {
    const mark = isRequired ? '!' : ''
    const isTime = source.is === 'start' || source.is === 'end'
    const setting = source.is === 'setting' ? source.setting : undefined
    const type = isTime ? this.typeTime(source) : setting?.isList ? 'string[]' : setting?.isNumber ? 'number' : 'string'
    const about = setting?.about ?? (isTime ? timeAbout[source.is] : sayParent(name))
    const from = setting === undefined || setting.isSecret || setting.isList ? undefined : this.#configure(setting)
    if (to === undefined && from === undefined) return `${type}${mark} ${about}`
    return {
      $type: `${type}${mark}`,
      $about: about,
      ...(to === undefined ? {} : { $to: to }),
      ...(from === undefined ? {} : { $from: from }),
    }
  }

  #declare(entry: string, place: 'params' | 'body', source: Source): void {
    // A name of the path is another value.
    const isTaken = isWordOfPages(entry) || Object.hasOwn(this.params, entry) || Object.hasOwn(this.body, entry)
    const name = isTaken ? `${toSlotName(entry)}_value` : isName(entry) && !/[.]/.test(entry) ? entry : toSlotName(entry)
    const setting = source.is === 'setting' ? source.setting : undefined
    const isRequired = /^(parent|grandparent|value)$/.test(source.is) || (setting?.isRequired === true && setting.otherwise === undefined)
    this[place][name] = this.#writeField(name, source, { to: name === entry ? undefined : entry, isRequired })
    this.sources.push({ name, source })
    if (setting?.isList !== true && setting?.isSecret !== true) return
    if (setting.otherwise !== undefined) this.defaults[name] = setting.otherwise
  }

  /** Writes one value of the query, or of the body. */
  add({ name, value }: Entry, place: 'params' | 'body'): void {
    if (typeof value === 'object') this.#addTemplate(name, value, place)
    else if (isWordOfPages(name) && place === 'params') {
      this.params[`${name}_value`] = { $type: typeof value, $about: sayParent(name), $to: name }
      this.defaults[`${name}_value`] = value
    } else if (place === 'body' || this.#draft.request?.hasBody !== true) this.always[name] = value
    else {
      this.params[name] = `${typeof value} ${sayParent(name)}`
      this.defaults[name] = value
    }
  }

  #addTemplate(name: string, template: Template, place: 'params' | 'body'): void {
    const [part] = template
    const slots = listSlots(template)
    const found = slots.map((slot) => this.find(slot))
    const [source] = found
    if (source === undefined || found.some((each) => each === undefined)) return
    if (template.length === 1 && part?.is === 'slot') {
      this.#declare(name, place, source)
      return
    }
    if (template.some((each) => each.is === 'slot' && each.isList)) {
      this.#draft.notes.stop('a list within a text', name)
      return
    }
    if (slots.length === 1 && source.is === 'start') {
      this.#declare(name, place, source)
      this.around.set(
        name,
        writeTemplate(template, () => '{time}'),
      )
      return
    }
    const written = writeTemplate(template, (slot) => {
      const from = this.find(slot)
      const param = from === undefined ? 'value' : this.#nameOf(slot, from)
      if (from !== undefined && !Object.hasOwn(this.params, param) && !Object.hasOwn(this.body, param)) this.#declare(param, place, from)
      return `{${param}|bare}`
    })
    this.text[name] = { parts: [written], quote: '"' }
  }

  /** Writes the parameter that an option names. */
  addOption({ name, place }: { readonly name: string; readonly place: 'query' | 'body' | 'header' }, source: Source): void {
    if (place === 'header') this.headers[name.toLowerCase()] = this.#declareInHeader(toSlotName(name.toLowerCase()), source)
    else this.#declare(name, place === 'body' ? 'body' : 'params', source)
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

  #declareInHeader(name: string, source: Source): string {
    const param = Object.hasOwn(this.params, name) || Object.hasOwn(this.body, name) ? `${name}_header` : name
    const setting = source.is === 'setting' ? source.setting : undefined
    const isRequired = setting === undefined || (setting.isRequired && setting.otherwise === undefined)
    this.params[param] = this.#writeField(param, source, { isRequired })
    this.sources.push({ name: param, source })
    return `{${param}}`
  }

  /** Writes what the list has of all that. */
  write(): Partial<FileOperation> {
    const { params, body, always, defaults, text, headers } = this
    const given = { params, body, always, defaults, text, headers }
    return Object.fromEntries(Object.entries(given).filter(([, each]) => Object.keys(each).length > 0))
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
