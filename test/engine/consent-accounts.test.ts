/** The accounts of a consent, the end of its token, and which account credentials reach. */
import { inspect } from 'node:util'
import { describe, expect, test } from 'vitest'
import { kinds } from '../../packages/ferrule/src/connectors/index.ts'
import type { Connection } from '../../packages/ferrule/src/engine/connection.ts'
import { type AccountIdentity, isSameAccount } from '../../packages/ferrule/src/engine/consent/accounts.ts'
import type { CredentialValues } from '../../packages/ferrule/src/engine/credentials/source.ts'
import { failure, fixed, gongAt, type Reply, type Seen, serve, testEngine } from './support.ts'

const app = { app_id: '7301122334455667788', secret: 'a+secret/1&2"3' }
const consented = { ...app, access_token: 'AT_1', advertiser_ids: '7412085530917364481,7412085530917364503' }
const [one, two, three] = ['7412085530917364481', '7412085530917364503', '7412085530917364999'] as const

const ok = (data: unknown): Reply => ({ body: { code: 0, message: 'OK', request_id: 'r1', data } })
const refusal = (code: number, message: string): Reply => ({ body: { code, message, request_id: 'r2', data: {} } })
const pathOf = ({ url }: Seen): string => new URL(url, 'http://vendor').pathname

const tiktokAt = (origin: string, values: CredentialValues = consented, configuration = {}): Connection => ({
  kind: kinds['tiktok-marketing'],
  configuration,
  credentials: fixed(values),
  origin: { api: origin },
})
const accounts = (...ids: readonly unknown[]): Reply =>
  ok({ list: ids.map((advertiser_id) => ({ advertiser_id, advertiser_name: `Shop ${advertiser_id}` })) })

describe('the accounts of a consent', () => {
  test('have names, and every digit; the secret is in the query and nowhere else', async () => {
    await using server = await serve(() =>
      ok({ list: [{ advertiser_id: one, advertiser_name: 'Berlin' }, { advertiser_id: 7412085530917364503n }] }),
    )
    await using engine = testEngine()
    expect(await engine.listConsentAccounts(tiktokAt(server.origin))).toEqual([
      { id: one, name: 'Berlin' },
      { id: two, name: two },
    ])
    const [request] = server.seen
    const url = new URL(request?.url ?? '', 'http://vendor')
    expect(url.pathname).toBe('/open_api/v1.3/oauth2/advertiser/get/')
    expect(Object.fromEntries(url.searchParams)).toEqual(app)
    expect(request?.headers['access-token']).toBe('AT_1')
  })

  test.each<[string, Reply]>([
    ['a refusal', refusal(40105, `bad ${app.secret} AT_1 ${encodeURIComponent(app.secret)}`)],
    ['a failure', { status: 502, body: app.secret }],
    ['no list', ok({ advertisers: [] })],
    ['an account without an id', ok({ list: [{ advertiser_name: 'Berlin' }] })],
    ['a cut connection', (response) => response.destroy()],
  ])('that cannot be listed leak no secret: %s', async (_what, reply) => {
    await using server = await serve(() => reply)
    await using engine = testEngine()
    const error = await failure(engine.listConsentAccounts(tiktokAt(server.origin)))
    const printed = [inspect(error, { depth: 9, showHidden: true }), JSON.stringify(error.toProblem())].join()
    for (const secret of [app.secret, encodeURIComponent(app.secret), 'AT_1']) expect(printed).not.toContain(secret)
  })

  test('are none where nothing was ticked, and unknown without a consent', async () => {
    await using server = await serve(() => accounts())
    await using engine = testEngine()
    expect(await engine.listConsentAccounts(tiktokAt(server.origin))).toEqual([])
    expect(await engine.listConsentAccounts(tiktokAt(server.origin, { access_token: 'AT_1' }))).toBeUndefined()
    expect(await engine.listConsentAccounts(gongAt(server.origin))).toBeUndefined()
    expect(server.seen).toHaveLength(1)
  })
})

describe('the end of a consent', () => {
  test('is asked for with the token in header and body', async () => {
    await using server = await serve(() => ok({ advertiser_ids: [one] }))
    await using engine = testEngine()
    await engine.revokeConsent(tiktokAt(server.origin))
    expect(server.seen.map(({ method, url, headers, body }) => [method, url, headers['access-token'], JSON.parse(body)])).toEqual([
      ['POST', '/open_api/v1.3/oauth2/revoke_token/', 'AT_1', { ...app, access_token: 'AT_1' }],
    ])
  })

  test('that happened before is one; a refusal for another reason is none', async () => {
    let code = 40105
    await using server = await serve(() => refusal(code, 'no'))
    await using engine = testEngine()
    await engine.revokeConsent(tiktokAt(server.origin))
    code = 40101
    expect(await failure(engine.revokeConsent(tiktokAt(server.origin)))).toMatchObject({ code: 'upstream_auth_failed' })
  })

  test('is nothing to do for Gong, and for a token without its app', async () => {
    await using server = await serve(() => ok({}))
    await using engine = testEngine()
    await engine.revokeConsent(gongAt(server.origin))
    await engine.revokeConsent(tiktokAt(server.origin, { access_token: 'AT_1' }))
    expect(server.seen).toEqual([])
  })
})

const workspaces = (...ids: readonly string[]): Reply => ({
  body: { requestId: 'r', workspaces: ids.map((id) => ({ id, name: `W${id}` })) },
})
const oauth = { refresh_token: 'RT', access_token: 'AT', client_id: 'CID', client_secret: 'CS' }

describe('the account', () => {
  const readWith = async (reply: (seen: Seen) => Reply, connection: (origin: string) => Connection) => {
    await using server = await serve(reply)
    await using engine = testEngine()
    return { account: await engine.readAccount(connection(server.origin)), paths: server.seen.map(pathOf) }
  }

  test('of Gong is the host of the customer and the workspaces; of an access key the workspaces', async () => {
    const values = { ...oauth, api_base_url_for_customer: 'https://company-17.api.gong.io' }
    const byOauth = await readWith(
      () => workspaces('20', '3'),
      (origin) => gongAt(origin, { values }),
    )
    expect(byOauth).toEqual({ account: { kind: 'gong', host: 'company-17.api.gong.io', ids: ['20', '3'] }, paths: ['/v2/workspaces'] })
    const claimed = { configuration: { api_base_url_for_customer: 'https://company-99.api.gong.io' } }
    expect(
      (
        await readWith(
          () => workspaces('3'),
          (origin) => gongAt(origin, claimed),
        )
      ).account,
    ).toEqual({ kind: 'gong', ids: ['3'] })
  })

  test('of Gong is unproven without the scope, and without a workspace', async () => {
    const noScope = { status: 401, body: { errors: ["You don't have permission to use 'api:workspaces:read' in your app."] } }
    const { account } = await readWith(
      () => noScope,
      (origin) => gongAt(origin),
    )
    expect(account).toMatchObject({ kind: 'gong', ids: [], unproven: expect.stringContaining('api:workspaces:read') })
    expect(
      (
        await readWith(
          () => workspaces(),
          (origin) => gongAt(origin),
        )
      ).account.unproven,
    ).toBe('the vendor names no account')
  })

  test('of TikTok is the granted advertisers, of those that the connector uses', async () => {
    const granted = () => accounts(three, one, two)
    expect((await readWith(granted, tiktokAt)).account.ids).toEqual([one, two, three])
    const used = await readWith(granted, (origin) => tiktokAt(origin, consented, { advertiser_id: [two, '7412085530917364000'] }))
    expect(used).toEqual({ account: { kind: 'tiktok-marketing', ids: [two] }, paths: ['/open_api/v1.3/oauth2/advertiser/get/'] })
  })

  test('of TikTok without an app is what the token reads of the configured advertisers', async () => {
    const bare =
      (configuration = {}) =>
      (origin: string) =>
        tiktokAt(origin, { access_token: 'AT_1' }, configuration)
    expect(await readWith(() => accounts(one), bare({ advertiser_id: one }))).toEqual({
      account: { kind: 'tiktok-marketing', ids: [one] },
      paths: ['/open_api/v1.3/advertiser/info/'],
    })
    const denied = await readWith(() => refusal(40001, 'No permission to operate advertiser.'), bare({ advertiser_id: one }))
    expect(denied.account).toMatchObject({ ids: [], unproven: expect.stringContaining('No permission') })
    expect((await readWith(() => accounts(one), bare())).account.unproven).toContain('advertiser')
  })

  test('of Shopify is the id of the shop, whatever the configuration claims', async () => {
    const shop = { shop: { id: 690933842123456789n, myshopify_domain: 'real-shop.myshopify.com' } }
    const read = await readWith(
      () => ({ body: shop }),
      (origin) => ({
        kind: kinds.shopify,
        configuration: { shop: 'claimed' },
        credentials: fixed({ api_key: 'shpat_1' }),
        origin: { api: origin },
      }),
    )
    expect(read.account).toEqual({ kind: 'shopify', ids: ['690933842123456789'] })
  })

  test('of Snowflake is its region and locator', async () => {
    const body = {
      code: '090001',
      statementHandle: '01c899bb-0000-0001-0000-001000000001',
      resultSetMetaData: { numRows: 1, rowType: [] },
      data: [['AWS_US_WEST_2.XY12345']],
    }
    const configuration = { account: 'myorg-my_acct', database: 'D', warehouse: 'W', role: 'R' }
    const read = await readWith(
      () => ({ body }),
      (origin) => ({
        kind: kinds.snowflake,
        configuration,
        credentials: fixed({ programmatic_access_token: 'PAT_1' }),
        origin: { api: origin },
      }),
    )
    expect(read).toEqual({ account: { kind: 'snowflake', ids: ['AWS_US_WEST_2.XY12345'] }, paths: ['/api/v2/statements'] })
  })

  test('is not read by credentials that the vendor refuses', async () => {
    await using server = await serve(() => ({ status: 401, body: { errors: ['access token has been revoked'] } }))
    await using engine = testEngine()
    expect(await failure(engine.readAccount(gongAt(server.origin)))).toMatchObject({ code: 'upstream_auth_failed' })
  })
})

describe('a check with the account', () => {
  const users: Reply = { body: { requestId: 'r', users: [{ id: '7' }] } }
  const checkWith = async (reply: (seen: Seen) => Reply, connection: (origin: string) => Connection) => {
    await using server = await serve(reply)
    await using engine = testEngine()
    return { account: await engine.checkAccount(connection(server.origin)), paths: server.seen.map(pathOf) }
  }
  const shopAt = (origin: string): Connection => ({
    kind: kinds.shopify,
    configuration: { shop: 'claimed' },
    credentials: fixed({ api_key: 'shpat_1' }),
    origin: { api: origin },
  })

  test('costs no request where the answer of the check names the account', async () => {
    const shop = await checkWith(() => ({ body: { shop: { id: 690933842123456789n } } }), shopAt)
    expect(shop.account).toEqual({ kind: 'shopify', ids: ['690933842123456789'] })
    expect(shop.paths).toHaveLength(1)
    const tiktok = await checkWith(
      () => accounts(one),
      (origin) => tiktokAt(origin, consented, { advertiser_id: one }),
    )
    expect(tiktok).toEqual({ account: { kind: 'tiktok-marketing', ids: [one] }, paths: ['/open_api/v1.3/advertiser/info/'] })
  })

  test('costs one request elsewhere', async () => {
    const gong = await checkWith(({ url }) => (url.startsWith('/v2/users') ? users : workspaces('20', '3')), gongAt)
    expect(gong).toEqual({ account: { kind: 'gong', ids: ['20', '3'] }, paths: ['/v2/users', '/v2/workspaces'] })
  })

  test.each<[string, Reply]>([
    ['a missing scope', { status: 401, body: { errors: ["You don't have permission to use 'api:workspaces:read' in your app."] } }],
    ['a broken vendor', { status: 500, body: { errors: ['oops'] } }],
    ['no workspace', workspaces()],
    ['an answer that makes no sense', { body: 7 }],
  ])('passes with %s, and finds no account', async (_what, answer) => {
    expect((await checkWith(({ url }) => (url.startsWith('/v2/users') ? users : answer), gongAt)).account).toBeUndefined()
  })

  test('finds none where a probe replaced the check', async () => {
    const bare = (origin: string) => tiktokAt(origin, { access_token: 'AT_1' })
    expect(await checkWith(() => ok({}), bare)).toEqual({ account: undefined, paths: ['/open_api/v1.3/user/info/'] })
  })

  test('fails as the check does', async () => {
    const refused = checkWith(() => ({ status: 401, body: { errors: ['access token has been revoked'] } }), gongAt)
    expect(await failure(refused)).toMatchObject({ code: 'upstream_auth_failed' })
  })
})

describe('two accounts', () => {
  const of = (ids: readonly string[], more: Partial<AccountIdentity> = {}): AccountIdentity => ({ kind: 'gong', ids, ...more })
  const [host, elsewhere] = ['company-17.api.gong.io', 'company-23.api.gong.io']

  test.each<[string, AccountIdentity | undefined, AccountIdentity, string]>([
    ['the same ids', of(['1', '2']), of(['1', '2']), 'same'],
    ['more ids than before', of(['1']), of(['1', '2']), 'same'],
    ['fewer ids than before', of(['1', '2']), of(['1']), 'different'],
    ['no id in common', of(['1']), of(['2']), 'different'],
    ['none of the ids any more', of(['1']), of([]), 'different'],
    ['the same ids on one host', of(['1'], { host }), of(['1'], { host }), 'same'],
    ['the same ids on another host', of(['1'], { host }), of(['1'], { host: elsewhere }), 'different'],
    ['a host that only one of them has', of(['1']), of(['1'], { host }), 'same'],
    ['another host, and unproven ids', of(['1'], { host }), of([], { host: elsewhere, unproven: 'no scope' }), 'different'],
    ['one host, and unproven ids', of(['1'], { host }), of([], { host, unproven: 'no scope' }), 'unproven'],
    ['ids that were unproven before', of([], { unproven: 'no scope' }), of(['1']), 'unproven'],
    ['no ids before', of([]), of(['1']), 'unproven'],
    ['an account that was never read', undefined, of(['1']), 'unproven'],
    ['another kind', of(['1'], { kind: 'shopify' }), of(['1']), 'different'],
  ])('with %s', (_what, before, ...[after, expected]) => {
    expect(isSameAccount(before, after)).toBe(expected)
  })
})
