import { describe, expect, test } from 'vitest'
import { routes } from '../../../packages/server/src/http/routes/index.ts'
import { share } from '../../support/share.ts'
import { sandboxWarehouse } from '../snowflake-support.ts'
import { base, connectorsPath, startWorld } from '../support.ts'
import { recordedClient } from './support.ts'

const world = await share(startWorld({ settings: { corsOrigins: ['https://console.example'] } }))
const connector = await world.connect('door')
await world.sandbox.snowflake.open() // a write's time limit counts while the stand-in opens

const marker = { 'x-adp-agent-sdk': 'airbyte-agent-sdk' }
const listing = { entity: 'workspaces', action: 'list' }
const executed = async (path: string, headers: Readonly<Record<string, string>> = {}) => {
  const url = `${world.url}${path}/${connector}/execute`
  const sent = { authorization: `Bearer ${world.token}`, 'content-type': 'application/json', ...headers }
  const response = await fetch(url, { method: 'POST', headers: sent, body: JSON.stringify(listing) })
  return { status: response.status, headers: response.headers, keys: Object.keys(JSON.parse(await response.text())) }
}
const plain = ['data', 'meta']
const envelope = ['status', 'result', 'connector_metadata', 'execution_metadata']

describe('the envelope', () => {
  test('is chosen by a marker, and Vary names the markers', async () => {
    const names = 'X-ADP-Agent-SDK, X-ADP-Agent-CLI'
    for (const [headers, keys] of [
      [{}, plain],
      [marker, envelope],
      [{ 'x-adp-agent-cli': '1.0.0' }, envelope],
    ] as const) {
      const answer = await executed(connectorsPath, headers)
      expect([answer.keys, answer.headers.get('vary')]).toEqual([keys, expect.stringContaining(names)])
    }
    const fromPage = await executed(connectorsPath, { origin: 'https://console.example' })
    expect(fromPage.headers.get('vary')).toBe(`Origin, ${names}`)
  })

  test('is chosen by the prefix, with and without a marker, for both of its paths', async () => {
    for (const headers of [{}, marker])
      for (const path of [`/compat${connectorsPath}`, '/compat/v1/integrations/connectors'])
        expect((await executed(path, headers)).keys).toEqual(envelope)
  })

  test('is around the stored answer of a write too', async () => {
    const path = `${connectorsPath}/${await world.connect('writes', sandboxWarehouse('writes'))}/execute`
    const body = { entity: 'record', action: 'create', params: { statement: "INSERT INTO SCRATCH.COUNTERS VALUES (1, 'once')" } }
    const sent = { token: world.token, body, headers: { 'idempotency-key': 'one write' } }
    const stored = await world.ask(path, sent)
    const again = await world.ask(`/compat${path}`, sent)
    expect([again.status, again.headers['idempotent-replayed']]).toEqual([stored.status, 'true'])
    expect([again.json.result, again.json.connector_metadata.request_id]).toEqual([stored.json.data, stored.json.meta.request_id])
  })

  describe('of large results', () => {
    const rows = Array.from({ length: 1_000 }, (_each, index) => [String(index), 'x'.repeat(2_000)])
    const statement = `SELECT SEQ8() AS N, '${'x'.repeat(2_000)}' AS NOTE FROM TABLE(GENERATOR(ROWCOUNT => 1000)) ORDER BY 1`
    const read = async (id: string, params: object) => {
      const body = { entity: 'record', action: 'list', params: { statement, ...params } }
      const { json } = await world.ask(`/compat${connectorsPath}/${id}/execute`, { token: world.token, body })
      expect(Object.keys(json)).toEqual(envelope)
      return json
    }

    test('has all rows of a large part, which are copied', async () => {
      world.sandbox.snowflake.switches.set({ firstPartitionBytes: 20_000_000 })
      const whole = await read(await world.connect('large', sandboxWarehouse('large')), {})
      expect([whole.result.data, whole.connector_metadata.has_next_page]).toEqual([rows, false])
      world.sandbox.snowflake.switches.reset()
    })

    test('is continued part by part with end_cursor and the same parameters', async () => {
      world.sandbox.snowflake.switches.set({ partitionRows: 300 })
      const id = await world.connect('parts', sandboxWarehouse('parts'))
      const seen: unknown[] = []
      let parts = 0
      for (let cursor: string | null | undefined; cursor !== null; parts += 1) {
        const part = await read(id, cursor === undefined ? {} : { cursor })
        seen.push(...part.result.data)
        cursor = part.connector_metadata.end_cursor
      }
      expect(parts).toBeGreaterThan(2)
      expect(seen).toEqual(rows)
    })
  })

  test('is refused with a cursor that was not made here', async () => {
    for (const cursor of ['frl_page_', 'frl_page_x', `frl_page_${Buffer.from('{"params":1}').toString('base64url')}`, cursorTo('delete')]) {
      const body = { entity: 'workspaces', action: 'list', params: { cursor } }
      const { status, json } = await world.ask(`/compat${connectorsPath}/${connector}/execute`, { token: world.token, body })
      expect([cursor, status, json.code]).toEqual([cursor, 400, 'invalid_cursor'])
    }
  })
})

/** A cursor that names another operation. */
const cursorTo = (action: string): string =>
  `frl_page_${Buffer.from(JSON.stringify({ params: {}, operation: { entity: 'record', action } })).toString('base64url')}`

describe('the prefix', () => {
  test('stands for every route below /api/v1, with the same refusals', async () => {
    const known = routes.filter(({ path }) => path.startsWith(base))
    expect(known.length).toBeGreaterThan(40)
    for (const { method, path } of known) {
      const asked = path.replace(/\{\w+\}/g, 'x')
      const sent = { method, headers: { 'x-request-id': 'the-same' }, body: method === 'GET' ? undefined : {} }
      const { date: _date, ...headers } = (await world.ask(`/compat${asked}`, sent)).headers
      const direct = await world.ask(asked, sent)
      const { date: _other, ...expected } = direct.headers
      expect([asked, headers]).toEqual([asked, expected])
      expect((await world.ask(`/compat${asked}`, sent)).text).toBe(direct.text)
    }
  })

  test.each([
    ...[
      '/compat',
      '/compat/',
      '/compat/health/live',
      '/compat/metrics',
      '/compat/openapi.json',
      '/compat/docs',
      '/compat/compat/api/v1/workspaces',
    ],
    ...[
      '/compat/api/v2/workspaces',
      '/compat/api/v1x',
      '/compat/v1x/workspaces',
      '/compat//api/v1/workspaces',
      '/COMPAT/api/v1/workspaces',
    ],
    ...[
      '/compat/../api/v1/workspaces',
      '/compat%2fapi/v1/workspaces',
      '/x/compat/api/v1/workspaces',
      '/compat/api/v1/compat/api/v1/workspaces',
    ],
  ])('does not open %s', async (path) => {
    const answer = await world.ask(path, { token: world.token })
    expect([answer.status, answer.json.code]).toEqual([404, 'not_found'])
  })

  test('leaves scopes as they are', async () => {
    const body = { client_id: 'test-client', client_secret: 'a-secret-for-tests', scope: 'execute:read' }
    const { access_token: token } = (await world.ask(`/compat${base}/account/applications/token`, { body })).json
    const execute = `/compat${connectorsPath}/${connector}/execute`
    expect((await world.ask(execute, { token, body: listing })).status).toBe(200)
    const check = await world.ask(execute, { token, body: { entity: '*', action: 'check', params: {} } })
    expect([check.status, check.json.code]).toEqual([403, 'insufficient_scope'])
    const made = await world.ask('/compat/v1/integrations/connectors', { token, body: { name: 'n' } })
    expect([made.status, made.json.code]).toEqual([403, 'insufficient_scope'])
  })
})

describe('lists', () => {
  test('are whole for clients that read one page, and have the prefix in their next page', async () => {
    for (let number = 0; number < 25; number += 1)
      await world.ask(`${base}/workspaces`, { token: world.token, body: { name: `many ${number}` } })
    const client = await recordedClient(world, 'packages')
    const whole = await client.send(`${base}/workspaces?name_contains=many`)
    expect([whole.json.data.length, whole.json.next]).toEqual([25, null])
    const page = await client.send(`${base}/workspaces?name_contains=many&limit=10`)
    expect([page.json.data.length, page.json.next]).toEqual([10, expect.stringMatching(/^\/compat\/api\/v1\/workspaces\?/)])
    const rest = await world.ask(page.json.next, { token: world.token })
    expect(rest.json.data).toHaveLength(10)
  })
})
