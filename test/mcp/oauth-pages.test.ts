/** The pages where an operator signs in and agrees. */
import { beforeEach, expect, test } from 'vitest'
import { base, client, createTenant, type Json, tokenPath } from '../http/support.ts'
import { share } from '../support/share.ts'
import {
  Browser,
  buildAuthorization,
  createChallenge,
  openPage,
  readFormToken,
  registerClient,
  signIn,
  startOAuthWorld,
} from './oauth-support.ts'

const world = await share(startOAuthWorld())
const tenant = await createTenant(world, 'Other')
const mine = await world.connect('mine')
await world.connect('hidden')
const { json } = await world.ask(`${base}/account/applications`, { token: tenant.token, body: { name: 'Own' } })
/** An application of the tenant. */
const own = { id: json.client_id, secret: json.client_secret }
const clientId = (await registerClient(world)).json.client_id
beforeEach(() => {
  world.clock.now += 61_000 // another minute of the limits
})

/** Lists tokens and grants, with a bearer token of now. */
const listTokens = async ({ id, secret }: { readonly id: string; readonly secret: string }): Promise<Json[]> => {
  const { json } = await world.ask(tokenPath, { body: { client_id: id, client_secret: secret } })
  return (await world.ask(`${base}/account/mcp-tokens`, { token: json.access_token })).json.data
}
const authorize = (more: Readonly<Record<string, string | undefined>> = {}) =>
  buildAuthorization(world, { client_id: clientId, code_challenge: createChallenge().challenge, ...more })

const allow = async (form: Readonly<Record<string, string | readonly string[]>>, url = authorize()) => {
  const opened = await openPage(world, url)
  const consent = await signIn(world, opened)
  const token = { form_token: readFormToken(consent.text), organization: world.organizationId, workspace: 'default', action: 'allow' }
  return { opened, sent: await opened.browser.ask(opened.at, { ...token, ...form }) }
}

test('the page says the same of a wrong secret and of an unknown client id, and stops guessing', async () => {
  const opened = await openPage(world, authorize())
  const answers = [await signIn(world, opened, { secret: 'wrong' }), await signIn(world, opened, { id: 'unknown', secret: 'wrong' })]
  expect(answers.map(({ status, text }) => [status, text.includes('Client id or client secret is wrong.')])).toEqual([
    [403, true],
    [403, true],
  ])
  // The client id stays in its field, and nothing else differs.
  expect(answers[1]?.text).toContain('name="client_id" value="unknown"')
  expect(answers[0]?.text.replace(`value="${client.id}"`, 'value="unknown"')).toBe(answers[1]?.text)
  for (let count = 2; count < 10; count += 1)
    await opened.browser.ask(opened.at, { form_token: readFormToken(opened.page.text), action: 'sign_in' })
  const last = await signIn(world, opened)
  expect([last.status, last.headers.get('retry-after')]).toEqual([429, '60'])
  expect(world.log.join('')).not.toContain('wrong')
})

test('the page belongs to one browser, and its forms to the page', async () => {
  const opened = await openPage(world, authorize())
  const form = { form_token: readFormToken(opened.page.text), action: 'deny' }
  expect((await new Browser().ask(opened.at)).status).toBe(400)
  expect((await new Browser().ask(opened.at, form)).status).toBe(400)
  expect((await opened.browser.ask(opened.at, { ...form, form_token: 'x' })).status).toBe(400)
  const other = await openPage(world, authorize())
  expect((await opened.browser.ask(other.at, { ...form, form_token: readFormToken(other.page.text) })).status).toBe(400)
})

test('the page is not framed, not kept, and posts to the client of this request only', async () => {
  const { first, page } = await openPage(world, authorize())
  const policy = page.headers.get('content-security-policy')
  expect(policy).toContain("form-action 'self' https://client.example;")
  expect(policy).toContain("frame-ancestors 'none'")
  expect([page.headers.get('x-frame-options'), page.headers.get('cache-control')]).toEqual(['DENY', 'no-store'])
  for (const cookie of first.headers.getSetCookie()) expect(cookie).toMatch(/samesite=lax; httponly/i)
})

test('the page shows the name of a client as text', async () => {
  const { json } = await registerClient(world, { client_name: '<script>alert(1)</script>\u202e' })
  const { page } = await openPage(world, authorize({ client_id: json.client_id }))
  expect(page.text).toContain('&lt;script&gt;alert(1)&lt;/script&gt;</strong>')
  expect(page.text).not.toContain('<script')
})

test('the page sends a refusal of the operator to the client', async () => {
  const opened = await openPage(world, authorize())
  const sent = await opened.browser.ask(opened.at, { form_token: readFormToken(opened.page.text), action: 'deny' })
  const done = await opened.browser.follow(sent, world.issuer)
  expect(new URL(done.location ?? '').searchParams.get('error')).toBe('access_denied')
})

test('the page grants nothing without a sign-in', async () => {
  const opened = await openPage(world, authorize())
  const form = { form_token: readFormToken(opened.page.text), organization: world.organizationId, workspace: 'default', action: 'allow' }
  expect((await opened.browser.ask(opened.at, form)).text).toContain('Sign in with an application')
  const resumed = await opened.browser.ask(opened.at.replace('/consent/', '/authorize/'))
  expect(resumed.location).toContain('/oauth/consent/')
})

test('the page leads to no organization, workspace or connector of others', async () => {
  const opened = await openPage(world, authorize())
  const consent = await signIn(world, opened, own)
  expect(consent.text).toContain('Other connector')
  expect(consent.text).not.toContain(world.organizationId)
  const form = { form_token: readFormToken(consent.text), action: 'allow', organization: tenant.organizationId, workspace: 'default' }
  const tries: Readonly<Record<string, string>>[] = [
    { organization: world.organizationId },
    { workspace: 'no such workspace' },
    { reach: 'some', connector: mine },
    { reach: 'some' },
  ]
  for (const wrong of tries) {
    const answer = await opened.browser.ask(opened.at, { ...form, ...wrong })
    expect([answer.location, answer.status >= 400]).toEqual([undefined, true])
    expect(answer.text).not.toContain(mine)
  }
  const shown = await opened.browser.ask(`${opened.at}?organization=${world.organizationId}`)
  expect(shown.text).toContain('reaches no such organization')
  expect((await listTokens(own)).filter((each) => each.client_id !== null)).toEqual([])
})

test('the page narrows a grant to workspaces and connectors', async () => {
  const connector = mine
  const { sent, opened } = await allow({ reach: 'some', connector })
  expect((await opened.browser.follow(sent, world.issuer)).location).toContain('code=')
  expect((await listTokens(client)).at(-1)).toMatchObject({ connector_ids: [connector], workspaces: [{ name: 'default' }] })
  expect((await allow({ workspace: [] })).sent.text).toContain('Choose at least one workspace.')
  expect((await allow({ reach: 'all', connector: mine })).sent.text).toContain('Choose one or the other.')
})
