/** The change feed over HTTP: all records once, then what changes, without a gap, for those who may search. */
import { expect, test, vi } from 'vitest'
import { connect as connectTo } from '../../packages/ferrule/src/index.ts'
import { buildPrimaryKey } from '../../packages/server/src/copies/search/keys.ts'
import { Follower } from '../support/follower.ts'
import { share } from '../support/share.ts'
import { expectDocumented } from './contract.ts'
import { allFound, eventually, onlyUsers, overStatements, startCopyWorld, syncedConnector } from './search-support.ts'
import { type Answer, client, connectorsPath, createTenant, type Json, tokenPath } from './support.ts'

const operation = `GET ${connectorsPath}/{connector_id}/entities/{entity}/changes`

overStatements('a change feed', async (engine) => {
  let connector: string
  let number = 0
  const timers = vi.spyOn(globalThis, 'setInterval')
  const world = await share(startCopyWorld(engine))
  /** Does what the service does every ten minutes. */
  const purge = timers.mock.calls.find(([, ms]) => ms === 600_000)?.[0] ?? expect.unreachable()
  timers.mockRestore()

  const ask = async (query: Readonly<Record<string, string | number>> = {}, entity = 'users', token = world.token): Promise<Answer> => {
    const text = new URLSearchParams(Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]))
    const answer = await world.ask(`${connectorsPath}/${connector}/entities/${entity}/changes?${text}`, { token })
    expectDocumented(operation, answer)
    return answer
  }
  /** Makes a connector with a copy of its users. */
  const connect = async (): Promise<void> => {
    number += 1
    connector = await world.connect(`changes ${number}`, { entities: [{ entity: 'users' }] })
    await world.context.sync()
  }
  const ref = () => ({ connector, kind: 'gong', entity: 'users' })
  const keyOf = (id: string): string => {
    const key = buildPrimaryKey(world.context.store.getTable('gong', 'users').key, { id })
    if (key === undefined) throw new Error(id)
    return key
  }
  const write = (users: Readonly<Record<string, object>>, removed: readonly string[] = []) =>
    world.context.store.writeBatch(ref(), {
      records: Object.entries(users).map(([id, fields]) => ({ key: keyOf(id), fields: { id, ...fields } })),
      removed: removed.map(keyOf),
      asked: world.clock.now,
    })
  /** Reads to the end. */
  const drain = async (after?: string): Promise<{ readonly entries: Json[]; readonly next: string }> => {
    const entries: Json[] = []
    for (let next = after; ; ) {
      const { status, text, json } = await ask({ ...(next === undefined ? {} : { after: next }), limit: 50 })
      if (status !== 200) throw new Error(text)
      entries.push(...json.data)
      next = String(json.next)
      if (!json.has_more) return { entries, next }
    }
  }
  const found = async () =>
    new Map((await allFound(world, connector, { entity: 'users', params: { query: {} } })).map((record) => [record.id, record]))

  test('waits for the first sync, and is of searchable entities', async () => {
    connector = await world.connect('early', { entities: [{ entity: 'users' }] })
    const early = await ask()
    expect([early.status, early.json.code]).toEqual([409, 'context_store_not_ready'])
    expect((await ask({}, 'workspaces')).json.code).toBe('action_not_supported')
    expect((await ask({}, '__proto__')).json.code).toBe('entity_not_found')
    expect((await ask({ wait: 31 })).json.code).toBe('validation_failed')
  })

  test('begins with all records between marks, as a search returns them', async () => {
    await connect()
    const { entries, next } = await drain()
    expect([entries[0], entries.at(-1)]).toEqual([{ type: 'snapshot_begin' }, { type: 'snapshot_end' }])
    const records = entries.slice(1, -1)
    expect(records.every(({ type, key, record }) => type === 'present' && key === record.id)).toBe(true)
    expect(records.map(({ record }) => record)).toEqual([...(await found()).values()])
    expect((await ask({ after: next })).json).toMatchObject({ data: [], has_more: false })
  })

  test('tells what was added, changed and removed since, joined by record', async () => {
    await connect()
    const { next } = await drain()
    await write({ 1: { title: 'one' }, 2: { title: 'two' } })
    await write({ 2: { title: 'second' }, 3: { title: 'three' } })
    const told = await drain(next)
    expect(told.entries.map(({ type, key, cause }) => [type, key, cause])).toEqual([
      ['added', '1', 'sync'],
      ['added', '3', 'sync'],
      ['added', '2', 'sync'],
    ])
    expect(told.entries[2].record).toEqual((await found()).get('2'))
    await write({ 1: { title: 'first' }, 2: { title: 'second', active: true } })
    await write({ 1: { title: 'first', firstName: 'A' } }, ['3'])
    const { entries } = await drain(told.next)
    expect(entries.map(({ type, key, fields }) => [type, key, fields])).toEqual([
      ['changed', '2', ['active']],
      ['removed', '3', undefined],
      ['changed', '1', ['title', 'firstName']],
    ])
    expect(Object.hasOwn(entries[1], 'record')).toBe(false)
  })

  test('has no gap and loses nothing, whatever is written between its pages', async () => {
    await connect()
    const follower = new Follower<Json>()
    let after: string | undefined
    for (let step = 0; step < 60; step += 1) {
      const { json } = await ask({ ...(after === undefined ? {} : { after }), limit: 7 })
      follower.take(json.data)
      after = String(json.next)
      const ids = [...follower.table.keys()]
      const old = ids[step % Math.max(1, ids.length)] ?? '1'
      if (step < 40) await write({ [`9${step}`]: { title: `of ${step}` }, [old]: { title: `again ${step}` } }, [String(ids.at(-1))])
    }
    const { entries } = await drain(after)
    follower.take(entries)
    expect(follower.table).toEqual(await found())
  })

  test('expires with the copy, and a new beginning drops what is gone', async () => {
    await connect()
    const follower = new Follower<Json>()
    const { entries, next } = await drain()
    follower.take(entries)
    await world.context.store.deleteAll(ref())
    await write({ 1: { title: 'one' } })
    const answer = await ask({ after: next })
    expect([answer.status, answer.json.code]).toEqual([410, 'changes_expired'])
    await world.ask(`${connectorsPath}/${connector}/syncs`, { token: world.token, body: {} })
    await world.context.sync()
    follower.take((await drain()).entries)
    expect(follower.table).toEqual(await found())
  })

  test('expires when its days are over, and only then', async () => {
    await connect()
    const { next } = await drain()
    await write({ 1: { title: 'one' } })
    world.clock.now += 6 * 86_400_000
    const token = await freshToken()
    expect((await ask({ after: next }, 'users', token)).json.data).toHaveLength(1)
    world.clock.now += 2 * 86_400_000
    await world.context.store.purgeExpired(world.clock.now)
    const answer = await ask({ after: next }, 'users', await freshToken())
    expect([answer.status, answer.json.code]).toEqual([410, 'changes_expired'])
    world.clock.now -= 8 * 86_400_000
  })

  test('has the days of its connector', async () => {
    await connect()
    const path = `${connectorsPath}/${connector}`
    const change = async (days: unknown) =>
      (await world.ask(path, { method: 'PATCH', token: await freshToken(), body: { changes_days: days } })).json
    for (const wrong of [0, 91, 1.5, '7'])
      expect(await change(wrong)).toMatchObject({ code: 'validation_failed', errors: [{ field: '/changes_days' }] })
    const { next } = await drain()
    await write({ 1: { title: 'one' } })
    expect((await change(30)).changes_days).toBe(30)
    expect((await world.ask(`${path}/context_store`, { token: world.token })).json.changes_days).toBe(30)
    await purge()
    world.clock.now += 20 * 86_400_000
    await purge()
    expect((await ask({ after: next }, 'users', await freshToken())).json.data).toHaveLength(1)
    expect((await change(null)).changes_days).toBeNull()
    expect((await world.ask(`${path}/context_store`, { token: await freshToken() })).json.changes_days).toBe(7)
    await purge()
    expect((await ask({ after: next }, 'users', await freshToken())).json.code).toBe('changes_expired')
    world.clock.now -= 20 * 86_400_000
  })

  test('takes a cursor of its own only', async () => {
    await connect()
    const { next } = await drain()
    const first = connector
    await connect()
    expect((await ask({ after: next })).json.code).toBe('invalid_cursor')
    expect((await ask({ after: `${next}x` })).json.code).toBe('invalid_cursor')
    connector = first
    expect((await ask({ after: next })).status).toBe(200)
  })

  test('begins now: an empty page at once, and then what changes', async () => {
    await connect()
    const { json } = await ask({ after: 'now', wait: 30 })
    expect(json).toEqual({ data: [], next: expect.any(String), has_more: false })
    await write({ 1: { title: 'one' } })
    expect((await ask({ after: 'now' })).json.data).toEqual([])
    expect((await ask({ after: json.next })).json.data).toMatchObject([{ type: 'added', key: '1' }])
    const gong = connectTo('gong', { url: world.url, token: world.token, connector })
    const changes = gong.users.changes({ after: 'now' })
    const next = changes.next()
    await waiting()
    await write({ 2: { title: 'two' } })
    expect((await next).value).toMatchObject({ type: 'added', key: '2' })
    await changes.return()
  })

  test('answers a wait with the first change', async () => {
    await connect()
    const { next } = await drain()
    const answer = ask({ after: next, wait: 30 })
    await waiting()
    await write({ 1: { title: 'one' } })
    expect((await answer).json.data).toMatchObject([{ type: 'added', key: '1' }])
  })

  test('refuses at the end of a wait whose token has ended', async () => {
    await connect()
    const { next } = await drain()
    const answer = ask({ after: next, wait: 30 })
    await waiting()
    world.clock.now += 3_600_000
    await write({ 1: { title: 'one' } })
    expect((await answer).json.code).toBe('token_expired')
    world.clock.now -= 3_600_000
  })

  test('cuts a page of large records, and goes on with the next', async () => {
    await connect()
    const { next } = await drain()
    const title = 'x'.repeat(1_000_000)
    const ids = Array.from({ length: 20 }, (_, index) => String(10 + index))
    for (const id of ids) await write({ [id]: { title: `${title}${id}` } })
    const page = await ask({ after: next })
    expect(page.json.data.length).toBeLessThan(20)
    expect(page.json.has_more).toBe(true)
    const rest = await drain(String(page.json.next))
    expect([...page.json.data, ...rest.entries].map(({ key }) => key)).toEqual(ids)
  })

  test('loses nothing of a record that changes twice in a page that is cut', async () => {
    await connect()
    await write({ 2: { title: 'old', firstName: 'old' } })
    const { next } = await drain()
    const title = 'x'.repeat(1_000_000)
    await write({ 1: { title: 'new' }, 2: { title: 'other', firstName: 'old' } })
    for (let id = 10; id < 30; id += 1) await write({ [id]: { title: `${title}${id}` } })
    await write({ 1: { title: 'newer' }, 2: { title: 'other', firstName: 'other' } })
    const { entries } = await drain(next)
    const told = (key: string) => entries.filter((entry) => entry.key === key)
    expect(told('1')[0]?.type).toBe('added')
    expect(new Set(told('2').flatMap(({ fields }) => fields))).toEqual(new Set(['title', 'firstName']))
    expect(told('29')).toHaveLength(1)
  })

  test('tells of a record that was read after it had to be forgotten', async () => {
    await connect()
    const { next } = await drain()
    await write({ 1: { title: 'one' } })
    await world.context.store.forgetRecords({ ...ref(), values: ['1'], below: [], at: world.clock.now - 60_000, redacts: true })
    expect((await ask({ after: next })).json).toMatchObject({ data: [{ type: 'added', key: '1' }], has_more: false })
  })

  test('is followed by the client', async () => {
    await connect()
    const gong = connectTo('gong', { url: world.url, token: world.token, connector })
    const seen: string[] = []
    let cursor: string | undefined
    for await (const change of gong.users.changes({ follow: false, limit: 20 })) {
      seen.push(change.type === 'present' ? String(change.record.id) : change.type)
      cursor = change.cursor
    }
    expect(seen).toEqual(['snapshot_begin', ...(await found()).keys(), 'snapshot_end'])
    const changes = gong.users.changes({ after: cursor })
    const next = changes.next()
    await waiting()
    await write({ 1: { title: 'one' } }, [String(seen[1])])
    const told = [(await next).value, (await changes.next()).value]
    expect(told).toMatchObject([
      { type: 'removed', key: seen[1], cursor },
      { type: 'added', key: '1' },
    ])
    await changes.return()
    expect(told[1]?.cursor).not.toBe(cursor)
  })

  /** Waits until a wait of a client counts as a stream. */
  const waiting = () =>
    eventually(
      async () => (await world.ask('/metrics')).text,
      (text) => /^ferrule_event_streams 1$/m.test(text),
    )
  const freshToken = async (): Promise<string> => {
    const { json } = await world.ask('/api/v1/account/applications/token', {
      body: { client_id: 'test-client', client_secret: 'a-secret-for-tests' },
    })
    return String(json.access_token)
  }
})

overStatements('the entities that an organization follows', async (engine) => {
  const world = await share(startCopyWorld(engine, { settings: { changesEntities: 2 } }))

  test('are bounded: what is followed goes on, others are refused, and another organization notices nothing', async () => {
    const entities = ['users', 'settings_scorecards', 'calls'].map((entity) => ({ entity }))
    const connector = await world.connect('bounded', { entities })
    const other = await createTenant(world, 'other', { entities })
    await world.context.sync()
    let { token } = world
    const ask = (path: string, id = connector, as = token): Promise<Answer> => world.ask(`${connectorsPath}/${id}/${path}`, { token: as })
    const first = await ask('entities/users/changes')
    expect(first.status).toBe(200)
    expect((await ask('entities/settings_scorecards/changes?after=now')).status).toBe(200)
    for (const path of ['entities/calls/changes', 'entities/calls/changes?after=now', 'changes?limit=1000', 'changes?after=now']) {
      const { status, json } = await ask(path)
      expect([status, json.code, json.errors[0].error_code]).toEqual([422, 'validation_failed', 'limit'])
      expect(json.detail).toMatch(
        /2 entities, the most that the service lets it \(FERRULE_CHANGES_ENTITIES\); one that nobody reads is left out/,
      )
      if (path.startsWith('changes?'))
        expect(json.errors[0].message).toMatch(
          /\(changes_days\)\. Those of this connector are read with entities=(users,settings_scorecards|settings_scorecards,users)\.$/,
        )
    }
    const none = await ask('changes', await syncedConnector(world, 'none', onlyUsers))
    expect(none.json.errors[0].message).toMatch(/\(changes_days\)\. None of this connector is among them\.$/)
    expect((await ask(`entities/users/changes?after=${first.json.next}`)).status).toBe(200)
    expect((await ask('changes?entities=users,settings_scorecards')).status).toBe(200)
    expect((await ask('changes?entities=users,calls', other.connectorId, other.token)).status).toBe(200)

    world.clock.now += 8 * 86_400_000
    await world.context.store.purgeExpired(world.clock.now)
    const { json } = await world.ask(tokenPath, { body: { client_id: client.id, client_secret: client.secret } })
    token = String(json.access_token)
    expect((await ask('entities/calls/changes')).status).toBe(200)
  })
})
