import { expect, test } from 'vitest'
import { buildMcpAddress } from '../../packages/server/src/main/settings/own-address.ts'
import { share } from '../support/share.ts'
import { base, client, connectorsPath, type Json, type Sent, startWorld, tokenPath } from './support.ts'

const path = `${base}/account/mcp-tokens`

const world = await share(startWorld())
const connectorId = await world.connect('gong')

const ask = (operation: string, sent: Sent = {}) => {
  const [method = '', rest = ''] = operation.split(' ')
  return world.ask(`${path}${rest}`, { token: world.token, method, ...sent })
}
const create = async (body: object): Promise<Json> => (await ask('POST ', { body: { name: 'Laptop', ...body } })).json

test('a token is shown once, listed without its text, and revoked', async () => {
  const answer = await ask('POST ', { body: { name: 'Desk', connector_ids: [connectorId], expires_in_days: 7 } })
  const { token, ...record } = answer.json
  expect([answer.status, answer.headers['cache-control']]).toEqual([200, 'no-store'])
  expect(record).toMatchObject({ name: 'Desk', workspaces: [{ name: 'default' }], connector_ids: [connectorId] })
  expect(record.resource).toBe(buildMcpAddress(world.settings))
  const listed = await ask('GET ')
  expect(listed.json).toEqual({ data: [record], next: null })
  expect((await ask(`DELETE /${record.id}`)).json).toEqual({ id: record.id, revoked_at: expect.any(String) })
  expect((await ask('GET ')).json.data).toEqual([])
  expect((await ask(`DELETE /${record.id}`)).json.code).toBe('mcp_token_not_found')
  expect(world.log.join('')).not.toContain(token.slice(8))
})

test('lists have pages', async () => {
  const made = [await create({}), await create({}), await create({})]
  const one = await ask('GET ?limit=2')
  const two = await world.ask(one.json.next, { token: world.token })
  const listed = [...one.json.data, ...two.json.data].map(({ id }: Json) => id)
  expect(listed.toSorted()).toEqual(made.map(({ id }) => id).toSorted())
  expect(two.json.next).toBeNull()
})

test('a token is refused everywhere but at the MCP endpoint, and says where it belongs', async () => {
  const { token } = await create({ scopes: ['connectors:read', 'execute:read', 'execute:write'] })
  const answers = [
    await world.ask(connectorsPath, { token }),
    await world.execute(connectorId, { entity: 'users', action: 'list' }, token),
    await world.ask(`${base}/organizations`, { token }),
    await ask('GET ', { token }),
  ]
  for (const { status, json, headers, text } of answers) {
    expect([status, json.code, headers['www-authenticate']]).toEqual([401, 'invalid_token', 'Bearer'])
    expect(json.message).toContain('it is an MCP token')
    expect(json.hint).toContain(`${buildMcpAddress(world.settings)}`)
    expect(text).not.toContain(token)
  }
  expect(world.log.join('')).not.toContain(token.slice(8))
})

test.each(['applications:read', 'workspaces:write execute:read'])('a bearer token of %s makes none', async (scope) => {
  const { json } = await world.ask(tokenPath, { body: { client_id: client.id, client_secret: client.secret, scope } })
  const answer = await ask('POST ', { token: json.access_token, body: { name: 'Wide' } })
  expect([answer.status, answer.json.code]).toEqual([403, 'insufficient_scope'])
})

test.each([
  [{ name: ' ' }, '/name'],
  [{ expires_in_days: 366 }, '/expires_in_days'],
  [{ scopes: ['workspaces:read'] }, '/scopes/0'],
  [{ workspace_names: [] }, '/workspace_names'],
  [{ connector_ids: ['x'] }, '/connector_ids/0'],
  [{ token: 'frl_mcp_chosen' }, '/token'],
])('the body %o is refused at %s', async (body, field) => {
  const { json } = await ask('POST ', { body: { name: 'n', ...body } })
  expect([json.code, json.errors.map((each: Json) => each.field)]).toEqual(['validation_failed', [field]])
})
