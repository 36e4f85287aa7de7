/** Holds the client to the service's routes: each has a method, or a reason for having none. */
import { describe, expect, test } from 'vitest'
import { Hosted } from '../../packages/ferrule/src/client/connector.ts'
import { Ferrule } from '../../packages/ferrule/src/client/ferrule.ts'
import { readServiceSettings, type ServiceOptions } from '../../packages/ferrule/src/client/settings.ts'
import { Transport } from '../../packages/ferrule/src/client/transport.ts'

import { type Endpoint, endpoints } from '../../packages/ferrule/src/wire/endpoints.ts'
import { routes } from '../../packages/server/src/http/routes/index.ts'

type EndpointName = keyof typeof endpoints

/** Routes that the class has no method for. */
const elsewhere = {
  createToken: 'the client gets its own tokens',
  getLiveness: 'it says that the process answers; `health` says that it can be used',
  getMetrics: 'a text for Prometheus',
  getMedia: 'the browser opens the address that `connectors.media` returns',
} as const satisfies Partial<Record<EndpointName, string>>

/** Pages and documents, which no program calls by a method. */
const pages: ReadonlySet<string> = new Set([
  'GET /openapi.json',
  'GET /',
  'GET /.well-known/oauth-protected-resource/mcp',
  'GET /.well-known/oauth-protected-resource/mcp/',
  'GET /.well-known/oauth-authorization-server',
])

/** Asks for the first of a list or a stream. */
const first = (values: AsyncGenerator<unknown>): Promise<unknown> => values.next()

const connector = 'connector_id'
const sync = 'sync_id'
const input = { name: 'n', credentials: {} }

const uuid = '00000000-0000-4000-8000-000000000000'
/** Methods of connectors, by the route that they call. The types of a kind are not needed, and cost time. */
const connectorCalls = {
  execute: (connector: Hosted) => connector.execute('entity', 'list'),
  exportEntity: (connector: Hosted) => connector.export('entity'),
  listChanges: (connector: Hosted) => first(connector.changes('entity')),
  listConnectorChanges: (connector: Hosted) => first(connector.allChanges()),
} as const satisfies Partial<Record<EndpointName, unknown>>

type MethodName = Exclude<EndpointName, keyof typeof elsewhere | keyof typeof connectorCalls>

/** A call of the method of each route. Ids are the names of the path's slots. */
const calls: Readonly<Record<MethodName, (ferrule: Ferrule) => Promise<unknown>>> = {
  createScopedToken: ({ tokens }) => tokens.create(),
  getScopedTokenInfo: ({ tokens }) => tokens.info(),
  listKinds: ({ kinds }) => kinds.list(),
  importKind: ({ kinds }) => kinds.importDocument({ kind: 'acme', document: 'kind: acme' }),
  checkKind: ({ kinds }) => kinds.check('slug', { file: 'kind: acme' }),
  publishKind: ({ kinds }) => kinds.publish('slug', { file: 'kind: acme' }),
  getKind: ({ kinds }) => kinds.get('slug'),
  listKindVersions: ({ kinds }) => kinds.versions('slug'),
  deleteKind: ({ kinds }) => kinds.delete('slug'),
  createMcpToken: ({ mcpTokens }) => mcpTokens.create({ name: 'n' }),
  listMcpTokens: ({ mcpTokens }) => first(mcpTokens.list()),
  revokeMcpToken: ({ mcpTokens }) => mcpTokens.revoke('token_id'),
  listApplications: ({ applications }) => applications.list(),
  createApplication: ({ applications }) => applications.create({ name: 'n' }),
  updateApplication: ({ applications }) => applications.update('application_id', { name: 'n' }),
  rotateApplicationSecret: ({ applications }) => applications.rotateSecret('application_id'),
  deleteApplication: ({ applications }) => applications.delete('application_id'),
  updateOrganization: ({ organizations }) => organizations.update('organization_id', { name: 'n' }),
  deleteOrganization: ({ organizations }) => organizations.delete('organization_id'),
  restoreOrganization: ({ organizations }) => organizations.restore('organization_id'),
  listOrganizations: ({ organizations }) => organizations.list(),
  createOrganization: ({ organizations }) => organizations.create({ name: 'n' }),
  listWorkspaces: ({ workspaces }) => first(workspaces.list()),
  createWorkspace: ({ workspaces }) => workspaces.create({ name: 'n' }),
  getWorkspaceStats: ({ workspaces }) => workspaces.stats(),
  getWorkspace: ({ workspaces }) => workspaces.get('workspace_id'),
  updateWorkspace: ({ workspaces }) => workspaces.update('workspace_id', {}),
  deleteWorkspace: ({ workspaces }) => workspaces.delete('workspace_id'),
  restoreWorkspace: ({ workspaces }) => workspaces.restore('workspace_id'),
  listDefinitions: ({ definitions }) => definitions.list(),
  getDefinition: ({ definitions }) => definitions.get('definition_id'),
  getOpenApi: ({ definitions }) => definitions.openApi(),
  getDefinitionReference: ({ definitions }) => definitions.reference('definition_id'),
  listSkills: ({ definitions }) => definitions.skills(),
  getSkillDocs: ({ definitions }) => definitions.docs({ id: 'gong' }),
  createConnector: ({ connectors }) => connectors.create(input),
  listConnectors: ({ connectors }) => first(connectors.list()),
  listConnectorOverviews: ({ connectors }) => first(connectors.overview()),
  getConnectorWebhooks: ({ connectors }) => connectors.webhooks(connector),
  setConnectorWebhooks: ({ connectors }) => connectors.setWebhooks(connector, { secret: 's' }),
  removeConnectorWebhooks: ({ connectors }) => connectors.removeWebhooks(connector),
  requestVendor: ({ connectors }) => connectors.request(connector, { method: 'GET', path: '/' }),
  checkNewConnector: ({ connectors }) => connectors.checkNew(input),
  getConnector: ({ connectors }) => connectors.get(connector),
  updateConnector: ({ connectors }) => connectors.update(connector, {}),
  patchConnector: ({ connectors }) => connectors.patch(connector, {}),
  deleteConnector: ({ connectors }) => connectors.delete(connector),
  checkConnector: ({ connectors }) => connectors.check(connector),
  validateCall: ({ connectors }) => connectors.validate(connector, { entity: 'users', action: 'list' }),
  createMediaAddress: ({ connectors }) => connectors.media(connector, { entity: 'call_audio' }),
  inspectConnector: ({ connectors }) => connectors.inspect(connector),
  getContextStore: ({ contextStore }) => contextStore.status(connector),
  watchContextStore: ({ contextStore }) => first(contextStore.watch(connector)),
  listChangeConsumers: ({ consumers }) => consumers.list(connector),
  getChangeConsumer: ({ consumers }) => consumers.get(connector, 'name'),
  saveChangeConsumer: ({ consumers }) => consumers.save(connector, 'name'),
  deleteChangeConsumer: ({ consumers }) => consumers.delete(connector, 'name'),
  setSchedule: ({ contextStore }) => contextStore.schedule(connector, {}),
  resetContextStore: ({ contextStore }) => contextStore.reset(connector),
  requestSync: ({ syncs }) => syncs.start(connector),
  listSyncs: ({ syncs }) => first(syncs.list(connector)),
  getSync: ({ syncs }) => syncs.get(connector, sync),
  cancelSync: ({ syncs }) => syncs.cancel(connector, sync),
  watchSync: ({ syncs }) => first(syncs.watch(connector, sync)),
  listUnfinishedSyncs: ({ syncs }) => first(syncs.unfinished()),
  search: (ferrule) => ferrule.search({ text: 'acme' }),
  getService: (ferrule) => ferrule.service(),
  getNode: (ferrule) => ferrule.node(),
  getUsage: (ferrule) => ferrule.usage(),
  createConnectLink: ({ links }) => links.create({ end_user: { id: 'u' } }),
  listConnectLinks: ({ links }) => first(links.list()),
  getConnectLink: ({ links }) => links.get('link_id'),
  revokeConnectLink: ({ links }) => links.revoke('link_id'),
  initiateOAuth: ({ oauthCredentials }) => oauthCredentials.initiate({ redirect_url: 'https://app.example.com' }),
  saveOAuthCredentials: ({ oauthCredentials }) => oauthCredentials.save({ configuration: {} }),
  listOAuthCredentials: ({ oauthCredentials }) => oauthCredentials.list(),
  deleteOAuthCredentials: ({ oauthCredentials }) => oauthCredentials.delete('connector_type'),
  listEvents: ({ events }) => events.list(),
  listWebhookEndpoints: ({ webhooks }) => webhooks.list(),
  createWebhookEndpoint: ({ webhooks }) => webhooks.create({ name: 'n', url: 'https://hooks.example.com' }),
  getWebhookEndpoint: ({ webhooks }) => webhooks.get('endpoint_id'),
  updateWebhookEndpoint: ({ webhooks }) => webhooks.update('endpoint_id', {}),
  deleteWebhookEndpoint: ({ webhooks }) => webhooks.delete('endpoint_id'),
  rotateWebhookSecret: ({ webhooks }) => webhooks.rotateSecret('endpoint_id'),
  testWebhookEndpoint: ({ webhooks }) => webhooks.test('endpoint_id'),
  listWebhookDeliveries: ({ webhooks }) => first(webhooks.deliveries('endpoint_id')),
  retryWebhookDelivery: ({ webhooks }) => webhooks.retryDelivery('endpoint_id', 'delivery_id'),
  retryWebhookDeliveries: ({ webhooks }) => webhooks.retryDeliveries('endpoint_id'),
  getJob: ({ jobs }) => jobs.get('job_id'),
  getReadiness: (ferrule) => ferrule.health(),
}

const nameOf = ({ method, path }: Pick<Endpoint, 'method' | 'path'>): string => `${method} ${path}`

/** Returns what a call sends first. Every answer is a refusal, so that nothing is repeated and nothing follows. */
async function readFirstRequest(call: (options: ServiceOptions) => Promise<unknown>): Promise<string | undefined> {
  const sent: string[] = []
  const record: typeof fetch = async (input, init) => {
    sent.push(nameOf({ method: (init?.method ?? 'GET') as Endpoint['method'], path: new URL(String(input)).pathname }))
    return Response.json({ code: 'not_found', message: 'no', hint: 'no', retryable: false }, { status: 404 })
  }
  const options = { url: 'https://ferrule.example.com', token: 'token', fetch: record }
  await expect(call(options)).rejects.toMatchObject({ code: 'not_found' })
  return sent[0]
}

describe('every route', () => {
  const known = new Map(Object.entries(endpoints).map(([name, endpoint]) => [nameOf(endpoint), name]))

  test('of the service is in the table of the client, or is a page', () => {
    expect(routes.map(nameOf).filter((route) => !known.has(route) && !pages.has(route))).toEqual([])
  })

  test('of the table exists', () => {
    const served = new Set(routes.map(nameOf))
    expect([...known.keys(), ...pages].filter((route) => !served.has(route))).toEqual([])
  })

  test('of the table has a method, or a reason for having none', () => {
    const covered = [...Object.keys(calls), ...Object.keys(connectorCalls), ...Object.keys(elsewhere)]
    expect(covered.toSorted()).toEqual(Object.keys(endpoints).toSorted())
  })

  const templateOf = (name: string) =>
    Object.entries(endpoints).flatMap(([each, { method, path }]) => (each === name ? [`${method} ${path.replace(/[{}]/g, '')}`] : []))

  test.each(Object.entries(calls))('%s is what its method calls', async (name, call) => {
    expect([await readFirstRequest((options) => call(new Ferrule(options)))]).toEqual(templateOf(name))
  })

  test.each(Object.entries(connectorCalls))('%s is what methods of connectors call', async (name, call) => {
    const sent = await readFirstRequest((options) =>
      call(new Hosted(new Transport(readServiceSettings(options)), { kind: 'gong', connector: uuid })),
    )
    expect([sent?.replace(uuid, 'connector_id')]).toEqual(templateOf(name))
  })
})
