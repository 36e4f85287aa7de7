import { describe, expect, test } from 'vitest'
import { sandboxCredentials as known } from '../../packages/sandbox/src/index.ts'
import { type Answered, ask, get, openWorld, rows } from './client.ts'
import { consentAtGong, returnOf, submit, ticketIn } from './consent-client.ts'

const world = await openWorld()
const { sandbox, facts, read } = world
const { oauth } = sandbox.origins.gong
const callback = 'http://127.0.0.1:8080/connect/callback/gong'
const asked = { client_id: known.clientId, response_type: 'code', scope: 'api:users:read api:workspaces:read', state: 's 1' }
const authorization = `Basic ${Buffer.from(`${known.clientId}:${known.clientSecret}`).toString('base64')}`

function address(changes: Readonly<Record<string, string>> = {}): string {
  return `${oauth}/oauth2/authorize?${new URLSearchParams({ ...asked, redirect_uri: callback, ...changes })}`
}

function exchange(code: string, changes: Readonly<Record<string, string>> = {}): Promise<Answered> {
  const query = new URLSearchParams({ grant_type: 'authorization_code', code, redirect_uri: callback, ...changes })
  return ask(`${oauth}/oauth2/generate-customer-token?${query}`, { method: 'POST', headers: { authorization } })
}

const codeOf = (answer: Answered) => returnOf(answer).searchParams.get('code') ?? ''
const workspacesOf = async (answer: Answered) => {
  const { body } = await read('/v2/workspaces', { authorization: `Bearer ${get(answer.body, 'access_token')}` })
  return rows(body, 'workspaces').map((workspace) => get(workspace, 'id'))
}

describe('the pages', () => {
  test('ask who it is, then for the listed scopes, and send the browser back with a code', async () => {
    const first = await ask(address())
    expect([first.status, first.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
    expect(first.text).toContain('Sandbox: this page plays Gong.')
    expect(first.text).toContain(`value="${known.administrator}"`)
    const consent = await submit(address(), { action: 'sign_in', email: known.administrator, password: known.password })
    expect(consent.text).toContain('<code>api:users:read</code>')
    expect(consent.text).not.toContain('api:coaching:read')
    const back = returnOf(await submit(address(), { action: 'allow', ticket: ticketIn(consent) }))
    expect([back.origin + back.pathname, back.searchParams.get('state')]).toEqual([callback, 's 1'])
    const given = await exchange(back.searchParams.get('code') ?? '')
    expect(given.body).toMatchObject({ scope: asked.scope, api_base_url_for_customer: sandbox.origins.gong.api })
    expect(await workspacesOf(given)).toEqual(facts.workspaceIds)
  })

  test.each([
    ['an unknown app', { client_id: 'other' }, 'The client_id is unknown.'],
    ['an address elsewhere', { redirect_uri: 'https://evil.example/connect/callback/gong' }, 'not registered'],
    ['another path', { redirect_uri: 'http://127.0.0.1:8080/elsewhere' }, 'not registered'],
    ['the callback of another kind', { redirect_uri: 'http://127.0.0.1/connect/callback/tiktok-marketing' }, 'not registered'],
    ['a callback with a query', { redirect_uri: `${callback}?x=1` }, 'not registered'],
    ['a host that only begins like loopback', { redirect_uri: 'http://127.0.0.1.evil.example/connect/callback/gong' }, 'not registered'],
    ['a script', { redirect_uri: 'javascript:alert(1)' }, 'not registered'],
    ['no scope', { scope: '' }, 'The scope is missing.'],
    ['a scope that the app does not have', { scope: 'api:users:read api:crm:upload' }, 'The scope api:crm:upload is not one'],
  ])('%s stays on a page', async (...[, changes, problem]) => {
    for (const answer of [await ask(address(changes)), await submit(address(changes), { action: 'allow' })]) {
      expect([answer.status, answer.headers.get('location')]).toEqual([400, null])
      expect(answer.text).toContain(problem)
    }
  })

  test.each(['http://localhost:8080/connect/callback/gong', 'https://[::1]/connect/callback/gong'])(
    '%s is a registered address',
    async (redirect_uri) => {
      expect(returnOf(await consentAtGong(address({ redirect_uri }))).href).toContain(redirect_uri)
    },
  )

  test('what a request holds is not read as HTML', async () => {
    const page = await ask(address({ scope: '<script>alert(1)</script>' }))
    expect(page.text).not.toContain('<script>')
    expect(page.text).toContain('&lt;script&gt;')
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'")
  })

  test('a wrong password asks again, somebody who is no administrator is told so', async () => {
    const wrong = await submit(address(), { action: 'sign_in', email: known.administrator, password: 'guess' })
    expect([wrong.status, wrong.text.includes('The email address or the password is wrong.')]).toEqual([401, true])
    const member = await consentAtGong(address(), { account: known.member })
    expect([member.status, member.headers.get('location')]).toEqual([403, null])
    expect(member.text).toContain('Only a technical administrator')
  })

  test('nobody agrees without having signed in', async () => {
    for (const ticket of ['', 'x.y', 'eyJlbWFpbCI6ImFkbWluQHNhbmRib3guZXhhbXBsZSJ9.x']) {
      expect((await submit(address(), { action: 'allow', ticket })).status).toBe(401)
    }
  })

  test('every page and redirect cuts a popup from its opener, unless it is switched off', async () => {
    const policy = ({ headers }: Answered) => headers.get('cross-origin-opener-policy')
    const all = async () => [await ask(address()), await consentAtGong(address()), await ask(address({ client_id: 'other' }))]
    expect((await all()).map(policy)).toEqual(['same-origin', 'same-origin', 'same-origin'])
    sandbox.gong.switches.set({ openerPolicy: false })
    expect((await all()).map(policy)).toEqual([null, null, null])
  })

  test('they answer under localhost as well', async () => {
    const page = await ask(address().replace('127.0.0.1', 'localhost'))
    expect([page.status, page.text.includes('Sign in')]).toEqual([200, true])
  })
})

describe('a code', () => {
  const invalid = { error: 'invalid_grant', error_description: expect.any(String) }

  test('is bound to the app and to the address', async () => {
    expect((await exchange(codeOf(await consentAtGong(address())), { redirect_uri: `${callback}/` })).body).toEqual(invalid)
    expect((await exchange(codeOf(await consentAtGong(address())), { client_id: 'other' })).body).toEqual(invalid)
    expect((await exchange(codeOf(await consentAtGong(address())), { client_id: known.clientId })).status).toBe(200)
  })

  test('does not outlive a reset', async () => {
    const code = codeOf(await consentAtGong(address()))
    sandbox.gong.reset()
    expect((await exchange(code)).status).toBe(400)
  })
})

describe('switches', () => {
  test('addresses can be registered exactly', async () => {
    const redirect_uri = 'https://app.example/back?x=1'
    sandbox.gong.switches.set({ redirectUris: `https://other.example/ ${redirect_uri}` })
    expect((await ask(address())).status).toBe(400)
    const back = returnOf(await consentAtGong(address({ redirect_uri })))
    expect([back.origin, back.searchParams.get('x'), back.searchParams.get('state')]).toEqual(['https://app.example', '1', 's 1'])
  })

  test('the app can have fewer scopes', async () => {
    sandbox.gong.switches.set({ scopes: 'api:users:read' })
    expect((await ask(address())).text).toContain('The scope api:workspaces:read is not one of this app.')
  })

  test('a person of another customer brings other workspaces and another address', async () => {
    sandbox.gong.switches.set({ customerHostOnly: true })
    const other = await exchange(codeOf(await consentAtGong(address(), { account: known.otherAdministrator })))
    expect(get(other.body, 'api_base_url_for_customer')).toBe('https://company-23.api.gong.io')
    expect(await workspacesOf(other)).toEqual([])
    sandbox.gong.switches.set({ customerHostOnly: false })
    expect(await workspacesOf(other)).toEqual(facts.otherWorkspaceIds)
    expect(facts.otherWorkspaceIds.filter((id) => facts.workspaceIds.includes(id))).toEqual([])
    const parameters = new URLSearchParams({ grant_type: 'refresh_token', refresh_token: String(get(other.body, 'refresh_token')) })
    const next = await ask(`${oauth}/oauth2/generate-customer-token?${parameters}`, { method: 'POST', headers: { authorization } })
    expect(await workspacesOf(next)).toEqual(facts.otherWorkspaceIds)
  })

  test('unknown values are refused', () => {
    expect(() => sandbox.gong.switches.set({ consent: 'never' })).toThrow('consent must be one of pages, at once')
    expect(() => sandbox.gong.switches.set({ consentReturn: 'twice' })).toThrow('consentReturn must be one of')
  })
})
