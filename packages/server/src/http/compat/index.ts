/** The door for clients of the platform that the specification comes from. Behind it everything has one form. */

import { FerruleError } from 'ferrule'
import type { Field, Kind, LiveAction } from 'ferrule/definition'
import { type FileAnswer, JsonText, parseJson, readJson, writeJson } from 'ferrule/engine'
import { asFerruleError, clocks, fail, isObject, liveActions, writeBody } from 'ferrule/internal'
import { endpoints } from 'ferrule/wire'
import { isOfLibrary } from '../../connectors/connector-types.ts'
import { isEither } from '../../copies/search/field-paths.ts'
import type { Principal } from '../../values/access.ts'
import { failField } from '../../values/read.ts'
import { jsonType } from '../body.ts'
import { type Answer, type Exchange, markerHeaders, type PrincipalRoute, prefix, type Route, type Services, slot } from '../route.ts'
import { checkStored } from '../routes/checks.ts'

/** Entries of a page, the most that lists take. */
const listPageSize = '100'
/** Entries that are put together at most; what follows has its address in `next`. */
const mostListEntries = 1_000

const readListPage = (answer: Answer): { readonly data: readonly unknown[]; readonly next: unknown } | undefined => {
  const page = 'json' in answer && isObject(answer.json) ? answer.json : {}
  return Array.isArray(page['data']) ? { data: page['data'], next: page['next'] } : undefined
}

/** Answers a list. Without `limit` and `cursor` its pages are put together. */
async function listForClient({ exchange, answer }: ClientCall): Promise<Answer> {
  const { query, door } = exchange
  const isPaged = query['limit'] !== undefined || query['cursor'] !== undefined
  const data: unknown[] = []
  let [cursor, next]: [string | null, unknown] = [null, null]
  do {
    const more = isPaged ? query : { ...query, limit: listPageSize, ...(cursor === null ? {} : { cursor }) }
    const given = await answer(changeExchange(exchange, { query: more }))
    const page = readListPage(given)
    if (page === undefined) return given
    data.push(...page.data)
    next = page.next
    cursor = typeof next === 'string' ? new URLSearchParams(next.split('?')[1]).get('cursor') : null
  } while (!isPaged && cursor !== null && data.length < mostListEntries)
  return { json: { data, next: typeof next === 'string' && door !== 'marked' ? prefix + next : next } }
}

type Adapter = (call: ClientCall) => Promise<Answer> | Answer

/** Creates a connector as that platform does: unchecked, and with its workspace. Only clients that know no other way come here. */
const createForClient: Adapter = ({ exchange, answer }) => {
  const { body, door } = exchange
  if (door !== 'short' || typeof body !== 'object') return answer(exchange)
  return answer(changeExchange(exchange, { body: { create_workspace: true, check: false, ...body } }))
}

/** Routes with another form for those clients, by the id of their operation. */
const adapters: Partial<Record<keyof typeof endpoints, Adapter>> = {
  execute: executeForClient,
  createConnector: createForClient,
  listConnectors: listForClient,
  listWorkspaces: listForClient,
}
const byRoute: ReadonlyMap<string, Adapter> = new Map(
  Object.entries(adapters).map(([id, adapter]) => {
    const { method, path } = endpoints[id as keyof typeof endpoints] // a key of the table above
    return [`${method} ${path}`, adapter] as const
  }),
)

/** Returns a route that answers those clients in their form, and all others as before. */
export function adaptRoute(route: Route): Route {
  const adapter = byRoute.get(`${route.method} ${route.path}`)
  if (adapter === undefined || route.auth !== 'principal') return route
  const adapted: PrincipalRoute = {
    ...route,
    answer: (exchange, services) => {
      const { door } = exchange
      if (door === 'plain' || door === 'marked') exchange.addVary(markerHeaders.join(', '))
      if (door === 'plain') return route.answer(exchange, services)
      return adapter({ exchange, services, answer: (changed) => route.answer(changed, services) })
    },
  }
  return adapted
}

type Members = Readonly<Record<string, unknown>>

/** What an envelope says of the execution itself. */
interface Execution {
  readonly connectorId: string
  /** For a search: its fields that those clients read as objects (`findListedObjects`). */
  readonly search: { readonly objects: ReadonlySet<string> } | undefined
  readonly tookMs: number
}

/** The published form of a successful execution. `result` is read as it is, so a search nests its rows. */
interface Envelope {
  readonly status: 'success'
  readonly result: unknown
  readonly connector_metadata: Members | null
  readonly execution_metadata: Members
}

const buildEnvelope = (
  result: unknown,
  { connectorId, tookMs }: Pick<Execution, 'connectorId' | 'tookMs'>,
  more: { readonly metadata?: Members | null; readonly execution?: Members } = {},
): Envelope => ({
  status: 'success',
  result,
  connector_metadata: more.metadata ?? null,
  execution_metadata: { connector_instance_id: connectorId, execution_time_ms: Math.round(tookMs), ...more.execution },
})

/** Puts a body of our own form into the envelope. */
function toEnvelope(body: unknown, execution: Execution): Envelope {
  const { data, meta: given, ...more } = isObject(body) ? body : { data: body, meta: undefined }
  const meta = isObject(given) ? given : {}
  if (execution.search !== undefined) {
    const found = new JsonText(writeBody({ data: adaptRows(data, execution.search.objects), meta }))
    return buildEnvelope(found, execution, { execution: more })
  }
  const metadata = Object.keys(meta).length === 0 ? null : { ...meta, ...describePage(meta) }
  return buildEnvelope(data, execution, { metadata, execution: more })
}

const isLive = (action: unknown): action is LiveAction => liveActions.some((each) => each === action)

/** Renames the keys that a field does not know and knows in another case: `from_date_time` → `fromDateTime`. */
function renameKeys(value: unknown, fields: readonly Field[]): unknown {
  if (Array.isArray(value)) {
    const items = fields.flatMap(({ items = [] }) => items)
    return items.length === 0 ? value : value.map((each) => renameKeys(each, items))
  }
  const known = fields.flatMap(({ properties = {} }) => Object.entries(properties))
  if (!isObject(value) || known.length === 0) return value
  const names = new Set(known.map(([name]) => name))
  const renamed = Object.entries(value).map(([name, given]): [string, unknown] => {
    const own = names.has(name) ? name : ([...names].find((each) => toSnakeCase(each) === name && !Object.hasOwn(value, each)) ?? name)
    return [
      own,
      renameKeys(
        given,
        known.filter(([each]) => each === own).map(([, field]) => field),
      ),
    ]
  })
  return Object.fromEntries(renamed)
}

/**
 * Gives the parameters of a call the names of the documents, at every depth. A name that is known as it is stays; an unknown one stays too,
 * so that its refusal names what the client sent.
 * @param kinds kinds of the service; entities of one name share their parameters over kinds
 * @param body of an execution
 */
function renameParams(kinds: readonly Kind[], body: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { entity, action, params } = body
  if (!isLive(action) || !isObject(params)) return body
  const operations = kinds.flatMap(({ definition }) => definition.entities[String(entity)]?.[action] ?? [])
  const fields = operations.map((operation): Field => ({ properties: operation.params }))
  return { ...body, params: renameKeys(params, fields) }
}

/** One call of such a client, with the route that answers it in our own form. */
interface ClientCall {
  readonly exchange: Exchange<Principal>
  readonly services: Services
  readonly answer: (exchange: Exchange<Principal>) => Promise<Answer> | Answer
}

const searches: readonly unknown[] = ['context_store_search', 'search']

/**
 * Answers an execution: one way to page every list, rows of searches as the types of those clients read them, and downloads as JSON, a chunk a call,
 * because they cannot read bytes.
 */
async function executeForClient(call: ClientCall): Promise<Answer> {
  const { exchange } = call
  if (!isObject(exchange.body)) return call.answer(exchange)
  const kinds = call.services.kinds.filter(isOfLibrary) // those clients know no other, and another's names would change theirs
  const body = renameParams(kinds, exchange.body)
  if (body['action'] === 'context_store_sql_query') throw buildStatementRefusal(body)
  const began = clocks.steady()
  const execution = (): Execution => ({
    connectorId: slot(exchange.params, 'connector_id'),
    search: searches.includes(body['action']) ? { objects: findListedObjects(kinds, body['entity']) } : undefined,
    tookMs: clocks.steady() - began,
  })
  if (body['entity'] === '*' && body['action'] === 'check') return { json: buildEnvelope(await check(call), execution()) }
  const chunked = readChunkWish(body)
  if (chunked !== undefined) return { json: buildEnvelope(await download(call, chunked), execution()) }
  return wrap(await call.answer(changeExchange(exchange, { body: followCursor(body) })), execution())
}

/** Refuses SQL over the copy. Those clients show the sentence alone, so it says what to use. */
const buildStatementRefusal = ({ entity, action }: Members): FerruleError =>
  fail('action_not_supported', {
    entity: String(entity),
    action: String(action),
    known: 'context_store_search, with query.filter, query.sort and fields instead of SQL',
  })

/** Wraps a success. The stored answer of an earlier write is wrapped as a new one is; files and stored errors stay. */
function wrap(answer: Answer, execution: Execution): Answer {
  if ('json' in answer) return { ...answer, json: toEnvelope(answer.json, execution) }
  const isStored = 'content' in answer && answer.type === jsonType && typeof answer.content === 'string'
  return isStored ? { json: toEnvelope(readJson(String(answer.content)), execution) } : answer
}

/** Runs the kind's own check of the stored connector. */
async function check({ exchange, services }: ClientCall): Promise<Members> {
  const { platform } = services
  const { connector_type: kind } = await platform.connectors.get(exchange.who, slot(exchange.params, 'connector_id'))
  const answer = await checkStored.answer(changeExchange(exchange, { body: {} }), services)
  const result: Members = 'json' in answer && isObject(answer.json) ? answer.json : {}
  const { entity, action } = (await platform.kinds.of(exchange.who.organizationId, [kind])).getKind(kind).definition.check
  return {
    status: result['status'] === 'succeeded' ? 'healthy' : 'unhealthy',
    error: result['error_message'] ?? null,
    checked_entity: entity,
    checked_action: action,
  }
}

async function download(call: ClientCall, { wish, body }: NonNullable<ReturnType<typeof readChunkWish>>) {
  try {
    const answer = await call.answer(changeExchange(call.exchange, { body }))
    if ('file' in answer) return await readChunk(answer.file, wish)
    throw fail('definition_invalid', { reason: 'a download answers no file' })
  } catch (thrown) {
    return readEmptyFile(thrown, wish)
  }
}

/** Matches a name in camelCase anywhere in the JSON. Most kinds have none, and their rows are not parsed. */
const camelCase = /"[a-z]+\d*[A-Z]\w*":/

/** Converts a name: `emailAddress` → `email_address`. */
export const toSnakeCase = (name: string): string =>
  name
    .replace(/([a-z\d])([A-Z])/g, '$1_$2')
    .replace(/([A-Z]+)([A-Z][a-z])/g, '$1_$2')
    .toLowerCase()

/** Finds the fields that are documented as an object, and that the vendor sends as a list. Entities of one name share them over kinds. */
export const findListedObjects = (kinds: readonly Kind[], entity: unknown): ReadonlySet<string> =>
  new Set(
    kinds.flatMap(({ definition }) => {
      const fields = Object.entries(definition.entities[String(entity)]?.context_store_search ?? {})
      return fields.flatMap(([name, field]) => (isEither(field) ? [name] : []))
    }),
  )

/** Adds names at the top of a row; a name that the row has keeps its value. A list where an object is documented becomes `{ items }`. */
function adaptRow(row: unknown, objects: ReadonlySet<string>): unknown {
  if (!isObject(row)) return row
  const own = Object.entries(row).map(
    ([name, value]) => [name, objects.has(name) && Array.isArray(value) ? { items: value } : value] as const,
  )
  const added = own.flatMap(([name, value]) => {
    const snake = toSnakeCase(name)
    return Object.hasOwn(row, snake) ? [] : [[snake, value] as const]
  })
  return Object.fromEntries([...own, ...added])
}

/**
 * Changes rows whose names or values those clients cannot read. Integers keep all digits.
 * @param objects names of `findListedObjects`
 */
export function adaptRows(rows: unknown, objects: ReadonlySet<string>): unknown {
  if (Array.isArray(rows)) return rows.map((row) => adaptRow(row, objects))
  if (!(rows instanceof JsonText) || !(objects.size > 0 || camelCase.test(rows.text))) return rows
  const parsed = parseJson(rows.text)
  return Array.isArray(parsed) ? new JsonText(writeJson(parsed.map((row) => adaptRow(row, objects)))) : rows
}

/** Parts of a request that a route sees changed. */
type ExchangeChange = Partial<Pick<Exchange<unknown>, 'body' | 'query'>>

/** Returns the exchange with another body or query. The signal stays lazy, because most routes never need it. */
const changeExchange = <Who>(exchange: Exchange<Who>, change: ExchangeChange): Exchange<Who> => ({
  who: exchange.who,
  params: exchange.params,
  query: exchange.query,
  body: exchange.body,
  requestId: exchange.requestId,
  address: exchange.address,
  door: exchange.door,
  get signal() {
    return exchange.signal
  },
  header: (name) => exchange.header(name),
  setHeader: (name, value) => exchange.setHeader(name, value),
  addVary: (names) => exchange.addVary(names),
  onEnd: (ended) => exchange.onEnd(ended),
  disconnect: () => exchange.disconnect(),
  whenStopped: (buildError) => exchange.whenStopped(buildError),
  ...change,
})

/** Begins every cursor made here. Other values of `cursor` are the vendor's. */
const cursorMark = 'frl_page_'

/** Writes what the next call needs. A list with a parameter `cursor` of its own keeps the vendor's value. */
function writeExecuteCursor(params: Members, operation: unknown): string {
  const [only, ...more] = Object.entries(params)
  if (only?.[0] === 'cursor' && more.length === 0 && typeof only[1] === 'string') return only[1]
  return cursorMark + Buffer.from(writeJson({ params, ...(isObject(operation) ? { operation } : {}) })).toString('base64url')
}

/** Builds the two uniform members of a page; none for an answer that has no pages. */
function describePage(meta: Members): { readonly has_next_page: boolean; readonly end_cursor: string | null } | undefined {
  const next = meta['next_params']
  if (next === undefined) return undefined
  if (!isObject(next)) return { has_next_page: false, end_cursor: null }
  return { has_next_page: true, end_cursor: writeExecuteCursor(next, meta['next_operation']) }
}

function readExecuteCursor(cursor: string): { readonly params: Members; readonly operation?: Members } {
  try {
    const read = readJson(Buffer.from(cursor.slice(cursorMark.length), 'base64url').toString())
    if (isObject(read) && isObject(read['params'])) {
      const { params, operation } = read
      if (operation === undefined) return { params }
      if (isObject(operation) && operation['action'] === 'get' && typeof operation['entity'] === 'string') return { params, operation }
    }
  } catch {
    // as for any other text that was not made here
  }
  throw fail('invalid_cursor', { reason: 'it was not made here' })
}

/**
 * Puts the position of a cursor into the body of a call. A result in parts continues with another operation, which takes none of the list's
 * parameters. A cursor grants nothing: its maker could send the same parameters.
 */
function followCursor(body: Members): Members {
  const params = body['params']
  const cursor = isObject(params) ? params['cursor'] : undefined
  if (!isObject(params) || typeof cursor !== 'string' || !cursor.startsWith(cursorMark)) return body
  const { cursor: _cursor, ...rest } = params
  const next = readExecuteCursor(cursor)
  if (next.operation === undefined) return { ...body, params: { ...rest, ...next.params } }
  return { ...body, entity: next.operation['entity'], action: next.operation['action'], params: next.params }
}

const typeName = '_airbyte_response_type'
const formatName = '_airbyte_response_format'

/** Bytes of a chunk at most, so that an answer stays below 1.4 MB. */
export const mostBytes = 1_048_576

interface ChunkWish {
  readonly format: 'base64' | 'text'
  /** The range that is asked of the file's host. */
  readonly range: string
  /** First byte; undefined when the range counts from the end, or is left to the operation to refuse. */
  readonly from: number | undefined
  readonly size: number
  /** True when the client left the range to us. */
  readonly isFirst: boolean
}

/** One chunk, as those clients read it. */
export interface Chunk {
  readonly content: string
  readonly encoding: 'base64' | 'utf-8'
  readonly bytes_returned: number
  readonly range_requested: string
  readonly next_range_header: string | null
  readonly has_more: boolean
  readonly content_type: string | null
}

const oneOf = (name: string, values: readonly string[]): FerruleError =>
  failField(`/params/${name}`, `must be one of: ${values.join(', ')}`, 'enum')

const formRange = (from: number, size: number): string => `bytes=${from}-${from + size - 1}`

/** Reads a range and bounds it. Ranges that count from the end are bounded by what is read. */
function readRange(given: unknown): Pick<ChunkWish, 'range' | 'from' | 'size' | 'isFirst'> {
  if (given === undefined || given === null) return { range: formRange(0, mostBytes), from: 0, size: mostBytes, isFirst: true }
  const [, first, last] = /^bytes=(\d{1,15})-(\d{0,15})$/.exec(String(given)) ?? []
  if (first === undefined) return { range: String(given), from: undefined, size: mostBytes, isFirst: false }
  const from = Number(first)
  const wanted = last === undefined || last === '' ? mostBytes : Number(last) - from + 1
  if (wanted < 1) return { range: String(given), from: undefined, size: mostBytes, isFirst: false }
  const size = Math.min(wanted, mostBytes)
  return { range: formRange(from, size), from, size, isFirst: false }
}

/**
 * Reads whether a call wants a chunk.
 * @returns the wish and the body without it; undefined for every other call
 * @throws FerruleError `validation_failed`
 */
export function readChunkWish(body: Members): { readonly wish: ChunkWish; readonly body: Members } | undefined {
  const params = body['params']
  if (body['action'] !== 'download' || !isObject(params) || params[typeName] === undefined) return undefined
  const { [typeName]: type, [formatName]: format = 'base64', range_header: range, ...rest } = params
  if (type !== 'json') throw oneOf(typeName, ['json'])
  if (format !== 'base64' && format !== 'text') throw oneOf(formatName, ['base64', 'text'])
  const wish = { format, ...readRange(range) } as const
  return { wish, body: { ...body, params: { ...rest, range_header: wish.range } } }
}

/** Where the bytes of an answer lie in the file; `total` is undefined when the host does not say. */
function readExtent({ status, contentRange, contentLength }: FileAnswer, { from = 0 }: ChunkWish) {
  const [, first, total] = /^bytes (\d+)-\d+\/(\d+|\*)$/.exec(contentRange ?? '') ?? []
  if (status === 200) return { start: 0, skip: from, total: contentLength ?? undefined }
  return {
    start: first === undefined ? from : Number(first),
    skip: 0,
    total: total === undefined || total === '*' ? undefined : Number(total),
  }
}

/** Reads at most `size` bytes after the first `skip`, and ends the transfer. */
async function readBytes({ body }: FileAnswer, { skip, size }: { readonly skip: number; readonly size: number }) {
  const parts: Buffer[] = []
  let [left, wanted] = [skip, size]
  try {
    for await (const part of body as AsyncIterable<Buffer>) {
      const kept = part.subarray(Math.min(left, part.length))
      left -= part.length - kept.length
      parts.push(kept.subarray(0, wanted))
      wanted -= Math.min(wanted, kept.length)
      if (wanted === 0) return { bytes: Buffer.concat(parts), isEnd: false }
    }
  } catch (thrown) {
    const cause = asFerruleError(thrown)
    throw cause.code === 'internal_error'
      ? fail('upstream_answer_invalid', { vendor: 'the host of the file', reason: 'the transfer was cut' }, { cause: thrown })
      : cause
  } finally {
    body.destroy()
  }
  return { bytes: Buffer.concat(parts), isEnd: true }
}

const notText = (): FerruleError =>
  failField(`/params/${formatName}`, 'cannot be text: these bytes are not UTF-8; ask for base64', 'encoding')

/** Decodes the whole characters at the beginning of the bytes. The last character of a chunk may be cut; the next chunk begins with it. */
function decode(bytes: Buffer, isEnd: boolean): { readonly content: string; readonly length: number } {
  try {
    const content = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes, { stream: !isEnd })
    const length = Buffer.byteLength(content)
    if (length === 0 && bytes.length > 0) throw notText()
    return { content, length }
  } catch (thrown) {
    throw thrown instanceof FerruleError ? thrown : notText()
  }
}

/** Reads one chunk of a file. @throws FerruleError `validation_failed`, `upstream_answer_invalid` */
export async function readChunk(file: FileAnswer, wish: ChunkWish): Promise<Chunk> {
  const { start, skip, total } = readExtent(file, wish)
  const { bytes, isEnd } = await readBytes(file, { skip, size: wish.size })
  const end = start + skip + bytes.length
  const isLast = total === undefined ? isEnd && bytes.length < wish.size : end >= total
  const { content, length } = wish.format === 'text' ? decode(bytes, isLast) : { content: bytes.toString('base64'), length: bytes.length }
  return {
    content,
    encoding: wish.format === 'text' ? 'utf-8' : 'base64',
    bytes_returned: length,
    range_requested: wish.range,
    next_range_header: isLast ? null : formRange(start + skip + length, wish.size),
    has_more: !isLast,
    content_type: file.contentType,
  }
}

/** Returns the chunk of an empty file, of which no host has a first byte; throws every other error again. */
export function readEmptyFile(thrown: unknown, { isFirst, range, format }: ChunkWish): Chunk {
  const isEmpty =
    thrown instanceof FerruleError && thrown.code === 'range_not_satisfiable' && thrown.headers['content-range'] === 'bytes */0'
  if (!isFirst || !isEmpty) throw thrown
  const encoding = format === 'text' ? 'utf-8' : 'base64'
  const nothing = { content: '', bytes_returned: 0, next_range_header: null, has_more: false, content_type: null }
  return { ...nothing, encoding, range_requested: range }
}
