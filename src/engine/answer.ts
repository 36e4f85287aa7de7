/** The vendor's answer → rows, meta, or an error of the table. Pure. */
import type { ErrorRule } from '../definition/connector.ts'
import { type ErrorDetails, type FerruleError, fail, failAs, type Upstream } from '../errors.ts'
import { parseJson } from './json.ts'
import type { CompiledOperation } from './operation.ts'
import type { Params } from './params.ts'
import { getAt, parsePath } from './paths.ts'
import { retryAfterOf } from './retry.ts'

/** An HTTP answer with its body as text. */
export interface WireAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly text: string
}

/** Removes secrets from a vendor's text. */
export type Redact = (text: string) => string

/** How much of a vendor's message is kept, in characters. */
const messageLimit = 500

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

/** An `upstream_answer_invalid` error of an operation. */
export const invalidAnswer = ({ kind }: CompiledOperation, reason: string, details: ErrorDetails = {}): FerruleError =>
  fail('upstream_answer_invalid', { vendor: kind.definition.title, reason }, details)

/** The answer's body. @throws FerruleError `upstream_answer_invalid` when it is not JSON */
export function bodyOf(operation: CompiledOperation, answer: WireAnswer): unknown {
  try {
    return parseJson(answer.text)
  } catch {
    // The SyntaxError is not kept as cause: its message quotes the body.
    throw invalidAnswer(operation, 'the body is not valid JSON', { upstream: { status: answer.status } })
  }
}

/** How deep a message may lie within what holds it: vendors nest a field and a list; more is no message. */
const messageDepth = 4

/** A message as one text: vendors send a text, a list of texts, or an object of fields with either. Undefined when there is none. */
const messageOf = (value: unknown, depth = messageDepth): string | undefined => {
  if (typeof value === 'string' || typeof value === 'number') return String(value) || undefined
  if (typeof value !== 'object' || value === null || depth === 0) return undefined
  const parts = Object.entries(value).flatMap(([field, inner]) => {
    const text = messageOf(inner, depth - 1)
    if (text === undefined) return []
    return [Array.isArray(value) ? text : `${field}: ${text}`]
  })
  return parts.join('; ') || undefined
}

/** All values of a response header, in order. */
export const headersOf = ({ headers }: Pick<WireAnswer, 'headers'>, name: string): readonly string[] => {
  const value = headers[name] ?? []
  return Array.isArray(value) ? value : [value]
}

/** The first value of a response header. */
export const headerOf = (answer: Pick<WireAnswer, 'headers'>, name: string): string | undefined => headersOf(answer, name)[0]

const textAt = (answer: WireAnswer, body: unknown, path: string | undefined): string | undefined => {
  if (path?.startsWith('header:')) return headerOf(answer, path.slice('header:'.length))
  return path === undefined ? undefined : messageOf(getAt(body, parsePath(path)))
}

const tryParse = (text: string): unknown => {
  try {
    return parseJson(text)
  } catch {
    return undefined // error bodies of proxies are HTML
  }
}

const upstreamOf = ({ kind }: CompiledOperation, answer: WireAnswer, redact: Redact): Upstream => {
  const { problem } = kind.definition
  const body = tryParse(answer.text)
  const message = problem.message.map((path) => textAt(answer, body, path)).find((text) => text !== undefined)
  const requestId = textAt(answer, body, problem.requestId)
  return {
    status: answer.status,
    ...(message === undefined ? {} : { message: redact(message).slice(0, messageLimit) }),
    ...(requestId === undefined ? {} : { request_id: redact(requestId).slice(0, messageLimit) }),
  }
}

const holds = (rule: ErrorRule, upstream: Upstream, { operation, params }: { operation: CompiledOperation; params: Params }): boolean => {
  const [lowest, highest] = rule.statuses ?? [rule.status ?? upstream.status, rule.status ?? upstream.status]
  if (upstream.status < lowest || upstream.status > highest) return false
  if (rule.actions !== undefined && !rule.actions.includes(operation.action)) return false
  if (rule.sent !== undefined && params[rule.sent] === undefined) return false
  return rule.matches === undefined || new RegExp(rule.matches, 'i').test(upstream.message ?? '')
}

/** What an answer with an error status means. */
export type Verdict = { readonly is: 'empty' } | { readonly is: 'error'; readonly error: FerruleError }

/**
 * Reads an answer whose status is not a success by the error table of the kind.
 * @param now milliseconds since 1970, for `Retry-After` as a date
 */
export function verdictOf(
  operation: CompiledOperation,
  answer: WireAnswer,
  context: { params: Params; redact: Redact; now: number },
): Verdict {
  const upstream = upstreamOf(operation, answer, context.redact)
  const location = answer.headers['location']
  if (answer.status >= 300 && answer.status < 400)
    return {
      is: 'error',
      error: invalidAnswer(
        operation,
        `a redirect${location === undefined ? '' : ' to another address'}, which is never followed with credentials`,
        { upstream },
      ),
    }
  const rule = operation.kind.definition.errors.find((row) => holds(row, upstream, { operation, params: context.params }))
  if (rule?.is === 'empty') return { is: 'empty' }
  const retryAfterMs = retryAfterOf(answer.headers, context.now)
  const details = {
    upstream,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    ...(rule?.hint === undefined ? {} : { hint: rule.hint }),
  }
  const slots = { vendor: operation.kind.definition.title, reason: upstream.message ?? `status ${upstream.status}` }
  return { is: 'error', error: failAs(rule?.is ?? 'upstream_error', slots, details) }
}

/**
 * The rows of a list, before shaping.
 * @throws FerruleError `upstream_answer_invalid` when there is no array where the definition says, or the rule of the kind makes none
 */
export function rowsOf(operation: CompiledOperation, body: unknown): readonly unknown[] {
  const found = getAt(body, operation.at)
  if (!Array.isArray(found)) throw invalidAnswer(operation, `there is no array at "${operation.operation.at}"`)
  const rows = operation.rule === undefined ? found : operation.rule(found)
  if (!Array.isArray(rows)) throw invalidAnswer(operation, `the rows of ${operation.entityName} cannot be made of it`)
  return rows
}
