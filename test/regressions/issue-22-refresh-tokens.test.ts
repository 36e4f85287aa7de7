/** A refresh token that is sent twice: by two sessions of one client, or because its answer was lost. */
import { afterAll, beforeEach, expect, test } from 'vitest'
import { Secret } from '../../packages/ferrule/src/engine/credentials/source.ts'
import { startWorld } from '../http/support.ts'
import { agree, buildAuthorization, callback, createChallenge, post, registerClient, startOAuthWorld } from '../mcp/oauth-support.ts'
import { createTestDatabase } from '../support/postgres.ts'

let drop: () => Promise<void>
const database = await createTestDatabase('refresh')
drop = database.drop
const shared = { databaseUrl: new Secret(database.url), masterKey: new Secret(Buffer.alloc(32, 7)) }
const world = await startOAuthWorld({ settings: shared })
/** Another node over the same database. */
const other = await startWorld({ settings: { ...shared, publicUrl: world.issuer } })
afterAll(async () => {
  await other.close()
  await world.close()
  await drop()
})
beforeEach(() => pass(61_000)) // another minute of the limits

const pass = (milliseconds: number): void => {
  world.clock.now += milliseconds
  other.clock.now = world.clock.now
}

async function getTokens() {
  const { client_id } = (await registerClient(world)).json
  const { verifier, challenge } = createChallenge()
  const scope = 'connectors:read execute:read'
  const answer = await agree(world, buildAuthorization(world, { client_id, code_challenge: challenge, scope }))
  const form = {
    grant_type: 'authorization_code',
    client_id,
    code: answer.get('code') ?? '',
    redirect_uri: callback,
    code_verifier: verifier,
  }
  const { json } = await post(`${world.issuer}/oauth/token`, form)
  const renew = (refresh_token: string, { on = world.issuer, ...more }: { on?: string; scope?: string } = {}) =>
    post(`${on}/oauth/token`, { grant_type: 'refresh_token', client_id, refresh_token, ...more })
  return { tokens: json, renew }
}
const ping = async (token: string, on = world.issuer) => {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  return (await fetch(`${on}/mcp`, { method: 'POST', headers, body: '{"jsonrpc":"2.0","id":1,"method":"ping"}' })).status
}

test('an answer that was lost is given again, on every node and after a restart', async () => {
  const { tokens, renew } = await getTokens()
  const first = await renew(tokens.refresh_token)
  pass(59_000)
  expect(first.status).toBe(200)
  for (const on of [world.issuer, other.url]) expect((await renew(tokens.refresh_token, { on })).json).toEqual(first.json)
  const { now } = world.clock
  await world.restart()
  world.clock.now = now
  expect((await renew(tokens.refresh_token)).json).toEqual(first.json)
  for (const on of [world.issuer, other.url]) expect(await ping(first.json.access_token, on)).toBe(200)
  // Whoever reads both answers continues one family.
  const next = await renew(first.json.refresh_token, { on: other.url })
  expect([next.status, next.json.refresh_token === first.json.refresh_token]).toEqual([200, false])
})

test('sessions that refresh at the same time, on two nodes, all get the same tokens', async () => {
  const { tokens, renew } = await getTokens()
  const nodes = [world.issuer, other.url, world.issuer, other.url, world.issuer, other.url]
  const answers = await Promise.all(nodes.map((on) => renew(tokens.refresh_token, { on })))
  expect(answers.map(({ status }) => status)).toEqual(nodes.map(() => 200))
  expect(new Set(answers.map(({ json }) => `${json.access_token} ${json.refresh_token}`)).size).toBe(1)
  expect(await ping(answers[0]?.json.access_token)).toBe(200)
})

test('after a minute a second use ends the grant, on every node', async () => {
  const { tokens, renew } = await getTokens()
  const { json } = await renew(tokens.refresh_token)
  pass(60_000)
  const reused = await renew(tokens.refresh_token, { on: other.url })
  expect([reused.status, reused.json.error]).toEqual([400, 'invalid_grant'])
  for (const token of [tokens.access_token, json.access_token]) expect(await ping(token)).toBe(401)
  expect((await renew(json.refresh_token)).json.error).toBe('invalid_grant')
})

test('an old token that comes back within its minute does not free a successor that was used longer ago', async () => {
  const { tokens, renew } = await getTokens()
  const second = (await renew(tokens.refresh_token)).json
  const third = (await renew(second.refresh_token)).json
  expect((await renew(tokens.refresh_token)).json.refresh_token).toBe(second.refresh_token)
  expect((await renew(second.refresh_token)).json.refresh_token).toBe(third.refresh_token)
  pass(61_000)
  expect((await renew(second.refresh_token)).json.error).toBe('invalid_grant')
  expect(await ping(third.access_token)).toBe(401)
})

test('a refresh for fewer scopes has an access token of its own', async () => {
  const { tokens, renew } = await getTokens()
  const whole = (await renew(tokens.refresh_token)).json
  const less = (await renew(tokens.refresh_token, { scope: 'connectors:read' })).json
  expect([less.scope, less.access_token === whole.access_token]).toEqual(['connectors:read', false])
  expect(less.refresh_token).toBe(whole.refresh_token)
  expect((await world.open('/mcp', { token: less.access_token, body: tool })).statusCode).toBe(403)
  expect((await world.open('/mcp', { token: whole.access_token, body: tool })).statusCode).toBe(200)
})

const tool = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'execute', arguments: {} } }
