/** Errors on the wire: problem details (RFC 9457). */
import { bool, int, list, oneOf, opt, str } from '../definition/index.ts'
import { type ErrorCode, errorTable, type Fault } from '../errors.ts'
import { named, part, record, type Wire } from './schemas.ts'

/** All error codes, in the order of the table. */
export const errorCodes = Object.keys(errorTable) as readonly ErrorCode[] // the keys of the table are the codes
/** All faults, in the order of the table. */
export const faults: readonly Fault[] = [...new Set(errorCodes.map((code) => errorTable[code].fault))]

/** An error code. */
export const errorCode = named('ErrorCode', oneOf('Stable code; branch on it', ...errorCodes))

export const problemDetails = record(
  'Problem',
  {
    type: str('urn:ferrule:error:<code>'),
    title: str('The code as words'),
    status: int('HTTP status'),
    detail: str('The error in one sentence'),
    instance: opt(str('urn:request:<request id>')),
    code: errorCode,
    message: str('The same as detail'),
    fault: oneOf('Who has to act', ...faults),
    retryable: bool('true: the same request can succeed later'),
    retry_after_seconds: opt(int('Seconds to wait')),
    hint: str('What to do next'),
    errors: list(
      part(
        {
          field: str('JSON pointer of the invalid value'),
          message: str('What is wrong with the value'),
          error_code: str('Rule that the value breaks'),
          line: opt(int('Line within the value, from 1')),
          column: opt(int('Column within the line, from 1, in UTF-16 code units')),
          window: opt(
            part(
              {
                from: str('Parameter of the first day'),
                to: str('Parameter of the last day, included'),
                days: int('Maximum number of days'),
                page: str('Parameter of the page within a window'),
              },
              'The largest window that one call takes, when a range of days is too long',
            ),
          ),
        },
        'A problem',
      ),
      'Problems of the request',
    ),
    request_id: opt(str('Id of the request')),
    upstream: opt(
      part(
        {
          status: opt(int("HTTP status of the vendor's answer; left out when the vendor did not answer")),
          code: opt(str("The vendor's code")),
          message: opt(str("The vendor's message")),
          request_id: opt(str("The vendor's request id")),
        },
        "The vendor's error, without secrets",
      ),
    ),
  },
  'An error',
)
/** Problem details of every error. */
export type ProblemRecord = Wire<typeof problemDetails>
