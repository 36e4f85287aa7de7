/**
 * Large bodies of answers, read apart from the loop that serves everybody: what is done with one, as a pure function over bytes, so
 * that a thread can do it. The bytes of the records come back, and the little that the vendor says around them.
 */
import type { Kind } from '../definition/connector.ts'
import { isObject } from '../definition/object.ts'
import type { PageInfo } from '../definition/page.ts'
import { type ErrorCode, FerruleError } from '../errors.ts'
import { flawOf, listedIn, rowsOf } from './answer.ts'
import { type Found, idsToLookUp, isHidden } from './hidden.ts'
import { textOf } from './http-body.ts'
import { readJson, writeJson } from './json.ts'
import { weightOf } from './json-weight.ts'
import { type CompiledOperation, operationOf } from './operation.ts'
import type { RecordKey } from './outcome.ts'
import { namedRows, type Page, pageFrom } from './page.ts'
import type { Params } from './params.ts'
import { getAt, type Path } from './paths.ts'
import { bodyWithRows, RawRows } from './raw-rows.ts'
import { shapeRow } from './rows.ts'

/** What a vendor may say around its records, in characters: the loop reads it. */
const mostAround = 4_194_304

/** What of a body comes back as bytes: the records of a list, its rows as they came, one record, the rows of a result in parts, or nothing. */
export type Taken = 'page' | 'rows' | 'record' | 'part' | 'nothing'

/** What is to be done with the body of an answer. */
export interface ApartJob {
  /** Slug of the kind. */
  readonly kind: string
  readonly entity: string
  readonly action: string
  readonly params: Params
  readonly showsHidden: boolean
  readonly take: Taken
  /** The body; whoever does the job takes it over. */
  readonly bytes: Uint8Array<ArrayBuffer>
  /** The records that complete the rows, once they were looked up. */
  readonly found?: Found
}

/** A failure, as it comes from another thread. */
export interface ApartFailure {
  readonly code: ErrorCode
  readonly message: string
  readonly hint: string
}

/** What was taken of a body. */
export type ApartValue =
  /** Records or rows as a JSON array. */
  | {
      readonly is: 'rows'
      readonly bytes: Uint8Array<ArrayBuffer>
      readonly count: number
      readonly excluded: number
      readonly hidden: readonly RecordKey[]
      /** How many rows the answer's list has; undefined where it has none. */
      readonly listed: number | undefined
      readonly made?: { readonly page_info: PageInfo }
    }
  /** These have to be looked up first; the body comes back. */
  | { readonly is: 'ids'; readonly ids: readonly string[]; readonly bytes: Uint8Array<ArrayBuffer> }
  /** One record as JSON. */
  | { readonly is: 'record'; readonly bytes: Uint8Array<ArrayBuffer> }
  /** Rows of a result in parts: where they lie in the body. */
  | { readonly is: 'part'; readonly bytes: Uint8Array<ArrayBuffer>; readonly start: number; readonly end: number }
  | { readonly is: 'hidden' | 'nothing' }
  | { readonly is: 'failure'; readonly failure: ApartFailure }

/** What a job gives: why the body cannot be read, or the JSON around what was taken of it. */
export type ApartResult = { readonly flaw: string } | { readonly around: string; readonly value: ApartValue }

/** A body without what lies at a path; it is changed. */
function withoutValue(body: unknown, path: Path): unknown {
  const step = path.at(-1)
  const holder = getAt(body, path.slice(0, -1))
  if (step === undefined) return null
  if (typeof holder === 'object' && holder !== null) Reflect.set(holder, step, null)
  return body
}

const failureOf = (thrown: unknown): ApartValue => {
  if (!(thrown instanceof FerruleError)) throw thrown
  const { code, message, hint } = thrown
  return { is: 'failure', failure: { code, message, hint } }
}

const bytesOf = (value: unknown): Uint8Array<ArrayBuffer> => new TextEncoder().encode(writeJson(value))

const rowsValue = ({ data, ...page }: Page<readonly unknown[]>): ApartValue => ({
  is: 'rows',
  bytes: bytesOf(data),
  count: data.length,
  ...page,
})

/** What is taken of a body that was read, which is not needed any more. */
type Take = (job: ApartJob, operation: CompiledOperation, body: unknown) => ApartValue

const taking: Readonly<Record<Taken, Take>> = {
  page: (job, operation, body) => {
    const { showsHidden, found, params, bytes } = job
    const named = namedRows({ operation, params }, body)
    const ids = found === undefined ? idsToLookUp({ operation, showsHidden }, named.rows) : []
    if (ids.length > 0) return { is: 'ids', ids, bytes }
    return rowsValue(pageFrom({ operation, showsHidden, params }, named, found ?? new Map()))
  },
  rows: (_job, operation, body) => rowsValue({ data: rowsOf(operation, body), excluded: 0, hidden: [], listed: listedIn(operation, body) }),
  record: ({ showsHidden, params }, operation, body) => {
    const row = getAt(body, operation.at)
    if (!isObject(row)) return { is: 'nothing' }
    if (isHidden({ operation, showsHidden }, row)) return { is: 'hidden' }
    return { is: 'record', bytes: bytesOf(shapeRow(operation, row, params)) }
  },
  part: ({ bytes }, _operation, body) => {
    const rows = isObject(body) ? body['data'] : undefined
    if (!Array.isArray(rows) && !(rows instanceof RawRows)) return { is: 'nothing' }
    if (Array.isArray(rows)) return partOf(bytesOf(rows)) // they are no UTF-8
    const start = rows.bytes.byteOffset - bytes.byteOffset
    return { is: 'part', bytes, start, end: start + rows.bytes.length }
  },
  nothing: () => ({ is: 'nothing' }),
}

const partOf = (bytes: Uint8Array<ArrayBuffer>): ApartValue => ({ is: 'part', bytes, start: 0, end: bytes.length })

function taken(job: ApartJob, operation: CompiledOperation, body: unknown): ApartValue {
  try {
    return taking[job.take](job, operation, body)
  } catch (thrown) {
    return failureOf(thrown)
  }
}

/** Where the part of a body lies that is taken out of it. */
const placeOf = ({ take }: ApartJob, { at }: CompiledOperation): Path | undefined =>
  take === 'nothing' ? undefined : take === 'part' ? ['data'] : at

function bodyOf({ take }: ApartJob, json: Buffer): unknown {
  return take === 'part' ? bodyWithRows(json, 'checked') : readJson(textOf(json))
}

const mega = 1_048_576

/**
 * Does a job.
 * @param most bytes of memory that the body may take once it is read
 * @throws what is a mistake of ours; what is wrong with the body is part of the result
 */
export function readApart(kind: Kind, job: ApartJob, most: number): ApartResult {
  const operation = operationOf(kind, job.entity, job.action)
  const json = Buffer.from(job.bytes.buffer, job.bytes.byteOffset, job.bytes.byteLength)
  // Rows of a result in parts are not read.
  if (job.take !== 'part' && weightOf(json) > most) return { flaw: `it takes more than ${Math.round(most / mega)} MB of memory to read` }
  let body: unknown
  try {
    body = bodyOf(job, json)
  } catch (thrown) {
    return { flaw: flawOf(thrown) }
  }
  const value = taken(job, operation, body)
  const place = value.is === 'nothing' ? undefined : placeOf(job, operation)
  const around = writeJson(place === undefined ? body : withoutValue(body, place))
  return around.length > mostAround ? { flaw: `it has more than ${mostAround} characters beside its records` } : { around, value }
}
