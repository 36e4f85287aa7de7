/** Fields of records, made from the JSON Schema of a stream. */
import { isObject } from '../../definition/object.ts'
import { writeSentence } from '../sentences.ts'
import type { Values } from './component.ts'
import { isStep } from './names.ts'

/** Fields as a kind file has them. */
export type FileFields = Readonly<Record<string, unknown>>

/** Most fields of one entity with all inner ones, and their deepest nesting. */
const most = { fields: 300, depth: 4 }

const listTypes = (schema: Values): readonly string[] => {
  const forms = [schema['oneOf'], schema['anyOf']].flatMap((each): unknown[] => (Array.isArray(each) ? each : [])).filter(isObject)
  const own = [schema['type']].flat().filter((type) => typeof type === 'string')
  return [...new Set([...own, ...forms.flatMap(listTypes)])]
}

const scalarTypes: Readonly<Record<string, string>> = {
  string: 'string',
  integer: 'integer',
  number: 'number',
  boolean: 'boolean',
  object: 'object',
}

const findType = (schema: Values, type: string): string => {
  if (type !== 'string') return scalarTypes[type] ?? 'any'
  if (schema['format'] === 'date-time' && schema['airbyte_type'] !== 'timestamp_without_timezone') return 'date-time'
  return schema['format'] === 'date' ? 'date' : 'string'
}

const count = (fields: unknown): number =>
  isObject(fields)
    ? Object.entries(fields).reduce((sum, [name, each]) => sum + (name.startsWith('$') ? 0 : 1) + count(each), 0)
    : Array.isArray(fields)
      ? count(fields[0])
      : 0

function makeObject(schema: Values, about: string, { depth, mark }: { readonly depth: number; readonly mark: string }): unknown {
  const inner = depth <= 1 ? {} : makeFields(schema, depth - 1)
  if (Object.keys(inner).length === 0) return `object${mark} ${about}`
  return { $type: `object${mark}`, $about: about, ...inner }
}

function makeField(name: string, schema: Values, depth: number): unknown {
  const types = listTypes(schema)
  const about = writeSentence(schema['description'] ?? schema['title'], name)
  const [type, ...others] = types.filter((each) => each !== 'null')
  const mark = types.includes('null') ? '?' : ''
  if (type === undefined || others.length > 0) return `any ${about}`
  if (type === 'object') return makeObject(schema, about, { depth, mark })
  if (type !== 'array') return `${findType(schema, type)}${mark} ${about}`
  const items = isObject(schema['items']) ? schema['items'] : {}
  const [item, ...more] = listTypes(items).filter((each) => each !== 'null')
  if (item === undefined || more.length > 0 || item === 'array') return `any ${about}`
  if (item === 'object') return makeObject(items, about, { depth, mark: `[]${mark}` })
  return `${findType(items, item)}[]${mark} ${about}`
}

const makeFields = (schema: Values, depth: number): FileFields => {
  const properties = isObject(schema['properties']) ? schema['properties'] : {}
  return Object.fromEntries(
    Object.entries(properties).flatMap(([name, each]) =>
      isStep(name) && isObject(each) ? [[name, makeField(name, each, depth)] as const] : [],
    ),
  )
}

/** Makes the fields of a record. Objects lose their inner fields where an entity would have too many. */
export function readFields(schema: unknown, depth: number = most.depth): FileFields {
  if (!isObject(schema)) return {}
  for (let levels = depth; levels > 1; levels -= 1) {
    const fields = makeFields(schema, levels)
    if (count(fields) <= most.fields) return fields
  }
  return Object.fromEntries(Object.entries(makeFields(schema, 1)).slice(0, 480))
}

/** Sets the type of a field that is a time, and adds a field that is missing. */
export function withTime(fields: FileFields, name: string, type: string): FileFields {
  const known = fields[name]
  const text = typeof known === 'string' ? known : `${type} ${writeSentence(undefined, name)}`
  const [, given = type, mark = '', about = ''] = /^(\S+?)(\?)? ([\s\S]*)$/.exec(text) ?? []
  const isRight = given === 'date-time' || given === 'date' || given.startsWith('unix-time')
  return { ...fields, [name]: `${isRight ? given : type}${mark} ${about}` }
}
