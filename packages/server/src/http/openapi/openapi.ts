/** The API's document (OpenAPI 3.1), printed from the routes and the kinds. It is made of texts, so that no step of its making is long. */

import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { createGzip } from 'node:zlib'
import type { ErrorCode } from 'ferrule'
import type { Field, Kind } from 'ferrule/definition'
import { BoundedMap, buildCallExamples, errorTable, fail, toPlainSchema } from 'ferrule/internal'
import { endEvent, endpoints, problemDetails } from 'ferrule/wire'
import type { ServedKind } from '../../connectors/connector-types.ts'
import { scopes } from '../../values/access.ts'
import { longestSliceMs, type Steps, workInSlices } from '../../values/slices.ts'
import { version } from '../../values/version.ts'
import type { Route } from '../route.ts'
import { aggregateSchemas, listKindSchemas, sharedSchemas } from './execute.ts'
import { namedSchemas, printSchema, ref, splitTypes } from './shared.ts'
import {
  type ContentDocument,
  type JsonAnswerDocument,
  type JsonObject,
  type OpenApiDocuments,
  type PackedDocument,
  type ProblemDocument,
  type RouteDocument,
  tags,
  upstreamProblems,
} from './types.ts'

/** Sources of the document. */
export interface OpenApiSource {
  readonly routes: readonly Route[]
  readonly kinds: readonly Kind[]
  /** Address that clients use; left out: the address that the document came from. */
  readonly serverUrl?: string | undefined
}

const integerHeader = (description: string) => ({ description, schema: { type: 'integer' } })

const headers = {
  RequestId: { description: 'Id of the request: the one that was sent, or a new one', schema: { type: 'string' } },
  RateLimitLimit: integerHeader('Execute calls per minute for the organization'),
  RateLimitRemaining: integerHeader('Calls that are left in this minute'),
  RateLimitReset: integerHeader('Seconds until the minute ends'),
  IdempotentReplayed: {
    description: '`true`: the answer of an earlier call with the same Idempotency-Key, byte for byte; nothing was done now',
    schema: { type: 'string', enum: ['true'] },
  },
}
const parameters = {
  OrganizationId: {
    name: 'X-Organization-Id',
    in: 'header',
    required: false,
    description: 'Organization; needed when the client reaches several',
    schema: { type: 'string', format: 'uuid' },
  },
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    required: false,
    description:
      'For create, update and delete: a text of your own for one write on this connector. A repeat of the call with the same key writes nothing and gives the first answer again, for 24 hours. Reads take no notice of it.',
    schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[ -~]+$' },
  },
}
const securitySchemes = (serverUrl = '') => ({
  client: {
    type: 'oauth2',
    description: 'Client id and client secret; the token is fetched for you',
    flows: {
      clientCredentials: {
        tokenUrl: `${serverUrl}/api/v1/account/applications/token`,
        scopes: Object.fromEntries(scopes.map((scope) => [scope, scope.replace(':', ', ')])),
      },
    },
  },
  bearer: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description: 'The access_token of POST /api/v1/account/applications/token',
  },
})

/** The schemas that a route names: its body, its answer and its events. */
const wireSchemas = ({ document }: Route): unknown[] =>
  document === undefined
    ? []
    : [document.body, 'schema' in document.answer ? document.answer.schema : undefined, document.answer.event?.data]

/** Texts of JSON about kinds, for the parts of the document that name operations. */
export interface KindTexts {
  /** Members of the examples of execute. */
  readonly examples: string[]
  readonly schemas: string[]
  /** Elements of the union of requests. */
  readonly requests: string[]
  /** Elements of the union of answers. */
  readonly answers: string[]
}

const printMember = (name: string, value: unknown): string => `${JSON.stringify(name)}:${JSON.stringify(value)}`
const printComponent = (name: string, schema: unknown): string => printMember(name, splitTypes(toPlainSchema(schema)))

/** Prints what the document says of kinds, in steps that are short for any kind. */
export function* printKinds(kinds: readonly Kind[]): Steps<KindTexts> {
  const texts: KindTexts = { examples: [], schemas: [], requests: [], answers: [] }
  for (const kind of kinds) {
    for (const [name, example] of Object.entries(buildCallExamples([kind]))) texts.examples.push(printMember(name, example))
    yield
    const seen = new Set<string>()
    for (const [name, schema] of listKindSchemas(kind)) {
      if (seen.has(name)) continue
      seen.add(name)
      texts.schemas.push(printComponent(name, schema))
      if (name.endsWith('.Request')) texts.requests.push(JSON.stringify(ref(name)))
      if (name.endsWith('.Answer')) texts.answers.push(JSON.stringify(ref(name)))
      yield
    }
  }
  return texts
}

/** Texts of JSON that no kind changes. */
export interface Frame {
  readonly start: string
  /** Members of `paths`. The examples of execute are empty. */
  readonly paths: string
  readonly schemas: readonly string[]
  readonly end: string
}

const about = {
  openapi: '3.1.0',
  info: {
    title: 'Ferrule',
    version,
    description:
      'One operation over every external system: execute an action on an entity with parameters. Errors are problem details (RFC 9457).',
    license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
  },
}

/** Prints the document without kinds, in short steps. */
export function* printFrame({ routes, serverUrl }: Omit<OpenApiSource, 'kinds'>): Steps<Frame> {
  const named = { ...namedSchemas([problemDetails, ...routes.flatMap(wireSchemas)]), ...sharedSchemas, ...aggregateSchemas }
  yield
  const schemas: string[] = []
  for (const [name, schema] of Object.entries(named)) {
    schemas.push(printComponent(name, schema))
    yield
  }
  const start = {
    ...about,
    servers: [{ url: serverUrl ?? '/' }],
    security: [{ client: [] }, { bearer: [] }],
    tags: Object.entries(tags).map(([name, description]) => ({ name, description })),
  }
  return {
    start: JSON.stringify(start).slice(0, -1),
    paths: yield* printPaths(routes),
    schemas,
    end: JSON.stringify({ headers, parameters, securitySchemes: securitySchemes(serverUrl) }).slice(1),
  }
}

/** Lists texts with commas between them. */
function* listJoined(lists: Iterable<readonly string[]>): Generator<string> {
  let isFirst = true
  for (const list of lists)
    for (const text of list) {
      if (!isFirst) yield ','
      isFirst = false
      yield text
    }
}

const noExamples = '"examples":{}'

/** Lists the parts of the document's text: the same parts give the same text. */
export function* joinDocument({ start, paths, schemas, end }: Frame, kinds: readonly KindTexts[]): Generator<string> {
  const [before = '', after] = paths.split(noExamples)
  yield `${start},"paths":{${before}`
  if (after !== undefined) {
    yield '"examples":{'
    yield* listJoined(kinds.map(({ examples }) => examples))
    yield `}${after}`
  }
  yield '},"components":{"schemas":{'
  yield* listJoined([schemas, ...kinds.map((each) => each.schemas)])
  yield ',"ExecuteRequest":{"anyOf":['
  yield* listJoined([...kinds.map(({ requests }) => requests), [JSON.stringify(ref('AggregateRequest'))]])
  yield ']},"ExecuteAnswer":{"anyOf":['
  yield* listJoined([...kinds.map(({ answers }) => answers), ['AggregateAnswer', 'CutAnswer'].map((name) => JSON.stringify(ref(name)))])
  yield `]}},${end}}`
}

function finish<T>(work: Steps<T>): T {
  let step = work.next()
  while (step.done !== true) step = work.next()
  return step.value
}

/** Builds the document. A service prints it in steps instead. */
export const openApiDocument = ({ kinds, ...source }: OpenApiSource): JsonObject =>
  JSON.parse([...joinDocument(finish(printFrame(source)), [finish(printKinds(kinds))])].join('')) // JSON that was just printed

const json = 'application/json'
const form = 'application/x-www-form-urlencoded'
const requestId = { 'X-Request-Id': { $ref: '#/components/headers/RequestId' } }
const replayed = { 'Idempotent-Replayed': { $ref: '#/components/headers/IdempotentReplayed' } }
const rateHeaders = Object.fromEntries(
  ['Limit', 'Remaining', 'Reset'].map((name) => [`RateLimit-${name}`, { $ref: `#/components/headers/RateLimit${name}` }]),
)

const whenAuthenticated: readonly ErrorCode[] = ['missing_token', 'invalid_token', 'token_expired', 'session_ended', 'insufficient_scope']
const inOrganization: readonly ErrorCode[] = ['organization_required', 'organization_forbidden', 'validation_failed']
const withBody: readonly ErrorCode[] = ['malformed_json', 'payload_too_large', 'unsupported_media_type']
/** A slot that is too long or cannot be decoded. */
const withSlots: readonly ErrorCode[] = ['not_found']
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
  ...upstreamProblems,
]

/** Builds an example of an error; the slots of its message stay unfilled. */
function problemExample(code: ErrorCode): JsonObject {
  const { status, message, hint, fault, retryable } = errorTable[code]
  const title = code.charAt(0).toUpperCase() + code.slice(1).replaceAll('_', ' ')
  return { type: `urn:ferrule:error:${code}`, title, status, detail: message, code, message, fault, retryable, hint, errors: [] }
}

/** Prints answers by status; each lists its codes and shows the first. */
function problemAnswers(problems: readonly ProblemDocument[]): JsonObject {
  const byStatus = Map.groupBy(problems, (problem) => (typeof problem === 'string' ? errorTable[problem].status : problem.status))
  const sorted = [...byStatus].toSorted(([a], [b]) => a - b)
  return Object.fromEntries(
    sorted.map(([status, list]) => {
      const codes = [...new Set(list.map((problem) => (typeof problem === 'string' ? problem : problem.code)))]
      const example = codes[0] === undefined ? {} : { example: { ...problemExample(codes[0]), status } }
      const content = { 'application/problem+json': { schema: printSchema(problemDetails), ...example } }
      return [String(status), { description: codes.join(', '), content }]
    }),
  )
}

function queryParameters(query: Field = {}) {
  const names: unknown = Reflect.get(query, 'required')
  const required: readonly unknown[] = Array.isArray(names) ? names : []
  return Object.entries(query.properties ?? {}).map(([name, schema]) => {
    const { description, ...rest } = { description: '', ...schema }
    return { name, in: 'query', required: required.includes(name), description, schema: toPlainSchema(rest) }
  })
}

function requestBody(document: RouteDocument, route: Route): JsonObject {
  if (document.body === undefined) return {}
  const { example } = document
  const media = { schema: printSchema(document.body), ...(example === undefined ? {} : { example }) }
  const content = { [json]: media, ...(route.form ? { [form]: media } : {}) }
  return { requestBody: { required: document.bodyOptional !== true, content } }
}

const entityTag = { ETag: { schema: { type: 'string' } } }

function success({ answer }: RouteDocument): JsonObject {
  const isTagged = 'schema' in answer && answer.isTagged === true
  const headers = isTagged ? { ...requestId, ...entityTag } : requestId
  return {
    ...(isTagged ? { 304: { description: 'Unchanged since the answer that `If-None-Match` names', headers } } : {}),
    [String('schema' in answer ? (answer.status ?? 200) : 200)]: {
      description: answer.about,
      headers,
      content: 'schema' in answer ? printJson(answer) : printContent(answer),
    },
    ...('types' in answer && answer.isPartial === true
      ? { 206: { description: 'The part that `Range` asks for', headers, content: printContent(answer) } }
      : {}),
  }
}

const printJson = ({ schema, event }: JsonAnswerDocument): JsonObject => ({
  [json]: { schema: printSchema(schema) },
  ...(event === undefined ? {} : printContent({ types: ['text/event-stream'], event })),
})

/** OpenAPI 3.1 has no words for the events of a stream, so an extension shows their data by name. */
function printContent({ types, event }: Pick<ContentDocument, 'types' | 'event'>): JsonObject {
  const named = event === undefined ? [] : [event, endEvent]
  const events = event === undefined ? {} : { 'x-events': Object.fromEntries(named.map(({ name, data }) => [name, printSchema(data)])) }
  return Object.fromEntries(types.map((type) => [type, { schema: { type: 'string' }, ...events }]))
}

const listProblems = (route: Route, own: readonly ProblemDocument[]): readonly ProblemDocument[] => [
  ...own,
  ...(route.path.includes('{') ? withSlots : []),
  ...(route.auth === 'none' ? [] : whenAuthenticated),
  ...(route.auth === 'principal' ? inOrganization : []),
  ...(route.method === 'GET' ? [] : withBody),
  ...always,
]

const listParameters = (route: Route, query?: Field) => [
  ...[...route.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({ name, in: 'path', required: true, schema: { type: 'string' } })),
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
      ...listParameters(route, document.query),
      ...(route.takesKey === true ? [{ $ref: '#/components/parameters/IdempotencyKey' }] : []),
    ],
    ...requestBody(document, route),
    responses: { ...success(document), ...problemAnswers(listProblems(route, document.problems)) },
  }
}

const bytes = { schema: { type: 'string', format: 'binary' } }
// Any type that the vendor gives a file. Generators that do not know the second read the first.
const file = { 'application/octet-stream': bytes, '*/*': bytes }
const fileHeaders = Object.fromEntries(
  ['Content-Disposition', 'Content-Length', 'Content-Range', 'Accept-Ranges', 'ETag'].map((name) => [name, { schema: { type: 'string' } }]),
)

/** The execute route: its request and its answer depend on the operation. */
function executePath(route: Route): JsonObject {
  return {
    operationId: 'execute',
    tags: ['execute'],
    summary: 'Execute an action on an entity',
    description:
      'Every action but `download` answers `{"data": …, "meta": {…}}`: an array of records and where the page stands for `list`, one record for `get`. `download` answers the bytes of the file. ' +
      '`context_store_search` reads the synced copy, and `context_store_aggregate` counts and groups its records; both answer how fresh it is too, as `context_store`. ' +
      'Reading needs the scope `execute:read`, writing `execute:write`. A write continues when its client disconnects. Send an Idempotency-Key to ask for its answer again.',
    parameters: [...listParameters(route), { $ref: '#/components/parameters/IdempotencyKey' }],
    requestBody: { required: true, content: { [json]: { schema: ref('ExecuteRequest'), examples: {} } } },
    responses: {
      200: {
        description: 'Records, or a whole file',
        headers: { ...requestId, ...rateHeaders, ...replayed, ...fileHeaders },
        content: { [json]: { schema: ref('ExecuteAnswer') }, ...file },
      },
      206: {
        description: 'A part of a file',
        headers: { ...requestId, ...rateHeaders, ...fileHeaders },
        content: file,
      },
      ...problemAnswers(listProblems(route, executeProblems)),
    },
  }
}

const describeRoute = (route: Route): JsonObject | undefined => {
  if (route.document !== undefined) return documented(route, route.document)
  return route.path === endpoints.execute.path ? executePath(route) : undefined
}

/** Prints all documented routes by path and method, one in each step. */
function* printPaths(routes: readonly Route[]): Steps<string> {
  const paths = new Map<string, string[]>()
  for (const route of routes) {
    const described = describeRoute(route)
    if (described === undefined) continue
    paths.set(route.path, [...(paths.get(route.path) ?? []), printMember(route.method.toLowerCase(), described)])
    yield
  }
  return [...paths].map(([path, methods]) => `${JSON.stringify(path)}:{${methods.join(',')}}`).join(',')
}

const mostCharacters = 32 * 1024 * 1024
const mostKeptBytes = 16 * 1024 * 1024

async function* slice(texts: Iterable<string>, onText: (text: string) => void): AsyncGenerator<string> {
  let [joined, began] = ['', performance.now()]
  for (const text of texts) {
    joined += text
    if (joined.length < 65_536 && performance.now() - began < longestSliceMs) continue
    onText(joined)
    yield joined
    await yieldToEventLoop()
    joined = ''
    began = performance.now()
  }
  onText(joined)
  yield joined
}

/** Compresses texts, outside of the loop. */
async function packDocument(texts: Iterable<string>): Promise<PackedDocument> {
  const digest = createHash('sha256')
  const parts = Readable.from(slice(texts, (text) => digest.update(text)))
  const packed = await pipeline(parts, createGzip(), (zipped) => buffer(zipped))
  // The same text is compressed or not, so the tag is a weak one (RFC 9110 section 8.8.1).
  return { packed, etag: `W/"${digest.digest('base64url').slice(0, 22)}"` }
}

const countCharacters = ({ examples, schemas }: KindTexts): number => [...examples, ...schemas].reduce((sum, text) => sum + text.length, 0)

interface SharedDocument {
  readonly frame: Frame
  readonly texts: KindTexts
}

class Documents implements OpenApiDocuments {
  readonly #source: OpenApiSource
  #shared: Promise<SharedDocument> | undefined
  /** Documents by the versions of the kinds in them. */
  readonly #kept = new BoundedMap<string, PackedDocument>(mostKeptBytes, ({ packed }) => packed.length)
  readonly #printed = new Map<string, Promise<PackedDocument>>()

  constructor(source: OpenApiSource) {
    this.#source = source
  }

  async read(own: readonly ServedKind[]): Promise<PackedDocument> {
    const key = own.map((kind) => `${kind.own?.id} ${kind.own?.version}`).join()
    const known = this.#kept.get(key) ?? this.#printed.get(key)
    if (known !== undefined) return known
    const printed = this.#print(own)
    this.#printed.set(key, printed)
    try {
      this.#kept.set(key, await printed)
      return await printed
    } finally {
      this.#printed.delete(key)
    }
  }

  async #print(own: readonly ServedKind[]): Promise<PackedDocument> {
    const { frame, texts } = await this.#readShared()
    const ours = await workInSlices(printKinds(own))
    if (countCharacters(texts) + countCharacters(ours) > mostCharacters) throw fail('result_too_large', { limit: mostCharacters })
    return packDocument(joinDocument(frame, [texts, ours]))
  }

  /** Prints what all documents begin with once; again after a failure, such as a file of the operator that cannot be read now. */
  #readShared(): Promise<SharedDocument> {
    this.#shared ??= this.#printShared().catch((thrown: unknown) => {
      this.#shared = undefined
      throw thrown
    })
    return this.#shared
  }

  async #printShared(): Promise<SharedDocument> {
    const { kinds, ...source } = this.#source
    return { frame: await workInSlices(printFrame(source)), texts: await workInSlices(printKinds(kinds)) }
  }
}

/** Builds the documents. Each is printed when it is first read. */
export const createOpenApiDocuments = (source: OpenApiSource): OpenApiDocuments => new Documents(source)
