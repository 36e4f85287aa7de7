import { describe, expect, test } from 'vitest'
import { share } from '../support/share.ts'
import { sendBytes } from './bytes.ts'
import { expectDocumented } from './contract.ts'
import { connectorsPath, sandboxConnector, startWorld } from './support.ts'

const world = await share(startWorld({ settings: { bodyLimit: 4_096 } }))
const connectorId = await world.connect('bad input')

const deep = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`

/** What is wrong, the body, the field of the first problem, the code and the status, and the message where it is compared. */
type Row = readonly [says: string, body: unknown, field: string | undefined, code?: string, status?: number, message?: string]

describe('a body is refused when', () => {
  const rows: readonly Row[] = [
    ['it is not JSON', '{"name":', undefined, 'malformed_json', 400, 'The request body is not valid JSON: unexpected end of JSON input.'],
    [
      'it holds a bare word',
      '{"client_secret": hunter2-and-more}',
      undefined,
      'malformed_json',
      400,
      "The request body is not valid JSON: unexpected token 'h'.",
    ],
    ['it ends too late', '{} {}', undefined, 'malformed_json', 400],
    [
      'it is nested too deeply',
      deep(65),
      undefined,
      'malformed_json',
      400,
      'The request body is not valid JSON: it is nested deeper than 64 levels.',
    ],
    ['it is nested too deeply, with a long number', `{"n":12345678901234567890,"a":${deep(300)}}`, undefined, 'malformed_json', 400],
    ['it is an array', '[]', ''],
    ['it is a text', '"name"', ''],
    ['it is null', 'null', ''],
    ['it reaches for a prototype', '{"name":"x","credentials":{"__proto__":{"admin":true}}}', '/credentials/__proto__'],
    ['it reaches for a prototype in another spelling', '{"\\u005f_proto__":{"a":1}}', '/__proto__'],
    ['it reaches for a prototype through a constructor', '{"constructor":{"prototype":{"a":1}}}', '/constructor'],
    ['it is too large', { name: 'x'.repeat(5_000) }, undefined, 'payload_too_large', 413],
  ]
  test.each(rows)('%s', async (...[, body, field, code = 'validation_failed', status = 422, message]) => {
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
  const rows: readonly Row[] = [
    ['no name', nameless, '/name'],
    ['a number as name', { ...good, name: 1 }, '/name'],
    ['an unknown member', { ...good, nane: 'x' }, '/nane'],
    ['an unknown type', { ...good, connector_type: 'gang' }, undefined, 'connector_type_not_found', 404],
    ['no type', { ...good, connector_type: null }, '/connector_type'],
    ['credentials of no scheme', { ...good, credentials: { api_key: 'x' } }, undefined, 'credentials_mismatch', 400],
    ['half a scheme', { ...good, credentials: { access_key: 'x' } }, '/credentials/access_key_secret'],
    ['unknown configuration', { ...good, replication_config: { shop: 'x' } }, '/replication_config/shop'],
    [
      'a foreign base',
      { ...good, replication_config: { api_base_url_for_customer: 'https://evil.example/.api.gong.io' } },
      '/replication_config/api_base_url_for_customer',
    ],
    ['an unknown entity', { ...good, entities: [{ entity: 'deals' }] }, '/entities/0/entity'],
    ['a name that is taken', { ...good, name: 'bad input' }, undefined, 'connector_name_conflict', 409],
  ]
  test.each(rows)('%s', async (...[, body, field, code = 'validation_failed', status = 422]) => {
    const answer = await world.ask(connectorsPath, { token: world.token, body })
    expect([answer.status, answer.json.code, answer.json.errors[0]?.field]).toEqual([status, code, field])
    expect(answer.text).not.toContain('sandbox-secret')
    expectDocumented(`POST ${connectorsPath}`, answer)
  })
})

describe('a call is refused for', () => {
  const day = { fromDate: '2024-02-01' }
  const rows: readonly Row[] = [
    ['no entity', { action: 'list' }, '/entity'],
    ['no action', { entity: 'users' }, '/action'],
    ['a number as entity', { entity: 1, action: 'list' }, '/entity'],
    ['an array as params', { entity: 'users', action: 'list', params: [] }, '/params'],
    ['an unknown member', { entity: 'users', action: 'list', parms: {} }, '/parms'],
    ['fields that are no list', { entity: 'users', action: 'list', select_fields: 'id' }, '/select_fields'],
    ['a field that is no text', { entity: 'users', action: 'list', select_fields: ['id', 1] }, '/select_fields/1'],
    ['a long intent', { entity: 'users', action: 'list', intent: 'x'.repeat(513) }, '/intent'],
    ['an unknown entity', { entity: 'deals', action: 'list' }, '/entity', 'entity_not_found'],
    ['an entity of the prototype', { entity: 'constructor', action: 'list' }, '/entity', 'entity_not_found'],
    ['an unknown action', { entity: 'users', action: 'lst' }, '/action', 'action_not_supported'],
    ['an action that the entity lacks', { entity: 'users', action: 'delete' }, '/action', 'action_not_supported'],
    ['a missing parameter', { entity: 'calls', action: 'get' }, '/params/id', 'missing_parameter'],
    [
      'a missing parameter inside',
      { entity: 'stats_interaction', action: 'list', params: { filter: day } },
      '/params/filter/toDate',
      'missing_parameter',
    ],
    ['an unknown parameter', { entity: 'users', action: 'list', params: { page: 2 } }, '/params/page', 'invalid_parameter'],
    ['a path as id', { entity: 'calls', action: 'get', params: { id: '..' } }, '/params/id', 'invalid_parameter'],
    [
      'a wrong moment',
      { entity: 'calls', action: 'list', params: { fromDateTime: 'yesterday' } },
      '/params/fromDateTime',
      'invalid_parameter',
    ],
    [
      'a download without its selector',
      { entity: 'call_audio', action: 'download', params: { filter: { callIds: ['1'] } } },
      '/params/contentSelector',
      'media_selector_required',
    ],
  ]
  test.each(rows)('%s', async (...[, body, field, code = 'validation_failed', status = 422]) => {
    const answer = await world.execute(connectorId, body)
    expect([answer.status, answer.json.code, answer.json.errors[0]?.field]).toEqual([status, code, field])
    expectDocumented(`POST ${connectorsPath}/{connector_id}/execute`, answer)
  })
})
