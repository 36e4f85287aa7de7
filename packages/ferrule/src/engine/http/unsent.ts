/** Recognises failures before a byte of a request was sent: nothing can have happened at the vendor. */
import { errorConsequences } from '../../error-consequences.ts'
import { FerruleError } from '../../errors.ts'

/** Codes of Node and undici. */
const codes: ReadonlySet<unknown> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
])

/** Returns whether an error means that the request was never sent. */
export const isNeverSent = (error: unknown): boolean =>
  error instanceof FerruleError &&
  errorConsequences[error.code].submission === 'no_answer' &&
  error.cause instanceof Error &&
  codes.has(Reflect.get(error.cause, 'code'))
