/** Reads the schema of a GraphQL API, from the answer of an introspection query or from the schema language. */
import { isObject, refusedNames } from '../../definition/object.ts'
import type { FileFields } from '../../kind-file/file.ts'
import type { FieldType } from '../../kind-file/vocabulary.ts'
import { DocumentError } from '../imported.ts'
import { parseDocument } from '../parse.ts'
import { writeSentence } from '../sentences.ts'

/** A type where it is used. */
export interface TypeUse {
  /** As the schema language writes it: `[String!]!`. */
  readonly text: string
  /** Name of the type without marks. */
  readonly name: string
  /** How many lists stand around it. */
  readonly lists: number
  /** Whether it is never null. */
  readonly isRequired: boolean
}

/** A field, an argument, or a field of an input object. */
export interface Member {
  readonly name: string
  readonly about: string
  readonly type: TypeUse
  readonly args: readonly Member[]
  readonly isDeprecated: boolean
  /** Whether whoever asks must give it. */
  readonly isNeeded: boolean
}

/** A type with a name. */
export interface NamedType {
  /** As introspection names it: OBJECT, INTERFACE, UNION, ENUM, SCALAR or INPUT_OBJECT. */
  readonly kind: string
  readonly name: string
  readonly about: string
  readonly fields: readonly Member[]
  readonly inputs: readonly Member[]
  readonly values: readonly string[]
}

/** A schema. */
export interface Schema {
  readonly about: string
  readonly queries: readonly Member[]
  readonly mutations: readonly Member[]
  find(name: string): NamedType | undefined
}

const readText = (value: unknown): string => (typeof value === 'string' ? value : '')
const readList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

/** Reads a type with its marks. Introspection nests them: NON_NULL of LIST of a name. */
function readTypeUse(value: unknown): TypeUse {
  if (!isObject(value)) return { text: '', name: '', lists: 0, isRequired: false }
  const { kind, name, ofType } = value
  if (kind !== 'NON_NULL' && kind !== 'LIST') return { text: readText(name), name: readText(name), lists: 0, isRequired: false }
  const inner = readTypeUse(ofType)
  if (kind === 'NON_NULL') return { ...inner, text: `${inner.text}!`, isRequired: true }
  return { ...inner, text: `[${inner.text}]`, lists: inner.lists + 1, isRequired: false }
}

function readMember(value: unknown): readonly Member[] {
  if (!isObject(value) || typeof value['name'] !== 'string') return []
  const { name, description, args, isDeprecated, defaultValue } = value
  const type = readTypeUse(value['type'])
  const isNeeded = type.isRequired && (defaultValue === undefined || defaultValue === null)
  const about = readText(description)
  return [{ name, about, type, args: readList(args).flatMap(readMember), isDeprecated: isDeprecated === true, isNeeded }]
}

function readType(value: unknown): readonly NamedType[] {
  if (!isObject(value) || typeof value['name'] !== 'string') return []
  const { kind, name, description, fields, inputFields, enumValues } = value
  return [
    {
      ...{ kind: readText(kind), name, about: readText(description) },
      fields: readList(fields).flatMap(readMember),
      inputs: readList(inputFields).flatMap(readMember),
      values: readList(enumValues).flatMap((each) => (isObject(each) && typeof each['name'] === 'string' ? [each['name']] : [])),
    },
  ]
}

/** Reads the answer of an introspection query, with `data` around it or without. @throws DocumentError */
export function readSchema(document: unknown): Schema {
  const answer = isObject(document) && isObject(document['data']) ? document['data'] : document
  const schema = isObject(answer) ? answer['__schema'] : undefined
  if (!isObject(schema)) throw new DocumentError('is neither an answer of an introspection query nor a schema of GraphQL')
  const types = new Map(
    readList(schema['types'])
      .flatMap(readType)
      .map((type) => [type.name, type]),
  )
  const list = (root: unknown): readonly Member[] => types.get(isObject(root) ? readText(root['name']) : '')?.fields ?? []
  return {
    about: readText(schema['description']),
    queries: list(schema['queryType']),
    mutations: list(schema['mutationType']),
    find: (name) => types.get(name),
  }
}

/**
 * Parses a schema: the answer of an introspection query, or a text in the schema language, as introspection would answer it.
 * @throws DocumentError
 */
export async function parseSchema(text: string): Promise<unknown> {
  if (/^\s*\{/.test(text)) return parseDocument(text)
  const { buildSchema, introspectionFromSchema } = await import('graphql')
  try {
    return introspectionFromSchema(buildSchema(text, { noLocation: true, assumeValid: true, assumeValidSDL: true }))
  } catch (thrown) {
    throw new DocumentError(`cannot be read as a schema of GraphQL: ${thrown instanceof Error ? thrown.message : String(thrown)}`)
  }
}

/** Longest list of values that is written instead of a type, in characters; most fields of an inner object, and of a record. */
const most = { values: 200, inner: 20, fields: 500 } as const

const ownScalars: Readonly<Record<string, FieldType>> = {
  ID: 'string',
  String: 'string',
  Int: 'integer',
  Float: 'number',
  Boolean: 'boolean',
}
/** Names that vendors give to scalars of their own. Any other is a text, or a value whose type differs. */
const ownNames: readonly (readonly [pattern: RegExp, type: FieldType])[] = [
  [/^(iso_?8601_?)?(utc_?)?date_?time(_?(iso|utc|tz|z))?$|^timestamptz$/i, 'date-time'],
  [/^(iso_?8601_?|timeless_?|local_?)?date$/i, 'date'],
  [/^(big_?int|long|(un)?signed_?(int|long)\w*|(big|small)?int(8|16|32|64)?)$/i, 'integer'],
  [/^(float|double)$/i, 'number'],
  [/json|map$|^object$|^any$|hash$|metadata/i, 'any'],
]

/** Returns whether a type is one value. */
export const isValue = ({ kind }: NamedType): boolean => kind === 'SCALAR' || kind === 'ENUM'
/** Returns whether a field can be asked for without arguments. */
export const isFree = ({ args }: Member): boolean => args.every(({ isNeeded }) => !isNeeded)

function findScalar(name: string): FieldType {
  const own = ownScalars[name]
  if (own !== undefined) return own
  return ownNames.find(([pattern]) => pattern.test(name))?.[1] ?? 'string'
}

/** Writes the type of a value: `string`, or `open|closed`. */
function writeValueType({ kind, name, values }: NamedType): string {
  if (kind !== 'ENUM') return findScalar(name)
  const all = values.join('|')
  return values.length > 1 && all.length <= most.values ? all : 'string'
}

const isUsable = ({ name, isDeprecated }: Member): boolean => !isDeprecated && !refusedNames.has(name)

/** Writes the types of records and parameters of a schema. */
export class FieldWriter {
  readonly #schema: Schema

  constructor(schema: Schema) {
    this.#schema = schema
  }

  listValues({ fields }: NamedType): readonly Member[] {
    return fields.filter((field) => {
      const type = this.#schema.find(field.type.name)
      return type !== undefined && isValue(type) && isUsable(field) && isFree(field)
    })
  }

  /** Writes the fields of a record: values, and objects with values of their own. */
  writeRecord({ fields }: NamedType): FileFields {
    const written = fields.flatMap((field): readonly (readonly [string, unknown])[] => {
      const type = this.#schema.find(field.type.name)
      if (type === undefined || !isUsable(field) || !isFree(field)) return []
      if (isValue(type)) return [[field.name, this.#writeField(field, type)]]
      const inner = (type.kind === 'OBJECT' || type.kind === 'INTERFACE') && field.type.lists < 2 ? this.#writeInner(type) : {}
      return Object.keys(inner).length === 0 ? [] : [[field.name, { ...this.#writeObjectType(field), ...inner }]]
    })
    return Object.fromEntries(written.slice(0, most.fields))
  }

  /** Writes what a nested object has: the id and the name of what is a record itself, else all of its values. */
  #writeInner(type: NamedType): FileFields {
    const isPage = type.fields.some(({ name }) => name === 'pageInfo')
    const values = isPage ? [] : this.listValues(type)
    const id = values.find(({ name }) => name === 'id')
    const title = names.flatMap((name) => values.find((each) => each.name === name) ?? [])[0]
    const chosen = id === undefined ? values.slice(0, most.inner) : title === undefined ? [id] : [id, title]
    // What a reference is, its own entity says: here its fields have their names only.
    const short = id === undefined ? chosen : chosen.map((field) => ({ ...field, about: '' }))
    return Object.fromEntries(short.map((field) => [field.name, this.#writeField(field, this.#schema.find(field.type.name))]))
  }

  #writeObjectType({ type: { lists, isRequired } }: Member): FileFields {
    const text = `object${lists > 0 ? '[]' : ''}${isRequired ? '' : '?'}`
    return text === 'object' ? {} : { $type: text }
  }

  #writeField({ name, about, type: { lists, isRequired } }: Member, type: NamedType | undefined): string {
    const one = type === undefined || lists > 1 ? 'any' : writeValueType(type)
    const list = lists === 1 ? '[]' : ''
    return `${one}${list}${isRequired ? '' : '?'} ${writeSentence(about, name)}`
  }

  /** Writes a parameter; undefined for what no parameter can be: a list of lists, or a type that the schema lacks. */
  writeParameter({ name, about, type: { name: typeName, lists }, isNeeded, isDeprecated }: Member): string | undefined {
    const type = this.#schema.find(typeName)
    if (type === undefined || lists > 1 || refusedNames.has(name) || (isDeprecated && !isNeeded)) return undefined
    const value = isValue(type) ? writeValueType(type) : 'object'
    return `${value === 'any' ? 'object' : value}${lists === 1 ? '[]' : ''}${isNeeded ? '!' : ''} ${writeSentence(about, name)}`
  }

  writeParameters(members: readonly Member[]): FileFields {
    const written = members.flatMap((member) => {
      const text = this.writeParameter(member)
      return text === undefined ? [] : [[member.name, text] as const]
    })
    return Object.fromEntries(written.slice(0, most.fields))
  }
}

/** Fields by which people know a record, the best first. */
const names = ['name', 'title', 'key', 'identifier', 'slug', 'login', 'displayName', 'label', 'email', 'number']
