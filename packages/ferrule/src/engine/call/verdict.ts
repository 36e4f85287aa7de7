/** Converts an unsuccessful answer to an error of the table, by the rules of the kind. Pure. */
import type { ErrorRule } from '../../definition/connector.ts'
import { errorConsequences } from '../../error-consequences.ts'
import { type FerruleError, failAs, type Upstream } from '../../errors.ts'
import { parseRetryAfter } from '../../retry.ts'
import { readJson } from '../../values/json/json.ts'
import { readHeader } from '../http/answer.ts'
import { describeMovedAddress } from '../http/origin.ts'
import type { Redact } from '../http/redact.ts'
import { getAt, parsePath } from '../json/paths.ts'
import { readWindowEnd } from '../limits/limits.ts'
import { failInvalidAnswer, type WireAnswer } from './answer.ts'
import type { CompiledOperation } from './operation.ts'
import type { Params } from './params.ts'

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
  try {
    return readJson(text)
  } catch {
    return undefined // error bodies of proxies are HTML
  }
}

/** The properties of an operation that decide on its answers. */
type Of = Pick<CompiledOperation, 'kind' | 'action'>

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

/** Returns whether a rule of the kind calls an answer with this success status an error. */
function isRefusal(of: Of, read: ReadAnswer): boolean {
  const rules = of.kind.definition.errors.filter(({ status = 0 }) => status === read.answer.status)
  if (rules.length === 0) return false
  const texts = readMessages(of, read)
  const upstream = readUpstream(of, read, texts)
  return rules.some((rule) => matchesRule(rule, upstream, { action: of.action, params: {}, texts }))
}

/** What an unsuccessful answer means. */
export type Verdict = { readonly is: 'empty' } | { readonly is: 'error'; readonly error: FerruleError }

/** What is known beside the answer. */
export interface VerdictContext {
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
  const slots = { vendor: of.kind.definition.title, reason: upstream.code === undefined ? said : `${said} (${upstream.code})` }
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
