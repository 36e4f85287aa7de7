/** What an answer that is not a success means: an error of the table, by the rules of the kind. Pure. */
import type { ErrorRule } from '../definition/connector.ts'
import { type FerruleError, failAs, type Upstream } from '../errors.ts'
import { headerOf, invalidAnswer, type WireAnswer } from './answer.ts'
import { readJson } from './json.ts'
import type { CompiledOperation } from './operation.ts'
import type { Params } from './params.ts'
import { getAt, parsePath } from './paths.ts'
import { retryAfterOf } from './retry.ts'

/** Removes secrets from a vendor's text. */
export type Redact = (text: string) => string

/** How much of a vendor's message is kept, in characters: of each of its texts, and of all together. */
const messageLimit = 500
const messagesLimit = 2_000

/** A value as it is, and as it looks in a URL, in a form and within JSON. */
const formsOf = (value: string): string[] => [
  value,
  encodeURIComponent(value.toWellFormed()),
  new URLSearchParams({ '': value }).toString().slice(1),
  JSON.stringify(value).slice(1, -1),
]

/** Makes a redactor of known secret values. Values below four characters are left: they would blank ordinary words. */
export function redactorOf(secrets: readonly string[]): Redact {
  let known: readonly string[] | undefined // worked out for the first error only
  return (text) => {
    known ??= secrets.filter((secret) => secret.length >= 4).flatMap(formsOf)
    return known.reduce((kept, secret) => kept.replaceAll(secret, '[secret]'), text)
  }
}

/** How deep a message may lie within what holds it: vendors nest a field and a list; more is no message. */
const messageDepth = 4

/** A text or a number as a text; undefined for anything else, and for a text that is empty. */
const scalarOf = (value: unknown): string | undefined =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint' ? String(value) || undefined : undefined

/** A message as one text: vendors send a text, a list of texts, or an object of fields with either. Undefined when there is none. */
const messageOf = (value: unknown, depth = messageDepth): string | undefined => {
  if (typeof value !== 'object' || value === null) return scalarOf(value)
  if (depth === 0) return undefined
  const parts = Object.entries(value).flatMap(([field, inner]) => {
    const text = messageOf(inner, depth - 1)
    if (text === undefined) return []
    return [Array.isArray(value) ? text : `${field}: ${text}`]
  })
  return parts.join('; ') || undefined
}

/** The texts of a message: the elements of a list, else the message as one. */
const textsOf = (value: unknown): readonly string[] =>
  (Array.isArray(value) ? value.map((element) => messageOf(element)) : [messageOf(value)]).filter((text) => text !== undefined)

const foundAt = (answer: WireAnswer, body: unknown, path: string | undefined): unknown => {
  if (path?.startsWith('header:')) return headerOf(answer, path.slice('header:'.length))
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

/** What belongs to an operation and decides on its answers. */
type Of = Pick<CompiledOperation, 'kind' | 'action'>

/** An answer with its body, which is read once: it can be large. */
interface ReadAnswer {
  readonly answer: WireAnswer
  readonly body: unknown
  readonly redact: Redact
}

/** The texts of the vendor's message, without secrets. */
function saidIn({ kind }: Of, { answer, body, redact }: ReadAnswer): readonly string[] {
  const texts = kind.definition.problem.message.map((path) => textsOf(foundAt(answer, body, path))).find((each) => each.length > 0)
  return (texts ?? []).map((text) => redact(text).slice(0, messageLimit))
}

function upstreamIn(of: Of, read: ReadAnswer, texts = saidIn(of, read)): Upstream {
  const { answer, body, redact } = read
  const { problem } = of.kind.definition
  const requestId = scalarOf(foundAt(answer, body, problem.requestId))
  const code = scalarOf(foundAt(answer, body, problem.code))
  return {
    status: answer.status,
    ...(code === undefined ? {} : { code: redact(code).slice(0, messageLimit) }),
    ...(texts.length === 0 ? {} : { message: texts.join('; ').slice(0, messagesLimit) }),
    ...(requestId === undefined ? {} : { request_id: redact(requestId).slice(0, messageLimit) }),
  }
}

/** Whether a code of the vendor is one of an entry: the code itself, or a range of numbers. */
const isWithin = (code: string | undefined, entry: string): boolean => {
  const [lowest = '', highest] = entry.split('-')
  return highest === undefined ? code === lowest : code !== undefined && Number(code) >= Number(lowest) && Number(code) <= Number(highest)
}

/** What decides on a rule beside the answer. */
interface Context {
  readonly action: string
  readonly params: Params
  /** The texts of the vendor's message. */
  readonly texts: readonly string[]
}

const holds = (rule: ErrorRule, upstream: Upstream, { action, params, texts }: Context): boolean => {
  const { status = 0 } = upstream
  const [lowest, highest] = rule.statuses ?? [rule.status ?? status, rule.status ?? status]
  if (status < lowest || status > highest) return false
  if (rule.actions !== undefined && !rule.actions.includes(action)) return false
  if (rule.sent !== undefined && params[rule.sent] === undefined) return false
  if (rule.codes !== undefined && !rule.codes.some((entry) => isWithin(upstream.code, entry))) return false
  const pattern = rule.matches === undefined ? undefined : new RegExp(rule.matches, 'i')
  return pattern === undefined || texts.some((text) => pattern.test(text))
}

/**
 * Whether an answer with a success status is one, and what the vendor tells beside it. Vendors that send their errors with
 * status 200 say so by a code of their own.
 * @returns undefined when it is an error
 * @throws FerruleError `upstream_answer_invalid` when the code is missing
 */
export function successOf(of: Of, read: ReadAnswer): readonly string[] | undefined {
  const { answer, body, redact } = read
  const { success, partial = [], code: path, warnings = [] } = of.kind.definition.problem
  const told = warnings.flatMap((name) => headerOf(answer, name) || []).map((text) => redact(text).slice(0, messageLimit))
  if (success === undefined) return isRefusal(of, read) ? undefined : told
  const code = scalarOf(foundAt(answer, body, path))
  if (code === undefined) throw invalidAnswer(of, 'there is no code in it', { upstream: upstreamIn(of, read) })
  if (success.includes(code)) return told
  return partial.includes(code) ? [upstreamIn(of, read).message ?? `code ${code}`, ...told] : undefined
}

/** Whether a rule of the kind calls an answer with this very status an error although it is one of success. */
function isRefusal(of: Of, read: ReadAnswer): boolean {
  const rules = of.kind.definition.errors.filter(({ status = 0 }) => status === read.answer.status)
  if (rules.length === 0) return false
  const texts = saidIn(of, read)
  const upstream = upstreamIn(of, read, texts)
  return rules.some((rule) => holds(rule, upstream, { action: of.action, params: {}, texts }))
}

/** What an answer that is no success means. */
export type Verdict = { readonly is: 'empty' } | { readonly is: 'error'; readonly error: FerruleError }

/** What is known beside the answer. */
export interface VerdictContext {
  readonly params: Params
  readonly redact: Redact
  /** Milliseconds since 1970, for `Retry-After` as a date. */
  readonly now: number
  /** Milliseconds to wait by a rule that has a wait, where the vendor does not tell. */
  readonly waitBy?: (rule: ErrorRule) => number | undefined
}

/** Reads an answer that is no success by the error table of the kind. */
export function verdictOf(of: Of, answer: WireAnswer, context: VerdictContext): Verdict {
  const read = { answer, body: tryParse(answer), redact: context.redact }
  const texts = saidIn(of, read)
  const upstream = upstreamIn(of, read, texts)
  const location = answer.headers['location']
  if (answer.status >= 300 && answer.status < 400)
    return {
      is: 'error',
      error: invalidAnswer(
        of,
        `a redirect${location === undefined ? '' : ' to another address'}, which is never followed with credentials`,
        { upstream },
      ),
    }
  const rule = of.kind.definition.errors.find((row) => holds(row, upstream, { action: of.action, params: context.params, texts }))
  if (rule?.is === 'empty') return { is: 'empty' }
  const retryAfterMs = retryAfterOf(answer.headers, context.now) ?? (rule === undefined ? undefined : context.waitBy?.(rule))
  const details = {
    upstream,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    ...(rule?.hint === undefined ? {} : { hint: rule.hint }),
    ...(rule?.retryable === undefined ? {} : { retryable: rule.retryable }),
    ...(rule?.gone === undefined ? {} : { gone: true }),
  }
  const said = upstream.message?.replace(/\.$/, '') ?? `status ${upstream.status}`
  const slots = { vendor: of.kind.definition.title, reason: upstream.code === undefined ? said : `${said} (${upstream.code})` }
  return { is: 'error', error: failAs(rule?.is ?? 'upstream_error', slots, details) }
}

/** What says nothing of the credentials, as it may come before anybody looked at them. */
const silent: ReadonlySet<string> = new Set([
  'upstream_rate_limited',
  'upstream_error',
  'upstream_answer_invalid',
  'upstream_account_unavailable',
])

/**
 * What an answer that is no success proves of the credentials that were sent: true, the vendor knows them; false, it refused them;
 * undefined, nothing. Only words of the vendor itself prove something: what stands before its API answers 403 and 404 too.
 */
export function proofIn({ kind }: Of, { code, upstream }: FerruleError): boolean | undefined {
  if (code === 'upstream_auth_failed') return false
  const word = kind.definition.problem.code === undefined ? upstream?.message : upstream?.code
  return silent.has(code) || word === undefined || (upstream?.status ?? 0) >= 500 ? undefined : true
}
