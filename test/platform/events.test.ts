import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { sql } from 'kysely'
import { afterAll, expect, test } from 'vitest'
import { fail } from '../../packages/ferrule/src/errors.ts'
import { verifyWebhook } from '../../packages/ferrule/src/index.ts'
import type { PlatformEvent } from '../../packages/ferrule/src/wire/events.ts'
import type { Principal } from '../../packages/server/src/values/access.ts'
import { listen } from '../support/listen.ts'
import { share } from '../support/share.ts'
import { countRowsRead, recordStatements } from './rows-read.ts'
import { createSyncWorld } from './sync-world.ts'
import { connectorBody, createWorld, firstPrincipal, masterKey, newTenant, overServer } from './world.ts'

const env = { FERRULE_WEBHOOK_HOSTS: '127.0.0.1' }

interface Received {
  readonly path: string
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: string
}

overServer('events', async (database) => {
  const got: Received[] = []
  const errors: unknown[] = []

  const receiver = createServer(async (request, response) => {
    got.push({ path: request.url ?? '', headers: request.headers, body: await text(request) })
    response.writeHead(204).end()
  })
  const address = (await share(listen(receiver))).origin
  const world = await createWorld(database, 'events')
  const onBackgroundError = (error: unknown) => void errors.push(error)
  const platform = await world.open({ env, onBackgroundError })
  const first = await firstPrincipal(platform)
  // SQLite has one process, so there it is another worker in the same process.
  const other = database === 'sqlite' ? platform : await world.open({ env, onBackgroundError })
  const workers = [platform, other].map((each) => each.eventWorker())
  afterAll(async () => {
    for (const worker of workers) await worker.stop()
    await world.close()
  })

  const run = () => Promise.all(workers.map((worker) => worker.run()))
  const eventsAt = (path: string): readonly PlatformEvent[] => got.filter((each) => each.path === path).map(({ body }) => JSON.parse(body))

  test('that many requests cause at once are sent once each by two nodes, and the list has all in one order', async () => {
    const principal = await newTenant(platform, first)
    await platform.webhooks.create(principal, { name: 'many', url: `${address}/many`, types: [] })
    await run()
    const create = (index: number) => platform.connectors.create(principal, connectorBody({ name: `Notes ${index}` }))
    const seen: string[] = []
    let after: string | undefined
    /** Reads on, as a client that polls. */
    const poll = async () => {
      for (let isMore = true; isMore; ) {
        const page = await platform.webhooks.listEvents(principal, { limit: 7, ...(after === undefined ? {} : { after }) })
        seen.push(...page.data.map(({ id }) => id))
        after = page.after ?? undefined
        isMore = page.has_more
      }
    }
    for (let round = 0; round < 5; round += 1) {
      world.now += 1
      await Promise.all([...Array.from({ length: 6 }, (_, index) => create(round * 6 + index)), run(), poll()])
    }
    await run()
    await run()
    await poll()
    const sent = eventsAt('/many').filter(({ type }) => type === 'connector.created')
    expect(sent).toHaveLength(30)
    expect(new Set(sent.map(({ id }) => id)).size).toBe(30)
    const all = await platform.webhooks.listEvents(principal, { limit: 100 })
    expect(seen).toEqual(all.data.map(({ id }) => id))
    expect(new Set(seen)).toEqual(new Set(eventsAt('/many').map(({ id }) => id)))
  })

  test('of many changes are queued for all endpoints of an organization', async () => {
    const principal = await newTenant(platform, first)
    const ids: string[] = []
    for (let index = 0; index < 20; index += 1) {
      const { id } = await platform.webhooks.create(principal, { name: `crowd ${index}`, url: `${address}/crowd` })
      ids.push(id)
    }
    await run()
    for (const id of ids) await platform.webhooks.update(principal, id, { status: 'paused' })
    for (let index = 0; index < 150; index += 1) await platform.connectors.create(principal, connectorBody({ name: `Crowd ${index}` }))
    await run()
    expect(errors).toEqual([])
    for (const id of ids) {
      const { data } = await platform.webhooks.listDeliveries(principal, id, { status: 'waiting', limit: 100 })
      expect(data).toHaveLength(100)
    }
  })

  if (database === 'postgres')
    test('that wait for paused endpoints are not read by a look at what is due', async () => {
      const [{ count } = { count: 0 }] = (
        await sql<{ count: number }>`select count(*)::int4 as count from webhook_deliveries`.execute(world.raw().db)
      ).rows
      expect(count).toBeGreaterThan(2_000)
      await sql`analyze`.execute(world.raw().db)
      const statements = await recordStatements(async () => {
        await run()
        await platform.readBacklogs()
      })
      const looks = statements.filter(({ text }) => text.includes('webhook_deliveries'))
      expect(looks).toHaveLength(3) // of both workers, and for the metrics
      expect(Math.max(...(await countRowsRead(world.env['DATABASE_URL'] ?? '', looks)))).toBeLessThan(300)
    })

  test('that are due are counted, with the time since the first one is', async () => {
    const principal = await newTenant(platform, first)
    const { id } = await platform.webhooks.create(principal, { name: 'late', url: `${address}/late` })
    await run()
    await platform.webhooks.update(principal, id, { status: 'paused' })
    const since = world.now
    await platform.connectors.create(principal, connectorBody({ name: 'Late' }))
    await run()
    const none = { due: 0, since: null }
    expect(await platform.readBacklogs()).toEqual({ deliveries: none, vendorEvents: none, disabledEndpoints: 0 })
    await platform.webhooks.update(principal, id, { status: 'active' })
    world.now += 60_000
    expect(await platform.readBacklogs()).toMatchObject({ deliveries: { due: 1, since } })
    await run()
    expect(await platform.readBacklogs()).toMatchObject({ deliveries: none })
  })

  test('of a change that is rolled back do not exist', async () => {
    const principal = await newTenant(platform, first)
    await platform.connectors.create(principal, connectorBody({ name: 'Taken' }))
    await expect(platform.connectors.create(principal, connectorBody({ name: 'Taken', check: false }))).rejects.toThrow()
    await run()
    const { data } = await platform.webhooks.listEvents(principal, {})
    expect(data.map(({ type }) => type)).toEqual(['connector.created'])
  })

  test('of a deleted organization are not sent, and go on after its restore', async () => {
    const principal = await newTenant(platform, first)
    await platform.webhooks.create(principal, { name: 'ended', url: `${address}/ended` })
    await run()
    await platform.connectors.create(principal, connectorBody())
    await platform.organizations.remove(principal, principal.organizationId)
    await run()
    expect(eventsAt('/ended').map(({ type }) => type)).toEqual(['webhook.test'])
    await platform.organizations.restore(principal, principal.organizationId)
    await run()
    expect(eventsAt('/ended').map(({ type }) => type)).toContain('connector.created')
  })

  test('of an endpoint whose secret cannot be opened wait, and it says why', async () => {
    const principal = await newTenant(platform, first)
    const { id } = await platform.webhooks.create(principal, { name: 'locked', url: `${address}/locked` })
    await run()
    const raw = world.raw()
    await raw.db.updateTable('webhook_endpoints').set({ master_key_id: 'gone' }).where('id', '=', id).execute()
    await platform.connectors.create(principal, connectorBody({ name: 'Locked' }))
    await run()
    expect(errors.splice(0)).toMatchObject([{ code: 'credentials_unreadable' }])
    const locked = await platform.webhooks.get(principal, id)
    expect(locked).toMatchObject({ status: 'paused', status_reason: expect.stringContaining('master key') })
    world.now += 120_000
    await run()
    expect(errors).toEqual([]) // it is not tried again
    const { secret } = await platform.webhooks.rotateSecret(principal, id, {})
    await platform.webhooks.update(principal, id, { status: 'active' })
    await run()
    const { headers, body } = got.findLast(({ path }) => path === '/locked') ?? { headers: {}, body: '' }
    expect(await verifyWebhook({ headers, body, secret, now: world.now })).toMatchObject({ type: 'connector.created' })
    expect(await platform.webhooks.get(principal, id)).toMatchObject({ status: 'active', status_reason: null })
  })

  test('keep their signature after a rotation of the master key', async () => {
    const principal = await newTenant(platform, first)
    const { id, secret } = await platform.webhooks.create(principal, { name: 'rotated', url: `${address}/rotated` })
    const keys = { FERRULE_MASTER_KEY: masterKey(2), FERRULE_MASTER_KEY_PREVIOUS: masterKey(1) }
    const next = database === 'sqlite' ? platform : await world.open({ env: { ...env, ...keys } })
    await next.vault.rotateMasterKey()
    const worker = next.eventWorker()
    await next.webhooks.test(principal, id)
    await worker.run()
    await worker.stop()
    const { headers, body } = got.find(({ path }) => path === '/rotated') ?? { headers: {}, body: '' }
    expect(await verifyWebhook({ headers, body, secret, now: world.now })).toMatchObject({ type: 'webhook.test' })
  })

  test('beyond 100,000 of an organization are deleted, the oldest first', async () => {
    const principal = await newTenant(platform, first)
    const quiet = await newTenant(platform, first)
    await platform.connectors.create(quiet, connectorBody({ name: 'Quiet' }))
    await run()
    const raw = world.raw()
    const text = sql`'01900000-0000-7000-8000-' || cast(100000000000 + at as text)`
    const id = database === 'sqlite' ? text : sql`cast(${text} as uuid)`
    for (let from = 1; from <= 100_003; from += 10_000)
      await sql`
        with recursive numbers (at) as (select ${sql.lit(from)} union all select at + 1 from numbers where at < ${sql.lit(Math.min(from + 9_999, 100_003))})
        insert into events (id, organization_id, type, data, position, created_at)
        select ${id}, ${principal.organizationId}, 'connector.updated', '{}', 1000000 + at, ${world.now} from numbers`.execute(raw.db)
    expect(await platform.webhooks.purgeExpired(world.now)).toBe(3)
    expect(await platform.webhooks.purgeExpired(world.now)).toBe(0)
    const { data } = await platform.webhooks.listEvents(principal, { limit: 1 })
    expect(data[0]?.id).toContain('100000000004')
    expect((await platform.webhooks.listEvents(quiet, {})).data).toHaveLength(1)
  })
})

overServer('events of syncs', async (database) => {
  const here = await share(createSyncWorld(database, 'sync events'))

  /** Types and data of the events of a connector's runs. */
  async function listRunEvents(principal: Principal) {
    const worker = here.platform.eventWorker()
    await worker.run()
    await worker.stop()
    const { data } = await here.platform.webhooks.listEvents(principal, { limit: 100 })
    return data.filter(({ type }) => type.startsWith('context_store.'))
  }

  test('tell that one began, what it wrote, and once that a copy can be searched', async () => {
    const principal = await here.tenant()
    here.vendor.fill(3, 3)
    const id = await here.connect({ principal })
    await here.work()
    const started = { connector_id: id, organization_id: principal.organizationId, mode: 'full', cause: 'created' }
    const events = await listRunEvents(principal)
    const ready = events.filter(({ type }) => type === 'context_store.entity.ready').map(({ data }) => data)
    expect(ready).toHaveLength(4)
    expect(ready).toContainEqual(expect.objectContaining({ connector_id: id, entity: 'accounts', records: 3 }))
    await here.platform.syncs.request(principal, id, { mode: 'full' })
    await here.work()
    expect((await listRunEvents(principal)).filter(({ type }) => type === 'context_store.entity.ready')).toHaveLength(4)
    expect(events.filter(({ type }) => type !== 'context_store.entity.ready')).toMatchObject([
      { type: 'context_store.sync.started', data: started },
      { type: 'context_store.sync.completed', data: { ...started, state: 'succeeded', written: 12, removed: 0, error_code: null } },
    ])
  })

  test('tell that one failed, but not each attempt of it', async () => {
    const principal = await here.tenant()
    const id = await here.connect({ principal })
    here.vendor.trouble = () => {
      throw fail('upstream_auth_failed', { vendor: 'Ledger', reason: 'the token is wrong' })
    }
    await here.work()
    here.vendor.trouble = () => undefined
    expect(await listRunEvents(principal)).toMatchObject([
      { type: 'context_store.sync.started' },
      { type: 'context_store.sync.failed', data: { connector_id: id, error_code: 'upstream_auth_failed' } },
    ])
  })
})
