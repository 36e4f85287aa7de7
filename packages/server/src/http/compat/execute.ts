/** Executions in the form of those clients: one way to page every list, and rows of searches as their types read them. */
import type { FerruleError } from 'ferrule'
import type { Field, Kind, LiveAction } from 'ferrule/definition'
import { JsonText, parseJson, readJson, writeJson } from 'ferrule/engine'
import { clocks, fail, isObject, liveActions, writeBody } from 'ferrule/internal'
import { isShipped } from '../../connectors/catalogue.ts'
import type { Principal } from '../../values/access.ts'
import { jsonType } from '../reply.ts'
import { type Answer, type Exchange, type Services, slot } from '../route.ts'
import { checkStored } from '../routes/checks.ts'
import { readChunk, readChunkWish, readEmptyFile } from './chunk.ts'

type Values = Readonly<Record<string, unknown>>

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
  readonly connector_metadata: Values | null
  readonly execution_metadata: Values
}

/** Builds an envelope. */
const buildEnvelope = (
  result: unknown,
  { connectorId, tookMs }: Pick<Execution, 'connectorId' | 'tookMs'>,
  more: { readonly metadata?: Values | null; readonly execution?: Values } = {},
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
export interface ClientCall {
  readonly exchange: Exchange<Principal>
  readonly services: Services
  readonly answer: (exchange: Exchange<Principal>) => Promise<Answer> | Answer
}

const searches: readonly unknown[] = ['context_store_search', 'search']

/** Answers an execution. @throws FerruleError those of the route, `invalid_cursor`, `validation_failed` for a wrong chunk */
export async function executeForClient(call: ClientCall): Promise<Answer> {
  const { exchange } = call
  if (!isObject(exchange.body)) return call.answer(exchange)
  const kinds = call.services.kinds.filter(isShipped) // those clients know no other, and another's names would change theirs
  const body = renameParams(kinds, exchange.body)
  if (body['action'] === 'context_store_sql_query') throw buildStatementRefusal(body)
  const began = clocks.steady()
  const execution = (): Execution => ({
    connectorId: slot(exchange, 'connector_id'),
    search: searches.includes(body['action']) ? { objects: findListedObjects(kinds, body['entity']) } : undefined,
    tookMs: clocks.steady() - began,
  })
  if (body['entity'] === '*' && body['action'] === 'check') return { json: buildEnvelope(await check(call), execution()) }
  const chunked = readChunkWish(body)
  if (chunked !== undefined) return { json: buildEnvelope(await download(call, chunked), execution()) }
  return wrap(await call.answer(changeExchange(exchange, { body: followCursor(body) })), execution())
}

/** Refuses SQL over the copy. Those clients show the sentence alone, so it says what to use. */
const buildStatementRefusal = ({ entity, action }: Values): FerruleError =>
  fail('action_not_supported', {
    entity: String(entity),
    action: String(action),
    known: 'context_store_search, with query.filter, query.sort and fields in place of SQL',
  })

/** Wraps a success. The stored answer of an earlier write is wrapped as a new one is; files and stored errors stay. */
function wrap(answer: Answer, execution: Execution): Answer {
  if ('json' in answer) return { ...answer, json: toEnvelope(answer.json, execution) }
  const isStored = 'content' in answer && answer.type === jsonType && typeof answer.content === 'string'
  return isStored ? { json: toEnvelope(readJson(String(answer.content)), execution) } : answer
}

/** Runs the kind's own check of the stored connector. */
async function check({ exchange, services }: ClientCall): Promise<Values> {
  const { platform } = services
  const { connector_type: kind } = await platform.connectors.get(exchange.who, slot(exchange, 'connector_id'))
  const answer = await checkStored.answer(changeExchange(exchange, { body: {} }), services)
  const result: Values = 'json' in answer && isObject(answer.json) ? answer.json : {}
  const { entity, action } = platform.catalogue.get(kind).check
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

const isListedObject = (field: Field): boolean => {
  const { type } = field
  return Array.isArray(type) && type.includes('object') && type.includes('array')
}

/** Finds the fields that are documented as an object, and that the vendor sends as a list. Entities of one name share them over kinds. */
export const findListedObjects = (kinds: readonly Kind[], entity: unknown): ReadonlySet<string> =>
  new Set(
    kinds.flatMap(({ definition }) => {
      const fields = Object.entries(definition.entities[String(entity)]?.context_store_search ?? {})
      return fields.flatMap(([name, field]) => (isListedObject(field) ? [name] : []))
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
type Change = Partial<Pick<Exchange<unknown>, 'body' | 'query'>>

/** Returns the exchange with another body or query. The signal stays lazy, because most routes never need it. */
export const changeExchange = <Who>(exchange: Exchange<Who>, change: Change): Exchange<Who> => ({
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
const mark = 'frl_page_'

/** Writes what the next call needs. A list with a parameter `cursor` of its own keeps the vendor's value. */
function writeCursor(params: Values, operation: unknown): string {
  const [only, ...more] = Object.entries(params)
  if (only?.[0] === 'cursor' && more.length === 0 && typeof only[1] === 'string') return only[1]
  return mark + Buffer.from(writeJson({ params, ...(isObject(operation) ? { operation } : {}) })).toString('base64url')
}

/** Builds the two uniform members of a page; none for an answer that has no pages. */
function describePage(meta: Values): { readonly has_next_page: boolean; readonly end_cursor: string | null } | undefined {
  const next = meta['next_params']
  if (next === undefined) return undefined
  if (!isObject(next)) return { has_next_page: false, end_cursor: null }
  return { has_next_page: true, end_cursor: writeCursor(next, meta['next_operation']) }
}

function readCursor(cursor: string): { readonly params: Values; readonly operation?: Values } {
  try {
    const read = readJson(Buffer.from(cursor.slice(mark.length), 'base64url').toString())
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
 * @throws FerruleError `invalid_cursor`
 */
function followCursor(body: Values): Values {
  const params = body['params']
  const cursor = isObject(params) ? params['cursor'] : undefined
  if (!isObject(params) || typeof cursor !== 'string' || !cursor.startsWith(mark)) return body
  const { cursor: _cursor, ...rest } = params
  const next = readCursor(cursor)
  if (next.operation === undefined) return { ...body, params: { ...rest, ...next.params } }
  return { ...body, entity: next.operation['entity'], action: next.operation['action'], params: next.params }
}
