/** Runs operations and answers their rows, from the first one or from a position. */
import { isObject } from '../definition/object.ts'
import { readProperties } from '../document/schema.ts'
import { failValidation } from '../errors.ts'
import { quoteName } from './answers/bounds.ts'
import { type Place, writeRows } from './answers/rows.ts'
import type { RunningCall } from './context.ts'
import { packPosition } from './positions.ts'
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
async function answerFile(
  { connector, request }: Reading,
  { file, stream }: NonNullable<ReturnType<typeof readFile>>,
): Promise<AgentAnswer> {
  await stream.cancel()
  const size = file.bytes === null ? 'size unknown' : `${file.bytes} bytes`
  const text = `${request.entity}.${request.action} of ${quoteName(connector.name)} is a file: ${quoteName(file.name)}, ${quoteName(file.type)}, ${size}.`
  return { text: `${text}\nThe bytes of files are not part of answers.`, isError: false, file }
}

const describeCall = ({ connector: { kind, name }, request: { entity, action } }: Reading): string =>
  `${kind} ${entity}.${action === 'context_store_search' ? 'search' : action} of ${quoteName(name)}`

/** Makes the handles of one answer. What cannot be read again is kept when the first handle is needed. */
function makeHandleWriter({ context }: RunningCall, reading: Reading, result: Result) {
  const { handles } = context
  const connector = reading.connector.id
  let kept: Promise<string | undefined> | undefined
  let keptColumns: Promise<string | undefined> | undefined
  const keep = (): Promise<string | undefined> => {
    const { facts: _facts, isOnce: _once, ...rest } = result
    const content: Kept = { request: reading.request, result: rest }
    kept ??= reading.keptId === undefined ? handles.keep(content) : Promise.resolve(reading.keptId)
    return kept
  }
  const keepColumns = async (): Promise<string | undefined> => {
    if (reading.columns !== undefined || result.columns === undefined) return reading.columns?.id
    keptColumns ??= handles.keep(result.columns)
    return keptColumns
  }
  return async (place: Place | 'next'): Promise<string | undefined> => {
    if (place === 'next') {
      const { next: request } = result
      if (request === undefined) return undefined
      return handles.write(packPosition({ type: 'read', connector, request, place: start, columns: await keepColumns() }))
    }
    if (!result.isOnce) {
      const { request, columns } = reading
      return handles.write(packPosition({ type: 'read', connector, request, place, columns: columns?.id }))
    }
    const id = await keep()
    return id === undefined ? undefined : handles.write(packPosition({ type: 'kept', connector, id, place }))
  }
}

async function answerResult(running: RunningCall, reading: Reading, result: Result): Promise<AgentAnswer> {
  const { rows, isSingle, facts, next } = result
  const { kind, place } = reading
  if (place.character !== undefined && (place.at < 0 || place.at >= rows.length)) throw failRow(place, rows.length)
  const text = await writeRows({
    ...{ subject: describeCall(reading), title: kind.title, rows, isSingle, facts, place },
    maxTokens: running.context.maxTokens,
    hasNext: next !== undefined,
    writeHandle: makeHandleWriter(running, reading, result),
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
