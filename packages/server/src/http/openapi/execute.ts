/** The execute route in the API's document: one request and one answer for every operation of every kind, and for counts of searchable entities. */
import { type Field, type Fields, int, type Kind, list, obj, open, opt, orNull, type PageShape, str } from 'ferrule/definition'
import {
  aggregateLimits,
  buildObjectSchema,
  countMeasure,
  type DocumentedOperation,
  type FilterOperator,
  fieldOperators,
  filterLimits,
  filterOperators,
  findShape,
  formatDocumentedType,
  isFieldOperator,
  isObject,
  listOperations,
  listSearchable,
  measureFunctions,
  nameEntity,
  type OperandForm,
  operators,
  type SearchableEntity,
  timeUnits,
} from 'ferrule/internal'
import { aggregateMeta, executeFields, freshness, part, searchMeta } from 'ferrule/wire'
import { ref, truncatedFields } from './shared.ts'
import type { JsonObject } from './types.ts'

const action = 'context_store_search'

/** The grammar of filters. */
export const condition = { $ref: '#/components/schemas/SearchCondition' }
const scalar = { type: ['string', 'number', 'boolean', 'null'] }

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

/** `text` of a query. */
export const anyFieldText: JsonObject = {
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

/** `include` of a search or an aggregate. */
export const include: JsonObject = {
  type: ['object', 'null'],
  description:
    'Related records: for each reference the paths of fields to return, all if the list is empty. An object in the list leads on from there, ' +
    'two references at most. Rows have them below `_related`, null where the record is missing',
  additionalProperties: {
    type: 'array',
    items: { anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' }, minItems: 1 }, { type: 'object' }] },
  },
}

const fieldList = ({ fields }: SearchableEntity): string =>
  Object.entries(fields)
    .map(([name, field]: [string, Field]) => `${name} ${formatDocumentedType(field)}`)
    .join(', ')

const printParams = (each: SearchableEntity): JsonObject => ({
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
    include,
    count: {
      type: ['boolean', 'null'],
      description: 'true: `meta.total` is the number of records of all pages, exact up to 100,000; beyond, `meta.total_at_least` is true',
    },
  },
  additionalProperties: false,
})

function searchRequest(each: SearchableEntity): JsonObject {
  const { entity: _entity, action: _action, params: _params, ...rest } = executeFields
  return {
    type: 'object',
    title: `Request of ${nameEntity(each)} ${action}`,
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
  }
}

/** A record of a search: nothing is required, because `fields` can leave anything out. */
const searchRecord = ({ fields, entity }: SearchableEntity): JsonObject => ({
  type: 'object',
  description: `${entity.about}: the searchable fields`,
  properties: {
    ...Object.fromEntries(Object.entries(fields).map(([name, field]: [string, Field]) => [name, orNothing(asSent(field))])),
    ...(entity.refers === undefined ? {} : { _related: { type: 'object', description: 'What `include` asked for, by reference' } }),
  },
  additionalProperties: false,
})

const searchAnswer = (each: SearchableEntity): Field => ({
  ...part(
    {
      data: list(ref(`${nameEntity(each)}.SearchRecord`), 'Records of this page'),
      meta: searchMeta,
      truncated_fields: opt(truncatedFields),
      context_store: freshness,
    },
    `Records of ${each.name} in the copy`,
  ),
  title: `Answer of ${nameEntity(each)} ${action}`,
})

const metaFields: Readonly<Record<PageShape, Fields>> = {
  cursor: {
    cursor: orNull(str('Cursor of the next page; null at the end')),
    total_records: orNull(int('Records of all pages')),
    current_page_number: orNull(int('Number of this page')),
  },
  next: {
    cursor: orNull(str('Position of the next page; null at the end')),
    total_records: orNull(int('Records of all pages; null where the vendor does not report it')),
  },
  next_page_url: { next_page_url: orNull(str('URL of the next page; null at the end')) },
  page_info: {
    page_info: obj(
      {
        page: int('Number of this page, from 1'),
        page_size: int('Records per page'),
        total_number: orNull(int('Records of all pages; null where the vendor does not report it')),
        total_page: orNull(int('Number of the last page; 0 without records; null where the vendor does not report it')),
      },
      'Where the page stands',
    ),
  },
  statement: {
    next_page_url: orNull(str("Path of the next part at the vendor, which only the vendor's token opens")),
    request_id: orNull(str('Id that the vendor knows the statement by')),
    statement_handle: orNull(str('Names the result')),
    partition_info: orNull(
      list(
        obj(
          {
            rowCount: int('Rows'),
            uncompressedSize: int('Bytes'),
            compressedSize: orNull(int('Bytes as sent; null for a part that is not compressed')),
          },
          'A part',
        ),
        'Parts of the result',
      ),
    ),
    next_operation: orNull(obj({ entity: str('Entity'), action: str('Action') }, 'What next_params are for')),
  },
  none: {},
}
const nextParams = { next_params: orNull(open('What to merge into the params of the next call; null when there is no further page')) }

/** The meta of an operation that can meet hidden rows counts them. */
function buildCountField({ kind, operation }: DocumentedOperation): Fields {
  const { hidden } = kind.definition
  const canMeet = hidden !== undefined && (operation.hidden !== undefined || operation.join !== undefined)
  return canMeet ? { [hidden.count]: opt(int('Hidden records that were left out of this page')) } : {}
}

/** Builds the field of the vendor's warnings, for kinds whose vendor sends warnings. */
const buildWarningsField = ({ kind }: DocumentedOperation): Fields => {
  const { partial, warnings } = kind.definition.problem
  return (partial ?? warnings) === undefined
    ? {}
    : { warnings: opt(list(str('Sentence of the vendor'), 'What the vendor says beside the records')) }
}

const operationName = (each: DocumentedOperation): string => `${nameEntity(each)}.${each.action}`
const sentence = ({ entity, operation }: DocumentedOperation): string => operation.about ?? entity.about

function requestSchema(each: DocumentedOperation): JsonObject {
  const params = buildObjectSchema(each.operation.params)
  const isRequired = Array.isArray(Reflect.get(params, 'required'))
  const { entity: _entity, action: _action, params: _params, ...rest } = executeFields
  const { properties } = obj(rest, '')
  return {
    type: 'object',
    title: `Request of ${nameEntity(each)} ${each.action}`,
    description: sentence(each),
    required: isRequired ? ['entity', 'action', 'params'] : ['entity', 'action'],
    properties: {
      entity: { type: 'string', const: each.name },
      action: { type: 'string', const: each.action },
      params: isRequired ? params : { anyOf: [params, { type: 'null' }] },
      ...properties,
    },
    additionalProperties: false,
  }
}

/** Prints a record: every documented field, and whatever the vendor adds. */
const recordSchema = ({ entity }: DocumentedOperation): Field => ({ ...obj(entity.record ?? {}, entity.about), additionalProperties: true })

function answerSchema(each: DocumentedOperation): Field {
  const isList = each.action === 'list'
  const record = ref(`${nameEntity(each)}.Record`)
  const meta =
    isList || each.operation.page !== undefined
      ? {
          ...metaFields[findShape(each.kind.definition.pages, each.operation.page)],
          ...nextParams,
          ...buildCountField(each),
          ...buildWarningsField(each),
        }
      : {}
  const truncated = isList ? { truncated_fields: opt(truncatedFields) } : {}
  const data = isList && !each.operation.one ? list(record, 'Records of this page') : record
  return {
    ...part({ data, meta: obj(meta, 'Where the page stands'), ...truncated }, sentence(each)),
    title: `Answer of ${nameEntity(each)} ${each.action}`,
  }
}

const cutAnswer: JsonObject = {
  type: 'object',
  title: 'Cut records',
  description: 'Records with only the fields that select_fields or exclude_fields leave; everything else is as in the whole answer',
  required: ['data', 'meta'],
  properties: {
    data: { anyOf: [{ type: 'array', items: { type: 'object' } }, { type: 'object' }] },
    meta: { type: 'object' },
    truncated_fields: truncatedFields,
    context_store: freshness,
  },
}

/** Schemas that the operations of all kinds share. */
export const sharedSchemas: JsonObject = { SearchCondition: searchCondition, SortDirection: sortDirection, CutAnswer: cutAnswer }

/** Lists the schemas of a kind by name: records, requests and answers of its operations, searches included. Each is made when it is taken. */
export function* listKindSchemas(kind: Kind): Generator<readonly [name: string, schema: unknown]> {
  for (const each of listOperations([kind])) {
    yield [`${operationName(each)}.Request`, requestSchema(each)]
    if (each.action === 'download') continue
    yield [`${nameEntity(each)}.Record`, recordSchema(each)]
    yield [`${operationName(each)}.Answer`, answerSchema(each)]
  }
  for (const each of listSearchable([kind])) {
    yield [`${nameEntity(each)}.SearchRecord`, searchRecord(each)]
    yield [`${nameEntity(each)}.${action}.Request`, searchRequest(each)]
    yield [`${nameEntity(each)}.${action}.Answer`, searchAnswer(each)]
  }
}

const { mostGroups, mostKeys, mostMeasures, mostBounds, longestName } = aggregateLimits
const name: JsonObject = { type: 'string', pattern: '^[A-Za-z_][A-Za-z0-9_]*$', maxLength: longestName }
const field: JsonObject = {
  type: 'string',
  description: 'A searchable field, or a path into one (`a.b`). The elements of an array are values of their own',
}

const group: JsonObject = {
  description: 'A field, whose values are the groups; or a field with more. A record without a value is in the group null',
  anyOf: [
    field,
    {
      type: 'object',
      required: ['field'],
      properties: {
        field,
        by: {
          anyOf: [{ type: 'string', enum: Object.keys(timeUnits) }, { type: 'null' }],
          description: `For times, which need it. Groups are written as ${Object.values(timeUnits).join(', ')}`,
        },
        time_zone: {
          type: ['string', 'null'],
          description: 'Name of a time zone, for example Europe/Berlin; left out: UTC. Date-times shift to it, dates keep their day',
        },
        ranges: {
          type: ['array', 'null'],
          items: { type: ['number', 'string'] },
          minItems: 1,
          maxItems: mostBounds,
          description: 'Ascending numbers. Each begins a range, which the next one ends: {"from": 0, "to": 60} has 0 and lacks 60',
        },
        as: { ...name, type: ['string', 'null'], description: 'Name in the rows; left out: the field as written' },
      },
      additionalProperties: false,
    },
  ],
}

const measure: JsonObject = {
  description: 'What is computed of each group. Numbers are exact; those of decimal strings are decimal strings',
  anyOf: [
    { type: 'string', const: countMeasure, description: 'Number of records' },
    ...Object.entries(measureFunctions).map(([is, about]) => ({
      type: 'object',
      required: is === 'percentile' ? [is, 'at'] : [is],
      properties: {
        [is]: { ...field, description: about },
        ...(is === 'percentile' ? { at: { type: 'number', minimum: 0, maximum: 1 } } : {}),
      },
      additionalProperties: false,
    })),
  ],
}

const params: JsonObject = {
  type: ['object', 'null'],
  properties: {
    query: {
      type: ['object', 'null'],
      description: 'Which records count, as in a search; left out: all',
      properties: { filter: { anyOf: [condition, { type: 'null' }] }, text: anyFieldText },
      additionalProperties: false,
    },
    group_by: {
      type: ['array', 'null'],
      maxItems: mostKeys,
      items: group,
      description: 'Left out: one row over all records. A record counts once for each distinct element of a grouped array',
    },
    measures: {
      type: ['object', 'null'],
      maxProperties: mostMeasures,
      additionalProperties: measure,
      description: 'By their names in the rows; left out: {"count": "count"}',
    },
    include,
    having: { anyOf: [condition, { type: 'null' }], description: 'Which groups, as a filter whose fields are the measures' },
    sort: {
      type: ['array', 'null'],
      maxItems: 16,
      items: { type: 'object', minProperties: 1, maxProperties: 1, additionalProperties: ref('SortDirection') },
      description: 'Names of groups and measures; null comes last. Groups decide between equal ones, ascending',
    },
    limit: { type: ['integer', 'null'], minimum: 1, maximum: mostGroups, default: 1000, description: 'Groups of a page' },
    cursor: {
      type: ['string', 'null'],
      description: `Opaque: \`meta.cursor\` of the page before, with everything but limit the same. Pages end with ${mostGroups} groups: what leads beyond is refused`,
    },
  },
  additionalProperties: false,
}

const { entity, action: _action, params: _params, ...rest } = executeFields

/** The schemas of aggregates. */
export const aggregateSchemas: JsonObject = {
  AggregateRequest: {
    type: 'object',
    title: 'Request of context_store_aggregate',
    description: 'Count and group the records of the synced copy of an entity that can be searched.',
    required: ['entity', 'action'],
    properties: {
      ...obj({ entity }, '').properties,
      action: { type: 'string', const: 'context_store_aggregate' },
      params,
      ...obj(rest, '').properties,
    },
    additionalProperties: false,
  },
  AggregateAnswer: {
    ...part(
      {
        data: list({ type: 'object' }, 'Groups: the values of their keys and their measures, by name'),
        meta: aggregateMeta,
        truncated_fields: opt(truncatedFields),
        context_store: freshness,
      },
      'Groups of the records of an entity in the copy',
    ),
    title: 'Answer of context_store_aggregate',
  },
}
