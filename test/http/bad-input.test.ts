import { describe, expect, test } from 'vitest'
import { share } from '../support/share.ts'
import { sendBytes } from './bytes.ts'
import { expectDocumented } from './contract.ts'
import { connectorsPath, sandboxConnector, startWorld } from './support.ts'

const world = await share(startWorld({ settings: { bodyLimit: 4_096 } }))
const connectorId = await world.connect('bad input')

const deep = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`

interface Row {
  readonly says: string
  readonly body: unknown
  readonly code: string
  readonly status: number
  /** Field of the first problem. */
  readonly field?: string
  readonly message?: string
}

describe('a body is refused when', () => {
  const rows: Row[] = [
    {
      says: 'it is not JSON',
      body: '{"name":',
      code: 'malformed_json',
      status: 400,
      message: 'The request body is not valid JSON: unexpected end of JSON input.',
    },
    {
      says: 'it holds a bare word',
      body: '{"client_secret": hunter2-and-more}',
      code: 'malformed_json',
      status: 400,
      message: "The request body is not valid JSON: unexpected token 'h'.",
    },
    { says: 'it ends too late', body: '{} {}', code: 'malformed_json', status: 400 },
    {
      says: 'it is nested too deeply',
      body: deep(65),
      code: 'malformed_json',
      status: 400,
      message: 'The request body is not valid JSON: it is nested deeper than 64 levels.',
    },
    {
      says: 'it is nested too deeply, with a long number',
      body: `{"n":12345678901234567890,"a":${deep(300)}}`,
      code: 'malformed_json',
      status: 400,
    },
    { says: 'it is an array', body: '[]', code: 'validation_failed', status: 422, field: '' },
    { says: 'it is a text', body: '"name"', code: 'validation_failed', status: 422, field: '' },
    { says: 'it is null', body: 'null', code: 'validation_failed', status: 422, field: '' },
    {
      says: 'it reaches for a prototype',
      body: '{"name":"x","credentials":{"__proto__":{"admin":true}}}',
      code: 'validation_failed',
      status: 422,
      field: '/credentials/__proto__',
    },
    {
      says: 'it reaches for a prototype in another spelling',
      body: '{"\\u005f_proto__":{"a":1}}',
      code: 'validation_failed',
      status: 422,
      field: '/__proto__',
    },
    {
      says: 'it reaches for a prototype through a constructor',
      body: '{"constructor":{"prototype":{"a":1}}}',
      code: 'validation_failed',
      status: 422,
      field: '/constructor',
    },
    { says: 'it is too large', body: { name: 'x'.repeat(5_000) }, code: 'payload_too_large', status: 413 },
  ]
  test.each(rows)('$says', async ({ body, code, status, field, message }) => {
    const answer = await world.ask(connectorsPath, { token: world.token, body })
    expect([answer.status, answer.json.code, answer.json.errors[0]?.field]).toEqual([status, code, field])
    if (message !== undefined) expect(answer.json.message).toBe(message)
    expect(answer.text).not.toContain('hunter2')
    expectDocumented(`POST ${connectorsPath}`, answer)
  })

  test('it is not UTF-8', async () => {
    const body = Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d]).toString('latin1')
    const raw = await sendBytes(
      world.port,
      `POST ${connectorsPath} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${world.token}\r\nContent-Type: application/json\r\nContent-Length: 8\r\nConnection: close\r\n\r\n${body}`,
    )
    expect(raw).toContain('"The request body is not valid JSON: it is not UTF-8."')
  })

  test('there is none where one is needed', async () => {
    for (const headers of [{}, { 'content-type': 'application/json' }]) {
      const answer = await world.ask(connectorsPath, { method: 'POST', token: world.token, headers })
      expect([answer.status, answer.json.code, answer.json.errors[0].field]).toEqual([422, 'validation_failed', ''])
    }
  })
})

describe('a connector is refused for', () => {
  const good = sandboxConnector('refused')
  const { name: _name, ...nameless } = good
  const rows: Row[] = [
    { says: 'no name', body: nameless, code: 'validation_failed', status: 422, field: '/name' },
    { says: 'a number as name', body: { ...good, name: 1 }, code: 'validation_failed', status: 422, field: '/name' },
    { says: 'an unknown member', body: { ...good, nane: 'x' }, code: 'validation_failed', status: 422, field: '/nane' },
    { says: 'an unknown type', body: { ...good, connector_type: 'gang' }, code: 'connector_type_not_found', status: 404 },
    { says: 'no type', body: { ...good, connector_type: null }, code: 'validation_failed', status: 422, field: '/connector_type' },
    { says: 'credentials of no scheme', body: { ...good, credentials: { api_key: 'x' } }, code: 'credentials_mismatch', status: 400 },
    {
      says: 'half a scheme',
      body: { ...good, credentials: { access_key: 'x' } },
      code: 'validation_failed',
      status: 422,
      field: '/credentials/access_key_secret',
    },
    {
      says: 'unknown configuration',
      body: { ...good, replication_config: { shop: 'x' } },
      code: 'validation_failed',
      status: 422,
      field: '/replication_config/shop',
    },
    {
      says: 'a foreign base',
      body: { ...good, replication_config: { api_base_url_for_customer: 'https://evil.example/.api.gong.io' } },
      code: 'validation_failed',
      status: 422,
      field: '/replication_config/api_base_url_for_customer',
    },
    {
      says: 'an unknown entity',
      body: { ...good, entities: [{ entity: 'deals' }] },
      code: 'validation_failed',
      status: 422,
      field: '/entities/0/entity',
    },
    { says: 'a name that is taken', body: { ...good, name: 'bad input' }, code: 'connector_name_conflict', status: 409 },
  ]
  test.each(rows)('$says', async ({ body, code, status, field }) => {
    const answer = await world.ask(connectorsPath, { token: world.token, body })
    expect([answer.status, answer.json.code, answer.json.errors[0]?.field]).toEqual([status, code, field])
    expect(answer.text).not.toContain('sandbox-secret')
    expectDocumented(`POST ${connectorsPath}`, answer)
  })
})

describe('a call is refused for', () => {
  const day = { fromDate: '2024-02-01' }
  const rows: Row[] = [
    { says: 'no entity', body: { action: 'list' }, code: 'validation_failed', status: 422, field: '/entity' },
    { says: 'no action', body: { entity: 'users' }, code: 'validation_failed', status: 422, field: '/action' },
    { says: 'a number as entity', body: { entity: 1, action: 'list' }, code: 'validation_failed', status: 422, field: '/entity' },
    {
      says: 'an array as params',
      body: { entity: 'users', action: 'list', params: [] },
      code: 'validation_failed',
      status: 422,
      field: '/params',
    },
    {
      says: 'an unknown member',
      body: { entity: 'users', action: 'list', parms: {} },
      code: 'validation_failed',
      status: 422,
      field: '/parms',
    },
    {
      says: 'fields that are no list',
      body: { entity: 'users', action: 'list', select_fields: 'id' },
      code: 'validation_failed',
      status: 422,
      field: '/select_fields',
    },
    {
      says: 'a field that is no text',
      body: { entity: 'users', action: 'list', select_fields: ['id', 1] },
      code: 'validation_failed',
      status: 422,
      field: '/select_fields/1',
    },
    {
      says: 'a long intent',
      body: { entity: 'users', action: 'list', intent: 'x'.repeat(513) },
      code: 'validation_failed',
      status: 422,
      field: '/intent',
    },
    { says: 'an unknown entity', body: { entity: 'deals', action: 'list' }, code: 'entity_not_found', status: 422, field: '/entity' },
    {
      says: 'an entity of the prototype',
      body: { entity: 'constructor', action: 'list' },
      code: 'entity_not_found',
      status: 422,
      field: '/entity',
    },
    { says: 'an unknown action', body: { entity: 'users', action: 'lst' }, code: 'action_not_supported', status: 422, field: '/action' },
    {
      says: 'an action that the entity lacks',
      body: { entity: 'users', action: 'delete' },
      code: 'action_not_supported',
      status: 422,
      field: '/action',
    },
    { says: 'a missing parameter', body: { entity: 'calls', action: 'get' }, code: 'missing_parameter', status: 422, field: '/params/id' },
    {
      says: 'a missing parameter inside',
      body: { entity: 'stats_interaction', action: 'list', params: { filter: day } },
      code: 'missing_parameter',
      status: 422,
      field: '/params/filter/toDate',
    },
    {
      says: 'an unknown parameter',
      body: { entity: 'users', action: 'list', params: { page: 2 } },
      code: 'invalid_parameter',
      status: 422,
      field: '/params/page',
    },
    {
      says: 'a path as id',
      body: { entity: 'calls', action: 'get', params: { id: '..' } },
      code: 'invalid_parameter',
      status: 422,
      field: '/params/id',
    },
    {
      says: 'a wrong moment',
      body: { entity: 'calls', action: 'list', params: { fromDateTime: 'yesterday' } },
      code: 'invalid_parameter',
      status: 422,
      field: '/params/fromDateTime',
    },
    {
      says: 'a download without its selector',
      body: { entity: 'call_audio', action: 'download', params: { filter: { callIds: ['1'] } } },
      code: 'media_selector_required',
      status: 422,
      field: '/params/contentSelector',
    },
  ]
  test.each(rows)('$says', async ({ body, code, status, field }) => {
    const answer = await world.execute(connectorId, body)
    expect([answer.status, answer.json.code, answer.json.errors[0]?.field]).toEqual([status, code, field])
    expectDocumented(`POST ${connectorsPath}/{connector_id}/execute`, answer)
  })
})
