/** The execute route in the API's document: one request and one answer for every operation of every kind. */
import {
  type EntityDefinition,
  type Field,
  type Fields,
  int,
  type Kind,
  type LiveAction,
  list,
  type Operation,
  obj,
  open,
  opt,
  orNull,
  type PageShape,
  str,
} from 'ferrule/definition'
import { buildObjectSchema, isObject, liveActions } from 'ferrule/internal'
import { executeFields, freshness } from 'ferrule/wire'
import { buildExample, type CallExample } from './example.ts'
import { searchExamples, searchNames, searchSchemas } from './search.ts'
import { ref, truncatedFields } from './shared.ts'
import type { JsonObject } from './types.ts'

/** One operation, with everything that its schemas are made from. */
interface DocumentedOperation {
  readonly kind: Kind
  readonly name: string
  readonly entity: EntityDefinition
  readonly action: LiveAction
  readonly operation: Operation
}

const metaFields: Readonly<Record<PageShape, Fields>> = {
  cursor: {
    cursor: orNull(str('Cursor of the next page; null at the end')),
    total_records: orNull(int('Records of all pages')),
    current_page_number: orNull(int('Number of this page')),
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

/** Every live operation, in the order of the definitions. */
const documentedOperations = (kinds: readonly Kind[]): DocumentedOperation[] =>
  kinds.flatMap((kind) =>
    Object.entries(kind.definition.entities).flatMap(([name, entity]) =>
      liveActions.flatMap((action) => {
        const operation = entity[action]
        return operation === undefined ? [] : [{ kind, name, entity, action, operation }]
      }),
    ),
  )

const entityName = ({ kind, name }: DocumentedOperation): string => `${kind.definition.kind}.${name}`
const operationName = (each: DocumentedOperation): string => `${entityName(each)}.${each.action}`
const sentence = ({ entity, operation }: DocumentedOperation): string => operation.about ?? entity.about

function requestSchema(each: DocumentedOperation): JsonObject {
  const params = buildObjectSchema(each.operation.params)
  const isRequired = Array.isArray(Reflect.get(params, 'required'))
  const { entity: _entity, action: _action, params: _params, ...rest } = executeFields
  const { properties } = obj(rest, '')
  return {
    type: 'object',
    title: `Request of ${entityName(each)} ${each.action}`,
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
  const record = ref(`${entityName(each)}.Record`)
  const meta =
    isList || each.operation.page !== undefined
      ? { ...metaFields[each.operation.page ?? 'none'], ...nextParams, ...buildCountField(each), ...buildWarningsField(each) }
      : {}
  const truncated = isList ? { truncated_fields: opt(truncatedFields) } : {}
  const data = isList && !each.operation.one ? list(record, 'Records of this page') : record
  return {
    ...obj({ data, meta: obj(meta, 'Where the page stands'), ...truncated }, sentence(each)),
    title: `Answer of ${entityName(each)} ${each.action}`,
    additionalProperties: undefined,
  }
}

/** An answer after select_fields or exclude_fields. */
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

/** Schemas of all operations, searches included: records, requests, answers, and the two unions that the route takes and gives. */
export function executeSchemas(kinds: readonly Kind[]): JsonObject {
  const operations = documentedOperations(kinds)
  const withData = operations.filter(({ action }) => action !== 'download')
  const searches = searchNames(kinds)
  return {
    ...Object.fromEntries(withData.map((each) => [`${entityName(each)}.Record`, recordSchema(each)])),
    ...Object.fromEntries(operations.map((each) => [`${operationName(each)}.Request`, requestSchema(each)])),
    ...Object.fromEntries(withData.map((each) => [`${operationName(each)}.Answer`, answerSchema(each)])),
    ...searchSchemas(kinds),
    ExecuteRequest: { anyOf: [...operations.map(operationName), ...searches].map((name) => ref(`${name}.Request`)) },
    CutAnswer: cutAnswer,
    ExecuteAnswer: { anyOf: [...[...withData.map(operationName), ...searches].map((name) => ref(`${name}.Answer`)), ref('CutAnswer')] },
  }
}

/** One example for every operation, the smallest call that is complete, and one for every search. */
export function executeExamples(kinds: readonly Kind[]): Readonly<Record<string, CallExample>> {
  const exampleFor = ({ name, action, operation }: DocumentedOperation) => {
    const params = buildExample(buildObjectSchema(operation.params), 'params')
    return !isObject(params) || Object.keys(params).length === 0 ? { entity: name, action } : { entity: name, action, params }
  }
  const live = documentedOperations(kinds).map(
    (each) => [operationName(each), { summary: `${entityName(each)} ${each.action}`, value: exampleFor(each) }] as const,
  )
  return { ...Object.fromEntries(live), ...searchExamples(kinds) }
}
