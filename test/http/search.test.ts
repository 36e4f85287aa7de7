import { describe, expect, test } from 'vitest'
import { share } from '../support/share.ts'
import { expectDocumented, expectOperation } from './contract.ts'
import { allFound, executePath, listUsers, onlyUsers, overBothStores, search, startCopyWorld } from './search-support.ts'
import { connectorsPath, createTenant, type Json } from './support.ts'

overBothStores('a search', async (engine) => {
  const world = await share(startCopyWorld(engine))
  const users = await world.connect('users', onlyUsers)

  test('before the first sync is told to come again', async () => {
    const answer = await search(world, users, { entity: 'users', params: { query: {} } })
    expect([answer.status, answer.json.code, answer.json.retryable]).toEqual([409, 'context_store_not_ready', true])
    expect(answer.headers['retry-after']).toMatch(/^\d+$/)
    expectDocumented(executePath, answer)
    const wrong = await search(world, users, { entity: 'users', params: { query: { filter: { eq: { color: 1 } } } } })
    expect([wrong.status, wrong.json.code]).toEqual([422, 'field_not_searchable'])
    await world.context.sync()
    expect((await search(world, users, { entity: 'users', params: { query: {} } })).status).toBe(200)
  })

  test('answers the records of the vendor, typed as documented, and how fresh they are', async () => {
    const answer = await search(world, users, { entity: 'users', params: { query: { filter: { eq: { active: false } } } } })
    expectOperation('gong.users.context_store_search', answer)
    expectDocumented(executePath, answer)
    expect(Object.keys(answer.json)).toEqual(['data', 'meta', 'context_store'])
    expect(answer.json.meta).toEqual({ has_more: false, cursor: null, took_ms: expect.any(Number) })
    const now = new Date(world.clock.now).toISOString()
    expect(answer.json.context_store).toEqual({ synced_at: now, verified_at: now, status: 'ready', complete: true })
    const expected = (await listUsers(world, users)).filter(({ active }) => !active).toSorted((a, b) => (a.id < b.id ? -1 : 1))
    expect(expected.length).toBeGreaterThan(3)
    // The vendor adds a field that the documents do not have.
    expect(answer.json.data).toEqual(expected.map(({ conferencingProviders: _added, ...documented }) => documented))
  })

  test('tells the paths that no record had', async () => {
    const query = { filter: { neq: { 'spokenLanguages.langauge': 'en' } } }
    const answer = await search(world, users, { entity: 'users', params: { query, limit: 1 } })
    expectOperation('gong.users.context_store_search', answer)
    expect(answer.json.meta).toMatchObject({ has_more: true, unknown_paths: ['spokenLanguages.langauge'] })
  })

  test('gives each record once over all pages, whatever their size', async () => {
    const found = await allFound(world, users, {
      entity: 'users',
      params: { query: { sort: [{ lastName: 'asc' }] }, limit: 50, fields: ['id', 'lastName'] },
    })
    expect(found.map(({ id }) => id).toSorted()).toEqual((await listUsers(world, users)).map(({ id }) => id).toSorted())
    expect(Object.keys(found[0])).toEqual(['id', 'lastName'])
  })

  test('cuts records and texts as every action does', async () => {
    const body = { entity: 'users', params: { query: { filter: { eq: { active: true } } }, limit: 2 } }
    const whole = await search(world, users, body)
    const chosen = await search(world, users, { ...body, select_fields: ['id', 'settings.emailsImported'] })
    expect(chosen.json.data).toEqual(
      whole.json.data.map(({ id, settings }: Json) => ({ id, settings: { emailsImported: settings.emailsImported } })),
    )
    const cut = await search(world, users, { ...body, exclude_fields: ['settings', 'spokenLanguages'], skip_truncation: false })
    expect(Object.keys(cut.json.data[0])).toEqual(
      Object.keys(whole.json.data[0]).filter((name) => !['settings', 'spokenLanguages'].includes(name)),
    )
    expect(cut.json.truncated_fields).toEqual([])
    expect(cut.json.context_store).toEqual(whole.json.context_store)
    expectDocumented(executePath, chosen)
  })

  test('reads as `search` too, needs no vendor, and is no action of what cannot be searched', async () => {
    world.sandbox.gong.clear()
    expect((await world.execute(users, { entity: 'users', action: 'search', params: { query: {}, limit: 1 } })).json.data).toHaveLength(1)
    expect(world.sandbox.gong.requests()).toEqual([])
    const none = await search(world, users, { entity: 'workspaces', params: { query: {} } })
    expect([none.status, none.json.code]).toEqual([422, 'action_not_supported'])
    const unknown = await search(world, users, { entity: 'constructor', params: { query: {} } })
    expect([unknown.status, unknown.json.code]).toEqual([422, 'entity_not_found'])
  })

  test('of an entity that the connector is not for says so, and not to come again', async () => {
    const { status, json, headers } = await search(world, users, { entity: 'calls', params: { query: {} } })
    expect([status, json.code, json.retryable, headers['retry-after']]).toEqual([409, 'context_store_not_ready', false, undefined])
    expect(json.detail).toContain('limited to other entities')
  })

  test('sees the rows of its own connector only', async () => {
    const other = await createTenant(world, 'Other', onlyUsers)
    const { json } = await search(world, users, { entity: 'users', params: { query: {}, limit: 1 } })
    const stolen = { entity: 'users', action: 'context_store_search', params: { query: {}, limit: 1, cursor: json.meta.cursor } }
    await world.context.sync()
    const answer = await world.execute(other.connectorId, stolen, other.token)
    expect([answer.status, answer.json.code]).toEqual([400, 'invalid_cursor'])
    expect((await world.execute(users, stolen, other.token)).json.code).toBe('connector_not_found')
    await world.ask(`${connectorsPath}/${other.connectorId}`, { method: 'DELETE', token: other.token })
    await world.context.sync()
    expect((await search(world, users, { entity: 'users', params: { query: {} } })).json.data.length).toBeGreaterThan(300)
  })

  describe('is refused, with the field, when', () => {
    test.each<[string, Json, string]>([
      ['the query is missing', {}, 'missing_parameter /params/query'],
      ['a parameter is unknown', { query: {}, page: 1 }, 'invalid_parameter /params/page'],
      ['the limit is too large', { query: {}, limit: 10_001 }, 'invalid_parameter /params/limit'],
      ['the limit is no integer', { query: {}, limit: 1.5 }, 'invalid_parameter /params/limit'],
      ['an operator is unknown', { query: { filter: { equals: { id: '1' } } } }, 'operator_not_supported /params/query/filter/equals'],
      [
        'an operator does not suit',
        { query: { filter: { not: { gt: { active: true } } } } },
        'operator_not_supported /params/query/filter/not/gt/active',
      ],
      [
        'a field is unknown',
        { query: { filter: { or: [{}, { like: { 'a/b': 'x' } }] } } },
        'field_not_searchable /params/query/filter/or/1/like/a~1b',
      ],
      ['a sort is unknown', { query: { sort: [{ nope: 'asc' }] } }, 'field_not_searchable /params/query/sort/0/nope'],
      ['a path is unknown', { query: {}, fields: ['id', 'nope'] }, 'field_not_searchable /params/fields/1'],
      [
        'it has too many values',
        { query: { filter: { in: { id: Array(1_001).fill('1') } } } },
        'query_too_complex /params/query/filter/in/id',
      ],
    ])('%s', async (_says, params, refusal) => {
      const answer = await search(world, users, { entity: 'users', params })
      expect([answer.status, `${answer.json.code} ${answer.json.errors[0]?.field}`]).toEqual([422, refusal])
      expectDocumented(executePath, answer)
    })

    test('its cursor is not its own', async () => {
      const answer = await search(world, users, { entity: 'users', params: { query: {}, cursor: 'AAAA' } })
      expect([answer.status, answer.json.code]).toEqual([400, 'invalid_cursor'])
    })
  })

  test('is counted', async () => {
    const { text } = await world.ask('/metrics')
    expect(text).toMatch(/^ferrule_executes_total\{kind="gong",entity="users",action="context_store_search",code="ok"\} \d+$/m)
    expect(text).toMatch(/^ferrule_syncs_total\{kind="gong",mode="full",state="succeeded",code="ok"\} \d+$/m)
    expect(text).toMatch(/^ferrule_sync_calls_total\{kind="gong",entity="users",code="ok"\} \d+$/m)
    expect(text).toMatch(/^ferrule_context_store_open 1$/m)
  })
})
