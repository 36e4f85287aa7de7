import { afterEach, describe, expect, onTestFinished, test } from 'vitest'
import { runFerrule, runForJson } from '../command/support.ts'
import { makeFolder } from '../support/folder.ts'
import { share } from '../support/share.ts'
import { base, client, connectorsPath, createTenant, sandboxStore, startWorld } from './support.ts'

const world = await share(startWorld())
const id = await world.connect('store', sandboxStore('store'))
afterEach(() => world.sandbox.shopify.reset())

const send = (body: unknown, headers: Readonly<Record<string, string>> = {}, token = world.token, connector = id) =>
  world.ask(`${connectorsPath}/${connector}/request`, { token, body, headers })
const countRequests = () => world.sandbox.shopify.requests().length

describe('POST …/request', () => {
  test("answers the vendor's JSON with its status", async () => {
    const { status, json } = await send({ method: 'GET', path: '/shop.json', query: { fields: 'id,name' } })
    expect([status, json.meta.status]).toEqual([200, 200])
    expect(json.data.shop).toHaveProperty('name')
  })

  test('continues by the Link header that the vendor sends', async () => {
    const { json } = await send({ method: 'GET', path: '/products.json', query: { limit: 1 } })
    expect(json.data.products).toHaveLength(1)
    expect(json.meta.headers.link).toContain('rel="next"')
  })

  test('asks for the headers only', async () => {
    const { status, json } = await send({ method: 'HEAD', path: '/products.json', query: { limit: 1 } }, { 'idempotency-key': 'head' })
    expect([status, json.data, json.meta.status]).toEqual([200, {}, 200])
    expect(json.meta.headers.link).toContain('rel="next"')
  })

  test('writes once for an Idempotency-Key, and answers the same again', async () => {
    const body = { method: 'POST', path: '/customers.json', body: { customer: { email: 'ada@example.com' } } }
    const before = countRequests()
    const [first, again] = [await send(body, { 'idempotency-key': 'one' }), await send(body, { 'idempotency-key': 'one' })]
    expect([again.text, again.headers['idempotent-replayed'], countRequests() - before]).toEqual([first.text, 'true', 1])
    const other = await send({ ...body, body: {} }, { 'idempotency-key': 'one' })
    expect([other.status, other.json.code]).toEqual([409, 'idempotency_key_conflict'])
  })

  test('needs its own scope, which a token for one workspace and an MCP token cannot have', async () => {
    const request = { method: 'GET', path: '/shop.json' }
    const narrow = await world.ask(`${base}/account/applications/token`, {
      body: { client_id: client.id, client_secret: client.secret, scope: 'execute:read execute:write connectors:read' },
    })
    const scoped = await world.ask(`${base}/account/applications/scoped-token`, { token: world.token, body: { workspace_name: 'default' } })
    const refusals = [narrow.json.access_token, scoped.json.token].map((token) => send(request, {}, token))
    for (const { status, json } of await Promise.all(refusals)) expect([status, json.code]).toEqual([403, 'insufficient_scope'])
    const mcp = await world.ask(`${base}/account/mcp-tokens`, {
      token: world.token,
      body: { name: 'agent', scopes: ['connectors:request'] },
    })
    expect([mcp.status, mcp.json.errors[0].field]).toEqual([422, '/scopes/0'])
  })

  test('is offered by all kinds but those that hide records or check what they are given', async () => {
    const read = async (path: string) => (await world.ask(`${base}/integrations/definitions/sources${path}`, { token: world.token })).json
    const slugs: string[] = (await read('')).definitions.map((each: { connector_type: string }) => each.connector_type)
    const taking = await Promise.all(slugs.map(async (slug) => ((await read(`/${slug}`)).takes_requests ? [] : [slug])))
    expect(taking.flat().toSorted()).toEqual(['gong', 'snowflake', 'tiktok-marketing'])
  })

  test('is a command too, with members of the query', async () => {
    const config = makeFolder('requests', onTestFinished)
    const env = { FERRULE_URL: world.url, FERRULE_CLIENT_ID: client.id, FERRULE_CLIENT_SECRET: client.secret }
    const answer = await runForJson({ config, env }, 'api', 'GET', '/shop.json', '--connector', 'store', '--field', 'fields=id')
    expect(answer).toEqual({ data: { shop: { id: expect.any(Number) } }, meta: { status: 200, headers: {} } })
    const head = await runForJson({ config, env }, 'api', 'HEAD', '/shop.json', '--connector', 'store')
    expect(head).toEqual({ data: {}, meta: { status: 200, headers: {} } })
    const own = await runFerrule({ config, env }, 'api', 'HEAD', '/api/v1/workspaces')
    expect([own.code, JSON.parse(own.stderr).message]).toEqual([4, 'HEAD goes with --connector only.'])
    const refused = await runFerrule({ config, env }, 'api', 'POST', '/api/v1/workspaces', '--form', '--field', 'name=a')
    expect([refused.code, JSON.parse(refused.stderr).message]).toEqual([4, '--form goes with --connector only.'])
  })

  test('of another organization finds no connector', async () => {
    const stranger = await createTenant(world, 'Stranger')
    const { status, json } = await send({ method: 'GET', path: '/shop.json' }, {}, stranger.token)
    expect([status, json.code]).toEqual([404, 'connector_not_found'])
  })

  test.each([
    ['another method', { method: 'TRACE', path: '/a' }, '/method'],
    ['another header', { method: 'GET', path: '/a', headers: { authorization: 'Bearer x' } }, '/headers/authorization'],
    ['a line break in a header', { method: 'GET', path: '/a', headers: { prefer: 'a\r\nb: c' } }, '/headers/prefer'],
    ['an address', { method: 'GET', path: 'https://evil.example' }, '/path'],
  ])('%s is refused', async (_what, body, field) => {
    const before = countRequests()
    const { status, json } = await send(body)
    expect([status, json.errors?.[0]?.field, countRequests() - before]).toEqual([422, field, 0])
  })
})
