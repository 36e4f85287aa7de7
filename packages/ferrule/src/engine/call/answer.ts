/**
 * Reads the vendor's answer: the rows of a success, with the vendor's own text where nothing changes them, or the error that the kind's rules
 * make of anything else. Pure.
 */
import { isUtf8 } from 'node:buffer'
import { randomUUID } from 'node:crypto'
import type { ErrorRule, RowRule } from '../../definition/connector.ts'
import { isWriting, type MergedRows } from '../../definition/entity.ts'
import { isObject } from '../../definition/object.ts'
import { errorConsequences } from '../../error-consequences.ts'
import { type ErrorDetails, FerruleError, fail, failAs, type Upstream } from '../../errors.ts'
import { parseRetryAfter } from '../../retry.ts'
import { readInnerJson, readJson, TooDeep, tryReadJson } from '../../values/json/json.ts'
import type { Redact } from '../credentials/source.ts'
import { type HttpAnswer, readHeader } from '../http/http.ts'
import { describeMovedAddress } from '../http/origin.ts'
import { addMissing, getAt, listWithin, type Path, parsePath, setAt } from '../json/paths.ts'
import { BadLine, badLine, findLineFormat, RawRows, readBodyWithRows, readRowLines } from '../json/raw-rows.ts'
import { parseInteger } from '../json/validate.ts'
import { readWindowEnd } from '../limits/limits.ts'
import type { ApartValue, ReadApart } from './apart-job.ts'
import type { CompiledOperation, Params } from './operation.ts'
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

/** An answer with a large body. */
export type LargeAnswer = WireAnswer & { readonly bytes: Buffer }

/** Returns whether the body of an answer goes to a worker thread. @param from size in bytes above which it does */
export const isLarge = (answer: WireAnswer, from: number): answer is LargeAnswer => answer.bytes !== undefined && answer.bytes.length > from

/**
 * Returns what the worker thread read from an answer; undefined if it parsed nothing.
 * @throws FerruleError of the operation's rules; `upstream_answer_invalid`
 */
export function readTaken(operation: CompiledOperation, { apart }: WireAnswer): ApartValue | undefined {
  if (apart === undefined) return undefined
  if ('flaw' in apart) throw failInvalidAnswer(operation, apart.flaw)
  if (apart.value.is !== 'failure') return apart.value
  const { code, message, hint } = apart.value.failure
  throw new FerruleError(code, { message, hint }, {})
}

/** Returns the digest of a body that alone makes the records. */
export const readDigest = ({ operation }: CompiledOperation, { digest }: WireAnswer): { readonly digest?: string } =>
  digest === undefined || operation.join !== undefined ? {} : { digest }

const notJson = 'the body is not valid JSON'

/** Describes why a body cannot be parsed. Drops a SyntaxError, because its message quotes the body. */
export const describeFlaw = (thrown: unknown): string => (thrown instanceof TooDeep || thrown instanceof BadLine ? thrown.message : notJson)

/**
 * Makes the error of a body that cannot be parsed. One that is too deep or too large will be the same again, and so will a page of an address
 * that the configuration names.
 */
function failFlaw(operation: Pick<CompiledOperation, 'kind'>, flaw: string, answer: WireAnswer): FerruleError {
  const upstream = { status: answer.status }
  const hint = /^text\/html\b/i.test(readHeader(answer, 'content-type') ?? '') ? describeMovedAddress(operation) : undefined
  if (hint !== undefined)
    return failInvalidAnswer(operation, 'it is a web page, and no answer of the API', { upstream, hint, retryable: false })
  const canPass = flaw === notJson || flaw.startsWith(badLine)
  return failInvalidAnswer(operation, flaw, { upstream, ...(canPass ? {} : { retryable: false }) })
}

/**
 * Parses the answer's body.
 * @param rawRows how the rows of a large body stay raw, if the answer has bytes
 * @throws FerruleError `upstream_answer_invalid` if the body is not JSON, or nested too deep, or has a line that is no row
 */
export function parseBody(operation: Pick<CompiledOperation, 'kind' | 'lines'>, answer: WireAnswer, rawRows?: Call['rawRows']): unknown {
  const { apart } = answer
  const { lines } = operation
  if (apart !== undefined && 'flaw' in apart) throw failFlaw(operation, apart.flaw, answer)
  if (apart !== undefined) return apart.around
  try {
    if (lines !== undefined && findLineFormat(lines, readHeader(answer, 'content-type')) !== undefined)
      return readRowLines(lines, answer.text)
    return rawRows === undefined || answer.bytes === undefined ? readJson(answer.text) : readBodyWithRows(answer.bytes, rawRows)
  } catch (thrown) {
    throw failFlaw(operation, describeFlaw(thrown), answer)
  }
}

/** Returns whether the answer of a write has nothing to read: the vendor says so, or it has no body. */
const hasNoRecord = ({ action, operation }: CompiledOperation, { text, bytes, apart }: WireAnswer): boolean =>
  operation.answers === 'nothing' || (isWriting(action) && text === '' && bytes === undefined && apart === undefined)

/** Parses the body of a success, with the text of its rows if the call kept the bytes. @throws FerruleError as `parseBody` */
export function parseSuccess(operation: CompiledOperation, answer: WireAnswer, rawRows?: Call['rawRows']): Pick<Success, 'body' | 'text'> {
  const { text, kept } = answer
  if (hasNoRecord(operation, answer)) return { body: {} }
  const found = kept === undefined ? undefined : readRowText({ text, bytes: kept }, operation.at)
  return found ?? { body: parseBody(operation, answer, rawRows) }
}

/** Returns whether a row has the documented key. Such a row is a record, whatever shape the vendor's other rows have. */
const isDocumented = ({ key }: CompiledOperation, row: unknown): boolean =>
  key.length > 0 && key.every((path) => getAt(row, path) !== undefined)

/** Puts the account's own fields, which stand beside the documented ones, into one object. */
function gatherOwn(own: ReadonlySet<string>, rest: string, row: Readonly<Record<string, unknown>>): unknown {
  const [record, gathered]: [Record<string, unknown>, Record<string, unknown>] = [{}, {}]
  record[rest] = gathered
  for (const name in row) (own.has(name) ? gathered : record)[name] = row[name]
  return record
}

/**
 * Merges the objects of a row into one record. Sets keys one by one, because copying the row and deleting its objects takes twice as long.
 * @throws FerruleError `upstream_answer_invalid` if the row has none of the objects
 */
export function mergeRow(operation: CompiledOperation, { merge, empty, names = [], rest }: MergedRows, row: unknown): unknown {
  if (merge.length === 0 && rest !== undefined) return isObject(row) ? gatherOwn(operation.own ?? new Set(), rest, row) : row
  if (!isObject(row) || !(merge.some((part) => isObject(row[part])) || isDocumented(operation, row)))
    throw failInvalidAnswer(operation, `a row without ${merge.join(' and ')}`)
  const record: Record<string, unknown> = {}
  const read = (name: string, value: unknown): unknown => (empty !== undefined && value === empty && !names.includes(name) ? null : value)
  const others: Record<string, unknown> = {}
  const isOther = (name: string): boolean => rest !== undefined && !operation.fields.names.includes(name)
  for (const part of merge) {
    const values = row[part]
    if (isObject(values)) for (const name in values) (isOther(name) ? others : record)[name] = read(name, values[name])
  }
  if (rest !== undefined) record[rest] = others
  for (const name in row) if (!merge.includes(name)) record[name] = read(name, row[name])
  return record
}

/** Applies a rule of the kind to a row. */
function applyRowRule(operation: CompiledOperation, rule: RowRule, row: unknown): readonly unknown[] {
  if (!isObject(row)) return [row]
  const made: unknown = rule(row)
  if (Array.isArray(made)) return isDocumented(operation, row) ? [row] : made
  if (!isObject(made)) throw failInvalidAnswer(operation, `the rows of ${operation.entityName} cannot be made of it`)
  return [addMissing(row, made)]
}

/**
 * Finds the rows of an answer as the vendor has them, keyed ones with their keys; undefined without rows. A vendor whose language has one word
 * for both may send an empty list for no keyed rows.
 * @throws FerruleError `upstream_answer_invalid` for a keyed row that is no object
 */
export function findRows(operation: CompiledOperation, body: unknown): readonly unknown[] | undefined {
  if (operation.list !== operation.at) return findInnerRows(operation, body)
  const found = getAt(body, operation.at)
  const { keyed } = operation.operation
  if (keyed === undefined || Array.isArray(found))
    return Array.isArray(found) && (keyed === undefined || found.length === 0) ? found : undefined
  if (!isObject(found)) return undefined
  const isWhole = [operation.entity.record?.[keyed]?.type].flat().includes('integer')
  return Object.entries(found).map(([name, row]) => {
    if (!isObject(row)) throw failInvalidAnswer(operation, 'a keyed row that is no object')
    return { ...row, [keyed]: isWhole ? (parseInteger(name) ?? name) : name }
  })
}

/** Finds the rows within the rows of a list, with the values that they take from around them. A row around may lack its list. */
function findInnerRows(operation: CompiledOperation, body: unknown): readonly unknown[] | undefined {
  const { at, outer } = operation
  return listWithin(body, at)?.flatMap(([rows, around]) => {
    if (rows === undefined || rows === null) return []
    if (!Array.isArray(rows)) throw failInvalidAnswer(operation, `there is no array at "${operation.operation.at}"`)
    const taken = outer.map(
      ([field, path]) => [field, around.map((each) => getAt(each, path)).find((value) => value !== undefined)] as const,
    )
    return taken.length === 0 ? rows : rows.map((row: unknown) => (isObject(row) ? { ...Object.fromEntries(taken), ...row } : row))
  })
}

/** Finds the list of an answer that the vendor's pages count: the rows, or those around them. */
export function findList(operation: CompiledOperation, body: unknown): readonly unknown[] | undefined {
  if (operation.list === operation.at) return findRows(operation, body)
  const list = getAt(body, operation.list)
  return Array.isArray(list) ? list : undefined
}

/** Counts the rows in the list of an answer, as its pages do; undefined without a list. */
export const countRows = (operation: CompiledOperation, body: unknown): number | undefined => findList(operation, body)?.length

/**
 * Reads the rows of a list, before shaping. An answer whose code says success may omit the list and then has no rows.
 * @throws FerruleError `upstream_answer_invalid` if there is no array at the defined path, or the kind's rule returns no record
 */
export function readRows(operation: CompiledOperation, body: unknown): readonly unknown[] {
  const at = getAt(body, operation.list)
  if ((at === undefined || at === null) && operation.kind.definition.problem.success !== undefined) return []
  const found = findRows(operation, body)
  const wanted = operation.operation.keyed === undefined ? 'array' : 'object of rows'
  if (found === undefined) throw failInvalidAnswer(operation, `there is no ${wanted} at "${operation.operation.at}"`)
  const { merged, rule } = operation
  if (merged !== undefined) return found.map((row) => mergeRow(operation, merged, row))
  return rule === undefined ? found : found.flatMap((row) => applyRowRule(operation, rule, row))
}

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

/** Maximum length of one message and of all messages together, in characters. */
const messageLimit = 500
const messagesLimit = 2_000

/** Maximum nesting of a message. Vendors nest a field and a list. */
const messageDepth = 4

/** Formats a string or number as a string; undefined for other values and empty strings. */
const formatScalar = (value: unknown): string | undefined =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint' ? String(value) || undefined : undefined

/** Formats a message as one string. Vendors send a string, a list, or an object of fields. Undefined without a message. */
const formatMessage = (value: unknown, depth = messageDepth): string | undefined => {
  if (typeof value !== 'object' || value === null) return formatScalar(value)
  if (depth === 0) return undefined
  const parts = Object.entries(value).flatMap(([field, inner]) => {
    const text = formatMessage(inner, depth - 1)
    if (text === undefined) return []
    return [Array.isArray(value) ? text : `${field}: ${text}`]
  })
  return parts.join('; ') || undefined
}

/** Lists the messages: the elements of a list, else the whole message. */
const listMessages = (value: unknown): readonly string[] =>
  (Array.isArray(value) ? value.map((element) => formatMessage(element)) : [formatMessage(value)]).filter((text) => text !== undefined)

const findValue = (answer: WireAnswer, body: unknown, path: string | undefined): unknown => {
  if (path?.startsWith('header:')) return readHeader(answer, path.slice('header:'.length))
  return path === undefined ? undefined : getAt(body, parsePath(path))
}

const tryParse = ({ text, apart }: WireAnswer): unknown => {
  if (apart !== undefined) return 'flaw' in apart ? undefined : apart.around
  return tryReadJson(text) // error bodies of proxies are HTML
}

/** The properties of an operation that decide on its answers. */
type Of = Pick<CompiledOperation, 'kind' | 'action' | 'lines'>

/** An answer with its body, which can be large and is parsed once. */
interface ReadAnswer {
  readonly answer: WireAnswer
  readonly body: unknown
  readonly redact: Redact
}

/** Reads the vendor's messages, without secrets. */
function readMessages({ kind }: Of, { answer, body, redact }: ReadAnswer): readonly string[] {
  const texts = kind.definition.problem.message.map((path) => listMessages(findValue(answer, body, path))).find((each) => each.length > 0)
  return (texts ?? []).map((text) => redact(text).slice(0, messageLimit))
}

function readUpstream(of: Of, read: ReadAnswer, texts = readMessages(of, read)): Upstream {
  const { answer, body, redact } = read
  const { problem } = of.kind.definition
  const requestId = formatScalar(findValue(answer, body, problem.requestId))
  const code = formatScalar(findValue(answer, body, problem.code))
  return {
    status: answer.status,
    ...(code === undefined ? {} : { code: redact(code).slice(0, messageLimit) }),
    ...(texts.length === 0 ? {} : { message: texts.join('; ').slice(0, messagesLimit) }),
    ...(requestId === undefined ? {} : { request_id: redact(requestId).slice(0, messageLimit) }),
  }
}

/** Returns whether a vendor's code equals an entry or lies in the entry's range. */
const isWithin = (code: string | undefined, entry: string): boolean => {
  const [lowest = '', highest] = entry.split('-')
  return highest === undefined ? code === lowest : code !== undefined && Number(code) >= Number(lowest) && Number(code) <= Number(highest)
}

/** What decides on a rule beside the answer. */
interface Context {
  readonly action: string
  readonly params: Params
  /** The vendor's messages. */
  readonly texts: readonly string[]
}

const matchesRule = (rule: ErrorRule, upstream: Upstream, { action, params, texts }: Context): boolean => {
  const { status = 0 } = upstream
  const [lowest, highest] = rule.statuses ?? [rule.status ?? status, rule.status ?? status]
  if (status < lowest || status > highest) return false
  if (rule.actions !== undefined && !rule.actions.includes(action)) return false
  if (rule.sent !== undefined && params[rule.sent] === undefined) return false
  if (rule.codes !== undefined && !rule.codes.some((entry) => isWithin(upstream.code, entry))) return false
  if (rule.contains !== undefined && !texts.some((text) => text.toLowerCase().includes(rule.contains?.toLowerCase() ?? ''))) return false
  const pattern = rule.matches === undefined ? undefined : new RegExp(rule.matches, 'i')
  return pattern === undefined || texts.some((text) => pattern.test(text))
}

/**
 * Reads the warnings of a successful answer. Some vendors report errors with status 200 and a code of their own.
 * @returns undefined for an error
 * @throws FerruleError `upstream_answer_invalid` if the code is missing
 */
export function readSuccess(of: Of, read: ReadAnswer): readonly string[] | undefined {
  const { answer, body, redact } = read
  const { success, partial = [], code: path, warnings = [] } = of.kind.definition.problem
  const told = warnings.flatMap((name) => readHeader(answer, name) || []).map((text) => redact(text).slice(0, messageLimit))
  if (isFailed(of, body)) return undefined
  if (success === undefined) return isRefusal(of, read) ? undefined : told
  const code = formatScalar(findValue(answer, body, path))
  if (code === undefined && of.lines !== undefined && !isObject(body)) return told
  if (code === undefined) throw failInvalidAnswer(of, 'there is no code in it', { upstream: readUpstream(of, read) })
  if (success.includes(code)) return told
  return partial.includes(code) ? [readUpstream(of, read).message ?? `code ${code}`, ...told] : undefined
}

const isEmpty = (value: unknown): boolean =>
  value === undefined || value === null || value === false || value === '' || (Array.isArray(value) && value.length === 0)

/** Returns whether an answer has the value by which the vendor reports errors with a success status. */
function isFailed({ kind }: Of, body: unknown): boolean {
  const { failed } = kind.definition.problem
  if (failed === undefined) return false
  const value = getAt(body, parsePath(failed.at))
  return failed.is === undefined ? !isEmpty(value) : value === failed.is
}

function isRefusal(of: Of, read: ReadAnswer): boolean {
  const rules = of.kind.definition.errors.filter(({ status = 0 }) => status === read.answer.status)
  if (rules.length === 0) return false
  const texts = readMessages(of, read)
  const upstream = readUpstream(of, read, texts)
  return rules.some((rule) => matchesRule(rule, upstream, { action: of.action, params: {}, texts }))
}

/** What an unsuccessful answer means. */
type Verdict = { readonly is: 'empty' } | { readonly is: 'error'; readonly error: FerruleError }

/** What is known beside the answer. */
interface VerdictContext {
  readonly params: Params
  readonly redact: Redact
  /** Milliseconds since 1970, for `Retry-After` as a date. */
  readonly now: number
  /** Returns the wait of a rule in milliseconds, used if the vendor states none. */
  readonly waitBy?: (rule: ErrorRule) => number | undefined
}

/** Maximum length of a redirect's address in a message, in characters. */
const addressLimit = 200

/** Describes where a redirect leads: host and path. Its query can hold tokens. */
function describeTarget(location: string | undefined): string {
  if (location === undefined) return ''
  const isRelative = /^\/(?!\/)/.test(location)
  const target = isRelative || URL.canParse(location) ? new URL(location, 'https://vendor.example') : undefined
  if (target === undefined || target.host === '') return ' to another address'
  return ` to ${isRelative ? '' : target.host}${target.pathname === '/' && !isRelative ? '' : target.pathname}`.slice(0, addressLimit)
}

/** Makes the error of a redirect, which would be the same again. */
function failRedirect(of: Of, { answer, redact }: ReadAnswer, upstream: Upstream): FerruleError {
  const target = redact(describeTarget(readHeader(answer, 'location')))
  const hint = describeMovedAddress(of) ?? 'Check the egress network: a proxy on the way can answer like this. Report it if it persists.'
  return failInvalidAnswer(of, `a redirect${target}, which is never followed with credentials`, { upstream, hint, retryable: false })
}

/** Reads an unsuccessful answer by the kind's error table. */
export function readVerdict(of: Of, answer: WireAnswer, context: VerdictContext): Verdict {
  const read = { answer, body: tryParse(answer), redact: context.redact }
  const texts = readMessages(of, read)
  const upstream = readUpstream(of, read, texts)
  if (answer.status >= 300 && answer.status < 400) return { is: 'error', error: failRedirect(of, read, upstream) }
  const rule = of.kind.definition.errors.find((row) => matchesRule(row, upstream, { action: of.action, params: context.params, texts }))
  if (rule?.is === 'empty') return { is: 'empty' }
  const isLimited = rule?.is === 'upstream_rate_limited'
  const retryAfterMs =
    parseRetryAfter(answer.headers, context.now) ??
    (isLimited ? readWindowEnd(of.kind.definition.limits, answer, context.now) : undefined) ??
    (rule === undefined ? undefined : context.waitBy?.(rule))
  const details = {
    upstream,
    retryAfterMs,
    ...(rule?.hint === undefined ? {} : { hint: rule.hint }),
    ...(rule?.retryable === undefined ? {} : { retryable: rule.retryable }),
    ...(rule?.gone === undefined ? {} : { gone: true }),
  }
  const said = upstream.message?.replace(/\.$/, '') ?? `status ${upstream.status}`
  const slots = {
    vendor: of.kind.definition.title,
    reason: [undefined, said, upstream.message].includes(upstream.code) ? said : `${said} (${upstream.code})`,
  }
  return { is: 'error', error: failAs(rule?.is ?? 'upstream_error', slots, details) }
}

/**
 * Reads what an unsuccessful answer proves about the credentials.
 * @returns true: the vendor knows them; false: the vendor refused them; undefined: nothing. Only the vendor's own words prove something,
 *   because a proxy also answers 403 and 404
 */
export function readProof({ kind }: Of, { code, upstream }: FerruleError): boolean | undefined {
  const { credentials } = errorConsequences[code]
  if (credentials === 'refused') return false
  const word = kind.definition.problem.code === undefined ? upstream?.message : upstream?.code
  return credentials === 'unknown' || word === undefined || (upstream?.status ?? 0) >= 500 ? undefined : true
}
