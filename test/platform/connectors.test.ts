import { expect, test } from 'vitest'
import type { Principal } from '../../packages/server/src/values/access.ts'
import { share } from '../support/share.ts'
import {
  connectorBody,
  createWorld,
  firstPrincipal,
  keyPair,
  newTenant,
  notes,
  openCredentials,
  overBoth,
  refusal,
  stall,
  stallBody,
} from './world.ts'

const unknownId = '00000000-0000-4000-8000-000000000000'

overBoth('connectors', async (database) => {
  const tenant = () => newTenant(platform, first)
  const opened = (principal: Principal, id: string) => openCredentials(platform, principal, id)

  const world = await share(createWorld(database, 'connectors'))
  const platform = await world.open()
  const first = await firstPrincipal(platform)

  test('a created connector is answered in full, without its credentials', async () => {
    const principal = await tenant()
    const record = await platform.connectors.create(
      principal,
      connectorBody({ replication_config: { team: 'a' }, entities: [{ entity: 'users', modes: ['read'] }], changes_days: 30 }),
    )
    const now = new Date(world.now).toISOString()
    expect(record).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      name: 'Notes of sales',
      replication_config: { team: 'a' },
      entities: [{ entity: 'users', modes: ['read'] }],
      changes_days: 30,
      created_at: now,
      updated_at: now,
      workspace_id: expect.any(String),
      workspace_name: 'default',
      organization_id: principal.organizationId,
      connector_type: 'notes',
      definition_id: notes.definition.id,
      status: 'active',
      status_reason: null,
      credential_scheme: 'key',
      credential_fields: ['api_key', 'api_secret'],
      environment: { sandbox: false },
      notices: [],
      source_template: {
        id: notes.definition.id,
        name: 'Good Notes',
        icon: null,
        source_definition_id: notes.definition.id,
        user_config_spec: { connectionSpecification: expect.objectContaining({ type: 'object' }) },
        partial_default_config: {},
        tags: [],
        mode: 'DIRECT',
        is_experimental: false,
        runtime_mode: 'direct_only',
        supports_context_store: false,
      },
    })
    expect(await platform.connectors.get(principal, record.id.toUpperCase())).toEqual(record)
    expect(await opened(principal, record.id)).toEqual(keyPair)
  })

  test.each(['notes', 'Notes', 'good notes', 'Good_Notes', 'GOOD-NOTES', notes.definition.id.toUpperCase()])(
    'connector_type %s names the kind',
    async (name) => {
      expect(await platform.connectors.create(await tenant(), connectorBody({ connector_type: name }))).toMatchObject({
        connector_type: 'notes',
      })
    },
  )

  test('the kind can be named by definition_id or source_template_id, and they must agree', async () => {
    const principal = await tenant()
    const byDefinition = connectorBody({ connector_type: null, definition_id: notes.definition.id })
    expect(await platform.connectors.create(principal, byDefinition)).toMatchObject({ connector_type: 'notes' })
    const byTemplate = connectorBody({
      connector_type: undefined,
      name: 'b',
      source_template_id: notes.definition.id,
      server_side_oauth_secret_id: null,
    })
    delete byTemplate['connector_type']
    expect(await platform.connectors.create(principal, byTemplate)).toMatchObject({ connector_type: 'notes' })
    const both = connectorBody({ definition_id: stall.definition.id })
    expect(await refusal(platform.connectors.create(principal, both))).toMatch(/\/connector_type names another kind/)
    expect(await refusal(platform.connectors.create(principal, connectorBody({ connector_type: null })))).toMatch(
      /\/connector_type is required/,
    )
    expect(await refusal(platform.connectors.create(principal, connectorBody({ name: 'Other', connector_type: 'nots' })))).toBe(
      'connector_type_not_found: There is no connector type nots. Known: notes, market-stall.',
    )
  })

  const wrong: readonly (readonly [string, Record<string, unknown>, RegExp])[] = [
    ['no workspace', { workspace_name: null }, /^validation_failed: .*\/workspace_name is required/],
    ['no name', { name: null }, /^validation_failed: .*\/name is required/],
    ['no credentials', { credentials: null }, /^validation_failed: .*\/credentials is required/],
    ['credentials that are no object', { credentials: 'x' }, /^validation_failed: .*\/credentials/],
    [
      'fields of two schemes',
      { credentials: { api_key: 'x', refresh_token: 'y' } },
      /^credentials_mismatch: .*Given: api_key, refresh_token\. Schemes: key \(api_key, api_secret\); oauth/,
    ],
    ['half of a scheme', { credentials: { api_key: 'x' } }, /^validation_failed: .*\/credentials\/api_secret is required/],
    [
      'unknown configuration',
      { replication_config: { tema: 'x' } },
      /^validation_failed: .*\/replication_config\/tema is not known here; known: team/,
    ],
    ['unknown entity', { entities: [{ entity: 'people' }] }, /^validation_failed: .*\/entities\/0\/entity must be one of: users/],
    [
      'wrong mode',
      { entities: [{ entity: 'users', modes: ['own'] }] },
      /^validation_failed: .*\/entities\/0\/modes\/0 must be one of: read, write/,
    ],
    ['unknown key', { colour: 'red' }, /^validation_failed: .*\/colour is not known here/],
    ['sandbox as a text', { environment: { sandbox: 'yes' } }, /\/environment\/sandbox must be true or false/],
    ['unknown environment', { environment: { tema: 'x' } }, /\/environment\/tema is not known here/],
    [
      'a value given twice',
      { environment: { team: 'x' }, replication_config: { team: 'y' } },
      /\/environment\/team is given in replication_config too/,
    ],
  ]
  test.each(wrong)('%s is refused with its field', async (_what, more, says) => {
    expect(await refusal(platform.connectors.create(await tenant(), connectorBody(more)))).toMatch(says)
  })

  test('a refusal stores nothing, not even the workspace', async () => {
    const principal = await tenant()
    await refusal(platform.connectors.create(principal, connectorBody({ workspace_name: 'New', credentials: { api_key: 'x' } })))
    expect((await platform.workspaces.list(principal, {})).data.map(({ name }) => name)).toEqual(['default'])
  })

  test('required configuration is required, and may come as environment', async () => {
    const principal = await tenant()
    expect(await refusal(platform.connectors.create(principal, stallBody({ replication_config: null })))).toMatch(
      /\/replication_config\/stall is required/,
    )
    expect(
      await refusal(platform.connectors.create(principal, stallBody({ replication_config: null, environment: { stall: 'A B' } }))),
    ).toMatch(/\/environment\/stall/)
    const record = await platform.connectors.create(principal, stallBody({ replication_config: null, environment: { stall: 'fruit' } }))
    expect(record).toMatchObject({ replication_config: { stall: 'fruit' }, environment: { sandbox: false } })
  })

  test('a new workspace name makes the workspace; old names of the field work', async () => {
    const principal = await tenant()
    const one = await platform.connectors.create(principal, connectorBody({ workspace_name: null, customer_name: 'Fresh' }))
    const two = await platform.connectors.create(principal, connectorBody({ workspace_name: null, external_user_id: 'Fresh', name: 'b' }))
    expect([one.workspace_name, two.workspace_id]).toEqual(['Fresh', one.workspace_id])
    const narrow = { ...principal, scopes: new Set(['connectors:write' as const]) }
    expect(await refusal(platform.connectors.create(narrow, connectorBody({ workspace_name: 'Fresher' })))).toMatch(
      /lacks the scope workspaces:write/,
    )
  })

  test('many at once for a new workspace share it', async () => {
    const principal = await tenant()
    const made = await Promise.all(
      ['a', 'b', 'c', 'd', 'e'].map((name) => platform.connectors.create(principal, connectorBody({ workspace_name: 'Rush', name }))),
    )
    expect(new Set(made.map(({ workspace_id }) => workspace_id)).size).toBe(1)
  })

  test('a name is taken once in a workspace', async () => {
    const principal = await tenant()
    const one = await platform.connectors.create(principal, connectorBody())
    const conflict = 'connector_name_conflict: The workspace has a connector with the name Notes of sales already.'
    expect(await refusal(platform.connectors.create(principal, connectorBody()))).toBe(conflict)
    const two = await platform.connectors.create(principal, connectorBody({ name: 'Other' }))
    expect(await refusal(platform.connectors.update(principal, two.id, { name: one.name }))).toBe(conflict)
    await platform.connectors.create(principal, connectorBody({ workspace_name: 'Elsewhere' }))
  })

  test('lists are summaries, filtered and paged', async () => {
    const principal = await tenant()
    const one = await platform.connectors.create(principal, connectorBody())
    world.now += 1
    const two = await platform.connectors.create(principal, stallBody({ workspace_name: 'B', name: 'Stall' }))
    const ids = async (query: Record<string, unknown>) => (await platform.connectors.list(principal, query)).data.map(({ id }) => id)
    expect(await ids({})).toEqual([one.id, two.id])
    expect(await ids({ workspace_name: 'B' })).toEqual([two.id])
    expect(await ids({ customer_name: 'B' })).toEqual([two.id])
    expect(await ids({ workspace_id: one.workspace_id.toUpperCase() })).toEqual([one.id])
    expect(await ids({ connector_type: 'Market Stall' })).toEqual([two.id])
    expect(await ids({ definition_id: notes.definition.id.toUpperCase() })).toEqual([one.id])
    expect(await ids({ definition_id: unknownId })).toEqual([])
    expect(await ids({ workspace_name: 'C' })).toEqual([])
    expect(await refusal(platform.connectors.list(principal, { connector_type: 'nots' }))).toMatch(/^connector_type_not_found/)
    expect(await refusal(platform.connectors.list(principal, { workspace_id: 'x' }))).toMatch(/\/workspace_id must be a UUID/)
    const page = await platform.connectors.list(principal, { limit: '1' })
    expect(page.data[0]?.summarized_source_template).toMatchObject({
      name: 'Good Notes',
      connector_name: 'notes',
      actor_definition_id: notes.definition.id,
    })
    expect(page.data[0]).not.toHaveProperty('source_template')
    expect(await ids({ limit: 1, cursor: page.next })).toEqual([two.id])
    expect(await refusal(platform.connectors.list(principal, { cursor: page.next, connector_type: 'notes' }))).toMatch(/^invalid_cursor/)
  })
})

overBoth('a service without the sandbox', (database) => {
  test('takes no connectors for it', async () => {
    const world = await createWorld(database, 'plain')
    const platform = await world.open({ env: { FERRULE_SANDBOX: 'off' } })
    const body = connectorBody({ environment: { sandbox: true } })
    expect(await refusal(platform.connectors.create(await firstPrincipal(platform), body))).toMatch(
      /^validation_failed: .*\/environment\/sandbox cannot be true/,
    )
    await world.close()
  })
})
