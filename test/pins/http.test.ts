/**
 * What clients of the HTTP surface rely on. A red line here asks: did you mean to change this? Then it is a change for the changelog, and
 * `npm run gen` prints the pages.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { kinds } from '../../packages/ferrule/src/connectors/index.ts'
import { openApiDocument } from '../../packages/server/src/http/openapi/openapi.ts'
import { errorsPage, routesPage } from '../../packages/server/src/http/reference/printed-pages.ts'
import { routes } from '../../packages/server/src/http/routes/index.ts'
import { scopes } from '../../packages/server/src/values/access.ts'
import { root } from '../../scripts/paths.mjs'

const readPage = (name: string) => readFileSync(join(root, 'docs', name), 'utf8')

test('the printed page has the codes of errors, each with its status and its fault', () => {
  expect(errorsPage()).toBe(readPage('errors.md'))
})

test('the printed page has the routes, with their bodies, records and problems', () => {
  expect(routesPage(openApiDocument({ routes, kinds: [] }), Object.values(kinds))).toBe(readPage('reference/http.md'))
})

test('routes and who may use them', () => {
  expect(routes.map(({ method, path, auth }) => `${method} ${path} ${auth}`)).toEqual([
    'POST /api/v1/account/applications/token none',
    'POST /api/v1/account/applications/scoped-token principal',
    'GET /api/v1/account/applications/scoped-token/info principal',
    'POST /api/v1/account/mcp-tokens principal',
    'GET /api/v1/account/mcp-tokens principal',
    'DELETE /api/v1/account/mcp-tokens/{token_id} principal',
    'GET /api/v1/account/applications principal',
    'POST /api/v1/account/applications principal',
    'PUT /api/v1/account/applications/{application_id} principal',
    'POST /api/v1/account/applications/{application_id}/rotate-secret principal',
    'DELETE /api/v1/account/applications/{application_id} principal',
    'GET /api/v1/organizations caller',
    'POST /api/v1/organizations caller',
    'PUT /api/v1/organizations/{organization_id} principal',
    'DELETE /api/v1/organizations/{organization_id} caller',
    'POST /api/v1/organizations/{organization_id}/restore caller',
    'GET /api/v1/workspaces principal',
    'POST /api/v1/workspaces principal',
    'GET /api/v1/workspaces/stats principal',
    'GET /api/v1/workspaces/{workspace_id} principal',
    'PUT /api/v1/workspaces/{workspace_id} principal',
    'DELETE /api/v1/workspaces/{workspace_id} principal',
    'POST /api/v1/workspaces/{workspace_id}/restore principal',
    'GET /api/v1/integrations/definitions/sources caller',
    'GET /api/v1/integrations/definitions/sources/{definition_id} caller',
    'GET /api/v1/integrations/definitions/sources/{definition_id}/reference caller',
    'GET /api/v1/openapi.json principal',
    'GET /api/v1/skills caller',
    'GET /api/v1/skills/docs caller',
    'GET /api/v1/kinds principal',
    'POST /api/v1/kinds/import principal',
    'POST /api/v1/kinds/{slug}/check principal',
    'PUT /api/v1/kinds/{slug} principal',
    'GET /api/v1/kinds/{slug} principal',
    'GET /api/v1/kinds/{slug}/versions principal',
    'DELETE /api/v1/kinds/{slug} principal',
    'POST /api/v1/integrations/connectors principal',
    'GET /api/v1/integrations/connectors principal',
    'POST /api/v1/integrations/connectors/check principal',
    'GET /api/v1/integrations/connectors/{connector_id} principal',
    'PUT /api/v1/integrations/connectors/{connector_id} principal',
    'PATCH /api/v1/integrations/connectors/{connector_id} principal',
    'DELETE /api/v1/integrations/connectors/{connector_id} principal',
    'POST /api/v1/integrations/connectors/{connector_id}/check principal',
    'POST /api/v1/connect/links principal',
    'GET /api/v1/connect/links principal',
    'GET /api/v1/connect/links/{link_id} principal',
    'DELETE /api/v1/connect/links/{link_id} principal',
    'POST /api/v1/integrations/connectors/oauth/initiate principal',
    'PUT /api/v1/oauth/credentials principal',
    'GET /api/v1/oauth/credentials principal',
    'DELETE /api/v1/oauth/credentials/connector_type/{connector_type} principal',
    'POST /api/v1/integrations/connectors/{connector_id}/execute principal',
    'POST /api/v1/integrations/connectors/{connector_id}/request principal',
    'POST /api/v1/integrations/connectors/{connector_id}/validate principal',
    'POST /api/v1/integrations/connectors/{connector_id}/media principal',
    'GET /api/v1/media/{media_id} principal',
    'GET /api/v1/integrations/connectors/{connector_id}/entities/{entity}/export principal',
    'GET /api/v1/integrations/connectors/{connector_id}/entities/{entity}/changes principal',
    'GET /api/v1/integrations/connectors/{connector_id}/changes principal',
    'POST /api/v1/search principal',
    'GET /api/v1/integrations/connectors/{connector_id}/consumers principal',
    'GET /api/v1/integrations/connectors/{connector_id}/consumers/{name} principal',
    'PUT /api/v1/integrations/connectors/{connector_id}/consumers/{name} principal',
    'DELETE /api/v1/integrations/connectors/{connector_id}/consumers/{name} principal',
    'GET /api/v1/integrations/connectors/{connector_id}/inspect principal',
    'GET /api/v1/integrations/connectors/{connector_id}/context_store principal',
    'GET /api/v1/integrations/connectors/{connector_id}/context_store/events principal',
    'PUT /api/v1/integrations/connectors/{connector_id}/context_store/schedule principal',
    'DELETE /api/v1/integrations/connectors/{connector_id}/context_store principal',
    'POST /api/v1/integrations/connectors/{connector_id}/syncs principal',
    'GET /api/v1/integrations/connectors/{connector_id}/syncs principal',
    'GET /api/v1/integrations/connectors/{connector_id}/syncs/{sync_id} principal',
    'DELETE /api/v1/integrations/connectors/{connector_id}/syncs/{sync_id} principal',
    'GET /api/v1/integrations/connectors/{connector_id}/syncs/{sync_id}/events principal',
    'GET /api/v1/overview principal',
    'GET /api/v1/syncs principal',
    'GET /api/v1/usage principal',
    'GET /api/v1/service caller',
    'GET /api/v1/node caller',
    'GET /api/v1/events principal',
    'GET /api/v1/webhooks/endpoints principal',
    'POST /api/v1/webhooks/endpoints principal',
    'GET /api/v1/webhooks/endpoints/{endpoint_id} principal',
    'PATCH /api/v1/webhooks/endpoints/{endpoint_id} principal',
    'DELETE /api/v1/webhooks/endpoints/{endpoint_id} principal',
    'POST /api/v1/webhooks/endpoints/{endpoint_id}/rotate-secret principal',
    'POST /api/v1/webhooks/endpoints/{endpoint_id}/test principal',
    'GET /api/v1/webhooks/endpoints/{endpoint_id}/deliveries principal',
    'POST /api/v1/webhooks/endpoints/{endpoint_id}/deliveries/{delivery_id}/retry principal',
    'POST /api/v1/webhooks/endpoints/{endpoint_id}/retry principal',
    'GET /api/v1/integrations/connectors/{connector_id}/webhooks principal',
    'PUT /api/v1/integrations/connectors/{connector_id}/webhooks principal',
    'DELETE /api/v1/integrations/connectors/{connector_id}/webhooks principal',
    'GET /api/v1/jobs/{job_id} principal',
    'GET /health/live none',
    'GET /health/ready none',
    'GET /metrics none',
    'GET / none',
    'GET /openapi.json none',
    'GET /.well-known/oauth-protected-resource/mcp none',
    'GET /.well-known/oauth-protected-resource/mcp/ none',
    'GET /.well-known/oauth-authorization-server none',
  ])
})

test('scopes', () => {
  expect(scopes).toEqual([
    'connectors:read',
    'connectors:write',
    'connectors:request',
    'execute:read',
    'execute:write',
    'workspaces:read',
    'workspaces:write',
    'organizations:read',
    'organizations:write',
    'webhooks:read',
    'webhooks:write',
    'applications:read',
    'applications:write',
  ])
})
