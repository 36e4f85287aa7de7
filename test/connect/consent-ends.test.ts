/** Tokens of consents whose workspace or organization is purged: the vendor ends them afterwards, never before. */
import { expect, test } from 'vitest'
import { kinds as kindTable } from '../../packages/ferrule/src/connectors/index.ts'
import type { Engine } from '../../packages/ferrule/src/engine/call/execute.ts'
import { fail } from '../../packages/ferrule/src/errors.ts'
import type { Principal } from '../../packages/server/src/values/access.ts'
import { createWorld, firstPrincipal, newTenant, overBoth, secretOf } from '../platform/world.ts'
import { createStubEngine } from '../support/engines.ts'
import { share } from '../support/share.ts'

const day = 86_400_000
const kind = 'tiktok-marketing'
const oauthClient = { app_id: '7', secret: 'secret' }

overBoth('tokens of consents', async (database) => {
  const errors: unknown[] = []
  const down: Engine['revokeConsent'] = async () => Promise.reject(fail('upstream_error', { vendor: 'TikTok', reason: 'down' }))
  let revoke = down
  /** What the vendor gives for a code. */
  let token = ''
  const world = await share(createWorld(database, 'consent_ends'))
  const platform = await world.open({
    kinds: Object.values(kindTable),
    engine: () =>
      createStubEngine({
        revokeConsent: (connection) => revoke(connection),
        exchangeConsent: async () => secretOf({ access_token: token, ...oauthClient }),
        listConsentAccounts: async () => [{ id: '7', name: 'Seven' }],
      }),
    sandboxOrigins: () => ({ [kind]: { api: 'http://127.0.0.1:1' } }),
    env: { FERRULE_PUBLIC_URL: 'https://ferrule.example.com' },
    onBackgroundError: (error) => errors.push(error),
  })
  const owner = await firstPrincipal(platform)
  await platform.oauthClients.save(owner, { connector_type: kind, configuration: oauthClient })

  /** Connects a consent with a token. @returns ids of the workspace and the connector */
  async function connect(workspace: string, given: string, who = owner) {
    token = given
    const within = { workspace_name: workspace, create_workspace: true }
    const { id, url } = await platform.connectLinks.create(who, { ...within, end_user: { id: 'u' }, kinds: [kind], sandbox: true })
    const { cookie: session } = await platform.connectPages.open({ id, secret: new URL(url).hash.slice(1) })
    const visit = { linkId: id, session: session.value }
    const { consent, cookie } = await platform.connectPages.begin(visit, { kind })
    const query = new URLSearchParams({ state: new URL(consent.consent_url).searchParams.get('state') ?? '', code: 'c' })
    const readCookie = () => cookie.value
    await platform.connectPages.takeReturn({ kind, query, readCookie })
    const chosen = { attempt_id: consent.attempt_id, ids: ['7'] }
    const { connector_id } = await platform.connectPages.choose({ ...visit, readCookie }, chosen)
    return { connectorId: connector_id, workspaceId: (await platform.connectors.get(who, connector_id)).workspace_id }
  }

  async function purge(): Promise<void> {
    await platform.workspaces.purgeExpired(world.now)
    await platform.organizations.purgeExpired(world.now)
  }
  /** Runs what is due. @returns what was ended */
  async function end(): Promise<readonly unknown[]> {
    const ended: unknown[] = []
    revoke = async ({ credentials }) => void ended.push((await credentials.open()).values.reveal())
    await platform.consentRevocations.run()
    return ended
  }
  const ids = async (who: Principal) => (await platform.workspaces.list(who, { limit: 100 })).data.map(({ id }) => id)

  test('end after the purge of their workspace, whose restore finds them working until then', async () => {
    const { workspaceId, connectorId } = await connect('Restored', 'restored')
    await platform.workspaces.remove(owner, workspaceId)
    world.now += 29 * day
    await purge()
    expect(await end()).toEqual([])
    await platform.workspaces.restore(owner, workspaceId)
    expect((await platform.connectors.get(owner, connectorId)).status).toBe('active')
    await platform.workspaces.remove(owner, workspaceId)
    world.now += 31 * day
    await purge()
    revoke = down
    expect(await platform.consentRevocations.run()).toBe(1) // the purge is done, whatever the vendor answers
    expect((await platform.workspaces.list(owner, { limit: 100, deleted: 'only' })).data).toEqual([])
    world.now += 61_000
    await platform.vault.rotateDataKeys()
    await platform.vault.rotateMasterKey()
    expect(await end()).toEqual([{ access_token: 'restored', ...oauthClient }])
    world.now += day
    expect([await end(), errors]).toEqual([[], []])
  })

  test('stay while another workspace has a connector of the consent, deleted or not', async () => {
    const [first, second] = [await connect('First', 'shared'), await connect('Second', 'shared')]
    await connect('First', 'own')
    await platform.workspaces.remove(owner, first.workspaceId)
    world.now += 5 * day
    await platform.workspaces.remove(owner, second.workspaceId)
    world.now += 26 * day
    await purge()
    expect(await end()).toEqual([{ access_token: 'own', ...oauthClient }])
    expect(await ids(owner)).not.toContain(first.workspaceId)
    world.now += 5 * day
    await purge()
    expect(await end()).toEqual([{ access_token: 'shared', ...oauthClient }])
  })

  test('end after the purge of their organization, although its keys and its OAuth client went with it', async () => {
    const tenant = await newTenant(platform, owner)
    const neighbour = await newTenant(platform, owner, 'Neighbour')
    for (const who of [tenant, neighbour]) await platform.oauthClients.save(who, { connector_type: kind, configuration: oauthClient })
    await connect('One', 'of-the-tenant', tenant)
    await connect('Two', 'of-the-tenant', tenant)
    await connect('One', 'of-the-tenant', neighbour) // unknown to the tenant, so it changes nothing
    await platform.organizations.remove(tenant, tenant.organizationId)
    world.now += 29 * day
    await purge()
    expect(await end()).toEqual([])
    world.now += 2 * day
    await purge()
    const rows = world.raw().db.selectFrom('organizations').select('id').where('id', '=', tenant.organizationId)
    expect(await rows.execute()).toEqual([])
    expect(await end()).toEqual([{ access_token: 'of-the-tenant', ...oauthClient }])
    expect(await end()).toEqual([])
  })

  test('of credentials that cannot be opened are reported, and the purge goes on', async () => {
    const { workspaceId, connectorId } = await connect('Damaged', 'damaged')
    const damaged = { sealed: Buffer.from('damaged') }
    await world.raw().db.updateTable('connectors').set(damaged).where('id', '=', connectorId).execute()
    await platform.workspaces.remove(owner, workspaceId)
    world.now += 31 * day
    await purge()
    expect(await end()).toEqual([])
    expect((await platform.workspaces.list(owner, { limit: 100, deleted: 'only' })).data).toEqual([])
    expect(errors.map(String)).toEqual([expect.stringContaining(connectorId)])
  })

  test('go with the secret of the OAuth client, when that is deleted by force', async () => {
    const { connectorId } = await connect('Forced', 'forced')
    await platform.connectors.remove(owner, connectorId)
    await platform.oauthClients.remove(owner, kind, { force: 'true' })
    expect(await end()).toEqual([])
    expect(await world.raw().db.selectFrom('consent_revocations').selectAll().execute()).toEqual([])
  })
})
