/** Describes a route in blocks, from its part of the API's document. */
import { errorTable, isErrorCode, isObject } from 'ferrule/internal'
import { buildExample } from '../openapi/example.ts'
import { fieldRows } from '../openapi/field-rows.ts'
import type { JsonObject } from '../openapi/types.ts'
import { type Block, code, heading, paragraph, table } from '../reference/blocks.ts'
import { hasMembers, printCurl } from './curl.ts'

/** A route as the document has it. */
export interface DocumentedRoute {
  readonly id: string
  readonly tag: string
  /** In capitals. */
  readonly method: string
  readonly path: string
  readonly summary: string
  readonly operation: JsonObject
}

const json = 'application/json'

const at = (value: unknown, ...names: readonly string[]): unknown =>
  names.reduce((inner: unknown, name) => (isObject(inner) ? inner[name] : undefined), value)
const textAt = (value: unknown, ...names: readonly string[]): string => {
  const text = at(value, ...names)
  return typeof text === 'string' ? text : ''
}
const entriesAt = (value: unknown, ...names: readonly string[]): readonly (readonly [string, unknown])[] => {
  const inner = at(value, ...names)
  return isObject(inner) ? Object.entries(inner) : []
}
const listAt = (value: unknown, ...names: readonly string[]): readonly unknown[] => {
  const inner = at(value, ...names)
  return Array.isArray(inner) ? inner : []
}

/** Puts the parts of the document in place of references to them. A part within itself stays a reference. */
export function resolveParts(value: unknown, document: JsonObject, within: readonly string[] = []): unknown {
  if (Array.isArray(value)) return value.map((each) => resolveParts(each, document, within))
  if (!isObject(value)) return value
  const { $ref: name } = value
  if (typeof name !== 'string')
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, resolveParts(each, document, within)]))
  return within.includes(name) ? value : resolveParts(at(document, ...name.split('/').slice(1)), document, [...within, name])
}

const fieldsOf = (schema: unknown): readonly Block[] => {
  const rows = fieldRows(at(schema, 'type') === 'array' ? at(schema, 'items') : schema)
  if (rows.length === 0) return []
  return [
    table(
      ['Name', 'Type', 'Always', 'Meaning'],
      rows.map(({ path, type, required, about }) => [`\`${path}\``, type, required ? 'yes' : 'no', about]),
    ),
  ]
}

function describeParameters(operation: unknown): readonly Block[] {
  const rows = listAt(operation, 'parameters').map((each) => {
    const schema = at(each, 'schema')
    const [row] = fieldRows({ type: 'object', properties: { value: isObject(schema) ? schema : {} } })
    const isRequired = at(each, 'required') === true
    return [`\`${textAt(each, 'name')}\``, textAt(each, 'in'), row?.type ?? 'any', isRequired ? 'yes' : 'no', textAt(each, 'description')]
  })
  if (rows.length === 0) return []
  return [heading(2, 'Parameters'), table(['Name', 'In', 'Type', 'Required', 'Meaning'], rows)]
}

function describeBody(operation: unknown): readonly Block[] {
  const types = entriesAt(operation, 'requestBody', 'content')
  const [, media] = types[0] ?? []
  if (media === undefined) return []
  const needed = at(operation, 'requestBody', 'required') === true ? 'The body is required' : 'The body can be left out'
  const fields = fieldsOf(at(media, 'schema')).map((block) => ({ ...block, headers: ['Name', 'Type', 'Required', 'Meaning'] }))
  return [heading(2, 'Body'), paragraph(`${needed}: ${types.map(([type]) => `\`${type}\``).join(' or ')}.`), ...fields]
}

function describeAnswers(operation: unknown): readonly Block[] {
  const answers = entriesAt(operation, 'responses').filter(([status]) => Number(status) < 400)
  return [
    heading(2, 'Answers'),
    ...answers.flatMap(([status, answer]) => {
      const types = entriesAt(answer, 'content')
      const as = types.length === 0 ? '' : ` As ${types.map(([type]) => `\`${type}\``).join(' or ')}.`
      const schema = at(answer, 'content', json, 'schema')
      return [paragraph(`**${status}** ${textAt(answer, 'description')}.${as}`), ...fieldsOf(schema)]
    }),
  ]
}

function describeErrors(operation: unknown): readonly Block[] {
  const rows = entriesAt(operation, 'responses')
    .filter(([status]) => Number(status) >= 400)
    .flatMap(([status, answer]) =>
      textAt(answer, 'description')
        .split(', ')
        .filter(isErrorCode)
        .map((each) => [status, `\`${each}\``, errorTable[each].message, errorTable[each].hint]),
    )
  const about = 'Errors are problem details (RFC 9457). Branch on `code`; `errors` names each place of the request that is wrong.'
  return [heading(2, 'Errors'), paragraph(about), table(['Status', 'Code', 'Sentence', 'Next step'], rows)]
}

function describeExample({ method, path, operation }: DocumentedRoute): readonly Block[] {
  const media = at(operation, 'requestBody', 'content', json)
  const body = media === undefined ? undefined : (at(media, 'example') ?? buildExample(at(media, 'schema'), 'body'))
  const hasToken = listAt(operation, 'security').length > 0 || at(operation, 'security') === undefined
  const types = entriesAt(operation, 'responses', '200', 'content').map(([type]) => type)
  const accepts = types.includes(json) || types.includes('*/*') ? undefined : types[0]
  const isNeeded = at(operation, 'requestBody', 'required') === true || hasMembers(body)
  return [
    heading(2, 'Example'),
    code('sh', printCurl({ method, path, hasToken, accepts, ...(isNeeded && body !== undefined ? { body } : {}) })),
  ]
}

/** Describes a route: parameters, body, example, answers and errors. Its references must be resolved. */
export const describeRoute = (route: DocumentedRoute): readonly Block[] => [
  ...(textAt(route.operation, 'description') === '' ? [] : [paragraph(textAt(route.operation, 'description'))]),
  ...describeExample(route),
  ...describeParameters(route.operation),
  ...describeBody(route.operation),
  ...describeAnswers(route.operation),
  ...describeErrors(route.operation),
]

/** Lists the routes of the API's document. */
export const listRoutes = (document: JsonObject): readonly DocumentedRoute[] =>
  entriesAt(document, 'paths').flatMap(([path, methods]) =>
    entriesAt(methods).map(([method, operation]) => ({
      ...{ id: textAt(operation, 'operationId'), method: method.toUpperCase(), path, summary: textAt(operation, 'summary') },
      tag: String(listAt(operation, 'tags')[0]),
      operation: isObject(operation) ? operation : {},
    })),
  )
