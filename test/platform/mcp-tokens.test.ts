import { expect, test } from 'vitest'
import type { McpTokenSecret } from '../../packages/ferrule/src/wire/mcp-tokens.ts'
import type { Platform } from '../../packages/server/src/main/platform-types.ts'
import { requireLiveClient } from '../../packages/server/src/tenancy/applications/live-client.ts'
import { lockGrants } from '../../packages/server/src/tenancy/sql/organization-applications.ts'
import { newMcpToken } from '../../packages/server/src/tenancy/tokens/mcp-tokens.ts'
import type { Principal } from '../../packages/server/src/values/access.ts'
import { share } from '../support/share.ts'
import { dumpDatabase, untilOneWaits } from './database-looks.ts'
import { connectorBody, createWorld, firstPrincipal, newTenant, openBeside, overBoth, refusal, scopedPrincipal } from './world.ts'

const dayMs = 86_400_000
const resource = 'https://ferrule.example/mcp'
const refused = 'invalid_token: The bearer token is not valid here: it is unknown, expired or revoked, or belongs to another address.'

overBoth('MCP tokens', async (database) => {
  const world = await share(createWorld(database, 'mcp_tokens'))
  const platform = await world.open({ env: { FERRULE_PUBLIC_URL: 'https://ferrule.example' } })
  const other = await openBeside(world)
  const first = await firstPrincipal(platform)
  const tenant = await newTenant(platform, first)

  const make = (more: object = {}, principal = tenant): Promise<McpTokenSecret> =>
    platform.mcpTokens.create(principal, { name: 'Laptop', ...more })
  const use = ({ token }: { token: string }, on = platform) => on.mcpTokens.authenticate({ bearer: token, resource })
  /** A fresh application of an organization with its principal. */
  const newClient = async (organizationId = tenant.organizationId) => {
    const { clientId, clientSecret } = await platform.applications.create({ name: 'Client', organizationId })
    const { access_token } = await platform.tokens.issueApplicationToken({ clientId, clientSecret: clientSecret.reveal(), organizationId })
    return { clientId, principal: await platform.tokens.authenticate(access_token, undefined) }
  }

  test('name one workspace, read only, and expire after 90 days', async () => {
    const made = await make()
    const [workspace] = (await platform.workspaces.list(tenant, {})).data
    expect(made).toEqual({
      id: expect.any(String),
      name: 'Laptop',
      token: expect.stringMatching(/^frl_mcp_[0-9A-Za-z]{36}$/),
      application_id: tenant.applicationId,
      workspaces: [{ id: workspace?.id, name: 'default' }],
      connector_ids: null,
      scopes: ['connectors:read', 'execute:read'],
      client_id: null,
      resource,
      created_at: new Date(world.now).toISOString(),
      expires_at: new Date(world.now + 90 * dayMs).toISOString(),
      last_used_at: null,
    })
    expect(await use(made)).toEqual({
      kind: 'scoped',
      applicationId: tenant.applicationId,
      organizationId: tenant.organizationId,
      workspaceIds: [workspace?.id],
      connectorIds: null,
      scopes: new Set(['connectors:read', 'execute:read']),
      token: { id: made.id, expiresAt: world.now + 90 * dayMs, secretMark: null },
    })
  })

  test('are refused in the same words: unknown, malformed, expired, revoked, and of another address', async () => {
    const [expired, revoked, valid] = await Promise.all([make({ expires_in_days: 1 }), make(), make()])
    await platform.mcpTokens.revoke(tenant, revoked.id)
    const ask = (bearer: string, at = resource) => refusal(platform.mcpTokens.authenticate({ bearer, resource: at }))
    const before = world.now
    world.now += dayMs - 1
    expect((await use(expired)).token.id).toBe(expired.id)
    world.now += 1
    const answers = [await ask(expired.token), await ask(revoked.token), await ask(valid.token, 'https://other.example/mcp')]
    answers.push(await ask(newMcpToken((size) => Buffer.alloc(size, 1)).token), await ask('frl_mcp_short'), await ask(`${valid.token}0`))
    world.now = before
    expect([...new Set(answers)]).toEqual([refused])
    expect(await refusal(platform.mcpTokens.authenticate({ bearer: undefined, resource }))).toMatch(/^missing_token/)
    const hint = await platform.mcpTokens.authenticate({ bearer: revoked.token, resource }).catch((error) => error.hint)
    expect(hint).toContain('ferrule tokens create')
  })

  test.each([0, 366, 1.5, '90'])('expire within a year: %o days are refused', async (days) => {
    expect(await refusal(make({ expires_in_days: days }))).toMatch(/^validation_failed: .*\/expires_in_days/)
  })

  test('live 365 days at most', async () => {
    const made = await make({ expires_in_days: 365 })
    expect(Date.parse(made.expires_at) - world.now).toBe(365 * dayMs)
  })

  test('are no tokens of the API, and tokens of the API are tokens of the endpoint', async () => {
    const made = await make()
    for (const ask of [() => platform.tokens.authenticate(made.token, undefined), () => platform.tokens.authenticateCaller(made.token)]) {
      const error = await ask().catch((thrown) => thrown)
      expect([error.code, error.status, error.message]).toEqual(['invalid_token', 401, expect.stringContaining('it is an MCP token')])
      expect(error.hint).toContain(`Send it to ${resource}`)
    }
    const { token } = await platform.tokens.issueScopedToken(tenant, { workspace_name: 'default' })
    const principal = await platform.mcpTokens.authenticate({ bearer: token, resource })
    expect(principal).toEqual(await platform.tokens.authenticate(token, undefined))
    expect(principal.token.expiresAt).toBeGreaterThan(world.now)
    expect(await refusal(platform.mcpTokens.authenticate({ bearer: 'a.b.c', resource }))).toMatch(/^invalid_token: .*not issued by this/)
  })

  test('hold no scope that their maker lacks, and nothing but reading and writing', async () => {
    const narrow: Principal = { ...tenant, scopes: new Set(['applications:write', 'execute:read', 'connectors:write']) }
    expect((await make({}, narrow)).scopes).toEqual(['execute:read'])
    expect(await refusal(make({ scopes: ['execute:write'] }, narrow))).toBe('insufficient_scope: The token lacks the scope execute:write.')
    expect(await refusal(make({}, { ...tenant, scopes: new Set(['applications:write']) }))).toMatch(/^insufficient_scope/)
    expect(await refusal(make({ scopes: ['applications:write'] }))).toMatch(/^validation_failed: .*\/scopes/)
    const writing = await use(await make({ scopes: ['execute:write', 'execute:read', 'execute:write'] }))
    expect([...writing.scopes]).toEqual(['execute:read', 'execute:write'])
    const scoped = { ...(await scopedPrincipal(platform, tenant, 'default')), scopes: tenant.scopes }
    expect(await refusal(make({}, scoped))).toMatch(/^organization_forbidden/)
    expect(await refusal(platform.mcpTokens.list(scoped, {}))).toMatch(/^organization_forbidden/)
  })

  test('see their workspaces and their connectors, and nothing else', async () => {
    const owner = await newTenant(platform, first, 'Owner')
    const add = (workspace: string, name: string) =>
      platform.connectors.create(owner, connectorBody({ workspace_name: workspace, name, check: false }))
    const [inA, alsoInA, inB, inC] = [await add('A', 'one'), await add('A', 'two'), await add('B', 'three'), await add('C', 'four')]
    const foreign = await platform.connectors.create(tenant, connectorBody({ name: 'foreign', check: false }))
    const seen = async (body: object) => {
      const principal = await use(await make(body, owner))
      const listed = (await platform.connectors.list(principal, {})).data.map(({ name }) => name).toSorted()
      const opened: string[] = []
      for (const { id, name } of [inA, alsoInA, inB, inC, foreign]) {
        const read = platform.connectors.readAccess(principal, id).then(
          () => opened.push(name),
          (error) => expect(error.code).toBe('connector_not_found'),
        )
        await read
        if (!listed.includes(name)) expect(await refusal(platform.connectors.get(principal, id))).toMatch(/^connector_not_found/)
        if (!listed.includes(name)) expect(await refusal(platform.syncs.status(principal, id))).toMatch(/^connector_not_found/)
      }
      expect(opened.toSorted()).toEqual(listed)
      return listed
    }
    expect(await seen({ workspace_names: ['A'] })).toEqual(['one', 'two'])
    expect(await seen({ workspace_names: ['A', 'B', 'A'] })).toEqual(['one', 'three', 'two'])
    expect(await seen({ workspace_names: ['A', 'B'], connector_ids: [alsoInA.id.toUpperCase(), inB.id] })).toEqual(['three', 'two'])
    expect(await seen({ workspace_names: ['A'], connector_ids: [inA.id] })).toEqual(['one'])

    const wrong = await make({ workspace_names: ['A', 'nowhere'], connector_ids: [inA.id, inC.id, foreign.id] }, owner).catch(
      (error) => error,
    )
    expect(wrong.errors.map(({ field, error_code }: { field: string; error_code: string }) => [field, error_code])).toEqual([
      ['/workspace_names/1', 'workspace_not_found'],
      ['/connector_ids/1', 'connector_not_found'],
      ['/connector_ids/2', 'connector_not_found'],
    ])
    // What is deleted later widens nothing.
    const made = await make({ workspace_names: ['C'], connector_ids: [inC.id] }, owner)
    await platform.connectors.remove(owner, inC.id)
    await add('C', 'five')
    expect((await platform.connectors.list(await use(made), {})).data).toEqual([])
    await platform.workspaces.remove(owner, inC.workspace_id)
    expect((await platform.mcpTokens.list(owner, { limit: 100 })).data.find(({ id }) => id === made.id)).toMatchObject({
      workspaces: [],
      connector_ids: [inC.id],
    })
  })

  test('stay within the organization that a request names', async () => {
    const made = await make()
    const named = (organizationHeader: string) => platform.mcpTokens.authenticate({ bearer: made.token, resource, organizationHeader })
    expect((await named(tenant.organizationId.toUpperCase())).token.id).toBe(made.id)
    expect(await refusal(named(first.organizationId))).toMatch(/^organization_forbidden/)
  })

  test('of 200, the revoked ones are refused at once on every node, and no text is stored', async () => {
    const owner = await newTenant(platform, first, 'Crowd')
    const made: McpTokenSecret[] = []
    for (let count = 0; count < 200; count += 1) made.push(await make({ name: `agent ${count}` }, owner))
    const states = (on: Platform) =>
      Promise.all(
        made.map((each) =>
          use(each, on).then(
            () => 'valid',
            () => 'refused',
          ),
        ),
      )
    expect(new Set([...(await states(platform)), ...(await states(other))])).toEqual(new Set(['valid']))
    const isRevoked = made.map((_, index) => index % 4 !== 0)
    await Promise.all(
      made.filter((_, index) => isRevoked[index]).map(({ id }, index) => (index % 2 ? platform : other).mcpTokens.revoke(owner, id)),
    )
    const expected = isRevoked.map((revoked) => (revoked ? 'refused' : 'valid'))
    expect([await states(platform), await states(other)]).toEqual([expected, expected])

    const listed: string[] = []
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const page = await platform.mcpTokens.list(owner, { limit: 20, ...(cursor === undefined ? {} : { cursor }) })
      listed.push(...page.data.map(({ name }) => name))
      cursor = page.next
      expect(JSON.stringify(page)).not.toContain('frl_mcp_')
    }
    expect(listed.toSorted()).toEqual(
      made
        .filter((_, index) => !isRevoked[index])
        .map(({ name }) => name)
        .toSorted(),
    )
    const dump = await dumpDatabase(world)
    expect(dump).toContain('agent 4')
    for (const { token } of made) expect(dump.includes(token) || dump.includes(token.slice(8, 38))).toBe(false)
  })

  test('end with the grant and with the application', async () => {
    const elsewhere = await newTenant(platform, first, 'Elsewhere')
    const { clientId, principal } = await newClient()
    await platform.applications.grant(clientId, elsewhere.organizationId)
    const [here, there] = [await make({}, principal), await make({}, { ...principal, organizationId: elsewhere.organizationId })]
    await platform.applications.revoke(clientId, elsewhere.organizationId)
    expect([(await use(here)).token.id, await refusal(use(there))]).toEqual([here.id, refused])
    expect(await refusal(make({}, { ...principal, organizationId: elsewhere.organizationId }))).toMatch(/^organization_forbidden/)
    await platform.applications.delete(clientId)
    expect(await refusal(use(here, other))).toBe(refused)
    expect(await refusal(make({}, principal))).toMatch(/^organization_forbidden/)
  })

  test('are refused in a deleted organization, and valid again when it is restored', async () => {
    const owner = await newTenant(platform, first, 'Deleted')
    const made = await make({}, owner)
    await platform.organizations.remove({ ...owner, organizationId: null }, owner.organizationId)
    expect([await refusal(use(made)), await refusal(use(made, other))]).toEqual([refused, refused])
    expect(await refusal(make({}, owner))).toMatch(/^organization_forbidden/)
    await platform.organizations.restore({ ...owner, organizationId: null }, owner.organizationId)
    expect((await use(made)).token.id).toBe(made.id)
  })

  test('wait for no deletion of an application that waits for them', async () => {
    const { clientId, principal } = await newClient()
    if (database === 'sqlite') return platform.applications.delete(clientId) // one transaction at a time
    const raw = world.raw()
    let deletion: Promise<void> = Promise.resolve()
    await raw.transaction(async (db) => {
      await lockGrants(db, tenant.organizationId)
      deletion = platform.applications.delete(clientId)
      await untilOneWaits(raw)
      await requireLiveClient(db, principal)
    })
    await deletion
    expect(await refusal(make({}, principal))).toMatch(/^organization_forbidden/)
  })

  test('end with the secret, whose old bearer tokens make no others', async () => {
    const byOperator = await newClient()
    const byOrganization = await newClient()
    const made = [await make({}, byOperator.principal), await make({}, byOrganization.principal)]
    await platform.applications.rotate(byOperator.clientId)
    await platform.organizationApplications.rotateSecret(tenant, byOrganization.principal.applicationId)
    for (const each of made) for (const on of [platform, other]) expect(await refusal(use(each, on))).toBe(refused)
    for (const { principal } of [byOperator, byOrganization]) {
      expect(await refusal(make({}, principal))).toMatch(/^token_expired/)
      expect(await refusal(platform.organizationApplications.create(principal, { name: 'Late' }))).toMatch(/^token_expired/)
    }
  })

  test('show their last use, and are deleted 30 days after their end', async () => {
    const owner = await newTenant(platform, first, 'Past')
    const [short, long] = [await make({ expires_in_days: 1 }, owner), await make({}, owner)]
    const before = world.now
    await Promise.all([use(short), use(short), use(long, other)])
    await other.mcpTokens.list(owner, {})
    const list = async () => (await platform.mcpTokens.list(owner, {})).data
    expect((await list()).map(({ last_used_at }) => last_used_at)).toEqual(Array(2).fill(new Date(before).toISOString()))
    const count = async (days: number) => {
      await platform.mcpTokens.purgeExpired(before + days * dayMs)
      return (await list()).map(({ id }) => id).toSorted()
    }
    expect(await count(30.9)).toEqual([short.id, long.id].toSorted())
    expect(await count(31)).toEqual([long.id])
  })
})
