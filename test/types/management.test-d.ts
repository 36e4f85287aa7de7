/** What the compiler knows of the platform's client. Compiled by the type check, never run. */
import { Ferrule } from '../../packages/ferrule/src/index.ts'
import type {
  ApplicationRecord,
  ChangeConsumer,
  CheckResult,
  ConnectLinkRecord,
  ConnectorRecord,
  ConnectorSummary,
  DefinitionRecord,
  DefinitionSummary,
  Inspection,
  JobRecord,
  JobReference,
  KindImport,
  KindPublication,
  McpTokenRecord,
  OrganizationRecord,
  Page,
  ScopedToken,
  SearchResult,
  SyncRunRecord,
  SyncScheduleRecord,
  SyncState,
  SyncStatusRecord,
  WorkspaceRecord,
  WorkspaceRemoval,
  WorkspaceStats,
} from '../../packages/ferrule/src/wire/index.ts'
import { type Same, yes } from './same.ts'

// A client: everything can come from the environment
new Ferrule()
new Ferrule({ url: 'https://ferrule.example.com', token: 't', workspace: 'Sales', organizationId: 'o' })
new Ferrule({ session: true })
const {
  applications,
  organizations,
  workspaces,
  connectors,
  syncs,
  contextStore,
  consumers,
  definitions,
  kinds: ownKinds,
  webhooks,
  events,
  tokens,
  mcpTokens,
  links,
  oauthCredentials,
  jobs,
  ...ferrule
} = new Ferrule()

// Organizations
const all = await organizations.list()
yes<Same<typeof all, readonly OrganizationRecord[]>>()
const organization = await organizations.create({ name: 'Second' }, { deadlineMs: 5_000, signal: AbortSignal.timeout(1_000) })
yes<Same<typeof organization.role, 'admin'>>()

const renamed = await organizations.update('id', { name: 'Third' })
yes<Same<typeof renamed, OrganizationRecord>>()
const clients = await applications.list()
yes<Same<typeof clients, readonly ApplicationRecord[]>>()
const client = await applications.create({ name: 'Reports' })
yes<Same<typeof client.client_secret, string>>()
yes<Same<Awaited<ReturnType<typeof applications.rotateSecret>>, typeof client>>()

// Workspaces: an iterator over all, or a page at a time
for await (const workspace of workspaces.list({ name_contains: 'a', status: 'active' })) yes<Same<typeof workspace, WorkspaceRecord>>()
const page = await workspaces.page({ limit: 10 })
yes<Same<typeof page, Page<WorkspaceRecord>>>()
yes<Same<typeof page.next, string | null>>()
if (page.next !== null) await workspaces.page(page.next)
const workspace = await workspaces.update('id', { status: 'inactive', cache_enabled: null })
yes<Same<typeof workspace.status, 'active' | 'inactive'>>()
yes<Same<typeof workspace.cache_enabled, boolean | null>>()
const counts = await workspaces.stats()
yes<Same<typeof counts, WorkspaceStats>>()
const removal = await workspaces.delete('id')
yes<Same<typeof removal, WorkspaceRemoval>>()
const restored = await workspaces.restore('id')
yes<Same<typeof restored, WorkspaceRecord>>()

// Connectors
const made = await connectors.create({ name: 'n', connector_type: 'gong', credentials: { access_key: 'k' } }, { idempotencyKey: 'key' })
yes<Same<typeof made, ConnectorRecord>>()
yes<Same<typeof made.status, 'active' | 'auth_error' | 'disabled'>>()
yes<Same<typeof made.status_reason, string | null>>()
yes<Same<typeof made.credential_fields, readonly string[]>>()
yes<Same<typeof made.replication_config, Readonly<Record<string, unknown>>>>()
for await (const connector of connectors.list({ connector_type: 'gong', workspace_name: 'default' })) {
  yes<Same<typeof connector, ConnectorSummary>>()
  yes<Same<typeof connector.summarized_source_template.supports_context_store, boolean>>()
}
await connectors.update('id', { name: 'n', entities: [{ entity: 'users', modes: ['read'] }] })
await connectors.patch('id', { credentials: { access_key_secret: null }, check: false })
const checked = await connectors.check('id')
yes<Same<typeof checked, CheckResult>>()
yes<Same<typeof checked.status, 'succeeded' | 'failed'>>()
await connectors.check('id', { credentials: { access_key: 'k' } }, { deadlineMs: 1_000 })
await connectors.checkNew({ name: 'n', credentials: {} })
const started = await connectors.delete('id')
yes<Same<typeof started, JobReference>>()
const finished = await connectors.delete('id', { wait: true })
yes<Same<typeof finished, JobRecord>>()
const job = await jobs.get(started.job_id)
yes<Same<typeof job, JobRecord>>()
const inspected = await connectors.inspect('id')
yes<Same<typeof inspected, Inspection>>()

// Runs and copies
const run = await syncs.start('id')
yes<Same<typeof run, SyncRunRecord>>()
yes<Same<typeof run.state, 'queued' | 'running' | 'succeeded' | 'partial' | 'failed' | 'cancelled'>>()
await syncs.start('id', { mode: 'full', entities: ['users'] })
for await (const each of syncs.watch('id', run.id, { signal: AbortSignal.timeout(1_000) }))
  yes<Same<typeof each.progress.records, number>>()
for await (const each of syncs.list('id', { state: 'failed' })) yes<Same<typeof each, SyncRunRecord>>()
const runs = await syncs.page('id')
yes<Same<typeof runs, Page<SyncRunRecord>>>()
const status = await contextStore.status('id')
yes<Same<typeof status, SyncStatusRecord>>()
yes<Same<typeof status.running, SyncRunRecord | null>>()
for await (const each of contextStore.watch('id', { until: 'filled' })) yes<Same<typeof each.state, SyncState>>()
const schedules = await contextStore.schedule('id', { interval_seconds: null, entity: 'users' })
yes<Same<typeof schedules, readonly SyncScheduleRecord[]>>()
const reset = await contextStore.reset('id', { entities: ['users'] })
yes<Same<typeof reset, SyncRunRecord>>()

// Kinds, tokens, health and any route
const kinds = await definitions.list({ name: 'gong' })
yes<Same<typeof kinds, readonly DefinitionSummary[]>>()
const kind = await definitions.get('gong')
yes<Same<typeof kind, DefinitionRecord>>()
const published = await ownKinds.publish('acme', { file: 'kind: acme', newest: 0 })
yes<Same<typeof published, KindPublication>>()
const imported = await ownKinds.importDocument({ kind: 'acme', document: '{}' })
yes<Same<typeof imported, KindImport>>()
const token = await tokens.create({ workspace_name: 'default' })
yes<Same<typeof token, ScopedToken>>()
const mcpToken = await mcpTokens.create({ name: 'Laptop', scopes: ['execute:read'], expires_in_days: 7 })
yes<Same<typeof mcpToken.token, string>>()
for await (const each of mcpTokens.list()) yes<Same<typeof each, McpTokenRecord>>()
const link = await links.create({ end_user: { id: 'user-17' }, kinds: ['gong'], expires_in: 3_600 })
yes<Same<typeof link.url, string>>()
for await (const each of links.list({ status: 'open' })) yes<Same<typeof each, ConnectLinkRecord>>()
const again = await connectors.link('id', { end_user: { id: 'user-17' } })
yes<Same<typeof again, typeof link>>()
const own = await oauthCredentials.save({ connector_type: 'gong', configuration: { client_id: 'a', client_secret: 'b' } })
yes<Same<typeof own.configuration_fields, readonly string[]>>()
const consumer = await consumers.save('id', 'warehouse', { entities: ['calls'] })
yes<Same<typeof consumer, ChangeConsumer>>()
const hook = await webhooks.create({ name: 'n', url: 'https://hooks.example.com', types: ['connector.auth_failed'] })
yes<Same<typeof hook.secret, string>>()
// @ts-expect-error there is no such type of event
void webhooks.create({ name: 'n', url: 'https://hooks.example.com', types: ['connector.renamed'] })
for (const event of (await events.list()).data)
  if (event.type === 'context_store.sync.completed') yes<Same<typeof event.data.state, 'succeeded' | 'partial'>>()
const health = await new Ferrule().health({ deadlineMs: 1_000 })
yes<Same<typeof health.status, 'ok'>>()
const answer = await new Ferrule().request('PATCH', '/api/v1/x', { query: { a: 1, b: undefined }, headers: { a: 'b' }, body: [1n] })
yes<Same<typeof answer.stream, ReadableStream<Uint8Array> | null>>()
yes<Same<Awaited<ReturnType<typeof answer.json>>, unknown>>()
yes<Same<keyof typeof ferrule, never>>()

// A search over all connectors
const everything = await new Ferrule().search({ text: 'acme', filter: 'state = "open"', kinds: ['gong'], limit: 5 })
yes<Same<typeof everything, SearchResult>>()
yes<Same<(typeof everything.data)[number]['title'], string | null>>()
