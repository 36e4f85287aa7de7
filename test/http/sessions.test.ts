/** Sessions of the console: how they begin and end, and who may use them. */
import { beforeEach, describe, expect, test } from 'vitest'
import { share } from '../support/share.ts'
import { beginSession, formType, own, postForm, readCookie } from './session-support.ts'
import { base, client, connectorsPath, createTenant, type Sent, startWorld } from './support.ts'

const minute = 60_000
const console_ = 'https://console.example'

const world = await share(startWorld({ settings: { corsOrigins: [console_] } }))
beforeEach(() => {
  world.clock.now += minute + 1_000 // another minute of the limits
})

/** Sends a form as a page does. */
const post = (path: string, fields: Readonly<Record<string, string>>, headers: Sent['headers'] = own) =>
  postForm(world, path, { fields, headers })
const signIn = (pair?: { readonly id: string; readonly secret: string }) => beginSession(world, pair)

const list = async (headers: Readonly<Record<string, string>>, path = connectorsPath) => {
  const { status, json } = await world.ask(path, { headers })
  return status === 200 ? 200 : `${status} ${json.code}`
}

describe('a sign-in', () => {
  test('sets a cookie that no script and no other site gets', async () => {
    const answer = await post('/console/session', { client_id: client.id, client_secret: client.secret, return: '/console/search?q=1' })
    expect([answer.status, answer.headers.location]).toEqual([303, '/console/search?q=1'])
    const form = new RegExp(`^ferrule_session_${world.port}=[\\w-]{43}; Path=/; HttpOnly; SameSite=Strict$`)
    expect(answer.headers['set-cookie']?.[0]).toMatch(form)
    expect(await list({ ...own, cookie: readCookie(answer) })).toBe(200)
  })

  test.each([
    ['a wrong secret', { client_id: client.id, client_secret: 'wrong' }],
    ['an unknown client', { client_id: 'nobody', client_secret: client.secret }],
    ['a client id that no database can store', { client_id: 'a\u0000b', client_secret: client.secret }],
    ['nothing', {}],
  ])('with %s shows the form with one and the same sentence', async (_says, fields) => {
    const answer = await post('/console/session', { ...fields, return: '/console/search' })
    expect([answer.status, answer.headers['set-cookie']]).toEqual([403, undefined])
    expect(answer.text).toContain('Client id or client secret is wrong.')
    expect(answer.text).toContain('value="/console/search"')
  })

  test('with a wrong secret keeps the client id, never the secret, and goes to the secret', async () => {
    const { text } = await post('/console/session', { client_id: '"><b>', client_secret: 'wrong-secret' })
    expect(text).toContain('name="client_id" value="&quot;&gt;&lt;b&gt;"')
    expect(text).toMatch(/<input type="password"[^>]* autofocus>/)
    expect(text).not.toContain('wrong-secret')
  })

  test('is limited for each address', async () => {
    const answers = await Promise.all(
      Array.from({ length: 12 }, () => post('/console/session', { client_id: 'nobody', client_secret: 'x' })),
    )
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(2)
    expect(answers.find(({ status }) => status === 429)?.headers['retry-after']).toMatch(/^\d+$/)
  })

  test.each([
    'https://evil.example/console',
    '//evil.example/console',
    '/console//evil.example',
    '/console/../api/v1',
    '/console\\evil.example',
    '/consoles',
    '/api/v1/organizations',
    'javascript:alert(1)',
    '/console/a b',
    '',
  ])('never leads to %s', async (path) => {
    const answer = await post('/console/session', { client_id: client.id, client_secret: client.secret, return: path })
    expect(answer.headers.location).toBe('/console')
  })

  test('leads to no endless address', async () => {
    const fields = { client_id: client.id, client_secret: client.secret, return: `/console/${'a'.repeat(3_000)}` }
    expect((await post('/console/session', fields)).headers.location).toBe('/console')
  })

  test.each([
    ['another site', { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' }],
    ['another site that lies about its origin', { 'sec-fetch-site': 'cross-site', origin: 'OWN' }],
    ['a sister site', { 'sec-fetch-site': 'same-site' }],
    ['a site of FERRULE_CORS_ORIGINS', { origin: console_ }],
    ['nobody knows where', {}],
    ['a page without an origin', { origin: 'null' }],
  ])('from %s is refused', async (_says, headers) => {
    const given = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, value === 'OWN' ? world.url : value]))
    const answer = await post('/console/session', { client_id: client.id, client_secret: client.secret }, given)
    expect([answer.status, answer.headers['set-cookie']]).toEqual([403, undefined])
    expect(answer.text).toContain('No sign-in here')
  })

  test('under a name that is not of this machine is refused: a browser would send the secret in the clear', async () => {
    for (const host of ['ferrule.internal', '127.0.0.1.evil.example', '10.0.0.5:8080']) {
      const answer = await post('/console/session', { client_id: client.id, client_secret: client.secret }, { ...own, host })
      expect([answer.status, answer.headers['set-cookie']]).toEqual([403, undefined])
      expect((await world.ask('/console', { headers: { host } })).text).toContain('FERRULE_PUBLIC_URL')
    }
  })
})

describe('a session', () => {
  test.each([
    ['its own page', own, 200],
    ['its own page, from an older browser', { origin: 'OWN' }, 200],
    ['an address that somebody typed', { 'sec-fetch-site': 'none' }, '401 missing_token'],
    ['another site', { 'sec-fetch-site': 'cross-site' }, '401 missing_token'],
    ['a sister site', { 'sec-fetch-site': 'same-site', origin: 'OWN' }, '401 missing_token'],
    ['a site of FERRULE_CORS_ORIGINS', { origin: console_ }, '401 missing_token'],
    ['nobody knows where', {}, '401 missing_token'],
  ])('read from %s', async (_says, headers, expected) => {
    const { cookie } = await signIn()
    const given = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, value === 'OWN' ? world.url : value]))
    expect(await list({ ...given, cookie })).toBe(expected)
  })

  test.each([
    ['a cookie of another port', (cookie: string) => cookie.replace(/_\d+=/, '_1='), '401 missing_token'],
    ['a made-up id', (cookie: string) => cookie.replace(/=.*/, `=${'A'.repeat(43)}`), '401 session_ended'],
    ['an id of a wrong form', (cookie: string) => cookie.replace(/=.*/, "=' or 1=1"), '401 session_ended'],
    ['two cookies of the name', (cookie: string) => `${cookie}; ${cookie}`, '401 missing_token'],
    ['a cookie whose name ends like ours', (cookie: string) => `x${cookie}`, '401 missing_token'],
  ])('is not opened by %s', async (_says, change, expected) => {
    const headers = await signIn()
    expect(await list({ ...headers, cookie: change(headers.cookie) })).toBe(expected)
  })

  test('never helps a wrong token, and gives none', async () => {
    const headers = await signIn()
    expect(await list({ ...headers, authorization: 'Bearer nonsense' })).toBe('401 invalid_token')
    expect(await list({ ...headers, authorization: '' })).toBe('401 missing_token')
    const scoped = await world.ask(`${base}/account/applications/scoped-token`, { headers, body: { workspace_name: 'default' } })
    expect([scoped.status, scoped.json.code]).toEqual([401, 'missing_token'])
    const mcp = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
    expect((await world.ask('/mcp', { headers: { ...headers, accept: 'application/json, text/event-stream' }, body: mcp })).status).toBe(
      401,
    )
  })

  test('reaches what its application reaches, and nothing of another tenant', async () => {
    const tenant = await createTenant(world, 'Other')
    const made = await world.platform.applications.create({ name: 'Mine', organizationId: world.organizationId })
    const headers = await signIn({ id: made.clientId, secret: made.clientSecret.reveal() })
    expect(await list(headers, `${connectorsPath}/${tenant.connectorId}`)).toBe('404 connector_not_found')
    expect(await list({ ...headers, 'x-organization-id': tenant.organizationId })).toBe('403 organization_forbidden')
    expect(await list({ ...headers, 'x-organization-id': 'nonsense' })).toBe('422 validation_failed')
    const { json } = await world.ask(`${base}/organizations`, { headers })
    expect(json.data.map(({ id }: { id: string }) => id)).toEqual([world.organizationId])
  })
})

describe('a session ends', () => {
  test('30 minutes after its last use', async () => {
    const headers = await signIn()
    for (let used = 0; used < 3; used += 1) {
      world.clock.now += 28 * minute
      expect(await list(headers)).toBe(200)
    }
    world.clock.now += 31 * minute
    expect(await list(headers)).toBe('401 session_ended')
    expect((await world.ask('/console', { headers })).text).toContain('Your session has ended')
  })

  test('12 hours after its begin, however much it is used', async () => {
    const headers = await signIn()
    const end = world.clock.now + 12 * 60 * minute
    while (world.clock.now + 20 * minute < end) {
      world.clock.now += 20 * minute
      expect(await list(headers)).toBe(200)
    }
    world.clock.now = end
    expect(await list(headers)).toBe('401 session_ended')
  })

  test('with the sign-out: its own, or all of the application', async () => {
    const [one, two, three] = [await signIn(), await signIn(), await signIn()]
    const ended = await post('/console/session/end', {}, one)
    expect([ended.status, ended.headers.location]).toEqual([303, '/console'])
    expect(ended.headers['set-cookie']?.[0]).toContain('=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0')
    expect([await list(one), await list(two)]).toEqual(['401 session_ended', 200])
    await post('/console/session/end', { everywhere: '1' }, two)
    expect([await list(two), await list(three)]).toEqual(['401 session_ended', '401 session_ended'])
  })

  test('never by another site', async () => {
    const headers = await signIn()
    const refused = await post('/console/session/end', { everywhere: '1' }, { ...headers, 'sec-fetch-site': 'cross-site' })
    expect([refused.status, refused.headers['set-cookie'], await list(headers)]).toEqual([403, undefined, 200])
  })

  test('with the secret of its application, with its grant, and with the application', async () => {
    const { applications } = world.platform
    const make = async (name: string) => {
      const made = await applications.create({ name, organizationId: world.organizationId })
      return { clientId: made.clientId, headers: await signIn({ id: made.clientId, secret: made.clientSecret.reveal() }) }
    }
    const [rotated, removed] = [await make('Rotated'), await make('Removed')]
    await applications.rotate(rotated.clientId)
    expect(await list(rotated.headers)).toBe('401 session_ended')
    await applications.delete(removed.clientId)
    expect(await list(removed.headers)).toBe('401 session_ended')
    const revoked = await make('Revoked')
    await applications.revoke(revoked.clientId, world.organizationId)
    expect(await list({ ...revoked.headers, 'x-organization-id': world.organizationId })).toBe('403 organization_forbidden')
    expect(await list(revoked.headers)).toBe('400 organization_required')
  })

  test('and its row is deleted later', async () => {
    await signIn()
    expect(await world.platform.consoleSessions.purgeExpired(world.clock.now + 31 * minute)).toBeGreaterThan(0)
    expect(await world.platform.consoleSessions.purgeExpired(world.clock.now + 31 * minute)).toBe(0)
  })
})

test('neither cookie nor secret is in the log', async () => {
  const { cookie } = await signIn()
  await post('/console/session', { client_id: client.id, client_secret: 'a-mistyped-secret' })
  const log = world.log.join('\n')
  for (const secret of [cookie.split('=')[1] ?? '', client.secret, 'a-mistyped-secret']) expect(log).not.toContain(secret)
})

describe('behind a proxy with https and a path', async () => {
  const proxied = await share(startWorld({ settings: { publicUrl: 'https://ferrule.example/base' } }))

  test('the cookie is bound to the host, and every address keeps the path', async () => {
    const page = await proxied.ask('/console/search?q=1')
    expect(page.text).toContain('action="/base/console/session"')
    const body = String(new URLSearchParams({ client_id: client.id, client_secret: client.secret, return: '/console/search?q=1' }))
    const sent = { body, headers: { ...formType, origin: 'https://ferrule.example' } }
    const answer = await proxied.ask('/console/session', sent)
    expect([answer.status, answer.headers.location]).toEqual([303, '/base/console/search?q=1'])
    expect(answer.headers['set-cookie']?.[0]).toMatch(/^__Host-ferrule_session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Secure$/)
    const headers = { ...own, cookie: readCookie(answer) }
    expect((await proxied.ask(connectorsPath, { headers })).status).toBe(200)
    const other = await proxied.ask('/console/session', { ...sent, headers: { ...formType, origin: proxied.url } })
    expect(other.status).toBe(403)
    expect(other.text).toContain('https://ferrule.example/base/console')
  })
})
