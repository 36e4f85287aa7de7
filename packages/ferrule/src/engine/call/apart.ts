/**
 * Parses large bodies. A pure function over bytes, so that a worker thread can run it. Returns the bytes of the records, and the small rest
 * of the body as JSON.
 * Reasons: docs/decisions/answers.md
 */
import type { Kind } from '../../definition/connector.ts'
import { isObject } from '../../definition/object.ts'
import { FerruleError } from '../../errors.ts'
import { readJson, writeJson } from '../../values/json/json.ts'
import { decodeBody } from '../http/body.ts'
import { getAt, type Path } from '../json/paths.ts'
import { type LineFormat, RawRows, readBodyWithRows, readRowLines, skipUncheckedString } from '../json/raw-rows.ts'
import { countRows, describeFlaw, readRows } from './answer.ts'
import type { ApartJob, ApartResult, ApartValue, Taken } from './apart-job.ts'
import { isHidden, listIdsToLookUp } from './hidden.ts'
import { type CompiledOperation, findOperation } from './operation.ts'
import { buildPage, findRecord, nameRows, type Page, shapeRecord } from './page-records.ts'

/** Maximum size of the rest in characters, because the event loop parses it. */
const mostAround = 4_194_304

/** Sets the value at a path of the given object to null. */
function clearValue(body: unknown, path: Path): unknown {
  const step = path.at(-1)
  const holder = getAt(body, path.slice(0, -1))
  if (step === undefined) return null
  if (typeof holder === 'object' && holder !== null) Reflect.set(holder, step, null)
  return body
}

const toFailure = (thrown: unknown): ApartValue => {
  if (!(thrown instanceof FerruleError)) throw thrown
  const { code, message, hint } = thrown
  return { is: 'failure', failure: { code, message, hint } }
}

const encodeJson = (value: unknown): Uint8Array<ArrayBuffer> => new TextEncoder().encode(writeJson(value))

const toRowsValue = ({ data, ...page }: Page<readonly unknown[]>): ApartValue => ({
  is: 'rows',
  bytes: encodeJson(data),
  count: data.length,
  ...page,
})

/** Reads one kind of value from a parsed body, and may change the body. */
type Take = (job: ApartJob, operation: CompiledOperation, body: unknown) => ApartValue

const taking: Readonly<Record<Taken, Take>> = {
  page: (job, operation, body) => {
    const { showsHidden, filter, found, params, bytes } = job
    const named = nameRows({ operation, params }, body)
    const ids = found === undefined ? listIdsToLookUp({ operation, showsHidden }, named.rows) : []
    if (ids.length > 0) return { is: 'ids', ids, bytes }
    return toRowsValue(buildPage({ operation, showsHidden, filter, params }, named, found ?? new Map()))
  },
  rows: (_job, operation, body) =>
    toRowsValue({ data: readRows(operation, body), excluded: 0, unclear: 0, hidden: [], listed: countRows(operation, body) }),
  record: ({ showsHidden, params }, operation, body) => {
    const row = findRecord(operation, body)
    if (row === undefined) return { is: 'nothing' }
    if (isHidden({ operation, showsHidden }, row)) return { is: 'hidden' }
    return { is: 'record', bytes: encodeJson(shapeRecord(operation, row, params)) }
  },
  part: ({ bytes }, _operation, body) => {
    const rows = isObject(body) ? body['data'] : undefined
    if (!Array.isArray(rows) && !(rows instanceof RawRows)) return { is: 'nothing' }
    if (Array.isArray(rows)) return toPartValue(encodeJson(rows), rows.length) // the body is not UTF-8
    const start = rows.bytes.byteOffset - bytes.byteOffset
    return { is: 'part', bytes, start, end: start + rows.bytes.length, count: rows.count }
  },
  nothing: () => ({ is: 'nothing' }),
}

const toPartValue = (bytes: Uint8Array<ArrayBuffer>, count: number): ApartValue => ({
  is: 'part',
  bytes,
  start: 0,
  end: bytes.length,
  count,
})

function takeValue(job: ApartJob, operation: CompiledOperation, body: unknown): ApartValue {
  try {
    return taking[job.take](job, operation, body)
  } catch (thrown) {
    return toFailure(thrown)
  }
}

const findTakenPath = ({ take }: ApartJob, { list }: CompiledOperation): Path | undefined =>
  take === 'nothing' ? undefined : take === 'part' ? ['data'] : list

function parseJobBody({ take, format }: ApartJob, { lines }: CompiledOperation, json: Buffer): unknown {
  if (format !== undefined && lines !== undefined) return readRowLines(lines, decodeBody(json))
  return take === 'part' ? readBodyWithRows(json, 'checked') : readJson(decodeBody(json))
}

const mega = 1_048_576

/**
 * Runs a job.
 * @param kind the kind of the job
 * @param job the body, and what to read from it
 * @param most maximum memory of the parsed body, in bytes
 * @throws only for a mistake of ours; a flaw of the body is part of the result
 */
export function readApart(kind: Kind, job: ApartJob, most: number): ApartResult {
  const operation = { ...findOperation(kind, job.entity, job.action), own: job.own }
  const json = Buffer.from(job.bytes.buffer, job.bytes.byteOffset, job.bytes.byteLength)
  // Rows of a result in parts stay raw, so they take no further memory.
  if (job.take !== 'part' && estimateWeight(json, job.format) > most)
    return { flaw: `it takes more than ${Math.round(most / mega)} MB of memory to read` }
  let body: unknown
  try {
    body = parseJobBody(job, operation, json)
  } catch (thrown) {
    return { flaw: describeFlaw(thrown) }
  }
  const value = takeValue(job, operation, body)
  // What has no rows may be what the vendor says instead of them.
  const isWhole = value.is === 'nothing' || (value.is === 'failure' && json.length < mostAround)
  const taken = isWhole ? undefined : findTakenPath(job, operation)
  const around = writeJson(taken === undefined ? body : clearValue(body, taken))
  return around.length > mostAround ? { flaw: `it has more than ${mostAround} characters beside its records` } : { around, value }
}

const [quote, comma, opensArray, opensObject, newline] = [0x22, 0x2c, 0x5b, 0x7b, 0x0a]

/** Bytes of V8's memory for an empty object or array, and for one more value within it, rounded up. */
const [perHolder, perValue] = [64, 40]

/** Estimates the memory of a parsed body in bytes, its source included. Rather too high than too low. */
function estimateWeight(json: Buffer, format: LineFormat | undefined): number {
  let weight = json.length
  for (let index = 0; index < json.length; ) {
    const byte = json[index]
    if (byte === comma) weight += perValue
    else if (byte === opensArray || byte === opensObject || (byte === newline && format !== undefined)) weight += perHolder
    index = byte === quote && format !== 'csv' ? skipUncheckedString(json, index) : index + 1
  }
  return weight
}
