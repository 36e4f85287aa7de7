/** Reads the service's problem details (RFC 9457) back into errors. */
import { isObject } from '../definition/object.ts'
import { FerruleError, fail, isErrorCode, type Problem, type Upstream } from '../errors.ts'
import { parseRetryAfter } from '../retry.ts'
import type { CheckResult } from '../wire/checks.ts'

const readString = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined)

const isProblem = (value: unknown): value is Problem =>
  isObject(value) && typeof value['field'] === 'string' && typeof value['message'] === 'string'

/** Reads the vendor's part of an error. Its members are optional strings and a number, as the document states. */
const readUpstream = (value: unknown): Upstream | undefined => (isObject(value) ? value : undefined)

/**
 * Makes the error of an answer.
 * @param response the answer, for its status and headers
 * @param body the parsed body; anything but problem details becomes `service_answer_invalid`
 */
export function readProblem(response: Pick<Response, 'status' | 'headers'>, body: unknown): FerruleError {
  const { status, headers } = response
  const details = isObject(body) ? body : {}
  const code = readString(details['code'])
  const message = readString(details['message']) ?? readString(details['detail'])
  const retryAfterMs = parseRetryAfter({ 'retry-after': headers.get('retry-after') ?? undefined }, Date.now())
  const waiting = retryAfterMs === undefined ? {} : { retryAfterMs }
  if (code === undefined || message === undefined)
    return fail('service_answer_invalid', { reason: `status ${status} without problem details` }, { ...waiting, retryable: status >= 500 })
  return buildError({ ...details, code, message }, { status, ...waiting })
}

/** Makes the error of a check that failed: the error that any other call would end with. */
export function readCheckFailure({ error_message, failure_reason: reason }: CheckResult): FerruleError {
  if (reason === undefined)
    return fail('upstream_error', { vendor: 'The vendor', reason: error_message ?? 'the check failed' }, { retryable: false })
  const { status, retry_after_seconds: seconds } = reason.problem
  return buildError(reason.problem, { status, ...(seconds === undefined ? {} : { retryAfterMs: seconds * 1_000 }) })
}

/** Builds the error of problem details. @param known what the answer says outside of them */
function buildError(
  details: Readonly<Record<string, unknown>> & { readonly code: string; readonly message: string },
  known: { readonly status: number; readonly retryAfterMs?: number },
): FerruleError {
  const { code, message } = details
  const errors = Array.isArray(details['errors']) ? details['errors'].filter(isProblem) : []
  const upstream = readUpstream(details['upstream'])
  const requestId = readString(details['request_id'])
  return new FerruleError(
    isErrorCode(code) ? code : 'internal_error', // a newer service has more codes than this client
    { message, hint: readString(details['hint']) ?? '' },
    {
      errors,
      retryable: details['retryable'] === true,
      ...known,
      upstream,
      ...(requestId === undefined ? {} : { headers: { 'x-request-id': requestId } }),
    },
  )
}
