/** Hands large bodies to a worker thread and replaces the body by the result. */
import type { Kind } from '../../definition/connector.ts'
import { readJson } from '../../values/json/json.ts'
import type { Connection } from '../connection.ts'
import { readHeader } from '../http/http.ts'
import { findLineFormat, RawRows } from '../json/raw-rows.ts'
import type { LargeAnswer, WireAnswer } from './answer.ts'
import type { ApartJob, ApartResult, ApartValue, Taken } from './apart-job.ts'
import { findFilter, type LookedUp, showsHidden } from './hidden.ts'
import type { CompiledOperation, Params } from './operation.ts'
import { isInParts } from './page-records.ts'

/** Parses large bodies outside the event loop. */
export interface Apart {
  /** Size in bytes above which a body goes to `read`. The event loop parses a smaller body in a few milliseconds. */
  readonly from: number
  /** Parses the body of a job and takes over its bytes. @param asked `kind` of the job @throws the signal's reason */
  read(job: ApartJob, asked: { readonly kind: Kind; readonly signal: AbortSignal }): Promise<ApartResult>
}

/** The call whose answer is parsed. */
export interface ApartCall {
  readonly apart: Apart
  readonly connection: Connection
  readonly operation: CompiledOperation
  readonly params: Params
  readonly unfiltered?: boolean | undefined
  readonly take: Taken
  /** The records of a join, once they are looked up. */
  readonly found?: LookedUp
  readonly signal: AbortSignal
}

/** Returns bytes that another thread can take over. Copies them if they share their memory with other buffers. */
const toOwnBytes = (bytes: Buffer): Uint8Array<ArrayBuffer> =>
  bytes.buffer instanceof ArrayBuffer && bytes.byteLength === bytes.buffer.byteLength ? new Uint8Array(bytes.buffer) : new Uint8Array(bytes)

function buildJob({ connection, operation, params, unfiltered, take, found }: ApartCall, { bytes, headers }: LargeAnswer): ApartJob {
  const { kind, entityName: entity, action } = operation
  return {
    kind: kind.definition.kind,
    entity,
    action,
    params,
    showsHidden: showsHidden(connection, operation),
    filter: findFilter(connection, operation, unfiltered),
    take: isInParts(operation) ? 'part' : take,
    bytes: toOwnBytes(bytes),
    found,
    own: operation.own,
    format: findLineFormat(operation.lines, readHeader({ headers }, 'content-type')),
  }
}

/** Puts the rows of a result in parts back into the body, raw. */
function restoreRows(around: unknown, value: ApartValue): unknown {
  if (typeof around !== 'object' || around === null) return around
  if (value.is !== 'part') return around
  const { bytes, start, end, count } = value
  Reflect.set(around, 'data', new RawRows(Buffer.from(bytes.buffer, start, end - start), count))
  return around
}

/** Parses the body of an answer in a worker thread. */
export async function readAnswerApart(call: ApartCall, answer: LargeAnswer): Promise<WireAnswer> {
  const { status, headers } = answer
  const result = await call.apart.read(buildJob(call, answer), { kind: call.operation.kind, signal: call.signal })
  const read = 'flaw' in result ? result : { around: restoreRows(readJson(result.around), result.value), value: result.value }
  return { status, headers, text: '', apart: read }
}
