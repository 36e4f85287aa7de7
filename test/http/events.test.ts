import { createHmac, randomUUID } from 'node:crypto'
import { Webhook } from 'standardwebhooks'
import { beforeEach, describe, expect, test } from 'vitest'
import { Ferrule, verifyWebhook } from '../../packages/ferrule/src/index.ts'
import { share } from '../support/share.ts'
import { base, connectorsPath, createTenant, type Json, sandboxConnector } from './support.ts'
import { endpointsPath, HookWorld, hour, missing, second } from './webhook-support.ts'

const here = await share(HookWorld.start())
beforeEach(() => here.begin())

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
    ['an empty secret', { secret: '' }, 'whsec_ and base64'],
    ['a secret that is none', { secret: 'whsec_%%%' }, 'whsec_ and base64'],
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
    await here.makeEndpoint('all')
    const made = await here.ok('POST', connectorsPath, {
      ...{ workspace_name: 'default', connector_type: 'gong', name: 'Second', environment: { sandbox: true }, check: false },
      credentials: { access_key: 'a', access_key_secret: 'b' },
    })
    await here.worker.run()
    await here.ok('PATCH', `${connectorsPath}/${made.id}`, { name: 'Third' })
    await here.worker.run()
    await here.ok('DELETE', `${connectorsPath}/${made.id}`)
    await here.worker.run()
    const ids = {
      organization_id: here.tenant.organizationId,
      workspace_id: made.workspace_id,
      connector_id: made.id,
      connector_type: 'gong',
    }
    expect(here.receiver.events('all').map(({ type, data }) => [type, data])).toEqual([
      ['connector.created', { ...ids, name: 'Second' }],
      ['connector.updated', { ...ids, name: 'Third' }],
      ['connector.deleted', { ...ids, name: 'Third' }],
    ])
  })

  test('tell when credentials stop to work, once, and when they work again', async () => {
    await here.makeEndpoint('auth', { types: ['connector.auth_failed', 'connector.auth_recovered'] })
    const call = () => here.world.execute(here.tenant.connectorId, { entity: 'users', action: 'list' }, here.tenant.token)
    const right = sandboxConnector('right').credentials
    await here.ok('PATCH', `${connectorsPath}/${here.tenant.connectorId}`, {
      credentials: { access_key: 'wrong', access_key_secret: 'w' },
      check: false,
    })
    for (let index = 0; index < 3; index += 1) expect((await call()).json.code).toBe('upstream_auth_failed')
    await here.worker.run()
    expect(here.receiver.types('auth')).toEqual(['connector.auth_failed'])
    await here.ok('PATCH', `${connectorsPath}/${here.tenant.connectorId}`, { credentials: right, check: false })
    await call()
    await here.worker.run()
    expect(here.receiver.types('auth')).toEqual(['connector.auth_failed', 'connector.auth_recovered'])
  })

  test('go to the endpoints only that want them', async () => {
    await here.makeEndpoint('type', { types: ['connector.deleted'] })
    await here.makeEndpoint('connector', { connector_ids: [here.tenant.connectorId.toUpperCase()] })
    await here.makeEndpoint('workspace', { workspace_ids: [randomUUID()] })
    const other = await createTenant(here.world, 'Other')
    await here.send('PATCH', `${connectorsPath}/${other.connectorId}`, { name: 'x' }, other.token)
    await here.sendRename('Renamed')
    expect([here.receiver.types('type'), here.receiver.types('connector'), here.receiver.types('workspace')]).toEqual([
      [],
      ['connector.updated'],
      [],
    ])
  })

  test('are not sent to an endpoint that no longer wants them', async () => {
    const made = await here.makeEndpoint('changed')
    await here.ok('PATCH', `${endpointsPath}/${made.id}`, { status: 'paused' })
    await here.sendRename('Renamed')
    expect(here.receiver.at('changed')).toHaveLength(1)
    await here.ok('PATCH', `${endpointsPath}/${made.id}`, { status: 'active', types: ['connector.deleted'] })
    await here.worker.run()
    expect(here.receiver.types('changed')).toEqual([])
  })
})

describe('the list of events', () => {
  test('goes on after the last one', async () => {
    const client = new Ferrule({ url: here.world.url, token: here.tenant.token })
    const begun = await client.events.list({ limit: 100 })
    expect(begun.data.map(({ type }) => type)).toContain('connector.created')
    expect(begun.has_more).toBe(false)
    const after = begun.after ?? ''
    expect(await client.events.list({ after })).toEqual({ data: [], after, has_more: false })
    await here.sendRename('One')
    await here.sendRename('Two')
    const next = await client.events.list({ after, limit: 1 })
    expect([next.data.map(({ data }) => data), next.has_more]).toEqual([[expect.objectContaining({ name: 'One' })], true])
    const last = await client.events.list({ after: next.after ?? '', type: 'connector.updated' })
    expect(last.data.map(({ data }) => data)).toEqual([expect.objectContaining({ name: 'Two' })])
    await expect(client.events.list({ after: randomUUID() })).rejects.toMatchObject({ code: 'invalid_cursor' })
  })

  test('has nothing of others, and ids of others are unknown', async () => {
    const other = await createTenant(here.world, 'Other')
    await here.worker.run()
    const { data, after } = (await here.world.ask(`${base}/events?limit=100`, { token: other.token })).json
    expect(new Set(data.map((each: Json) => each.data.organization_id))).toEqual(new Set([other.organizationId]))
    expect((await here.send('GET', `${base}/events?after=${after}`)).json.code).toBe('invalid_cursor')
  })

  test('forgets what is older than thirty days, with its deliveries', async () => {
    const made = await here.makeEndpoint('old')
    await here.sendRename('Renamed')
    await here.world.platform.webhooks.purgeExpired(here.world.clock.now + 31 * 24 * hour)
    expect((await here.ok('GET', `${base}/events`)).data).toEqual([])
    expect(await here.deliveriesOf(made.id)).toEqual([])
  })
})

describe('access', () => {
  test('needs a token of the whole organization', async () => {
    const { token } = await here.ok('POST', `${base}/account/applications/scoped-token`, { workspace_name: 'default' })
    for (const at of [endpointsPath, `${base}/events`]) expect((await here.send('GET', at, undefined, token)).status).toBe(403)
  })

  test('to answers of an endpoint needs webhooks:write', async () => {
    const made = await here.makeEndpoint('answers')
    here.receiver.replies.set('answers', [{ status: 200, body: 'internal text' }])
    await here.sendRename('Renamed')
    expect((await here.deliveriesOf(made.id))[0].last_answer).toBe('internal text')
    const application = await here.ok('POST', `${base}/account/applications`, { name: 'Reader' })
    const body = { client_id: application.client_id, client_secret: application.client_secret, scope: 'webhooks:read' }
    const { access_token } = (await here.world.ask(`${base}/account/applications/token`, { body })).json
    const { text } = await here.send('GET', `${endpointsPath}/${made.id}/deliveries`, undefined, access_token)
    expect(text).not.toContain('internal text')
    expect((await here.send('POST', `${endpointsPath}/${made.id}/test`, undefined, access_token)).json.code).toBe('insufficient_scope')
  })
})

test('no secret is in the log or in an answer', async () => {
  const made = await here.makeEndpoint('secret')
  const key = String(made.secret).slice(6)
  await here.ok('POST', `${endpointsPath}/${made.id}/test`)
  await here.worker.run()
  const answers = [
    await here.send('GET', endpointsPath),
    await here.send('GET', `${endpointsPath}/${made.id}`),
    await here.send('GET', `${endpointsPath}/${made.id}/deliveries`),
  ]
  for (const text of [...answers.map((each) => each.text), ...here.world.log]) expect(text).not.toContain(key)
  const [{ headers, body } = missing] = here.receiver.at('secret')
  const content = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`
  expect(headers['webhook-signature']).toBe(`v1,${createHmac('sha256', Buffer.from(key, 'base64')).update(content).digest('base64')}`)
})
