/** Links of kinds with recordings in the sandbox: the owner agrees on the page of the stand-in, as at the vendor. */
import { beforeEach, describe, expect, test } from 'vitest'
import { loadRecordings } from '../../packages/ferrule/src/kind-recordings/index.ts'
import type { ServedKind } from '../../packages/server/src/connectors/connector-types.ts'
import { readServedKinds } from '../../packages/server/src/main/kinds/served.ts'
import type { Json } from '../http/support.ts'
import { ask } from '../sandbox/client.ts'
import { returnOf, submit } from '../sandbox/consent-client.ts'
import { share } from '../support/share.ts'
import {
  type Browser,
  countConnectors,
  ownOrigin,
  readConnector,
  readLink,
  saveOAuthClient,
  startConnectWorld,
  visitLink,
} from './support.ts'

const withPage = (await readServedKinds({})).filter(
  ({ ships, definition }) => ships && Object.values(definition.credentials).some(({ consent }) => consent !== undefined),
)
const slugs = withPage.map(({ definition }) => definition.kind)
/** What the address of a vendor needs before its page opens. */
const configurations: Readonly<Record<string, object>> = { salesforce: { domain: 'acme' } }

let before: number
const world = await share(startConnectWorld({ kinds: withPage }))
for (const kind of slugs) await saveOAuthClient(world, kind, { client_id: 'any', client_secret: 'any secret' })
beforeEach(async () => {
  before = await countConnectors(world)
})

const visit = (kind: string) => visitLink(world, { kinds: [kind] })
/** Begins a consent. @returns the address of the page */
const begin = async (browser: Browser, kind: string): Promise<string> =>
  (await browser.begin(kind, { configuration: configurations[kind] ?? {} })).consent_url
const attemptOf = async (browser: Browser): Promise<Json> => (await browser.page('session')).json.attempt

/** Reads a list of the recordings that brings records. */
async function findList({ recordings = '' }: ServedKind) {
  const read = await loadRecordings(recordings)
  const found = read.recordings.find(
    ({ action, error, data }) => action === 'list' && error === undefined && Array.isArray(data) && data.length > 0,
  )
  if (found === undefined) throw new Error('no list was recorded')
  return { entity: found.entity, action: 'list', params: found.params }
}

test('eight of the ten kinds have a page', () => {
  expect(slugs.toSorted()).toEqual(['github', 'google-calendar', 'hubspot', 'jira', 'linear', 'notion', 'salesforce', 'slack'])
})

test.each(slugs)('a link of %s becomes a connector that lists recorded records', async (slug) => {
  const kind = withPage.find(({ definition }) => definition.kind === slug)
  if (kind === undefined) throw new Error(`there is no ${slug}`)
  const { browser, id } = await visit(slug)
  const page = await begin(browser, slug)
  expect((await ask(page)).text).toContain('>Allow</button>')
  await browser.comeBack(returnOf(await submit(page, { action: 'allow' })))
  const attempt = await attemptOf(browser)
  if (attempt.status === 'choosing') {
    const { json } = await browser.page('accounts')
    expect(json.accounts).toEqual([{ id: expect.any(String), name: 'acme' }])
    await browser.page('accounts', { attempt_id: json.attempt_id, ids: [json.accounts[0].id] })
  }
  const made = await readConnector(world, (await readLink(world, id)).connector_id)
  expect(made).toMatchObject({ connector_type: slug, status: 'active', credential_scheme: 'oauth', environment: { sandbox: true } })
  const { status, json } = await world.execute(made.id, await findList(kind))
  expect([status, json.data?.length > 0]).toEqual([200, true])
})

describe('no connector comes of', () => {
  test('Cancel, and the link stays usable', async () => {
    const { browser, id } = await visit('hubspot')
    await browser.comeBack(returnOf(await submit(await begin(browser, 'hubspot'), { action: 'deny' })))
    const { status, failure } = await attemptOf(browser)
    expect([status, failure.code, failure.message]).toEqual(['failed', 'connect_return_refused', expect.stringContaining('denied')])
    expect([await countConnectors(world), (await readLink(world, id)).status]).toEqual([before, 'open'])
    await browser.comeBack(returnOf(await submit(await begin(browser, 'hubspot'), { action: 'allow' })))
    expect((await readLink(world, id)).status).toBe('used')
  })

  test('a foreign address, to which the page does not lead', async () => {
    const { browser } = await visit('github')
    const page = new URL(await begin(browser, 'github'))
    expect(page.searchParams.get('redirect_uri')).toBe(`${ownOrigin}/connect/callback/github`)
    page.searchParams.set('redirect_uri', 'https://evil.example/connect/callback/github')
    const answer = await submit(page.href, { action: 'allow' })
    expect([answer.status, answer.headers.get('location')]).toEqual([400, null])
  })

  test('a code that somebody tried before with another verifier', async () => {
    const { browser, id } = await visit('linear')
    const page = await begin(browser, 'linear')
    const back = returnOf(await submit(page, { action: 'allow' }))
    const fields = { grant_type: 'authorization_code', code: back.searchParams.get('code') ?? '', code_verifier: 'stolen'.repeat(8) }
    const own = { client_id: 'any', client_secret: 'any secret', redirect_uri: `${ownOrigin}/connect/callback/linear` }
    const stolen = await submit(new URL('/oauth/token', page).href, { ...fields, ...own })
    expect([stolen.status, stolen.body]).toEqual([400, expect.objectContaining({ error: 'invalid_grant' })])
    await browser.comeBack(back)
    expect((await attemptOf(browser)).failure.code).toBe('upstream_auth_failed')
    expect([await countConnectors(world), (await readLink(world, id)).status]).toEqual([before, 'open'])
  })
})
