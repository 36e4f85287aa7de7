/** Large answers on the side of the loop: handed over to be read apart, and what came back put in the place of the body. */
import { FerruleError } from '../errors.ts'
import { invalidAnswer, type WireAnswer } from './answer.ts'
import type { ApartFailure, ApartJob, ApartResult, ApartValue, Taken } from './apart.ts'
import type { Connection } from './connection.ts'
import { type Found, showsHidden } from './hidden.ts'
import { readJson } from './json.ts'
import { isInParts } from './meta.ts'
import type { CompiledOperation } from './operation.ts'
import type { Params } from './params.ts'
import { RawRows } from './raw-rows.ts'

/** Reads large bodies apart from the loop. */
export interface Apart {
  /** Bodies with more bytes are read apart; the loop reads a smaller one in a few milliseconds. */
  readonly from: number
  /**
   * Does a job; its bytes are gone afterwards.
   * @throws the signal's reason
   */
  read(job: ApartJob, signal: AbortSignal): Promise<ApartResult>
}

/** The call whose answer is read. */
export interface ApartCall {
  readonly apart: Apart
  readonly connection: Connection
  readonly operation: CompiledOperation
  readonly params: Params
  readonly take: Taken
  /** What was looked up for it. */
  readonly found?: Found
  readonly signal: AbortSignal
}

/** Bytes that another thread can take over: those of a buffer which has its memory for itself. */
const ownBytes = (bytes: Buffer): Uint8Array<ArrayBuffer> =>
  bytes.buffer instanceof ArrayBuffer && bytes.byteLength === bytes.buffer.byteLength ? new Uint8Array(bytes.buffer) : new Uint8Array(bytes)

/** What is to be done with a body. */
function jobOf({ connection, operation, params, take, found }: ApartCall, bytes: Buffer): ApartJob {
  const { kind, entityName: entity, action } = operation
  return {
    ...{ kind: kind.definition.kind, entity, action, params },
    showsHidden: showsHidden(connection, operation),
    take: isInParts(operation) ? 'part' : take,
    bytes: ownBytes(bytes),
    ...(found === undefined ? {} : { found }),
  }
}

/** The rows of a result in parts go where they were: all that is done with them is done with raw ones already. */
function withRows(around: unknown, value: ApartValue): unknown {
  if (typeof around !== 'object' || around === null) return around
  if (value.is === 'part') Reflect.set(around, 'data', new RawRows(Buffer.from(value.bytes.buffer, value.start, value.end - value.start)))
  return around
}

/** An answer whose body is large. */
export type LargeAnswer = WireAnswer & { readonly bytes: Buffer }

/** Whether the body of an answer is to be read apart. */
export const isLarge = (answer: WireAnswer, { from }: Apart): answer is LargeAnswer =>
  answer.bytes !== undefined && answer.bytes.length > from

/** An answer whose body was read apart. */
export async function answerApart(call: ApartCall, answer: LargeAnswer): Promise<WireAnswer> {
  const { status, headers, bytes } = answer
  const result = await call.apart.read(jobOf(call, bytes), call.signal)
  const read = 'flaw' in result ? result : { around: withRows(readJson(result.around), result.value), value: result.value }
  return { status, headers, text: '', apart: read }
}

/** A failure that came from another thread. */
const failureFrom = ({ code, message, hint }: ApartFailure): FerruleError => new FerruleError(code, { message, hint }, {})

/** What was taken of an answer. @throws FerruleError what the rules of the operation said */
export function takenFrom(operation: CompiledOperation, { apart }: WireAnswer): ApartValue | undefined {
  if (apart === undefined) return undefined
  if ('flaw' in apart) throw invalidAnswer(operation, apart.flaw)
  if (apart.value.is === 'failure') throw failureFrom(apart.value.failure)
  return apart.value
}
