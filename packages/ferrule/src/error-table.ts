/** The table of all errors. Only `errors.ts` and `error-consequences.ts` import it. */

/** Who causes an error: the caller's request, the stored credentials, the vendor, or this service. */
export type Fault = 'caller' | 'credentials' | 'vendor' | 'service'

/** One row of the table. */
export interface ErrorRow {
  /** HTTP status of the answer. */
  readonly status: number
  readonly fault: Fault
  /** True if the same request can succeed later without a change. */
  readonly retryable: boolean
  /** One sentence; `fail` fills each `{slot}`. */
  readonly message: string
  /** What to do next; `fail` fills each `{slot}`. */
  readonly hint: string
}

const defineRows =
  (fault: Fault, retryable: boolean) =>
  <const M extends string>(status: number, message: M, hint: string) => ({ status, fault, retryable, message, hint })
const caller = defineRows('caller', false)
const callerForNow = defineRows('caller', true)
const credentials = defineRows('credentials', false)
const vendor = defineRows('vendor', false)
const vendorForNow = defineRows('vendor', true)
const service = defineRows('service', false)
const serviceForNow = defineRows('service', true)

/** All error codes. A code is stable, because clients branch on it. */
export const errorTable = {
  invalid_client: caller(
    401,
    'The client id or client secret is wrong.',
    'Check both; `ferrule-server applications rotate` creates a new secret.',
  ),
  missing_token: caller(
    401,
    'The request carries no bearer token.',
    'Send Authorization: Bearer <token>; get one from POST /api/v1/account/applications/token.',
  ),
  invalid_token: caller(
    401,
    'The bearer token is not valid here: {reason}.',
    'Get a new one from POST /api/v1/account/applications/token.',
  ),
  token_expired: caller(401, 'The bearer token has expired.', 'Get a new one from POST /api/v1/account/applications/token.'),
  session_ended: caller(401, 'The session of the console has ended.', 'Sign in again at /console.'),
  insufficient_scope: caller(403, 'The token lacks the scope {scope}.', 'Use a token with that scope.'),
  operator_required: caller(
    403,
    'Only the application of the first start reads what concerns the whole installation.',
    'Sign in with that application, by a token that is not limited to a workspace.',
  ),
  organization_forbidden: caller(
    403,
    'The token has no access to this organization.',
    'Send an organization of GET /api/v1/organizations as X-Organization-Id, or leave the header out.',
  ),
  organization_required: caller(
    400,
    'This client reaches several organizations; specify target organization with X-Organization-Id.',
    'Send the header with an id of GET /api/v1/organizations.',
  ),
  malformed_json: caller(400, 'The request body is not valid JSON: {reason}.', 'Send one JSON object as application/json.'),
  invalid_cursor: caller(
    400,
    'The cursor is not valid for this request: {reason}.',
    'Start again without a cursor; keep all other parameters unchanged while paging.',
  ),
  credentials_mismatch: caller(
    400,
    'The credentials match no scheme of {kind}. Given: {given}. Schemes: {schemes}.',
    'Send exactly the fields of one scheme.',
  ),
  not_found: caller(404, 'There is nothing at {method} {path}.', 'See /openapi.json for the routes of this service.'),
  not_offered: caller(501, 'This service has no {what}.', 'See /docs/existing-clients for what this service has.'),
  organization_not_found: caller(404, 'The organization does not exist.', 'See GET /api/v1/organizations.'),
  application_not_found: caller(404, 'The application does not exist.', 'See GET /api/v1/account/applications.'),
  mcp_token_not_found: caller(404, 'The MCP token does not exist.', 'See GET /api/v1/account/mcp-tokens.'),
  workspace_not_found: caller(404, 'The workspace does not exist.', 'See GET /api/v1/workspaces.'),
  connector_not_found: caller(404, 'The connector does not exist.', 'See GET /api/v1/integrations/connectors.'),
  connect_link_not_found: caller(
    404,
    'The link does not exist, or its secret part is wrong.',
    'Open the whole address, with everything after #; an operator sees the links at GET /api/v1/connect/links.',
  ),
  connect_link_closed: caller(410, 'The link cannot be used: {reason}.', 'Ask for a new link where this one came from.'),
  connect_session_missing: caller(
    401,
    'This browser has no session for the link: {reason}.',
    'Open the link again, with everything after #. Cookies have to be allowed.',
  ),
  connect_return_refused: caller(
    400,
    "The return from the vendor's page cannot be used: {reason}.",
    'Open the link again and start the authorization again in the same browser. The link stays usable.',
  ),
  connect_account_mismatch: caller(
    409,
    'The new credentials do not belong to the account of the connector: {reason}.',
    'Use credentials of the same account. A link with allow_other_account accepts another one.',
  ),
  oauth_credentials_not_found: caller(
    404,
    'The organization has no OAuth client at {vendor}.',
    'Store one with PUT /api/v1/oauth/credentials, or authorize without the consent page.',
  ),
  oauth_credentials_in_use: caller(
    409,
    'Connectors use the OAuth client at {vendor}: {connectors}.',
    'Delete or authorize them by other credentials first, or repeat with force=true.',
  ),
  connector_ambiguous: caller(409, 'Several connectors are meant by {given}: {known}.', 'Name one of them by its id.'),
  connector_type_not_found: caller(404, 'There is no connector type {given}. Known: {known}.', 'Use one of the known types.'),
  kind_not_found: caller(404, 'The organization has no such kind, or not this version of it.', 'See GET /api/v1/kinds.'),
  kind_invalid: caller(422, 'The kind has mistakes: {reason}.', 'Correct each one, and try again.'),
  kind_changed: caller(
    409,
    'The kind has version {newest} meanwhile, not {given}.',
    'Read the kind again, and repeat with its newest version.',
  ),
  kind_in_use: caller(409, 'Connectors use the kind: {connectors}.', 'Delete them first.'),
  webhook_endpoint_not_found: caller(404, 'The endpoint of webhooks does not exist.', 'See GET /api/v1/webhooks/endpoints.'),
  webhook_delivery_not_found: caller(
    404,
    'The endpoint has no such delivery.',
    'List the deliveries of the endpoint again; they are kept for 30 days.',
  ),
  consumer_not_found: caller(
    404,
    'The connector has no such consumer of changes.',
    'See GET /api/v1/integrations/connectors/{connector_id}/consumers.',
  ),
  consumer_moved: caller(
    409,
    'The cursor of the consumer was moved meanwhile.',
    'Read the consumer, and continue from its cursor. One process at a time can be a consumer.',
  ),
  job_not_found: caller(404, 'The job does not exist.', 'Use the job_id that the deletion answered.'),
  sync_not_found: caller(404, 'The sync does not exist.', 'See GET /api/v1/integrations/connectors/{connector_id}/syncs.'),
  record_not_found: caller(404, 'The vendor has no such record: {reason}.', 'Check the id, and that the credentials may see the record.'),
  private_call: caller(
    404,
    'The call is private, and private calls are hidden.',
    'Set the configuration value private_calls to "include" to return private calls.',
  ),
  method_not_allowed: caller(405, '{method} is not allowed at {path}. Allowed: {allowed}.', 'Use an allowed method.'),
  request_timeout: callerForNow(408, 'The request was not sent within {seconds} seconds.', 'Send it again, faster or in smaller parts.'),
  unsupported_media_type: caller(415, 'The content type {given} is not supported.', 'Send application/json.'),
  payload_too_large: caller(413, 'The request body is larger than {limit} bytes.', 'Send a smaller body.'),
  connector_name_conflict: caller(
    409,
    'The workspace has a connector with the name {name} already.',
    'Choose another name, or update the existing connector.',
  ),
  idempotency_key_conflict: caller(409, 'The Idempotency-Key was used for another call.', 'Use a new key for another call.'),
  idempotency_key_in_flight: callerForNow(409, 'A call with this Idempotency-Key is running.', 'Wait for the time of Retry-After.'),
  request_id_conflict: caller(
    409,
    'The request id {request_id} was used for another statement.',
    'Use a new request id; to repeat a write, send the same statement, context and timeout.',
  ),
  workspace_name_conflict: caller(409, 'The organization has a workspace with the name {name} already.', 'Choose another name.'),
  workspace_inactive: caller(
    409,
    'The workspace {name} is inactive.',
    'Set its status to active with PUT /api/v1/workspaces/{workspace_id}.',
  ),
  validation_failed: caller(422, 'The request is not valid: {reason}.', 'Correct the fields named in errors.'),
  entity_not_found: caller(422, '{kind} has no entity {entity}. It has: {known}.', 'Use one of the entities.'),
  action_not_supported: caller(422, '{entity} does not offer the action {action}. It offers: {known}.', 'Use one of the actions.'),
  missing_parameter: caller(422, 'A required parameter is missing: {reason}.', 'Send the parameters named in errors.'),
  invalid_parameter: caller(422, 'A parameter is not valid: {reason}.', 'Correct the parameters named in errors.'),
  field_not_searchable: caller(
    422,
    '{field} cannot be searched in {entity}. Searchable: {known}.',
    'Use a searchable field, or a path into one (a.b); a path may go as deep as the documented shape.',
  ),
  operator_not_supported: caller(
    422,
    'The operator {operator} cannot be used here: {reason}.',
    'Use another operator, or a path into the field; the reference page lists the type of each searchable field.',
  ),
  query_too_complex: caller(422, 'The query is too complex: {reason}.', 'Ask for less at once, or ask several times.'),
  range_invalid: caller(422, 'The range is not valid: {reason}.', 'Send one byte range, for example bytes=0-1023.'),
  range_not_satisfiable: caller(
    416,
    'The byte range lies outside the file.',
    'Ask for a range inside the file; Content-Range states its size.',
  ),
  media_selector_required: caller(
    422,
    'A download needs contentSelector.exposedFields.media true and filter.callIds with exactly one call id.',
    'Send {"filter":{"callIds":["<id>"]},"contentSelector":{"exposedFields":{"media":true}}}.',
  ),
  not_playable: caller(422, 'The file is {type}, and only audio and video are played.', 'Save the file instead: execute its download.'),
  statement_not_allowed: caller(
    422,
    'The statement is not allowed: {reason}.',
    'Send one SELECT for get and list, one INSERT for create, one UPDATE for update, one DELETE for delete.',
  ),
  unsupported_in_local_mode: caller(422, '{action} is offered by the hosted platform only.', 'Use list and get, or a hosted connector.'),
  connector_closed: caller(409, 'The connector is closed.', 'Close a connector after its last call, or make a new one with connect().'),
  result_too_large: caller(422, 'The answer is larger than {limit} bytes.', 'Ask for fewer records or fields.'),
  upstream_result_too_large: caller(422, '{vendor} cut the result short: {reason}.', 'Ask for fewer rows or columns.'),
  page_budget_exhausted: caller(422, 'The walk stopped at its budget of {pages} pages.', 'Raise the budget, or narrow the request.'),
  rate_limited: callerForNow(429, 'Too many requests: {limit} per minute are allowed.', 'Wait for the time of Retry-After.'),
  upstream_auth_failed: credentials(
    424,
    '{vendor} refused the credentials: {reason}.',
    'Replace them with PATCH /api/v1/integrations/connectors/{connector_id}, or give new credentials to the library.',
  ),
  upstream_permission_denied: credentials(
    424,
    '{vendor} denies this operation to the credentials: {reason}.',
    'Grant the missing scope or permission at the vendor; the connector stays active.',
  ),
  upstream_account_unavailable: credentials(424, 'The account at {vendor} is not available: {reason}.', 'Settle it with the vendor.'),
  upstream_invalid_request: vendor(422, '{vendor} refused the request: {reason}.', "Correct the parameters; the message is the vendor's."),
  upstream_conflict: vendorForNow(409, '{vendor} is busy with another change: {reason}.', 'Try again in a few seconds.'),
  upstream_unsupported: vendor(422, '{vendor} does not offer this: {reason}.', 'Use another operation.'),
  upstream_rate_limited: vendorForNow(429, '{vendor} asks to slow down.', 'Wait for the time of Retry-After.'),
  upstream_error: vendorForNow(502, '{vendor} failed: {reason}.', 'Try again later.'),
  upstream_unreachable: vendorForNow(
    502,
    '{vendor} cannot be reached: {reason}.',
    'Try again later; check the egress network if it persists.',
  ),
  upstream_timeout: vendorForNow(504, '{vendor} did not answer in time: {reason}.', 'Try again, or ask for less.'),
  upstream_answer_invalid: vendorForNow(502, 'The answer of {vendor} cannot be used: {reason}.', 'Try again; report it if it persists.'),
  statement_failed: vendor(422, '{vendor} refused the statement: {reason}.', "Correct the statement; the message is the vendor's."),
  statement_timeout: vendor(504, '{vendor} stopped the statement: {reason}.', 'Raise its time limit, or do less in one statement.'),
  outcome_unknown: vendor(
    504,
    'It is not known whether {vendor} carried out the write (request id {request_id}): {reason}.',
    'Look at the vendor before you write again; where the action takes requestId, the same call with this requestId and retry true writes once.',
  ),
  consent_unclear: vendor(
    502,
    'It is not known whether {vendor} accepted the consent: {reason}.',
    'Start the consent again; a code is never sent twice.',
  ),
  context_store_not_ready: serviceForNow(
    409,
    'There is no copy of {entity} to search yet: {reason}.',
    'Wait for the time of Retry-After, search what was read so far with allow_partial, or use list and get; GET /api/v1/integrations/connectors/{connector_id}/context_store shows the progress.',
  ),
  context_store_stale: serviceForNow(
    409,
    'The copy of {entity} is {age} seconds old (synced_at {synced_at}), older than max_age {max_age}, and could not be refreshed in time.',
    'Ask again after Retry-After, raise max_age, or use list and get.',
  ),
  changes_expired: caller(
    410,
    'The changes after this cursor are lost: {reason}.',
    'Read again without `after`: all records come first, then what changes. Delete what you have and did not meet between snapshot_begin and snapshot_end.',
  ),
  context_store_unavailable: serviceForNow(503, 'The copies are not available.', 'Use list and get.'),
  context_store_timeout: serviceForNow(
    504,
    'The database of the copies is busy: it did not finish within {seconds} seconds.',
    'Try again; a sync retries by itself and resumes where it stopped. If the error repeats, check the load of that database.',
  ),
  overloaded: serviceForNow(503, 'The service is busy: {reason}.', 'Wait for the time of Retry-After.'),
  unavailable: serviceForNow(503, 'The service is not ready: {reason}.', 'Try again; see /health/ready.'),
  service_unreachable: serviceForNow(
    503,
    'The service at {url} cannot be reached: {reason}.',
    'Check the address and that the service runs, then try again.',
  ),
  service_timeout: serviceForNow(504, 'The service did not answer within {seconds} seconds.', 'Try again, or raise the deadline.'),
  service_answer_invalid: serviceForNow(
    502,
    'The answer of the service cannot be used: {reason}.',
    'Check that the address is the address of a Ferrule service; report it if it persists.',
  ),
  credentials_unreadable: service(
    500,
    'The stored credentials cannot be opened: {reason}.',
    'Restore the master key, or replace the credentials with PATCH.',
  ),
  internal_error: serviceForNow(500, 'The service failed.', 'Try again; report the request id if it persists.'),
  setting_invalid: service(
    500,
    'The setting {name} is not valid: {reason}.',
    'Correct it and start again; the settings page lists every setting.',
  ),
  definition_invalid: service(500, 'The connector definition is not valid: {reason}.', 'Correct the definition.'),
} as const satisfies Record<string, ErrorRow>

/** A stable error code. */
export type ErrorCode = keyof typeof errorTable
