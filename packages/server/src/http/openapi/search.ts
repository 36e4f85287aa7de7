/** Searches in the API's document: the grammar of their filters, and one request and one answer for each searchable entity. */
import { type EntityDefinition, type Field, type Fields, type Kind, list, obj, opt } from 'ferrule/definition'
import {
  type FilterOperator,
  fieldOperators,
  filterLimits,
  filterOperators,
  formatDocumentedType,
  isFieldOperator,
  isObject,
  type OperandForm,
  operators,
} from 'ferrule/internal'
import { executeFields, freshness, searchMeta } from 'ferrule/wire'
import { buildExample, type CallExample } from './example.ts'
import { ref, truncatedFields } from './shared.ts'
import type { JsonObject } from './types.ts'

const action = 'context_store_search'

/** One searchable entity. */
interface Searchable {
  readonly kind: Kind
  readonly name: string
  readonly entity: EntityDefinition
  readonly fields: Fields
}

const searchables = (kinds: readonly Kind[]): Searchable[] =>
  kinds.flatMap((kind) =>
    Object.entries(kind.definition.entities).flatMap(([name, entity]) =>
      entity.context_store_search === undefined ? [] : [{ kind, name, entity, fields: entity.context_store_search }],
    ),
  )

const entityName = ({ kind, name }: Searchable): string => `${kind.definition.kind}.${name}`

/** Names of the operations, such as `gong.users.context_store_search`. */
export const searchNames = (kinds: readonly Kind[]): string[] => searchables(kinds).map((each) => `${entityName(each)}.${action}`)

const condition = { $ref: '#/components/schemas/SearchCondition' }
const scalar = { type: ['string', 'number', 'boolean', 'null'] }

/** Schemas of operands, by their form. */
const operands: Readonly<Record<OperandForm, JsonObject>> = {
  value: {},
  values: { type: 'array', items: scalar, maxItems: filterLimits.mostValues },
  words: { type: 'string' },
  text: { type: 'string' },
  ordered: { type: ['string', 'number'] },
  element: {},
  elements: condition,
  condition,
  conditions: { type: 'array', items: condition },
}

/** Builds the schema of an operator: of a map from fields to operands, or of the operand itself. */
const operatorSchema = (name: FilterOperator): JsonObject => {
  const { form, about } = operators[name]
  return isFieldOperator(name)
    ? { type: 'object', description: about, additionalProperties: operands[form] }
    : { ...operands[form], description: about }
}

const listed = [...fieldOperators, ...filterOperators.filter((name) => !isFieldOperator(name))]

/** The grammar of filters. Names of fields may be paths into objects and arrays: `a.b`, `a[].b`. */
const searchCondition: JsonObject = {
  type: 'object',
  description:
    'A condition: operators, each with an object of field to value. Several operators, and several fields under one, must all hold. ' +
    'A path (`a.b`) that crosses an array holds when some element does. ' +
    `Nesting at most ${filterLimits.deepest}, at most ${filterLimits.mostConditions} conditions.`,
  properties: Object.fromEntries(listed.map((name) => [name, operatorSchema(name)])),
  additionalProperties: false,
}

/** A schema of its own, because a generator for TypeScript cannot name an enumeration within a map. */
const sortDirection: JsonObject = { type: 'string', enum: ['asc', 'desc'] }

const sort: JsonObject = {
  type: ['array', 'null'],
  maxItems: 16,
  description:
    'Keys of the order, the first one decides; records without a value come last. `_relevance` (desc only) is how well the words of ' +
    'fuzzy and keyword fit. Left out: by relevance where the filter has such words outside of not, else by the primary key',
  items: { type: 'object', minProperties: 1, maxProperties: 1, additionalProperties: ref('SortDirection') },
}

const anyFieldText: JsonObject = {
  type: ['string', 'null'],
  description:
    'Words; each must be in some field that holds a string, as fuzzy finds it. It holds beside filter. Refused where no field holds strings',
}

const fieldPaths: JsonObject = {
  type: ['array', 'null'],
  maxItems: 1000,
  description: 'Paths of the fields to return, as texts ("a.b") or lists of names; left out or empty: all searchable fields',
  items: { anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' }, minItems: 1 }] },
}

const fieldList = ({ fields }: Searchable): string =>
  Object.entries(fields)
    .map(([name, field]: [string, Field]) => `${name} ${formatDocumentedType(field)}`)
    .join(', ')

const printParams = (each: Searchable): JsonObject => ({
  type: 'object',
  required: ['query'],
  properties: {
    query: {
      type: 'object',
      properties: {
        filter: { anyOf: [condition, { type: 'null' }], description: `Which records. Searchable: ${fieldList(each)}` },
        text: anyFieldText,
        sort,
      },
      additionalProperties: false,
    },
    limit: { type: ['integer', 'null'], minimum: 1, maximum: 10_000, default: 1000, description: 'Records of a page' },
    cursor: {
      type: ['string', 'null'],
      description:
        'Opaque: `meta.cursor` of the page before, with everything but limit the same. Valid for 24 hours; any other text is refused with invalid_cursor',
    },
    fields: fieldPaths,
  },
  additionalProperties: false,
})

function requestSchema(each: Searchable): JsonObject {
  const { entity: _entity, action: _action, params: _params, ...rest } = executeFields
  return {
    type: 'object',
    title: `Request of ${entityName(each)} ${action}`,
    description: `Search the synced copy of ${each.name}. ${each.entity.about}`,
    required: ['entity', 'action', 'params'],
    properties: {
      entity: { type: 'string', const: each.name },
      action: { type: 'string', const: action },
      params: printParams(each),
      ...obj(rest, '').properties,
    },
    additionalProperties: false,
  }
}

/** Loosens the schema within a field: the vendor's parts can be missing, null or more. */
function asSent(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(asSent)
  if (!isObject(schema)) return schema
  const { required: _required, additionalProperties: _additional, ...rest } = schema
  const kept = Object.entries(rest).map(([name, value]) => [name, name === 'properties' ? partsAsSent(value) : asSent(value)] as const)
  return Object.fromEntries(kept)
}

const partsAsSent = (properties: unknown): unknown =>
  isObject(properties)
    ? Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, orNothing(asSent(schema))]))
    : properties

/** The same schema, or null. */
const orNothing = (schema: unknown): unknown => {
  if (!isObject(schema)) return schema
  const { type, enum: values, ...rest } = schema
  const types = Array.isArray(type) ? type : type === undefined ? [] : [type]
  return {
    ...rest,
    ...(types.length === 0 ? {} : { type: [...new Set([...types, 'null'])] }),
    ...(Array.isArray(values) ? { enum: [...values, null] } : {}),
    ...(rest['x-integer'] === true ? { 'x-nullable': true } : {}),
  }
}

/** A record of a search: nothing is required, because `fields` can leave anything out. */
const recordSchema = ({ fields, entity }: Searchable): JsonObject => ({
  type: 'object',
  description: `${entity.about}: the searchable fields`,
  properties: Object.fromEntries(Object.entries(fields).map(([name, field]: [string, Field]) => [name, orNothing(asSent(field))])),
  additionalProperties: false,
})

const answerSchema = (each: Searchable): Field => ({
  ...obj(
    {
      data: list(ref(`${entityName(each)}.SearchRecord`), 'Records of this page'),
      meta: searchMeta,
      truncated_fields: opt(truncatedFields),
      context_store: freshness,
    },
    `Records of ${each.name} in the copy`,
  ),
  title: `Answer of ${entityName(each)} ${action}`,
  additionalProperties: undefined,
})

/** Schemas of all searches, and of what they share. */
export function searchSchemas(kinds: readonly Kind[]): JsonObject {
  return {
    SearchCondition: searchCondition,
    SortDirection: sortDirection,
    ...Object.fromEntries(
      searchables(kinds).flatMap((each) => [
        [`${entityName(each)}.SearchRecord`, recordSchema(each)],
        [`${entityName(each)}.${action}.Request`, requestSchema(each)],
        [`${entityName(each)}.${action}.Answer`, answerSchema(each)],
      ]),
    ),
  }
}

/** One example for each searchable entity. */
export function searchExamples(kinds: readonly Kind[]): Readonly<Record<string, CallExample>> {
  const valueFor = ({ name, fields }: Searchable) => {
    const [field = '', schema] =
      Object.entries(fields).find(([, each]: [string, Field]) => isScalar(each)) ?? Object.entries(fields)[0] ?? []
    const value = schema !== undefined && isScalar(schema) ? buildExample(schema, field) : null
    return { entity: name, action, params: { query: { filter: { eq: { [field]: value } } }, limit: 20 } }
  }
  return Object.fromEntries(
    searchables(kinds).map((each) => [
      `${entityName(each)}.${action}`,
      { summary: `${entityName(each)} ${action}`, value: valueFor(each) },
    ]),
  )
}

const isScalar = (field: Field): boolean => !['array', 'object', 'any'].includes(formatDocumentedType(field).replace('?', ''))
