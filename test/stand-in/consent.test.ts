/** The consent page and the tokens of a stand-in: what an OAuth client sees when it does as the definition says, and when it does not. */
import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { connect } from '../../packages/ferrule/src/core.ts'
import { buildConsentUrl, checkConsentReturn } from '../../packages/ferrule/src/engine/consent/consent-page.ts'
import { Secret } from '../../packages/ferrule/src/engine/credentials/source.ts'
import { parseKind } from '../../packages/ferrule/src/kind-file/index.ts'
import { readRecordings } from '../../packages/ferrule/src/kind-recordings/index.ts'
import { startStandIn } from '../../packages/ferrule/src/stand-in/index.ts'
import { type Answered, ask, get } from '../sandbox/client.ts'
import { returnOf, submit } from '../sandbox/consent-client.ts'
import { share } from '../support/share.ts'

const file = `
kind: shelves
title: Shelves & Co
category: things
about: Boxes on shelves
docs: https://shelves.example/docs
api: 'https://{site}.shelves.example'
path: /v1
elsewhere: { with: site_id, api: https://api.shelves.example, path: '/sites/{site_id}/v1' }
configuration: { site: label? Name of the site, site_id: uuid? Id of the site }
auth:
  oauth:
    title: Shelves app
    oauth:
      page: https://login.shelves.example/authorize
      token: https://login.shelves.example/token
      scopes: [boxes:read, boxes:write]
      pkce: true
      always: { prompt: consent }
      accounts: { call: GET /sites, at: sites, id: id, name: address.name, to: site_id }
  client: { title: Shelves app of one account, oauth: { token: https://login.shelves.example/token } }
errors: { message: why, failed: { ok: false } }
check: boxes.list
entities:
  boxes: { about: Boxes, fields: { id: integer Id }, list: { call: GET /boxes, pages: none, because: There are few. } }
`
const recordings = `{
 "kind": "shelves",
 "config": {"site": "acme"},
 "recordings": [
  {
   "call": "boxes.list", "source": "document", "from": "https://shelves.example/docs", "one_page": "There are few.",
   "exchanges": [{"request": "GET /v1/boxes", "answer": {"body": [{"id": 7}]}}]
  }
 ]
}`

const kind = await parseKind(file)
const { definition } = kind
const { file: recorded } = await readRecordings(recordings, { name: 'shelves.recordings.json' })
if (recorded === undefined) throw new Error('the recordings have mistakes')
const standIn = await share(startStandIn(definition, recorded))

const callback = 'http://127.0.0.1:4321/callback'
const verifier = 'v'.repeat(43)
const oauthClient = { client_id: 'app-1', client_secret: 'secret-1' }

/** The address of the page. @param more parameters that replace the right ones; '' leaves one out */
function addressOf(more: Readonly<Record<string, string>> = {}): string {
  const url = new URL(
    buildConsentUrl({
      ...{ definition, state: 'state-1', redirectUrl: callback, origins: { api: standIn.origin } },
      oauthClient: new Secret(oauthClient),
      verifier: new Secret(verifier),
    }),
  )
  for (const [name, value] of Object.entries(more))
    if (value === '') url.searchParams.delete(name)
    else url.searchParams.set(name, value)
  return url.href
}

/** Agrees. @returns the code */
async function agree(): Promise<string> {
  const back = returnOf(await submit(addressOf(), { action: 'allow' }))
  expect([back.origin + back.pathname, back.searchParams.get('state')]).toEqual([callback, 'state-1'])
  return back.searchParams.get('code') ?? ''
}

const askTokens = (more: Readonly<Record<string, string>>): Promise<Answered> =>
  submit(`${standIn.origin}/token`, {
    grant_type: 'authorization_code',
    redirect_uri: callback,
    code_verifier: verifier,
    ...oauthClient,
    ...more,
  })
const renew = (token: string, more: object = {}) => askTokens({ grant_type: 'refresh_token', refresh_token: token, ...more })
const readRefusal = ({ status, body }: Answered) => [status, get(body, 'error'), get(body, 'ok')]
const tokensOf = ({ body }: Answered) => ({ access: String(get(body, 'access_token')), refresh: String(get(body, 'refresh_token')) })

describe('the page', () => {
  test('says who asks for what, and leads back with a code for tokens that the API takes', async () => {
    const page = await ask(addressOf())
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
    for (const text of ['Shelves &amp; Co', 'boxes:read', '127.0.0.1:4321', '>Allow</button>', '>Cancel</button>'])
      expect(page.text).toContain(text)
    const digest = createHash('sha256')
      .update(/<style>(.*?)<\/style>/s.exec(page.text)?.[1] ?? '')
      .digest('base64')
    expect(page.headers.get('content-security-policy')).toContain(`style-src 'sha256-${digest}'`)
    const answer = await askTokens({ code: await agree() })
    expect([answer.status, get(answer.body, 'expires_in')]).toEqual([200, 3600])
    const { access, refresh } = tokensOf(answer)
    const credentials = { access_token: access, refresh_token: refresh, ...oauthClient }
    const sites = await ask(`${standIn.origin}/sites`, { headers: { authorization: `Bearer ${access}` } })
    const [id, name] = [get(sites.body, 'sites', 0, 'id'), get(sites.body, 'sites', 0, 'address', 'name')]
    expect([id, name]).toEqual([expect.stringMatching(/^[\da-f-]{36}$/), 'acme'])
    for (const config of [{ site: 'acme' }, { site_id: String(id) }]) {
      await using vendor = connect(kind, { credentials, config, origin: standIn.origin })
      expect((await vendor.entity('boxes').list({})).data).toEqual([{ id: 7 }])
    }
  })

  test('leads back without a code when the owner cancels', async () => {
    const back = returnOf(await submit(addressOf(), { action: 'deny' }))
    expect(Object.fromEntries(back.searchParams)).toEqual({ error: 'access_denied', state: 'state-1' })
  })

  test.each([
    ['no OAuth client', { client_id: '' }],
    ['a foreign address', { redirect_uri: 'https://evil.example/callback' }],
    ['an address that only looks like this machine', { redirect_uri: 'http://127.0.0.1.evil.example/callback' }],
    ['an address of a program', { redirect_uri: 'app://127.0.0.1/callback' }],
    ['no address', { redirect_uri: '' }],
  ])('stays for %s', async (_what, more) => {
    for (const answer of [await ask(addressOf(more)), await submit(addressOf(more), { action: 'allow' })])
      expect([answer.status, answer.headers.get('location')]).toEqual([400, null])
  })

  test.each([
    ['another type of answer', { response_type: 'token' }, 'unsupported_response_type'],
    ['no state', { state: '' }, 'invalid_request'],
    ['a missing fixed parameter', { prompt: '' }, 'invalid_request'],
    ['a scope that the kind does not have', { scope: 'boxes:read admin' }, 'invalid_scope'],
    ['no scope', { scope: '' }, 'invalid_scope'],
    ['no challenge', { code_challenge: '' }, 'invalid_request'],
    ['a plain challenge', { code_challenge_method: 'plain' }, 'invalid_request'],
  ])('leads back at once with %s', async (_what, more, error) => {
    for (const answer of [await ask(addressOf(more)), await submit(addressOf(more), { action: 'allow' })]) {
      const back = returnOf(answer).searchParams
      expect([back.get('error'), back.has('code')]).toEqual([error, false])
    }
  })

  test('takes fewer scopes than the kind asks for', async () => {
    expect((await ask(addressOf({ scope: 'boxes:read' }))).status).toBe(200)
  })
})

describe('the token endpoint', () => {
  test.each([
    ['another verifier', { code_verifier: 'w'.repeat(43) }, 'invalid_grant', 400],
    ['another OAuth client', { client_id: 'app-2' }, 'invalid_grant', 400],
    ['another address', { redirect_uri: `${callback}/other` }, 'invalid_grant', 400],
    ['no secret', { client_secret: '' }, 'invalid_client', 401],
    ['another grant', { grant_type: 'password' }, 'unsupported_grant_type', 400],
  ])('refuses a code with %s', async (_what, more, error, status) => {
    expect(readRefusal(await askTokens({ code: await agree(), ...more }))).toEqual([status, error, false])
  })

  test('takes a code once, and none that it did not give', async () => {
    const code = await agree()
    expect((await askTokens({ code })).status).toBe(200)
    for (const other of [code, 'invented', '']) expect(readRefusal(await askTokens({ code: other }))).toEqual([400, 'invalid_grant', false])
    const tried = await agree()
    await askTokens({ code: tried, code_verifier: 'wrong' })
    expect(readRefusal(await askTokens({ code: tried }))).toEqual([400, 'invalid_grant', false])
  })

  test('renews with a new refresh token each time, and takes invented ones as it takes all credentials', async () => {
    const first = tokensOf(await askTokens({ code: await agree() }))
    expect(readRefusal(await renew(first.refresh, { client_id: 'app-2' }))).toEqual([400, 'invalid_grant', false])
    const second = tokensOf(await renew(first.refresh))
    expect(new Set([first.access, first.refresh, second.access, second.refresh]).size).toBe(4)
    expect(readRefusal(await renew(first.refresh))).toEqual([400, 'invalid_grant', false])
    expect((await renew(second.refresh)).status).toBe(200)
    for (const _time of [1, 2]) expect((await renew('any')).status).toBe(200)
    for (const other of ['', await agree()]) expect(readRefusal(await renew(other))).toEqual([400, 'invalid_grant', false])
  })

  test('gives an OAuth client tokens for itself', async () => {
    const answer = await askTokens({ grant_type: 'client_credentials' })
    expect([answer.status, get(answer.body, 'refresh_token')]).toEqual([200, undefined])
  })
})

test('a kind whose returns are signed gets signed ones, for the secret that the stand-in knows', async () => {
  const text = file
    .replace('      pkce: true\n', "      pkce: true\n      signature: hmac\n      returns: { shelf: '{site}.shelves.example' }\n")
    .replace('site: label?', 'site: label')
  const signing = await parseKind(text)
  const played = await startStandIn(signing.definition, recorded)
  try {
    const url = buildConsentUrl({
      ...{ definition: signing.definition, state: 'state-1', redirectUrl: callback, origins: { api: played.origin } },
      ...{ oauthClient: new Secret(oauthClient), verifier: new Secret(verifier) },
    })
    const back = returnOf(await submit(url, { action: 'allow' }))
    expect(back.searchParams.get('shelf')).toBe('acme.shelves.example')
    const source = { kind: signing, configuration: { site: 'acme' } }
    const check = (secret: string) => () =>
      checkConsentReturn(source, { oauthClient: new Secret({ ...oauthClient, client_secret: secret }), query: back.searchParams })
    expect(check('sandbox')).not.toThrow()
    expect(check('secret-1')).toThrow('not signed')
  } finally {
    await played.close()
  }
})
