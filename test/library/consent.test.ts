/** The whole way of a consent against the sandbox: page, return, exchange, accounts, the same account or another, the end. */
import { afterAll, afterEach, describe, expect, test } from 'vitest'
import { kinds } from '../../packages/ferrule/src/connectors/index.ts'
import { buildConsentUrl, readConsentReturn } from '../../packages/ferrule/src/engine/consent/consent-page.ts'
import { type Connection, createEngine, isSameAccount, Secret } from '../../packages/ferrule/src/engine/index.ts'
import {
  sandboxCredentials,
  shopifyCredentials,
  snowflakeCredentials,
  startSandbox,
  tiktokCredentials,
} from '../../packages/sandbox/src/index.ts'
import { failure, fixed } from '../engine/support.ts'
import { consentAtGong, consentAtTiktok, returnOf } from '../sandbox/consent-client.ts'

const sandbox = await startSandbox({ limits: false })
const engine = createEngine({ limits: false })
afterEach(() => {
  sandbox.gong.reset()
  sandbox.tiktok.reset()
})
afterAll(() => Promise.all([engine.close(), sandbox.close()]))

type Kind = 'gong' | 'tiktok-marketing'
const oauthClients: Readonly<Record<Kind, Secret<Readonly<Record<string, string>>>>> = {
  gong: new Secret({ client_id: sandboxCredentials.clientId, client_secret: sandboxCredentials.clientSecret }),
  'tiktok-marketing': new Secret({ app_id: tiktokCredentials.appId, secret: tiktokCredentials.secret }),
}
const connectionOf = (kind: Kind) => ({ kind: kinds[kind], configuration: {}, origin: sandbox.origins[kind] })
const redirectOf = (kind: Kind) => `http://127.0.0.1/connect/callback/${kind}`

/** Opens the page as a person, and returns what comes back. */
async function consent(kind: Kind, walk: (url: string) => Promise<Parameters<typeof returnOf>[0]>) {
  const { definition } = kinds[kind]
  const url = buildConsentUrl({
    definition,
    oauthClient: oauthClients[kind],
    redirectUrl: redirectOf(kind),
    state: 'state-1',
    origins: sandbox.origins[kind],
  })
  return readConsentReturn(definition, returnOf(await walk(url)).searchParams)
}

const exchange = (kind: Kind, code: string) =>
  engine.exchangeConsent(connectionOf(kind), { oauthClient: oauthClients[kind], code, redirectUrl: redirectOf(kind) })

async function connectBy(kind: Kind, walk: Parameters<typeof consent>[1], configuration = {}): Promise<Connection> {
  const returned = await consent(kind, walk)
  const values = await exchange(kind, 'code' in returned ? returned.code : '')
  return { ...connectionOf(kind), configuration, credentials: fixed(values.reveal()) }
}

describe('a consent at Gong', () => {
  test('gives credentials that work, and proves the company', async () => {
    const first = await connectBy('gong', (url) => consentAtGong(url))
    await engine.check(first)
    const before = await engine.readAccount(first)
    expect(before.ids).not.toEqual([])
    expect(isSameAccount(before, await engine.readAccount(await connectBy('gong', (url) => consentAtGong(url))))).toBe('same')
    const other = await connectBy('gong', (url) => consentAtGong(url, { account: sandboxCredentials.otherAdministrator }))
    expect(isSameAccount(before, await engine.readAccount(other))).toBe('different')
  })

  test('that is denied brings no code, and a code is good once', async () => {
    expect(await consent('gong', (url) => consentAtGong(url, { action: 'deny' }))).toEqual({ state: 'state-1', refused: 'access_denied' })
    const returned = await consent('gong', (url) => consentAtGong(url))
    const code = 'code' in returned ? returned.code : ''
    await exchange('gong', code)
    expect(await failure(exchange('gong', code))).toMatchObject({ code: 'upstream_auth_failed', hint: expect.stringContaining('again') })
  })

  test('whose exchange ends unclear is not repeated', async () => {
    const returned = await consent('gong', (url) => consentAtGong(url))
    sandbox.faults.add({ kind: 'reset', moment: 'after', on: 'oauth', path: '/oauth2/generate-customer-token' })
    const error = await failure(exchange('gong', 'code' in returned ? returned.code : ''))
    expect(error).toMatchObject({ code: 'consent_unclear', retryable: false })
  })
})

describe('a consent at TikTok', () => {
  const { advertiserId, secondAdvertiserId } = sandbox.tiktok.world
  const tick =
    (...advertisers: readonly string[]) =>
    (url: string) =>
      consentAtTiktok(url, { advertisers })

  test('lists what was ticked by name, and nothing for nothing', async () => {
    const ticked = await engine.listConsentAccounts(await connectBy('tiktok-marketing', tick(advertiserId, secondAdvertiserId)))
    expect(ticked?.map(({ id }) => id)).toEqual([advertiserId, secondAdvertiserId])
    expect(ticked?.every(({ id, name }) => name !== '' && name !== id)).toBe(true)
    expect(await engine.listConsentAccounts(await connectBy('tiktok-marketing', tick()))).toEqual([])
  })

  test('is for the same account if it covers the advertisers in use', async () => {
    const configuration = { advertiser_id: secondAdvertiserId }
    const account = async (...ids: readonly string[]) =>
      engine.readAccount(await connectBy('tiktok-marketing', tick(...ids), configuration))
    const before = await account(advertiserId, secondAdvertiserId)
    expect(before).toEqual({ kind: 'tiktok-marketing', ids: [secondAdvertiserId] })
    expect(isSameAccount(before, await account(secondAdvertiserId))).toBe('same')
    expect(isSameAccount(before, await account(advertiserId))).toBe('different')
  })

  test('can be ended, twice', async () => {
    const connection = await connectBy('tiktok-marketing', tick(advertiserId), { advertiser_id: advertiserId })
    await engine.check(connection)
    await engine.revokeConsent(connection)
    expect(await failure(engine.check(connection))).toMatchObject({ code: 'upstream_auth_failed' })
    await engine.revokeConsent(connection)
  })
})

test('a shop and a warehouse prove their account by an answer of their own', async () => {
  const { account, token, database, warehouse, role } = snowflakeCredentials
  expect(
    await engine.readAccount({
      kind: kinds.snowflake,
      configuration: { account, database, warehouse, role },
      credentials: fixed({ programmatic_access_token: token }),
      origin: sandbox.origins.snowflake,
    }),
  ).toEqual({ kind: 'snowflake', ids: [`AWS_US_WEST_2.${account.toUpperCase()}`] })
  const shop = await engine.readAccount({
    kind: kinds.shopify,
    configuration: { shop: shopifyCredentials.shop },
    credentials: fixed({ api_key: shopifyCredentials.token }),
    origin: sandbox.origins.shopify,
  })
  expect(shop).toEqual({ kind: 'shopify', ids: [expect.stringMatching(/^\d+$/)] })
})
