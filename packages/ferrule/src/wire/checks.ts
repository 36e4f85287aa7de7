/** Checks of credentials on the wire. */
import { bool, int, list, oneOf, opt, str } from '../definition/index.ts'
import { errorCode, problemDetails } from './problem.ts'
import { part, record, uuid, type Wire } from './schemas.ts'

/** Outcomes of a check. */
export const checkStatuses = ['succeeded', 'failed'] as const
/** Outcomes of a check for one entity. */
export const entityCheckStatuses = [...checkStatuses, 'skipped'] as const

const failureReason = part(
  {
    timestamp: int('Time of the check, milliseconds since 1970'),
    failure_origin: oneOf('Origin of the failure', 'source'),
    failure_type: oneOf('config_error: change the connector; transient_error: try again later', 'config_error', 'transient_error'),
    external_message: str('The error and what to do next'),
    internal_message: errorCode,
    retryable: bool('true: the same check can succeed later'),
    problem: problemDetails,
  },
  'Why the check failed',
)

export const checkResult = record(
  'CheckResult',
  {
    id: uuid('Id of this check'),
    status: oneOf('Outcome', ...checkStatuses),
    error_message: opt(str('Why the check failed')),
    failure_reason: opt(failureReason),
    entity_check_results: list(
      part(
        {
          entity: str('Entity'),
          status: oneOf('skipped: the credentials lack the scope of the entity', ...entityCheckStatuses),
          status_code: opt(int("HTTP status of the vendor's answer")),
          error_message: opt(str('Why the entity failed or was skipped')),
        },
        'Result for one entity',
      ),
      'Checked entities',
    ),
  },
  'Outcome of a check',
)
/** Result of a check, in the shape that existing clients read. */
export type CheckResult = Wire<typeof checkResult>
