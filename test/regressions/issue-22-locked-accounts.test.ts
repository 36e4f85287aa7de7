/** A link that fixes accounts: an end user who consents with other accounts gets no connector for them. */
import { beforeEach, describe, expect, test } from 'vitest'
import { kinds } from '../../packages/ferrule/src/connectors/index.ts'
import { requireLocked } from '../../packages/server/src/connectors/links/link-values.ts'
import {
  type Browser,
  countConnectors,
  readConnector,
  readLink,
  saveOAuthClient,
  startConnectWorld,
  visitLink,
} from '../connect/support.ts'
import { base, type Json } from '../http/support.ts'
import { share } from '../support/share.ts'

let before: number
let [a, b] = ['', '']
const world = await share(startConnectWorld())
await saveOAuthClient(world, 'tiktok-marketing')
a = world.sandbox.tiktok.world.advertiserId
b = world.sandbox.tiktok.world.secondAdvertiserId
beforeEach(async () => {
  before = await countConnectors(world)
})

const visit = (advertiserId: unknown) =>
  visitLink(world, { kinds: ['tiktok-marketing'], locked: { 'tiktok-marketing': { advertiser_id: advertiserId } } })

const consent = async (browser: Browser, ticked: readonly string[]): Promise<Json> => {
  await browser.comeBack(await browser.agreeAtTiktok(ticked))
  return (await browser.page('session')).json.attempt
}
const ids = (list: Json): string[] => list.accounts.map(({ id }: Json) => id).toSorted()

describe('a link that fixes an account', () => {
  test.each([
    ['as text', () => a],
    ['as a list', () => [a]],
  ])('offers and takes only that one, fixed %s', async (...[, fixed]) => {
    const { browser, id } = await visit(fixed())
    expect((await consent(browser, [a, b])).status).toBe('choosing')
    const { json: list } = await browser.page('accounts')
    expect([ids(list), list.fixed]).toEqual([[a], true])
    for (const chosen of [[b], [a, b]]) {
      const refused = await browser.page('accounts', { attempt_id: list.attempt_id, ids: chosen })
      expect([refused.status, refused.json.errors[0].field]).toEqual([422, `/ids/${chosen.indexOf(b)}`])
    }
    expect([await countConnectors(world), (await readLink(world, id)).status]).toEqual([before, 'open'])
    const done = await browser.page('accounts', { attempt_id: list.attempt_id, ids: [a] })
    expect((await readConnector(world, done.json.connector_id)).replication_config.advertiser_id).toEqual(fixed())
  })

  test('makes nothing when it was not ticked, and names what to tick', async () => {
    const { browser, id } = await visit(a)
    const { status, failure } = await consent(browser, [b])
    expect([status, failure.code]).toEqual(['failed', 'connect_return_refused'])
    expect(failure.message + failure.hint).toContain(a)
    expect(failure.message + failure.hint).not.toContain(b)
    expect([await countConnectors(world), (await readLink(world, id)).status]).toEqual([before, 'open'])
  })

  test('in plural takes all of them and no part', async () => {
    const { browser } = await visit([a, b])
    await consent(browser, [a, b])
    const { json: list } = await browser.page('accounts')
    expect(ids(list)).toEqual([a, b].toSorted())
    const part = await browser.page('accounts', { attempt_id: list.attempt_id, ids: [b] })
    expect([part.status, part.json.errors[0].field, part.json.errors[0].message]).toEqual([422, '/ids', expect.stringContaining(a)])
    const done = await browser.page('accounts', { attempt_id: list.attempt_id, ids: [b, a] })
    expect((await readConnector(world, done.json.connector_id)).replication_config.advertiser_id).toEqual([a, b])
  })

  test('in plural needs all of them ticked', async () => {
    const { browser } = await visit([a, b])
    const { status, failure } = await consent(browser, [a])
    expect([status, failure.code]).toEqual(['failed', 'connect_return_refused'])
    expect(failure.message + failure.hint).toContain(b)
  })

  test('keeps its hold when the link was made in the form of other clients', async () => {
    const body = { workspace_name: 'default', connector_type: 'tiktok-marketing', redirect_url: 'https://app.example.com/done' }
    const made = await world.ask(`${base}/integrations/connectors/oauth/initiate`, {
      token: world.token,
      body: { ...body, environment: { sandbox: true }, replication_config: { advertiser_id: a } },
    })
    const { browser } = await visit(a)
    await browser.open(made.json.consent_url)
    expect((await consent(browser, [a, b])).status).toBe('choosing')
    const { json: list } = await browser.page('accounts')
    expect(ids(list)).toEqual([a])
    expect((await browser.page('accounts', { attempt_id: list.attempt_id, ids: [b] })).status).toBe(422)
  })

  test('refuses a value for it in a consent and in a form, the same value too', async () => {
    const { browser } = await visit(a)
    for (const value of [b, a, null, [a, b]]) {
      const begun = await browser.page('consent', { kind: 'tiktok-marketing', configuration: { advertiser_id: value } })
      expect([begun.status, begun.json.errors[0].field]).toEqual([422, '/configuration/advertiser_id'])
      const form = { kind: 'tiktok-marketing', credentials: { access_token: 'x' }, configuration: { advertiser_id: value } }
      const sent = await browser.page('connector', form)
      expect([sent.status, sent.json.errors[0].field]).toEqual([422, '/configuration/advertiser_id'])
    }
    expect(await countConnectors(world)).toBe(before)
  })
})

test('a configuration that lost a fixed value on any way is not stored', () => {
  const kind = kinds['tiktok-marketing']
  const locked = { advertiser_id: ['1', '2'], start_date: '2024-01-01' }
  requireLocked(kind, { locked }, { ...locked, timeout: 1 })
  for (const changed of [{ advertiser_id: ['1'] }, { advertiser_id: '1' }, { start_date: undefined }, { start_date: '2024-01-02' }])
    expect(() => requireLocked(kind, { locked }, { ...locked, ...changed })).toThrow('is fixed by the link')
})

test('a link without fixed accounts leaves the choice', async () => {
  const { browser } = await visitLink(world, { kinds: ['tiktok-marketing'] })
  await consent(browser, [a, b])
  const { json: list } = await browser.page('accounts')
  expect([ids(list), list.fixed]).toEqual([[a, b].toSorted(), false])
  const done = await browser.page('accounts', { attempt_id: list.attempt_id, ids: [b] })
  expect((await readConnector(world, done.json.connector_id)).replication_config.advertiser_id).toBe(b)
})
