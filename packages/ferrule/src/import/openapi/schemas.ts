/** What schemas say: types, properties and lists, with all parts merged. */
import { isObject, refusedNames } from '../../definition/object.ts'
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

  /** Reads a schema. */
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

  /** Returns whether a schema is a list of objects. */
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
