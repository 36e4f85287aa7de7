/** State of the authorization server, on both databases and with two nodes. */
import { expect, test } from 'vitest'
import { share } from '../support/share.ts'
import { connectorBody, createWorld, firstPrincipal, newTenant, openBeside, overBoth, refusal } from './world.ts'

const dayMs = 86_400_000
const hourMs = 3_600_000
const resource = 'https://ferrule.example/mcp'

overBoth('the state of OAuth', async (database) => {
  const world = await share(createWorld(database, 'oauth'))
  const platform = await world.open({ env: { FERRULE_PUBLIC_URL: 'https://ferrule.example' } })
  const oauth = platform.oauth
  const other = (await openBeside(world)).oauth
  const tenant = await newTenant(platform, await firstPrincipal(platform))

  const input = { clientId: 'client', clientName: 'Client', workspaceNames: ['default'], connectorIds: undefined } as const
  const grant = (principal = tenant) => oauth.grant(principal, { ...input, scopes: ['connectors:read', 'execute:read'] })
  const issue = async (grantId: string, on = oauth) => {
    const token = on.newAccessToken()
    const isKept = await on.saveAccessToken(token, { grantId, scopes: ['execute:read', 'execute:write'], expiresAt: world.now + hourMs })
    return isKept ? token : undefined
  }
  const use = (bearer: string | undefined) => platform.mcpTokens.authenticate({ bearer, resource })

  test('a record is found by its id on every node, and used once', async () => {
    const key = { type: 'RefreshToken', id: 'secret-id' }
    expect(await oauth.save(key, { content: { a: 1 }, lifeMs: hourMs })).toBe(true)
    expect(await other.find(key)).toEqual({ content: { a: 1 }, usedForMs: null })
    expect(await other.find({ ...key, type: 'AuthorizationCode' })).toBeUndefined()
    const uses = await Promise.all([oauth.consume(key), other.consume(key), oauth.consume(key)])
    expect(uses.filter(Boolean)).toEqual([true])
    expect(await oauth.find(key)).toMatchObject({ usedForMs: 0 })
    await oauth.remove(key)
    expect(await other.find(key)).toBeUndefined()
  })

  test('a record ends in time, is extended and never shortened, and a used one is kept for 7 days', async () => {
    const [short, long, used] = ['short', 'long', 'used'].map((id) => ({ type: 'Client', id }))
    if (short === undefined || long === undefined || used === undefined) throw new Error('a key is missing')
    for (const key of [short, long]) await oauth.save(key, { content: {}, lifeMs: hourMs })
    await oauth.save(used, { content: {}, lifeMs: 90 * dayMs })
    await oauth.consume(used)
    await oauth.extend(long, 30 * dayMs)
    await oauth.extend(long, 1)
    const began = world.now
    world.now += 2 * hourMs
    expect([await oauth.find(short), (await oauth.find(long)) === undefined]).toEqual([undefined, false])
    expect(await oauth.purgeExpired(world.now)).toBe(1)
    world.now = began + 7 * dayMs + 1
    expect([await oauth.find(used), (await oauth.find(long)) === undefined]).toEqual([undefined, false])
  })

  test('an access token counts as its grant, has no more scopes, and the newest ten are kept', async () => {
    const { id } = await grant()
    const token = await issue(id)
    const principal = await use(token)
    expect(principal).toMatchObject({ organizationId: tenant.organizationId, token: { id } })
    expect([...principal.scopes]).toEqual(['execute:read'])
    expect(await other.findAccessToken(token ?? '')).toMatchObject({ grantId: id, clientId: 'client', scopes: ['execute:read'], resource })
    for (let count = 0; count < 10; count += 1) {
      world.now += 1
      await issue(id, other)
    }
    expect(await refusal(use(token))).toContain('invalid_token')
    expect((await platform.mcpTokens.list(tenant, {})).data.filter((each) => each.client_id !== null)).toMatchObject([
      { id, name: 'Client' },
    ])
  })

  test('a grant lives for 90 days after its last refresh, and for a year', async () => {
    const { id, createdAt } = await grant()
    await issue(id)
    for (let month = 0; month < 11; month += 1) {
      world.now += 30 * dayMs
      expect(await issue(id)).toBeDefined()
    }
    const last = await oauth.findGrant(id)
    expect(last?.expiresAt).toBe(createdAt + 365 * dayMs)
    world.now = createdAt + 365 * dayMs
    expect([await oauth.findGrant(id), await issue(id)]).toEqual([undefined, undefined])
    const idle = await grant()
    await issue(idle.id)
    world.now += 90 * dayMs - 1
    expect(await oauth.findGrant(idle.id)).toBeDefined()
    world.now += 1
    expect(await oauth.findGrant(idle.id)).toBeUndefined()
  })

  test('a grant that its client never picks up ends after 10 minutes', async () => {
    const { id } = await grant()
    world.now += 10 * 60_000
    expect([await oauth.findGrant(id), await issue(id)]).toEqual([undefined, undefined])
  })

  test('of the used refresh tokens of a grant the newest 200 are kept', async () => {
    const { id } = await grant()
    const keys = Array.from({ length: 203 }, (_each, index) => ({ type: 'RefreshToken', id: `${id} ${index}` }))
    for (const key of keys) {
      world.now += 1
      await oauth.save(key, { content: {}, lifeMs: hourMs, grantId: id })
      if (key !== keys.at(-1)) await oauth.consume(key)
    }
    await issue(id)
    const found = await Promise.all(keys.map((key) => oauth.find(key)))
    expect(found.findIndex((each) => each !== undefined)).toBe(2)
    expect(found.at(-1)).toMatchObject({ usedForMs: null })
  })

  test('a grant ends on every node with its revocation, and takes its records along', async () => {
    const { id } = await grant()
    const token = await issue(id)
    const key = { type: 'RefreshToken', id: 'of-the-grant' }
    await other.save(key, { content: { grantId: id }, lifeMs: hourMs, grantId: id })
    await platform.mcpTokens.revoke(tenant, id)
    expect(await refusal(use(token))).toContain('invalid_token')
    expect([await other.findGrant(id), await other.find(key), await other.findAccessToken(token ?? '')]).toEqual([
      undefined,
      undefined,
      undefined,
    ])
    expect(await other.save(key, { content: {}, lifeMs: hourMs, grantId: id })).toBe(false)
    expect(await issue(id, other)).toBeUndefined()
  })

  test.each<[string, object]>([
    ['another tenant’s connector', {}],
    ['an unknown connector', { connectorIds: ['00000000-0000-4000-8000-000000000000'] }],
    ['a malformed connector', { connectorIds: ["'; drop table"] }],
    ['an unknown workspace', { workspaceNames: ['Elsewhere'] }],
    ['a workspace that no name is', { workspaceNames: ['\u0000'] }],
    ['too many workspaces', { workspaceNames: Array.from({ length: 21 }, (_each, index) => `w${index}`) }],
  ])('a grant does not name %s', async (_name, more) => {
    const foreign = await platform.connectors.create(await firstPrincipal(platform), connectorBody({ name: `foreign ${world.now++}` }))
    const wanted = { ...input, connectorIds: [foreign.id], scopes: ['connectors:read'] as const, ...more }
    expect(await refusal(oauth.grant(tenant, wanted))).toContain('validation_failed')
  })

  test('who signs in reaches the organizations of the application, until its secret is replaced', async () => {
    const { clientId, clientSecret } = await platform.applications.create({ name: 'Signs in', organizationId: tenant.organizationId })
    const who = await oauth.signIn({ clientId, clientSecret: clientSecret.reveal() })
    expect((await oauth.listOrganizations(who)).map(({ id }) => id)).toEqual([tenant.organizationId])
    for (const foreign of [platform.first.organizationId, 'no id', '00000000-0000-4000-8000-000000000000'])
      expect(await refusal(oauth.enter(who, foreign))).toContain('organization_forbidden')
    const principal = await oauth.enter(who, tenant.organizationId)
    const { id } = await grant(principal)
    await platform.applications.rotate(clientId)
    expect(await oauth.findGrant(id)).toBeUndefined()
    expect(await refusal(oauth.enter(who, tenant.organizationId))).toContain('token_expired')
    expect(await refusal(grant(principal))).toContain('token_expired')
    expect(await refusal(oauth.signIn({ clientId, clientSecret: clientSecret.reveal() }))).toContain('invalid_client')
  })
})
