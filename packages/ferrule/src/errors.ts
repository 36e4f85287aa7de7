/**
 * The only error class, over the table of `error-table.ts`. All code throws `fail(code, slots, details)`. The wire form is RFC 9457 problem
 * details.
 */
import { type ErrorCode, type ErrorRow, errorTable, type Fault } from './error-table.ts'

export { type ErrorCode, errorTable, type Fault }

type SlotsOf<M extends string> = M extends `${string}{${infer S}}${infer Rest}`
  ? (S extends `${string}"${string}` ? never : S) | SlotsOf<Rest>
  : never
/** Returns whether a string is the code of an error of this version. */
export const isErrorCode = (text: string): text is ErrorCode => Object.hasOwn(errorTable, text)

/** The slot values that an error's message needs. */
export type ErrorSlots<C extends ErrorCode> = { readonly [S in SlotsOf<(typeof errorTable)[C]['message']>]: string | number }

/** The largest window of days that one call of a list takes. Names are those of parameters. */
export interface DayWindow {
  /** First and last day, both included. */
  readonly from: string
  readonly to: string
  /** Maximum number of days. */
  readonly days: number
  /** Page within a window. */
  readonly page: string
}

/** One problem of a request. */
export interface Problem {
  /** JSON pointer (RFC 6901) to the wrong value, from the request body. */
  readonly field: string
  /** Errors carry a whole sentence that names the field. `fail` also takes what follows the field, for example `must be an integer`. */
  readonly message: string
  /** Code of the broken rule, for example `required` or `type`. */
  readonly error_code: string
  /** Line and column (from 1) within the string at `field`, such as a statement. The column counts UTF-16 code units. */
  readonly line?: number
  readonly column?: number
  /** The range is too long for one call: ask for windows of this length. Walks do it. */
  readonly window?: DayWindow
}

/** What the vendor answered, without secrets. */
export interface Upstream {
  /** HTTP status of the vendor's answer; absent without an answer. */
  readonly status?: number
  readonly code?: string
  readonly message?: string
  /** The vendor's own request id. */
  readonly request_id?: string
}

/** What is known beside the message. */
export interface ErrorDetails {
  /** The problems of the request, each with its field. */
  readonly errors?: readonly Problem[] | undefined
  readonly upstream?: Upstream | undefined
  /** Milliseconds to wait before a retry. */
  readonly retryAfterMs?: number | undefined
  /** Overrides the table, for example for a write that must not be repeated. */
  readonly retryable?: boolean | undefined
  readonly hint?: string | undefined
  /** Overrides the table if the code concerns the request itself: 422 for credentials in a creation. */
  readonly status?: number | undefined
  readonly cause?: unknown
  /** True if the vendor said that the requested record does not exist. */
  readonly gone?: boolean | undefined
  /** Headers of the answer, for example `content-range` of a 416. */
  readonly headers?: Readonly<Record<string, string>> | undefined
}

/** RFC 9457 problem details with Ferrule's extension members. */
export interface ProblemDetails {
  readonly type: string
  readonly title: string
  readonly status: number
  readonly detail: string
  readonly instance?: string
  readonly code: ErrorCode
  readonly message: string
  readonly fault: Fault
  readonly retryable: boolean
  readonly retry_after_seconds?: number
  readonly hint: string
  readonly errors: readonly Problem[]
  readonly request_id?: string
  readonly upstream?: Upstream
}

const fillSlots = (text: string, slots: Readonly<Record<string, string | number>>): string =>
  text.replace(/\{(\w+)\}/g, (whole, name: string) => (name in slots ? String(slots[name]) : whole))

/** Formats a code as a title: `upstream_timeout` → `Upstream timeout`. */
const formatTitle = (code: string): string => code.charAt(0).toUpperCase() + code.slice(1).replaceAll('_', ' ')

/** The only error that Ferrule throws on purpose. Use `fail` to make one. */
export class FerruleError extends Error {
  override readonly name = 'FerruleError'
  readonly code: ErrorCode
  /** HTTP status of the platform's answer. */
  readonly status: number
  readonly fault: Fault
  readonly retryable: boolean
  /** What to do next. */
  readonly hint: string
  /** The problems of the request, each with its field; also `errors` on the wire. */
  readonly errors: readonly Problem[]
  readonly upstream: Upstream | undefined
  /** Milliseconds to wait before a retry, if known. */
  readonly retryAfterMs: number | undefined
  readonly headers: Readonly<Record<string, string>>
  /** True if the vendor said that the requested record does not exist, by a rule of the kind. Not part of the wire form. */
  readonly gone: boolean

  constructor(code: ErrorCode, { message, hint }: { message: string; hint: string }, details: ErrorDetails) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause })
    const row: ErrorRow = errorTable[code]
    this.code = code
    this.status = details.status ?? row.status
    this.fault = row.fault
    this.retryable = details.retryable ?? row.retryable
    this.hint = hint
    this.errors = (details.errors ?? []).map(stateProblem)
    this.upstream = details.upstream
    this.retryAfterMs = details.retryAfterMs
    this.headers = details.headers ?? {}
    this.gone = details.gone ?? false
  }

  /**
   * Converts the error to problem details.
   * @param requestId id of the request that failed, if there is one
   */
  toProblem(requestId?: string): ProblemDetails {
    return {
      type: `urn:ferrule:error:${this.code}`,
      title: formatTitle(this.code),
      status: this.status,
      detail: this.message,
      ...(requestId === undefined ? {} : { instance: `urn:request:${requestId}` }),
      code: this.code,
      message: this.message,
      fault: this.fault,
      retryable: this.retryable,
      ...(this.retryAfterMs === undefined ? {} : { retry_after_seconds: Math.max(1, Math.ceil(this.retryAfterMs / 1000)) }),
      hint: this.hint,
      errors: this.errors,
      ...(requestId === undefined ? {} : { request_id: requestId }),
      ...(this.upstream === undefined ? {} : { upstream: this.upstream }),
    }
  }
}

/**
 * Makes an error of the table. The caller throws it.
 * @param code a code of `errorTable`
 * @param slots the values of the message's slots
 * @param details what else is known: problems with their fields, the vendor's answer, the wait before a retry
 */
export function fail<C extends ErrorCode>(code: C, slots: ErrorSlots<C>, details: ErrorDetails = {}): FerruleError {
  return failAs(code, slots, details)
}

/**
 * Makes an error of a code that a connector definition chose. The message ignores slots that it lacks.
 * @param code a code of `errorTable`
 * @param slots values by name
 * @param details as for `fail`
 */
export function failAs(code: ErrorCode, slots: Readonly<Record<string, string | number>>, details: ErrorDetails = {}): FerruleError {
  const row: ErrorRow = errorTable[code]
  return new FerruleError(code, { message: fillSlots(row.message, slots), hint: details.hint ?? fillSlots(row.hint, slots) }, details)
}

/** Returns the same error with another hint. */
export function withHint(error: FerruleError, hint: string): FerruleError {
  const { code, message, errors, upstream, retryAfterMs, retryable, status, cause, headers, gone } = error
  return new FerruleError(code, { message, hint }, { errors, retryable, status, cause, headers, gone, upstream, retryAfterMs })
}

/** Fills the slots of an error's hint, such as `{connector_id}`, where the values are known. */
export function fillHint(error: FerruleError, slots: Readonly<Record<string, string>>): FerruleError {
  const hint = fillSlots(error.hint, slots)
  return hint === error.hint ? error : withHint(error, hint)
}

/** Makes a problem's message a whole sentence that names its field. Some clients show nothing else. Such a sentence stays unchanged. */
function stateProblem(problem: Problem): Problem {
  const { field, message } = problem
  const subject = field === '' ? 'The request' : field
  if (message.endsWith('.') && (message.startsWith(`${subject} `) || message.startsWith(`${subject}: `))) return problem
  const isSentence = /^\p{Lu}/u.test(message)
  return { ...problem, message: `${subject}${isSentence ? ':' : ''} ${message.replace(/\.$/, '')}.` }
}

/** Moves a problem to another field, which its sentence then names. */
export function moveProblem(problem: Problem, field: string): Problem {
  const { message } = stateProblem(problem)
  return { ...problem, field, message: message.startsWith(problem.field) ? field + message.slice(problem.field.length) : message }
}

/** Joins problems to one sentence without its period. */
export const joinProblems = (problems: readonly Problem[]): string =>
  problems.map((problem) => stateProblem(problem).message.replace(/\.$/, '')).join('; ')

/**
 * Makes a `validation_failed` error. The caller throws it.
 * @param problems what is wrong, each with its field
 */
export const failValidation = (problems: readonly Problem[]): FerruleError =>
  fail('validation_failed', { reason: joinProblems(problems) }, { errors: problems })

/** Converts any thrown value to a FerruleError; another value becomes the cause of an `internal_error`. */
export function asFerruleError(thrown: unknown): FerruleError {
  return thrown instanceof FerruleError ? thrown : fail('internal_error', {}, { cause: thrown })
}

/**
 * Runs what reads one text, such as an argument.
 * @param field name of the text for the caller, which problems then have
 * @throws FerruleError what is thrown, with its problems moved to the field
 */
export function moveProblems<T>(field: string, read: () => T): T {
  try {
    return read()
  } catch (thrown) {
    const { code, errors } = asFerruleError(thrown)
    if (errors.length === 0) throw thrown
    const moved = errors.map((problem) => moveProblem(problem, field))
    throw failAs(code, { reason: joinProblems(moved) }, { errors: moved })
  }
}
