/** An operator lets a client in, in a real browser: the client is another site than the service. */
import { createServer } from 'node:http'
import { afterAll, expect, test } from 'vitest'
import { client } from '../http/support.ts'
import { buildAuthorization, createChallenge, post, registerClient, startOAuthWorld } from '../mcp/oauth-support.ts'
import { listen } from '../support/listen.ts'
import { share } from '../support/share.ts'
import { limits } from './console-support.ts'
import { closePages, launchBrowser } from './launch.ts'

/** Messages of the console: a policy that blocks something shows here. */
const complaints: string[] = []

const world = await startOAuthWorld()
await world.connect('Calls of the sales team')
const site = createServer((request, response) => {
  const { searchParams } = new URL(request.url ?? '', callback)
  const [link, frame] = ['link', 'frame'].map((name) => searchParams.get(name)?.replaceAll('&', '&amp;'))
  response.setHeader('content-type', 'text/html')
  if (link !== undefined) return response.end(`<a href="${link}">Connect</a>`)
  return response.end(frame === undefined ? '<h1>Back at the client</h1>' : `<iframe src="${frame}"></iframe>`)
})
/** Address where the client gets its code: `localhost` is another site than `127.0.0.1`. */
const callback = `http://localhost:${(await share(listen(site))).port}/callback`
const browser = await launchBrowser()
const page = await browser.newPage({ viewport: { width: 900, height: 1000 } })
page.setDefaultTimeout(limits.action)
page.on('console', (message) => complaints.push(message.text()))
page.on('pageerror', (error) => complaints.push(error.message))
afterAll(async () => {
  await closePages(browser)
  await world.close()
})

/** Opens the page of the service from a page of the client, as a person does. */
async function openFromClient() {
  const { client_id } = (await registerClient(world, { redirect_uris: [callback], client_name: 'Notes agent' })).json
  const { verifier, challenge } = createChallenge()
  const scope = 'connectors:read execute:read execute:write'
  const url = buildAuthorization(world, { client_id, code_challenge: challenge, redirect_uri: callback, scope })
  await page.goto(`${callback}?link=${encodeURIComponent(url)}`)
  await page.getByRole('link', { name: 'Connect' }).click()
  return { client_id, verifier }
}

async function signIn(secret: string): Promise<void> {
  await page.getByLabel('Client id').fill(client.id)
  await page.getByLabel('Client secret').fill(secret)
  await page.getByRole('button', { name: 'Sign in' }).click()
}

test('an operator signs in, ticks what the client may do, and is back at the client', { timeout: limits.test }, async () => {
  const { client_id, verifier } = await openFromClient()
  await page.getByText('Sign in with an application').waitFor()
  await signIn('a wrong secret')
  await page.getByText('Client id or client secret is wrong.').waitFor()
  await expect.poll(() => complaints).toEqual([expect.stringContaining('403')])
  complaints.splice(0)
  await signIn(client.secret)
  await page.getByText('What may Notes agent reach?').waitFor()
  expect(await page.getByLabel('default', { exact: true }).isChecked()).toBe(true)
  const write = page.getByLabel('Create, update and delete')
  expect(await write.isChecked()).toBe(false)
  await page.getByLabel('Only these:').check()
  await page.getByLabel('Calls of the sales team').check()
  await page.getByRole('button', { name: 'Allow' }).click()
  await page.getByText('Back at the client').waitFor()
  const answer = new URL(page.url()).searchParams
  expect([answer.get('iss'), answer.get('state')]).toEqual([world.issuer, 's'])
  const form = {
    grant_type: 'authorization_code',
    client_id,
    code: answer.get('code') ?? '',
    code_verifier: verifier,
    redirect_uri: callback,
  }
  const { json } = await post(`${world.issuer}/oauth/token`, form)
  expect(json.scope).toBe('connectors:read execute:read')
  expect(complaints).toEqual([])
})

test('an operator who does not agree is back at the client, without a code', { timeout: limits.test }, async () => {
  await openFromClient()
  await page.getByRole('button', { name: 'Cancel' }).click()
  await page.getByText('Back at the client').waitFor()
  const answer = new URL(page.url()).searchParams
  expect([answer.get('error'), answer.get('code')]).toEqual(['access_denied', null])
  expect(complaints).toEqual([])
})

test('no page of another site frames the sign-in', { timeout: limits.test }, async () => {
  const { client_id } = (await registerClient(world, { redirect_uris: [callback] })).json
  const url = buildAuthorization(world, { client_id, code_challenge: createChallenge().challenge, redirect_uri: callback })
  await page.goto(`${callback}?frame=${encodeURIComponent(url)}`) // until the frame has loaded
  expect(await page.frames()[1]?.getByText('Sign in with an application').count()).toBe(0)
  await expect.poll(() => complaints.join('\n')).toMatch(/frame-ancestors|X-Frame-Options/)
  complaints.splice(0)
})
