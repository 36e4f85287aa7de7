import { describe, expect, test } from 'vitest'
import { tiktokCredentials as known } from '../../packages/sandbox/src/index.ts'
import { type Answered, ask, get } from './client.ts'
import { consentAtTiktok, returnOf, submit, ticketIn } from './consent-client.ts'
import { codeOf, openDesk, withToken } from './tiktok-client.ts'

const { tiktok, facts, origin, read } = await openDesk()
const callback = 'http://127.0.0.1:8080/connect/callback/tiktok-marketing'
const app = { app_id: known.appId, secret: known.secret }

function address(changes: Readonly<Record<string, string>> = {}): string {
  return `${origin}/portal/auth?${new URLSearchParams({ app_id: known.appId, state: 's 1', redirect_uri: callback, ...changes })}`
}

const post = (path: string, body: unknown, headers: Readonly<Record<string, string>> = {}) =>
  ask(`${origin}/open_api/v1.3${path}`, { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body })
const codeIn = (answer: Answered) => returnOf(answer).searchParams.get('auth_code') ?? ''
const returned = (answer: Answered) => Object.fromEntries(returnOf(answer).searchParams)
const exchange = (auth_code: string) => post('/oauth2/access_token/', { ...app, auth_code })
const signIn = () => submit(address(), { action: 'sign_in', email: known.user, password: known.password })
const tokenOf = ({ body }: Answered) => String(get(body, 'data', 'access_token'))

describe('the pages', () => {
  test('ask who it is, what may be used, for a code, and send the browser back', async () => {
    const first = await ask(address())
    expect([first.status, first.text.includes('Sandbox: this page plays TikTok for Business.')]).toEqual([200, true])
    const choice = await signIn()
    expect(choice.text).toContain(`Fernway US (${facts.advertiserId})`)
    expect(choice.text).not.toContain(facts.deniedAdvertiserId)
    const fields = { advertiser_id: [facts.advertiserId], scope: ['100', '200'] }
    const verification = await submit(address(), { action: 'continue', ticket: ticketIn(choice), ...fields })
    expect(verification.text).toContain('Verification code')
    const ticket = ticketIn(verification)
    const wrong = await submit(address(), { action: 'confirm', ticket, verification_code: '111111' })
    expect([wrong.status, wrong.text.includes('The verification code is wrong.')]).toEqual([401, true])
    const last = await submit(address(), { action: 'confirm', ticket: ticketIn(wrong), verification_code: '000000' })
    const back = returnOf(last)
    expect(back.origin + back.pathname).toBe(callback)
    expect(returned(last)).toEqual({ auth_code: codeIn(last), code: codeIn(last), state: 's 1' })
  })

  test('accounts of somebody else cannot be ticked; that person can', async () => {
    const advertisers = [facts.deniedAdvertiserId]
    const mine = await exchange(codeIn(await consentAtTiktok(address(), { advertisers })))
    expect(get(mine.body, 'data', 'advertiser_ids')).toEqual([])
    const theirs = await exchange(codeIn(await consentAtTiktok(address(), { advertisers, account: known.otherUser })))
    expect(get(theirs.body, 'data', 'advertiser_ids')).toEqual(advertisers)
    expect(codeOf(await read('/ad/get/', { advertiser_id: facts.deniedAdvertiserId }, withToken(tokenOf(theirs))))[0]).toBe(0)
  })

  test('cancelling stays on a page', async () => {
    for (const ticket of [ticketIn(await signIn()), '']) {
      const page = await submit(address(), { action: 'cancel', ticket })
      expect([page.status, page.headers.get('location'), page.text.includes('Authorization cancelled')]).toEqual([200, null, true])
    }
  })

  test.each([
    ['an unknown app', { app_id: '1' }, 'The app_id is unknown.'],
    ['an address elsewhere', { redirect_uri: 'https://evil.example/connect/callback/tiktok-marketing' }, 'not registered'],
    ['a script', { redirect_uri: 'javascript:alert(1)' }, 'not registered'],
    ['the callback of another kind', { redirect_uri: 'http://127.0.0.1:8080/connect/callback/gong' }, 'not registered'],
  ])('%s stays on a page', async (...[, changes, problem]) => {
    const answer = await ask(address(changes))
    expect([answer.status, answer.headers.get('location')]).toEqual([400, null])
    expect(answer.text).toContain(problem)
  })

  test('nobody gets a code without signing in and confirming', async () => {
    const choice = ticketIn(await signIn())
    for (const ticket of ['', 'x.y', choice]) {
      expect((await submit(address(), { action: 'confirm', ticket, verification_code: '000000' })).status).toBe(401)
    }
    expect((await ask(address(), { method: 'DELETE' })).status).toBe(405)
  })

  test('every page and redirect cuts a popup from its opener, unless it is switched off', async () => {
    const policy = ({ headers }: Answered) => headers.get('cross-origin-opener-policy')
    const all = async () => [await ask(address()), await consentAtTiktok(address()), await ask(address({ app_id: '1' }))]
    expect((await all()).map(policy)).toEqual(['same-origin', 'same-origin', 'same-origin'])
    tiktok.switches.set({ openerPolicy: false })
    expect((await all()).map(policy)).toEqual([null, null, null])
  })
})

describe('revocation', () => {
  test('needs the token in its header as well', async () => {
    const body = { ...app, access_token: known.accessToken }
    expect(codeOf(await post('/oauth2/revoke_token/', body))[0]).toBe(40104)
    expect(codeOf(await post('/oauth2/revoke_token/', body, withToken(known.limitedToken)))[0]).toBe(40105)
    expect(codeOf(await read('/user/info/'))[0]).toBe(0)
  })
})

describe('switches', () => {
  test.each([
    ['wrong state', { auth_code: expect.any(String), code: expect.any(String), state: 'sandbox-wrong-state' }],
    ['no state', { auth_code: expect.any(String), code: expect.any(String) }],
    ['empty', { state: 's 1' }],
    ['refused', { error: 'access_denied', state: 's 1' }],
  ])('the return can be: %s', async (consentReturn, expected) => {
    tiktok.switches.set({ consentReturn })
    expect(returned(await consentAtTiktok(address()))).toEqual(expected)
  })

  test('addresses can be registered exactly', async () => {
    const redirect_uri = 'https://app.example/back?x=1'
    tiktok.switches.set({ redirectUris: redirect_uri })
    expect((await ask(address())).status).toBe(400)
    expect(returnOf(await consentAtTiktok(address({ redirect_uri }))).searchParams.get('x')).toBe('1')
  })
})
