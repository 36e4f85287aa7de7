/** Reads the service's problem details (RFC 9457) back into errors. */
import { isObject } from '../definition/object.ts'
import { FerruleError, fail, isErrorCode, type Problem, type Upstream } from '../errors.ts'
import { parseRetryAfter } from '../retry.ts'

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
  const errors = Array.isArray(details['errors']) ? details['errors'].filter(isProblem) : []
  const upstream = readUpstream(details['upstream'])
  const requestId = readString(details['request_id'])
  return new FerruleError(
    isErrorCode(code) ? code : 'internal_error', // a newer service has more codes than this client
    { message, hint: readString(details['hint']) ?? '' },
    {
      ...{ errors, status, retryable: details['retryable'] === true, ...waiting },
      ...(upstream === undefined ? {} : { upstream }),
      ...(requestId === undefined ? {} : { headers: { 'x-request-id': requestId } }),
    },
  )
}
