/** Where a service has an authorization server, and under which address. */
import { expect, test } from 'vitest'
import { findIssuer } from '../../packages/server/src/http/oauth/metadata.ts'
import { startWorld, type World } from '../http/support.ts'

const usual = { publicUrl: undefined, host: '127.0.0.1', port: 8080, mcpOAuth: true, role: 'all' } as const

test.each<[string, object, string | undefined]>([
  ['a service for its own machine', {}, 'http://127.0.0.1:8080'],
  ['a public address', { host: '0.0.0.0', publicUrl: 'https://ferrule.example' }, 'https://ferrule.example'],
  ['a public address with a path', { publicUrl: 'https://example.com/ferrule' }, 'https://example.com/ferrule'],
  ['a public address without https', { publicUrl: 'http://ferrule.example' }, undefined],
  ['all addresses and no public one', { host: '0.0.0.0' }, undefined],
  ['the setting off', { mcpOAuth: false }, undefined],
  ['a process that only syncs', { role: 'worker' }, undefined],
])('%s', (_name, more, issuer) => {
  expect(findIssuer({ ...usual, ...more })).toBe(issuer)
})

const read = async (world: World, path: string, sent: object = {}) => {
  const answer = await world.open(path, sent)
  let text = ''
  for await (const chunk of answer.setEncoding('utf8')) text += String(chunk)
  return { status: answer.statusCode, headers: answer.headers, json: text === '' ? undefined : JSON.parse(text) }
}

test('switched off, nothing of it is there', async () => {
  const world = await startWorld({ settings: { mcpOAuth: false } })
  try {
    expect((await read(world, '/.well-known/oauth-authorization-server')).json.code).toBe('not_found')
    expect((await read(world, '/.well-known/oauth-protected-resource/mcp')).json).not.toHaveProperty('authorization_servers')
    for (const path of ['/oauth/token', '/oauth/register']) expect((await read(world, path, { method: 'POST' })).status).toBe(404)
  } finally {
    await world.close()
  }
})

test('behind a proxy with https and a path, addresses and cookies are those of the public URL', async () => {
  const world = await startWorld({ settings: { publicUrl: 'https://example.com/ferrule' } })
  try {
    const { json } = await read(world, '/.well-known/oauth-authorization-server')
    expect([json.issuer, json.token_endpoint]).toEqual(['https://example.com/ferrule', 'https://example.com/ferrule/oauth/token'])
    const body = { redirect_uris: ['https://client.example/callback'], token_endpoint_auth_method: 'none' }
    const registered = await read(world, '/oauth/register', { body })
    const query = new URLSearchParams({
      client_id: registered.json.client_id,
      response_type: 'code',
      redirect_uri: 'https://client.example/callback',
    })
    const challenge = 'code_challenge_method=S256&code_challenge=E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM'
    const { headers } = await world.open(`/oauth/authorize?${query}&${challenge}`)
    expect(headers.location).toMatch('https://example.com/ferrule/oauth/consent/')
    for (const cookie of headers['set-cookie'] ?? []) expect(cookie).toMatch(/path=\/ferrule\/oauth\/.*secure/i)
    expect(headers['set-cookie']?.length).toBeGreaterThan(1)
  } finally {
    await world.close()
  }
})
