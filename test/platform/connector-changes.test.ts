import { expect, test } from 'vitest'
import type { Principal } from '../../packages/server/src/values/access.ts'
import { share } from '../support/share.ts'
import {
  connectorBody,
  createWorld,
  firstPrincipal,
  keyPair,
  newTenant,
  oauth,
  openCredentials,
  overBoth,
  refusal,
  scopedPrincipal,
  stall,
  stallBody,
} from './world.ts'

const unknownId = '00000000-0000-4000-8000-000000000000'
const sandboxOrigin = { api: 'http://127.0.0.1:1', oauth: 'http://127.0.0.1:1', media: 'http://127.0.0.1:2' }

overBoth('changing and using connectors', async (database) => {
  let sandboxRuns = true
  let sandboxStarts = Promise.resolve()
  const tenant = () => newTenant(platform, first)
  const opened = (principal: Principal, id: string) => openCredentials(platform, principal, id)

  const world = await share(createWorld(database, 'connector-changes'))
  const platform = await world.open({
    env: { FERRULE_ORIGINS: '{"market-stall":{"api":"http://127.0.0.1:9","media":"http://127.0.0.1:8"}}' },
    sandboxOrigins: () => sandboxStarts.then(() => (sandboxRuns ? { notes: sandboxOrigin } : undefined)),
  })
  const first = await firstPrincipal(platform)

  test('an update replaces what it names and keeps the rest', async () => {
    const principal = await tenant()
    const { id } = await platform.connectors.create(
      principal,
      connectorBody({ replication_config: { team: 'a' }, entities: [{ entity: 'users' }] }),
    )
    world.now += 1_000
    const renamed = await platform.connectors.update(principal, id, { name: 'Renamed' })
    expect(renamed).toMatchObject({
      name: 'Renamed',
      replication_config: { team: 'a' },
      entities: [{ entity: 'users' }],
      updated_at: new Date(world.now).toISOString(),
    })
    expect(await platform.connectors.update(principal, id, { replication_config: {}, entities: [] })).toMatchObject({
      replication_config: {},
      entities: [],
    })
    expect(await refusal(platform.connectors.update(principal, id, { credentials: keyPair }))).toMatch(/\/credentials is not known here/)
    expect(await refusal(platform.connectors.update(principal, id, { replication_config: { tema: 'x' } }))).toMatch(
      /\/replication_config\/tema/,
    )
    expect(await opened(principal, id)).toEqual(keyPair)
  })

  test('a patch merges: one credential field, one configuration value', async () => {
    const principal = await tenant()
    const { id } = await platform.connectors.create(principal, connectorBody({ replication_config: { team: 'a' } }))
    const patched = await platform.connectors.patch(principal, id, { credentials: { api_secret: 'new-secret' } })
    expect(JSON.stringify(patched)).not.toContain('new-secret')
    expect(await opened(principal, id)).toEqual({ ...keyPair, api_secret: 'new-secret' })
    expect(await platform.connectors.patch(principal, id, { replication_config: { team: null } })).toMatchObject({
      replication_config: {},
    })
    expect(await refusal(platform.connectors.patch(principal, id, { credentials: { api_secret: null } }))).toMatch(
      /\/credentials\/api_secret is required/,
    )
    expect(await refusal(platform.connectors.patch(principal, id, { credentials: { secret: 'x' } }))).toMatch(/^credentials_mismatch/)
    expect(await opened(principal, id)).toEqual({ ...keyPair, api_secret: 'new-secret' })
  })

  test('credentials of another scheme replace; a new refresh token drops the access token of the old one', async () => {
    const principal = await tenant()
    const { id } = await platform.connectors.create(principal, connectorBody())
    expect(await platform.connectors.patch(principal, id, { credentials: oauth })).toMatchObject({
      credential_scheme: 'oauth',
      credential_fields: ['refresh_token', 'access_token', 'client_id'],
    })
    expect(await opened(principal, id)).toEqual(oauth)
    await platform.connectors.patch(principal, id, { credentials: { refresh_token: 'refresh-2' } })
    expect(await opened(principal, id)).toEqual({ refresh_token: 'refresh-2', client_id: 'client' })
    await platform.connectors.patch(principal, id, { credentials: { client_id: 'client-2' } })
    expect(await opened(principal, id)).toEqual({ refresh_token: 'refresh-2', client_id: 'client-2' })
  })

  test('a refusal of the vendor is shown with the next step, until a success or new credentials', async () => {
    const principal = await tenant()
    const { id } = await platform.connectors.create(principal, connectorBody())
    const before = await platform.connectors.readAccess(principal, id)
    await platform.connectors.markAuthError(before, 'Notes refused the credentials: expired.')
    expect(await platform.connectors.get(principal, id)).toMatchObject({
      status: 'auth_error',
      status_reason: `Notes refused the credentials: expired. Replace the credentials with PATCH /api/v1/integrations/connectors/${id}.`,
    })
    const access = await platform.connectors.readAccess(principal, id)
    expect(access.status).toBe('auth_error')
    await platform.connectors.markHealthy(access)
    expect(await platform.connectors.get(principal, id)).toMatchObject({ status: 'active', status_reason: null })

    await platform.connectors.markAuthError(before, 'no')
    expect(await platform.connectors.patch(principal, id, { credentials: keyPair })).toMatchObject({
      status: 'active',
      status_reason: null,
    })
    await platform.connectors.markAuthError(before, 'an answer to the old credentials')
    expect(await platform.connectors.get(principal, id)).toMatchObject({ status: 'active' })
  })

  test('a removed connector is gone at once, and its job tells so', async () => {
    const principal = await tenant()
    const { id } = await platform.connectors.create(principal, connectorBody())
    const { job_id } = await platform.connectors.remove(principal, id)
    const now = new Date(world.now).toISOString()
    expect(await platform.jobs.get(principal, job_id)).toEqual({
      id: job_id,
      type: 'connector_delete',
      status: 'succeeded',
      connector_id: id,
      created_at: now,
      finished_at: now,
    })
    for (const look of [
      () => platform.connectors.get(principal, id),
      () => platform.connectors.readAccess(principal, id),
      () => platform.connectors.update(principal, id, { name: 'x' }),
      () => platform.connectors.patch(principal, id, { credentials: keyPair }),
      () => platform.connectors.remove(principal, id),
    ])
      expect(await refusal(look)).toBe('connector_not_found: The connector does not exist.')
    expect(await refusal(platform.jobs.get(principal, unknownId))).toMatch(/^job_not_found/)
    expect(await refusal(platform.jobs.get(principal, 'x'))).toMatch(/^job_not_found/)
    await platform.connectors.create(principal, connectorBody())
  })

  test('a connection goes to the origins of the settings', async () => {
    const principal = await tenant()
    const { id } = await platform.connectors.create(principal, stallBody())
    const { connection } = await platform.connectors.readAccess(principal, id)
    expect([connection.kind, connection.configuration]).toEqual([stall, { stall: 'fruit' }])
    expect(connection.origin).toEqual({ api: 'http://127.0.0.1:9', media: 'http://127.0.0.1:8' })
    const plain = await platform.connectors.create(principal, connectorBody({ name: 'Plain' }))
    expect((await platform.connectors.readAccess(principal, plain.id)).connection.origin).toBeUndefined()
  })

  test('a connector of the sandbox goes to the sandbox, and nowhere else when that is not running', async () => {
    const principal = await tenant()
    const { id, environment } = await platform.connectors.create(principal, connectorBody({ environment: { sandbox: true } }))
    expect(environment).toEqual({ sandbox: true })
    expect((await platform.connectors.readAccess(principal, id)).connection.origin).toEqual(sandboxOrigin)
    sandboxRuns = false
    expect(await refusal(platform.connectors.readAccess(principal, id))).toMatch(
      /^unavailable: .*the sandbox that this connector belongs to is not running/,
    )
    sandboxRuns = true
  })

  test('a call of a connector of the sandbox waits while that starts', async () => {
    const principal = await tenant()
    const { id } = await platform.connectors.create(principal, connectorBody({ environment: { sandbox: true } }))
    const { promise, resolve } = Promise.withResolvers<void>()
    sandboxStarts = promise
    sandboxRuns = false
    const access = platform.connectors.readAccess(principal, id)
    sandboxRuns = true
    resolve()
    expect((await access).connection.origin).toEqual(sandboxOrigin)
  })

  test('a trial checks the body, gives a connection and stores nothing', async () => {
    const principal = await tenant()
    const connection = await platform.connectors.trial(principal, connectorBody({ credentials: oauth, environment: { sandbox: true } }))
    expect((await connection.credentials.open()).values.reveal()).toEqual(oauth)
    expect(connection.origin).toEqual(sandboxOrigin)
    expect(await refusal(connection.credentials.renew('0', async (current) => current))).toMatch(/^validation_failed: .*renews no tokens/)
    expect((await platform.connectors.list(principal, {})).data).toEqual([])
    expect(await refusal(platform.connectors.trial(principal, connectorBody({ name: null })))).toMatch(/^validation_failed/)
  })

  test('a scoped token works in its workspace only', async () => {
    const principal = await tenant()
    const other = await platform.connectors.create(principal, connectorBody())
    const scoped = await scopedPrincipal(platform, principal, 'Mine')
    const mine = await platform.connectors.create(scoped, connectorBody({ workspace_name: 'Mine' }))
    expect((await platform.connectors.list(scoped, {})).data.map(({ id }) => id)).toEqual([mine.id])
    expect([mine.workspace_id]).toEqual(scoped.workspaceIds)
    expect((await platform.connectors.readAccess(scoped, mine.id)).status).toBe('active')
    expect(await refusal(platform.connectors.readAccess(scoped, other.id))).toMatch(/^connector_not_found/)
    expect(await refusal(platform.connectors.remove(scoped, other.id))).toMatch(/^connector_not_found/)
    expect(await refusal(platform.connectors.create(scoped, connectorBody()))).toMatch(/^workspace_not_found/)
    expect(await refusal(platform.connectors.create(scoped, connectorBody({ workspace_name: 'Brand new' })))).toMatch(
      /^workspace_not_found/,
    )
  })
})
