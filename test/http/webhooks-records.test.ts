/** A receiver of `records.changed` that reads changes from the cursors it gets has the same records as the copy. */
import { afterAll, expect, test } from 'vitest'
import { verifyWebhook } from '../../packages/ferrule/src/index.ts'
import { createRecordLogs } from '../../packages/server/src/copies/changes/record-logs.ts'
import { buildPrimaryKey } from '../../packages/server/src/copies/search/keys.ts'
import { allFound, overStatements, startCopyWorld } from './search-support.ts'
import { base, connectorsPath, type Json } from './support.ts'
import { endpointsPath, Receiver } from './webhook-support.ts'

overStatements('a receiver of records.changed', async (engine) => {
  const receiver = await new Receiver().start()
  const world = await startCopyWorld(engine, { settings: { webhookHosts: ['127.0.0.1'] } })
  const { platform, context, clock } = world
  const keys = { cursorKey: () => platform.cursorKey(), clock: () => clock.now }
  const worker = platform.eventWorker({ logs: createRecordLogs({ store: context.store, ...keys }) })
  const ask = async (method: string, path: string, body?: unknown): Promise<Json> => {
    const { json, status, text } = await world.ask(path, { method, token: world.token, ...(body === undefined ? {} : { body }) })
    if (status !== 200 && status !== 202) throw new Error(text)
    return json
  }
  const connector = await world.connect('records', { entities: [{ entity: 'users' }] })
  await context.sync()
  const body = { name: 'records', url: `${receiver.address}/records`, types: ['records.changed'] }
  const { secret } = await ask('POST', endpointsPath, body)
  afterAll(async () => {
    await worker.stop()
    await world.close()
    receiver.close()
  })

  const keyOf = (id: string): string => {
    const key = buildPrimaryKey(world.context.store.getTable('gong', 'users').key, { id })
    if (key === undefined) throw new Error(id)
    return key
  }
  const write = (users: Readonly<Record<string, object>>, removed: readonly string[] = []) =>
    world.context.store.writeBatch(
      { connector, kind: 'gong', entity: 'users' },
      {
        records: Object.entries(users).map(([id, fields]) => ({ key: keyOf(id), fields: { id, ...fields } })),
        removed: removed.map(keyOf),
        asked: world.clock.now,
      },
    )

  const table = new Map<string, Json>()
  let taken = 0
  /** Reads what one message reports, and nothing else. */
  const read = async (after: string | undefined): Promise<readonly Json[]> => {
    const entries: Json[] = []
    for (let next = after; ; ) {
      const query = new URLSearchParams({ limit: '50', ...(next === undefined ? {} : { after: next }) })
      const page = await ask('GET', `${connectorsPath}/${connector}/entities/users/changes?${query}`)
      entries.push(...page.data)
      next = String(page.next)
      if (!page.has_more) return entries
    }
  }
  /** Lets a time pass, and works on what came. */
  const receive = async (): Promise<readonly Json[]> => {
    world.clock.now += 5_000
    await worker.run()
    const got = receiver.at('records').slice(taken)
    taken += got.length
    const events: Json[] = []
    for (const { body, headers } of got) {
      const event = await verifyWebhook({ body, headers, secret, now: world.clock.now })
      if (event.type !== 'records.changed') continue
      events.push(event)
      if (event.data.snapshot) table.clear()
      for (const { key, type, record } of await read(event.data.cursor)) {
        if (type === 'removed') table.delete(key)
        else if (key !== undefined) table.set(key, record)
      }
    }
    return events
  }
  const found = async () =>
    new Map((await allFound(world, connector, { entity: 'users', params: { query: {} } })).map((record) => [record.id, record]))

  test('has what the copy has, after changes, and after the copy was emptied and filled again', async () => {
    const [first] = await receive()
    expect(first.data).toMatchObject({ connector_id: connector, entity: 'users', snapshot: true, added: 0, changed: 0, removed: 0 })
    expect(table.size).toBeGreaterThan(3)
    expect(table).toEqual(await found())
    const ids = [...table.keys()]
    for (let step = 0; step < 3; step += 1) {
      await write({ [`9${step}`]: { title: `of ${step}` }, [String(ids[step])]: { title: `again ${step}` } }, [String(ids.at(-1 - step))])
      await write({ [`9${step}`]: { title: 'changed at once' } })
      const [event] = await receive()
      expect(event.data).toMatchObject({ snapshot: false, added: 1, changed: 1, removed: 1 })
      expect(table).toEqual(await found())
    }
    await ask('DELETE', `${connectorsPath}/${connector}/context_store`)
    await world.context.sync()
    await world.context.sync()
    const [again] = await receive()
    expect(again.data).toMatchObject({ snapshot: true })
    expect('cursor' in again.data).toBe(false)
    expect(table).toEqual(await found())
    const listed = await ask('GET', `${base}/events?limit=100`)
    expect(listed.data.some(({ type }: Json) => type === 'records.changed')).toBe(false)
    const refused = await world.ask(`${base}/events?type=records.changed`, { token: world.token })
    expect(refused.json.code).toBe('validation_failed')
  })
})
