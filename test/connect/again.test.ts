import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { sandboxCredentials, tiktokCredentials } from '../../packages/sandbox/src/index.ts'
import { base, connectorsPath, type Json, sandboxConnector } from '../http/support.ts'
import { share } from '../support/share.ts'
import { askAs, oauthClients, ownOrigin, readConnector, readLink, saveOAuthClient, startConnectWorld, visitLink } from './support.ts'

const world = await share(startConnectWorld())
await saveOAuthClient(world, 'gong')
await saveOAuthClient(world, 'tiktok-marketing')
beforeEach(() => {
  world.sandbox.gong.switches.reset()
  world.sandbox.tiktok.switches.reset()
})

const visit = (more: object = {}) => visitLink(world, more)
const keys = { access_key: 'sandbox', access_key_secret: 'sandbox-secret' }
const ofConnector = (id: string, more: object = {}) => ({ kinds: undefined, sandbox: undefined, connector_id: id, ...more })

/** Authorizes a connector at Gong. */
async function connectGong(): Promise<string> {
  const { browser } = await visit()
  await browser.comeBack(await browser.agreeAtGong())
  return (await browser.page('session')).json.connector_id
}

/** Authorizes a connector for accounts at TikTok. */
async function connectTiktok(accounts: readonly string[]): Promise<string> {
  const { browser } = await visit({ kinds: ['tiktok-marketing'] })
  await browser.comeBack(await browser.agreeAtTiktok(accounts))
  const { json } = await browser.page('accounts')
  return (await browser.page('accounts', { attempt_id: json.attempt_id, ids: accounts })).json.connector_id
}

/** What must stay as it is. */
const kept = ({ id, name, created_at, replication_config, entities }: Json) => ({ id, name, created_at, replication_config, entities })

describe('authorizing again', () => {
  test('ends auth_error with the same account, and keeps everything but the credentials', async () => {
    const id = await connectGong()
    world.sandbox.faults.add({ kind: 'status', status: 401, path: '/v2/users', times: 2 })
    await askAs(world, `${connectorsPath}/${id}/execute`, { body: { entity: 'users', action: 'list' } })
    const before = await readConnector(world, id)
    expect(before.status).toBe('auth_error')
    const { browser, id: linkId } = await visit(ofConnector(id))
    const { json: page } = await browser.page('session')
    expect(page.connector).toEqual({ id, name: before.name, kind: 'gong', status: 'auth_error' })
    await browser.comeBack(await browser.agreeAtGong())
    const after = await readConnector(world, id)
    expect([after.status, kept(after)]).toEqual(['active', kept(before)])
    expect(await readLink(world, linkId)).toMatchObject({ status: 'used', connector_id: id, target_connector_id: id })
  })

  test('refuses another account, which changes nothing', async () => {
    const id = await connectGong()
    const before = await readConnector(world, id)
    const { browser, id: linkId } = await visit(ofConnector(id))
    await browser.comeBack(await browser.agreeAtGong(sandboxCredentials.otherAdministrator))
    const { attempt } = (await browser.page('session')).json
    expect([attempt.status, attempt.failure.code]).toEqual(['failed', 'connect_account_mismatch'])
    const refused = await browser.page('connector', { kind: 'gong', credentials: { ...keys, access_key_secret: 'wrong' } })
    expect(refused.status).toBe(422)
    expect(await readConnector(world, id)).toEqual(before)
    expect((await readLink(world, linkId)).status).toBe('open')
    expect((await askAs(world, `${connectorsPath}/${id}/execute`, { body: { entity: 'users', action: 'list' } })).status).toBe(200)
  })

  test('counts what nothing proves as different, unless the link allows it', async () => {
    const made = { ...sandboxConnector('Made by hand'), check: false, credentials: { ...keys, access_key_secret: 'wrong' } }
    const { id } = (await askAs(world, connectorsPath, { body: made })).json
    const { browser } = await visit(ofConnector(id))
    const refused = await browser.page('connector', { kind: 'gong', credentials: keys })
    expect([refused.status, refused.json.code]).toEqual([409, 'connect_account_mismatch'])
    expect(refused.json.message).toContain('nothing proves it')
    const allowed = await visit(ofConnector(id, { allow_other_account: true }))
    expect((await allowed.browser.page('connector', { kind: 'gong', credentials: keys })).json.connector_id).toBe(id)
  })

  test('takes no other kind, name or configuration', async () => {
    const id = await connectGong()
    const { browser } = await visit(ofConnector(id))
    const refused = await browser.page('connector', { kind: 'gong', credentials: keys, configuration: { private_calls: 'include' } })
    expect(refused.status).toBe(422)
    expect((await browser.page('connector', { kind: 'shopify', credentials: keys })).status).toBe(422)
    const { status, json } = await askAs(world, `${base}/connect/links`, {
      body: { end_user: { id: 'u' }, connector_id: id, kinds: ['gong'] },
    })
    expect([status, json.errors[0].field]).toEqual([422, '/kinds'])
  })

  test('at TikTok asks for no accounts, and needs those of the connector', async () => {
    const { advertiserId, secondAdvertiserId } = world.sandbox.tiktok.world
    const id = await connectTiktok([advertiserId, secondAdvertiserId])
    const before = await readConnector(world, id)
    const { browser, id: linkId } = await visit(ofConnector(id))
    await browser.comeBack(await browser.agreeAtTiktok([advertiserId]))
    expect((await browser.page('session')).json.attempt.failure.code).toBe('connect_account_mismatch')
    await browser.comeBack(await browser.agreeAtTiktok([world.sandbox.tiktok.world.deniedAdvertiserId], tiktokCredentials.otherUser))
    expect((await browser.page('session')).json.attempt.failure.code).toBe('connect_account_mismatch')
    expect(kept(await readConnector(world, id))).toEqual(kept(before))
    await browser.comeBack(await browser.agreeAtTiktok([advertiserId, secondAdvertiserId]))
    expect((await readLink(world, linkId)).status).toBe('used')
    expect(kept(await readConnector(world, id))).toEqual(kept(before))
  })
})

describe('a connector that was created over HTTP', () => {
  const { accessToken, limitedToken, refreshToken, clientId, clientSecret } = sandboxCredentials
  const tokens = { access_token: accessToken, refresh_token: refreshToken }
  const made = (name: string, more: object = {}) => ({ ...sandboxConnector(name), credentials: tokens, ...more })
  const create = async (name: string, more: object = {}): Promise<Json> => {
    const { status, json } = await askAs(world, connectorsPath, { body: made(name, more) })
    expect(status).toBe(200)
    return json
  }

  /** Ends the tokens at the vendor, as a refresh elsewhere does. */
  async function endTokens(): Promise<void> {
    world.sandbox.gong.switches.set({ refreshRevokesAccess: true })
    const query = new URLSearchParams({ grant_type: 'refresh_token', refresh_token: refreshToken })
    const authorization = `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`
    const url = `${world.sandbox.origins.gong.oauth}/oauth2/generate-customer-token?${query}`
    expect((await fetch(url, { method: 'POST', headers: { authorization } })).status).toBe(200)
  }

  /** Tries to authorize a connector again with other credentials of its account. */
  async function tryAgain(id: string): Promise<Json> {
    const { browser } = await visit(ofConnector(id))
    return (await browser.page('connector', { kind: 'gong', credentials: keys })).json
  }
  const reached = () => world.sandbox.gong.requests().filter(({ path }) => path.startsWith('/v2/workspaces'))
  afterEach(() => world.sandbox.gong.reset())

  test('is authorized again after its credentials died, as its account was remembered', async () => {
    const { id } = await create('Remembered')
    await endTokens()
    expect((await askAs(world, `${connectorsPath}/${id}/execute`, { body: { entity: 'users', action: 'list' } })).status).not.toBe(200)
    expect((await readConnector(world, id)).status).toBe('auth_error')
    expect(await tryAgain(id)).toMatchObject({ connector_id: id })
    expect((await readConnector(world, id)).status).toBe('active')
  })

  test('remembers the account of a change of credentials, and none of unchecked ones', async () => {
    const { id } = await create('Changed', { check: false, credentials: keys })
    const patch = (body: object) => askAs(world, `${connectorsPath}/${id}`, { method: 'PATCH', body })
    expect((await patch({ credentials: tokens })).status).toBe(200)
    await endTokens()
    expect(await tryAgain(id)).toMatchObject({ connector_id: id })
    expect((await patch({ credentials: { access_key_secret: 'wrong' }, check: false })).status).toBe(200)
    expect(await tryAgain(id)).toMatchObject({ code: 'connect_account_mismatch', message: expect.stringContaining('nothing proves it') })
  })

  test.each([
    ['keeps its account where another configuration decides about something else', { private_calls: 'include' }, undefined],
    [
      'forgets its account where another configuration can lead to another one',
      { api_base_url_for_customer: 'https://other.api.gong.io' },
      'connect_account_mismatch',
    ],
  ])('%s', async (name, replication_config, code) => {
    const { id } = await create(name)
    expect((await askAs(world, `${connectorsPath}/${id}`, { method: 'PATCH', body: { replication_config } })).status).toBe(200)
    await endTokens()
    expect((await tryAgain(id)).code).toBe(code)
  })

  test('is made although its account cannot be read, and then remembers none', async () => {
    world.sandbox.faults.add({ kind: 'status', status: 500, path: '/v2/workspaces', times: 3 })
    const { id } = await create('Unread')
    const limited = await create('Limited', { credentials: { access_token: limitedToken, refresh_token: refreshToken } })
    world.sandbox.faults.clear()
    await endTokens()
    expect((await tryAgain(id)).code).toBe('connect_account_mismatch')
    expect((await tryAgain(limited.id)).code).toBe('connect_account_mismatch')
  })

  test('costs one request for the account, and none without a check', async () => {
    world.sandbox.gong.clear()
    await create('Unchecked', { check: false })
    expect(reached()).toEqual([])
    await create('Checked')
    expect(reached()).toHaveLength(1)
  })
})

describe('deleting the connector of a consent', () => {
  const revocations = () => world.sandbox.tiktok.requests().filter(({ path }) => path.includes('/oauth2/revoke_token/'))

  test('ends its token at TikTok', async () => {
    const id = await connectTiktok([world.sandbox.tiktok.world.advertiserId])
    world.sandbox.tiktok.clear()
    await askAs(world, `${connectorsPath}/${id}`, { method: 'DELETE' })
    await expect.poll(() => revocations().length).toBe(1)
    expect(world.log.join('\n')).not.toContain('revoke_token')
  })
})

describe('the OAuth client of the operator', () => {
  const credentials = `${base}/oauth/credentials`

  test('never leaves, and says what to register at the vendor', async () => {
    const { status, json, text } = await saveOAuthClient(world, 'gong')
    expect([status, json.redirect_uri]).toEqual([200, `${ownOrigin}/connect/callback/gong`])
    expect(json.configuration_fields).toEqual(['client_id', 'client_secret'])
    const listed = await askAs(world, credentials)
    expect(listed.json.data.map(({ connector_type }: Json) => connector_type)).toEqual(['gong', 'tiktok-marketing'])
    for (const secret of [oauthClients.gong.client_secret, oauthClients.gong.client_id])
      expect(text + listed.text).not.toContain(`"${secret}"`)
  })

  test('is taken in the form of existing clients, by the id of the definition', async () => {
    const { connector_definition_id: id } = (await saveOAuthClient(world, 'gong')).json
    const body = { connector_type: 'source', connector_definition_id: id, configuration: oauthClients.gong }
    expect((await askAs(world, `/compat${credentials}`, { method: 'PUT', body })).json.connector_type).toBe('gong')
  })

  test.each([
    ['fields that are missing', { connector_type: 'gong', configuration: { client_id: 'x' } }, '/configuration/client_secret'],
    ['fields that are unknown', { connector_type: 'gong', configuration: { ...oauthClients.gong, moon: 'x' } }, '/configuration/moon'],
    ['no kind', { configuration: {} }, '/connector_type'],
  ])('is refused with %s', async (...[, body, field]) => {
    const { status, json } = await askAs(world, credentials, { method: 'PUT', body })
    expect([status, json.errors[0].field]).toEqual([422, field])
  })

  test('in use is deleted by force only, and a token for one workspace sees none', async () => {
    const path = `${credentials}/connector_type/gong`
    const { browser } = await visit()
    await browser.comeBack(await browser.agreeAtGong())
    const refused = await askAs(world, path, { method: 'DELETE' })
    expect([refused.status, refused.json.code]).toEqual([409, 'oauth_credentials_in_use'])
    const body = { workspace_name: 'Scoped' }
    const { json } = await askAs(world, `${base}/account/applications/scoped-token`, { body })
    expect((await world.ask(credentials, { token: json.token })).json.code).toBe('organization_forbidden')
    expect((await world.ask(path, { method: 'DELETE', token: json.token })).json.code).toBe('organization_forbidden')
  })

  test('is read at each renewal, so that a new secret holds for all connectors', async () => {
    const { browser } = await visit()
    world.sandbox.gong.switches.set({ expiresIn: 1 }) // each call renews
    await browser.comeBack(await browser.agreeAtGong())
    const { connector_id: id } = (await browser.page('session')).json
    const read = () => askAs(world, `${base}/integrations/connectors/${id}/execute`, { body: { entity: 'users', action: 'list' } })
    expect((await read()).status).toBe(200)
    await saveOAuthClient(world, 'gong', { client_secret: 'a wrong one' })
    expect((await read()).json.code).toBe('upstream_auth_failed')
    await saveOAuthClient(world, 'gong')
    expect((await read()).status).toBe(200)
    await world.platform.vault.rotateMasterKey()
    await world.platform.vault.rotateDataKeys()
    expect((await read()).status).toBe(200)
    expect((await readConnector(world, id)).credential_fields).not.toContain('client_secret')
  })
})

test('no secret of a consent is in the log', () => {
  const text = world.log.join('\n')
  for (const secret of Object.values(oauthClients).flatMap((each) => Object.values(each))) expect(text).not.toContain(`=${secret}`)
  expect(text).not.toMatch(/[?&](code|auth_code|state|secret)=/)
})
