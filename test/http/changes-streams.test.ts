/** Changes as a stream of events: each page with its cursor as id, and an end with what allowed the stream. */
import type { IncomingMessage } from 'node:http'
import { describe, expect, test, vi } from 'vitest'
import { buildPrimaryKey } from '../../packages/server/src/copies/search/keys.ts'
import { share } from '../support/share.ts'
import { readEvents, type StreamedEvent } from './event-streams.ts'
import { eventually, onlyUsers, startCopyWorld } from './search-support.ts'
import { base, connectorsPath, createTenant, type Json, type Tenant } from './support.ts'

type Path = 'changes' | 'entities/users/changes'

const routeOf = (path: Path): string => `${connectorsPath}/{connector_id}/${path.replace('users', '{entity}')}`
const accept = 'text/event-stream'

const events = (answer: IncomingMessage, path: Path) => readEvents(answer, () => routeOf(path))

describe.each(['changes', 'entities/users/changes'] as const)('a stream of %s', async (path) => {
  let tenant: Tenant
  let number = 0
  const world = await share(startCopyWorld('postgres', { streams: { lookMs: 20 } }))

  const begin = async (): Promise<void> => {
    number += 1
    tenant = await createTenant(world, `Streams ${number}`, onlyUsers)
    await world.context.sync()
  }
  const open = async (query = '', headers: Readonly<Record<string, string>> = {}, token = tenant.token): Promise<IncomingMessage> => {
    const answer = await world.open(`${connectorsPath}/${tenant.connectorId}/${path}${query}`, { token, headers: { accept, ...headers } })
    expect([answer.statusCode, answer.headers['content-type'], answer.headers.vary]).toEqual([
      200,
      accept,
      expect.stringContaining('accept'),
    ])
    return answer
  }
  const write = (id: string) =>
    world.context.store.writeBatch(
      { connector: tenant.connectorId, kind: 'gong', entity: 'users' },
      {
        records: [{ key: String(buildPrimaryKey(world.context.store.getTable('gong', 'users').key, { id })), fields: { id } }],
        asked: world.clock.now,
      },
    )
  const next = async (stream: AsyncGenerator<StreamedEvent, void, undefined>): Promise<StreamedEvent> => {
    const { value } = await stream.next()
    if (value === undefined) throw new Error('the stream has ended')
    return value
  }
  const keysOf = ({ data }: StreamedEvent): string[] => data.data.flatMap(({ key }: Json) => key ?? [])
  const remove = (removed: string, token = tenant.token) => world.ask(removed, { method: 'DELETE', token })
  /** The last event of a stream that something ends. */
  const endOf = async (end: () => unknown, token = tenant.token): Promise<StreamedEvent | undefined> => {
    let last: StreamedEvent | undefined
    const stream = events(await open('?after=now', {}, token), path)
    await next(stream)
    await end()
    for await (const each of stream) last = each
    return last
  }

  test('has all records and then each change, and continues after the last id', async () => {
    await begin()
    const answer = await open('?limit=10')
    const stream = events(answer, path)
    const told = [await next(stream)]
    while (told.at(-1)?.data.has_more) told.push(await next(stream))
    const types = told.flatMap(({ data }) => data.data.map(({ type }: Json) => type))
    expect([types[0], types.at(-1), types.length]).toEqual(['snapshot_begin', 'snapshot_end', expect.toSatisfy((count) => count > 12)])
    expect(told.every(({ event, id, data }) => event === 'changes' && id === data.next)).toBe(true)
    expect((await world.ask('/metrics')).text).toMatch(/^ferrule_event_streams 1$/m)
    await write('1')
    const change = await next(stream)
    expect(keysOf(change)).toEqual(['1'])
    answer.destroy()
    await write('2')
    const again = events(await open('?after=now', { 'last-event-id': String(change.id) }), path)
    expect(keysOf(await next(again))).toEqual(['2'])
    await again.return()
    await eventually(
      async () => (await world.ask('/metrics')).text,
      (text) => /^ferrule_event_streams 0$/m.test(text),
    )
  })

  test('refuses with a problem, as a page does', async () => {
    await begin()
    const sent = { token: tenant.token, headers: { accept, 'last-event-id': 'nothing' } }
    const { status, json } = await world.ask(`${connectorsPath}/${tenant.connectorId}/${path}`, sent)
    expect([status, json.code]).toEqual([400, 'invalid_cursor'])
  })

  test('ends with the token', async () => {
    await begin()
    const last = await endOf(() => {
      world.clock.now += 16 * 60_000
    })
    expect(last).toMatchObject({ event: 'end', data: { code: 'token_expired' } })
  })

  test('ends with a revoked token', async () => {
    await begin()
    const { json: second } = await world.ask(`${base}/account/applications`, { token: tenant.token, body: { name: 'second' } })
    const sent = { body: { client_id: second.client_id, client_secret: second.client_secret } }
    const { json: issued } = await world.ask(`${base}/account/applications/token`, sent)
    const last = await endOf(() => remove(`${base}/account/applications/${second.id}`), String(issued.access_token))
    expect(last).toMatchObject({
      event: 'end',
      data: {
        code: 'organization_forbidden',
        hint: expect.stringMatching(/^The application of the token was deleted.* another application\.$/),
      },
    })
    expect(JSON.stringify(last)).not.toContain('X-Organization-Id')
  })

  test('ends with its connector', async () => {
    await begin()
    const last = await endOf(() => remove(`${connectorsPath}/${tenant.connectorId}`))
    expect(last).toMatchObject({ event: 'end', data: { code: 'connector_not_found' } })
  })

  test('tells nothing to a token that ended between two looks', async () => {
    await begin()
    const last = await endOf(async () => {
      world.clock.now += 16 * 60_000
      await write('1')
    })
    expect(last?.event).toBe('end')
  })
})

test('a stream whose organization has no calls left goes on when it has', async () => {
  const world = await startCopyWorld('postgres', { settings: { rateLimit: 2 } }) // for the check of the connector, and one page
  try {
    const connector = await world.connect('limited', onlyUsers)
    await world.context.sync()
    const path = `${connectorsPath}/${connector}/changes`
    const answer = await world.open(`${path}?after=now`, { token: world.token, headers: { accept } })
    const stream = events(answer, 'changes')
    await stream.next()
    expect((await world.ask(path, { token: world.token })).status).toBe(429)
    world.clock.now += 59_900
    const { admission } = world.platform
    const refused = vi.spyOn(admission, 'admit')
    const { store } = world.context
    const key = String(buildPrimaryKey(store.getTable('gong', 'users').key, { id: '1' }))
    await store.writeBatch({ connector, kind: 'gong', entity: 'users' }, { records: [{ key, fields: { id: '1' } }], asked: 1 })
    await expect.poll(() => refused.mock.calls.length).toBeGreaterThan(1)
    world.clock.now += 200
    expect((await stream.next()).value).toMatchObject({ event: 'changes', data: { data: [{ entity: 'users', type: 'added', key: '1' }] } })
    await stream.return()
  } finally {
    await world.close()
  }
})
