/**
 * What clients of the HTTP surface rely on, typed out by hand. A red line here asks: did you mean to change this? Then it is a
 * change for the changelog.
 */
import { expect, test } from 'vitest'
import { errorTable } from '../../src/errors.ts'
import { scopes } from '../../src/platform/scopes.ts'
import { routes } from '../../src/surfaces/http/routes/index.ts'

test('error codes and their statuses', () => {
  const statuses = Object.fromEntries(Object.entries(errorTable).map(([code, { status, fault }]) => [code, `${status} ${fault}`]))
  expect(statuses).toEqual({
    invalid_client: '401 caller',
    missing_token: '401 caller',
    invalid_token: '401 caller',
    token_expired: '401 caller',
    insufficient_scope: '403 caller',
    organization_forbidden: '403 caller',
    organization_required: '400 caller',
    malformed_json: '400 caller',
    invalid_cursor: '400 caller',
    credentials_mismatch: '400 caller',
    not_found: '404 caller',
    organization_not_found: '404 caller',
    workspace_not_found: '404 caller',
    connector_not_found: '404 caller',
    connector_type_not_found: '404 caller',
    job_not_found: '404 caller',
    record_not_found: '404 caller',
    private_call: '404 caller',
    method_not_allowed: '405 caller',
    connector_name_conflict: '409 caller',
    workspace_name_conflict: '409 caller',
    idempotency_key_conflict: '409 caller',
    idempotency_key_in_flight: '409 caller',
    request_id_conflict: '409 caller',
    workspace_inactive: '409 caller',
    payload_too_large: '413 caller',
    unsupported_media_type: '415 caller',
    range_not_satisfiable: '416 caller',
    validation_failed: '422 caller',
    entity_not_found: '422 caller',
    action_not_supported: '422 caller',
    missing_parameter: '422 caller',
    invalid_parameter: '422 caller',
    range_invalid: '422 caller',
    media_selector_required: '422 caller',
    statement_not_allowed: '422 caller',
    unsupported_in_local_mode: '422 caller',
    result_too_large: '422 caller',
    page_budget_exhausted: '422 caller',
    rate_limited: '429 caller',
    upstream_auth_failed: '424 credentials',
    upstream_permission_denied: '424 credentials',
    upstream_account_unavailable: '424 credentials',
    upstream_invalid_request: '422 vendor',
    upstream_conflict: '409 vendor',
    upstream_unsupported: '422 vendor',
    upstream_rate_limited: '429 vendor',
    upstream_error: '502 vendor',
    upstream_unreachable: '502 vendor',
    upstream_answer_invalid: '502 vendor',
    upstream_timeout: '504 vendor',
    statement_failed: '422 vendor',
    statement_timeout: '504 vendor',
    outcome_unknown: '504 vendor',
    context_store_unavailable: '503 service',
    overloaded: '503 service',
    unavailable: '503 service',
    credentials_unreadable: '500 service',
    internal_error: '500 service',
    setting_invalid: '500 service',
    definition_invalid: '500 service',
  })
})

test('routes and who may use them', () => {
  expect(routes.map(({ method, path, auth }) => `${method} ${path} ${auth}`)).toEqual([
    'POST /api/v1/account/applications/token none',
    'POST /api/v1/account/applications/scoped-token principal',
    'GET /api/v1/account/applications/scoped-token/info principal',
    'GET /api/v1/organizations caller',
    'POST /api/v1/organizations caller',
    'GET /api/v1/workspaces principal',
    'POST /api/v1/workspaces principal',
    'GET /api/v1/workspaces/stats principal',
    'GET /api/v1/workspaces/{workspace_id} principal',
    'PUT /api/v1/workspaces/{workspace_id} principal',
    'DELETE /api/v1/workspaces/{workspace_id} principal',
    'POST /api/v1/workspaces/{workspace_id}/restore principal',
    'GET /api/v1/integrations/definitions/sources caller',
    'GET /api/v1/integrations/definitions/sources/{definition_id} caller',
    'POST /api/v1/integrations/connectors principal',
    'GET /api/v1/integrations/connectors principal',
    'POST /api/v1/integrations/connectors/check principal',
    'GET /api/v1/integrations/connectors/{connector_id} principal',
    'PUT /api/v1/integrations/connectors/{connector_id} principal',
    'PATCH /api/v1/integrations/connectors/{connector_id} principal',
    'DELETE /api/v1/integrations/connectors/{connector_id} principal',
    'POST /api/v1/integrations/connectors/{connector_id}/check principal',
    'POST /api/v1/integrations/connectors/{connector_id}/execute principal',
    'GET /api/v1/jobs/{job_id} principal',
    'GET /health/live none',
    'GET /health/ready none',
    'GET /metrics none',
    'GET /openapi.json none',
    'GET /docs none',
    'GET /docs/{file} none',
    'GET / none',
  ])
})

test('scopes', () => {
  expect(scopes).toEqual([
    'connectors:read',
    'connectors:write',
    'execute:read',
    'execute:write',
    'workspaces:read',
    'workspaces:write',
    'organizations:read',
    'organizations:write',
  ])
})
