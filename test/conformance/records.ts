/** What records and meta must be, read off the definition. */
import { Ajv2020 } from 'ajv/dist/2020.js'
import type { ConnectorDefinition } from '../../packages/ferrule/src/definition/connector.ts'
import type { EntityDefinition, Operation } from '../../packages/ferrule/src/definition/entity.ts'
import type { PageDefinition } from '../../packages/ferrule/src/definition/page.ts'
import { writeJson } from '../../packages/ferrule/src/values/json/json.ts'
import type { ExpectedPage } from './answers.ts'
import { plain, valueAt } from './params.ts'
import { isObject, type Values } from './subject.ts'

const moment = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$/
const ajv = new Ajv2020({
  allErrors: true,
  strict: false,
  formats: {
    'date-time': (text: string) => moment.test(text) && !Number.isNaN(Date.parse(text)),
    date: /^\d{4}-\d{2}-\d{2}$/,
    uuid: /^[0-9a-f-]{36}$/,
    int64: true,
  },
})
// Exact integers are bigints beyond 2^53, which ajv knows as no type: a rounded one or a text is told here.
ajv.addKeyword({
  keyword: 'exact',
  errors: false,
  validate: (type: unknown, value: unknown) =>
    typeof value === 'bigint' || Number.isSafeInteger(value) || (value === null && type !== 'integer'),
})
const compared: Readonly<Record<string, RegExp>> = { instant: /^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}$/, decimal: /^-?\d+(\.\d+)?$/ }
ajv.addKeyword({
  keyword: 'x-compare',
  type: 'string',
  errors: false,
  validate: (how: string, text: string) => compared[how]?.test(text) ?? true,
})

/** A schema for records: vendor additions are allowed, and every documented field is there, in inner objects too. */
function generous(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(generous)
  if (!isObject(schema)) return schema
  const { additionalProperties: _closed, properties, required: _some, ...rest } = schema
  if (schema['format'] === 'int64') return { exact: schema['type'] }
  const parts = isObject(properties) ? properties : {}
  return { ...each(rest), properties: each(parts), required: Object.keys(parts) }
}

/** The schemas of the documented fields of an object, or of the objects of a list; none for anything else. */
function innerOf(schema: unknown): Values {
  if (!isObject(schema)) return {}
  return isObject(schema['properties']) ? schema['properties'] : innerOf(schema['items'])
}

/** A row with null for documented fields that the vendor leaves out, in inner objects too. */
function withNulls(fields: Values, row: unknown): unknown {
  if (Array.isArray(row)) return row.map((element) => withNulls(fields, element))
  if (!isObject(row)) return row
  const inner = Object.entries(fields).map(([name, field]) => [name, withNulls(innerOf(field), row[name] ?? null)])
  return { ...row, ...Object.fromEntries(inner) }
}

const each = (parts: Values): Values => Object.fromEntries(Object.entries(parts).map(([name, part]) => [name, generous(part)]))

/** Finds what is wrong with a record: missing fields, undocumented types. */
export function recordProblems(entity: EntityDefinition, record: unknown): string[] {
  const fields = entity.record ?? {}
  const properties = Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, generous(plain(field))]))
  const validate = ajv.compile({ type: 'object', properties, required: Object.keys(fields) })
  validate(record)
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`)
}

/** The records that a page must give: written in the file, or the vendor's rows with null for documented fields that it leaves out. */
export function expectedData(entity: EntityDefinition, operation: Operation, page: ExpectedPage): unknown {
  if (page.data !== undefined) return page.data
  const record = plain(entity.record ?? {})
  const fields = isObject(record) ? record : {}
  const answered = operation.one ? page.exchanges.at(-1) : page.exchanges[0] // what completes a list comes after it
  const found = valueAt(
    answered?.answer.body,
    operation.at.split('.').filter((name) => name !== ''),
  )
  if (!Array.isArray(found)) return withNulls(fields, isObject(found) ? found : {})
  return found.filter((_row, index) => !page.leftOut?.includes(index)).map((row) => withNulls(fields, row))
}

/** Types of the meta fields of the documents. */
const metaTypes: Readonly<Record<string, (value: unknown) => boolean>> = {
  cursor: (value) => typeof value === 'string',
  total_records: Number.isInteger,
  current_page_number: Number.isInteger,
  next_page_url: (value) => typeof value === 'string',
  page_info: (value) =>
    isObject(value) && ['page', 'page_size', 'total_number', 'total_page'].every((name) => Number.isInteger(value[name])),
  request_id: (value) => typeof value === 'string',
  statement_handle: (value) => typeof value === 'string',
  partition_info: Array.isArray,
  next_params: isObject,
  next_operation: isObject,
  warnings: (value) => Array.isArray(value) && value.every((text) => typeof text === 'string'),
}

/** Finds what is wrong with the next number of a numbered page. */
function countProblems(page: PageDefinition, meta: Values): string[] {
  const { meta: field = '', param = '', count } = 'next' in page ? page.next : {}
  if (count === undefined) return []
  const number = Number(valueAt(meta[field], [count.page]))
  const wanted = number < Number(valueAt(meta[field], [count.last])) ? { [param]: number + 1 } : null
  return writeJson(meta['next_params']) === writeJson(wanted) ? [] : [`next_params is not ${writeJson(wanted)}`]
}

/** Finds what is wrong with the meta of a list: missing or unknown keys, undocumented types. */
export function metaProblems(definition: ConnectorDefinition, operation: Operation, meta: Values): string[] {
  const found = definition.pages[operation.page ?? '']
  const page = found === undefined || 'position' in found ? undefined : found
  const counted = operation.hidden !== undefined || operation.join !== undefined
  const count = counted && definition.hidden !== undefined ? [definition.hidden.count] : []
  const parts = page !== undefined && 'parts' in page ? ['next_operation'] : []
  const expected = [...Object.keys(page?.read ?? {}), 'next_params', ...parts, ...count]
  const isTold = [...(definition.problem.partial ?? []), ...(definition.problem.warnings ?? [])].length > 0
  const told = isTold || operation.join !== undefined ? ['warnings'] : []
  const keys = Object.keys(meta)
  return [
    ...expected.filter((name) => !keys.includes(name)).map((name) => `${name} is missing`),
    ...keys.filter((name) => ![...expected, ...told].includes(name)).map((name) => `${name} is not documented`),
    ...(page === undefined ? [] : countProblems(page, meta)),
    ...Object.entries(metaTypes).flatMap(([name, test]) =>
      meta[name] === undefined || meta[name] === null || test(meta[name]) ? [] : [`${name} is ${writeJson(meta[name])}`],
    ),
    ...count.filter((name) => !Number.isInteger(meta[name])).map((name) => `${name} is no count`),
  ]
}
