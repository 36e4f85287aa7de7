/** Failures that come before a byte of a request was sent: nothing can have happened at the vendor. */
import { FerruleError } from '../errors.ts'

/** By the codes of Node and undici. */
const codes: ReadonlySet<unknown> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
])

/** Whether an error means that the request was never sent. */
export const isNeverSent = (error: unknown): boolean =>
  error instanceof FerruleError &&
  (error.code === 'upstream_unreachable' || error.code === 'upstream_timeout') &&
  error.cause instanceof Error &&
  codes.has(Reflect.get(error.cause, 'code'))
