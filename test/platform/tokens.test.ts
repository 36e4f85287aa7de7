import { decodeJwt, SignJWT } from 'jose'
import { expect, test } from 'vitest'
import { getActionScope, type Principal, requireScope, scopes } from '../../packages/server/src/values/access.ts'
import { share } from '../support/share.ts'
import { createWorld, firstPrincipal, newTenant, overBoth, refusal, scopedPrincipal } from './world.ts'

const unknownId = '00000000-0000-4000-8000-000000000000'
const pair = { clientId: 'test-client', clientSecret: 'test client secret' }
const env = { FERRULE_OPERATOR_CLIENT_ID: pair.clientId, FERRULE_OPERATOR_CLIENT_SECRET: pair.clientSecret }

overBoth('tokens', async (database) => {
  const world = await share(createWorld(database, 'tokens'))
  const platform = await world.open({ env })

  /** Creates a client with grants in the organizations. */
  const newClient = async (...organizationIds: [string, ...string[]]) => {
    const { clientId, clientSecret } = await platform.applications.create({ name: 'Client', organizationId: organizationIds[0] })
    for (const id of organizationIds) await platform.applications.grant(clientId, id)
    return { clientId, clientSecret: clientSecret.reveal() }
  }
  const admin = async (): Promise<Principal> => {
    const { access_token } = await platform.tokens.issueApplicationToken({ ...pair, organizationId: platform.first.organizationId })
    return platform.tokens.authenticate(access_token, undefined)
  }
  const otherOrganization = async () => (await newTenant(platform, await admin())).organizationId

  test('a client of one organization gets a token that is bound to it', async () => {
    const client = await newClient(platform.first.organizationId)
    const answer = await platform.tokens.issueApplicationToken(client)
    expect(answer).toEqual({
      access_token: expect.any(String),
      token_type: 'bearer',
      expires_in: 900,
      organization_id: platform.first.organizationId,
    })
    expect(decodeJwt(answer.access_token)).toMatchObject({ iss: 'ferrule', aud: 'ferrule', exp: Math.floor(world.now / 1000) + 900 })
    const principal = await platform.tokens.authenticate(answer.access_token, undefined)
    expect(principal).toMatchObject({ kind: 'application', organizationId: platform.first.organizationId, workspaceIds: null })
    expect([...principal.scopes].toSorted()).toEqual([...scopes].toSorted())
    const same = await platform.tokens.authenticate(answer.access_token, platform.first.organizationId.toUpperCase())
    expect(same.organizationId).toBe(platform.first.organizationId)
  })

  test('a wrong secret and an unknown client are the same refusal', async () => {
    const refused = 'invalid_client: The client id or client secret is wrong.'
    expect(await refusal(platform.tokens.issueApplicationToken({ ...pair, clientSecret: 'wrong' }))).toBe(refused)
    expect(await refusal(platform.tokens.issueApplicationToken({ ...pair, clientId: 'nobody' }))).toBe(refused)
    expect(await refusal(platform.tokens.issueApplicationToken({ ...pair, clientId: 'nul\u0000' }))).toBe(refused)
    expect(await refusal(platform.tokens.issueApplicationToken({ clientId: '', clientSecret: '' }))).toBe(refused)
  })

  test('a client of several organizations names one, in the token or in each request', async () => {
    const second = await otherOrganization()
    const client = await newClient(platform.first.organizationId, second)
    const unbound = await platform.tokens.issueApplicationToken(client)
    expect(unbound.organization_id).toBeNull()
    expect(await refusal(platform.tokens.authenticate(unbound.access_token, undefined))).toContain('specify target organization')
    expect((await platform.tokens.authenticate(unbound.access_token, second)).organizationId).toBe(second)
    expect(await refusal(platform.tokens.authenticate(unbound.access_token, unknownId))).toMatch(/^organization_forbidden/)
    expect(await refusal(platform.tokens.authenticate(unbound.access_token, 'not-a-uuid'))).toMatch(
      /^validation_failed: .*X-Organization-Id must be a UUID/,
    )

    const bound = await platform.tokens.issueApplicationToken({ ...client, organizationId: second })
    expect(bound.organization_id).toBe(second)
    expect((await platform.tokens.authenticate(bound.access_token, undefined)).organizationId).toBe(second)
    expect(await refusal(platform.tokens.authenticate(bound.access_token, platform.first.organizationId))).toMatch(
      /^organization_forbidden/,
    )
    expect(await refusal(platform.tokens.issueApplicationToken({ ...client, organizationId: unknownId }))).toMatch(
      /^organization_forbidden/,
    )
    expect(await refusal(platform.tokens.issueApplicationToken({ ...client, organizationId: 'x' }))).toMatch(/^validation_failed/)

    const caller = await platform.tokens.authenticateCaller(unbound.access_token)
    expect((await platform.organizations.list(caller)).map(({ id }) => id).toSorted()).toEqual(
      [platform.first.organizationId, second].toSorted(),
    )
  })

  test('a request without a token, or with one of somebody else, is refused', async () => {
    expect(await refusal(platform.tokens.authenticate(undefined, undefined))).toMatch(/^missing_token/)
    expect(await refusal(platform.tokens.authenticate('', undefined))).toMatch(/^missing_token/)
    const { access_token: good } = await platform.tokens.issueApplicationToken({ ...pair, organizationId: platform.first.organizationId })
    const [header, body, signature] = good.split('.')
    const forged = [
      'rubbish',
      'a.b.c',
      `${header}.${body}.${signature?.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A'))}x`,
      `${Buffer.from('{"alg":"none"}').toString('base64url')}.${body}.`,
      await new SignJWT({ scope: scopes.join(' ') }).setProtectedHeader({ alg: 'HS256' }).sign(Buffer.alloc(32, 7)),
    ]
    for (const token of forged) expect(await refusal(platform.tokens.authenticate(token, undefined))).toMatch(/^invalid_token/)
  })

  test('a token ends after its time, remembered or not', async () => {
    const { access_token: token } = await platform.tokens.issueApplicationToken({ ...pair, organizationId: platform.first.organizationId })
    await platform.tokens.authenticate(token, undefined)
    world.now += 899_000
    await platform.tokens.authenticate(token, undefined)
    world.now += 1_000
    expect(await refusal(platform.tokens.authenticate(token, undefined))).toMatch(/^token_expired/)
  })

  test('the scope can be narrowed, to known words', async () => {
    const scope = 'execute:read connectors:read'
    const answer = await platform.tokens.issueApplicationToken({ ...pair, organizationId: platform.first.organizationId, scope })
    expect(answer.scope).toBe('connectors:read execute:read')
    const principal = await platform.tokens.authenticate(answer.access_token, undefined)
    expect([...principal.scopes]).toEqual(['connectors:read', 'execute:read'])
    expect(await refusal(platform.workspaces.list(principal, {}))).toBe('insufficient_scope: The token lacks the scope workspaces:read.')
    expect(await refusal(platform.tokens.issueApplicationToken({ ...pair, scope: 'connectors:read everything' }))).toMatch(
      /^validation_failed: .*\/scope/,
    )
    expect(await refusal(platform.tokens.issueApplicationToken({ ...pair, scope: ' ' }))).toMatch(/^validation_failed/)
  })

  test('actions that write need another scope than those that read', () => {
    const reader = { scopes: new Set(['execute:read'] as const) }
    expect(['list', 'get', 'download', 'context_store_search'].map(getActionScope)).toEqual(Array(4).fill('execute:read'))
    expect(['create', 'update', 'delete'].map(getActionScope)).toEqual(Array(3).fill('execute:write'))
    requireScope(reader, getActionScope('list'))
    expect(() => requireScope(reader, getActionScope('create'))).toThrow('The token lacks the scope execute:write.')
  })

  test('a scoped token is for one workspace, which it makes', async () => {
    const principal = await newTenant(platform, await admin())
    const answer = await platform.tokens.issueScopedToken(principal, { customer_name: 'ACME', region_id: null })
    expect(answer.expires_in).toBe(1_200)
    const scoped = await platform.tokens.authenticate(answer.token, principal.organizationId)
    const { data } = await platform.workspaces.list(principal, { name_contains: 'acme' })
    expect(scoped).toMatchObject({ kind: 'scoped', organizationId: principal.organizationId, workspaceIds: [data[0]?.id] })
    expect([...scoped.scopes].some((scope) => scope.startsWith('organizations:') || scope === 'workspaces:write')).toBe(false)
    expect(await platform.tokens.scopedTokenInfo(scoped)).toEqual({
      organization_id: principal.organizationId,
      workspace_id: data[0]?.id,
      workspace_name: 'ACME',
    })
    const again = await scopedPrincipal(platform, principal, 'ACME')
    expect(again.workspaceIds).toEqual(scoped.workspaceIds)

    expect(await refusal(platform.tokens.scopedTokenInfo(principal))).toMatch(/^insufficient_scope/)
    expect(await refusal(platform.tokens.issueScopedToken(scoped, { workspace_name: 'Other' }))).toMatch(/^insufficient_scope/)
    expect(await refusal(platform.organizations.list(scoped))).toMatch(/^insufficient_scope/)
    expect(await refusal(platform.tokens.issueScopedToken(principal, {}))).toMatch(/^validation_failed: .*\/workspace_name is required/)
    expect(await refusal(platform.tokens.issueScopedToken(principal, { workspace_name: 'a', customer_name: 'b' }))).toMatch(
      /^validation_failed/,
    )
  })

  test('a scoped token holds no more than the token that asked for it', async () => {
    const scope = 'workspaces:write connectors:read'
    const narrow = await platform.tokens.issueApplicationToken({ ...pair, organizationId: platform.first.organizationId, scope })
    const scoped = await scopedPrincipal(platform, await platform.tokens.authenticate(narrow.access_token, undefined), 'Narrow')
    expect([...scoped.scopes]).toEqual(['connectors:read'])
  })

  test('a replaced secret ends the old one; tokens work on another node', async () => {
    const client = await newClient(platform.first.organizationId)
    const { clientSecret } = await platform.applications.rotate(client.clientId)
    expect(await refusal(platform.tokens.issueApplicationToken(client))).toMatch(/^invalid_client/)
    const { access_token } = await platform.tokens.issueApplicationToken({ ...client, clientSecret: clientSecret?.reveal() ?? '' })
    const beside = await world.open({ env, role: 'administration' })
    expect((await beside.tokens.authenticate(access_token, undefined)).organizationId).toBe(platform.first.organizationId)
    await beside.close()
  })

  test('applications are listed with what they reach; unknown ones are sentences', async () => {
    const second = await otherOrganization()
    const client = await newClient(platform.first.organizationId, second)
    const listed = (await platform.applications.list()).find(({ client_id }) => client_id === client.clientId)
    expect(listed?.organization_ids.toSorted()).toEqual([platform.first.organizationId, second].toSorted())
    expect(JSON.stringify(listed)).not.toContain(client.clientSecret)
    expect(await refusal(platform.applications.rotate('nobody'))).toMatch(/^validation_failed: .*no application with this client id/)
    expect(await refusal(platform.applications.grant(client.clientId, unknownId))).toMatch(/^organization_not_found/)
    expect(await refusal(platform.applications.create({ name: 'x', organizationId: 'y' }))).toMatch(/^organization_not_found/)
  })

  test('a grant that was taken back, and an application that was deleted, give no token from then on', async () => {
    const second = await otherOrganization()
    const client = await newClient(platform.first.organizationId, second)
    const bound = await platform.tokens.issueApplicationToken({ ...client, organizationId: second })
    const inSecond = await platform.tokens.authenticate(bound.access_token, undefined)
    await platform.applications.revoke(client.clientId, second)
    expect(await refusal(platform.tokens.issueApplicationToken({ ...client, organizationId: second }))).toMatch(/^organization_forbidden/)
    expect(await refusal(platform.tokens.issueScopedToken(inSecond, { workspace_name: 'default' }))).toMatch(/^organization_forbidden/)
    expect((await platform.tokens.issueApplicationToken(client)).organization_id).toBe(platform.first.organizationId)
    expect(await refusal(platform.applications.revoke(client.clientId, second))).toMatch(/^validation_failed: .*does not reach/)

    await platform.applications.delete(client.clientId)
    expect(await refusal(platform.tokens.issueApplicationToken(client))).toMatch(/^invalid_client/)
    expect((await platform.applications.list()).map(({ client_id }) => client_id)).not.toContain(client.clientId)
    expect(await refusal(platform.applications.delete(client.clientId))).toMatch(/^validation_failed: .*no application with this client id/)
    const reached = (await platform.applications.organizations()).find(({ id }) => id === second)
    expect(reached?.client_ids).not.toContain(client.clientId)
  })

  test('the first application is not deleted: the next start would make it anew', async () => {
    expect(await refusal(platform.applications.delete(platform.first.clientId))).toMatch(/^validation_failed: .*first application/)
  })

  test('the first application reaches the organizations that it makes', async () => {
    const first = await admin()
    const made = await platform.organizations.create(first, { name: 'Second' })
    expect(made).toMatchObject({ name: 'Second', role: 'admin' })
    expect((await platform.organizations.list(first)).map(({ id }) => id)).toContain(made.id)
    expect(await refusal(platform.organizations.create(first, { name: ' ' }))).toMatch(
      /^validation_failed: .*\/name must be 1 to 256 characters/,
    )
    const inside = await platform.tokens.authenticate(
      (await platform.tokens.issueApplicationToken({ ...pair, organizationId: made.id })).access_token,
      undefined,
    )
    expect((await platform.workspaces.list(inside, {})).data.map(({ name }) => name)).toEqual(['default'])
  })
})

overBoth('a bare installation', (database) => {
  test('gives its first principal everything', async () => {
    const world = await createWorld(database, 'bare')
    const principal = await firstPrincipal(await world.open())
    expect(principal.scopes.size).toBe(scopes.length)
    await world.close()
  })
})
