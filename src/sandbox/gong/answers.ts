import type { PageFault } from '../faults.ts'
import type { GongState } from './state.ts'

/** A vendor answer before `requestId` is put in front of it. */
export interface Answer {
  readonly status: number
  readonly value: Readonly<Record<string, unknown>>
  readonly headers?: Readonly<Record<string, string>>
  /** Scopes that the answer needs beside that of its route. */
  readonly needs?: readonly string[]
  /** Last change to the JSON text, for what JSON values cannot say. */
  readonly rewrite?: (text: string) => string
}

/** One authenticated request to a route. */
export interface ApiCall {
  readonly state: GongState
  readonly path: string
  readonly slots: Readonly<Record<string, string>>
  readonly query: URLSearchParams
  /** The JSON object of a POST; empty for a GET. */
  readonly body: Readonly<Record<string, unknown>>
  /** True when this request meets a fault of a page, which is then used up. */
  take(kind: PageFault['kind']): boolean
}

/** A successful answer. */
export function ok(value: Readonly<Record<string, unknown>>): Answer {
  return { status: 200, value }
}

/** A refusal in the vendor's shape: texts only, no codes. */
export function refused(status: number, ...errors: readonly string[]): Answer {
  return { status, value: { errors } }
}

/** Tells an answer from a value that was read. */
export function isAnswer(value: unknown): value is Answer {
  return typeof value === 'object' && value !== null && 'status' in value && 'value' in value
}

/** The one text for every empty list of calls. */
export const noCalls = refused(404, 'No calls found corresponding to the provided filters')

/** Texts for statuses that a fault asks for without one. */
export const defaultErrors: Readonly<Record<number, string>> = {
  400: 'Bad request',
  401: 'The access token has been revoked',
  403: 'Access denied',
  404: 'No calls found corresponding to the provided filters',
  405: 'Method Not Allowed',
  409: 'Conflict',
  415: 'Unsupported Media Type',
  429: 'API request limit exceeded',
  500: 'Internal server error occurred',
  503: 'Service unavailable',
}
