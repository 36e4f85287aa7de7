/** Runs operations and answers their rows, from the first one or from a position. */
import { isObject } from '../definition/object.ts'
import { readProperties } from '../document/read-schema.ts'
import { fail, failValidation } from '../errors.ts'
import { writeJson } from '../values/json/json.ts'
import { buildProjection, toFieldPath } from '../values/projection.ts'
import { createRowReader } from '../values/rows/rows.ts'
import type { AgentConnector, AgentKind, AgentRequest } from './agent-source.ts'
import { quoteName } from './answers/bounds.ts'
import type { KnownFields } from './answers/leave-out.ts'
import { type RowOffset, writeRows } from './answers/rows.ts'
import { closing, joinLines, opening } from './answers/sentences.ts'
import type { LineOffset, RunningCall } from './context.ts'
import type { Handles } from './handles.ts'
import type { AgentAnswer, AgentFile } from './types.ts'

/** A call, and where its answer begins. */
export interface Reading {
  readonly connector: AgentConnector
  readonly kind: AgentKind
  readonly request: AgentRequest
  readonly offset: RowOffset
  /** Id under which the rows are kept, for rows that are read from there. */
  readonly keptId?: string | undefined
  /** True: the tool can be called again for fewer fields. */
  readonly canNarrow?: boolean
  /** Columns of a statement whose later part is read, with the id under which they are kept. */
  readonly columns?: { readonly id: string; readonly list: Columns } | undefined
}

/** What is kept of an answer that cannot be read again. */
interface Kept {
  readonly request: AgentRequest
  readonly result: Omit<Result, 'facts' | 'isOnce'>
}

/** The first row, from its beginning. */
export const start: RowOffset = { at: 0 }

/** Action of a request that reads the changes of a copy. */
export const changes = 'changes'

/** Action of a request that counts and groups the records of a copy. */
export const aggregate = 'context_store_aggregate'

/** Actions of requests by the names of their tools, where these differ. */
const tools: Readonly<Record<string, string>> = { context_store_search: 'search', [aggregate]: 'aggregate' }

/** Reads a page of changes. Beside it stands where the next call continues. */
async function askChanges({ context, limits }: RunningCall, { connector, request: { entity, params } }: Reading): Promise<unknown> {
  const { cursor, limit } = params
  const wish = { entity, limit: Number(limit), after: typeof cursor === 'string' ? cursor : undefined }
  const page = await context.reach.source.readChanges?.(connector, wish, limits)
  if (page === undefined) throw fail('context_store_unavailable', {})
  return { data: page.data, meta: { after: page.next, has_more: page.has_more, cursor: page.next } }
}

/** Returns whether an entity answers results of statements. */
const isStatement = ({ entities }: AgentKind, name: string): boolean =>
  readProperties(entities.find(({ entity }) => entity === name)?.record ?? null).some(([field]) => field === columnsField)

const failRow = ({ at }: RowOffset, count: number): Error =>
  failValidation([{ field: '/row', message: `must be 1 to ${count}: there is no row ${at + 1}`, error_code: 'value' }])

/** Describes a file that was opened; undefined: the answer is no file. */
function readFile(
  answer: unknown,
  { connector, request: { entity, params } }: Reading,
): { readonly file: AgentFile; readonly stream: ReadableStream } | undefined {
  if (!isObject(answer)) return undefined
  const { stream, name, type, length } = answer
  if (!(stream instanceof ReadableStream)) return undefined
  const bytes = typeof length === 'number' ? length : null
  return { stream, file: { name: String(name), type: String(type), bytes, connector: connector.id, entity, params } }
}

/** Answers a file: what it is, because its bytes do not fit into an answer. */
async function answerFile(reading: Reading, { file, stream }: NonNullable<ReturnType<typeof readFile>>): Promise<AgentAnswer> {
  await stream.cancel()
  const { name, type, bytes } = file
  const text = joinLines([
    `${describeCall(reading)}: a file, ${bytes === null ? 'size unknown' : `${bytes} bytes`}.`,
    opening(reading.kind.title),
    `{"name":${quoteName(name)},"type":${quoteName(type)}}`,
    closing,
    'The bytes of files are not part of answers.',
  ])
  return { text, isError: false, file }
}

const describeCall = ({ connector: { kind, name }, request: { entity, action } }: Reading): string =>
  `${kind} ${entity}.${tools[action] ?? action} of ${quoteName(name)}`

/** The handles of one answer. What cannot be read again is kept when the first handle is written. */
class AnswerHandles {
  readonly #handles: Handles
  readonly #reading: Reading
  readonly #result: Result
  #kept: Promise<string | undefined> | undefined

  constructor(handles: Handles, reading: Reading, result: Result) {
    this.#handles = handles
    this.#reading = reading
    this.#result = result
  }

  /** Writes the handle of an offset in the rows, or of what follows; undefined: the rest is too large to be kept. */
  async write(offset: RowOffset | 'next'): Promise<string | undefined> {
    const id = this.#isKept(offset) ? await this.#keep() : ''
    if (id === undefined) return undefined
    return this.#handles.write(this.#locate(offset, id, await this.#keepColumns(offset)))
  }

  /** Returns whether the rows of an offset cannot be read again by their call. */
  #isKept(offset: RowOffset | 'next'): boolean {
    return offset !== 'next' && this.#result.isOnce
  }

  #locate(offset: RowOffset | 'next', id: string, columns: string | undefined): Position {
    const { connector: found, request, columns: known } = this.#reading
    const connector = found.id
    if (offset === 'next') return { type: 'read', connector, request: this.#result.next ?? request, offset: start, columns }
    return this.#isKept(offset) ? { type: 'kept', connector, id, offset } : { type: 'read', connector, request, offset, columns: known?.id }
  }

  #keep(): Promise<string | undefined> {
    const { facts: _facts, isOnce: _once, ...rest } = this.#result
    const content: Kept = { request: this.#reading.request, result: rest }
    const { keptId } = this.#reading
    this.#kept ??= keptId === undefined ? this.#handles.keep(content) : Promise.resolve(keptId)
    return this.#kept
  }

  /** Keeps the columns for what follows: only the first part of a statement's result describes them. */
  async #keepColumns(offset: RowOffset | 'next'): Promise<string | undefined> {
    const { columns: known } = this.#reading
    const { columns } = this.#result
    return offset !== 'next' || known !== undefined || columns === undefined ? known?.id : this.#handles.keep(columns)
  }
}

/** Finds what the definition names of the records of a call. */
function findKnown({ kind, request }: Reading): KnownFields {
  if (request.action === changes) return { key: ['type', 'key'], searchable: ['fields', 'changed_at', 'cause'] }
  const document = kind.entities.find(({ entity }) => entity === request.entity)
  return { key: document?.key ?? [], searchable: readProperties(document?.searchable ?? null).map(([name]) => name) }
}

async function answerResult(running: RunningCall, reading: Reading, result: Result): Promise<AgentAnswer> {
  const { rows, isSingle, facts, next } = result
  const { kind, offset } = reading
  if (offset.character !== undefined && (offset.at < 0 || offset.at >= rows.length)) throw failRow(offset, rows.length)
  const handles = new AnswerHandles(running.context.handles, reading, result)
  const text = await writeRows({
    subject: describeCall(reading),
    title: kind.title,
    rows,
    isSingle,
    facts,
    offset,
    maxTokens: running.context.maxTokens,
    hasNext: next !== undefined,
    canNarrow: reading.canNarrow === true,
    isChosen:
      reading.request.action === aggregate || (reading.request.fields ?? reading.request.params['fields'] ?? undefined) !== undefined,
    known: findKnown(reading),
    writeHandle: (at) => handles.write(at),
  })
  return { text, isError: false }
}

/** Runs an operation and answers its rows. @throws what the source throws */
export async function answerRead(running: RunningCall, reading: Reading): Promise<AgentAnswer> {
  const { request, connector, columns, kind } = reading
  // The rows of a statement stand inside of its record, so the fields of rows are chosen here.
  const sent = isStatement(kind, request.entity) ? { ...request, fields: undefined } : request
  const answer =
    request.action === changes
      ? await askChanges(running, reading)
      : await running.context.reach.source.execute(connector, sent, running.limits)
  const file = readFile(answer, reading)
  if (file !== undefined) return answerFile(reading, file)
  const result = readResult(request, answer, columns?.list)
  return { ...(await answerResult(running, reading, result)), result: answer }
}

/** Runs a write and answers what it says. The rest of a long answer is kept, because a write is never sent again. */
export async function answerWrite(running: RunningCall, reading: Reading): Promise<AgentAnswer> {
  const answer = await running.context.reach.source.execute(reading.connector, reading.request, running.limits)
  return { ...(await answerResult(running, reading, { ...readResult(reading.request, answer), isOnce: true })), result: answer }
}

const isKept = (value: unknown): value is Kept => isObject(value) && isObject(value['request']) && isObject(value['result'])

/** Answers kept rows from an offset. */
export async function answerKept(
  running: RunningCall,
  { connector, kind, offset, keptId }: Omit<Reading, 'request' | 'keptId'> & { readonly keptId: string },
) {
  const content = await running.context.handles.readKept(keptId)
  if (!isKept(content)) throw new TypeError('The kept text is no answer.')
  const { request, result } = content
  const reading: Reading = { connector, kind, request, offset, keptId }
  return answerResult(running, reading, { ...result, isOnce: true, facts: {} })
}

/** Field of a statement's result that describes its columns. */
const columnsField = 'resultSetMetaData'

/** Columns of a statement's result: only its first part describes them. */
type Columns = readonly unknown[]

interface Result {
  readonly rows: readonly unknown[]
  /** True: the answer is one record. */
  readonly isSingle: boolean
  /** True: the rows cannot be read again by the same call, because it would run the statement again. */
  readonly isOnce: boolean
  readonly columns: Columns | undefined
  /** What the answer says beside the rows: counts, age of a copy. */
  readonly facts: Readonly<Record<string, unknown>>
  /** The call that reads what follows; undefined at the end. */
  readonly next: AgentRequest | undefined
}

/** Names of meta that say where the next page is: the handle of `read_more` holds them. */
const positions: ReadonlySet<string> = new Set([
  'next_params',
  'next_operation',
  'next_page_url',
  'cursor',
  'has_more',
  'partition_info',
  'took_ms',
])
/** Maximum number of characters of a fact. */
const longestFact = 200

const isFact = ([name, value]: readonly [string, unknown]): boolean =>
  !positions.has(name) && value !== null && value !== undefined && writeJson(value).length <= longestFact

const readFacts = (value: unknown): Readonly<Record<string, unknown>> =>
  isObject(value) ? Object.fromEntries(Object.entries(value).filter(isFact)) : {}

/** Names the entities whose records are missing in an answer, because they were never synced. */
export function describeUnsynced(related: unknown): Readonly<Record<string, unknown>> {
  const missing = (Array.isArray(related) ? related.filter(isObject) : []).filter((each) => each['synced_at'] === null)
  const names = missing.map(({ connector, entity }) =>
    isObject(connector) ? `${String(connector['name'])}: ${String(entity)}` : String(entity),
  )
  return names.length === 0 ? {} : { not_synced: names }
}

/** Merges the changes for the next call into parameters; null removes one. */
function mergeParams(params: Readonly<Record<string, unknown>>, changes: Readonly<Record<string, unknown>>) {
  return Object.fromEntries(Object.entries({ ...params, ...changes }).filter(([, value]) => value !== null))
}

function readNext(request: AgentRequest, meta: Readonly<Record<string, unknown>>): AgentRequest | undefined {
  const { next_params: changes, next_operation: operation, has_more: hasMore, cursor } = meta
  if (hasMore === true && typeof cursor === 'string') return { ...request, params: { ...request.params, cursor } }
  if (!isObject(changes)) return undefined
  if (!isObject(operation)) return { ...request, params: mergeParams(request.params, changes) }
  return { entity: String(operation['entity']), action: String(operation['action']), params: changes }
}

/** Finds the columns that a part of a statement's result describes. */
function findColumns(data: Readonly<Record<string, unknown>>): Columns | undefined {
  const description = data[columnsField]
  const types = isObject(description) ? description['rowType'] : undefined
  return Array.isArray(types) ? types : undefined
}

/** Reads the rows of a statement's result as objects with typed cells; as they are where columns are unknown or do not fit. */
function readRows(cells: readonly unknown[], columns: Columns | undefined, params: AgentRequest['params']): readonly unknown[] {
  if (columns === undefined) return cells
  const read = createRowReader({ as: 'objects', params, vendor: 'The vendor' })({ [columnsField]: { rowType: columns } })
  return cells.map((row) => (Array.isArray(row) && row.length === columns.length ? read(row) : row))
}

const chooseFields = (rows: readonly unknown[], fields: AgentRequest['fields']): readonly unknown[] =>
  fields === undefined ? rows : rows.map(buildProjection(fields.map(toFieldPath)))

function countAll(data: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const description = data[columnsField]
  return isObject(description) && description['numRows'] !== undefined ? { rows_in_all_parts: description['numRows'] } : {}
}

/** Returns whether the call named the statement whose part it read: such a call runs nothing. */
function namesStatement({ params }: AgentRequest, meta: Readonly<Record<string, unknown>>): boolean {
  const handles = Object.values(meta).filter((value) => typeof value === 'string' && value.length >= 16)
  return Object.values(params).some((value) => handles.includes(value))
}

/**
 * Reads an answer.
 * @param request the call
 * @param answer `{ data, meta }` of the source
 * @param known columns of the statement, for its later parts
 */
function readResult(request: AgentRequest, answer: unknown, known?: Columns): Result {
  const { data, meta: given, context_store: copy } = isObject(answer) ? answer : { data: answer, meta: {}, context_store: undefined }
  const meta = isObject(given) ? given : {}
  const next = readNext(request, meta)
  const facts = { ...readFacts(meta), ...describeUnsynced(meta['related']), ...(isObject(copy) ? { context_store: copy } : {}) }
  // What changes meanwhile joins the changes of a page, and moves its rows.
  if (Array.isArray(data)) return { rows: data, isSingle: false, isOnce: request.action === changes, columns: undefined, facts, next }
  const isStatement = Object.hasOwn(meta, 'next_operation') && isObject(data)
  const isOnce = isStatement && !namesStatement(request, meta)
  if (!isStatement || !Array.isArray(data['data'])) return { rows: [data], isSingle: true, isOnce, columns: known, facts, next }
  const columns = findColumns(data) ?? known
  const rows = chooseFields(readRows(data['data'], columns, request.params), request.fields)
  return { rows, isSingle: false, isOnce, columns, facts: { ...countAll(data), ...facts }, next }
}

/** A call that can be sent again, and an offset in its answer. */
export interface ReadPosition {
  readonly type: 'read'
  readonly connector: string
  readonly request: AgentRequest
  readonly offset: RowOffset
  /** Id under which the columns of a statement are kept. */
  readonly columns?: string | undefined
}

/** Rows that are kept, and an offset in them. */
export interface KeptPosition {
  readonly type: 'kept'
  readonly connector: string
  /** Id under which the rows are kept. */
  readonly id: string
  readonly offset: RowOffset
}

/** An offset in the lines of a tool that reads only. */
export interface LinesPosition {
  readonly type: 'lines'
  readonly tool: string
  readonly args: Readonly<Record<string, unknown>>
  readonly offset: LineOffset
}

type Position = ReadPosition | KeptPosition | LinesPosition

/** Returns whether a kept value is a position: an older version may have kept it. */
export const isPosition = (value: unknown): value is Position =>
  isObject(value) && isObject(value['offset']) && (isObject(value['request']) || isObject(value['args']) || typeof value['id'] === 'string')
