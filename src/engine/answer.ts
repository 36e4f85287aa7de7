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

const textAt = (body: unknown, path: string | undefined): string | undefined => {
  const value = path === undefined ? undefined : getAt(body, parsePath(path))
  return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined
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
  const message = textAt(body, problem.message)
  const requestId = textAt(body, problem.requestId)
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
 * @throws FerruleError `upstream_answer_invalid` when there is no array where the definition says
 */
export function rowsOf(operation: CompiledOperation, body: unknown): readonly unknown[] {
  const found = getAt(body, operation.at)
  if (!Array.isArray(found)) throw invalidAnswer(operation, `there is no array at "${operation.operation.at}"`)
  const rows = operation.rule === undefined ? found : operation.rule(found)
  return Array.isArray(rows) ? rows : []
}

/** Meta of a list: the fields of its page shape, and the parameters of the next page. */
export interface ListMeta extends Readonly<Record<string, unknown>> {
  readonly next_params: Readonly<Record<string, unknown>> | null
}

/**
 * Reads the meta of a list.
 * @param body the answer's body; `empty` for an answer that means "nothing found"
 */
export function metaOf({ kind, operation }: CompiledOperation, body: unknown): ListMeta {
  const shape = operation.page
  const page = shape === undefined || shape === 'none' ? undefined : kind.definition.pages[shape]
  if (page === undefined) return { next_params: null }
  const read = Object.entries(page.read).map(([name, path]) => [name, getAt(body, parsePath(path)) ?? null] as const)
  const meta: Record<string, unknown> = Object.fromEntries(read)
  const position = meta[page.next.meta]
  return { ...meta, next_params: position === null || position === undefined ? null : { [page.next.param]: position } }
}

/** The meta of a list that found nothing: no position, counts of zero. */
export function emptyMetaOf(operation: CompiledOperation): ListMeta {
  const shape = operation.operation.page
  const page = shape === undefined || shape === 'none' ? undefined : operation.kind.definition.pages[shape]
  if (page === undefined) return { next_params: null }
  const fields = Object.keys(page.read).map((name) => [name, name === page.next.meta ? null : 0] as const)
  return { ...Object.fromEntries(fields), next_params: null }
}
