/** Consents on the vendors' own pages, in popups and in the same tab. The vendors are another site, and cut every popup off from its opener. */
import type { Page } from 'playwright-core'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { sandboxCredentials, shopifyCredentials } from '../../packages/sandbox/src/index.ts'
import { askAs, countConnectors } from '../connect/support.ts'
import { connectorsPath } from '../http/support.ts'
import { consentAtGong, returnOf } from '../sandbox/consent-client.ts'
import { share } from '../support/share.ts'
import { findAllBarriers } from './accessibility.ts'
import { agreeAtGong, agreeAtTiktok, begin, expectSecrecy, expectStep, openConnectWorld, pressAndClose } from './connect-support.ts'
import { limits } from './console-support.ts'

let before: number
const opened = await share(openConnectWorld())
beforeEach(async () => {
  opened.world.sandbox.gong.switches.reset()
  opened.world.sandbox.tiktok.switches.reset()
  before = await countConnectors(opened.world)
})
afterEach(() => expect(opened.complaints()).toEqual([]))

const later = { timeout: limits.test }
const connectorAt = async (id: string) => (await askAs(opened.world, `${connectorsPath}/${id}`)).json
/** Fails when an authorization that had to fail left something. */
const expectNothing = async (id: string) =>
  expect([(await opened.read(id)).status, await countConnectors(opened.world)]).toEqual(['open', before])

/** Opens a link from the application in a popup. */
async function openPopup(more: object = {}) {
  const { id, url } = await opened.link({ allowed_origin: opened.application, ...more })
  const app = await opened.openStranger()
  await app.goto(opened.application)
  await app.getByLabel('Link').fill(url)
  const [popup] = await Promise.all([app.waitForEvent('popup'), app.getByRole('button', { name: 'Connect' }).click()])
  await expectStep(popup, /would like to connect/)
  const answer = () =>
    expect.poll(async () => JSON.parse((await app.locator('output').textContent()) || 'null'), { timeout: limits.action })
  return { id, url, app, popup, answer }
}

/** Goes to the vendor's page, over the choice of a way. */
async function goToVendor(page: Page, title: string): Promise<void> {
  await begin(page)
  await page.getByRole('button', { name: `Sign in at ${title}` }).click()
  await expectStep(page, `Sign in at ${title}`)
  await page.getByRole('button', { name: `Continue to ${title}` }).click()
}

/** Begins once more after an attempt that brought nothing. */
async function startAgain(page: Page, title: string): Promise<void> {
  opened.world.clock.now += 1_000 // the clock of the test stands, and the last attempt counts
  await page.getByRole('button', { name: 'Start again' }).click()
  await page.getByRole('button', { name: `Continue to ${title}` }).click()
}

test('Gong in a popup: the application hears of it, though the vendor cut the popup off', later, async () => {
  const { id, url, popup, answer } = await openPopup()
  await goToVendor(popup, 'Gong')
  await agreeAtGong(popup)
  await expectStep(popup, 'Gong is connected')
  expect(await popup.evaluate<boolean>('window.opener === null')).toBe(true)
  await popup.getByText('You can close this window').waitFor()
  const { connector_id } = await opened.read(id)
  await answer().toEqual({ status: 'connected', linkId: id, connectorId: connector_id })
  expect(await connectorAt(connector_id)).toMatchObject({ status: 'active', credential_scheme: 'oauth' })
  await expectSecrecy(opened, popup, [sandboxCredentials.clientSecret, new URL(url).hash.slice(1), 'code='])
})

test('Shopify asks for the store first, and leads back from its page', later, async () => {
  const { id, url } = await opened.link({ kinds: ['shopify'] })
  const page = await opened.openStranger()
  await page.goto(url)
  await begin(page)
  await page.getByRole('button', { name: 'Sign in at Shopify' }).click()
  const go = page.getByRole('button', { name: 'Continue to Shopify' })
  await page.getByLabel('Shop', { exact: true }).fill('shop.example')
  await go.click()
  await page.getByText(/Shop must be the name of the store before \.myshopify\.com/).waitFor()
  await expectNothing(id)
  await page.getByLabel('Shop', { exact: true }).fill(`https://${shopifyCredentials.shop}.myshopify.com`)
  await go.click()
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('button', { name: 'Install' }).click()
  await expectStep(page, 'Shopify is connected')
  expect(await connectorAt((await opened.read(id)).connector_id)).toMatchObject({ status: 'active', credential_scheme: 'oauth' })
  await expectSecrecy(opened, page, [shopifyCredentials.clientSecret, 'hmac='])
  opened.complaints() // the refused store
})

test('Gong in the same tab, after the end user refused, changed the mind and lost the way', later, async () => {
  const { id, url } = await opened.link({ redirect_url: `${opened.application}/done` })
  const page = await opened.openStranger()
  await page.goto(url)
  await goToVendor(page, 'Gong')
  await agreeAtGong(page, { action: 'Deny' })
  await expectStep(page, 'Gong was not connected')
  await page.getByText('Nothing was stored or changed. The link stays usable.').waitFor()
  await opened.screenshot(page, 'connect-denied')
  await startAgain(page, 'Gong')
  await page.getByRole('button', { name: 'Sign in' }).waitFor()
  await page.goBack()
  await expectStep(page, 'Nothing has come back from Gong')
  await expectNothing(id)
  await startAgain(page, 'Gong')
  await agreeAtGong(page)
  await page.getByRole('link', { name: /^Return to/ }).click()
  const connectorId = (await opened.read(id)).connector_id
  await expect
    .poll(() => page.locator('output').textContent())
    .toBe(JSON.stringify({ status: 'connected', linkId: id, connectorId, left: '' }))
})

test('TikTok in a popup: several accounts are chosen by name and make one connector', later, async () => {
  const { popup, id, answer } = await openPopup({ kinds: ['tiktok-marketing'] })
  await goToVendor(popup, 'TikTok Marketing')
  await agreeAtTiktok(popup, ['Fernway US', 'Fernway 日本', 'Fernway unused'])
  await expectStep(popup, 'Which TikTok Marketing accounts may be read?')
  await popup.getByRole('button', { name: 'Connect 0 accounts' }).click()
  await popup.getByText('Choose at least one account.').waitFor()
  await popup.getByLabel('Fernway US').check()
  await popup.getByLabel('Fernway 日本').check()
  await opened.screenshot(popup, 'connect-accounts')
  expect(await findAllBarriers(popup)).toEqual([])
  await popup.getByRole('button', { name: 'Connect 2 accounts' }).click()
  await expectStep(popup, 'TikTok Marketing is connected')
  const { connector_id } = await opened.read(id)
  await answer().toMatchObject({ status: 'connected', connectorId: connector_id })
  const { advertiserId, secondAdvertiserId } = opened.world.sandbox.tiktok.world
  const { replication_config } = await connectorAt(connector_id)
  expect(replication_config.advertiser_id.toSorted()).toEqual([advertiserId, secondAdvertiserId].toSorted())
  expect(await countConnectors(opened.world)).toBe(before + 1)
})

test('ticked accounts stay ticked: after a refusal, a lost answer, a new load and a step back', later, async () => {
  const { world } = opened
  const taken = await world.connect('Ads')
  const { url } = await opened.link({ kinds: ['tiktok-marketing'], name: 'Ads', workspace_name: 'default' })
  const page = await opened.openStranger()
  await page.goto(url)
  await goToVendor(page, 'TikTok Marketing')
  await agreeAtTiktok(page, ['Fernway US', 'Fernway 日本', 'Fernway unused'])
  const title = 'Which TikTok Marketing accounts may be read?'
  await expectStep(page, title)
  await page.getByRole('button', { name: 'Connect 0 accounts' }).click()
  await page.getByLabel('Fernway US').check()
  await page.getByLabel('Fernway unused').check()
  const ticks = async () => {
    await page.getByRole('heading', { level: 1, name: title }).waitFor()
    await page.getByLabel('Fernway US').waitFor()
    const names = ['Fernway US', 'Fernway 日本', 'Fernway unused']
    return Promise.all(names.map((name) => page.getByLabel(name).isChecked()))
  }
  const send = () => page.getByRole('button', { name: 'Connect 2 accounts' }).click()
  // The service refuses, the network is away, the page is loaded again, and the browser leaves and comes back.
  await send()
  await page.getByText('connector_name_conflict').waitFor()
  expect(await ticks()).toEqual([true, false, true])
  await askAs(world, `${connectorsPath}/${taken}`, { method: 'DELETE' })
  await page.route('**/connect/api/accounts', (route) => route.abort())
  await send()
  await page.getByText('The service did not answer.').waitFor()
  expect(await ticks()).toEqual([true, false, true])
  await page.unroute('**/connect/api/accounts')
  await page.reload()
  expect(await ticks()).toEqual([true, false, true])
  await page.goto(opened.application)
  await page.goBack()
  expect(await ticks()).toEqual([true, false, true])
  await send()
  await expectStep(page, 'TikTok Marketing is connected')
})

test('TikTok in the same tab: no ticked account makes nothing, one makes a connector', later, async () => {
  const { id, url } = await opened.link({ kinds: ['tiktok-marketing'] })
  const page = await opened.openStranger()
  await page.goto(url)
  await goToVendor(page, 'TikTok Marketing')
  await agreeAtTiktok(page, [])
  await expectStep(page, 'TikTok Marketing was not connected')
  await expectNothing(id)
  await startAgain(page, 'TikTok Marketing')
  await agreeAtTiktok(page, ['Fernway US'])
  await expectStep(page, 'Which TikTok Marketing accounts may be read?')
  await page.getByRole('button', { name: 'Connect 1 account' }).click()
  await expectStep(page, 'TikTok Marketing is connected')
  await page.getByText('You can close this window.').waitFor()
})

test('a form in a popup answers by a message, and the popup closes', later, async () => {
  const { popup, id, answer } = await openPopup()
  await begin(popup)
  await popup.getByRole('button', { name: 'Access key' }).click()
  await popup.getByLabel('Access key', { exact: true }).fill(sandboxCredentials.accessKey)
  await popup.getByLabel('Access key secret', { exact: true }).fill(sandboxCredentials.accessKeySecret)
  await pressAndClose(popup.getByRole('button', { name: 'Check and connect' }))
  await answer().toMatchObject({ status: 'connected', linkId: id })
})

test('the page reports to the origin of the link only', later, async () => {
  const { id, url } = await opened.link({ allowed_origin: opened.application })
  const stranger = await opened.openStranger()
  await stranger.evaluate('heard = []; addEventListener("message", ({ data }) => heard.push(data))')
  const [popup] = await Promise.all([stranger.waitForEvent('popup'), stranger.evaluate(`void open(${JSON.stringify(url)})`)])
  await expectStep(popup, /would like to connect/)
  const refused = "does not match the recipient window's origin"
  await expect.poll(() => opened.complaints().filter((text) => text.includes(refused)).length).toBe(1)
  expect(await stranger.evaluate('heard')).toEqual([])
  const answer = await opened.world.ask(`/connect/api/links/${id}/status`, { headers: { origin: 'https://evil.example' } })
  expect([answer.status, answer.headers['access-control-allow-origin']]).toEqual([404, undefined])
})

test('a popup that is closed, given up or not allowed makes nothing, and the application hears of it', later, async () => {
  const closing = await openPopup()
  await closing.popup.close()
  await closing.answer().toEqual({ status: 'closed', linkId: closing.id, connectorId: null })
  const leaving = await openPopup()
  await pressAndClose(leaving.popup.getByRole('button', { name: 'Not now' }))
  await leaving.answer().toEqual({ status: 'cancelled', linkId: leaving.id, connectorId: null })
  // On the vendor's page nobody can see that the popup was closed: the application's own button ends the waiting.
  const lost = await openPopup()
  await goToVendor(lost.popup, 'Gong')
  await lost.popup.getByRole('button', { name: 'Sign in' }).waitFor()
  await lost.popup.close()
  await lost.app.getByRole('button', { name: 'Stop' }).click()
  await lost.answer().toMatchObject({ message: 'stopped' })
  for (const { id } of [closing, leaving, lost]) await expectNothing(id)
})

test('no return is taken from another browser, without its cookie, twice, or with another state', later, async () => {
  const { gong } = opened.world.sandbox
  const page = await opened.openStranger()
  const { id, url } = await opened.link()
  await page.goto(url)
  // The attacker's own consent, held back before it returns: a victim's browser is to complete it.
  await page.route('**/oauth2/authorize**', (route) => route.fulfill({ body: 'Held back' }))
  await goToVendor(page, 'Gong')
  await page.getByText('Held back').waitFor()
  const held = returnOf(await consentAtGong(page.url())).href
  await page.unroute('**/oauth2/authorize**')
  gong.switches.set({ consent: 'at once' })
  const victim = await opened.openStranger()
  await victim.goto(held)
  await victim.getByRole('heading', { name: 'Not connected' }).waitFor()
  await page.goto(held.replace(/state=[^&]+/, 'state=foreign'))
  await page.getByRole('heading', { name: 'Not connected' }).waitFor()
  await page.context().clearCookies({ name: /attempt/ })
  await page.goto(held)
  await page.getByRole('heading', { name: 'Not connected' }).waitFor()
  await expectNothing(id)
  // The link still works, once. A second return of the same code changes nothing.
  await page.goto(url)
  const [back] = await Promise.all([page.waitForRequest(/connect\/callback/), goToVendor(page, 'Gong')])
  await expectStep(page, 'Gong is connected')
  const { connector_id } = await opened.read(id)
  await page.goto(`${back.url()}&redirect_url=https://evil.example&return_url=//evil.example`)
  expect(new URL(page.url()).origin).toBe(opened.world.url)
  expect([(await opened.read(id)).connector_id, await countConnectors(opened.world)]).toEqual([connector_id, before + 1])
})

test('credentials of another account are refused, unless the link allows them', later, async () => {
  const { world, link, read, openStranger } = opened
  const connectorId = await world.connect('Calls by consent', { check: true })
  before += 1
  world.sandbox.gong.switches.set({ consent: 'at once', account: sandboxCredentials.otherAdministrator })
  const anew = { kinds: undefined, sandbox: undefined, connector_id: connectorId }
  const [strict, open] = [await link(anew), await link({ ...anew, allow_other_account: true })]
  const page = await openStranger()
  const replace = async (url: string) => {
    await page.goto(url)
    await begin(page)
    await page.getByRole('button', { name: 'Sign in at Gong' }).click()
    await page.getByRole('button', { name: 'Continue to Gong' }).click()
  }
  await replace(strict.url)
  await expectStep(page, 'Gong was not connected')
  await page.getByText('do not belong to the account of the connector').waitFor()
  await expectNothing(strict.id)
  expect(await connectorAt(connectorId)).toMatchObject({ status: 'active', credential_scheme: 'access_key' })
  await replace(open.url)
  await expectStep(page, 'Calls by consent works again')
  expect((await read(open.id)).connector_id).toBe(connectorId)
})
