/** Method and path of each route of the service, by the id of its operation. Plain data: the client and the service both read it. */

/** Method and path of a route. */
export interface Endpoint {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Slots are written `{name}`. */
  readonly path: string
  /** True: the route takes `Idempotency-Key`, so a client can repeat a request whose answer was lost. */
  readonly takesKey?: true
}

const application = '/api/v1/account/applications'
const mcpTokens = '/api/v1/account/mcp-tokens'
const organizations = '/api/v1/organizations'
const organization = `${organizations}/{organization_id}`
const workspace = '/api/v1/workspaces/{workspace_id}'
const definitions = '/api/v1/integrations/definitions/sources'
const connectors = '/api/v1/integrations/connectors'
const connector = `${connectors}/{connector_id}`
const consumer = `${connector}/consumers/{name}`
const sync = `${connector}/syncs/{sync_id}`
const kinds = '/api/v1/kinds'
const kind = `${kinds}/{slug}`
const webhookEndpoints = '/api/v1/webhooks/endpoints'
const webhookEndpoint = `${webhookEndpoints}/{endpoint_id}`
const connectLinks = '/api/v1/connect/links'
const oauthCredentials = '/api/v1/oauth/credentials'

/** Every documented route. */
export const endpoints = {
  createToken: { method: 'POST', path: `${application}/token` },
  createScopedToken: { method: 'POST', path: `${application}/scoped-token` },
  getScopedTokenInfo: { method: 'GET', path: `${application}/scoped-token/info` },
  createMcpToken: { method: 'POST', path: mcpTokens },
  listMcpTokens: { method: 'GET', path: mcpTokens },
  revokeMcpToken: { method: 'DELETE', path: `${mcpTokens}/{token_id}` },
  listApplications: { method: 'GET', path: application },
  createApplication: { method: 'POST', path: application },
  updateApplication: { method: 'PUT', path: `${application}/{application_id}` },
  rotateApplicationSecret: { method: 'POST', path: `${application}/{application_id}/rotate-secret` },
  deleteApplication: { method: 'DELETE', path: `${application}/{application_id}` },
  listOrganizations: { method: 'GET', path: organizations },
  createOrganization: { method: 'POST', path: organizations },
  updateOrganization: { method: 'PUT', path: organization },
  deleteOrganization: { method: 'DELETE', path: organization },
  restoreOrganization: { method: 'POST', path: `${organization}/restore` },
  listWorkspaces: { method: 'GET', path: '/api/v1/workspaces' },
  createWorkspace: { method: 'POST', path: '/api/v1/workspaces' },
  getWorkspaceStats: { method: 'GET', path: '/api/v1/workspaces/stats' },
  getWorkspace: { method: 'GET', path: workspace },
  updateWorkspace: { method: 'PUT', path: workspace },
  deleteWorkspace: { method: 'DELETE', path: workspace },
  restoreWorkspace: { method: 'POST', path: `${workspace}/restore` },
  listDefinitions: { method: 'GET', path: definitions },
  getDefinition: { method: 'GET', path: `${definitions}/{definition_id}` },
  getDefinitionReference: { method: 'GET', path: `${definitions}/{definition_id}/reference` },
  getOpenApi: { method: 'GET', path: '/api/v1/openapi.json' },
  listSkills: { method: 'GET', path: '/api/v1/skills' },
  getSkillDocs: { method: 'GET', path: '/api/v1/skills/docs' },
  listKinds: { method: 'GET', path: kinds },
  importKind: { method: 'POST', path: `${kinds}/import` },
  checkKind: { method: 'POST', path: `${kind}/check` },
  publishKind: { method: 'PUT', path: kind },
  getKind: { method: 'GET', path: kind },
  listKindVersions: { method: 'GET', path: `${kind}/versions` },
  deleteKind: { method: 'DELETE', path: kind },
  createConnector: { method: 'POST', path: connectors, takesKey: true },
  listConnectors: { method: 'GET', path: connectors },
  checkNewConnector: { method: 'POST', path: `${connectors}/check` },
  getConnector: { method: 'GET', path: connector },
  updateConnector: { method: 'PUT', path: connector },
  patchConnector: { method: 'PATCH', path: connector },
  deleteConnector: { method: 'DELETE', path: connector },
  checkConnector: { method: 'POST', path: `${connector}/check` },
  createConnectLink: { method: 'POST', path: connectLinks },
  listConnectLinks: { method: 'GET', path: connectLinks },
  getConnectLink: { method: 'GET', path: `${connectLinks}/{link_id}` },
  revokeConnectLink: { method: 'DELETE', path: `${connectLinks}/{link_id}` },
  initiateOAuth: { method: 'POST', path: `${connectors}/oauth/initiate` },
  saveOAuthCredentials: { method: 'PUT', path: oauthCredentials },
  listOAuthCredentials: { method: 'GET', path: oauthCredentials },
  deleteOAuthCredentials: { method: 'DELETE', path: `${oauthCredentials}/connector_type/{connector_type}` },
  execute: { method: 'POST', path: `${connector}/execute`, takesKey: true },
  requestVendor: { method: 'POST', path: `${connector}/request`, takesKey: true },
  validateCall: { method: 'POST', path: `${connector}/validate` },
  createMediaAddress: { method: 'POST', path: `${connector}/media` },
  getMedia: { method: 'GET', path: '/api/v1/media/{media_id}' },
  exportEntity: { method: 'GET', path: `${connector}/entities/{entity}/export` },
  listChanges: { method: 'GET', path: `${connector}/entities/{entity}/changes` },
  listConnectorChanges: { method: 'GET', path: `${connector}/changes` },
  search: { method: 'POST', path: '/api/v1/search' },
  listChangeConsumers: { method: 'GET', path: `${connector}/consumers` },
  getChangeConsumer: { method: 'GET', path: consumer },
  saveChangeConsumer: { method: 'PUT', path: consumer },
  deleteChangeConsumer: { method: 'DELETE', path: consumer },
  inspectConnector: { method: 'GET', path: `${connector}/inspect` },
  getContextStore: { method: 'GET', path: `${connector}/context_store` },
  watchContextStore: { method: 'GET', path: `${connector}/context_store/events` },
  setSchedule: { method: 'PUT', path: `${connector}/context_store/schedule` },
  resetContextStore: { method: 'DELETE', path: `${connector}/context_store` },
  requestSync: { method: 'POST', path: `${connector}/syncs` },
  listSyncs: { method: 'GET', path: `${connector}/syncs` },
  getSync: { method: 'GET', path: sync },
  cancelSync: { method: 'DELETE', path: sync },
  watchSync: { method: 'GET', path: `${sync}/events` },
  listConnectorOverviews: { method: 'GET', path: '/api/v1/overview' },
  listUnfinishedSyncs: { method: 'GET', path: '/api/v1/syncs' },
  getUsage: { method: 'GET', path: '/api/v1/usage' },
  getService: { method: 'GET', path: '/api/v1/service' },
  getNode: { method: 'GET', path: '/api/v1/node' },
  listEvents: { method: 'GET', path: '/api/v1/events' },
  listWebhookEndpoints: { method: 'GET', path: webhookEndpoints },
  createWebhookEndpoint: { method: 'POST', path: webhookEndpoints },
  getWebhookEndpoint: { method: 'GET', path: webhookEndpoint },
  updateWebhookEndpoint: { method: 'PATCH', path: webhookEndpoint },
  deleteWebhookEndpoint: { method: 'DELETE', path: webhookEndpoint },
  rotateWebhookSecret: { method: 'POST', path: `${webhookEndpoint}/rotate-secret` },
  testWebhookEndpoint: { method: 'POST', path: `${webhookEndpoint}/test` },
  listWebhookDeliveries: { method: 'GET', path: `${webhookEndpoint}/deliveries` },
  retryWebhookDelivery: { method: 'POST', path: `${webhookEndpoint}/deliveries/{delivery_id}/retry` },
  retryWebhookDeliveries: { method: 'POST', path: `${webhookEndpoint}/retry` },
  getConnectorWebhooks: { method: 'GET', path: `${connector}/webhooks` },
  setConnectorWebhooks: { method: 'PUT', path: `${connector}/webhooks` },
  removeConnectorWebhooks: { method: 'DELETE', path: `${connector}/webhooks` },
  getJob: { method: 'GET', path: '/api/v1/jobs/{job_id}' },
  getLiveness: { method: 'GET', path: '/health/live' },
  getReadiness: { method: 'GET', path: '/health/ready' },
  getMetrics: { method: 'GET', path: '/metrics' },
} as const satisfies Readonly<Record<string, Endpoint>>
