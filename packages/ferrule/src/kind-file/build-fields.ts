/** Makes the fields of the long form from those of a file. */
import type { Field, Fields, Finding } from '../definition/fields.ts'
import * as make from '../definition/fields.ts'
import { isObject } from '../definition/object.ts'
import { checkValue } from './build-scope.ts'
import { type Findings, most, type Steps } from './check-tree.ts'
import { isShortField, parseShortField, type ShortField } from './field-text.ts'
import { sayUnknown } from './mistakes.ts'
import type { FieldUse } from './shape.ts'
import type { FieldType } from './vocabulary.ts'

/** What fields are made with. */
export interface FieldScope {
  readonly use: FieldUse
  readonly found: Findings
  /** Groups of fields by name, as the file has them. */
  readonly types: Readonly<Record<string, unknown>>
  /** Top-level names that are required whatever their text says. */
  readonly required?: ReadonlySet<string>
  /** Where people find values whose fields do not say it themselves. */
  readonly finding?: Finding
}

/** Fields, and the names that requests carry instead of theirs. */
export interface BuiltFields {
  readonly fields: Fields
  /** Path of a parameter → name or path in the request. */
  readonly renamed: Readonly<Record<string, string>>
}

/** Slot classes for hosts: patterns, anchored and without dots that lead to another host; what they say; an example. */
export const hostSlots = {
  label: ['^[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?$', 'must be a part of a host: letters, digits and dashes, such as acme', 'acme'],
  labels: [
    '^[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?([.][A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?){0,3}$',
    'must be parts of a host with dots between them, such as acme or acme.eu',
    'acme',
  ],
  uuid: ['^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$', 'must be a UUID', '00000000-0000-4000-8000-000000000000'],
  digits: ['^[0-9]{1,20}$', 'must be digits only', '1'],
} as const
const pathSlot = [
  '^[A-Za-z0-9_~-][A-Za-z0-9._~-]*(/[A-Za-z0-9_~-][A-Za-z0-9._~-]*){0,9}$',
  'must be names with slashes between them',
  'acme',
] as const

/** A whole host: names with dots, and no address of numbers. A pasted address becomes its host. */
export const wholeHost = {
  pattern: '^[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?([.][A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?){0,5}[.][A-Za-z]{2,63}$',
  normalise: '^(?:https?:[/][/])?([a-z0-9.-]{1,253})[/]*$',
} as const

const slot = (about: string, [pattern, says, example]: readonly [string, string, string]): Field =>
  make.str(about, { pattern, says, maxLength: 200, examples: [example] })

/** Makes a field of a type; `isGiven`: callers give the value. */
const makers: Readonly<Record<FieldType, (about: string, isGiven: boolean) => Field>> = {
  string: (about) => make.str(about),
  integer: make.id,
  number: make.num,
  boolean: (about) => make.bool(about),
  decimal: make.decimal,
  'date-time': (about, isGiven) => (isGiven ? make.orDate(make.time(about)) : make.time(about)),
  date: (about, isGiven) => (isGiven ? make.date(about) : make.str(about, { format: 'date' })),
  'unix-time': make.unixTime,
  'unix-time-ms': make.unixTimeMs,
  object: make.open,
  any: make.objectOrAny,
  label: (about) => slot(about, hostSlots.label),
  labels: (about) => slot(about, hostSlots.labels),
  uuid: (about) => slot(about, hostSlots.uuid),
  digits: (about) => slot(about, hostSlots.digits),
  host: (about) => ({
    ...slot(about, [wholeHost.pattern, 'must be the name of a host, such as acme.example.com', 'acme.example.com']),
    'x-normalise': [wholeHost.normalise],
  }),
  path: (about) => slot(about, pathSlot),
  secret: make.secret,
}

/** Makes a sentence from a name: `created_at` → `Created at`. */
export const toSentence = (name: string): string => {
  const words = name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
    .toLowerCase()
  return words === '' ? name : `${words[0]?.toUpperCase()}${words.slice(1)}`
}

const numeric: ReadonlySet<FieldType> = new Set(['integer', 'number', 'boolean'])

const placeholder: ShortField = { type: 'string', many: false, mark: '' }
const readShort = (text: string, use: FieldUse): ShortField => {
  const read = parseShortField(text, use)
  return isShortField(read) ? read : placeholder
}

class FieldBuilder {
  readonly #scope: FieldScope
  readonly renamed: Record<string, string> = {}
  #count = 0

  constructor(scope: FieldScope) {
    this.#scope = scope
  }

  get #isGiven(): boolean {
    return this.#scope.use !== 'record'
  }

  /** Builds a map of fields, with those of the groups that it takes in. */
  buildMap(value: unknown, steps: Steps, path: readonly string[] = []): Fields {
    if (!isObject(value)) return {}
    const own = Object.entries(value).filter(([name]) => name !== '+' && !name.startsWith('$'))
    if (this.#isTooMuch(own.length, steps, path)) return {}
    const taken = [value['+'] ?? []].flat().flatMap((name) => this.#takeGroup(String(name), steps, path))
    return Object.fromEntries([
      ...taken,
      ...own.map(([name, each]) => [name, this.#build(name, each, [...steps, name], [...path, name])] as const),
    ])
  }

  /** Counts fields with those of groups, which the check of the text does not see: a group can bring itself, or groups that bring groups. */
  #isTooMuch(count: number, steps: Steps, path: readonly string[]): boolean {
    const { found } = this.#scope
    this.#count += count
    found.fields += count
    const message =
      path.length >= most.depth
        ? `fields are nested more than ${most.depth} levels deep with those of groups`
        : this.#count > most.fields
          ? `has more than ${most.fields} fields with those of groups`
          : found.fields > most.inAll
            ? `the file has more than ${most.inAll} fields with those of groups`
            : undefined
    if (message !== undefined) found.note(steps, { message, example: 'address: object? Address' })
    return message !== undefined
  }

  #takeGroup(name: string, steps: Steps, path: readonly string[]): readonly (readonly [string, Field])[] {
    const { types, found } = this.#scope
    if (!Object.hasOwn(types, name)) {
      found.note([...steps, '+'], {
        ...sayUnknown('a group of types', name, Object.keys(types)),
        example: 'types: { base: { id: string Id } }',
      })
      return []
    }
    const group = types[name]
    if (isObject(group) && group['+'] !== undefined) {
      found.note(['types', name, '+'], { message: 'a group of types cannot take in another one' })
      return []
    }
    return Object.entries(this.buildMap(group, ['types', name], path))
  }

  #build(name: string, value: unknown, steps: Steps, path: readonly string[]): Field {
    if (typeof value === 'string') return this.#fromText(name, value, steps, path)
    if (Array.isArray(value)) {
      const items = this.#build(name, value[0], [...steps, '0'], [...path])
      const { 'x-optional': _mark, ...bare } = items
      return this.#finish(make.list(bare, items.description ?? toSentence(name)), { mark: '', path })
    }
    return isObject(value) ? this.#fromKeys(name, value, steps, path) : this.#finish(make.str(toSentence(name)), { mark: '', path })
  }

  #say(name: string, about: string | undefined, steps: Steps): string {
    if (about !== undefined) return about
    const made = toSentence(name)
    this.#scope.found.doubt(steps, {
      message: `has no sentence, so its name makes one: ${made}`,
      example: `${name}: string ${made} of the record`,
    })
    return made
  }

  #fromText(name: string, text: string, steps: Steps, path: readonly string[]): Field {
    const short = readShort(text, this.#scope.use)
    return this.#finish(this.#ofShort(short, this.#say(name, short.about, steps)), { mark: short.mark, path })
  }

  #ofShort({ type, values, many }: ShortField, about: string): Field {
    const one = values === undefined ? makers[type](about, this.#isGiven) : this.#ofValues(values, about)
    return many ? make.list(one, about) : one
  }

  /** A list of values is closed for callers, and open for vendors, who add some. */
  #ofValues(values: readonly string[], about: string): Field {
    const [first, second, ...rest] = values
    if (this.#isGiven || first === undefined || second === undefined) return make.oneOf(about, ...values)
    return make.known(about, first, second, ...rest)
  }

  /** Builds a field in full: with keys that begin with `$`, or an object with fields. */
  #fromKeys(name: string, value: Readonly<Record<string, unknown>>, steps: Steps, path: readonly string[]): Field {
    const { $type, $about, $fields, $values, $to } = value
    const own = Object.keys(value).some((key) => !key.startsWith('$')) ? this.buildMap(value, steps, path) : {}
    const inner = { ...own, ...($fields === undefined ? {} : this.buildMap($fields, [...steps, '$fields'], path)) }
    const hasFields = Object.keys(inner).length > 0
    const short = readShort(typeof $type === 'string' ? $type : hasFields ? 'object' : 'string', this.#scope.use)
    const stated = typeof $about === 'string' ? $about : short.about
    // An object is known by its name and its fields.
    const about = stated ?? (hasFields ? toSentence(name) : this.#say(name, undefined, steps))
    if (hasFields && short.type !== 'object')
      this.#scope.found.note([...steps, '$type'], {
        message: `has fields, so its type is object and not ${short.type}`,
        example: '$type: object[]',
      })
    const object = hasFields ? make.obj(inner, about) : undefined
    const values = Array.isArray($values) ? $values.map(String) : short.values
    const { many } = short
    const made =
      object === undefined
        ? this.#ofShort(values === undefined ? short : { ...short, values }, about)
        : many
          ? make.list(object, about)
          : object
    if (typeof $to === 'string') this.renamed[path.join('.')] = $to
    const { found } = this.#scope
    const { $default } = value
    if ($values !== undefined && short.type !== 'string')
      found.note([...steps, '$values'], { message: `are texts, and the type is ${short.type}`, example: '$type: string' })
    if ($default !== undefined && values === undefined && typeof $default === 'string' && numeric.has(short.type))
      found.note([...steps, '$default'], { message: `${$default} is a text, and the type is ${short.type}`, example: '$default: 3' })
    else if ($default !== undefined) checkValue({ found }, [...steps, '$default'], $default, made)
    const marks = { ...readMarks(value), ...this.#readFill(value['$from'], short.mark, { steps, path }) }
    return this.#finish({ ...made, ...marks }, { mark: short.mark, path, find: this.#readFinding(value['$find']) })
  }

  /** A parameter that the configuration fills: callers can leave it out, whatever the vendor says. */
  #readFill(from: unknown, mark: ShortField['mark'], { steps, path }: { readonly steps: Steps; readonly path: readonly string[] }) {
    if (typeof from !== 'string') return {}
    const { use, required, found } = this.#scope
    if (use !== 'parameter' || path.length !== 1)
      found.note([...steps, '$from'], { message: 'is for parameters of calls, and not for values within them' }, 'key')
    return { 'x-fill': { known: from, as: mark === '!' || required?.has(path[0] ?? '') ? 'one' : 'if_known' } } as const
  }

  #readFinding(value: unknown): Finding | undefined {
    return value === undefined ? undefined : readFinding(value, 'The vendor')
  }

  /** Marks a field as optional, null or found somewhere, as its use wants it. */
  #finish(field: Field, { mark, path, find }: { mark: ShortField['mark']; path: readonly string[]; find?: Finding | undefined }): Field {
    const { use, required, finding } = this.#scope
    if (use === 'record') return mark === '?' ? (field.type === undefined ? field : make.orNull(field)) : field
    const isTop = path.length === 1
    if (field['x-fill'] !== undefined) return make.opt(field)
    if (use === 'parameter') return mark === '!' || (isTop && required?.has(path[0] ?? '')) ? field : make.opt(field)
    const where = find ?? finding
    const found = where === undefined || !isTop ? field : make.find(where, field)
    const isOptional = (mark === '?' || field.default !== undefined) && !(isTop && required?.has(path[0] ?? ''))
    return isOptional ? make.opt(found) : found
  }
}

const readMarks = (value: Readonly<Record<string, unknown>>): Partial<Field> => {
  const { $default, $min, $max, $example, $chooses, $deprecated } = value
  const isScalar = typeof $default === 'string' || typeof $default === 'number' || typeof $default === 'boolean'
  return {
    ...(isScalar ? { default: $default } : {}),
    ...(typeof $min === 'number' ? { minimum: $min } : {}),
    ...(typeof $max === 'number' ? { maximum: $max } : {}),
    ...($example === undefined ? {} : { examples: [$example] }),
    ...($chooses === true ? { 'x-chooses': true } : {}),
    ...($deprecated === true ? { deprecated: true } : {}),
  }
}

/** Makes the sentence of a text where a value is found: a sentence stays, the way through menus gets one. */
export function readFinding(value: unknown, vendor: string): Finding {
  if (isObject(value)) {
    const { says, menu, url, role } = value
    return {
      says: String(says),
      ...(typeof menu === 'string' ? { menu } : {}),
      ...(typeof url === 'string' ? { url } : {}),
      ...(typeof role === 'string' ? { role } : {}),
    }
  }
  const text = String(value)
  if (/^[A-Z].*\.$/.test(text) && !text.includes(' > ')) return { says: text }
  return { says: `${vendor} shows it at ${text}.`, menu: text }
}

/** Builds the fields of a map of the file. */
export function buildFields(value: unknown, steps: Steps, scope: FieldScope): BuiltFields {
  const builder = new FieldBuilder(scope)
  const fields = builder.buildMap(value, steps)
  return { fields, renamed: builder.renamed }
}
