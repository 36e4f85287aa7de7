/** Reads rows from the vendor's answer, with the vendor's own text where nothing changes them. Pure. */
import { isUtf8 } from 'node:buffer'
import { randomUUID } from 'node:crypto'
import type { RowRule } from '../../definition/connector.ts'
import { isWriting, type MergedRows } from '../../definition/entity.ts'
import { isObject } from '../../definition/object.ts'
import { type ErrorDetails, type FerruleError, fail } from '../../errors.ts'
import { TooDeep } from '../../values/json/depth.ts'
import { readInnerJson, readJson } from '../../values/json/json.ts'
import { type HttpAnswer, readHeader } from '../http/answer.ts'
import { describeMovedAddress } from '../http/origin.ts'
import { addMissing, getAt, type Path, setAt } from '../json/paths.ts'
import { RawRows, readBodyWithRows } from '../json/raw-rows.ts'
import type { ReadApart } from './apart-job.ts'
import type { CompiledOperation } from './operation.ts'
import type { Call } from './outcome.ts'

/** An HTTP answer of a vendor. */
export interface WireAnswer extends HttpAnswer {
  /** The result for a large body that a worker thread parsed; the body itself is released. */
  readonly apart?: ReadApart
}

/** A success with its body and the vendor's warnings. */
export interface Success {
  readonly is: 'answer'
  readonly answer: WireAnswer
  readonly body: unknown
  readonly warnings: readonly string[]
  /** The text of the rows, if the call keeps it and it stands apart in the body. */
  readonly text?: RawRows
}

/** Makes an `upstream_answer_invalid` error of an operation. The caller throws it. */
export const failInvalidAnswer = ({ kind }: Pick<CompiledOperation, 'kind'>, reason: string, details: ErrorDetails = {}): FerruleError =>
  fail('upstream_answer_invalid', { vendor: kind.definition.title, reason }, details)

/** Returns the digest of a body that alone makes the records. */
export const readDigest = ({ operation }: CompiledOperation, { digest }: WireAnswer): { readonly digest?: string } =>
  digest === undefined || operation.join !== undefined ? {} : { digest }

const notJson = 'the body is not valid JSON'

/** Describes why a body cannot be parsed. Drops a SyntaxError, because its message quotes the body. */
export const describeFlaw = (thrown: unknown): string => (thrown instanceof TooDeep ? thrown.message : notJson)

const isPage = (answer: WireAnswer): boolean => /^text\/html\b/i.test(readHeader(answer, 'content-type') ?? '')

/**
 * Makes the error of a body that cannot be parsed. One that is too deep or too large will be the same again, and so will a page of an address
 * that the configuration names.
 */
function failFlaw(operation: Pick<CompiledOperation, 'kind'>, flaw: string, answer: WireAnswer): FerruleError {
  const upstream = { status: answer.status }
  const hint = isPage(answer) ? describeMovedAddress(operation) : undefined
  if (hint !== undefined)
    return failInvalidAnswer(operation, 'it is a web page, and no answer of the API', { upstream, hint, retryable: false })
  return failInvalidAnswer(operation, flaw, { upstream, ...(flaw === notJson ? {} : { retryable: false }) })
}

/**
 * Parses the answer's body.
 * @param rawRows how the rows of a large body stay raw, if the answer has bytes
 * @throws FerruleError `upstream_answer_invalid` if the body is not JSON, or nested too deep
 */
export function parseBody(operation: Pick<CompiledOperation, 'kind'>, answer: WireAnswer, rawRows?: Call['rawRows']): unknown {
  const { apart } = answer
  if (apart !== undefined && 'flaw' in apart) throw failFlaw(operation, apart.flaw, answer)
  if (apart !== undefined) return apart.around
  try {
    return rawRows === undefined || answer.bytes === undefined ? readJson(answer.text) : readBodyWithRows(answer.bytes, rawRows)
  } catch (thrown) {
    throw failFlaw(operation, describeFlaw(thrown), answer)
  }
}

/** Returns whether the answer of a write has nothing to read: the vendor says so, or it has no body. */
const hasNoRecord = ({ action, operation }: CompiledOperation, { text, bytes, apart }: WireAnswer): boolean =>
  operation.answers === 'nothing' || (isWriting(action) && text === '' && bytes === undefined && apart === undefined)

/**
 * Parses the body of a success, with the text of its rows if the call kept the bytes.
 * @throws FerruleError as `parseBody`
 */
export function parseSuccess(operation: CompiledOperation, answer: WireAnswer, rawRows?: Call['rawRows']): Pick<Success, 'body' | 'text'> {
  const { text, kept } = answer
  if (hasNoRecord(operation, answer)) return { body: {} }
  const found = kept === undefined ? undefined : readRowText({ text, bytes: kept }, operation.at)
  return found ?? { body: parseBody(operation, answer, rawRows) }
}

/** Returns whether a row has the documented key. Such a row is a record, whatever shape the vendor's other rows have. */
const isDocumented = ({ key }: CompiledOperation, row: unknown): boolean =>
  key.length > 0 && key.every((path) => getAt(row, path) !== undefined)

/**
 * Merges the objects of a row into one record. Sets keys one by one, because copying the row and deleting its objects takes twice as long.
 * @throws FerruleError `upstream_answer_invalid` if the row has none of the objects
 */
export function mergeRow(operation: CompiledOperation, { merge, empty, names = [] }: MergedRows, row: unknown): unknown {
  if (!isObject(row) || !(merge.some((part) => isObject(row[part])) || isDocumented(operation, row)))
    throw failInvalidAnswer(operation, `a row without ${merge.join(' and ')}`)
  const record: Record<string, unknown> = {}
  const read = (name: string, value: unknown): unknown => (empty !== undefined && value === empty && !names.includes(name) ? null : value)
  for (const part of merge) {
    const values = row[part]
    if (isObject(values)) for (const name in values) record[name] = read(name, values[name])
  }
  for (const name in row) if (!merge.includes(name)) record[name] = read(name, row[name])
  return record
}

/**
 * Applies a rule of the kind to a row.
 * @throws FerruleError `upstream_answer_invalid` if the rule returns no record
 */
function applyRowRule(operation: CompiledOperation, rule: RowRule, row: unknown): readonly unknown[] {
  if (!isObject(row)) return [row]
  const made: unknown = rule(row)
  if (Array.isArray(made)) return isDocumented(operation, row) ? [row] : made
  if (!isObject(made)) throw failInvalidAnswer(operation, `the rows of ${operation.entityName} cannot be made of it`)
  return [addMissing(row, made)]
}

/** Counts the rows in the list of an answer; undefined without a list. */
export function countRows(operation: CompiledOperation, body: unknown): number | undefined {
  const rows = getAt(body, operation.at)
  return Array.isArray(rows) ? rows.length : undefined
}

/**
 * Reads the rows of a list, before shaping. An answer whose code says success may omit the list and then has no rows.
 * @throws FerruleError `upstream_answer_invalid` if there is no array at the defined path, or the kind's rule returns no record
 */
export function readRows(operation: CompiledOperation, body: unknown): readonly unknown[] {
  const found = getAt(body, operation.at)
  if ((found === undefined || found === null) && operation.kind.definition.problem.success !== undefined) return []
  if (!Array.isArray(found)) throw failInvalidAnswer(operation, `there is no array at "${operation.operation.at}"`)
  const { merged, rule } = operation
  if (merged !== undefined) return found.map((row) => mergeRow(operation, merged, row))
  return rule === undefined ? found : found.flatMap((row) => applyRowRule(operation, rule, row))
}

/** A body with its rows parsed, and the text of the same rows. */
interface BodyWithRowText {
  readonly body: unknown
  readonly text: RawRows
}

/** Most characters around the rows: they are parsed twice when the rows turn out to end elsewhere. */
const longestRest = 16_384
/** Characters of the rows that are searched for spaces between the tokens: a vendor writes them everywhere or nowhere. */
const sampled = 512

const [newline, opensObject] = [0x0a, 0x7b]

/** Stands for the rows while the JSON around them is parsed. Random, so that no vendor's string contains it. */
const mark = randomUUID()

/** Returns whether a body is JSON without spaces, as this service writes it. No string of JSON contains a line break. */
const isDense = (bytes: Buffer): boolean => bytes[0] === opensObject && !bytes.includes(newline) && isUtf8(bytes)

/**
 * Parses a body and finds the text of its rows. The rows and what is around them are parsed one by one: so both are JSON, and the text is
 * exactly that of the rows. Numbers and escapes keep the vendor's form, such as `1.0`.
 * @param bytes the same body, which the caller gives away
 * @param at where the rows are
 * @returns undefined for a body of another form, and for one that is no JSON
 */
export function readRowText({ text, bytes }: { readonly text: string; readonly bytes: Buffer }, at: Path): BodyWithRowText | undefined {
  const name = at.at(-1)
  if (typeof name !== 'string' || !isDense(bytes)) return undefined
  const label = `${JSON.stringify(name)}:[`
  const start = text.indexOf(label) + label.length - 1
  const end = text.lastIndexOf(']') + 1
  if (start < label.length || end <= start || start + text.length - end > longestRest) return undefined
  if (text.slice(start, start + sampled).includes('": ')) return undefined
  const [before, after] = [text.slice(0, start), text.slice(end)]
  try {
    const body = readJson(`${before}"${mark}"${after}`)
    if (!isObject(body) || getAt(body, at) !== mark) return undefined
    const rows = readInnerJson(text.slice(start, end), at.length)
    if (!Array.isArray(rows)) return undefined
    setAt(body, at, rows)
    const raw = bytes.subarray(Buffer.byteLength(before), bytes.length - Buffer.byteLength(after))
    return { body, text: new RawRows(raw, rows.length, bytes.byteLength < bytes.buffer.byteLength) }
  } catch {
    return undefined // whoever parses the whole body says what is wrong
  }
}
