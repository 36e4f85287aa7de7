import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { base, client, createTenant, type Json } from '../http/support.ts'
import { share } from '../support/share.ts'
import { appOrigin, Browser, countConnectors, createLink, gongLink, ownOrigin, readLink, startConnectWorld } from './support.ts'

const world = await share(startConnectWorld())

const links = `${base}/connect/links`
const keys = { access_key: 'sandbox', access_key_secret: 'sandbox-secret' }
const create = (body: object, token = world.token) => world.ask(links, { token, body: { ...gongLink, ...body } })

describe('a link', () => {
  test('is shown once with its address, whose secret part is in the fragment', async () => {
    const made = await create({ expires_in: 3_600 })
    const { id, url } = made.json
    expect(made.status).toBe(201)
    expect(url).toMatch(new RegExp(`^${ownOrigin}/connect/${id}#[\\w-]{43}$`))
    const read = await world.ask(`${links}/${id}`, { token: world.token })
    expect(read.json).toMatchObject({
      status: 'open',
      kinds: ['gong'],
      end_user: { id: 'user-17', email: null },
      attempts: 0,
      sandbox: true,
    })
    expect(Date.parse(read.json.expires_at) - Date.parse(read.json.created_at)).toBe(3_600_000)
    expect(read.text).not.toContain(new URL(url).hash.slice(1))
    expect(world.log.join('')).not.toContain(new URL(url).hash.slice(1))
  })

  test.each([
    ['a redirect to an origin that is not listed', { redirect_url: 'https://evil.example/' }, '/redirect_url'],
    ['a redirect that is a script', { redirect_url: 'javascript:alert(1)' }, '/redirect_url'],
    ['a redirect with a user', { redirect_url: `https://a:b@${appOrigin.slice(8)}/` }, '/redirect_url'],
    ['an origin that is not listed', { allowed_origin: 'https://evil.example' }, '/allowed_origin'],
    ['an origin with a path', { allowed_origin: `${appOrigin}/x` }, '/allowed_origin'],
    ['a locked value that is invalid', { locked: { gong: { private_calls: 'perhaps' } } }, '/locked/gong/private_calls'],
    ['a value that the kind lacks', { defaults: { gong: { moon: 1 } } }, '/defaults/gong/moon'],
    ['values of a kind that the link lacks', { locked: { shopify: { shop: 'a' } } }, '/locked/shopify'],
    ['another account without a connector', { allow_other_account: true }, '/allow_other_account'],
    ['a lifetime beyond the longest', { expires_in: 10_000_000 }, '/expires_in'],
  ])('refuses %s', async (...[, body, field]) => {
    const { status, json } = await create(body)
    expect([status, json.errors[0].field]).toEqual([422, field])
  })

  test('needs a workspace and a connector that its maker sees', async () => {
    const stranger = await createTenant(world, 'Stranger')
    const mine = await world.connect('Mine')
    const own = { redirect_url: undefined, end_user: { id: 'u' } }
    const ask = async (body: object) => (await world.ask(links, { token: stranger.token, body: { ...own, ...body } })).json.code
    expect(await ask({ connector_id: mine })).toBe('connector_not_found')
    expect(await ask({ workspace_id: randomUUID() })).toBe('workspace_not_found')
    expect(await ask({ workspace_name: 'none' })).toBe('workspace_not_found')
    expect(await ask({ workspace_name: 'made', create_workspace: true })).toBeUndefined()
  })

  test('of a token for one workspace is for that workspace only', async () => {
    const body = { workspace_name: 'Scoped' }
    const { json } = await world.ask(`${base}/account/applications/scoped-token`, { token: world.token, body })
    expect((await create({ workspace_name: 'default' }, json.token)).json.code).toBe('workspace_not_found')
    const made = await create({ workspace_name: 'Scoped' }, json.token)
    expect(made.status).toBe(201)
    const { id: other } = await createLink(world)
    expect((await world.ask(`${links}/${other}`, { token: json.token })).json.code).toBe('connect_link_not_found')
    const listed = await world.ask(links, { token: json.token })
    expect(listed.json.data.map(({ id }: Json) => id)).toEqual([made.json.id])
  })

  test('is listed by status and end user, a page at a time', async () => {
    const made = [await createLink(world, { end_user: { id: 'paged' } }), await createLink(world, { end_user: { id: 'paged' } })]
    await world.ask(`${links}/${made[0]?.id}`, { method: 'DELETE', token: world.token })
    const list = async (query: string) => (await world.ask(`${links}?end_user_id=paged&${query}`, { token: world.token })).json
    expect((await list('status=open')).data.map(({ id }: Json) => id)).toEqual([made[1]?.id])
    expect((await list('status=revoked')).data.map(({ id }: Json) => id)).toEqual([made[0]?.id])
    expect((await list('status=used')).data).toEqual([])
    const first = await list('limit=1')
    const second = await world.ask(first.next, { token: world.token })
    expect([first.data[0].id, second.json.data[0].id]).toEqual(made.map(({ id }) => id).toSorted())
  })

  test('in the form of the platform leads to the same page', async () => {
    const body = { workspace_name: 'default', connector_type: 'gong', redirect_url: `${appOrigin}/x?a=1`, environment: { sandbox: true } }
    const { json } = await world.ask(`${base}/integrations/connectors/oauth/initiate`, { token: world.token, body })
    const browser = new Browser(world)
    const page = await browser.open(json.consent_url)
    expect(page.json).toMatchObject({ end_user: { id: 'default' }, sandbox: true, kinds: [{ slug: 'gong' }] })
    expect(new URL(page.json.cancel_url).searchParams.get('a')).toBe('1')
  })

  test('cannot be made with a secret that was replaced', async () => {
    const own = await createTenant(world, 'Rotating')
    const spare = await world.ask(`${base}/account/applications`, { token: own.token, body: { name: 'spare' } })
    const identity = { client_id: spare.json.client_id, client_secret: spare.json.client_secret }
    const { json } = await world.ask(`${base}/account/applications/token`, { body: identity })
    await world.ask(`${base}/account/applications/${spare.json.id}/rotate-secret`, { method: 'POST', token: own.token })
    const body = { end_user: { id: 'u' }, kinds: ['gong'] }
    expect((await world.ask(links, { token: json.access_token, body })).json.code).toBe('token_expired')
  })
})

describe('the page', () => {
  test('shows who gets access to what, and what can be filled in', async () => {
    const { url } = await createLink(world, { locked: { gong: { private_calls: 'exclude' } } })
    const { json, headers } = await new Browser(world).open(url)
    expect(json).toMatchObject({ status: 'open', end_user: { id: 'user-17', name: 'Ada Example' }, connector: null, attempt: null })
    const [kind] = json.kinds
    expect(kind).toMatchObject({ slug: 'gong', title: 'Gong', reviewed: true, hosts: [], accounts_field: null })
    expect(kind.readable).toEqual(expect.arrayContaining(['Recorded calls', 'Transcripts of calls', 'Scorecards']))
    expect(kind.changeable).toEqual([])
    expect(kind.schemes.map(({ name, consent }: Json) => [name, consent])).toEqual([['access_key', false]])
    expect(Object.keys(kind.configuration.properties)).not.toContain('private_calls')
    expect(kind.locked).toMatchObject([{ name: 'private_calls', value: 'exclude' }])
    expect([headers['referrer-policy'], headers['cache-control']]).toEqual(['no-referrer', 'no-store'])
    expect(headers['set-cookie']?.[0]).toMatch(
      /^ferrule_connect_session_4321_[\w-]{36}=[\w-]{43}; Path=\/connect; HttpOnly; SameSite=Strict; Max-Age=7200$/,
    )
  })

  test('creates a connector from a form, once, and leads back', async () => {
    const { id, url } = await createLink(world, { name: 'From the form', locked: { gong: { private_calls: 'include' } } })
    const browser = new Browser(world)
    await browser.open(url)
    const done = await browser.page('connector', { kind: 'gong', credentials: keys })
    expect(done.status).toBe(200)
    const back = new URL(done.json.return_url)
    expect([back.origin, Object.fromEntries(back.searchParams)]).toEqual([appOrigin, { link_id: id, connector_id: done.json.connector_id }])
    const { json } = await world.ask(`${base}/integrations/connectors/${done.json.connector_id}`, { token: world.token })
    expect(json).toMatchObject({ name: 'From the form', replication_config: { private_calls: 'include' }, environment: { sandbox: true } })
    expect(await readLink(world, id)).toMatchObject({ status: 'used', connector_id: json.id, attempts: 1 })
    expect((await browser.page('session')).json).toMatchObject({ status: 'used', connector_id: json.id, return_url: done.json.return_url })
    expect((await browser.page('connector', { kind: 'gong', credentials: keys })).json.code).toBe('connect_link_closed')
    expect((await new Browser(world).open(url)).json.code).toBe('connect_link_closed')
  })

  test('creates one connector of two requests at the same time', async () => {
    const { url } = await createLink(world)
    const browser = new Browser(world)
    await browser.open(url)
    const before = await countConnectors(world)
    const body = { kind: 'gong', credentials: keys }
    const answers = await Promise.all([browser.page('connector', body), browser.page('connector', body)])
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 410])
    expect(await countConnectors(world)).toBe(before + 1)
  })

  test.each([
    ['credentials that the vendor refuses', { credentials: { ...keys, access_key_secret: 'wrong' } }, [422, 'upstream_auth_failed']],
    ['a locked value', { credentials: keys, configuration: { private_calls: 'include' } }, [422, 'validation_failed']],
    ['a kind that the link lacks', { kind: 'shopify', credentials: keys }, [422, 'validation_failed']],
    ['fields of no scheme', { credentials: { moon: 'x' } }, [400, 'credentials_mismatch']],
  ])('stores nothing for %s, and the link stays usable', async (...[, body, refusal]) => {
    const { id, url } = await createLink(world, { locked: { gong: { private_calls: 'exclude' } } })
    const browser = new Browser(world)
    await browser.open(url)
    const before = await countConnectors(world)
    const { status, json } = await browser.page('connector', { kind: 'gong', ...body })
    expect([status, json.code]).toEqual(refusal)
    expect(json.hint).not.toContain('check: false')
    expect([await countConnectors(world), (await readLink(world, id)).status]).toEqual([before, 'open'])
  })

  test('has an end of tries', async () => {
    const { url } = await createLink(world)
    const browsers = await Promise.all([1, 2, 3].map(async () => new Browser(world)))
    for (const browser of browsers) await browser.open(url)
    const attempt = async (browser: Browser | undefined) =>
      (await browser?.page('connector', { kind: 'gong', credentials: {}, name: 'x' }))?.json.code
    for (let tries = 0; tries < 50; tries += 1) expect(await attempt(browsers[tries % 3])).toBe('credentials_mismatch')
    expect(await attempt(browsers[0])).toBe('connect_link_closed')
  })

  test('lets nobody in without the secret, the cookie, or from another page', async () => {
    const { id, url } = await createLink(world)
    const browser = new Browser(world)
    await browser.open(url)
    const code = async (answer: ReturnType<Browser['page']>) => (await answer).json.code
    const wrong = `${url.split('#')[0]}#${'A'.repeat(43)}`
    expect(await code(new Browser(world).open(wrong))).toBe('connect_link_not_found')
    expect(await code(new Browser(world).open(url.replace(id, randomUUID())))).toBe('connect_link_not_found')
    const other = new Browser(world)
    other.linkId = id // the address without its fragment, as it is forwarded
    expect(await code(other.page('session'))).toBe('connect_session_missing')
    expect(await code(browser.page('session', undefined, { 'sec-fetch-site': 'cross-site' }))).toBe('connect_session_missing')
    const body = { kind: 'gong', credentials: keys }
    for (const origin of ['https://evil.example', 'null', ownOrigin.replace('4321', '80')])
      expect(await code(browser.page('connector', body, { origin, 'sec-fetch-site': 'cross-site' }))).toBe('connect_session_missing')
    expect(await code(browser.page('connector', body, { origin: 'https://evil.example' }))).toBe('connect_session_missing')
    expect((await browser.send('/connect/api/connector', { body, headers: { 'connect-link': id } })).json.code).toBe(
      'connect_session_missing',
    )
    expect((await readLink(world, id)).attempts).toBe(0)
  })

  test('of one link does not open another one in the same browser', async () => {
    const [first, second] = [await createLink(world), await createLink(world)]
    const browser = new Browser(world)
    await browser.open(first.url)
    browser.linkId = second.id
    expect((await browser.page('session')).json.code).toBe('connect_session_missing')
  })

  test.each([
    ['a revoked link', 'revoked', (id: string) => world.ask(`${links}/${id}`, { method: 'DELETE', token: world.token })],
    ['an expired link', 'expired', async () => Object.assign(world.clock, { now: world.clock.now + 120_000 })],
  ])('refuses %s, before and after it was opened', async (...[, status, end]) => {
    const { id, url } = await createLink(world, { expires_in: 100 })
    const browser = new Browser(world)
    await browser.open(url)
    await end(id)
    expect((await readLink(world, id)).status).toBe(status)
    const before = await countConnectors(world)
    const asked = [browser.page('session'), new Browser(world).open(url), browser.page('connector', { kind: 'gong', credentials: keys })]
    expect((await Promise.all(asked)).map((answer) => answer.json.code)).toEqual(Array(3).fill('connect_link_closed'))
    expect(await countConnectors(world)).toBe(before)
  })

  test('is refused when an address asks too often', async () => {
    const { url } = await createLink(world)
    const browser = new Browser(world)
    for (let asked = 0; asked < 60; asked += 1) await browser.open(`${url}x`)
    const refused = await browser.open(url)
    expect([refused.status, refused.json.code]).toEqual([429, 'rate_limited'])
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0)
    expect((await new Browser(world).open(url)).status).toBe(200)
  })
})

describe('the status for the page that opened a link', () => {
  const ask = (id: string, origin?: string) =>
    world.ask(`/connect/api/links/${id}/status`, { headers: origin === undefined ? {} : { origin } })

  test('is for the origin of the link only', async () => {
    const { id } = await createLink(world, { allowed_origin: appOrigin })
    const { status, json, headers } = await ask(id, appOrigin)
    expect([status, json]).toEqual([200, { status: 'open', connector_id: null }])
    expect([headers['access-control-allow-origin'], headers['vary']]).toEqual([appOrigin, expect.stringContaining('Origin')])
    const never = await ask(randomUUID(), appOrigin)
    const refused = [await ask(id), await ask(id, 'https://evil.example'), await ask(id, 'null'), await ask(id, ownOrigin)]
    for (const answer of refused) {
      expect([answer.status, answer.json.code]).toEqual([never.status, never.json.code])
      expect(answer.headers['access-control-allow-origin']).toBeUndefined()
    }
    const { id: unnamed } = await createLink(world)
    expect((await ask(unnamed, appOrigin)).json.code).toBe('connect_link_not_found')
  })
})

test('a service that does not know its address offers no links, whatever Host says', async () => {
  const { settings } = world
  Object.assign(settings, { publicUrl: undefined, host: '0.0.0.0' })
  try {
    const { status, json } = await world.ask(links, { token: world.token, body: gongLink, headers: { host: 'evil.example' } })
    expect([status, json.code, json.hint]).toEqual([501, 'not_offered', expect.stringContaining('FERRULE_PUBLIC_URL')])
    Object.assign(settings, { publicUrl: 'http://ferrule.example.com' })
    expect((await create({})).json.code).toBe('not_offered')
    Object.assign(settings, { publicUrl: 'https://ferrule.example.com' })
    const made = await create({ redirect_url: 'http://127.0.0.1:9/x' })
    expect(made.json.errors[0].field).toBe('/redirect_url') // loopback is for development
    expect((await create({})).json.url).toMatch(/^https:\/\/ferrule\.example\.com\/connect\//)
    const browser = new Browser(world)
    const opened = await browser.send('/connect/api/session', {
      body: { id: randomUUID(), secret: 'x' },
      headers: { origin: 'https://evil.example', host: 'evil.example' },
    })
    expect(opened.json.code).toBe('connect_session_missing')
  } finally {
    Object.assign(settings, { publicUrl: ownOrigin, host: '127.0.0.1' })
  }
})

test('no secret is in the log, not even one that was sent by mistake as a part of the path', async () => {
  const { url } = await createLink(world)
  const { pathname, hash } = new URL(url)
  for (const sign of ['%23', '?', '/%23']) await new Browser(world).send(`${pathname}${sign}${hash.slice(1)}`)
  expect(world.log.join('\n')).toContain(pathname)
  expect(world.log.join('\n')).not.toContain(hash.slice(1))
  const text = world.log.join('\n')
  for (const secret of ['sandbox-secret', client.secret]) expect(text).not.toContain(secret)
})
