import { afterAll, describe, expect, test, vi } from 'vitest'
import { createTools } from '../../packages/ferrule/src/agent/index.ts'
import { Ferrule } from '../../packages/ferrule/src/core.ts'
import { connect } from '../../packages/ferrule/src/index.ts'
import { serve } from '../engine/support.ts'
import { onlyUsers, search, startCopyWorld } from '../http/search-support.ts'
import { client, connectorsPath, type Json } from '../http/support.ts'
import { connectClient } from '../mcp/clients.ts'
import { type SeenSpan, startCollector } from './collector.ts'

/** Everything that was collected, for the search for secrets. */
const all: SeenSpan[] = []
const take = (): readonly SeenSpan[] => {
  const spans = collector.take()
  all.push(...spans)
  return spans
}

const collector = await startCollector()
const world = await startCopyWorld('embedded')
const users = await world.connect('users', onlyUsers)
take()
afterAll(async () => {
  await world.close()
  collector.stop()
})

const find = (spans: readonly SeenSpan[], name: string): SeenSpan => {
  const found = spans.find((span) => span.name === name)
  if (found === undefined) throw new Error(`no span ${name} among ${spans.map((span) => span.name).join(', ')}`)
  return found
}

/** Names of a span and of those above it, up to the root. */
function nameAncestors(spans: readonly SeenSpan[], { name, parent }: SeenSpan): string[] {
  const above = spans.find(({ id }) => id === parent)
  return above === undefined ? [name] : [name, ...nameAncestors(spans, above)]
}

const route = 'POST /api/v1/integrations/connectors/{connector_id}/execute'
const traceId = '0af7651916cd43dd8448eb211c80319c'
const traceparent = `00-${traceId}-b7ad6b7169203331-01`
const canary = 'nobody@canary.example'

describe('spans of the service', () => {
  test('of an execute: request, execute, vendor call and queries, below the caller', async () => {
    const answer = await world.ask(`/api/v1/integrations/connectors/${users}/execute`, {
      token: world.token,
      body: { entity: 'users', action: 'list', params: {} },
      headers: { traceparent, baggage: `secret=${canary}` },
    })
    expect(answer.status).toBe(200)
    const spans = take()
    const request = find(spans, route)
    expect(request).toMatchObject({ kind: 'SERVER', trace: traceId, parent: 'b7ad6b7169203331', isError: false })
    expect(request.attributes).toEqual({
      'http.request.method': 'POST',
      'http.route': route.slice('POST '.length),
      'http.response.status_code': 200,
      'url.scheme': 'http',
      'ferrule.request_id': answer.headers['x-request-id'],
    })
    const execute = find(spans, 'execute gong.users.list')
    expect(nameAncestors(spans, execute)).toEqual(['execute gong.users.list', route])
    expect(execute.attributes).toEqual({
      ...{ 'ferrule.kind': 'gong', 'ferrule.entity': 'users', 'ferrule.action': 'list' },
      ...{ 'ferrule.connector_id': users, 'ferrule.attempts': 1 },
    })
    const call = find(spans, 'GET /v2/users')
    expect(nameAncestors(spans, call)).toEqual(['GET /v2/users', 'execute gong.users.list', route])
    expect(call).toMatchObject({ kind: 'CLIENT', isError: false })
    expect(call.attributes).toEqual({
      ...{ 'http.request.method': 'GET', 'url.template': '/v2/users', 'http.response.status_code': 200 },
      ...{ 'server.address': '127.0.0.1', 'server.port': expect.any(Number) },
    })
    const query = find(spans, 'SELECT connectors')
    expect(nameAncestors(spans, query)).toContain(route)
    expect(query).toMatchObject({ kind: 'CLIENT', trace: traceId })
    expect(query.attributes).toMatchObject({
      ...{ 'db.system.name': 'sqlite', 'db.operation.name': 'SELECT', 'db.collection.name': 'connectors' },
      ...{ 'db.query.summary': 'SELECT connectors', 'db.response.returned_rows': 1 },
    })
  })

  test('of a failure: our code, and an error only where the failure is ours or the vendor’s', async () => {
    const missing = await world.execute(users, { entity: 'users', action: 'get', params: { id: '4242424242424242' } })
    expect(missing.status).toBe(404)
    const spans = take()
    expect(find(spans, 'execute gong.users.get')).toMatchObject({ isError: true, attributes: { 'error.type': 'record_not_found' } })
    expect(find(spans, 'GET /v2/users/{id}')).toMatchObject({ isError: true, attributes: { 'error.type': '404' } })
    const request = { isError: false, attributes: { 'error.type': 'record_not_found', 'http.response.status_code': 404 } }
    expect(find(spans, route)).toMatchObject(request)
    await world.execute(users, { entity: canary, action: canary })
    expect(find(take(), 'execute gong.unknown.unknown').attributes).toMatchObject({ 'error.type': 'entity_not_found' })
    await world.ask(`/nothing/${canary}`)
    expect(find(take(), 'HTTP').attributes).toMatchObject({ 'http.request.method': '_OTHER', 'error.type': 'not_found' })
    await world.ask('/health/live')
    expect(take()).toEqual([])
  })

  test('of a sync: one trace of its own, with executes, vendor calls and batches', async () => {
    await world.context.sync()
    const spans = take()
    const sync = find(spans, 'sync')
    expect(sync).toMatchObject({ parent: undefined, kind: 'INTERNAL', isError: false })
    expect(sync.attributes).toMatchObject({ 'ferrule.kind': 'gong', 'ferrule.connector_id': users, 'ferrule.sync.state': 'succeeded' })
    expect(nameAncestors(spans, find(spans, 'GET /v2/users'))).toEqual(['GET /v2/users', 'execute gong.users.list', 'sync'])
    const batch = find(spans, 'sync batch gong.users')
    expect(nameAncestors(spans, batch)).toEqual(['sync batch gong.users', 'sync'])
    expect(Number(batch.attributes['ferrule.sync.records'])).toBeGreaterThan(10)
    const written = spans.filter(({ parent }) => parent === batch.id).map(({ name }) => name)
    expect(written).toEqual(expect.arrayContaining(['BEGIN', expect.stringMatching(/^(COPY|INSERT) cs_gong_users$/), 'COMMIT']))
  })

  test('of a search: an execute without vendor calls, and its statement on the copy', async () => {
    const found = await search(world, users, { entity: 'users', params: { query: { filter: { eq: { emailAddress: canary } } } } })
    expect(found.json.data).toEqual([])
    const spans = take()
    const execute = find(spans, 'execute gong.users.context_store_search')
    expect(nameAncestors(spans, execute)).toEqual(['execute gong.users.context_store_search', route])
    expect(execute.attributes).not.toHaveProperty('ferrule.attempts')
    const statement = find(spans, 'SELECT cs_gong_users')
    expect(nameAncestors(spans, statement)).toEqual(['SELECT cs_gong_users', ...nameAncestors(spans, execute)])
    expect(statement).toMatchObject({ kind: 'CLIENT', attributes: { 'db.system.name': 'postgresql', 'db.response.returned_rows': 0 } })
  })

  test('of a tool over MCP: the trace of the message, and no second span of the same tool', async () => {
    const message = {
      jsonrpc: '2.0',
      id: 7,
      method: 'tools/call',
      params: { name: 'execute', arguments: { connector: 'users', entity: 'users', action: 'list' }, _meta: { traceparent } },
    }
    const headers = { accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2025-11-25' }
    expect((await world.ask('/mcp', { token: world.token, body: message, headers })).status).toBe(200)
    const spans = take()
    const tool = find(spans, 'tools/call execute')
    expect(tool).toMatchObject({ kind: 'SERVER', trace: traceId, parent: 'b7ad6b7169203331', isError: false })
    expect(tool.attributes).toEqual({
      ...{ 'mcp.method.name': 'tools/call', 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': 'execute' },
      ...{ 'jsonrpc.request.id': '7', 'network.transport': 'tcp' },
    })
    expect(nameAncestors(spans, find(spans, 'execute gong.users.list'))).toEqual(['execute gong.users.list', 'tools/call execute'])
    expect(spans.map(({ name }) => name)).not.toContain('execute_tool execute')
  })

  test('of a tool over MCP names the revision that each message states', async () => {
    const agent = await connectClient(`${world.url}/mcp`, world.token, '2026-07-28')
    await agent.call('execute', { connector: 'users', entity: 'users', action: 'list' })
    await agent.close()
    expect(find(take(), 'tools/call execute').attributes).toMatchObject({ 'mcp.protocol.version': '2026-07-28' })
  })

  test('stand in the lines of the log', async () => {
    await world.execute(users, { entity: 'users', action: 'list' })
    const request = find(take(), route)
    const lines: Json[] = world.log.map((line) => JSON.parse(line))
    const line = lines.findLast(({ msg, path }) => msg === 'request' && String(path).endsWith('/execute'))
    expect(line).toMatchObject({ trace_id: request.trace, span_id: request.id })
  })
})

describe('spans of a sync that a request asks for', () => {
  test('are a trace of their own', async () => {
    world.context.worker.start() // it looks at the queue within the request
    const asked = await world.ask(`${connectorsPath}/${users}/syncs`, { token: world.token, body: {} })
    expect(asked.status).toBe(202)
    const spans: SeenSpan[] = []
    await vi.waitFor(
      () => {
        spans.push(...take())
        find(spans, 'sync')
      },
      { timeout: 240_000 },
    )
    const sync = find(spans, 'sync')
    expect(sync.parent).toBeUndefined()
    expect(sync.trace).not.toBe(spans.find(({ kind }) => kind === 'SERVER')?.trace)
    expect(nameAncestors(spans, find(spans, 'GET /v2/users')).at(-1)).toBe('sync')
  })
})

describe('spans of a program with the library', () => {
  const listUsers = {
    status: 200,
    body: JSON.stringify({ users: [], records: { totalRecords: 0, currentPageSize: 0, currentPageNumber: 0 } }),
  }

  test('count attempts, and pass the trace on to vendors only where it is wanted', async () => {
    let failures = 1
    await using vendor = await serve(() => (failures-- > 0 ? { status: 503 } : listUsers))
    await using gong = connect('gong', { credentials: { access_key: 'secret-key', access_key_secret: 'secret' }, origin: vendor.origin })
    await gong.users.list()
    const spans = take()
    const execute = find(spans, 'execute gong.users.list')
    expect(execute).toMatchObject({ kind: 'INTERNAL', isError: false, attributes: { 'ferrule.attempts': 2 } })
    const calls = spans.filter(({ name }) => name === 'GET /v2/users')
    expect(calls.map(({ parent }) => parent)).toEqual([execute.id, execute.id])
    expect(calls.map(({ attributes }) => attributes['http.request.resend_count'])).toEqual([undefined, 1])
    expect(vendor.seen.map(({ headers }) => headers['traceparent'])).toEqual([undefined, undefined])
    await collector.restart({ vendors: true })
    await gong.users.list()
    await collector.restart({})
    const call = find(take(), 'GET /v2/users')
    expect(vendor.seen.at(-1)?.headers).toMatchObject({ traceparent: `00-${call.trace}-${call.id}-01` })
    expect(vendor.seen.at(-1)?.headers).not.toHaveProperty('baggage')
  })

  test('of the hosted client lead into the service', async () => {
    const ferrule = new Ferrule({ url: world.url, clientId: client.id, clientSecret: client.secret })
    await ferrule.connectors.get(users)
    const spans = take()
    const path = 'GET /api/v1/integrations/connectors/{connector_id}'
    const sent = spans.find(({ name, kind }) => name === path && kind === 'CLIENT')
    expect(sent?.attributes).toMatchObject({ 'http.response.status_code': 200, 'server.address': '127.0.0.1' })
    expect(spans.find(({ name, kind }) => name === path && kind === 'SERVER')).toMatchObject({ parent: sent?.id, trace: sent?.trace })
  })

  test('of the tools of an agent', async () => {
    await using vendor = await serve(() => listUsers)
    await using gong = connect('gong', { credentials: { access_key: 'secret-key', access_key_secret: 'secret' }, origin: vendor.origin })
    const execute = (await createTools(gong)).find(({ name }) => name === 'execute')
    await execute?.run({ connector: 'gong', entity: 'users', action: 'list' }, { callId: 'call_1' })
    await execute?.run({ entity: canary })
    const spans = take()
    const [tool, refused] = spans.filter(({ name }) => name === 'execute_tool execute')
    expect(tool?.attributes).toEqual({
      ...{ 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': 'execute', 'gen_ai.tool.type': 'function' },
      'gen_ai.tool.call.id': 'call_1',
    })
    expect(find(spans, 'execute gong.users.list').parent).toBe(tool?.id)
    expect(refused).toMatchObject({ isError: true, attributes: { 'error.type': 'validation_failed' } })
  })
})

describe('all spans together', () => {
  test('hold no secret, no parameter, no query and no record', async () => {
    const { json } = await world.execute(users, { entity: 'users', action: 'list' })
    const records: readonly { id: string; emailAddress: string; lastName: string }[] = json.data
    take()
    const text = JSON.stringify(all)
    expect(all.length).toBeGreaterThan(50)
    const values = records.flatMap(({ id, emailAddress, lastName }) => [id, emailAddress, lastName])
    const secrets = [client.secret, world.token, 'sandbox-secret', 'secret-key', canary, '4242424242424242']
    for (const value of [...values, ...secrets]) expect(text).not.toContain(value)
    for (const name of ['url.full', 'url.query', 'url.path', 'db.query.text', 'client.address', 'user_agent'])
      expect(text).not.toContain(name)
  })
})
