import { expect, test } from 'vitest'
import type { ConnectorRecord } from '../../packages/ferrule/src/wire/connectors.ts'
import type { Platform } from '../../packages/server/src/main/platform-types.ts'
import type { Principal } from '../../packages/server/src/values/access.ts'
import { share } from '../support/share.ts'
import { connectorBody, createWorld, firstPrincipal, keyPair, newTenant, overBoth, refusal, scopedPrincipal } from './world.ts'

/** Ids of one tenant, which are foreign to all others. */
interface Estate {
  readonly organizationId: string
  readonly removedOrganizationId: string
  readonly applicationId: string
  readonly mcpTokenId: string
  readonly linkId: string
  readonly connector: ConnectorRecord
  readonly workspaceId: string
  readonly removedWorkspaceId: string
  readonly jobId: string
}

async function estateOf(platform: Platform, principal: Principal): Promise<Estate> {
  const connector = await platform.connectors.create(principal, connectorBody({ workspace_name: 'Estate' }))
  const spare = await platform.connectors.create(principal, connectorBody({ workspace_name: 'Estate', name: 'Spare' }))
  const { job_id: jobId } = await platform.connectors.remove(principal, spare.id)
  const removed = await platform.workspaces.create(principal, { name: 'Removed' })
  await platform.workspaces.remove(principal, removed.id)
  const { id: removedOrganizationId } = await platform.organizations.create(principal, { name: 'Removed' })
  await platform.organizations.remove({ ...principal, organizationId: null }, removedOrganizationId)
  const { id: applicationId } = await platform.organizationApplications.create(principal, { name: 'Estate' })
  const { id: mcpTokenId } = await platform.mcpTokens.create(principal, { name: 'Estate' })
  const { id: linkId } = await platform.connectLinks.create(principal, { end_user: { id: 'u' }, connector_id: connector.id })
  return {
    organizationId: principal.organizationId,
    removedOrganizationId,
    applicationId,
    mcpTokenId,
    linkId,
    connector,
    workspaceId: connector.workspace_id,
    removedWorkspaceId: removed.id,
    jobId,
  }
}

type Attempt = (platform: Platform, principal: Principal, estate: Estate) => Promise<unknown>
/** Every method that takes an id, called with an id of another tenant. */
const attempts: Readonly<Record<string, Attempt>> = {
  'organizations.update': (platform, principal, { organizationId }) =>
    platform.organizations.update(principal, organizationId, { name: 'Mine now' }),
  'organizations.remove': (platform, principal, { organizationId }) => platform.organizations.remove(principal, organizationId),
  // All tenants here share an application, which may restore: another one asks.
  'organizations.restore': (platform, principal, { applicationId, removedOrganizationId }) =>
    platform.organizations.restore({ ...principal, applicationId }, removedOrganizationId),
  'organizationApplications.update': (platform, principal, { applicationId }) =>
    platform.organizationApplications.update(principal, applicationId, { name: 'Taken' }),
  'organizationApplications.rotateSecret': (platform, principal, { applicationId }) =>
    platform.organizationApplications.rotateSecret(principal, applicationId),
  'organizationApplications.remove': (platform, principal, { applicationId }) =>
    platform.organizationApplications.remove(principal, applicationId),
  'mcpTokens.revoke': (platform, principal, { mcpTokenId }) => platform.mcpTokens.revoke(principal, mcpTokenId),
  'connectLinks.get': (platform, principal, { linkId }) => platform.connectLinks.get(principal, linkId),
  'connectLinks.revoke': (platform, principal, { linkId }) => platform.connectLinks.revoke(principal, linkId),
  'workspaces.get': (platform, principal, { workspaceId }) => platform.workspaces.get(principal, workspaceId),
  'workspaces.update': (platform, principal, { workspaceId }) => platform.workspaces.update(principal, workspaceId, { name: 'Mine now' }),
  'workspaces.remove': (platform, principal, { workspaceId }) => platform.workspaces.remove(principal, workspaceId),
  'workspaces.restore': (platform, principal, { removedWorkspaceId }) => platform.workspaces.restore(principal, removedWorkspaceId),
  'connectors.get': (platform, principal, { connector }) => platform.connectors.get(principal, connector.id),
  'liveness.check': ({ liveness }, who, { connector }) => liveness.check(who, { connectorId: connector.id, countsToken: false }),
  'connectors.update': (platform, principal, { connector }) => platform.connectors.update(principal, connector.id, { name: 'Mine now' }),
  'connectors.patch': (platform, principal, { connector }) => platform.connectors.patch(principal, connector.id, { credentials: keyPair }),
  'connectors.remove': (platform, principal, { connector }) => platform.connectors.remove(principal, connector.id),
  'connectors.readAccess': (platform, principal, { connector }) => platform.connectors.readAccess(principal, connector.id),
  'connectors.readKind': (platform, principal, { connector }) => platform.connectors.readKind(principal, connector.id),
  'connectorWebhooks.get': (platform, principal, { connector }) => platform.connectorWebhooks.get(principal, connector.id),
  'connectorWebhooks.set': (platform, principal, { connector }) => platform.connectorWebhooks.set(principal, connector.id, {}),
  'connectorWebhooks.remove': (platform, principal, { connector }) => platform.connectorWebhooks.remove(principal, connector.id),
  'syncs.request': (platform, principal, { connector }) => platform.syncs.request(principal, connector.id, {}),
  'syncs.list': (platform, principal, { connector }) => platform.syncs.list(principal, connector.id, {}),
  'syncs.get': (platform, principal, { connector, jobId }) => platform.syncs.get(principal, connector.id, jobId),
  'syncs.cancel': (platform, principal, { connector, jobId }) => platform.syncs.cancel(principal, connector.id, jobId),
  'syncs.setSchedule': (platform, principal, { connector }) => platform.syncs.setSchedule(principal, connector.id, { paused: true }),
  'syncs.reset': (platform, principal, { connector }) => platform.syncs.reset(principal, connector.id, {}),
  'syncs.status': (platform, principal, { connector }) => platform.syncs.status(principal, connector.id),
  'syncs.watchRun': (platform, principal, { connector, jobId }) =>
    platform.syncs.watchRun(principal, { connectorId: connector.id, runId: jobId }, AbortSignal.abort()).next(),
  'syncs.watchStatus': (platform, principal, { connector }) =>
    platform.syncs.watchStatus(principal, connector.id, AbortSignal.abort()).next(),
  'syncs.waitFor': (platform, principal, { connector, jobId }) =>
    platform.syncs.waitFor(principal, { connectorId: connector.id, runId: jobId }, AbortSignal.abort()),
  'syncs.freshness': (platform, principal, { connector }) => platform.syncs.freshness(principal, connector.id, 'users'),
  'syncs.refresh': (platform, principal, { connector }) =>
    platform.syncs.refresh(principal, connector.id, { entity: 'users', maxAgeSeconds: 1, deadlineMs: 1 }),
  'jobs.get': (platform, principal, { jobId }) => platform.jobs.get(principal, jobId),
}
/** Methods without an id of a tenant: lists, creations, and methods for everybody or the operator. */
const others = new Set([
  'organizations.list',
  'organizations.create',
  'organizations.purgeExpired',
  'organizationApplications.list',
  'organizationApplications.create',
  'applications.list',
  'applications.create',
  'applications.grant',
  'applications.revoke',
  'applications.delete',
  'applications.organizations',
  'applications.rotate',
  'tokens.issueApplicationToken',
  'tokens.issueScopedToken',
  'tokens.scopedTokenInfo',
  'tokens.authenticate',
  'tokens.authenticateCaller',
  'tokens.checkClient',
  'mcpTokens.create',
  'mcpTokens.list',
  'mcpTokens.authenticate',
  'mcpTokens.purgeExpired',
  ...['cookieKeys', 'save', 'find', 'consume', 'remove', 'extend', 'hasRoom', 'purgeExpired'].map((name) => `oauth.${name}`),
  // oauth.test.ts has a foreign organization, workspace and connector; the ids of grants come from sealed records.
  ...['signIn', 'listOrganizations', 'enter', 'grant', 'findGrant', 'endGrant'].map((name) => `oauth.${name}`),
  ...['newAccessToken', 'saveAccessToken', 'findAccessToken', 'removeAccessToken'].map((name) => `oauth.${name}`),
  // http/sessions.test.ts has a foreign organization; a session is found by its secret.
  ...['start', 'isAlive', 'isHeld', 'authenticate', 'authenticateCaller', 'end', 'purgeExpired'].map((name) => `consoleSessions.${name}`),
  'keptAnswers.of', // kept-answers.test.ts has a foreign organization
  'keptAnswers.purgeExpired',
  // test/connect has a foreign workspace and connector; a session is found by its secret, an attempt by its state.
  ...['create', 'initiate', 'list', 'purgeExpired'].map((name) => `connectLinks.${name}`),
  ...['open', 'read', 'authorize', 'begin', 'takeReturn', 'listAccounts', 'choose', 'readStatus'].map((name) => `connectPages.${name}`),
  ...['save', 'list', 'remove'].map((name) => `oauthClients.${name}`),
  ...['run', 'start'].map((name) => `consentRevocations.${name}`),
  // It calls with a connection, which `readAccess` opens.
  ...['run', 'check', 'scopes', 'exchangeConsent', 'listConsentAccounts'].map((name) => `engine.${name}`),
  ...['request', 'revokeConsent', 'readAccount', 'checkAccount', 'close'].map((name) => `engine.${name}`),
  'workspaces.list',
  'workspaces.stats',
  'workspaces.create',
  'workspaces.purgeExpired',
  'connectors.create',
  'connectors.trial',
  'connectors.list',
  'connectors.markAuthError',
  'connectors.markHealthy',
  'writes.once',
  'writes.purgeExpired',
  // usage.test.ts has a foreign organization, workspace and connector
  ...['count', 'read', 'store', 'purgeExpired'].map((name) => `usage.${name}`),
  'installation.describe', // for everybody
  'installation.readNode', // for the operator, as test/http/console.test.ts shows
  // They take the ids of a connector that `readAccess` has opened; test/http/consumers.test.ts has foreign ones.
  ...['list', 'find', 'save', 'remove'].map((name) => `consumerRows.${name}`),
  'syncs.listOverviews', // sync-overviews.test.ts has a foreign organization and a foreign workspace
  'syncs.listUnfinished',
  'syncs.refill',
  'syncs.addRecords',
  'syncs.purgeExpired',
  ...['of', 'getVersion'].map((name) => `kinds.${name}`), // own-kinds.test.ts has a foreign organization
  ...['list', 'get', 'listVersions', 'check', 'publish', 'remove', 'importDocument'].map((name) => `ownKinds.${name}`), // as there
  ...['list', 'set'].map((name) => `kindPromotions.${name}`), // for the operator
  // test/http/webhooks.test.ts and test/http/isolation.test.ts have foreign organizations
  ...['listEvents', 'list', 'get', 'create', 'update', 'remove', 'rotateSecret', 'test', 'listDeliveries'].map(
    (name) => `webhooks.${name}`,
  ),
  ...['retryDelivery', 'retryDeliveries', 'purgeExpired'].map((name) => `webhooks.${name}`),
  'vault.rotateMasterKey',
  'vault.rotateDataKeys',
])

overBoth('a tenant', async (database) => {
  const world = await share(createWorld(database, 'isolation'))
  const platform = await world.open()
  const first = await firstPrincipal(platform)
  const owner = await newTenant(platform, first, 'Owner')
  const stranger = await newTenant(platform, first, 'Stranger')
  const estate = await estateOf(platform, owner)

  test('has every method of the services looked at here', () => {
    const methods = Object.entries(platform).flatMap(([service, value]) =>
      typeof value === 'object'
        ? Object.entries(value).flatMap(([name, each]) => (typeof each === 'function' ? [`${service}.${name}`] : []))
        : [],
    )
    expect(methods.toSorted()).toEqual([...Object.keys(attempts), ...others].toSorted())
  })

  test.each(Object.keys(attempts))('%s: a foreign id, an unknown one and a malformed one are the same refusal', async (name) => {
    const attempt = attempts[name] ?? (() => Promise.resolve())
    const nothing = (id: string): Estate => ({
      organizationId: id,
      removedOrganizationId: id,
      applicationId: id,
      mcpTokenId: id,
      linkId: id,
      connector: { ...estate.connector, id },
      workspaceId: id,
      removedWorkspaceId: id,
      jobId: id,
    })
    const scoped = await scopedPrincipal(platform, stranger, 'Scoped')
    const neighbour = { ...(await scopedPrincipal(platform, owner, 'Neighbour')), scopes: stranger.scopes }
    const refusals = await Promise.all([
      refusal(attempt(platform, stranger, estate)),
      refusal(attempt(platform, { ...scoped, scopes: stranger.scopes }, estate)),
      refusal(attempt(platform, neighbour, estate)),
      refusal(attempt(platform, stranger, nothing('00000000-0000-4000-8000-000000000000'))),
      refusal(attempt(platform, stranger, nothing("x' or '1'='1"))),
      refusal(attempt(platform, stranger, nothing(''))),
    ])
    expect(new Set(refusals).size).toBe(1)
    expect(refusals[0]).toMatch(/^(organization|application|mcp_token|connect_link|workspace|connector|job)_not_found: /)
  })

  test('sees nothing of others in lists and counts', async () => {
    expect((await platform.connectors.list(stranger, {})).data).toEqual([])
    expect((await platform.connectors.list(stranger, { workspace_id: estate.workspaceId })).data).toEqual([])
    expect((await platform.connectors.list(stranger, { workspace_name: 'Estate' })).data).toEqual([])
    const own = (await platform.workspaces.list(stranger, {})).data
    expect(own.every(({ organization_id }) => organization_id === stranger.organizationId)).toBe(true)
    expect((await platform.workspaces.stats(stranger)).total_count).toBe(own.length)
    expect((await platform.mcpTokens.list(stranger, {})).data).toEqual([])
    expect((await platform.connectLinks.list(stranger, {})).data).toEqual([])
  })

  test('uses names that others use', async () => {
    const mine = await platform.connectors.create(stranger, connectorBody({ workspace_name: 'Estate' }))
    expect(mine.workspace_id).not.toBe(estate.workspaceId)
    expect(mine.organization_id).toBe(stranger.organizationId)
    await platform.connectors.remove(stranger, mine.id)
  })

  test('cannot name a foreign workspace in a row, not even by a fault of the service', async () => {
    const row = await world.raw().db.selectFrom('connectors').selectAll().where('id', '=', estate.connector.id).executeTakeFirstOrThrow()
    const moved = {
      ...row,
      sandbox: false,
      unchecked: false,
      id: '00000000-0000-4000-8000-000000000001',
      name: 'Moved',
      organization_id: stranger.organizationId,
    }
    await expect(world.raw().db.insertInto('connectors').values(moved).execute()).rejects.toThrow(/foreign key/i)
  })

  test('finds everything as it was after all attempts', async () => {
    expect(await platform.connectors.get(owner, estate.connector.id)).toEqual(estate.connector)
    expect((await platform.workspaces.get(owner, estate.workspaceId)).name).toBe('Estate')
    expect((await platform.jobs.get(owner, estate.jobId)).status).toBe('succeeded')
    expect((await platform.mcpTokens.list(owner, {})).data.map(({ id }) => id)).toEqual([estate.mcpTokenId])
    expect((await platform.connectLinks.list(owner, {})).data.map(({ id, status }) => [id, status])).toEqual([[estate.linkId, 'open']])
  })
})

overBoth('scopes', (database) => {
  test('are asked for by every method of a tenant', async () => {
    const world = await createWorld(database, 'scopes')
    const platform = await world.open()
    const full = await firstPrincipal(platform)
    const estate = await estateOf(platform, full)
    const none: Principal = { ...full, scopes: new Set() }
    const byAction = ['connectors.readAccess', 'connectors.readKind', 'liveness.check', 'syncs.freshness', 'syncs.refresh']
    const checked = Object.entries(attempts).filter(([name]) => !byAction.includes(name))
    for (const [, attempt] of checked) expect(await refusal(attempt(platform, none, estate))).toMatch(/^insufficient_scope/)
    for (const call of [
      () => platform.organizations.list(none),
      () => platform.organizations.create(none, { name: 'x' }),
      () => platform.tokens.issueScopedToken(none, { workspace_name: 'x' }),
      () => platform.workspaces.list(none, {}),
      () => platform.workspaces.stats(none),
      () => platform.workspaces.create(none, { name: 'x' }),
      () => platform.mcpTokens.list(none, {}),
      () => platform.mcpTokens.create(none, { name: 'x' }),
      () => platform.connectLinks.create(none, { end_user: { id: 'u' } }),
      () => platform.connectLinks.initiate(none, {}),
      () => platform.connectLinks.list(none, {}),
      () => platform.oauthClients.save(none, {}),
      () => platform.oauthClients.list(none),
      () => platform.oauthClients.remove(none, 'gong', {}),
      () => platform.connectors.list(none, {}),
      () => platform.connectors.create(none, connectorBody()),
      () => platform.connectors.trial(none, connectorBody()),
    ])
      expect(await refusal(call)).toMatch(/^insufficient_scope/)
    await world.close()
  })
})
