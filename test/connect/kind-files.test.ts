/** Consents of kinds that are files: the verifier of PKCE, and the choice of an account that becomes part of the address. */
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { describe, expect, test } from 'vitest'
import type { Kind } from '../../packages/ferrule/src/definition/connector.ts'
import { readKind } from '../../packages/ferrule/src/kind-file/index.ts'
import { type Seen, serve } from '../engine/support.ts'
import { share } from '../support/share.ts'
import { type Browser, readConnector, saveOAuthClient, startConnectWorld, visitLink } from './support.ts'

async function loadKind(slug: string): Promise<Kind> {
  const { definition } = await readKind(await readFile(`packages/kinds/${slug}.kind.yaml`, 'utf8'), { name: slug })
  if (definition === undefined) throw new Error(`${slug} has mistakes`)
  return { definition, rules: {} }
}

const sites = ['11111111-2222-4333-8444-555555555555', '66666666-7777-4888-8999-aaaaaaaaaaaa'] as const

/** Jira's tokens, their sites, and each site: https://developer.atlassian.com/cloud/jira/platform/oauth-2-3lo-apps */
function answerAsJira({ url, headers }: Seen) {
  if (url === '/oauth/token') return { body: { access_token: 'jira-1', refresh_token: 'jira-2', expires_in: 3_600 } }
  if (headers.authorization !== 'Bearer jira-1') return undefined
  if (url.startsWith('/oauth/token/accessible-resources'))
    return { body: sites.map((id, at) => ({ id, url: `https://site${at}.atlassian.net` })) }
  return sites.some((id) => url === `/ex/jira/${id}/rest/api/3/myself`) ? { body: { accountId: '5b10', displayName: 'Ada' } } : undefined
}

/** A vendor with a page of consent: RFC 6749, and RFC 7636 where the page got a challenge. */
const startVendor = () =>
  serve((seen: Seen) => {
    const { url, headers, body } = seen
    const jira = answerAsJira(seen)
    if (jira !== undefined) return jira
    if (url.startsWith('/login/oauth/access_token')) return { body: { access_token: 'given-1', token_type: 'bearer' } }
    if (headers.authorization !== 'Bearer given-1') return { status: 401, body: { message: `unknown ${body.length}` } }
    return { body: { id: 7, login: 'ada' } }
  })

const vendor = await share(startVendor())
const kinds = [await loadKind('github'), await loadKind('jira'), await loadKind('stripe')]
const world = await share(
  startConnectWorld({ kinds, settings: { origins: { github: { api: vendor.origin }, jira: { api: vendor.origin } } } }),
)
for (const kind of ['github', 'jira']) await saveOAuthClient(world, kind)

/** Begins a consent. @returns the query of the page, and the way back */
async function begin(browser: Browser, kind: string, more: object = {}) {
  const asked = new URL((await browser.begin(kind, more)).consent_url)
  const back = new URL(asked.searchParams.get('redirect_uri') ?? '')
  back.search = new URLSearchParams({ code: 'code-1', state: asked.searchParams.get('state') ?? '' }).toString()
  return { asked: asked.searchParams, back }
}

const digest = (text: string) => createHash('sha256').update(text).digest('base64url')
const exchanges = () => vendor.seen.filter(({ method }) => method === 'POST').map(({ body }) => new URLSearchParams(body))

test('a kind without a consent page takes no OAuth client', async () => {
  const { status, json } = await saveOAuthClient(world, 'stripe')
  expect([status, json.errors[0].field]).toEqual([422, '/connector_type'])
})

describe('PKCE', () => {
  test('sends the page a digest, and the secret with the code, which nobody sees', async () => {
    const visits = [
      await visitLink(world, { kinds: ['github'], sandbox: false }),
      await visitLink(world, { kinds: ['github'], sandbox: false }),
    ]
    const begun = await Promise.all(visits.map(({ browser }) => begin(browser, 'github')))
    for (const [index, { browser }] of visits.entries()) await browser.comeBack(begun[index]?.back ?? new URL('about:blank'))
    const verifiers = exchanges().map((sent) => sent.get('code_verifier') ?? '')
    expect(begun.map(({ asked }) => asked.get('code_challenge'))).toEqual(verifiers.map(digest))
    expect(begun.map(({ asked }) => asked.get('code_challenge_method'))).toEqual(['S256', 'S256'])
    expect(new Set(verifiers).size).toBe(2)
    const secrets = [...verifiers, 'given-1']
    expect(secrets.filter((secret) => begun.some(({ asked }) => asked.toString().includes(secret)))).toEqual([])
    expect(secrets.filter((secret) => world.log.join('').includes(secret))).toEqual([])
    const { json } = (await visits[0]?.browser.page('session')) ?? { json: {} }
    expect(json).toMatchObject({ status: 'used', attempt: { status: 'done', failure: null } })
    expect(secrets.filter((secret) => JSON.stringify(json).includes(secret))).toEqual([])
    expect(await readConnector(world, json.connector_id)).toMatchObject({ connector_type: 'github', credential_scheme: 'oauth' })
  })
})

test('the owner chooses one site of Jira, and its id becomes part of the address', async () => {
  const { browser } = await visitLink(world, { kinds: ['jira'], sandbox: false })
  await browser.comeBack((await begin(browser, 'jira')).back)
  const { json: list } = await browser.page('accounts')
  expect(list).toMatchObject({ accounts: sites.map((id, at) => ({ id, name: `https://site${at}.atlassian.net` })), most: 1 })
  const { attempt_id } = list
  expect((await browser.page('accounts', { attempt_id, ids: sites })).status).toBe(422)
  const { json } = await browser.page('accounts', { attempt_id, ids: [sites[1]] })
  expect(json).toMatchObject({ connector_id: expect.any(String) })
  expect(await readConnector(world, json.connector_id)).toMatchObject({ replication_config: { cloud_id: sites[1] } })
  const called = vendor.seen.map(({ url }) => url).filter((url) => url.startsWith('/ex/'))
  expect(new Set(called)).toEqual(new Set([`/ex/jira/${sites[1]}/rest/api/3/myself`]))
})
