import { createHmac, randomUUID } from 'node:crypto'
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { Ferrule, verifyWebhook } from '../../packages/ferrule/src/index.ts'
import type { EventWorker } from '../../packages/server/src/events/event-worker.ts'
import { base, connectorsPath, createTenant, type Json, sandboxConnector, startWorld, type Tenant, type World } from './support.ts'

const path = `${base}/webhooks/endpoints`
const [second, minute, hour] = [1_000, 60_000, 3_600_000]

/** A request as the receiver got it. */
interface Received {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** How the receiver answers at a path. */
interface Reply {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  /** Waits before it answers. */
  readonly until?: Promise<void>
}

const missing: Received = { path: '', headers: {}, body: '' }

let world: World
let worker: EventWorker
let receiver: Server
let address: string
const got: Received[] = []
const replies = new Map<string, Reply[]>()

beforeAll(async () => {
  receiver = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', async () => {
      const at = request.url ?? ''
      got.push({ path: at, headers: request.headers, body: Buffer.concat(chunks).toString() })
      const queue = replies.get(at) ?? []
      const reply = (queue.length > 1 ? queue.shift() : queue[0]) ?? { status: 204 }
      await reply.until
      response.writeHead(reply.status, reply.headers).end(reply.body)
    })
  })
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
  address = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`
  world = await startWorld({ settings: { webhookHosts: ['127.0.0.1'] } })
  worker = world.platform.eventWorker()
})
afterAll(async () => {
  await worker.stop()
  await world.close()
  receiver.closeAllConnections()
  receiver.close()
})

let tenant: Tenant
beforeEach(async () => {
  tenant = await createTenant(world, `Tenant ${randomUUID()}`)
  await worker.run()
  got.length = 0
  replies.clear()
})

/** Moves the clock; the tenant gets a new token, because tokens live for minutes. */
async function move(milliseconds: number) {
  world.clock.now += milliseconds
  const { json } = await world.ask(`${base}/account/applications/token`, { body: tenant.client })
  tenant = { ...tenant, token: String(json.access_token) }
}
const send = (method: string, at: string, body?: unknown, token = tenant.token) =>
  world.ask(at, { method, token, ...(body === undefined ? {} : { body }) })
const ok = async (method: string, at: string, body?: unknown): Promise<Json> => {
  const { status, json, text } = await send(method, at, body)
  if (status !== 200 && status !== 202) throw new Error(text)
  return json
}
const addressOf = (name: string) => `${address}/${name}`
/** Makes an endpoint that answered its test. */
async function makeEndpoint(name: string, more: object = {}): Promise<Json> {
  const made = await ok('POST', path, { name, url: addressOf(name), ...more })
  await worker.run()
  return { ...made, ...(await ok('GET', `${path}/${made.id}`)) }
}
const at = (name: string) => got.filter((each) => each.path === `/${name}`)
const eventsAt = (name: string) =>
  at(name)
    .map(({ body }) => JSON.parse(body))
    .filter(({ type }) => type !== 'webhook.test')
const typesAt = (name: string) => eventsAt(name).map(({ type }) => type)
const deliveriesOf = async (id: string, query = ''): Promise<Json> => (await ok('GET', `${path}/${id}/deliveries${query}`)).data
const rename = (name: string) => ok('PATCH', `${connectorsPath}/${tenant.connectorId}`, { name })
const wait = async (milliseconds: number) => {
  await move(milliseconds)
  await worker.run()
}

describe('a new endpoint', () => {
  test('gets a test that the reference library and verifyWebhook accept, and is active then', async () => {
    const made = await ok('POST', path, { name: 'Sales', url: addressOf('new') })
    expect(made).toMatchObject({ name: 'Sales', status: 'unverified', types: [], workspace_ids: null, ordered: false })
    expect(made.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
    await worker.run()
    const [first, ...others] = at('new')
    expect(others).toEqual([])
    if (first === undefined) throw new Error('nothing came')
    const { headers, body } = first
    const event = {
      id: headers['webhook-id'],
      type: 'webhook.test',
      timestamp: expect.any(String),
      api_version: 'v1',
      data: { organization_id: tenant.organizationId, endpoint_id: made.id },
    }
    const now = world.clock.now
    expect(await verifyWebhook({ body, headers, secret: made.secret, now })).toEqual(event)
    expect(JSON.parse(body)).toEqual(event)
    const signature = new Webhook(made.secret).sign(String(headers['webhook-id']), new Date(Number(headers['webhook-timestamp']) * 1_000), body)
    expect(headers['webhook-signature']).toBe(signature)
    expect(await ok('GET', `${path}/${made.id}`)).toMatchObject({ status: 'active', failing_since: null })
    expect(await ok('GET', `${path}/${made.id}`)).not.toHaveProperty('secret')
  })

  test('that does not answer with 2xx stays unverified and gets nothing else', async () => {
    replies.set('/lost', [{ status: 302, headers: { location: addressOf('elsewhere') } }])
    const made = await makeEndpoint('lost')
    await rename('Renamed')
    await worker.run()
    expect(made.status).toBe('unverified')
    expect([at('lost').length, at('elsewhere')]).toEqual([1, []])
    expect(await deliveriesOf(made.id)).toMatchObject([{ type: 'webhook.test', status: 'waiting', attempts: 1, last_status: 302 }])
    expect((await send('PATCH', `${path}/${made.id}`, { status: 'active' })).status).toBe(422)
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
    const { status, json } = await send('POST', path, { name: 'n', url })
    expect([status, json.code, json.errors[0].field]).toEqual([422, 'validation_failed', '/url'])
  })

  test('whose name leads inside the network is never reached', async () => {
    const made = await ok('POST', path, { name: 'inside', url: `https://localhost:${address.split(':')[2]}/inside` })
    await worker.run()
    expect(at('inside')).toEqual([])
    expect(await deliveriesOf(made.id)).toMatchObject([{ last_status: null, last_error: 'the address is not a public https address' }])
  })

  test('is one of twenty at most', async () => {
    for (let index = 0; index < 20; index += 1) await ok('POST', path, { name: `n${index}`, url: addressOf('many') })
    expect((await send('POST', path, { name: 'n', url: addressOf('many') })).json.errors).toMatchObject([{ error_code: 'limit' }])
  })
})

describe('verifyWebhook', () => {
  const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
  const now = 1_700_000_000_000
  const body = JSON.stringify({ type: 'webhook.test' })
  const sign = (text: string, seconds = now / 1_000) => ({
    'webhook-id': 'm1',
    'webhook-timestamp': String(seconds),
    'webhook-signature': new Webhook(secret).sign('m1', new Date(seconds * 1_000), text),
  })

  test('takes headers of fetch and of Node, and one of several signatures', async () => {
    const headers = { ...sign(body), 'webhook-signature': `v1a,x v1,%%% v1,AAAA ${sign(body)['webhook-signature']}` }
    const event = { type: 'webhook.test' }
    expect(await verifyWebhook({ body, headers, secret, now })).toEqual(event)
    expect(await verifyWebhook({ body, headers: new Headers(headers), secret, now: now + 299 * second })).toEqual(event)
  })

  test.each([
    ['another body', { body: `${body} ` }, 'not signed'],
    ['another secret', { secret: `whsec_${Buffer.alloc(32, 8).toString('base64')}` }, 'not signed'],
    ['an old one', { now: now + 301 * second }, 'too long ago'],
    ['one of the future', { now: now - 301 * second }, 'too long ago'],
    ['one without a time', { headers: { ...sign(body), 'webhook-timestamp': 'soon' } }, 'too long ago'],
    ['one without a signature', { headers: { ...sign(body), 'webhook-signature': undefined } }, 'no header webhook-signature'],
  ])('refuses %s', async (_name, change, message) => {
    await expect(verifyWebhook({ body, headers: sign(body), secret, now, ...change })).rejects.toThrow(message)
  })
})

describe('events of connectors', () => {
  test('arrive in their order, and once at each endpoint', async () => {
    await makeEndpoint('all')
    const made = await ok('POST', connectorsPath, {
      ...{ workspace_name: 'default', connector_type: 'gong', name: 'Second', environment: { sandbox: true }, check: false },
      credentials: { access_key: 'a', access_key_secret: 'b' },
    })
    await worker.run()
    await ok('PATCH', `${connectorsPath}/${made.id}`, { name: 'Third' })
    await worker.run()
    await ok('DELETE', `${connectorsPath}/${made.id}`)
    await worker.run()
    const ids = { organization_id: tenant.organizationId, workspace_id: made.workspace_id, connector_id: made.id, connector_type: 'gong' }
    expect(eventsAt('all').map(({ type, data }) => [type, data])).toEqual([
      ['connector.created', { ...ids, name: 'Second' }],
      ['connector.updated', { ...ids, name: 'Third' }],
      ['connector.deleted', { ...ids, name: 'Third' }],
    ])
  })

  test('tell when credentials stop to work, once, and when they work again', async () => {
    await makeEndpoint('auth', { types: ['connector.auth_failed', 'connector.auth_recovered'] })
    const call = () => world.execute(tenant.connectorId, { entity: 'users', action: 'list' }, tenant.token)
    const right = sandboxConnector('right').credentials
    await ok('PATCH', `${connectorsPath}/${tenant.connectorId}`, { credentials: { access_key: 'wrong', access_key_secret: 'w' }, check: false })
    for (let index = 0; index < 3; index += 1) expect((await call()).json.code).toBe('upstream_auth_failed')
    await worker.run()
    expect(typesAt('auth')).toEqual(['connector.auth_failed'])
    await ok('PATCH', `${connectorsPath}/${tenant.connectorId}`, { credentials: right, check: false })
    await call()
    await worker.run()
    expect(typesAt('auth')).toEqual(['connector.auth_failed', 'connector.auth_recovered'])
  })

  test('go to the endpoints only that want them', async () => {
    await makeEndpoint('type', { types: ['connector.deleted'] })
    await makeEndpoint('connector', { connector_ids: [tenant.connectorId.toUpperCase()] })
    await makeEndpoint('workspace', { workspace_ids: [randomUUID()] })
    const other = await createTenant(world, 'Other')
    await send('PATCH', `${connectorsPath}/${other.connectorId}`, { name: 'x' }, other.token)
    await rename('Renamed')
    await worker.run()
    expect([typesAt('type'), typesAt('connector'), typesAt('workspace')]).toEqual([[], ['connector.updated'], []])
  })

  test('are not sent to an endpoint that no longer wants them', async () => {
    const made = await makeEndpoint('changed')
    await ok('PATCH', `${path}/${made.id}`, { status: 'paused' })
    await rename('Renamed')
    await worker.run()
    expect(at('changed')).toHaveLength(1)
    await ok('PATCH', `${path}/${made.id}`, { status: 'active', types: ['connector.deleted'] })
    await worker.run()
    expect(typesAt('changed')).toEqual([])
  })
})

describe('a delivery that fails', () => {
  test('is sent again with the same id after longer and longer waits, and then given up', async () => {
    const made = await makeEndpoint('down')
    replies.set('/down', [{ status: 500, body: 'x'.repeat(5_000) }])
    await rename('Renamed')
    await worker.run()
    for (const ms of [5 * second, 5 * minute, 30 * minute, 2 * hour, 5 * hour, 10 * hour, 14 * hour, 20 * hour, 24 * hour]) {
      const count = at('down').length
      await wait(ms * 0.9)
      expect(at('down')).toHaveLength(count)
      await wait(ms * 0.2 + 1)
      expect(at('down')).toHaveLength(count + 1)
    }
    await wait(48 * hour)
    expect(new Set(at('down').slice(1).map(({ headers }) => headers['webhook-id'])).size).toBe(1)
    const [delivery] = await deliveriesOf(made.id, '?status=failed')
    expect(delivery).toMatchObject({ attempts: 10, last_status: 500, next_attempt_at: null, last_answer: 'x'.repeat(1_024) })
    expect((await ok('GET', `${path}/${made.id}`)).failing_since).toEqual(expect.any(String))
  })

  test('waits as long as the endpoint asks, a day at most', async () => {
    await makeEndpoint('busy')
    replies.set('/busy', [{ status: 503, headers: { 'retry-after': '3600' } }, { status: 429, headers: { 'retry-after': '999999' } }, { status: 200 }])
    await rename('Renamed')
    await worker.run()
    await wait(0.9 * hour)
    expect(eventsAt('busy')).toHaveLength(1)
    await wait(0.2 * hour)
    expect(eventsAt('busy')).toHaveLength(2)
    await wait(23 * hour)
    expect(eventsAt('busy')).toHaveLength(2)
    await wait(2 * hour)
    expect(eventsAt('busy')).toHaveLength(3)
  })

  test('with 410 ends the endpoint, and says so', async () => {
    const made = await makeEndpoint('gone')
    await makeEndpoint('watcher', { types: ['webhook.endpoint.disabled'] })
    replies.set('/gone', [{ status: 410 }])
    await rename('Renamed')
    await worker.run()
    await worker.run()
    expect(await ok('GET', `${path}/${made.id}`)).toMatchObject({ status: 'disabled', status_reason: expect.stringContaining('410') })
    expect(eventsAt('watcher').map(({ data }) => data)).toEqual([
      { organization_id: tenant.organizationId, endpoint_id: made.id, reason: expect.stringContaining('410') },
    ])
    await rename('Again')
    await worker.run()
    expect(eventsAt('gone')).toHaveLength(1)
    replies.clear()
    await ok('PATCH', `${path}/${made.id}`, { status: 'active' })
    await rename('Once more')
    await worker.run()
    expect(eventsAt('gone')).toHaveLength(2)
  })

  test('for five days ends the endpoint', async () => {
    const made = await makeEndpoint('dead')
    replies.set('/dead', [{ status: 500 }])
    for (let day = 0; day < 6; day += 1) {
      await rename(`Day ${day}`)
      await wait(24 * hour)
    }
    expect(await ok('GET', `${path}/${made.id}`)).toMatchObject({ status: 'disabled', status_reason: expect.stringContaining('five days') })
  })

  test('is sent again by hand, one or all', async () => {
    const made = await makeEndpoint('again')
    replies.set('/again', [{ status: 410 }])
    await rename('Renamed')
    await worker.run()
    replies.clear()
    await ok('PATCH', `${path}/${made.id}`, { status: 'active' })
    const [failed, tested] = await deliveriesOf(made.id)
    expect([failed.status, tested.status]).toEqual(['failed', 'delivered'])
    expect(await ok('POST', `${path}/${made.id}/retry`, { since: new Date(world.clock.now + hour).toISOString() })).toEqual({ deliveries: 0 })
    expect(await ok('POST', `${path}/${made.id}/retry`, {})).toEqual({ deliveries: 1 })
    await worker.run()
    expect((await deliveriesOf(made.id))[0]).toMatchObject({ status: 'delivered', last_status: 204 })
    expect(await ok('POST', `${path}/${made.id}/deliveries/${failed.id}/retry`)).toMatchObject({ status: 'waiting', event_id: failed.event_id })
    await worker.run()
    const sent = eventsAt('again').filter(({ type }) => type === 'connector.updated')
    expect(sent.map(({ id }) => id)).toEqual([failed.event_id, failed.event_id, failed.event_id])
    expect((await send('POST', `${path}/${made.id}/deliveries/${randomUUID()}/retry`)).json.code).toBe('webhook_delivery_not_found')
  })
})

describe('endpoints', () => {
  test('that are slow delay no others', async () => {
    const { promise: until, resolve } = Promise.withResolvers<void>()
    await makeEndpoint('slow')
    await makeEndpoint('fast')
    replies.set('/slow', [{ status: 200, until }])
    for (let index = 0; index < 6; index += 1) await rename(`Name ${index}`)
    const done = worker.run()
    await expect.poll(() => eventsAt('fast').length).toBe(6)
    expect(eventsAt('slow').length).toBeLessThanOrEqual(4)
    resolve()
    await done
    await worker.run()
    expect(eventsAt('slow')).toHaveLength(6)
  })

  test('that take events in order get none before an earlier one', async () => {
    await makeEndpoint('ordered', { ordered: true })
    replies.set('/ordered', [{ status: 500 }, { status: 200 }])
    for (const name of ['one', 'two', 'three']) {
      await rename(name)
      await worker.run()
    }
    expect(eventsAt('ordered').map(({ data }) => data.name)).toEqual(['one'])
    for (let index = 0; index < 4; index += 1) await wait(6 * second)
    expect(eventsAt('ordered').map(({ data }) => data.name)).toEqual(['one', 'one', 'two', 'three'])
  })

  test('sign with both secrets for the time of the overlap', async () => {
    const made = await makeEndpoint('rotated')
    const next = await ok('POST', `${path}/${made.id}/rotate-secret`, { overlap_seconds: 3_600 })
    expect(next.secret).not.toBe(made.secret)
    await rename('Renamed')
    await worker.run()
    const verify = (index: number, secret: string) => {
      const { headers, body } = at('rotated')[index] ?? missing
      return verifyWebhook({ body, headers, secret, now: world.clock.now })
    }
    expect(await verify(1, made.secret)).toEqual(await verify(1, next.secret))
    await move(hour + 1)
    await rename('Renamed again')
    await worker.run()
    await expect(verify(2, made.secret)).rejects.toThrow('not signed')
    expect(await verify(2, next.secret)).toMatchObject({ type: 'connector.updated' })
  })

  test('at another address are tested before they get events', async () => {
    const made = await makeEndpoint('before')
    replies.set('/after', [{ status: 500 }, { status: 200 }])
    const moved = await ok('PATCH', `${path}/${made.id}`, { url: addressOf('after') })
    await rename('Renamed')
    await worker.run()
    expect([moved.status, typesAt('before'), typesAt('after')]).toEqual(['unverified', [], []])
    await wait(6 * second)
    await rename('Renamed again')
    await worker.run()
    expect(typesAt('after')).toEqual(['connector.updated'])
  })

  test('are tested five times in a minute at most', async () => {
    const made = await makeEndpoint('tested')
    for (let index = 1; index < 5; index += 1) await ok('POST', `${path}/${made.id}/test`)
    const { status, json } = await send('POST', `${path}/${made.id}/test`)
    expect([status, json.code]).toEqual([429, 'rate_limited'])
    await worker.run()
    expect(at('tested')).toHaveLength(5)
  })

  test('that are deleted get nothing', async () => {
    const made = await makeEndpoint('deleted')
    await rename('Renamed')
    expect(await ok('DELETE', `${path}/${made.id}`)).toEqual({ id: made.id, deleted_at: expect.any(String) })
    await worker.run()
    expect(typesAt('deleted')).toEqual([])
    expect((await send('GET', `${path}/${made.id}`)).json.code).toBe('webhook_endpoint_not_found')
  })
})

describe('a node that dies', () => {
  test('leaves its attempts to another one, which sends the same id', async () => {
    const { promise: until, resolve } = Promise.withResolvers<void>()
    const made = await makeEndpoint('killed')
    replies.set('/killed', [{ status: 200, until }, { status: 200 }])
    await rename('Renamed')
    const dead = world.platform.eventWorker()
    const lost = dead.run()
    await expect.poll(() => eventsAt('killed').length).toBe(1)
    await wait(30 * second)
    expect(eventsAt('killed')).toHaveLength(1)
    await wait(31 * second)
    expect(eventsAt('killed')).toHaveLength(2)
    expect(new Set(eventsAt('killed').map(({ id }) => id)).size).toBe(1)
    resolve()
    await lost
    expect((await deliveriesOf(made.id))[0]).toMatchObject({ status: 'delivered', attempts: 1 })
    await dead.stop()
  })
})

describe('the list of events', () => {
  test('goes on after the last one', async () => {
    const client = new Ferrule({ url: world.url, token: tenant.token })
    const begun = await client.events.list({ limit: 100 })
    expect(begun.data.map(({ type }) => type)).toContain('connector.created')
    expect(begun.has_more).toBe(false)
    const after = begun.after ?? ''
    expect(await client.events.list({ after })).toEqual({ data: [], after, has_more: false })
    await rename('One')
    await worker.run()
    await rename('Two')
    await worker.run()
    const next = await client.events.list({ after, limit: 1 })
    expect([next.data.map(({ data }) => data), next.has_more]).toEqual([[expect.objectContaining({ name: 'One' })], true])
    const last = await client.events.list({ after: next.after ?? '', type: 'connector.updated' })
    expect(last.data.map(({ data }) => data)).toEqual([expect.objectContaining({ name: 'Two' })])
    await expect(client.events.list({ after: randomUUID() })).rejects.toMatchObject({ code: 'invalid_cursor' })
  })

  test('has nothing of others, and ids of others are unknown', async () => {
    const other = await createTenant(world, 'Other')
    await worker.run()
    const { data, after } = (await world.ask(`${base}/events?limit=100`, { token: other.token })).json
    expect(new Set(data.map((each: Json) => each.data.organization_id))).toEqual(new Set([other.organizationId]))
    expect((await send('GET', `${base}/events?after=${after}`)).json.code).toBe('invalid_cursor')
  })

  test('forgets what is older than thirty days, with its deliveries', async () => {
    const made = await makeEndpoint('old')
    await rename('Renamed')
    await worker.run()
    await world.platform.webhooks.purgeExpired(world.clock.now + 31 * 24 * hour)
    expect((await ok('GET', `${base}/events`)).data).toEqual([])
    expect(await deliveriesOf(made.id)).toEqual([])
  })
})

describe('access', () => {
  test('needs a token of the whole organization', async () => {
    const { token } = await ok('POST', `${base}/account/applications/scoped-token`, { workspace_name: 'default' })
    for (const at of [path, `${base}/events`]) expect((await send('GET', at, undefined, token)).status).toBe(403)
  })

  test('to answers of an endpoint needs webhooks:write', async () => {
    const made = await makeEndpoint('answers')
    replies.set('/answers', [{ status: 200, body: 'internal text' }])
    await rename('Renamed')
    await worker.run()
    expect((await deliveriesOf(made.id))[0].last_answer).toBe('internal text')
    const application = await ok('POST', `${base}/account/applications`, { name: 'Reader' })
    const body = { client_id: application.client_id, client_secret: application.client_secret, scope: 'webhooks:read' }
    const { access_token } = (await world.ask(`${base}/account/applications/token`, { body })).json
    const { text } = await send('GET', `${path}/${made.id}/deliveries`, undefined, access_token)
    expect(text).not.toContain('internal text')
    expect((await send('POST', `${path}/${made.id}/test`, undefined, access_token)).json.code).toBe('insufficient_scope')
  })
})

test('no secret is in the log or in an answer', async () => {
  const made = await makeEndpoint('secret')
  const key = String(made.secret).slice(6)
  await ok('POST', `${path}/${made.id}/test`)
  await worker.run()
  const answers = [await send('GET', path), await send('GET', `${path}/${made.id}`), await send('GET', `${path}/${made.id}/deliveries`)]
  for (const text of [...answers.map((each) => each.text), ...world.log]) expect(text).not.toContain(key)
  const [{ headers, body } = missing] = at('secret')
  const content = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`
  expect(headers['webhook-signature']).toBe(`v1,${createHmac('sha256', Buffer.from(key, 'base64')).update(content).digest('base64')}`)
})
