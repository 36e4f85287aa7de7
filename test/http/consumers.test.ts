/** Registered consumers of changes over HTTP: each keeps its cursor, and nothing that it has not read is lost without a word. */
import { afterEach, expect, test } from 'vitest'
import { connect as connectTo } from '../../packages/ferrule/src/index.ts'
import { mostConsumers } from '../../packages/ferrule/src/wire/index.ts'
import { Consumers } from '../../packages/server/src/copies/changes/consumers.ts'
import { buildPrimaryKey } from '../../packages/server/src/copies/search/keys.ts'
import { share } from '../support/share.ts'
import { overStatements, startCopyWorld } from './search-support.ts'
import { type Answer, client, connectorsPath, createTenant, type Json, tokenPath } from './support.ts'

overStatements('a consumer of changes', async (engine) => {
  let connector: string
  let id = 0
  const world = await share(startCopyWorld(engine))
  const entities = ['users', 'settings_scorecards'].map((entity) => ({ entity }))
  connector = await world.connect('consumers', { entities })
  await world.context.sync()
  const other = await world.connect('other', { entities })
  afterEach(async () => {
    for (const { name } of await world.platform.consumerRows.list({ organizationId: world.organizationId, connectorId: connector }))
      await ask('DELETE', `/consumers/${name}`)
  })

  const ask = (method: string, path: string, body?: unknown, token = world.token): Promise<Answer> =>
    world.ask(`${connectorsPath}/${connector}${path}`, { method, token, ...(body === undefined ? {} : { body }) })
  const save = async (body: object = {}, name = 'warehouse'): Promise<Json> => (await ask('PUT', `/consumers/${name}`, body)).json
  const get = async (name = 'warehouse'): Promise<Json> => (await ask('GET', `/consumers/${name}`)).json
  const read = async (query = 'consumer=warehouse'): Promise<Json> => (await ask('GET', `/changes?limit=1000&${query}`)).json
  /** Reads to the end, and keeps the cursor. */
  const catchUp = async (): Promise<Json> => {
    await save()
    const { next } = await read()
    return save({ cursor: next })
  }
  const ref = (entity = 'users') => ({ connector, kind: 'gong', entity })
  /** Writes a new user. */
  const write = (fields: object = {}) => {
    id += 1
    const key = buildPrimaryKey(world.context.store.getTable('gong', 'users').key, { id: String(id) })
    if (key === undefined) throw new Error(String(id))
    return world.context.store.writeBatch(ref(), { records: [{ key, fields: { id: String(id), ...fields } }], asked: world.clock.now })
  }
  const typesOf = ({ data }: Json, entity = 'users') => data.flatMap((each: Json) => (each.entity === entity ? [each.type] : []))
  const readKeptFor = async (): Promise<readonly unknown[]> => {
    const { rows } = await (await world.context.store.openDatabase()).query({
      text: `select e.kept_for from cs_entities e join cs_connectors c on c.number = e.connector_id where c.id = $1 and e.name like '%users'`,
      values: [connector],
    })
    return rows.map((row) => Reflect.get(row, 'kept_for'))
  }

  test('begins with all records, and stays where it was put', async () => {
    const made = await save()
    expect(made).toEqual({
      ...{ name: 'warehouse', entities: null, cursor: null, status: 'active', status_reason: null, positions: [] },
      ...{ unread_bytes: 0, unread_since: null, created_at: expect.any(String), moved_at: null },
    })
    const first = await read()
    expect(typesOf(first).slice(0, 2)).toEqual(['snapshot_begin', 'present'])
    expect(await read()).toMatchObject({ data: first.data })
    const moved = await save({ cursor: first.next })
    expect(moved).toMatchObject({ status: 'active', unread_bytes: 0, moved_at: expect.any(String) })
    expect(moved.positions.map(({ entity, state }: Json) => [entity, state]).toSorted()).toEqual([
      ['settings_scorecards', 'following'],
      ['users', 'following'],
    ])
    expect((await read()).data).toEqual([])
    await write({ title: 'one' })
    for (const _ of [1, 2]) expect((await read()).data).toMatchObject([{ entity: 'users', type: 'added', key: String(id) }])
    expect(await save()).toMatchObject({ cursor: expect.any(String), created_at: made.created_at })
    expect((await read()).data).toHaveLength(1)
    expect((await read(`after=${(await get()).cursor}`)).data).toHaveLength(1)
  })

  test('shows how much it has not read, and since when', async () => {
    await save({ entities: ['users'] })
    await catchUp()
    world.clock.now += 60_000
    const at = new Date(world.clock.now).toISOString()
    await write()
    world.clock.now += 60_000
    await write()
    const [listed] = (await ask('GET', '/consumers')).json.data
    expect(listed).toMatchObject({ name: 'warehouse', status: 'active', unread_since: at })
    expect(listed.unread_bytes).toBeGreaterThan(200)
    expect(listed.positions).toEqual([{ entity: 'users', state: 'following', unread_bytes: listed.unread_bytes, unread_since: at }])
  })

  test('reads its entities', async () => {
    expect(await save({ entities: ['users'] })).toMatchObject({ entities: ['users'] })
    expect(typesOf(await read(), 'settings_scorecards')).toEqual([])
    const all = await read('after=now')
    await write()
    const moved = await save({ cursor: all.next })
    expect(moved.positions.map(({ entity }: Json) => entity)).toEqual(['users'])
    expect((await save({ entities: null })).positions).toHaveLength(2)
    expect(await save({ entities: ['nobody'] })).toMatchObject({ code: 'entity_not_found' })
    expect((await read('consumer=warehouse&after=now')).errors[0].field).toBe('/consumer')
    expect((await read('consumer=warehouse&entities=users')).errors[0].field).toBe('/consumer')
  })

  test('takes cursors of its connector only', async () => {
    const { next } = await read('after=now')
    const ofEntity = (await ask('GET', '/entities/users/changes?after=now')).json.next
    expect(await save({ cursor: ofEntity })).toMatchObject({ code: 'invalid_cursor' })
    const elsewhere = await world.ask(`${connectorsPath}/${other}/consumers/warehouse`, {
      method: 'PUT',
      token: world.token,
      body: { cursor: next },
    })
    expect(elsewhere.json.code).toBe('invalid_cursor')
    expect(await save({ cursor: 'none' })).toMatchObject({ code: 'invalid_cursor' })
    expect(await get()).toMatchObject({ code: 'consumer_not_found' })
    expect(await read()).toMatchObject({ code: 'consumer_not_found' })
    expect(await save({}, 'a%20b')).toMatchObject({ code: 'validation_failed', errors: [{ field: '/name' }] })
  })

  test('is one process: the cursor of another one is not overwritten', async () => {
    await save()
    const { next } = await read()
    expect(await save({ cursor: next, replaces: null })).toMatchObject({ cursor: expect.any(String) })
    expect(await save({ cursor: next, replaces: null })).toMatchObject({ cursor: expect.any(String) }) // the answer was lost
    await write()
    const later = (await read()).next
    expect(await save({ cursor: later, replaces: null })).toMatchObject({ code: 'consumer_moved', status: 409 })
    expect((await save({ cursor: later, replaces: next })).unread_bytes).toBe(0)
  })

  test('is registered and deleted by those who change connectors, and moved by those who read', async () => {
    const { json } = await world.ask(tokenPath, { body: { client_id: client.id, client_secret: client.secret, scope: 'execute:read' } })
    const reader = String(json.access_token)
    const put = async (body: object) => (await ask('PUT', '/consumers/warehouse', body, reader)).json
    expect(await put({})).toMatchObject({ code: 'insufficient_scope' })
    await save()
    const { next } = await read()
    expect(await put({ cursor: next })).toMatchObject({ moved_at: expect.any(String) })
    expect(await put({ entities: ['users'] })).toMatchObject({ code: 'insufficient_scope' })
    expect((await ask('DELETE', '/consumers/warehouse', undefined, reader)).json.code).toBe('insufficient_scope')
  })

  test('holds the log where it is, and lets it go', async () => {
    await save()
    expect(await readKeptFor()).toEqual([null])
    await catchUp()
    const [first] = await readKeptFor()
    expect(first).toEqual(expect.any(BigInt))
    await write()
    const { next } = await read()
    await save({ cursor: (await get()).cursor }, 'second')
    await save({ cursor: next })
    expect(await readKeptFor()).toEqual([first])
    await save({ cursor: next }, 'second')
    expect(Number((await readKeptFor())[0])).toBeGreaterThan(Number(first))
    for (const name of ['warehouse', 'second']) expect((await ask('DELETE', `/consumers/${name}`)).json).toMatchObject({ name })
    expect(await readKeptFor()).toEqual([null])
    expect((await ask('DELETE', '/consumers/second')).json.code).toBe('consumer_not_found')
  })

  test('loses nothing when the service is killed between both databases', async () => {
    await save({ entities: ['users'] })
    await catchUp()
    const early = (await get()).cursor
    await write()
    await catchUp()
    const { platform, context, clock } = world
    const principal = await platform.tokens.authenticate(world.token, undefined)
    const access = await platform.connectors.readAccess(principal, connector)
    const killed = () => Promise.reject(new Error('killed'))
    const keys = { cursorKey: () => platform.cursorKey(), clock: () => clock.now }
    /** Consumers whose writes succeed so often: after that the process has ended. */
    const until = (writes: number): Consumers => {
      let left = writes
      const count = <T>(write: () => Promise<T>): Promise<T> => {
        left -= 1
        return left < 0 ? killed() : write()
      }
      return new Consumers({
        ...keys,
        rows: {
          ...platform.consumerRows,
          save: (...args) => count(() => platform.consumerRows.save(...args)),
          remove: (...args) => count(() => platform.consumerRows.remove(...args)),
        },
        store: {
          readLogStates: (refs) => context.store.readLogStates(refs),
          readLog: (ref, from) => context.store.readLog(ref, from),
          keepChanges: (ref, find) => count(() => context.store.keepChanges(ref, find)),
        },
      })
    }
    /** Positions of all consumers in users, and that of the log. */
    const look = async () => {
      const rows = await platform.consumerRows.list(access.ref)
      const positions = rows.flatMap((row) => (row.positions === null ? [] : [BigInt(JSON.parse(row.positions)[2])]))
      const [keptFor] = await readKeptFor()
      return { least: positions.toSorted((a, b) => (a < b ? -1 : 1))[0], keptFor }
    }
    const late = (await get()).cursor
    for (const cursor of [early, late, early])
      for (let writes = 0; writes < 3; writes += 1) {
        await until(writes)
          .save(access, { principal, name: 'warehouse', body: { cursor } })
          .catch(() => undefined)
        const { least, keptFor } = await look()
        expect(typeof keptFor === 'bigint' && least !== undefined && keptFor <= least).toBe(true)
        await save({ cursor: cursor === early ? late : early })
      }
    await save({ cursor: late })
    for (let writes = 0; writes < 3; writes += 1) {
      await until(writes)
        .remove(access, 'warehouse')
        .catch(() => undefined)
      const { least, keptFor } = await look()
      expect(least !== undefined || keptFor === null).toBe(true)
      await save({ cursor: late })
    }
  })

  test('is bounded in number', async () => {
    for (let count = 0; count < mostConsumers.ofConnector; count += 1)
      expect((await ask('PUT', `/consumers/c${count}`, {})).status).toBe(200)
    expect(await save()).toMatchObject({ code: 'validation_failed', errors: [{ error_code: 'limit' }] })
    expect((await ask('GET', '/consumers')).json.data).toHaveLength(mostConsumers.ofConnector)
  })

  test('keeps its cursor by the client when a page was handled', async () => {
    const gong = connectTo('gong', { url: world.url, token: world.token, connector })
    const handled: unknown[] = []
    const follow = async (most = Number.POSITIVE_INFINITY) => {
      const told: unknown[] = []
      for await (const change of gong.changes({ consumer: 'warehouse', entities: ['users'], follow: false, limit: 5 })) {
        if ('key' in change) told.push(change.key)
        if (told.length >= most) break
      }
      handled.push(...told)
      return told
    }
    const broken = await follow(7)
    const rest = await follow()
    expect(rest.slice(0, 2)).toEqual(broken.slice(5)) // the page that was not handled comes again
    expect(await follow()).toEqual([])
    await write()
    expect(await follow()).toEqual([String(id)])
    expect(await follow()).toEqual([])
    const wrong = async () => {
      for await (const _ of gong.changes({ consumer: 'warehouse', after: 'now' }));
    }
    await expect(wrong()).rejects.toMatchObject({ code: 'validation_failed' })
  })

  test('says what is lost, and reads on with all records', async () => {
    await catchUp()
    await world.context.store.deleteAll(ref())
    await write()
    const lost = await get()
    expect(lost).toMatchObject({
      status: 'expired',
      status_reason: expect.stringContaining('The changes of users are no longer kept. Read on'),
    })
    expect(lost.positions).toContainEqual({ entity: 'users', state: 'expired', unread_bytes: null, unread_since: null })
    const before = await read()
    expect(before).toMatchObject({ data: [], has_more: true })
    await save({ cursor: before.next })
    const page = await read()
    expect(typesOf(page)).toEqual(['snapshot_begin', 'present', 'snapshot_end'])
    expect(await save({ cursor: page.next })).toMatchObject({ status: 'active', status_reason: null })
  })

  test('goes with its connector, and is nobody else', async () => {
    connector = other
    await save()
    const stranger = await createTenant(world, `stranger ${engine}`)
    for (const path of ['/consumers', '/consumers/warehouse', '/changes?consumer=warehouse'])
      expect((await ask('GET', path, undefined, stranger.token)).json.code).toBe('connector_not_found')
    const owner = { organizationId: world.organizationId, connectorId: connector }
    expect(await world.platform.consumerRows.list(owner)).toHaveLength(1)
    expect(await world.platform.consumerRows.list({ ...owner, organizationId: stranger.organizationId })).toEqual([])
    await ask('DELETE', '')
    expect(await world.platform.consumerRows.list(owner)).toEqual([])
  })
})
