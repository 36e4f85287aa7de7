/**
 * The one error class, over the table of `error-table.ts`. Every room throws `fail(code, slots, details)`; the HTTP surface, the
 * library and the errors page read the table. Wire form: RFC 9457 problem details.
 */
import { type ErrorCode, type ErrorRow, errorTable, type Fault } from './error-table.ts'

export { type ErrorCode, errorTable, type Fault }

type SlotsOf<M extends string> = M extends `${string}{${infer S}}${infer Rest}`
  ? (S extends `${string}"${string}` ? never : S) | SlotsOf<Rest>
  : never
/** The values that an error's message needs, by its slots. */
export type ErrorSlots<C extends ErrorCode> = { readonly [S in SlotsOf<(typeof errorTable)[C]['message']>]: string | number }

/** One problem of a request. */
export interface Problem {
  /** JSON pointer (RFC 6901) of the offending place, from the request body. */
  readonly field: string
  readonly message: string
  /** Code of the rule that was broken, for example `required` or `type`. */
  readonly error_code: string
  /** Place within the text at `field`, such as a statement: line and column from 1, the column in UTF-16 code units. */
  readonly line?: number
  readonly column?: number
}

/** What the vendor said, without secrets. */
export interface Upstream {
  /** HTTP status of the vendor's answer; absent when none came. */
  readonly status?: number
  readonly code?: string
  readonly message?: string
  /** The vendor's own request id. */
  readonly request_id?: string
}

/** What is known beside the message. */
export interface ErrorDetails {
  /** What is wrong with the request, place by place. */
  readonly errors?: readonly Problem[]
  readonly upstream?: Upstream
  /** Milliseconds to wait before trying again. */
  readonly retryAfterMs?: number
  /** Overrides the table, for example for a write that must not be repeated. */
  readonly retryable?: boolean
  readonly hint?: string
  /** Overrides the table where the code is about the request itself: 422 for credentials that a creation brings. */
  readonly status?: number
  readonly cause?: unknown
  /** The vendor said that the record which was asked for by its key does not exist. */
  readonly gone?: boolean
  /** Headers that belong to the answer, for example `content-range` of a 416. */
  readonly headers?: Readonly<Record<string, string>>
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

const fill = (text: string, slots: Readonly<Record<string, string | number>>): string =>
  text.replace(/\{(\w+)\}/g, (whole, name: string) => (name in slots ? String(slots[name]) : whole))

/** `upstream_timeout` → `Upstream timeout`. */
const titleOf = (code: string): string => code.charAt(0).toUpperCase() + code.slice(1).replaceAll('_', ' ')

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
  /** What is wrong with the request, place by place; the wire's member of the same name. */
  readonly errors: readonly Problem[]
  readonly upstream: Upstream | undefined
  /** Milliseconds to wait before trying again, when known. */
  readonly retryAfterMs: number | undefined
  readonly headers: Readonly<Record<string, string>>
  /** The vendor said that the record which was asked for by its key does not exist: a rule of the kind says so. Not part of the wire form. */
  readonly gone: boolean

  constructor(code: ErrorCode, { message, hint }: { message: string; hint: string }, details: ErrorDetails) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause })
    const row: ErrorRow = errorTable[code]
    this.code = code
    this.status = details.status ?? row.status
    this.fault = row.fault
    this.retryable = details.retryable ?? row.retryable
    this.hint = hint
    this.errors = details.errors ?? []
    this.upstream = details.upstream
    this.retryAfterMs = details.retryAfterMs
    this.headers = details.headers ?? {}
    this.gone = details.gone ?? false
  }

  /** The error as problem details. `requestId` is the id of the request that failed, if there is one. */
  toProblem(requestId?: string): ProblemDetails {
    return {
      type: `urn:ferrule:error:${this.code}`,
      title: titleOf(this.code),
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
 * Makes an error of the table; the caller throws it.
 * @param code  a code of `errorTable`
 * @param slots the values of the message's slots
 * @param details what else is known: problems with their places, the vendor's answer, how long to wait
 */
export function fail<C extends ErrorCode>(code: C, slots: ErrorSlots<C>, details: ErrorDetails = {}): FerruleError {
  return failAs(code, slots, details)
}

/** As `fail`, for a code that a connector definition chose: slots that its message lacks are passed over. */
export function failAs(code: ErrorCode, slots: Readonly<Record<string, string | number>>, details: ErrorDetails = {}): FerruleError {
  const row: ErrorRow = errorTable[code]
  return new FerruleError(code, { message: fill(row.message, slots), hint: details.hint ?? fill(row.hint, slots) }, details)
}

/** Any thrown value as a FerruleError; what is not one already becomes `internal_error` with the value as cause. */
export function asFerruleError(thrown: unknown): FerruleError {
  return thrown instanceof FerruleError ? thrown : fail('internal_error', {}, { cause: thrown })
}
