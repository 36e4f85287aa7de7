/** Documentation pages that are printed from tables and definitions: errors, settings, HTTP routes, and one reference page per kind. */
import type { Kind } from 'ferrule/definition'
import {
  type Block,
  buildExample,
  code,
  errorTable,
  fieldRows,
  heading,
  isErrorCode,
  isObject,
  joinPage,
  paragraph,
  printBlocks,
  printKindPage,
  printRecordLink,
  table,
  toPlainSchema,
} from 'ferrule/internal'
import { endpoints, executeInput } from 'ferrule/wire'
import { describeSettings } from '../../main/settings/table.ts'
import { type JsonObject, tags } from '../openapi/types.ts'

const printedBy = 'npm run gen'

const page = (...parts: readonly string[]): string => joinPage(printedBy, ...parts)

/** docs/errors.md */
export function errorsPage(): string {
  const rows = Object.entries(errorTable).map(([code, { status, fault, retryable, message, hint }]) => [
    `\`${code}\``,
    String(status),
    fault,
    retryable ? 'yes' : 'no',
    message,
    hint,
  ])
  return page(
    '# Errors',
    'Every error is a problem (RFC 9457, `application/problem+json`) with these codes; the library throws them as `FerruleError`. Branch on `code`. ' +
      '`fault` says whose turn it is: the caller changes the request, the credentials are replaced or granted more, the vendor or the service needs time. ' +
      '`retryable` says whether the same request can succeed later; writes whose outcome is not known say no. `errors` names each field of a request that is wrong.',
    printBlocks([table(['Code', 'Status', 'Fault', 'Retryable', 'Sentence', 'Next step'], rows)]),
  )
}

/** docs/settings.md */
export function settingsPage(): string {
  const rows = describeSettings().map(({ name, type, default: standard, about, secret }) => [
    `\`${name}\``,
    about,
    type,
    standard,
    secret ? 'yes' : 'no',
  ])
  return page(
    '# Settings',
    'Environment variables, checked at start: a wrong value or a misspelt name ends the start with one sentence and exit code 78. `ferrule-server settings` prints the same. ' +
      'A secret can be in a file: `DATABASE_URL_FILE`, for example, is its path. A newline at the end of a secret is cut.',
    printBlocks([table(['Name', 'Meaning', 'Value', 'Default', 'Secret'], rows)]),
  )
}

/** docs/reference/<kind>.md */
export const referencePage = (kind: Kind): string => printKindPage(kind, printedBy)

/** docs/reference/http.md @param document of the API, without kinds */
export const routesPage = (document: JsonObject, kinds: readonly Kind[]): string =>
  page(
    '# HTTP routes',
    'Every route of the service. `/openapi.json` is the same for machines, with all operations of all kinds. The examples take `FERRULE_URL`, ' +
      '`FERRULE_TOKEN` and the ids of paths from variables of the shell. Errors are problem details (RFC 9457): branch on `code`, and see ' +
      '[Errors](../errors.md) for the next step of each.',
    printBlocks(describeRoutes(document, kinds)),
  )

const json = 'application/json'
/** What execute takes from every kind; its records are on the pages of the kinds. */
const executeRequest = toPlainSchema(executeInput)

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

/** Reads what a reference names; other values stay as they are. */
const followReference = (value: unknown, document: JsonObject): unknown => {
  const reference = textAt(value, '$ref')
  return reference === '' ? value : at(document, ...reference.split('/').slice(1))
}

/** Puts the parts of the document instead of references to them. A part within itself stays a reference. */
function resolveParts(value: unknown, document: JsonObject, within: readonly string[] = []): unknown {
  if (Array.isArray(value)) return value.map((each) => resolveParts(each, document, within))
  if (!isObject(value)) return value
  const name = textAt(value, '$ref')
  if (within.includes(name)) return value
  if (name !== '') return resolveParts(followReference(value, document), document, [...within, name])
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, resolveParts(each, document, within)]))
}

interface DocumentedRoute {
  /** In capitals. */
  readonly method: string
  readonly path: string
  readonly operation: JsonObject
}

const listRoutes = (document: JsonObject): readonly DocumentedRoute[] =>
  entriesAt(document, 'paths').flatMap(([path, methods]) =>
    entriesAt(methods).map(([method, operation]) => ({
      method: method.toUpperCase(),
      path,
      operation: isObject(operation) ? operation : {},
    })),
  )

function describeFields(schema: unknown, header: string): readonly Block[] {
  const rows = fieldRows(schema).map(({ path, type, required, about }) => [`\`${path}\``, type, required ? 'yes' : 'no', about])
  return rows.length === 0 ? [] : [table(['Name', 'Type', header, 'Meaning'], rows)]
}

const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

/** Builds the call of curl. The address, the token and the ids in a path are variables of the shell. */
function describeExample({ method, path, operation }: DocumentedRoute, document: JsonObject): Block {
  const media = at(operation, 'requestBody', 'content', json)
  const body = media === undefined ? undefined : (at(media, 'example') ?? buildExample(resolveParts(at(media, 'schema'), document), 'body'))
  const isNeeded = at(operation, 'requestBody', 'required') === true || (isObject(body) && Object.keys(body).length > 0)
  const types = entriesAt(operation, 'responses', '200', 'content').map(([type]) => type)
  const url = path.replaceAll(/\{(\w+)\}/g, (_slot, name: string) => `$${name.toUpperCase()}`)
  const lines = [
    `curl ${method === (isNeeded ? 'POST' : 'GET') ? '' : `-X ${method} `}"$FERRULE_URL${url}"`,
    ...(at(operation, 'security') === undefined ? ['-H "Authorization: Bearer $FERRULE_TOKEN"'] : []),
    ...(types.length === 0 || types.includes(json) ? [] : [`-H 'Accept: ${types[0]}'`]),
    "-w '\\n'",
    ...(isNeeded ? ["-H 'Content-Type: application/json'", `-d ${quote(JSON.stringify(body, null, 2))}`] : []),
  ]
  return code('sh', lines.join(' \\\n  '))
}

function describeParameters(operation: JsonObject, document: JsonObject): readonly Block[] {
  const rows = listAt(operation, 'parameters').map((reference) => {
    const each = followReference(reference, document)
    const [row] = fieldRows({ type: 'object', properties: { value: at(each, 'schema') } })
    const required = at(each, 'required') === true ? 'yes' : 'no'
    return [`\`${textAt(each, 'name')}\``, textAt(each, 'in'), row?.type ?? 'any', required, textAt(each, 'description')]
  })
  return rows.length === 0 ? [] : [table(['Parameter', 'In', 'Type', 'Required', 'Meaning'], rows)]
}

function describeBody(operation: JsonObject, document: JsonObject): readonly Block[] {
  const types = entriesAt(operation, 'requestBody', 'content')
  const [first] = types
  if (first === undefined) return []
  const needed = at(operation, 'requestBody', 'required') === true ? '' : ', which can be left out'
  const about = paragraph(`Body${needed}: ${types.map(([type]) => `\`${type}\``).join(' or ')}.`)
  return [about, ...describeFields(followReference(at(first[1], 'schema'), document), 'Required')]
}

function describeAnswers(operation: JsonObject): readonly Block[] {
  const answers = entriesAt(operation, 'responses').filter(([status]) => Number(status) < 400)
  return answers.flatMap(([status, answer]) => {
    const types = entriesAt(answer, 'content').map(([type]) => `\`${type}\``)
    const schema = at(answer, 'content', json, 'schema')
    const name = textAt(schema, '$ref').split('/').at(-1) ?? ''
    const record = name === '' || name.startsWith('Execute') ? '' : `, ${printRecordLink(name)}`
    const as = types.length === 0 ? '' : ` As ${types.join(' or ')}${record}.`
    const list = textAt(schema, 'type') === 'array' ? textAt(schema, 'items', '$ref').split('/').at(-1) : ''
    return [
      paragraph(`**${status}** ${textAt(answer, 'description')}.${as}${list ? ` Each is ${printRecordLink(list)}.` : ''}`),
      ...describeFields(schema, 'Always'),
    ]
  })
}

function describeErrors(operation: JsonObject): Block {
  const codes = entriesAt(operation, 'responses')
    .filter(([status]) => Number(status) >= 400)
    .flatMap(([, answer]) => textAt(answer, 'description').split(', '))
    .filter(isErrorCode)
  return paragraph(`Errors: ${codes.map((each) => `\`${each}\` (${errorTable[each].status})`).join(', ')}.`)
}

function describeRoute(route: DocumentedRoute, document: JsonObject, kinds: readonly Kind[]): readonly Block[] {
  const { method, path, operation } = route
  const about = textAt(operation, 'description')
  const pages = kinds.map(({ definition: { kind, title } }) => `[${title}](${kind}.md)`).join(', ')
  return [
    heading(3, textAt(operation, 'summary')),
    paragraph(`\`${method} ${path}\``),
    ...(about === '' ? [] : [paragraph(about)]),
    ...(path === endpoints.execute.path ? [paragraph(`Entities, actions, parameters and records: ${pages}.`)] : []),
    describeExample(route, document),
    ...describeParameters(operation, document),
    ...describeBody(operation, document),
    ...describeAnswers(operation),
    describeErrors(operation),
  ]
}

/** Lists the named schemas that tables of routes link to, and those that their own tables link to. */
function listRecords(routes: readonly DocumentedRoute[], document: JsonObject): ReadonlyMap<string, unknown> {
  const records = new Map<string, unknown>()
  const add = (value: unknown): void => {
    for (const [, name = ''] of JSON.stringify(value ?? null).matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
      if (records.has(name) || name.startsWith('Execute')) continue
      const schema = at(document, 'components', 'schemas', name)
      records.set(name, schema)
      add(schema)
    }
  }
  for (const { operation } of routes) {
    for (const [, media] of entriesAt(operation, 'requestBody', 'content')) add(followReference(at(media, 'schema'), document))
    for (const [status, answer] of entriesAt(operation, 'responses')) if (Number(status) < 400) add(at(answer, 'content', json))
  }
  return records
}

/**
 * Describes all routes by their groups, then the records that several of them have.
 * @param given the API's document, without kinds
 * @param kinds whose pages the route of calls leads to
 */
function describeRoutes(given: JsonObject, kinds: readonly Kind[]): readonly Block[] {
  const schemas = at(given, 'components', 'schemas')
  const document = {
    ...given,
    components: { ...Object(given['components']), schemas: { ...Object(schemas), ExecuteRequest: executeRequest, ExecuteAnswer: {} } },
  }
  const routes = listRoutes(document)
  const groups = Object.entries(tags).flatMap(([tag, about]) => [
    heading(2, tag.charAt(0).toUpperCase() + tag.slice(1)),
    paragraph(`${about}.`),
    ...routes.filter(({ operation }) => listAt(operation, 'tags').includes(tag)).flatMap((route) => describeRoute(route, document, kinds)),
  ])
  const records = [...listRecords(routes, document)].toSorted(([one], [other]) => (one < other ? -1 : 1))
  const described = records.flatMap(([name, schema]) => [
    heading(3, name),
    ...(textAt(schema, 'description') === '' ? [] : [paragraph(`${textAt(schema, 'description')}.`)]),
    ...describeFields(schema, 'Always'),
  ])
  return [...groups, heading(2, 'Records'), paragraph('What several routes answer with.'), ...described]
}
