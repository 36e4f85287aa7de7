import { expect, test } from 'vitest'
import { share } from '../support/share.ts'
import { expectDocumented } from './contract.ts'
import { executePath, listUsers, onlyUsers, overStatements, search, startCopyWorld } from './search-support.ts'
import { type Answer, connectorsPath, createTenant, type Json } from './support.ts'

overStatements('an aggregate', async (engine) => {
  const aggregate = (params: object | undefined, more: object = {}): Promise<Answer> =>
    world.execute(users, { entity: 'users', action: 'context_store_aggregate', params, ...more })
  const told = async (params: object): Promise<Json> => {
    const answer = await aggregate(params)
    expectDocumented(executePath, answer)
    return [answer.status, answer.json.code, answer.json.errors?.[0]?.field, answer.json.errors?.[0]?.message]
  }
  const world = await share(startCopyWorld(engine))
  const users = await world.connect('users', onlyUsers)

  test('before the first sync is told to come again, after its parameters are read', async () => {
    const answer = await aggregate({ group_by: ['active'] })
    expect([answer.status, answer.json.code]).toEqual([409, 'context_store_not_ready'])
    expectDocumented(executePath, answer)
    expect((await told({ group_by: ['color'] })).slice(0, 3)).toEqual([422, 'field_not_searchable', '/params/group_by/0'])
    await world.context.sync()
  })

  test('counts the records of each group, and tells how fresh the copy is', async () => {
    const answer = await aggregate(
      { group_by: ['active'], measures: { people: 'count', titles: { distinct: 'title' } } },
      { max_age: 3600 },
    )
    expectDocumented(executePath, answer)
    const listed = await listUsers(world, users)
    const rows = [false, true].map((active) => {
      const own = listed.filter((user) => user.active === active)
      return { active, people: own.length, titles: new Set(own.map(({ title }) => title).filter(Boolean)).size }
    })
    expect(answer.json.data).toEqual(rows)
    expect(answer.json.meta).toEqual({ has_more: false, cursor: null, took_ms: expect.any(Number), groups: 2 })
    expect(answer.json.context_store).toMatchObject({ status: 'ready', complete: true })
  })

  test('counts all records without groups and measures', async () => {
    const { json } = await aggregate(undefined)
    expect(json.data).toEqual([{ count: (await listUsers(world, users)).length }])
  })

  test('has pages, whose cursor belongs to the parameters', async () => {
    const params = { group_by: ['lastName'], sort: [{ count: 'desc' }] }
    const whole = await aggregate(params)
    const rows: Json[] = []
    let cursor: string | null | undefined
    do {
      const page: Answer = await aggregate({ ...params, limit: 7, ...(cursor === undefined ? {} : { cursor }) })
      expectDocumented(executePath, page)
      rows.push(...page.json.data)
      expect(page.json.meta.groups).toBe(whole.json.data.length)
      expect(page.json.meta).not.toHaveProperty('changed')
      cursor = page.json.meta.cursor
    } while (cursor !== null)
    expect(rows).toEqual(whole.json.data)
    const first = await aggregate({ ...params, limit: 1 })
    const other = await told({ group_by: ['firstName'], limit: 1, cursor: first.json.meta.cursor })
    expect(other.slice(0, 2)).toEqual([400, 'invalid_cursor'])
  })

  test('says when the copy has changed between pages', async () => {
    const params = { group_by: ['lastName'], limit: 1 }
    const { json } = await aggregate(params)
    const record = { key: 'added', fields: { id: '1', lastName: 'Aaardvark' } }
    const ref = { connector: users, kind: 'gong', entity: 'users' }
    await world.context.store.writeBatch(ref, { records: [record], asked: world.clock.now })
    const next = await aggregate({ ...params, cursor: json.meta.cursor })
    expectDocumented(executePath, next)
    expect(next.json.meta).toMatchObject({ changed: true })
  })

  test('refuses what it cannot compute, each with its field', async () => {
    const faults: readonly (readonly [params: object, code: string, at: string])[] = [
      [{ group_by: ['created'] }, 'operator_not_supported', '/params/group_by/0'],
      [{ group_by: [{ field: 'created', by: 'fortnight' }] }, 'invalid_parameter', '/params/group_by/0/by'],
      [{ group_by: [{ field: 'created', by: 'day', time_zone: 'Mars/Olympus' }] }, 'invalid_parameter', '/params/group_by/0/time_zone'],
      [{ group_by: [{ field: 'created', by: 'day', time_zone: '+02:00' }] }, 'invalid_parameter', '/params/group_by/0/time_zone'],
      [{ group_by: ['active', 'active'] }, 'invalid_parameter', '/params/group_by/1'],
      [{ group_by: ['settings'] }, 'operator_not_supported', '/params/group_by/0'],
      [{ measures: { a: { sum: 'active' } } }, 'operator_not_supported', '/params/measures/a/sum'],
      [{ measures: { a: { total: 'id' } } }, 'invalid_parameter', '/params/measures/a'],
      [{ measures: { 'a b': 'count' } }, 'invalid_parameter', '/params/measures/a b'],
      [{ measures: { a: { percentile: 'id', at: 2 } } }, 'invalid_parameter', '/params/measures/a/at'],
      [{ having: { gt: { active: 1 } } }, 'field_not_searchable', '/params/having/gt/active'],
      [{ sort: [{ id: 'asc' }] }, 'invalid_parameter', '/params/sort/0/id'],
      [{ query: { sort: [] } }, 'invalid_parameter', '/params/query/sort'],
      [{ groups: [] }, 'invalid_parameter', '/params/groups'],
    ]
    for (const [params, code, at] of faults) expect([params, ...(await told(params)).slice(1, 3)]).toEqual([params, code, at])
    expect((await told({ group_by: [{ field: 'active', by: 'day' }] })).at(-1)).toContain('boolean values are no times')
    const checked = await world.ask(`${connectorsPath}/${users}/validate`, {
      token: world.token,
      body: { entity: 'users', action: 'context_store_aggregate', params: { groups: [] } },
    })
    expect(checked.json.problem.code).toBe('invalid_parameter')
  })

  test('shows no other organization anything', async () => {
    const other = await createTenant(world, 'other')
    const body = { entity: 'users', action: 'context_store_aggregate' }
    const answer = await world.execute(users, body, other.token)
    expect([answer.status, answer.json.code]).toEqual([404, 'connector_not_found'])
  })

  test('a search counts all its records where that is asked', async () => {
    const all = (await listUsers(world, users)).length + 1 // that was added above
    const counted = await search(world, users, { entity: 'users', params: { query: {}, limit: 1, count: true } })
    expectDocumented(executePath, counted)
    expect(counted.json.meta).toMatchObject({ has_more: true, total: all })
    expect(counted.json.meta).not.toHaveProperty('total_at_least')
    const fault = await search(world, users, { entity: 'users', params: { query: {}, count: 'yes' } })
    expect([fault.status, fault.json.errors[0].field]).toEqual([422, '/params/count'])
  })
})
