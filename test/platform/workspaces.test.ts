import { sql } from 'kysely'
import { expect, test } from 'vitest'
import type { Principal } from '../../packages/server/src/values/access.ts'
import { share } from '../support/share.ts'
import { connectorBody, createWorld, firstPrincipal, newTenant, overBoth, refusal, scopedPrincipal } from './world.ts'

const day = 24 * 60 * 60 * 1_000

overBoth('workspaces', async (database) => {
  const world = await share(createWorld(database, 'workspaces'))
  const platform = await world.open()
  const first = await firstPrincipal(platform)
  const tenant = () => newTenant(platform, first)
  const names = async (principal: Principal, query: Record<string, unknown> = {}) =>
    (await platform.workspaces.list(principal, query)).data.map(({ name }) => name)

  test('a record has the published fields', async () => {
    const principal = await tenant()
    const made = await platform.workspaces.create(principal, { name: 'Sales' })
    expect(made).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      name: 'Sales',
      organization_id: principal.organizationId,
      status: 'active',
      cache_enabled: null,
      tombstone: false,
      visibility: 'shared',
      color: null,
      created_at: new Date(world.now).toISOString(),
      updated_at: new Date(world.now).toISOString(),
    })
    expect(await platform.workspaces.get(principal, made.id.toUpperCase())).toEqual(made)
  })

  test('a name is taken once in an organization, and any visible text is one', async () => {
    const principal = await tenant()
    await platform.workspaces.create(principal, { name: 'Vertrieb Süd 🎉' })
    expect(await refusal(platform.workspaces.create(principal, { name: 'Vertrieb Süd 🎉' }))).toBe(
      'workspace_name_conflict: The organization has a workspace with the name Vertrieb Süd 🎉 already.',
    )
    await platform.workspaces.create(await tenant(), { name: 'Vertrieb Süd 🎉' })
    for (const name of ['', ' x', 'a\u0000b', 'a\nb', 'x'.repeat(257), 7, null])
      expect(await refusal(platform.workspaces.create(principal, { name }))).toMatch(/^validation_failed: .*\/name/)
    expect(await refusal(platform.workspaces.create(principal, { name: 'x', colour: 'red' }))).toMatch(
      /\/colour is not known here; known: name/,
    )
    expect(await refusal(platform.workspaces.create(principal, 'x'))).toMatch(/^validation_failed: .*must be an object/)
  })

  test('lists are filtered and paged in the order of creation', async () => {
    const principal = await tenant()
    for (const name of ['100%', 'Alpha_1', 'alphaX1', 'beta']) {
      world.now += 1
      await platform.workspaces.create(principal, { name })
    }
    expect(await names(principal)).toEqual(['default', '100%', 'Alpha_1', 'alphaX1', 'beta'])
    expect(await names(principal, { name_contains: 'ALPHA' })).toEqual(['Alpha_1', 'alphaX1'])
    expect(await names(principal, { name_contains: 'a_1' })).toEqual(['Alpha_1'])
    expect(await names(principal, { name_contains: '%' })).toEqual(['100%'])
    expect(await names(principal, { name_contains: '\\' })).toEqual([])
    const pages: string[][] = []
    let cursor: string | null | undefined
    while (cursor !== null) {
      const page = await platform.workspaces.list(principal, { limit: '2', ...(cursor === undefined ? {} : { cursor }) })
      pages.push(page.data.map(({ name }) => name))
      cursor = page.next
    }
    expect(pages).toEqual([['default', '100%'], ['Alpha_1', 'alphaX1'], ['beta']])
  })

  test('a wrong query is refused, not ignored', async () => {
    const principal = await tenant()
    await platform.workspaces.create(principal, { name: 'two' })
    for (const limit of ['0', '101', 'x', '1.5', 0])
      expect(await refusal(platform.workspaces.list(principal, { limit }))).toMatch(/^validation_failed: .*\/limit/)
    expect(await refusal(platform.workspaces.list(principal, { status: 'gone' }))).toMatch(/\/status must be one of: active, inactive/)
    expect(await refusal(platform.workspaces.list(principal, { name: 'x' }))).toMatch(/\/name is not known here/)
    expect(await refusal(platform.workspaces.list(principal, { name_contains: 'a\u0000' }))).toMatch(/^validation_failed/)
    const { next } = await platform.workspaces.list(principal, { limit: 1 })
    expect(await refusal(platform.workspaces.list(principal, { cursor: 'rubbish' }))).toMatch(/^invalid_cursor: .*it was not made here/)
    expect(await refusal(platform.workspaces.list(principal, { cursor: next, status: 'active' }))).toMatch(
      /^invalid_cursor: .*another query/,
    )
    expect((await platform.workspaces.list(principal, { cursor: next, limit: 5 })).data).toHaveLength(1)
  })

  test('changes are kept, counted and shown', async () => {
    const principal = await tenant()
    const { id } = await platform.workspaces.create(principal, { name: 'Old' })
    world.now += 1_000
    const changed = await platform.workspaces.update(principal, id, { name: 'New', status: 'inactive', cache_enabled: true })
    expect(changed).toMatchObject({
      id,
      name: 'New',
      status: 'inactive',
      cache_enabled: true,
      updated_at: new Date(world.now).toISOString(),
    })
    expect(await platform.workspaces.update(principal, id, { cache_enabled: null })).toMatchObject({ name: 'New', cache_enabled: null })
    expect(await platform.workspaces.get(principal, id)).toMatchObject({ name: 'New', status: 'inactive', cache_enabled: null })
    expect(await names(principal, { name_contains: 'new', status: 'inactive' })).toEqual(['New'])
    expect(await platform.workspaces.stats(principal)).toEqual({ active_count: 1, inactive_count: 1, total_count: 2 })
    expect(await refusal(platform.workspaces.update(principal, id, { name: 'default' }))).toMatch(/^workspace_name_conflict/)
    expect(await refusal(platform.workspaces.update(principal, id, { status: 'paused' }))).toMatch(/^validation_failed/)
  })

  test('an inactive workspace keeps its connectors and runs none', async () => {
    const principal = await tenant()
    const connector = await platform.connectors.create(principal, connectorBody({ workspace_name: 'Quiet' }))
    await platform.workspaces.update(principal, connector.workspace_id, { status: 'inactive' })
    expect(await platform.connectors.get(principal, connector.id)).toMatchObject({
      status: 'disabled',
      status_reason: expect.stringContaining('inactive'),
    })
    const inactive = 'workspace_inactive: The workspace Quiet is inactive.'
    expect(await refusal(platform.connectors.readAccess(principal, connector.id))).toBe(inactive)
    expect(await refusal(platform.connectors.create(principal, connectorBody({ workspace_name: 'Quiet', name: 'x' })))).toBe(inactive)
    expect(await refusal(platform.tokens.issueScopedToken(principal, { workspace_name: 'Quiet' }))).toBe(inactive)
    await platform.workspaces.update(principal, connector.workspace_id, { status: 'active' })
    expect((await platform.connectors.readAccess(principal, connector.id)).status).toBe('active')
  })

  test('a removed workspace takes its connectors out of sight and can be restored for 30 days', async () => {
    const principal = await tenant()
    const connector = await platform.connectors.create(principal, connectorBody({ workspace_name: 'Gone' }))
    const id = connector.workspace_id
    expect(await platform.workspaces.remove(principal, id)).toEqual({ id, deleted_at: new Date(world.now).toISOString() })
    expect(await names(principal)).toEqual(['default'])
    expect(await refusal(platform.workspaces.get(principal, id))).toMatch(/^workspace_not_found/)
    expect(await refusal(platform.workspaces.remove(principal, id))).toMatch(/^workspace_not_found/)
    expect(await refusal(platform.workspaces.update(principal, id, { name: 'x' }))).toMatch(/^workspace_not_found/)
    expect(await refusal(platform.connectors.get(principal, connector.id))).toMatch(/^connector_not_found/)
    expect(await refusal(platform.connectors.readAccess(principal, connector.id))).toMatch(/^connector_not_found/)
    expect((await platform.connectors.list(principal, {})).data).toEqual([])
    expect(await platform.workspaces.stats(principal)).toEqual({ active_count: 1, inactive_count: 0, total_count: 1 })

    world.now += 29 * day
    await platform.workspaces.purgeExpired(world.now)
    const listDeleted = async (who = principal) => (await platform.workspaces.list(who, { deleted: 'only' })).data
    expect(await listDeleted()).toMatchObject([{ id, name: 'Gone', tombstone: true }])
    expect(await listDeleted(await newTenant(platform, principal))).toEqual([])
    expect(await platform.workspaces.restore(principal, id)).toMatchObject({ id, name: 'Gone', tombstone: false })
    const { connection } = await platform.connectors.readAccess(principal, connector.id)
    expect((await connection.credentials.open()).values.reveal()).toEqual(connectorBody()['credentials'])
    expect(await refusal(platform.workspaces.restore(principal, id))).toMatch(/^workspace_not_found/)
  })

  test('a removed name is free again; then the old workspace cannot come back under it', async () => {
    const principal = await tenant()
    const { id } = await platform.workspaces.create(principal, { name: 'Twice' })
    await platform.workspaces.remove(principal, id)
    const next = await platform.workspaces.create(principal, { name: 'Twice' })
    expect(next.id).not.toBe(id)
    expect(await refusal(platform.workspaces.restore(principal, id))).toMatch(/^workspace_name_conflict/)
  })

  test('after 30 days it is destroyed, with its connectors and its key', async () => {
    const principal = await tenant()
    await platform.workspaces.purgeExpired(world.now + 31 * day)
    const connector = await platform.connectors.create(principal, connectorBody({ workspace_name: 'Over' }))
    const id = connector.workspace_id
    await platform.workspaces.remove(principal, id)
    world.now += 30 * day + 1
    expect(await refusal(platform.workspaces.restore(principal, id))).toMatch(/^workspace_not_found/)
    expect(await platform.workspaces.purgeExpired(world.now)).toBe(1)
    const { db } = world.raw()
    const left = await sql<{ count: number | bigint }>`
      select (select count(*) from workspaces where id = ${id}) + (select count(*) from data_keys where workspace_id = ${id})
        + (select count(*) from connectors where workspace_id = ${id}) as count`.execute(db)
    expect(Number(left.rows[0]?.count)).toBe(0)
    expect(await platform.workspaces.purgeExpired(world.now)).toBe(0)
  })

  test('a removed default workspace is made again when it is used', async () => {
    const principal = await tenant()
    const [standard] = (await platform.workspaces.list(principal, {})).data
    await platform.workspaces.remove(principal, standard?.id ?? '')
    const connector = await platform.connectors.create(principal, connectorBody())
    expect(connector.workspace_name).toBe('default')
    expect(connector.workspace_id).not.toBe(standard?.id)
  })

  test('a scoped token sees its workspace only, and changes none', async () => {
    const principal = await tenant()
    const { id: other } = await platform.workspaces.create(principal, { name: 'Other' })
    const scoped = await scopedPrincipal(platform, principal, 'Mine')
    expect(await names(scoped)).toEqual(['Mine'])
    expect(await platform.workspaces.stats(scoped)).toEqual({ active_count: 1, inactive_count: 0, total_count: 1 })
    expect(await refusal(platform.workspaces.get(scoped, other))).toMatch(/^workspace_not_found/)
    for (const change of [
      () => platform.workspaces.create(scoped, { name: 'x' }),
      () => platform.workspaces.update(scoped, scoped.workspaceIds?.[0] ?? '', { name: 'x' }),
      () => platform.workspaces.remove(scoped, scoped.workspaceIds?.[0] ?? ''),
      () => platform.workspaces.restore(scoped, scoped.workspaceIds?.[0] ?? ''),
    ])
      expect(await refusal(change)).toBe('insufficient_scope: The token lacks the scope workspaces:write.')
  })
})
