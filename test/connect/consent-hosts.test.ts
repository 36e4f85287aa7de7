/** Consents on pages of the customer's own host: Shopify and Snowflake. */
import { beforeEach, describe, expect, test } from 'vitest'
import { shopifyCredentials, snowflakeCredentials } from '../../packages/sandbox/src/index.ts'
import { base, type Json } from '../http/support.ts'
import { ask } from '../sandbox/client.ts'
import { consentAtShopify, consentAtSnowflake, returnOf } from '../sandbox/consent-client.ts'
import { share } from '../support/share.ts'
import {
  askAs,
  type Browser,
  countConnectors,
  oauthClients,
  ownOrigin,
  readConnector,
  readLink,
  saveOAuthClient,
  startConnectWorld,
  visitLink,
  warehouse,
} from './support.ts'

const world = await share(startConnectWorld())
await saveOAuthClient(world, 'shopify')
await saveOAuthClient(world, 'snowflake')
beforeEach(() => {
  world.sandbox.shopify.reset()
  world.sandbox.snowflake.switches.reset()
  world.sandbox.shopify.clear()
})

const { shop } = shopifyCredentials
const atShopify = () => visitLink(world, { kinds: ['shopify'] })
const atSnowflake = () => visitLink(world, { kinds: ['snowflake'] })
const attemptOf = async (browser: Browser): Promise<Json> => (await browser.page('session')).json.attempt
const madeBy = async (id: string): Promise<Json> => readConnector(world, (await readLink(world, id)).connector_id)
const execute = (id: string, body: object) => askAs(world, `${base}/integrations/connectors/${id}/execute`, { body })
const tokensAsked = () => world.sandbox.shopify.requests().filter(({ path }) => path.startsWith('/admin/oauth/access_token')).length

describe('at Shopify', () => {
  test('the store is asked first, its owner agrees, and the token is renewed', async () => {
    const { browser, id } = await atShopify()
    await browser.comeBack(await browser.agreeAtShopify(` https://${shop.toUpperCase()}.myshopify.com/ `))
    const made = await madeBy(id)
    expect(made).toMatchObject({ connector_type: 'shopify', credential_scheme: 'oauth', replication_config: { shop } })
    expect(made.credential_fields.toSorted()).toEqual(['access_token', 'refresh_token', 'token_expiry_date'])
    expect((await execute(made.id, { entity: 'orders', action: 'list' })).status).toBe(200)
    expect(tokensAsked()).toBe(1)
  })

  test('an expiring token is renewed before a call, with the refresh token that came last', async () => {
    const { browser, id } = await atShopify()
    world.sandbox.shopify.switches.set({ expiresIn: 30 })
    await browser.comeBack(await browser.agreeAtShopify())
    const made = await madeBy(id)
    const before = tokensAsked()
    for (const _call of [1, 2]) expect((await execute(made.id, { entity: 'orders', action: 'list' })).status).toBe(200)
    expect(tokensAsked()).toBe(before + 2)
  })

  test('the page is that of the store, with the scopes of the kind and the callback of the service', async () => {
    const { browser } = await atShopify()
    const page = new URL((await browser.begin('shopify', { configuration: { shop } })).consent_url)
    expect([page.pathname, page.searchParams.get('redirect_uri')]).toEqual([
      '/admin/oauth/authorize',
      `${ownOrigin}/connect/callback/shopify`,
    ])
    expect(page.searchParams.get('scope')?.split(',')).toEqual(shopifyCredentials.appScopes.toSorted(byOrderOf(page)))
    expect(page.searchParams.has('grant_options[]')).toBe(false)
  })

  test.each(['evil.example', 'evil.example/', 'x.myshopify.com.evil.example', 'a@evil.example#', 'my shop', ''])(
    'no consent begins for the store %j',
    async (wrong) => {
      const { browser } = await atShopify()
      const answer = await browser.page('consent', { kind: 'shopify', configuration: { shop: wrong } })
      expect([answer.status, answer.json.errors[0].field]).toEqual([422, '/configuration/shop'])
    },
  )

  test.each([
    ['a wrong signature', { returnHmac: 'wrong' }, 'connect_return_refused', 'not signed by Shopify'],
    ['no signature', { returnHmac: 'missing' }, 'connect_return_refused', 'not signed by Shopify'],
    ['another store', { returnShop: 'other-store.myshopify.com' }, 'connect_return_refused', `another shop than ${shop}.myshopify.com`],
    ['a refusal', { consentReturn: 'refused' }, 'connect_return_refused', 'access was denied'],
    ['an expired code', { codeSeconds: 0 }, 'upstream_auth_failed', 'exchange of the code'],
    ['a code that was used, in the form of a page', { codeState: 'used', oauthErrors: 'page' }, 'upstream_auth_failed', 'status 400'],
  ])('a return with %s makes nothing, and the link stays usable', async (...[what, switches, code, message]) => {
    const before = await countConnectors(world)
    const { browser, id } = await atShopify()
    world.sandbox.shopify.switches.set(switches)
    await browser.comeBack(await browser.agreeAtShopify())
    const { status, failure } = await attemptOf(browser)
    expect([status, failure.code, failure.message]).toEqual(['failed', code, expect.stringContaining(message)])
    expect([await countConnectors(world), (await readLink(world, id)).status]).toEqual([before, 'open'])
    expect(tokensAsked()).toBe(what.includes('code') ? 1 : 0)
  })

  test('a state that was used is exchanged once', async () => {
    const { browser, id } = await atShopify()
    const back = await browser.agreeAtShopify()
    await browser.comeBack(back)
    await browser.comeBack(back)
    expect([(await readLink(world, id)).status, tokensAsked()]).toEqual(['used', 1])
  })

  test('a store that removed the app asks for a new authorization, which works again', async () => {
    const { browser, id } = await atShopify()
    await browser.comeBack(await browser.agreeAtShopify())
    const made = await madeBy(id)
    world.sandbox.shopify.switches.set({ installed: false })
    expect((await execute(made.id, { entity: 'shop', action: 'get' })).json.code).toBe('upstream_auth_failed')
    expect((await readConnector(world, made.id)).status).toBe('auth_error')
    world.sandbox.shopify.switches.reset()
    const again = await visitLink(world, { kinds: undefined, sandbox: undefined, connector_id: made.id })
    await again.browser.comeBack(returnOf(await consentAtShopify((await again.browser.begin('shopify')).consent_url)))
    expect((await readConnector(world, made.id)).status).toBe('active')
    expect((await execute(made.id, { entity: 'shop', action: 'get' })).status).toBe(200)
  })

  test('fewer scopes than asked for connect, and the check names what cannot be read', async () => {
    const { browser, id } = await atShopify()
    world.sandbox.shopify.switches.set({ scopes: 'read_products' })
    await browser.comeBack(await browser.agreeAtShopify())
    const { json } = await askAs(world, `${base}/integrations/connectors/${(await madeBy(id)).id}/check`, { method: 'POST' })
    expect(JSON.stringify(json)).toContain('read_orders')
    expect(JSON.stringify(json)).not.toContain('read_products')
  })
})

/** Keeps the order of the page: the OAuth client of the stand-in lists its scopes in its own. */
const byOrderOf = (page: URL) => {
  const asked = page.searchParams.get('scope')?.split(',') ?? []
  return (one: string, other: string) => asked.indexOf(one) - asked.indexOf(other)
}

test('an app of the Dev Dashboard connects its own store without a page, and says what to do when the store removed it', async () => {
  const { status, json } = await askAs(world, `${base}/integrations/connectors`, {
    body: {
      ...{ workspace_name: 'default', name: 'Own store', connector_type: 'shopify', credentials: oauthClients.shopify },
      ...{ replication_config: { shop }, environment: { sandbox: true } },
    },
  })
  expect(status).toBe(200)
  expect(await readConnector(world, json.id)).toMatchObject({ credential_scheme: 'client_credentials', status: 'active' })
  const list = () => execute(json.id, { entity: 'orders', action: 'list' })
  expect((await list()).status).toBe(200)
  expect(tokensAsked()).toBe(1)
  world.sandbox.shopify.switches.set({ installed: false, oauthErrors: 'page' })
  const refused = (await list()).json
  expect([refused.retryable, refused.hint]).toEqual([false, expect.stringContaining('may still reach the account')])
})

describe('at Snowflake', () => {
  test('a user agrees for one role, and the token is renewed with a new refresh token each time', async () => {
    const { browser, id } = await atSnowflake()
    world.sandbox.snowflake.switches.set({ expiresIn: 30 })
    await browser.comeBack(await browser.agreeAtSnowflake())
    const made = await madeBy(id)
    expect(made).toMatchObject({ connector_type: 'snowflake', credential_scheme: 'oauth', replication_config: warehouse })
    for (const _call of [1, 2]) expect((await execute(made.id, { entity: 'warehouses', action: 'list' })).status).toBe(200)
    const other = await execute(made.id, { entity: 'warehouses', action: 'list', params: { role: 'ANALYST_ROLE' } })
    expect(other.json.code).toBe('upstream_permission_denied')
  })

  test('the page gets the role as one scope, whatever its name, and a challenge', async () => {
    const { browser } = await atSnowflake()
    const role = 'Data Team session:role:ACCOUNTADMIN'
    const page = new URL((await browser.begin('snowflake', { configuration: { ...warehouse, role } })).consent_url)
    expect(page.searchParams.get('scope')?.split(' ')).toEqual(['refresh_token', `session:role-encoded:${encodeURIComponent(role)}`])
    expect(page.searchParams.get('code_challenge_method')).toBe('S256')
    expect((await ask(page.href)).status).toBe(200)
    const refused = await consentAtSnowflake(page.href)
    expect([refused.status, refused.headers.get('location')]).toEqual([400, null])
  })

  test.each([
    ['a refusal', { consentReturn: 'refused' }, 'connect_return_refused'],
    ['an expired code', { codeSeconds: 0 }, 'upstream_auth_failed'],
  ])('a return with %s makes nothing, and the link stays usable', async (...[, switches, code]) => {
    const { browser, id } = await atSnowflake()
    world.sandbox.snowflake.switches.set(switches)
    await browser.comeBack(await browser.agreeAtSnowflake())
    expect((await attemptOf(browser)).failure.code).toBe(code)
    expect((await readLink(world, id)).status).toBe('open')
  })

  test('what an account needs is asked before its page opens', async () => {
    const { browser } = await atSnowflake()
    const { status, json } = await browser.page('consent', {
      kind: 'snowflake',
      configuration: { ...warehouse, account: 'evil.example/x' },
    })
    expect([status, json.errors[0].field]).toEqual([422, '/configuration/account'])
  })
})

test('no secret of these consents is in the log', () => {
  const text = world.log.join('\n')
  for (const secret of [oauthClients.shopify.client_secret, oauthClients.snowflake.client_secret, snowflakeCredentials.password])
    expect(text).not.toContain(secret)
  expect(text).not.toMatch(/[?&](code|hmac|state)=/)
})
