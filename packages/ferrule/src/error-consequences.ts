/** The one table of what follows from an error: for a read, the credentials, a write, a sync. The texts are in `error-table.ts`. */
import type { ErrorCode } from './error-table.ts'

/** One row of the table. */
export interface ErrorConsequences {
  /** How often the engine sends a failed read again: never, once, or up to all its attempts. Holds only for an error that is `retryable`. */
  readonly readRetries: 'none' | 'one' | 'all'
  /**
   * Whether the hosted client repeats a request to the service: a read, or a write with an Idempotency-Key. Failures of the vendor are not
   * repeated here, because the service has repeated them.
   */
  readonly isRequestRetried: boolean
  /**
   * What an answer in the vendor's own words proves about the credentials that were sent. `unknown`: the vendor can give the answer
   * before it looks at them, or the error is no answer of a vendor.
   */
  readonly credentials: 'refused' | 'accepted' | 'unknown'
  /**
   * What becomes of the Idempotency-Key of a write. `freed`: nothing was written, so the same call runs again. `kept`: the key answers
   * with this error. A refusal by the vendor is final, and a write with an unknown outcome must not be sent a second time.
   */
  readonly idempotencyKey: 'freed' | 'kept'
  /**
   * What a failed submission of a write says about the write. `not_done`: the vendor did nothing. `stated`: the vendor says what became
   * of the write, earlier submissions included. `no_answer`: unknown, unless the request was never sent. `bad_answer`: unknown.
   * `vendor_failure`: unknown from status 500, and without a status; `not_done` below 500.
   */
  readonly submission: 'not_done' | 'stated' | 'no_answer' | 'bad_answer' | 'vendor_failure'
  /**
   * What becomes of a sync run. `end`: the run fails, because every other call would fail too. `cancel`: there is nothing left to do.
   * `wait`: the run pauses, because every other call would fail now. `continue`: the rest is read; what failed is read again later if
   * the error is `retryable`.
   */
  readonly syncRun: 'end' | 'cancel' | 'wait' | 'continue'
  /** What a sync leaves out after the error: the whole entity, the children of one parent record, or nothing. An entity implies a parent. */
  readonly leavesOut: 'entity' | 'parent' | 'nothing'
  /** What a sync asks for in halves after the error: a batch of records or a window of days (`any`), only a window, or nothing. */
  readonly halves: 'any' | 'window' | 'nothing'
}

/** A refusal by the service. `kept` is the safe value for an error that no write meets. */
const refused: ErrorConsequences = {
  readRetries: 'none',
  isRequestRetried: false,
  credentials: 'unknown',
  idempotencyKey: 'kept',
  submission: 'not_done',
  syncRun: 'continue',
  leavesOut: 'nothing',
  halves: 'nothing',
}
/** Refused before a write was sent. */
const unsent: ErrorConsequences = { ...refused, idempotencyKey: 'freed' }
/** An answer that the vendor gives only after it accepted the credentials. */
const answered: ErrorConsequences = { ...refused, credentials: 'accepted' }
/** A failure of the vendor that a later read may not meet. */
const transient: ErrorConsequences = { ...refused, readRetries: 'all' }

/** A failure of the service that the same request may not meet a little later. */
const passing = { isRequestRetried: true } as const

/** What follows from each error. Every code has a row. */
export const errorConsequences: Readonly<Record<ErrorCode, ErrorConsequences>> = {
  invalid_client: refused,
  missing_token: refused,
  invalid_token: refused,
  token_expired: refused,
  session_ended: refused,
  insufficient_scope: refused,
  operator_required: refused,
  organization_forbidden: { ...refused, syncRun: 'cancel' }, // a deleted organization
  organization_required: refused,
  malformed_json: refused,
  invalid_cursor: answered,
  credentials_mismatch: unsent,
  not_found: refused,
  not_offered: refused,
  organization_not_found: refused,
  application_not_found: refused,
  mcp_token_not_found: refused,
  workspace_not_found: refused,
  connector_not_found: { ...unsent, syncRun: 'cancel' },
  connect_link_not_found: refused,
  connect_link_closed: refused,
  connect_session_missing: refused,
  connect_return_refused: refused,
  connect_account_mismatch: refused,
  oauth_credentials_not_found: refused,
  oauth_credentials_in_use: refused,
  connector_ambiguous: refused,
  connector_type_not_found: { ...refused, syncRun: 'cancel' },
  kind_not_found: refused,
  kind_invalid: refused,
  kind_changed: refused,
  kind_in_use: refused,
  webhook_endpoint_not_found: refused,
  webhook_delivery_not_found: refused,
  consumer_not_found: refused,
  consumer_moved: refused,
  job_not_found: refused,
  sync_not_found: refused,
  record_not_found: answered,
  private_call: answered,
  method_not_allowed: refused,
  request_timeout: { ...refused, ...passing },
  unsupported_media_type: refused,
  payload_too_large: refused,
  connector_name_conflict: refused,
  idempotency_key_conflict: refused,
  idempotency_key_in_flight: { ...unsent, ...passing },
  request_id_conflict: { ...unsent, submission: 'stated' },
  workspace_name_conflict: refused,
  workspace_inactive: { ...unsent, syncRun: 'cancel' },
  validation_failed: unsent,
  entity_not_found: unsent,
  action_not_supported: unsent,
  missing_parameter: unsent,
  invalid_parameter: unsent,
  field_not_searchable: refused,
  operator_not_supported: refused,
  query_too_complex: refused,
  range_invalid: refused,
  range_not_satisfiable: answered,
  media_selector_required: refused,
  not_playable: refused,
  statement_not_allowed: unsent,
  unsupported_in_local_mode: unsent,
  connector_closed: { ...refused, submission: 'no_answer', syncRun: 'wait' }, // a call that ran may have reached the vendor
  result_too_large: { ...refused, submission: 'bad_answer', halves: 'window' },
  upstream_result_too_large: { ...answered, halves: 'window' },
  page_budget_exhausted: refused,
  rate_limited: { ...refused, ...passing },
  upstream_auth_failed: { ...unsent, credentials: 'refused', syncRun: 'end' },
  upstream_permission_denied: { ...unsent, credentials: 'accepted', leavesOut: 'entity' },
  upstream_account_unavailable: { ...unsent, syncRun: 'end', leavesOut: 'parent' },
  upstream_invalid_request: { ...answered, leavesOut: 'parent', halves: 'any' },
  upstream_conflict: { ...transient, credentials: 'accepted' },
  upstream_unsupported: { ...answered, leavesOut: 'entity' },
  upstream_rate_limited: { ...transient, idempotencyKey: 'freed', syncRun: 'wait' },
  upstream_error: { ...transient, submission: 'vendor_failure' },
  upstream_unreachable: { ...transient, submission: 'no_answer', syncRun: 'wait' },
  upstream_timeout: { ...transient, submission: 'no_answer', halves: 'window' },
  upstream_answer_invalid: { ...refused, readRetries: 'one', submission: 'bad_answer' },
  statement_failed: { ...answered, submission: 'stated' },
  statement_timeout: { ...answered, submission: 'stated' },
  outcome_unknown: refused,
  consent_unclear: refused,
  context_store_not_ready: refused,
  context_store_stale: refused,
  changes_expired: refused,
  context_store_unavailable: { ...unsent, ...passing, syncRun: 'wait' },
  context_store_timeout: refused,
  overloaded: { ...unsent, ...passing, syncRun: 'wait' },
  unavailable: { ...unsent, ...passing, syncRun: 'wait' },
  service_unreachable: { ...refused, ...passing },
  service_timeout: refused,
  service_answer_invalid: { ...refused, ...passing },
  credentials_unreadable: { ...unsent, syncRun: 'end' },
  internal_error: { ...refused, ...passing },
  setting_invalid: { ...unsent, syncRun: 'end' },
  definition_invalid: unsent,
}
