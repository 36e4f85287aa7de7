/** Prints the contract of the connectors as JSON, from the definitions: `npm run contract`. */
import { pathToFileURL } from 'node:url'
import { kinds } from '../packages/ferrule/src/connectors/index.ts'
import type { ConnectorDefinition } from '../packages/ferrule/src/definition/connector.ts'
import { type EntityDefinition, liveActions, type Operation } from '../packages/ferrule/src/definition/entity.ts'
import { type Field, type Fields, isOptional } from '../packages/ferrule/src/definition/fields.ts'
import { searchOperators } from '../packages/ferrule/src/definition/operators.ts'
import { formatDocumentedType, formatPlainType } from '../packages/ferrule/src/definition/plain-schema.ts'

type Json = Readonly<Record<string, unknown>>

const mapFields = <T>(fields: Fields, print: (field: Field) => T): Record<string, T> =>
  Object.fromEntries(Object.entries(fields).map(([name, field]: [string, Field]) => [name, print(field)]))

const kept = ['format', 'enum', 'minimum', 'maximum', 'default', 'deprecated'] as const

const parameter = (fields: Fields, name: string, field: Field): Json => {
  const { properties = {}, items } = field
  const rules = kept.flatMap((rule) => (Reflect.get(field, rule) === undefined ? [] : [[rule, Reflect.get(field, rule)] as const]))
  const itemEnum = items?.enum
  return {
    type: formatPlainType(field),
    required: !isOptional(fields, name) || (field['x-fill']?.as ?? 'if_known') !== 'if_known',
    ...Object.fromEntries(rules),
    ...(items === undefined ? {} : { items: formatPlainType(items) }),
    ...(itemEnum === undefined ? {} : { enum: itemEnum }),
    ...(Object.keys(properties).length === 0 ? {} : { properties: parameters(properties) }),
  }
}

const parameters = (fields: Fields): Json =>
  Object.fromEntries(Object.entries(fields).map(([name, field]: [string, Field]) => [name, parameter(fields, name, field)]))

const listShapes = {
  cursor: { shape: 'cursor-list', meta: { cursor: 'string?', total_records: 'integer', current_page_number: 'integer' } },
  next_page_url: { shape: 'next-page-url-list', meta: { next_page_url: 'string' } },
  page_info: { shape: 'page-number-list', meta: { page_info: 'object' } },
  statement: {
    shape: 'statement-list',
    meta: { next_page_url: 'string', request_id: 'string', statement_handle: 'string', partition_info: 'array' },
  },
  none: { shape: 'list', meta: {} },
} as const

const isListShape = (page: string | undefined): page is keyof typeof listShapes => page !== undefined && page in listShapes

const resultOf = (action: string, { page }: Operation): Json => {
  if (action === 'list' || page === 'statement') return listShapes[isListShape(page) ? page : 'none']
  return { shape: action === 'download' ? 'download' : 'record', meta: {} }
}

const search: Json = {
  params: {
    query: {
      type: 'object',
      required: true,
      properties: { filter: { type: 'object', required: false }, sort: { type: 'array', required: false } },
    },
    limit: { type: 'integer', required: false, default: 1000 },
    cursor: { type: 'string', required: false },
    fields: { type: 'array', required: false },
  },
  result: {
    shape: 'search',
    keys: { data: 'array', meta: 'object' },
    meta: { has_more: 'boolean', cursor: 'string?', took_ms: 'number?' },
  },
}

/** Objects inside a record, by path: `a` for an object, `a[]` for the elements of an array; `a[][]` is the type of a cell. */
const nestedOf = (fields: Fields, prefix = ''): Json =>
  Object.assign(
    {},
    ...Object.entries(fields).map(([name, field]: [string, Field]) => {
      const { properties = {}, items } = field
      const path = items === undefined ? `${prefix}${name}` : `${prefix}${name}[]`
      const inner = items === undefined ? properties : (items.properties ?? {})
      const cell = items === undefined ? undefined : items.items
      if (cell !== undefined) return { [`${path}[]`]: formatDocumentedType(cell) }
      return Object.keys(inner).length === 0 ? {} : { [path]: mapFields(inner, formatDocumentedType), ...nestedOf(inner, `${path}.`) }
    }),
  )

const itemsOf = (fields: Fields): Json =>
  Object.fromEntries(
    Object.entries(fields).flatMap(([name, field]: [string, Field]) => {
      const { items } = field
      return items === undefined ? [] : [[name, formatPlainType(items)]]
    }),
  )

const nonEmpty = (name: string, value: Json): Json => (Object.keys(value).length === 0 ? {} : { [name]: value })

const entityOf = (entity: EntityDefinition): Json => {
  const live = liveActions.flatMap((action) => {
    const operation = entity[action]
    return operation === undefined ? [] : [[action, { params: parameters(operation.params), result: resultOf(action, operation) }] as const]
  })
  const searchable = entity.context_store_search
  return {
    record: entity.record === undefined ? null : mapFields(entity.record, formatDocumentedType),
    ...nonEmpty('nested', nestedOf(entity.record ?? {})),
    ...nonEmpty('items', itemsOf(entity.record ?? {})),
    // A search record holds values or nothing: the documents write its types without nullability.
    searchable: searchable === undefined ? null : mapFields(searchable, formatPlainType),
    actions: Object.fromEntries([...live, ...(searchable === undefined ? [] : [['context_store_search', search] as const])]),
  }
}

/** The contract of some kinds, in the shape of the specification's. */
export const contractOf = (definitions: readonly ConnectorDefinition[]): Json => ({
  actions: ['list', 'get', 'context_store_search', 'create', 'update', 'delete', 'download'],
  search_operators: searchOperators,
  connectors: Object.fromEntries(
    definitions.map((definition) => [
      definition.kind,
      {
        kind: definition.category,
        entities: Object.fromEntries(Object.entries(definition.entities).map(([name, entity]) => [name, entityOf(entity)])),
      },
    ]),
  ),
})

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href)
  console.log(JSON.stringify(contractOf(Object.values(kinds).map(({ definition }) => definition)), null, 2))
