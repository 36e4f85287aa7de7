import { randomUUID } from 'node:crypto'
import { Webhook } from 'standardwebhooks'
import { beforeEach, describe, expect, test } from 'vitest'
import { verifyWebhook } from '../../packages/ferrule/src/index.ts'
import { share } from '../support/share.ts'
import { endpointsPath, HookWorld, hour, minute, missing, second } from './webhook-support.ts'

const here = await share(HookWorld.start())
beforeEach(() => here.begin())

describe('a new endpoint', () => {
  test('gets a test that the reference library and verifyWebhook accept, and is active then', async () => {
    const made = await here.ok('POST', endpointsPath, { name: 'Sales', url: here.addressOf('new') })
    expect(made).toMatchObject({ name: 'Sales', status: 'unverified', types: [], workspace_ids: null, ordered: false })
    expect(made.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
    await here.worker.run()
    const [first, ...others] = here.receiver.at('new')
    expect(others).toEqual([])
    if (first === undefined) throw new Error('nothing came')
    const { headers, body } = first
    const event = {
      id: headers['webhook-id'],
      type: 'webhook.test',
      timestamp: expect.any(String),
      api_version: 'v1',
      data: { organization_id: here.tenant.organizationId, endpoint_id: made.id },
    }
    const now = here.world.clock.now
    expect(await verifyWebhook({ body, headers, secret: made.secret, now })).toEqual(event)
    expect(JSON.parse(body)).toEqual(event)
    const signature = new Webhook(made.secret).sign(
      String(headers['webhook-id']),
      new Date(Number(headers['webhook-timestamp']) * 1_000),
      body,
    )
    expect(headers['webhook-signature']).toBe(signature)
    expect(await here.ok('GET', `${endpointsPath}/${made.id}`)).toMatchObject({ status: 'active', failing_since: null })
    expect(await here.ok('GET', `${endpointsPath}/${made.id}`)).not.toHaveProperty('secret')
  })

  test('that does not answer with 2xx stays unverified and gets nothing else', async () => {
    here.receiver.replies.set('lost', [{ status: 302, headers: { location: here.addressOf('elsewhere') } }])
    const made = await here.makeEndpoint('lost')
    await here.sendRename('Renamed')
    expect(made.status).toBe('unverified')
    expect([here.receiver.at('lost').length, here.receiver.at('elsewhere')]).toEqual([1, []])
    expect(await here.deliveriesOf(made.id)).toMatchObject([{ type: 'webhook.test', status: 'waiting', attempts: 1, last_status: 302 }])
    expect((await here.send('PATCH', `${endpointsPath}/${made.id}`, { status: 'active' })).status).toBe(422)
  })

  test.each([
    'http://hooks.example.com/a',
    'https://10.0.0.1/a',
    'https://[::1]/a',
    'https://169.254.169.254/latest',
    'https://user:secret@hooks.example.com/',
    'ftp://hooks.example.com',
    'https://',
  ])('%s is refused', async (url) => {
    const { status, json } = await here.send('POST', endpointsPath, { name: 'n', url })
    expect([status, json.code, json.errors[0].field]).toEqual([422, 'validation_failed', '/url'])
  })

  test('whose name leads inside the network is never reached', async () => {
    const made = await here.ok('POST', endpointsPath, {
      name: 'inside',
      url: `https://localhost:${here.receiver.address.split(':')[2]}/inside`,
    })
    await here.worker.run()
    expect(here.receiver.at('inside')).toEqual([])
    expect(await here.deliveriesOf(made.id)).toMatchObject([{ last_status: null, last_error: 'the address is not a public https address' }])
  })

  test('is one of twenty at most', async () => {
    for (let index = 0; index < 20; index += 1) await here.ok('POST', endpointsPath, { name: `n${index}`, url: here.addressOf('many') })
    expect((await here.send('POST', endpointsPath, { name: 'n', url: here.addressOf('many') })).json.errors).toMatchObject([
      { error_code: 'limit' },
    ])
  })
})

describe('a delivery that fails', () => {
  test('is sent again with the same id after longer and longer waits, and then given up', async () => {
    const made = await here.makeEndpoint('down')
    here.receiver.replies.set('down', [{ status: 500, body: 'x'.repeat(5_000) }])
    await here.sendRename('Renamed')
    for (const ms of [5 * second, 5 * minute, 30 * minute, 2 * hour, 5 * hour, 10 * hour, 14 * hour, 20 * hour, 24 * hour]) {
      const count = here.receiver.at('down').length
      await here.wait(ms * 0.9)
      expect(here.receiver.at('down')).toHaveLength(count)
      await here.wait(ms * 0.2 + 1)
      expect(here.receiver.at('down')).toHaveLength(count + 1)
    }
    await here.wait(48 * hour)
    expect(
      new Set(
        here.receiver
          .at('down')
          .slice(1)
          .map(({ headers }) => headers['webhook-id']),
      ).size,
    ).toBe(1)
    const [delivery] = await here.deliveriesOf(made.id, '?status=failed')
    expect(delivery).toMatchObject({ attempts: 10, last_status: 500, next_attempt_at: null, last_answer: 'x'.repeat(1_024) })
    expect((await here.ok('GET', `${endpointsPath}/${made.id}`)).failing_since).toEqual(expect.any(String))
  })

  test('waits as long as the endpoint asks, a day at most', async () => {
    await here.makeEndpoint('busy')
    here.receiver.replies.set('busy', [
      { status: 503, headers: { 'retry-after': '3600' } },
      { status: 429, headers: { 'retry-after': '999999' } },
      { status: 200 },
    ])
    await here.sendRename('Renamed')
    await here.wait(0.9 * hour)
    expect(here.receiver.events('busy')).toHaveLength(1)
    await here.wait(0.2 * hour)
    expect(here.receiver.events('busy')).toHaveLength(2)
    await here.wait(23 * hour)
    expect(here.receiver.events('busy')).toHaveLength(2)
    await here.wait(2 * hour)
    expect(here.receiver.events('busy')).toHaveLength(3)
  })

  test('with 410 ends the endpoint, and says so', async () => {
    const made = await here.makeEndpoint('gone')
    await here.makeEndpoint('watcher', { types: ['webhook.endpoint.disabled'] })
    here.receiver.replies.set('gone', [{ status: 410 }])
    await here.sendRename('Renamed')
    await here.worker.run()
    expect(await here.ok('GET', `${endpointsPath}/${made.id}`)).toMatchObject({
      status: 'disabled',
      status_reason: expect.stringContaining('410'),
    })
    expect(here.receiver.events('watcher').map(({ data }) => data)).toEqual([
      { organization_id: here.tenant.organizationId, endpoint_id: made.id, reason: expect.stringContaining('410') },
    ])
    await here.sendRename('Again')
    expect(here.receiver.events('gone')).toHaveLength(1)
    here.receiver.replies.clear()
    await here.ok('PATCH', `${endpointsPath}/${made.id}`, { status: 'active' })
    await here.sendRename('Once more')
    expect(here.receiver.events('gone')).toHaveLength(2)
  })

  test('for five days ends the endpoint', async () => {
    const made = await here.makeEndpoint('dead')
    here.receiver.replies.set('dead', [{ status: 500 }])
    for (let day = 0; day < 6; day += 1) {
      await here.rename(`Day ${day}`)
      await here.wait(24 * hour)
    }
    expect(await here.ok('GET', `${endpointsPath}/${made.id}`)).toMatchObject({
      status: 'disabled',
      status_reason: expect.stringContaining('five days'),
    })
  })

  test('is sent again by hand, one or all', async () => {
    const made = await here.makeEndpoint('again')
    await here.move(second)
    here.receiver.replies.set('again', [{ status: 410 }])
    await here.sendRename('Renamed')
    here.receiver.replies.clear()
    await here.ok('PATCH', `${endpointsPath}/${made.id}`, { status: 'active' })
    const [failed, tested] = await here.deliveriesOf(made.id)
    expect([failed.status, tested.status]).toEqual(['failed', 'delivered'])
    expect(
      await here.ok('POST', `${endpointsPath}/${made.id}/retry`, { since: new Date(here.world.clock.now + hour).toISOString() }),
    ).toEqual({
      deliveries: 0,
    })
    expect(await here.ok('POST', `${endpointsPath}/${made.id}/retry`, {})).toEqual({ deliveries: 1 })
    await here.worker.run()
    expect((await here.deliveriesOf(made.id))[0]).toMatchObject({ status: 'delivered', last_status: 204 })
    expect(await here.ok('POST', `${endpointsPath}/${made.id}/deliveries/${failed.id}/retry`)).toMatchObject({
      status: 'waiting',
      event_id: failed.event_id,
    })
    await here.worker.run()
    const sent = here.receiver.events('again').filter(({ type }) => type === 'connector.updated')
    expect(sent.map(({ id }) => id)).toEqual([failed.event_id, failed.event_id, failed.event_id])
    expect((await here.send('POST', `${endpointsPath}/${made.id}/deliveries/${randomUUID()}/retry`)).json.code).toBe(
      'webhook_delivery_not_found',
    )
  })

  test('is sent again by hand before its next attempt is due', async () => {
    const made = await here.makeEndpoint('early')
    here.receiver.replies.set('early', [{ status: 500 }, { status: 204 }])
    await here.sendRename('Renamed')
    const [waiting] = await here.deliveriesOf(made.id)
    expect(waiting).toMatchObject({ status: 'waiting', attempts: 1, last_status: 500 })
    await here.ok('POST', `${endpointsPath}/${made.id}/deliveries/${waiting.id}/retry`)
    await here.worker.run()
    expect((await here.deliveriesOf(made.id))[0]).toMatchObject({ id: waiting.id, status: 'delivered', last_status: 204 })
  })
})

describe('endpoints', () => {
  test('that are slow delay no others', async () => {
    const { promise: until, resolve } = Promise.withResolvers<void>()
    await here.makeEndpoint('slow')
    await here.makeEndpoint('fast')
    here.receiver.replies.set('slow', [{ status: 200, until }])
    for (let index = 0; index < 6; index += 1) await here.rename(`Name ${index}`)
    const done = here.worker.run()
    await expect.poll(() => here.receiver.events('fast').length).toBe(6)
    expect(here.receiver.events('slow').length).toBeLessThanOrEqual(4)
    resolve()
    await done
    await here.worker.run()
    expect(here.receiver.events('slow')).toHaveLength(6)
  })

  test('that take events in order get none before an earlier one', async () => {
    await here.makeEndpoint('ordered', { ordered: true })
    here.receiver.replies.set('ordered', [{ status: 500 }, { status: 200 }])
    for (const name of ['one', 'two', 'three']) {
      await here.sendRename(name)
    }
    expect(here.receiver.events('ordered').map(({ data }) => data.name)).toEqual(['one'])
    for (let index = 0; index < 4; index += 1) await here.wait(6 * second)
    expect(here.receiver.events('ordered').map(({ data }) => data.name)).toEqual(['one', 'one', 'two', 'three'])
  })

  test('sign with both secrets for the time of the overlap', async () => {
    const made = await here.makeEndpoint('rotated')
    const next = await here.ok('POST', `${endpointsPath}/${made.id}/rotate-secret`, { overlap_seconds: 3_600 })
    expect(next.secret).not.toBe(made.secret)
    await here.sendRename('Renamed')
    const verify = (index: number, secret: string) => {
      const { headers, body } = here.receiver.at('rotated')[index] ?? missing
      return verifyWebhook({ body, headers, secret, now: here.world.clock.now })
    }
    expect(await verify(1, made.secret)).toEqual(await verify(1, next.secret))
    await here.move(hour + 1)
    await here.sendRename('Renamed again')
    await expect(verify(2, made.secret)).rejects.toThrow('not signed')
    expect(await verify(2, next.secret)).toMatchObject({ type: 'connector.updated' })
  })

  test('at another address are tested before they get events', async () => {
    const made = await here.makeEndpoint('before')
    here.receiver.replies.set('after', [{ status: 500 }, { status: 200 }])
    const moved = await here.ok('PATCH', `${endpointsPath}/${made.id}`, { url: here.addressOf('after') })
    await here.sendRename('Renamed')
    expect([moved.status, here.receiver.types('before'), here.receiver.types('after')]).toEqual(['unverified', [], []])
    await here.wait(6 * second)
    await here.sendRename('Renamed again')
    expect(here.receiver.types('after')).toEqual(['connector.updated'])
  })

  test('are tested five times in a minute at most', async () => {
    const made = await here.makeEndpoint('tested')
    for (let index = 1; index < 5; index += 1) await here.ok('POST', `${endpointsPath}/${made.id}/test`)
    const { status, json } = await here.send('POST', `${endpointsPath}/${made.id}/test`)
    expect([status, json.code]).toEqual([429, 'rate_limited'])
    await here.worker.run()
    expect(here.receiver.at('tested')).toHaveLength(5)
  })

  test('that are deleted get nothing', async () => {
    const made = await here.makeEndpoint('deleted')
    await here.rename('Renamed')
    expect(await here.ok('DELETE', `${endpointsPath}/${made.id}`)).toEqual({ id: made.id, deleted_at: expect.any(String) })
    await here.worker.run()
    expect(here.receiver.types('deleted')).toEqual([])
    expect((await here.send('GET', `${endpointsPath}/${made.id}`)).json.code).toBe('webhook_endpoint_not_found')
  })
})

describe('a node that dies', () => {
  test('leaves its attempts to another one, which sends the same id', async () => {
    const { promise: until, resolve } = Promise.withResolvers<void>()
    const made = await here.makeEndpoint('killed')
    here.receiver.replies.set('killed', [{ status: 200, until }, { status: 200 }])
    await here.rename('Renamed')
    const dead = here.world.platform.eventWorker()
    const lost = dead.run()
    await expect.poll(() => here.receiver.events('killed').length).toBe(1)
    await here.wait(30 * second)
    expect(here.receiver.events('killed')).toHaveLength(1)
    await here.wait(31 * second)
    expect(here.receiver.events('killed')).toHaveLength(2)
    expect(new Set(here.receiver.events('killed').map(({ id }) => id)).size).toBe(1)
    resolve()
    await lost
    expect((await here.deliveriesOf(made.id))[0]).toMatchObject({ status: 'delivered', attempts: 1 })
    await dead.stop()
  })
})
