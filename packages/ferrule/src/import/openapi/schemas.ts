/** What schemas say: types, properties and lists, with all parts merged; and the fields of kind files that follow. */
import { isObject, refusedNames } from '../../definition/object.ts'
import type { FileFields } from '../../kind-file/file.ts'
import { writeSentence } from '../sentences.ts'
import { asList, asObject, asText, type Json, type OpenapiDocument } from './document.ts'

/** A schema with its parts merged. */
export interface Shape {
  readonly types: ReadonlySet<string>
  readonly properties: ReadonlyMap<string, unknown>
  readonly required: ReadonlySet<string>
  /** Elements of a list; undefined for anything else. */
  readonly items: unknown
  readonly isNullable: boolean
  readonly format: string
  readonly about: string
  /** All values; undefined if there are others. */
  readonly values: readonly unknown[] | undefined
  readonly raw: Json
}

/** Deepest nesting of parts of one schema. */
const deepest = 6

interface Parts {
  types: Set<string>
  properties: Map<string, unknown>
  required: Set<string>
  items: unknown
  isNullable: boolean
  format: string
  about: string
  values: readonly unknown[] | undefined
}

/** Reads schemas of one document. */
export class Schemas {
  readonly #document: OpenapiDocument
  readonly #known = new WeakMap<object, Shape>()

  constructor(document: OpenapiDocument) {
    this.#document = document
  }

  read(schema: unknown): Shape {
    const raw = this.#document.resolveObject(schema)
    const known = this.#known.get(raw)
    if (known !== undefined) return known
    const parts: Parts = {
      ...{ types: new Set(), properties: new Map(), required: new Set(), items: undefined },
      ...{ isNullable: false, format: '', about: '', values: undefined },
    }
    this.#merge(raw, parts, 0)
    const shape = { ...parts, raw }
    this.#known.set(raw, shape)
    return shape
  }

  #merge(schema: unknown, into: Parts, depth: number): void {
    if (depth > deepest) return
    const raw = this.#document.resolveObject(schema)
    for (const type of [raw['type'] ?? []].flat().map(asText)) {
      if (type === 'null') into.isNullable = true
      else into.types.add(type)
    }
    if (raw['nullable'] === true) into.isNullable = true
    for (const [name, inner] of Object.entries(asObject(raw['properties']))) if (!refusedNames.has(name)) into.properties.set(name, inner)
    for (const name of asList(raw['required'])) into.required.add(asText(name))
    if (raw['items'] !== undefined) into.items ??= raw['items']
    into.format ||= asText(raw['format'])
    into.about ||= asText(raw['description']) || asText(raw['title'])
    into.values ??= readValues(raw)
    for (const part of asList(raw['allOf'])) this.#merge(part, into, depth + 1)
    this.#mergeChoices([...asList(raw['anyOf']), ...asList(raw['oneOf'])], into, depth + 1)
    if (into.properties.size > 0) into.types.add('object')
    if (into.items !== undefined) into.types.add('array')
  }

  /** Merges what one of several schemas says. What only some of them require is not required. */
  #mergeChoices(choices: readonly unknown[], into: Parts, depth: number): void {
    if (choices.length === 0) return
    const real = choices.filter((each) => !this.#isNull(each))
    if (real.length < choices.length) into.isNullable = true
    const [only] = real
    if (real.length === 1) {
      this.#merge(only, into, depth)
      return
    }
    const required = new Set(into.required)
    let values: unknown[] | undefined = []
    for (const each of real) {
      const part: Parts = { ...into, required: new Set(), values: undefined, types: into.types, properties: into.properties }
      this.#merge(each, part, depth)
      values = part.values === undefined ? undefined : values?.concat(part.values)
      into.items ??= part.items
      into.format ||= part.format
      into.isNullable ||= part.isNullable
      into.about ||= part.about
    }
    into.values ??= values?.length === 0 ? undefined : values
    into.required = required
  }

  #isNull(schema: unknown): boolean {
    const { type, enum: values, const: value } = this.#document.resolveObject(schema)
    return type === 'null' || value === null || (Array.isArray(values) && values.length === 1 && (values[0] === null || values[0] === ''))
  }

  isRecordList(schema: unknown): boolean {
    const { items, types } = this.read(schema)
    if (items === undefined || types.has('string')) return false
    const element = this.read(items)
    return element.properties.size > 0 || (element.types.has('object') && isObject(element.raw))
  }
}

const readValues = ({ enum: values, const: value }: Json): readonly unknown[] | undefined => {
  if (Array.isArray(values)) return values.filter((each) => each !== null)
  return value === undefined ? undefined : [value]
}

/** Returns whether a schema is an object and nothing else. */
export const isObjectShape = ({ types, items }: Shape): boolean => items === undefined && types.has('object') && types.size === 1

interface FieldTarget {
  readonly use: 'record' | 'parameter'
  /** Deepest objects whose fields are written; those below are objects without fields. */
  readonly depth: number
}

/** Most fields of one record, and of an object in it. */
const most = { fields: 150, inner: 40 } as const
/** Longest list of values that stands in the short form. */
const longestValues = 60
const namePattern = /^[^\s{}"\\$+][^\s{}"\\]*$/

/** Returns whether a kind file can name a field so. */
export const isFieldName = (name: string): boolean => name.length <= 64 && namePattern.test(name)

function readType({ types, format, about, values }: Shape): string {
  const has = (type: string): boolean => types.has(type)
  if (types.size > 1 && !(types.size === 2 && has('integer') && has('number'))) return 'any'
  if (has('integer')) {
    const isTime = format === 'unix-time' || /\b(unix|epoch)\b.*\b(time|(milli)?seconds)|seconds since/i.test(about)
    return isTime ? (/milliseconds|\bms\b/i.test(about) ? 'unix-time-ms' : 'unix-time') : 'integer'
  }
  if (has('number')) return 'number'
  if (has('boolean')) return 'boolean'
  if (has('object')) return 'object'
  if (!has('string')) return values?.every((each) => typeof each === 'string') ? 'string' : 'any'
  if (format === 'date-time' || format === 'date') return format
  return format === 'decimal' ? 'decimal' : 'string'
}

/** Writes known values as `a|b`; undefined if they have no such form. */
function writeValues({ values, types }: Shape): string | undefined {
  if (values === undefined || values.length < 2 || types.has('integer') || types.has('boolean')) return undefined
  const texts = [...new Set(values.map(String))]
  const text = texts.join('|')
  return texts.length > 1 && text.length <= longestValues && texts.every((each) => /^[\w.:/-]+$/.test(each)) ? text : undefined
}

/** Writes fields. */
export class FieldWriter {
  readonly #schemas: Schemas

  constructor(schemas: Schemas) {
    this.#schemas = schemas
  }

  /** Writes the fields of an object. @param skip names that are left out */
  writeFields({ properties, required }: Shape, target: FieldTarget, skip: ReadonlySet<string> = new Set()): FileFields {
    const named = [...properties].filter(([name]) => isFieldName(name) && !skip.has(name))
    return Object.fromEntries(
      named
        .slice(0, most.fields)
        .map(([name, schema]) => [name, this.writeField(name, schema, { ...target, isRequired: required.has(name) })]),
    )
  }

  /** Writes one field: a type, its mark and a sentence; or an object with fields. */
  writeField(name: string, schema: unknown, { use, depth, isRequired }: FieldTarget & { readonly isRequired: boolean }): unknown {
    const shape = this.#schemas.read(schema)
    const isMissing = use === 'record' && (!isRequired || shape.isNullable)
    const mark = use === 'parameter' ? (isRequired ? '!' : '') : isMissing && !/^_?id$/.test(name) ? '?' : ''
    const about = writeSentence(shape.about, name)
    if (shape.items !== undefined && !shape.types.has('object') && !shape.types.has('string'))
      return this.#writeList(shape, { mark, about, use, depth })
    // JSON:API has the fields of a record one level deeper.
    const inner = this.#writeInner(shape, { use, depth: /^attributes$/.test(name) ? Math.max(depth, 1) : depth })
    if (inner !== undefined) return { $type: `object${mark}`, $about: about, $fields: inner }
    const type = writeValues(shape) ?? readType(shape)
    return `${type === 'any' && use === 'parameter' ? this.#chooseType(shape) : type}${type === 'any' ? mark.replace('?', '') : mark} ${about}`
  }

  /** Parameters have one type: that which callers can always give. */
  #chooseType({ types }: Shape): string {
    return types.has('object') && !types.has('string') ? 'object' : 'string'
  }

  #writeList(shape: Shape, { mark, about, use, depth }: FieldTarget & { readonly mark: string; readonly about: string }): unknown {
    const element = this.#schemas.read(shape.items)
    const inner = this.#writeInner(element, { use, depth })
    if (inner !== undefined) return { $type: `object[]${mark}`, $about: about, $fields: inner }
    if (element.items !== undefined) return `any[]${mark} ${about}`.replace(/^any/, use === 'parameter' ? 'object' : 'any')
    const type = writeValues(element) ?? readType(element)
    return `${type === 'any' && use === 'parameter' ? this.#chooseType(element) : type}[]${mark} ${about}`
  }

  #writeInner(shape: Shape, { use, depth }: FieldTarget): FileFields | undefined {
    if (depth <= 0 || shape.properties.size === 0 || shape.types.size > 1) return undefined
    const fields = Object.entries(this.writeFields(shape, { use, depth: depth - 1 })).slice(0, most.inner)
    return fields.length === 0 ? undefined : Object.fromEntries(fields)
  }
}
