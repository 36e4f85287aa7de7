/**
 * Sends a request that no operation describes, with the credentials, the budget and the error table of its connector
 * (docs/decisions/vendors.md).
 */
import type { ConnectorDefinition } from '../../definition/connector.ts'
import { listLiveActions, type Operation, type SentMethod } from '../../definition/entity.ts'
import { fail, failValidation } from '../../errors.ts'
import { writeJson } from '../../values/json/json.ts'
import { isReading } from '../../values/methods.ts'
import { decodePart } from '../../values/texts.ts'
import { readHeader } from '../http/http.ts'
import { buildPrefix } from '../http/origin.ts'
import { compileSchema } from '../json/validate.ts'
import { sendWrite } from '../writes/plain.ts'
import type { CompiledOperation } from './operation.ts'
import type { Call } from './outcome.ts'
import { buildForm, buildQuery, type WireRequest } from './request.ts'
import { exchange, type Running, takeMemory } from './transport.ts'

/** A request to the vendor, as its documents write it. */
export interface VendorRequest {
  readonly method: SentMethod
  /** Path below the base address of the kind, without a query: `/repos/acme/site`. */
  readonly path: string
  /** Members of the query. A list repeats its name; null is left out. */
  readonly query?: Readonly<Record<string, unknown>> | undefined
  /** Sent as JSON. */
  readonly body?: unknown
  /** Sent as a form, instead of JSON. What lies in an object becomes `a[b]`, and in a list `a[]`. */
  readonly form?: Readonly<Record<string, unknown>> | undefined
  /** Headers of the closed list of the HTTP interface, checked there. */
  readonly headers?: Readonly<Record<string, string>> | undefined
}

/** A request with what bounds it. */
export interface VendorCall extends Pick<Call, 'signal' | 'deadlineMs' | 'memory' | 'idempotencyKey'> {
  readonly request: VendorRequest
}

/** The vendor's answer. */
export interface VendorReply {
  readonly status: number
  /** Link, ETag and Location, if the vendor sent them. */
  readonly headers: Readonly<Record<string, string>>
  /** The JSON of the vendor, with all digits; an empty object for HEAD, and for a write that is answered with nothing. */
  readonly body: unknown
}

/** Headers of the answer that callers need: for the next page, for `If-Match`, and for what was created. */
const answeredHeaders = ['link', 'etag', 'location'] as const

const listOperations = ({ entities }: ConnectorDefinition): Operation[] =>
  Object.values(entities).flatMap((entity) => listLiveActions(entity).flatMap((action) => entity[action] ?? []))

/**
 * Returns whether a kind takes such requests. It takes none where its operations hide records or check what they are given: such a request
 * would go around that.
 */
export const takesVendorRequests = (definition: ConnectorDefinition): boolean =>
  listOperations(definition).every(({ hidden, admit }) => hidden === undefined && admit === undefined)

/** Lists the paths of a kind that give, end or describe tokens. Slots are written `{name}`. */
function listTokenPaths({ credentials, check }: ConnectorDefinition): string[] {
  const own = Object.values(credentials).flatMap(({ exchange: tokens, consent }) => [tokens?.call, consent?.page, consent?.revoke?.call])
  return [...own, check.scopes?.call].flatMap((call) => (call === undefined ? [] : [call.slice(call.indexOf('/'))]))
}

/** Brings a path into the form in which two paths of one endpoint are equal. */
const reducePath = (path: string): string => decodePart(path).toLowerCase().replace(/\/+$/, '')

/** Returns whether a path has the form of a template whose slots hold no slash. */
function fitsTemplate(template: string, path: string): boolean {
  const [own, given] = [reducePath(template).split('/'), path.split('/')]
  return own.length === given.length && own.every((part, index) => part.includes('{') || part === given[index])
}

/** Describes what is wrong with a path; undefined if it can be sent. */
function findPathFlaw(path: string): string | undefined {
  if (!path.startsWith('/') || path.startsWith('//')) return 'must begin with one slash: it is a path below the address of the API'
  if (/[?#]/.test(path)) return 'cannot hold ? or #: the query has a field of its own'
  if (!/^[\w\-.~!$&'()*+,=:@%/]*$/.test(path)) return 'holds a character that must be percent-encoded'
  if (/%(?![0-9a-f]{2})/i.test(path) || /%(2f|5c|00)/i.test(path)) return 'cannot hold an encoded slash, backslash or zero, nor a % alone'
  const segments = path.slice(1).split('/')
  if (segments.slice(0, -1).includes('')) return 'cannot hold an empty part'
  return segments.some((segment) => /^(\.|%2e){1,2}$/i.test(segment)) ? 'cannot hold . or .. as a part' : undefined
}

const failPath = (message: string) => failValidation([{ field: '/path', message, error_code: 'path' }])

/** Checks where a request goes. */
function checkTarget({ kind: { definition }, ...source }: Running['connection'], { path }: VendorRequest): void {
  if (!takesVendorRequests(definition)) {
    const hint = 'Use the operations of the kind: they keep records hidden, or check statements, where a request of your own would not.'
    throw fail('action_not_supported', { entity: definition.title, action: 'request', known: 'execute' }, { hint })
  }
  const flaw = findPathFlaw(path)
  if (flaw !== undefined) throw failPath(flaw)
  const whole = [path, buildPrefix({ kind: { definition }, ...source }) + path].map(reducePath)
  const leadsToTokens = listTokenPaths(definition).some((template) => whole.some((given) => fitsTemplate(template, given)))
  if (leadsToTokens) throw failPath('leads to tokens of the vendor, which the service looks after itself')
}

const root: CompiledOperation['at'] = []

/** Builds an operation for the request, so that it passes through the steps of all calls. */
const buildOperation = (running: Pick<Running, 'connection'>, { method, path }: VendorRequest): CompiledOperation => ({
  kind: running.connection.kind,
  entityName: 'request',
  action: isReading(method) ? 'get' : 'update',
  entity: { about: 'A request', key: [] },
  operation: { call: 'GET /', at: '', params: {}, ...(method === 'HEAD' ? { answers: 'nothing' as const } : {}) },
  params: compileSchema({ type: 'object' }),
  method: 'GET', // unread: the request below has its own
  template: [path],
  at: root,
  list: root,
  outer: [],
  convertible: {},
  required: [],
  emptyIsAbsent: [],
  trimmed: [],
  shapings: [],
  fields: { names: [], within: [] },
  key: [],
  fills: [],
})

function buildWire({ method, path, query = {}, body, form, headers }: VendorRequest): WireRequest {
  const address = {
    method,
    path: path + buildQuery(query, 'repeat'),
    template: `${method} /`,
    ...(headers === undefined ? {} : { headers }),
  }
  if (form !== undefined) return { ...address, body: buildForm(form, 'brackets'), isForm: true }
  return body === undefined ? address : { ...address, body: writeJson(body) }
}

/** Keeps the headers that callers need. A vendor that takes keys in the query can repeat them in its links. */
function readHeaders({ credentials }: ConnectorDefinition, answer: Parameters<typeof readHeader>[0]): Record<string, string> {
  const hasKeyInQuery = Object.values(credentials).some(({ send }) => !('as' in send) && send.query !== undefined)
  if (hasKeyInQuery) return {}
  return Object.fromEntries(
    answeredHeaders.flatMap((name) => {
      const value = readHeader(answer, name)
      return value === undefined ? [] : [[name, value]]
    }),
  )
}

/**
 * Sends such a request: a GET or a HEAD up to three times, anything else once.
 * @throws FerruleError `action_not_supported`, `validation_failed` before anything is sent; `outcome_unknown` for a write whose answer was
 *   lost; of the vendor
 */
export async function sendToVendor(
  calling: Pick<Running, 'runtime' | 'connection' | 'deadline' | 'memory' | 'idempotencyKey'>,
  request: VendorRequest,
): Promise<VendorReply> {
  checkTarget(calling.connection, request)
  const reads = isReading(request.method)
  if (reads && (request.body !== undefined || request.form !== undefined))
    throw failValidation([{ field: '/body', message: `cannot go with ${request.method}`, error_code: 'body' }])
  if (request.body !== undefined && request.form !== undefined)
    throw failValidation([{ field: '/form', message: 'cannot go with a body', error_code: 'body' }])
  const running: Running = { ...calling, operation: buildOperation(calling, request), params: { ...request } }
  const wire = buildWire(request)
  await takeMemory(running)
  const reply = reads ? await exchange(running, wire) : await sendWrite(running, (answered) => answered, wire)
  if (reply.is === 'empty') throw fail('record_not_found', { reason: 'the vendor has nothing at this path' })
  return {
    status: reply.answer.status,
    headers: readHeaders(calling.connection.kind.definition, reply.answer),
    body: reply.body,
  }
}
