/** Recognises what a failure says about a request that must not run twice: never sent, or perhaps carried out. */
import { errorConsequences } from '../../error-consequences.ts'
import { FerruleError } from '../../errors.ts'

/** Codes of Node, undici and our own errors: of a proxy, and of an address that is not public. */
const codes: ReadonlySet<unknown> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
  'ERR_PROXY',
  'ERR_ADDRESS',
])

/** Returns whether an error means that the request was never sent. */
export const isNeverSent = (error: unknown): boolean =>
  error instanceof FerruleError &&
  errorConsequences[error.code].submission === 'no_answer' &&
  error.cause instanceof Error &&
  codes.has(Reflect.get(error.cause, 'code'))

/** Returns whether a request that failed may have been carried out at the vendor. */
export function mayHaveRun(error: FerruleError): boolean {
  if (isNeverSent(error)) return false
  const { submission } = errorConsequences[error.code]
  if (submission === 'vendor_failure') return (error.upstream?.status ?? 500) >= 500
  return submission === 'no_answer' || submission === 'bad_answer'
}
