import { beforeEach, describe, expect, test } from 'vitest'
import { sandboxCredentials, tiktokCredentials } from '../../packages/sandbox/src/index.ts'
import { base, type Json } from '../http/support.ts'
import { consentAtGong, returnOf } from '../sandbox/consent-client.ts'
import { share } from '../support/share.ts'
import {
  askAs,
  Browser,
  countConnectors,
  oauthClients,
  ownOrigin,
  readConnector,
  readLink,
  saveOAuthClient,
  startConnectWorld,
  visitLink,
} from './support.ts'

let before: number
const world = await share(startConnectWorld())
await saveOAuthClient(world, 'gong')
await saveOAuthClient(world, 'tiktok-marketing')
beforeEach(async () => {
  world.sandbox.gong.switches.reset()
  world.sandbox.tiktok.switches.reset()
  before = await countConnectors(world)
})

const tiktokLink = { kinds: ['tiktok-marketing'] }
const connector = (id: string): Promise<Json> => readConnector(world, id)
const visit = (more: object = {}) => visitLink(world, more)

const attemptOf = async (browser: Browser): Promise<Json> => (await browser.page('session')).json.attempt

describe('the whole way', () => {
  test('at Gong makes a connector that refers to the OAuth client', async () => {
    const { browser, id } = await visit({ name: 'By consent' })
    const { json: consent } = await browser.page('consent', { kind: 'gong', configuration: { private_calls: 'exclude' } })
    const asked = new URL(consent.consent_url)
    expect(asked.searchParams.get('redirect_uri')).toBe(`${ownOrigin}/connect/callback/gong`)
    const cookie = browser.cookies.get(`ferrule_connect_attempt_4321_${consent.attempt_id}`)
    expect(cookie?.attributes).toBe('Path=/connect; HttpOnly; SameSite=Lax; Max-Age=900')
    const back = returnOf(await consentAtGong(asked.href))
    const { status, headers } = await browser.comeBack(back)
    const page = new URL(headers.location ?? '')
    expect([status, page.origin + page.pathname, [...page.searchParams.keys()]]).toEqual([303, `${ownOrigin}/connect/${id}`, ['attempt']])
    expect([headers['referrer-policy'], headers['cache-control']]).toEqual(['no-referrer', 'no-store'])
    const { json: shown } = await browser.page('session')
    expect(shown).toMatchObject({ status: 'used', attempt: { id: consent.attempt_id, status: 'done', failure: null } })
    const made = await connector(shown.connector_id)
    expect(made).toMatchObject({ name: 'By consent', credential_scheme: 'oauth', replication_config: { private_calls: 'exclude' } })
    expect(made.credential_fields).not.toContain('client_secret')
    expect((await world.execute(made.id, { entity: 'users', action: 'list' })).status).toBe(200)
    expect((await readLink(world, id)).connector_id).toBe(made.id)
  })

  test('at TikTok lets the end user choose accounts by name, and makes one connector', async () => {
    const { browser } = await visit(tiktokLink)
    const { advertiserId, secondAdvertiserId } = world.sandbox.tiktok.world
    const advertisers = [advertiserId, secondAdvertiserId]
    await browser.comeBack(await browser.agreeAtTiktok(advertisers))
    expect(await attemptOf(browser)).toMatchObject({ kind: 'tiktok-marketing', status: 'choosing' })
    const { json: list } = await browser.page('accounts')
    expect(list.accounts.map(({ id }: Json) => id).toSorted()).toEqual([...advertisers].toSorted())
    expect(list.accounts.every(({ name, id }: Json) => name !== id)).toBe(true)
    const foreign = await browser.page('accounts', { attempt_id: list.attempt_id, ids: ['1'] })
    expect([foreign.status, foreign.json.errors[0].field]).toEqual([422, '/ids/0'])
    expect((await browser.page('accounts', { attempt_id: list.attempt_id, ids: [] })).status).toBe(422)
    const done = await browser.page('accounts', { attempt_id: list.attempt_id, ids: advertisers, name: 'Two accounts' })
    expect(done.status).toBe(200)
    const made = await connector(done.json.connector_id)
    expect(made).toMatchObject({ name: 'Two accounts', replication_config: { advertiser_id: advertisers } })
    expect(await countConnectors(world)).toBe(before + 1)
    expect((await browser.page('accounts', { attempt_id: list.attempt_id, ids: advertisers })).json.code).toBe('connect_return_refused')
  })

  test('at TikTok with one account', async () => {
    const { browser } = await visit(tiktokLink)
    const only = world.sandbox.tiktok.world.advertiserId
    await browser.comeBack(await browser.agreeAtTiktok([only]))
    const { json } = await browser.page('accounts')
    const done = await browser.page('accounts', { attempt_id: json.attempt_id, ids: [only] })
    expect((await connector(done.json.connector_id)).replication_config.advertiser_id).toBe(only)
  })

  test('offers no consent without an OAuth client of the organization', async () => {
    const { browser } = await visit()
    const { json } = await browser.page('session')
    expect(json.kinds[0].schemes[0]).toMatchObject({
      name: 'oauth',
      consent: true,
      schema: null,
      who: expect.stringContaining('administrator'),
    })
    const gone = await askAs(world, `${base}/oauth/credentials/connector_type/gong?force=true`, { method: 'DELETE' })
    expect(gone.json.connectors).toBeGreaterThan(0)
    expect((await browser.page('session')).json.kinds[0].schemes.map(({ name }: Json) => name)).toEqual(['access_key'])
    expect((await browser.page('consent', { kind: 'gong' })).json.code).toBe('oauth_credentials_not_found')
    await saveOAuthClient(world, 'gong')
  })
})

describe('a return that brings nothing says what to do, and the link stays usable', () => {
  test.each([
    ['refused', 'connect_return_refused', 'access was denied'],
    ['empty', 'connect_return_refused', 'sent no code'],
  ])('%s', async (consentReturn, code, message) => {
    const { browser, id } = await visit()
    world.sandbox.gong.switches.set({ consentReturn })
    await browser.comeBack(await browser.agreeAtGong())
    const { failure, status } = await attemptOf(browser)
    expect([status, failure.code]).toEqual(['failed', code])
    expect(failure.message).toContain(message)
    expect(failure.hint).toContain('again')
    expect([await countConnectors(world), (await readLink(world, id)).status]).toEqual([before, 'open'])
    world.sandbox.gong.switches.reset()
    await browser.comeBack(await browser.agreeAtGong())
    expect((await readLink(world, id)).status).toBe('used')
  })

  test('no account ticked', async () => {
    const { browser, id } = await visit(tiktokLink)
    await browser.comeBack(await browser.agreeAtTiktok([]))
    const { status, failure } = await attemptOf(browser)
    expect([status, failure.message]).toEqual(['failed', expect.stringContaining('no account was ticked')])
    expect([await countConnectors(world), (await readLink(world, id)).status]).toEqual([before, 'open'])
  })

  test.each([
    ['a code that was used', { codeState: 'used' }, 'upstream_auth_failed'],
    ['a code of another OAuth client', { codeState: 'other app' }, 'upstream_auth_failed'],
    ['a code that has expired', { codeSeconds: 0 }, 'upstream_auth_failed'],
  ])('%s', async (...[, switches, code]) => {
    const { browser, id } = await visit()
    world.sandbox.gong.switches.set(switches)
    await browser.comeBack(await browser.agreeAtGong())
    expect((await attemptOf(browser)).failure.code).toBe(code)
    expect([await countConnectors(world), (await readLink(world, id)).status]).toEqual([before, 'open'])
  })

  test('an exchange whose end is unclear is not repeated', async () => {
    const { browser, id } = await visit()
    const back = await browser.agreeAtGong()
    world.sandbox.gong.clear()
    world.sandbox.faults.add({ kind: 'reset', path: '/oauth2/generate-customer-token', moment: 'after' })
    await browser.comeBack(back)
    expect((await attemptOf(browser)).failure.code).toBe('consent_unclear')
    await browser.comeBack(back)
    const exchanges = world.sandbox.gong.requests().filter(({ path }) => path.includes('/oauth2/generate-customer-token'))
    expect(exchanges.length).toBeLessThanOrEqual(1)
    expect([await countConnectors(world), (await readLink(world, id)).status]).toEqual([before, 'open'])
  })
})

describe('a hostile return creates and changes nothing', () => {
  /** Asserts that a return was refused without a word about any link. */
  const expectRefused = async (answer: { readonly status: number; readonly text: string }, id: string) => {
    expect(answer.status).toBe(400)
    expect(answer.text).toContain('Nothing was changed')
    expect(answer.text).not.toContain(id)
    expect([await countConnectors(world), (await readLink(world, id)).status]).toEqual([before, 'open'])
    expect(world.sandbox.gong.requests().filter(({ path }) => path.includes('generate-customer-token'))).toEqual([])
  }
  beforeEach(() => world.sandbox.gong.clear())

  test('with a state that the vendor changed or left out', async () => {
    for (const consentReturn of ['wrong state', 'no state']) {
      const { browser, id } = await visit()
      world.sandbox.gong.switches.set({ consentReturn })
      await expectRefused(await browser.comeBack(await browser.agreeAtGong()), id)
    }
  })

  test("with somebody else's state", async () => {
    const [attacker, victim] = [await visit(), await visit()]
    const back = await attacker.browser.agreeAtGong()
    const own = await victim.browser.agreeAtGong()
    own.searchParams.set('state', back.searchParams.get('state') ?? '')
    await expectRefused(await victim.browser.comeBack(own), victim.id)
  })

  test('in a browser without the cookie: a consent that was forwarded', async () => {
    const { browser, id } = await visit()
    const back = await browser.agreeAtGong()
    await expectRefused(await new Browser(world).comeBack(back), id)
    await expectRefused(await (await visit()).browser.comeBack(back), id)
  })

  test('with a cookie of another attempt', async () => {
    const { browser, id } = await visit()
    const back = await browser.agreeAtGong()
    const other = await visit()
    await other.browser.agreeAtGong()
    const [name] = [...browser.cookies.keys()].filter((each) => each.includes('attempt'))
    const [, foreign] = [...other.browser.cookies].find(([each]) => each.includes('attempt')) ?? []
    const headers = { cookie: `${name}=${foreign?.value}` }
    await expectRefused(await browser.send(`${back.pathname}${back.search}`, { headers }), id)
  })

  test('at the callback of another kind', async () => {
    const { browser, id } = await visit({ kinds: ['gong', 'tiktok-marketing'] })
    const back = await browser.agreeAtGong()
    back.pathname = '/connect/callback/tiktok-marketing'
    await expectRefused(await browser.comeBack(back), id)
    back.pathname = '/connect/callback/no-such-kind'
    await expectRefused(await browser.comeBack(back), id)
  })

  test('with repeated parameters', async () => {
    const { browser, id } = await visit()
    const back = await browser.agreeAtGong()
    back.searchParams.append('state', 'another')
    await expectRefused(await browser.comeBack(back), id)
  })

  test('again: the code is exchanged once', async () => {
    const { browser, id } = await visit()
    const back = await browser.agreeAtGong()
    await browser.comeBack(back)
    expect((await readLink(world, id)).status).toBe('used')
    const again = await browser.comeBack(back)
    expect([again.status, again.headers.location?.startsWith(`${ownOrigin}/connect/${id}`)]).toEqual([303, true])
    expect(await countConnectors(world)).toBe(before + 1)
    expect(world.sandbox.gong.requests().filter(({ path }) => path.includes('generate-customer-token'))).toHaveLength(1)
  })

  test('after the link was revoked or has expired, or too late', async () => {
    const revoked = await visit()
    const back = await revoked.browser.agreeAtGong()
    await askAs(world, `${base}/connect/links/${revoked.id}`, { method: 'DELETE' })
    await revoked.browser.comeBack(back)
    const expired = await visit({ expires_in: 60 })
    const later = await expired.browser.agreeAtGong()
    world.clock.now += 61_000
    await expired.browser.comeBack(later)
    const late = await visit()
    const latest = await late.browser.agreeAtGong()
    world.clock.now += 16 * 60_000
    await late.browser.comeBack(latest)
    expect(await countConnectors(world)).toBe(before)
    expect(world.sandbox.gong.requests().filter(({ path }) => path.includes('generate-customer-token'))).toEqual([])
    expect((await readLink(world, late.id)).status).toBe('open')
  })

  test('leads to no address that it names, whatever Host says', async () => {
    const { browser, id } = await visit()
    const back = await browser.agreeAtGong()
    for (const name of ['redirect_url', 'redirect_uri', 'return_url']) back.searchParams.set(name, 'https://evil.example')
    const cookie = [...browser.cookies].map(([name, { value }]) => `${name}=${value}`).join('; ')
    const headers = { cookie, host: 'evil.example', 'x-forwarded-host': 'evil.example' }
    const { headers: answered } = await browser.send(`${back.pathname}${back.search}`, { headers })
    expect(answered.location).toMatch(new RegExp(`^${ownOrigin}/connect/${id}\\?attempt=[\\w-]{36}$`))
    expect((await connector((await readLink(world, id)).connector_id)).name).toMatch(/^Gong/)
  })

  test('accounts of a consent cannot be chosen in another browser or by another link', async () => {
    const [owner, thief] = [await visit(tiktokLink), await visit(tiktokLink)]
    const only = world.sandbox.tiktok.world.advertiserId
    await owner.browser.comeBack(await owner.browser.agreeAtTiktok([only]))
    const { json } = await owner.browser.page('accounts')
    const body = { attempt_id: json.attempt_id, ids: [only] }
    expect((await thief.browser.page('accounts', body)).json.code).toBe('connect_return_refused')
    const second = new Browser(world)
    await second.open(owner.url)
    expect((await second.page('accounts', body)).json.code).toBe('connect_return_refused')
    expect(await countConnectors(world)).toBe(before)
  })
})

test('no secret of a consent is in the log', () => {
  const text = world.log.join('\n')
  for (const secret of [oauthClients.gong.client_secret, tiktokCredentials.verificationCode, sandboxCredentials.password])
    expect(text).not.toContain(secret)
  expect(text).not.toMatch(/[?&](code|auth_code|state|secret)=/)
})
