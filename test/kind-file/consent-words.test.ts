/** What a file says of a consent where the vendor's words are not those of OAuth, and of what ends it. */
import { describe, expect, test } from 'vitest'
import { tiktokMarketing } from '../../packages/ferrule/src/connectors/tiktok-marketing/index.ts'
import { buildConsentUrl } from '../../packages/ferrule/src/engine/consent/consent-page.ts'
import { Secret } from '../../packages/ferrule/src/engine/credentials/source.ts'
import { openConnection } from '../../packages/ferrule/src/engine/local.ts'
import { parseKind, readKind } from '../../packages/ferrule/src/kind-file/index.ts'
import { serve, testEngine } from '../engine/support.ts'
import { kindTop } from '../support/kind-head.ts'

const file = `${kindTop('adverts')}api: https://api.adverts.example
path: /v1
configuration: { account_id: digits? Id of the account }
auth:
  oauth:
    title: App
    oauth:
      page: https://api.adverts.example/portal/auth
      token: https://api.adverts.example/oauth/access_token
      as: json
      refresh: false
      names: { client_id: app_id, client_secret: secret, code: auth_code, redirect_uri: back, access_token: data.access_token }
      exchange: { lasting: true }
      accounts:
        call: GET /oauth/accounts
        send: { app_id: client_id, secret: client_secret }
        at: data.list
        id: id
        name: name
        to: account_id
      revoke:
        call: POST /oauth/revoke
        send: { app_id: client_id, secret: client_secret, access_token: access_token }
        as: json
        ended: ['40102', '40105']
errors: { code: code, message: message }
check: accounts.list
account: { run: accounts.list, id: id, params: { mine: true }, among: account_id }
entities:
  accounts:
    about: Accounts
    fields: { id: string Id }
    list: { call: GET /accounts, params: { mine: boolean Own ones }, pages: none, because: There are few. }
`

describe('a consent with words of its own', () => {
  test('has the names, the constants, the accounts and the end of the vendor', async () => {
    const { definition } = await parseKind(file)
    const { exchange, consent } = definition.credentials['oauth'] ?? {}
    expect(exchange).toMatchObject({
      as: 'json',
      read: { access_token: 'data.access_token' },
      code: {
        constant: { grant_type: 'authorization_code', lasting: 'true' },
        send: { app_id: 'client_id', secret: 'client_secret' },
        code: 'auth_code',
        redirectUri: 'back',
      },
    })
    expect(consent).toMatchObject({ send: { app_id: 'client_id' }, code: ['auth_code'] })
    const { revoke, accounts } = tiktokMarketing.definition.credentials.oauth.consent
    expect(consent?.revoke).toEqual({
      ...revoke,
      call: 'POST /oauth/revoke',
      send: { app_id: 'client_id', secret: 'client_secret', access_token: 'access_token' },
    })
    expect(consent?.accounts).toMatchObject({ at: accounts.at, send: { app_id: 'client_id', secret: 'client_secret' } })
    expect(definition.account).toEqual({ entity: 'accounts', action: 'list', params: { mine: true }, id: 'id', among: 'account_id' })
    expect(definition.known).toEqual({ account_id: { configuration: 'account_id' } })
  })

  test('asks for scopes as the vendor separates them, and shows the OAuth client by Basic', async () => {
    const text = file.replace('      refresh: false\n', "      scopes: [read, write]\n      separator: ','\n      client: basic\n")
    const { definition } = await parseKind(text.replace('      as: json\n', ''))
    const oauthClient = new Secret({ client_id: '1', client_secret: '2' })
    const redirectUrl = 'https://ferrule.example/callback'
    const page = new URL(buildConsentUrl({ definition, oauthClient, redirectUrl, state: 's' }))
    expect(page.searchParams.get('scope')).toBe('read,write')
    await using vendor = await serve(() => ({ body: { data: { access_token: '3' }, refresh_token: '4' } }))
    await using engine = testEngine()
    const connection = { kind: { definition, rules: {} }, configuration: {}, origin: { api: vendor.origin, oauth: vendor.origin } }
    await engine.exchangeConsent(connection, { oauthClient, redirectUrl, code: '5' })
    expect(vendor.seen[0]?.headers['authorization']).toBe(`Basic ${Buffer.from('1:2').toString('base64')}`)
    expect(vendor.seen[0]?.body).not.toContain('secret')
  })

  test('reads refresh tokens and the life of a token where the vendor has them', async () => {
    const names = 'access_token: data.access_token, refresh_token: data.refresh, expires_in: data.life }'
    const text = file.replace('      refresh: false\n', '').replace('access_token: data.access_token }', names)
    const { exchange } = (await parseKind(text)).definition.credentials['oauth'] ?? {}
    expect(exchange).toMatchObject({
      read: { access_token: 'data.access_token', refresh_token: 'data.refresh' },
      expires: { seconds: 'data.life', field: 'token_expiry_date' },
    })
  })

  test.each([
    ['access_token: access_token }', 'access_token: acces_token }', 'acces_token is not a field of this way to authenticate'],
    ['among: account_id', 'among: acount_id', 'acount_id is not a field of configuration'],
    ['params: { mine: true }, among', 'params: { own: true }, among', 'own is not a parameter of the call'],
    ['      page: https://api.adverts.example/portal/auth\n', '', 'this way has no page of consent'],
  ])('is wrong where %s is %s', async (from, to, says) => {
    expect(file).toContain(from)
    const { mistakes } = await readKind(file.replace(from, to), { name: 'adverts.kind.yaml' })
    expect(mistakes.map(({ message }) => message).join('\n')).toContain(says)
  })

  test.each([
    ['as a form, which is answered with nothing', '', 'application/x-www-form-urlencoded', 'app_id=1&secret=2&access_token=3'],
    ['as JSON', 'as: json', 'application/json', '{"app_id":"1","secret":"2","access_token":"3"}'],
  ])('ends %s', async (_name, as, type, body) => {
    const { definition } = await parseKind(
      file.replace("        as: json\n        ended: ['40102', '40105']\n", as === '' ? '' : `        ${as}\n`),
    )
    await using vendor = await serve(() => ({ body: as === '' ? '' : { message: 'done' } }))
    await using engine = testEngine()
    const connection = openConnection(
      { definition, rules: {} },
      {
        credentials: { client_id: '1', client_secret: '2', access_token: '3' },
        origin: vendor.origin,
      },
    )
    await engine.revokeConsent(connection)
    expect(vendor.seen.at(-1)).toMatchObject({ method: 'POST', url: '/oauth/revoke', body, headers: { 'content-type': type } })
  })
})
