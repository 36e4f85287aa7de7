/**
 * What follows from each error, typed out by hand as sets of codes. A red line here asks: did you mean to change what a read, a write
 * or a sync does after this error?
 */
import { expect, test } from 'vitest'
import { type ErrorConsequences, errorConsequences } from '../../packages/ferrule/src/error-consequences.ts'
import type { ErrorCode } from '../../packages/ferrule/src/errors.ts'
import { errorTable, isErrorCode } from '../../packages/ferrule/src/errors.ts'

const codes = Object.keys(errorConsequences).filter(isErrorCode)
/** Returns the codes of one value of a column, sorted. */
const findCodes = <C extends keyof ErrorConsequences>(column: C, value: ErrorConsequences[C]): ErrorCode[] =>
  codes.filter((code) => errorConsequences[code][column] === value).toSorted()
const sorted = (...expected: readonly ErrorCode[]): ErrorCode[] => expected.toSorted()

test('every code of the error table has its row, and no row is of another code', () => {
  expect(Object.keys(errorConsequences).toSorted()).toEqual(Object.keys(errorTable).toSorted())
})

test('a code that does not exist is a compile error', () => {
  const row = errorConsequences.not_found
  // @ts-expect-error: upstream_auth_faild is no code
  const wrong: Readonly<Record<ErrorCode, ErrorConsequences>> = { ...errorConsequences, upstream_auth_faild: row }
  const { not_found: _lacking, ...rest } = errorConsequences
  // @ts-expect-error: not_found has no row
  const lacking: Readonly<Record<ErrorCode, ErrorConsequences>> = rest
  expect([Object.hasOwn(wrong, 'upstream_auth_faild'), Object.hasOwn(lacking, 'not_found')]).toEqual([true, false])
})

test('a failed read is sent again, and only where the same request can succeed later', () => {
  const often = findCodes('readRetries', 'all')
  expect(often).toEqual(sorted('upstream_rate_limited', 'upstream_conflict', 'upstream_error', 'upstream_unreachable', 'upstream_timeout'))
  const once = findCodes('readRetries', 'one')
  expect(once).toEqual(['upstream_answer_invalid'])
  const retried = [...often, ...once]
  expect(retried.filter((code) => !errorTable[code].retryable)).toEqual([])
})

test('the hosted client repeats a request, and only where the same request can succeed later', () => {
  const repeated = findCodes('isRequestRetried', true)
  expect(repeated).toEqual(
    sorted(
      ...(['request_timeout', 'idempotency_key_in_flight', 'rate_limited', 'overloaded', 'unavailable', 'internal_error'] as const),
      ...(['context_store_unavailable', 'service_unreachable', 'service_answer_invalid'] as const),
    ),
  )
  expect(repeated.filter((code) => !errorTable[code].retryable)).toEqual([])
})

test('the vendor refused the credentials, or accepted them', () => {
  expect(findCodes('credentials', 'refused')).toEqual(['upstream_auth_failed'])
  expect(findCodes('credentials', 'accepted')).toEqual(
    sorted(
      ...(['invalid_cursor', 'record_not_found', 'private_call', 'range_not_satisfiable', 'upstream_result_too_large'] as const),
      ...(['upstream_permission_denied', 'upstream_invalid_request', 'upstream_conflict', 'upstream_unsupported'] as const),
      ...(['statement_failed', 'statement_timeout'] as const),
    ),
  )
})

test('nothing was written, so the Idempotency-Key is freed', () => {
  expect(findCodes('idempotencyKey', 'freed')).toEqual(
    sorted(
      ...(['entity_not_found', 'action_not_supported', 'missing_parameter', 'invalid_parameter', 'validation_failed'] as const),
      ...(['statement_not_allowed', 'request_id_conflict', 'idempotency_key_in_flight', 'unsupported_in_local_mode'] as const),
      ...(['credentials_mismatch', 'credentials_unreadable', 'connector_not_found', 'workspace_inactive'] as const),
      ...(['context_store_unavailable', 'overloaded', 'unavailable', 'definition_invalid', 'setting_invalid'] as const),
      ...(['upstream_auth_failed', 'upstream_permission_denied', 'upstream_account_unavailable', 'upstream_rate_limited'] as const),
    ),
  )
})

test('what a failed submission says about its write', () => {
  expect(findCodes('submission', 'stated')).toEqual(sorted('statement_failed', 'statement_timeout', 'request_id_conflict'))
  expect(findCodes('submission', 'no_answer')).toEqual(sorted('upstream_unreachable', 'upstream_timeout', 'connector_closed'))
  expect(findCodes('submission', 'bad_answer')).toEqual(sorted('upstream_answer_invalid', 'result_too_large'))
  expect(findCodes('submission', 'vendor_failure')).toEqual(['upstream_error'])
})

test('what becomes of a sync run', () => {
  const ends = sorted('upstream_auth_failed', 'upstream_account_unavailable', 'credentials_unreadable', 'setting_invalid')
  expect(findCodes('syncRun', 'end')).toEqual(ends)
  expect(findCodes('syncRun', 'cancel')).toEqual(
    sorted('connector_not_found', 'connector_type_not_found', 'organization_forbidden', 'workspace_inactive'),
  )
  expect(findCodes('syncRun', 'wait')).toEqual(
    sorted(
      ...(['upstream_rate_limited', 'upstream_unreachable', 'overloaded', 'unavailable', 'context_store_unavailable'] as const),
      'connector_closed',
    ),
  )
})

test('what a sync leaves out, and what it asks for in halves', () => {
  expect(findCodes('leavesOut', 'entity')).toEqual(sorted('upstream_permission_denied', 'upstream_unsupported'))
  expect(findCodes('leavesOut', 'parent')).toEqual(sorted('upstream_invalid_request', 'upstream_account_unavailable'))
  expect(findCodes('halves', 'any')).toEqual(['upstream_invalid_request'])
  expect(findCodes('halves', 'window')).toEqual(sorted('result_too_large', 'upstream_result_too_large', 'upstream_timeout'))
})
