/** Reads the schema of a GraphQL API, from the answer of an introspection query or from the schema language. */
import { isObject } from '../../definition/object.ts'
import { DocumentError } from '../imported.ts'
import { parseDocument } from '../parse.ts'

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

const nameOf = (value: unknown): string => (isObject(value) ? readText(value['name']) : '')

/**
 * Reads the answer of an introspection query, with `data` around it or without.
 * @throws DocumentError
 */
export function readSchema(document: unknown): Schema {
  const answer = isObject(document) && isObject(document['data']) ? document['data'] : document
  const schema = isObject(answer) ? answer['__schema'] : undefined
  if (!isObject(schema)) throw new DocumentError('is neither an answer of an introspection query nor a schema of GraphQL')
  const types = new Map(
    readList(schema['types'])
      .flatMap(readType)
      .map((type) => [type.name, type]),
  )
  const list = (root: unknown): readonly Member[] => types.get(nameOf(root))?.fields ?? []
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
