/** Routes as the paths of the API's document. */
import type { Kind } from '../../definition/connector.ts'
import { plainSchema } from '../../definition/document.ts'
import { type Fields, obj } from '../../definition/fields.ts'
import { type ErrorCode, errorTable } from '../../errors.ts'
import type { Route } from '../http/route.ts'
import { executeExamples } from './execute.ts'
import { ref } from './shared.ts'
import type { JsonObject, RouteDocument, SchemaSource } from './types.ts'

const json = 'application/json'
const form = 'application/x-www-form-urlencoded'
const requestId = { 'X-Request-Id': { $ref: '#/components/headers/RequestId' } }
const replayed = { 'Idempotent-Replayed': { $ref: '#/components/headers/IdempotentReplayed' } }
const rateHeaders = Object.fromEntries(
  ['Limit', 'Remaining', 'Reset'].map((name) => [`RateLimit-${name}`, { $ref: `#/components/headers/RateLimit${name}` }]),
)

const schemaOf = (source: SchemaSource) => (typeof source === 'string' ? ref(source) : plainSchema(source))

const whenAuthenticated: readonly ErrorCode[] = ['missing_token', 'invalid_token', 'token_expired', 'insufficient_scope']
const inOrganization: readonly ErrorCode[] = ['organization_required', 'organization_forbidden', 'validation_failed']
const withBody: readonly ErrorCode[] = ['malformed_json', 'payload_too_large', 'unsupported_media_type']
const always: readonly ErrorCode[] = ['request_timeout', 'internal_error', 'unavailable']

const executeProblems: readonly ErrorCode[] = [
  ...(['connector_not_found', 'workspace_inactive', 'validation_failed', 'entity_not_found', 'action_not_supported'] as const),
  ...([
    'missing_parameter',
    'invalid_parameter',
    'media_selector_required',
    'range_invalid',
    'range_not_satisfiable',
    'invalid_cursor',
  ] as const),
  ...(['record_not_found', 'private_call', 'result_too_large', 'rate_limited', 'overloaded'] as const),
  ...(['field_not_searchable', 'operator_not_supported', 'query_too_complex'] as const),
  ...(['context_store_not_ready', 'context_store_stale', 'context_store_unavailable', 'context_store_timeout'] as const),
  ...(['idempotency_key_conflict', 'idempotency_key_in_flight', 'request_id_conflict', 'outcome_unknown'] as const),
  ...(['statement_not_allowed', 'statement_failed', 'statement_timeout'] as const),
  ...Object.keys(errorTable).filter((code): code is ErrorCode => code.startsWith('upstream_')),
]

/** What an error looks like; slots of its sentence stay as they are. */
function problemExample(code: ErrorCode): JsonObject {
  const { status, message, hint, fault, retryable } = errorTable[code]
  const title = code.charAt(0).toUpperCase() + code.slice(1).replaceAll('_', ' ')
  return { type: `urn:ferrule:error:${code}`, title, status, detail: message, code, message, fault, retryable, hint, errors: [] }
}

/** Answers by status; each says which codes it can carry and shows the first. */
function problemAnswers(codes: readonly ErrorCode[]): JsonObject {
  const byStatus = Map.groupBy(new Set(codes), (code) => errorTable[code].status)
  const sorted = [...byStatus].toSorted(([a], [b]) => a - b)
  return Object.fromEntries(
    sorted.map(([status, list]) => {
      const example = list[0] === undefined ? {} : { example: problemExample(list[0]) }
      return [
        String(status),
        { description: list.join(', '), content: { 'application/problem+json': { schema: ref('Problem'), ...example } } },
      ]
    }),
  )
}

const pathParameters = (path: string) =>
  [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({ name, in: 'path', required: true, schema: { type: 'string' } }))

function queryParameters(query: Fields = {}) {
  const names: unknown = Reflect.get(obj(query, ''), 'required')
  const required: readonly unknown[] = Array.isArray(names) ? names : []
  return Object.entries(query).map(([name, schema]) => {
    const { description, ...rest } = { description: '', ...schema }
    return { name, in: 'query', required: required.includes(name), description, schema: plainSchema(rest) }
  })
}

function requestBody(document: RouteDocument, route: Route): JsonObject {
  if (document.body === undefined) return {}
  const { example } = document
  const media = { schema: schemaOf(document.body), ...(example === undefined ? {} : { example }) }
  const content = { [json]: media, ...(route.form ? { [form]: media } : {}) }
  return { requestBody: { required: document.bodyOptional !== true, content } }
}

function success({ answer }: RouteDocument): JsonObject {
  return {
    [String(answer.status ?? 200)]: {
      description: answer.about,
      headers: requestId,
      content: { [answer.type ?? json]: { schema: schemaOf(answer.schema) } },
    },
  }
}

const problemsOf = (route: Route, own: readonly ErrorCode[]): readonly ErrorCode[] => [
  ...own,
  ...(route.auth === 'none' ? [] : whenAuthenticated),
  ...(route.auth === 'principal' ? inOrganization : []),
  ...(route.method === 'GET' ? [] : withBody),
  ...always,
]

const parametersOf = (route: Route, query?: Fields) => [
  ...pathParameters(route.path),
  ...(route.auth === 'principal' || route.form ? [{ $ref: '#/components/parameters/OrganizationId' }] : []),
  ...queryParameters(query),
]

const security = (route: Route): JsonObject => (route.auth === 'none' ? { security: [] } : {})

function documented(route: Route, document: RouteDocument): JsonObject {
  const scope = document.scope === undefined ? [] : [`Needs the scope \`${document.scope}\`.`]
  return {
    operationId: document.id,
    tags: [document.tag],
    summary: document.summary,
    ...(document.about === undefined && scope.length === 0
      ? {}
      : { description: [...(document.about === undefined ? [] : [document.about]), ...scope].join(' ') }),
    ...security(route),
    parameters: [
      ...parametersOf(route, document.query),
      ...(document.idempotent === true ? [{ $ref: '#/components/parameters/IdempotencyKey' }] : []),
    ],
    ...requestBody(document, route),
    responses: { ...success(document), ...problemAnswers(problemsOf(route, document.problems)) },
  }
}

const bytes = { schema: { type: 'string', format: 'binary' } }
const fileHeaders = Object.fromEntries(
  ['Content-Disposition', 'Content-Length', 'Content-Range', 'Accept-Ranges'].map((name) => [name, { schema: { type: 'string' } }]),
)

/** The execute route: its request and its answer depend on the operation. */
function executePath(route: Route, kinds: readonly Kind[]): JsonObject {
  return {
    operationId: 'execute',
    tags: ['execute'],
    summary: 'Execute an action on an entity',
    description:
      'Every action but `download` answers `{"data": …, "meta": {…}}`: an array of records and where the page stands for `list`, one record for `get`. `download` answers the bytes of the file. ' +
      '`context_store_search` reads the synced copy and answers how fresh it is too, as `context_store`. ' +
      'Reading needs the scope `execute:read`, writing `execute:write`. A write goes on when its client goes away; send an Idempotency-Key to be able to ask for its answer again.',
    parameters: [...parametersOf(route), { $ref: '#/components/parameters/IdempotencyKey' }],
    requestBody: { required: true, content: { [json]: { schema: ref('ExecuteRequest'), examples: executeExamples(kinds) } } },
    responses: {
      200: {
        description: 'Records, or a whole file',
        headers: { ...requestId, ...rateHeaders, ...replayed, ...fileHeaders },
        content: { [json]: { schema: ref('ExecuteAnswer') }, 'application/octet-stream': bytes },
      },
      206: {
        description: 'A part of a file',
        headers: { ...requestId, ...rateHeaders, ...fileHeaders },
        content: { 'application/octet-stream': bytes },
      },
      ...problemAnswers(problemsOf(route, executeProblems)),
    },
  }
}

/** All documented routes by path and method. */
export function pathsOf(routes: readonly Route[], kinds: readonly Kind[]): JsonObject {
  const entries = routes.flatMap((route): [string, string, JsonObject][] => {
    const method = route.method.toLowerCase()
    if (route.document !== undefined) return [[route.path, method, documented(route, route.document)]]
    return route.path.endsWith('/execute') ? [[route.path, method, executePath(route, kinds)]] : []
  })
  const byPath = Map.groupBy(entries, ([path]) => path)
  return Object.fromEntries(
    [...byPath].map(([path, list]) => [path, Object.fromEntries(list.map(([, method, operation]) => [method, operation]))]),
  )
}
