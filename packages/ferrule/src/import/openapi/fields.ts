/** Fields of kind files from schemas, in the short form. */
import type { FileFields } from '../../kind-file/file.ts'
import { writeSentence } from '../words.ts'
import type { Schemas, Shape } from './schemas.ts'

/** Where fields stand. */
export interface FieldTarget {
  readonly place: 'record' | 'parameter'
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

/** Returns the type of a single value. */
function readType({ types, format, about, values }: Shape): string {
  const has = (type: string): boolean => types.has(type)
  if (types.size > 1 && !(types.size === 2 && has('integer') && has('number'))) return 'any'
  if (has('integer'))
    return format === 'unix-time' || /\b(unix|epoch)\b.*\b(time|seconds)|seconds since/i.test(about) ? 'unix-time' : 'integer'
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
  writeField(name: string, schema: unknown, { place, depth, isRequired }: FieldTarget & { readonly isRequired: boolean }): unknown {
    const shape = this.#schemas.read(schema)
    const isMissing = place === 'record' && (!isRequired || shape.isNullable)
    const mark = place === 'parameter' ? (isRequired ? '!' : '') : isMissing && !/^_?id$/.test(name) ? '?' : ''
    const about = writeSentence(shape.about, name)
    if (shape.items !== undefined && !shape.types.has('object') && !shape.types.has('string'))
      return this.#writeList(shape, { mark, about, place, depth })
    // JSON:API has the fields of a record one level deeper.
    const inner = this.#writeInner(shape, { place, depth: /^attributes$/.test(name) ? Math.max(depth, 1) : depth })
    if (inner !== undefined) return { $type: `object${mark}`, $about: about, $fields: inner }
    const type = writeValues(shape) ?? readType(shape)
    return `${type === 'any' && place === 'parameter' ? this.#chooseType(shape) : type}${type === 'any' ? mark.replace('?', '') : mark} ${about}`
  }

  /** Parameters have one type: that which callers can always give. */
  #chooseType({ types }: Shape): string {
    return types.has('object') && !types.has('string') ? 'object' : 'string'
  }

  #writeList(shape: Shape, { mark, about, place, depth }: FieldTarget & { readonly mark: string; readonly about: string }): unknown {
    const element = this.#schemas.read(shape.items)
    const inner = this.#writeInner(element, { place, depth })
    if (inner !== undefined) return { $type: `object[]${mark}`, $about: about, $fields: inner }
    if (element.items !== undefined) return `any[]${mark} ${about}`.replace(/^any/, place === 'parameter' ? 'object' : 'any')
    const type = writeValues(element) ?? readType(element)
    return `${type === 'any' && place === 'parameter' ? this.#chooseType(element) : type}[]${mark} ${about}`
  }

  #writeInner(shape: Shape, { place, depth }: FieldTarget): FileFields | undefined {
    if (depth <= 0 || shape.properties.size === 0 || shape.types.size > 1) return undefined
    const fields = Object.entries(this.writeFields(shape, { place, depth: depth - 1 })).slice(0, most.inner)
    return fields.length === 0 ? undefined : Object.fromEntries(fields)
  }
}
