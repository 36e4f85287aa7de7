/** Runs operations and answers their rows, from the first one or from a position. */
import { isObject } from '../definition/object.ts'
import { readProperties } from '../document/schema.ts'
import { failValidation } from '../errors.ts'
import { quoteName } from './answers/bounds.ts'
import type { KnownFields } from './answers/leave-out.ts'
import { type Place, writeRows } from './answers/rows.ts'
import { closing, joinLines, opening } from './answers/sentences.ts'
import type { RunningCall } from './context.ts'
import type { Handles } from './handles.ts'
import type { Position } from './positions.ts'
import { type Columns, columnsField, type Result, readResult } from './results.ts'
import type { AgentConnector, AgentKind, AgentRequest } from './source.ts'
import type { AgentAnswer, AgentFile } from './types.ts'

/** A call, and where its answer begins. */
export interface Reading {
  readonly connector: AgentConnector
  readonly kind: AgentKind
  readonly request: AgentRequest
  readonly place: Place
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
export const start: Place = { at: 0 }

/** Returns whether an entity answers results of statements. */
const isStatement = ({ entities }: AgentKind, name: string): boolean =>
  readProperties(entities.find(({ entity }) => entity === name)?.record ?? null).some(([field]) => field === columnsField)

const failRow = ({ at }: Place, count: number): Error =>
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
  `${kind} ${entity}.${action === 'context_store_search' ? 'search' : action} of ${quoteName(name)}`

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

  /** Writes the handle of a place in the rows, or of what follows; undefined: the rest is too large to be kept. */
  async write(place: Place | 'next'): Promise<string | undefined> {
    const id = this.#isKept(place) ? await this.#keep() : ''
    if (id === undefined) return undefined
    return this.#handles.write(this.#locate(place, id, await this.#keepColumns(place)))
  }

  /** Returns whether the rows of a place cannot be read again by their call. */
  #isKept(place: Place | 'next'): boolean {
    return place !== 'next' && this.#result.isOnce
  }

  #locate(place: Place | 'next', id: string, columns: string | undefined): Position {
    const { connector: found, request, columns: known } = this.#reading
    const connector = found.id
    if (place === 'next') return { type: 'read', connector, request: this.#result.next ?? request, place: start, columns }
    return this.#isKept(place) ? { type: 'kept', connector, id, place } : { type: 'read', connector, request, place, columns: known?.id }
  }

  #keep(): Promise<string | undefined> {
    const { facts: _facts, isOnce: _once, ...rest } = this.#result
    const content: Kept = { request: this.#reading.request, result: rest }
    const { keptId } = this.#reading
    this.#kept ??= keptId === undefined ? this.#handles.keep(content) : Promise.resolve(keptId)
    return this.#kept
  }

  /** Keeps the columns for what follows: only the first part of a statement's result describes them. */
  async #keepColumns(place: Place | 'next'): Promise<string | undefined> {
    const { columns: known } = this.#reading
    const { columns } = this.#result
    return place !== 'next' || known !== undefined || columns === undefined ? known?.id : this.#handles.keep(columns)
  }
}

/** Finds what the definition names of the records of a call. */
function findKnown({ kind, request }: Reading): KnownFields {
  const document = kind.entities.find(({ entity }) => entity === request.entity)
  return { key: document?.key ?? [], searchable: readProperties(document?.searchable ?? null).map(([name]) => name) }
}

async function answerResult(running: RunningCall, reading: Reading, result: Result): Promise<AgentAnswer> {
  const { rows, isSingle, facts, next } = result
  const { kind, place } = reading
  if (place.character !== undefined && (place.at < 0 || place.at >= rows.length)) throw failRow(place, rows.length)
  const handles = new AnswerHandles(running.context.handles, reading, result)
  const text = await writeRows({
    subject: describeCall(reading),
    title: kind.title,
    rows,
    isSingle,
    facts,
    place,
    maxTokens: running.context.maxTokens,
    hasNext: next !== undefined,
    canNarrow: reading.canNarrow === true,
    isChosen: (reading.request.fields ?? reading.request.params['fields'] ?? undefined) !== undefined,
    known: findKnown(reading),
    writeHandle: (at) => handles.write(at),
  })
  return { text, isError: false }
}

/**
 * Runs an operation and answers its rows.
 * @throws what the source throws
 */
export async function answerRead(running: RunningCall, reading: Reading): Promise<AgentAnswer> {
  const { request, connector, columns, kind } = reading
  // The rows of a statement stand inside of its record, so the fields of rows are chosen here.
  const sent = isStatement(kind, request.entity) ? { ...request, fields: undefined } : request
  const answer = await running.context.reach.source.execute(connector, sent, running.limits)
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

/** Answers kept rows from a place. */
export async function answerKept(
  running: RunningCall,
  { connector, kind, place, keptId }: Omit<Reading, 'request' | 'keptId'> & { readonly keptId: string },
) {
  const content = await running.context.handles.readKept(keptId)
  if (!isKept(content)) throw new TypeError('The kept text is no answer.')
  const { request, result } = content
  const reading: Reading = { connector, kind, request, place, keptId }
  return answerResult(running, reading, { ...result, isOnce: true, facts: {} })
}
