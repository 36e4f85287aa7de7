/** The change feed of a whole connector over HTTP: each entity in its own order, none starved, none lost. */
import { expect, test, vi } from 'vitest'
import { connect as connectTo } from '../../packages/ferrule/src/index.ts'
import { mostEntities } from '../../packages/server/src/copies/changes/connector-feed.ts'
import { buildPrimaryKey } from '../../packages/server/src/copies/search/keys.ts'
import { Follower } from '../support/follower.ts'
import { share } from '../support/share.ts'
import { expectDocumented } from './contract.ts'
import { allFound, eventually, overStatements, startCopyWorld } from './search-support.ts'
import { type Answer, connectorsPath, type Json } from './support.ts'

const operation = `GET ${connectorsPath}/{connector_id}/changes`
const idOf = { users: 'id', settings_scorecards: 'scorecardId' } as const
type Entity = keyof typeof idOf

overStatements('a change feed of a connector', async (engine) => {
  let connector: string
  let number = 0
  const world = await share(startCopyWorld(engine))

  const ask = async (query: Readonly<Record<string, string | number>> = {}): Promise<Answer> => {
    const text = new URLSearchParams(Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]))
    const answer = await world.ask(`${connectorsPath}/${connector}/changes?${text}`, { token: world.token })
    expectDocumented(operation, answer)
    return answer
  }
  const connect = async (...entities: readonly Entity[]): Promise<void> => {
    number += 1
    const names = entities.length === 0 ? Object.keys(idOf) : entities
    connector = await world.connect(`all changes ${number}`, { entities: names.map((entity) => ({ entity })) })
    await world.context.sync()
  }
  const ref = (entity: Entity) => ({ connector, kind: 'gong', entity })
  const keyOf = (entity: Entity, id: string): string => {
    const key = buildPrimaryKey(world.context.store.getTable('gong', entity).key, { [idOf[entity]]: id })
    if (key === undefined) throw new Error(id)
    return key
  }
  const write = (entity: Entity, ids: readonly string[], fields: object = {}, removed: readonly string[] = []) =>
    world.context.store.writeBatch(ref(entity), {
      records: ids.map((id) => ({ key: keyOf(entity, id), fields: { [idOf[entity]]: id, ...fields } })),
      removed: removed.map((id) => keyOf(entity, id)),
      asked: world.clock.now,
    })
  /** Reads to the end. */
  const drain = async (after?: string, more: Readonly<Record<string, string | number>> = {}) => {
    const entries: Json[] = []
    for (let next = after; ; ) {
      const { status, text, json } = await ask({ ...(next === undefined ? {} : { after: next }), limit: 50, ...more })
      if (status !== 200) throw new Error(text)
      entries.push(...json.data)
      next = String(json.next)
      if (!json.has_more) return { entries, next }
    }
  }
  const found = async (entity: Entity) =>
    (await allFound(world, connector, { entity, params: { query: {} } })).map((record) => [record[idOf[entity]], record] as const)
  const brief = (entries: readonly Json[]) => entries.map(({ entity, type, key }) => [entity, type, ...(key === undefined ? [] : [key])])
  const typesOf = (entries: readonly Json[], entity: Entity) => entries.flatMap((each) => (each.entity === entity ? [each.type] : []))
  /** Waits until a wait of a client counts as a stream. */
  const waiting = () =>
    eventually(
      async () => (await world.ask('/metrics')).text,
      (text) => /^ferrule_event_streams 1$/m.test(text),
    )

  test('begins with all records of each entity, between its own marks', async () => {
    await connect()
    const { entries, next } = await drain()
    for (const entity of ['users', 'settings_scorecards'] as const) {
      const own = entries.filter((each) => each.entity === entity)
      expect([own[0], own.at(-1)]).toEqual([
        { entity, type: 'snapshot_begin' },
        { entity, type: 'snapshot_end' },
      ])
      expect(own.slice(1, -1).map(({ key, record }) => [key, record])).toEqual(await found(entity))
    }
    expect((await ask({ after: next })).json).toMatchObject({ data: [], next: expect.any(String), has_more: false })
  })

  test('is empty before the first sync, and each entity joins by itself with its own marks', async () => {
    number += 1
    connector = await world.connect(`all changes ${number}`, { entities: [{ entity: 'users' }] })
    const early = await drain()
    expect(early.entries).toEqual([])
    await world.context.sync()
    const first = await drain(early.next)
    expect(new Set(first.entries.map(({ entity }) => entity))).toEqual(new Set(['users']))
    const body = { entities: [{ entity: 'users' }, { entity: 'settings_scorecards' }] }
    await world.ask(`${connectorsPath}/${connector}`, { token: world.token, method: 'PATCH', body })
    await write('users', ['1'], { title: 'meanwhile' })
    const between = await drain(first.next)
    expect(brief(between.entries)).toEqual([['users', 'added', '1']])
    await world.context.sync()
    const later = await drain(between.next)
    const scorecards = typesOf(later.entries, 'settings_scorecards')
    expect([scorecards[0], scorecards.at(-1)]).toEqual(['snapshot_begin', 'snapshot_end'])
    expect(scorecards.length).toBe(2 + (await found('settings_scorecards')).length)
    expect(typesOf(later.entries, 'users')).not.toContain('snapshot_begin')
  })

  test('loses nothing where transactions of two entities commit in the opposite order', async () => {
    await connect()
    const { next } = await drain()
    const { store } = world.context
    const text = "select 1 from cs_entities where name like '%users' for update"
    const [held, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    // The embedded database runs one transaction at a time: there the one that begins last commits first of itself.
    const holding =
      engine === 'embedded'
        ? undefined
        : (await store.openDatabase()).transaction(async (session) => {
            await session.query({ text, values: [] })
            held.resolve()
            await release.promise
          })
    if (holding === undefined) held.resolve()
    await held.promise
    const begin = () => write('users', ['1'], { title: 'began first' })
    const first = holding === undefined ? undefined : begin()
    await write('settings_scorecards', ['2'], { scorecardName: 'committed first' })
    const told = await drain(next)
    expect(brief(told.entries)).toEqual([['settings_scorecards', 'added', '2']])
    release.resolve()
    await Promise.all([holding, first ?? begin()])
    expect(brief((await drain(told.next)).entries)).toEqual([['users', 'added', '1']])
  })

  test('gives each entity its share of a page', async () => {
    await connect()
    const { next } = await drain()
    const ids = Array.from({ length: 30 }, (_, index) => String(100 + index))
    await write('users', ids)
    await write('settings_scorecards', ['2', '3'])
    const page = (await ask({ after: next, limit: 6 })).json
    expect(brief(page.data).map(([entity]) => entity)).toEqual([...Array(3).fill('users'), ...Array(2).fill('settings_scorecards')])
    const singles: string[] = []
    for (let after = next; singles.length < 4; ) {
      const { json } = await ask({ after, limit: 1 })
      singles.push(...json.data.map(({ entity }: Json) => entity))
      after = String(json.next)
    }
    expect(singles).toEqual(['users', 'settings_scorecards', 'users', 'settings_scorecards'])
  })

  test('is no longer than its limit, and begins a new entity although others are busy', async () => {
    await connect('users')
    const { next } = await drain()
    const body = { entities: [{ entity: 'users' }, { entity: 'settings_scorecards' }] }
    await world.ask(`${connectorsPath}/${connector}`, { token: world.token, method: 'PATCH', body })
    await world.context.sync()
    await write('users', ['1', '2', '3', '4'])
    const kinds: string[] = []
    for (let after = next, more = true; more; ) {
      const { json } = await ask({ after, limit: 1 })
      expect(json.data.filter(({ key }: Json) => key !== undefined).length).toBeLessThanOrEqual(1)
      kinds.push(...brief(json.data).map(([entity, type]) => `${entity} ${type}`))
      after = String(json.next)
      more = json.has_more
    }
    expect(kinds.indexOf('settings_scorecards snapshot_begin')).toBeLessThan(2)
    expect(kinds.filter((each) => each === 'users added')).toHaveLength(4)
  })

  test('begins an entity again whose changes are lost, and only that one', async () => {
    await connect()
    const follower = new Follower<Json>()
    const { entries, next } = await drain()
    follower.take(entries.filter(({ entity }) => entity === 'users'))
    await world.context.store.deleteAll(ref('users'))
    await write('users', ['1'], { title: 'one' })
    await write('settings_scorecards', ['2'])
    const again = await drain(next)
    expect(typesOf(again.entries, 'users')).toEqual(['snapshot_begin', 'present', 'snapshot_end'])
    expect(typesOf(again.entries, 'settings_scorecards')).toEqual(['added'])
    follower.take(again.entries.filter(({ entity }) => entity === 'users'))
    expect([...follower.table]).toEqual(await found('users'))
  })

  test('has no gap, whatever is written between its pages', async () => {
    await connect()
    const followers = { users: new Follower<Json>(), settings_scorecards: new Follower() }
    let after: string | undefined
    const step = async (): Promise<boolean> => {
      const { json } = await ask({ ...(after === undefined ? {} : { after }), limit: 5 })
      for (const entry of json.data as Json[]) followers[entry.entity as Entity].take([entry])
      after = String(json.next)
      return json.has_more
    }
    for (let count = 0; count < 30; count += 1) {
      await step()
      const old = (entity: Entity) => [...followers[entity].table.keys()].at(count % 3) ?? '9'
      await write('users', [`7${count}`, old('users')], { title: `step ${count}` }, [String([...followers.users.table.keys()].at(-1))])
      await write('settings_scorecards', [`8${count}`, old('settings_scorecards')], { scorecardName: `step ${count}` })
      if (count === 15) await world.context.store.deleteAll(ref('settings_scorecards'))
    }
    while (await step());
    for (const entity of ['users', 'settings_scorecards'] as const) expect(followers[entity].table).toEqual(new Map(await found(entity)))
  })

  test('reads some entities, and keeps the position of the others', async () => {
    await connect()
    const { next } = await drain()
    await write('users', ['1'])
    await write('settings_scorecards', ['2'])
    const some = await drain(next, { entities: 'users' })
    expect(brief(some.entries)).toEqual([['users', 'added', '1']])
    expect(brief((await drain(some.next)).entries)).toEqual([['settings_scorecards', 'added', '2']])
    expect((await ask({ entities: 'nobody' })).json.code).toBe('entity_not_found')
    expect((await ask({ entities: 'workspaces' })).json.code).toBe('action_not_supported')
  })

  test('begins now: an empty page at once, and then what changes', async () => {
    await connect()
    const { json } = await ask({ after: 'now', wait: 30 })
    expect(json).toEqual({ data: [], next: expect.any(String), has_more: false })
    await write('users', ['1'])
    await write('settings_scorecards', ['2'])
    const { entries } = await drain(String(json.next))
    expect(brief(entries).toSorted()).toEqual([
      ['settings_scorecards', 'added', '2'],
      ['users', 'added', '1'],
    ])
  })

  test('refuses more entities than a cursor holds, and takes some of them', async () => {
    await connect()
    const { copies } = world.platform.syncs
    const names = Array.from({ length: mostEntities }, (_, index) => `entity_${index}`)
    const listed = vi.spyOn(copies, 'listFilled').mockResolvedValue(['users', ...names])
    const { status, json } = await ask()
    expect([status, json.code, json.errors[0].field]).toEqual([422, 'validation_failed', '/entities'])
    expect((await ask({ entities: 'users' })).status).toBe(200)
    listed.mockRestore()
  })

  test('takes a cursor of its own only', async () => {
    await connect()
    const { next } = await drain()
    const path = `${connectorsPath}/${connector}/entities/users/changes?after=${next}`
    expect((await world.ask(path, { token: world.token })).json.code).toBe('invalid_cursor')
    await connect('users')
    expect((await ask({ after: next })).json.code).toBe('invalid_cursor')
  })

  test('answers a wait with the first change of any entity, and refuses one whose token has ended', async () => {
    await connect()
    const { next } = await drain()
    const answer = ask({ after: next, wait: 30 })
    await waiting()
    await write('settings_scorecards', ['2'])
    const { json } = await answer
    expect(brief(json.data)).toEqual([['settings_scorecards', 'added', '2']])
    const late = ask({ after: String(json.next), wait: 30 })
    await waiting()
    world.clock.now += 3_600_000
    await write('users', ['1'])
    expect((await late).json.code).toBe('token_expired')
    world.clock.now -= 3_600_000
  })

  test('looks during a wait for entities that join', async () => {
    await connect('users')
    const { next } = await drain()
    const waits = vi.spyOn(world.context.store, 'waitForChange').mockResolvedValue(false)
    const listed = vi.spyOn(world.platform.syncs.copies, 'listFilled').mockResolvedValue(['users', 'settings_scorecards'])
    listed.mockResolvedValueOnce(['users']).mockResolvedValueOnce(['users'])
    const { json } = await ask({ after: next, wait: 30 })
    expect(waits).toHaveBeenCalledTimes(2)
    expect(typesOf(json.data, 'settings_scorecards')).toEqual(['snapshot_begin', 'snapshot_end'])
    for (const spy of [waits, listed]) spy.mockRestore()
  })

  test('is followed by the client', async () => {
    await connect()
    const gong = connectTo('gong', { url: world.url, token: world.token, connector })
    let cursor: string | undefined
    const users: unknown[] = []
    for await (const change of gong.changes({ follow: false, limit: 20 })) {
      if (change.entity === 'users' && change.type === 'present') users.push(change.record.id)
      cursor = change.cursor
    }
    expect(users).toEqual((await found('users')).map(([id]) => id))
    await write('users', ['1'])
    await write('settings_scorecards', ['2'])
    const told = await Array.fromAsync(gong.changes({ after: cursor, follow: false, entities: ['users'] }), (change) => [
      change.entity,
      change.type,
    ])
    expect(told).toEqual([['users', 'added']])
  })
})
