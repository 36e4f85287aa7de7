/** Links that end users open: forms, refusals, and links that have ended. */
import { generateKeyPairSync } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { sandboxCredentials, shopifyCredentials, snowflakeCredentials } from '../../packages/sandbox/src/index.ts'
import { cache } from '../../scripts/paths.mjs'
import { askAs } from '../connect/support.ts'
import { base, connectorsPath } from '../http/support.ts'
import { share } from '../support/share.ts'
import { findAllBarriers } from './accessibility.ts'
import { begin, expectSecrecy, expectStep, openConnectWorld } from './connect-support.ts'
import { limits } from './console-support.ts'

const opened = await share(openConnectWorld())
afterEach(() => expect(opened.complaints()).toEqual([]))

const later = { timeout: limits.test }
const secretOf = (url: string): string => new URL(url).hash.slice(1)
const connectorAt = async (id: string) => (await askAs(opened.world, `${connectorsPath}/${id}`)).json

test('a form takes Shopify after it refused a wrong store and a wrong key', later, async () => {
  const { application, link, openStranger, read, screenshot } = opened
  const { id, url } = await link({
    ...{
      kinds: ['shopify'],
      redirect_url: `${application}/done?tab=stores`,
      end_user: { id: '17', name: 'Ada Example', email: 'ada@example.com' },
    },
  })
  const page = await openStranger()
  await page.goto(url)
  await expectStep(page, 'would like to connect to your Shopify account')
  expect(page.url()).toBe(url.split('#')[0])
  await page.getByText('You are invited as Ada Example (ada@example.com)').waitFor()
  await page.getByText('Example Insights', { exact: true }).waitFor()
  await page.getByText('Checkouts that were not completed').waitFor()
  expect(await page.getByText('Metafields of each customer').isVisible()).toBe(false)
  await page.getByText('And 24 more').click()
  await page.getByText('Metafields of each customer').waitFor()
  await screenshot(page, 'connect-welcome')
  await begin(page)
  await page.reload() // the session stays, and the secret is not needed again
  await begin(page)
  await expectStep(page, 'How would you like to connect Shopify?')
  await page.getByRole('button', { name: 'Token of an app made before 2026' }).click()
  await expectStep(page, 'Connect Shopify')
  const send = page.getByRole('button', { name: 'Check and connect' })
  await page.getByText('Where to find it: Shop').click()
  await screenshot(page, 'connect-help')
  await page.getByLabel('Shop', { exact: true }).fill('https://shop.example')
  await send.click()
  await page.getByText('API key is missing').waitFor()
  await page.getByLabel('API key', { exact: true }).fill(shopifyCredentials.revokedToken)
  await send.click()
  await page.getByText(/Shop must be the name of the store before \.myshopify\.com/).waitFor()
  const isActive = () => page.getByLabel('Shop', { exact: true }).evaluate((field) => field === field.ownerDocument.activeElement)
  await expect.poll(isActive).toBe(true)
  await page.getByLabel('Shop', { exact: true }).fill('another-store')
  await send.click()
  await page.getByText('Shopify knows nothing at this address.').waitFor()
  await page.getByText(/Check the value of shop\. The address of the store's admin .* Nothing was stored\./).waitFor()
  await page.getByLabel('Shop', { exact: true }).fill(shopifyCredentials.shop)
  await send.click()
  await page.getByRole('alert').getByText('Shopify refused the credentials').waitFor()
  await screenshot(page, 'connect-refused')
  expect(await findAllBarriers(page)).toEqual([])
  await page.getByLabel('API key', { exact: true }).fill(shopifyCredentials.token)
  await send.click()
  await expectStep(page, 'Shopify is connected')
  await screenshot(page, 'connect-done')
  await expectSecrecy(opened, page, [shopifyCredentials.token, shopifyCredentials.revokedToken, secretOf(url)])
  const { status, connector_id } = await read(id)
  expect(status).toBe('used')
  await page.getByRole('link', { name: `Return to ${new URL(application).host}` }).click()
  const answer = { status: 'connected', linkId: id, connectorId: connector_id, left: '?tab=stores' }
  await expect.poll(() => page.locator('output').textContent()).toBe(JSON.stringify(answer))
})

test('a form takes a key of Snowflake with its lines, and cannot change what the link fixes', later, async () => {
  const { link, openStranger, read, screenshot } = opened
  const { account, database, warehouse, role, user } = snowflakeCredentials
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 })
  const pem = String(privateKey.export({ type: 'pkcs8', format: 'pem' }))
  const { id, url } = await link({ kinds: ['snowflake'], locked: { snowflake: { account, warehouse, role } }, name: 'Warehouse of Ada' })
  const page = await openStranger()
  await page.goto(url)
  await page.getByRole('heading', { name: 'will be able to read and change' }).waitFor()
  await page.getByText('Rows of tables (read and change)').waitFor()
  await screenshot(page, 'connect-changes')
  await begin(page)
  await page.getByRole('button', { name: 'Key pair' }).click()
  await expectStep(page, 'Connect Snowflake')
  await page.getByText(account).waitFor()
  expect(await page.getByLabel('Account').count()).toBe(0)
  await page.getByLabel('Database').fill(database)
  await page.getByLabel('User').fill(user)
  await page.getByLabel('Private key', { exact: true }).fill(pem)
  await page.getByRole('button', { name: 'Check and connect' }).click()
  await page.getByRole('alert').waitFor()
  opened.world.sandbox.snowflake.registerPublicKey(String(publicKey.export({ type: 'spki', format: 'pem' })))
  await page.getByRole('button', { name: 'Check and connect' }).click()
  await expectStep(page, 'Snowflake is connected')
  await page.getByText('You can close this window.').waitFor()
  const made = await connectorAt((await read(id)).connector_id)
  expect(made).toMatchObject({ name: 'Warehouse of Ada', replication_config: { account, database, warehouse, role } })
  await expectSecrecy(opened, page, [pem.split('\n')[1] ?? pem, secretOf(url)])
})

test('a kind of the organization shows its hosts, and that nobody has reviewed it', later, async () => {
  const { link, openStranger, screenshot, world } = opened
  const file = `kind: acme
title: Acme
category: my systems
about: Records of Acme
docs: https://docs.acme.example
api: https://api.acme.example
auth:
  token:
    title: Token
    fields: { token: secret Token of an account }
    find: Settings
    send: { authorization: 'Bearer {token}' }
check: things.list
entities:
  things:
    about: Things
    fields: { id: string Id }
    list: { call: GET /things, at: data, pages: none }
`
  expect((await askAs(world, `${base}/kinds/acme`, { method: 'PUT', body: { file } })).status).toBe(200)
  const { url } = await link({ kinds: ['acme'], sandbox: false })
  const page = await openStranger()
  await page.goto(url)
  await begin(page)
  await expectStep(page, 'Connect Acme')
  await page.getByText('nobody else has reviewed it').waitFor()
  await page.getByText('api.acme.example', { exact: true }).waitFor()
  await screenshot(page, 'connect-unreviewed')
  expect(await findAllBarriers(page)).toEqual([])
  expect((await askAs(world, `${base}/kinds/acme`, { method: 'DELETE' })).status).toBe(200)
})

test('replaces the credentials of a connector', later, async () => {
  const { link, openStranger, world, read } = opened
  const connectorId = await world.connect('Calls of the sales team')
  const { id, url } = await link({ kinds: undefined, sandbox: undefined, connector_id: connectorId })
  const page = await openStranger()
  await page.goto(url)
  await expectStep(page, /needs new credentials for Calls of the sales team/)
  await page.getByText('have to belong to the same account').waitFor()
  await begin(page)
  await page.getByRole('button', { name: 'Access key' }).click()
  await page.getByLabel('Access key', { exact: true }).fill(sandboxCredentials.accessKey)
  await page.getByLabel('Access key secret', { exact: true }).fill('wrong')
  await page.getByRole('button', { name: 'Check and replace' }).click()
  await page.getByRole('alert').waitFor()
  expect((await connectorAt(connectorId)).status).toBe('active')
  await page.getByLabel('Access key secret', { exact: true }).fill(sandboxCredentials.accessKeySecret)
  await page.getByRole('button', { name: 'Check and replace' }).click()
  await expectStep(page, 'Calls of the sales team works again')
  expect((await read(id)).connector_id).toBe(connectorId)
})

test('a link that has ended says so, and one that was forwarded after its use too', later, async () => {
  const { link, openStranger, world } = opened
  const [page, other] = [await openStranger(), await openStranger()]
  const revoked = await link()
  await page.goto(revoked.url)
  await expectStep(page, /would like to connect/)
  await askAs(world, `${base}/connect/links/${revoked.id}`, { method: 'DELETE' })
  await begin(page)
  await page.getByRole('button', { name: 'Access key' }).click()
  await page.getByLabel('Access key', { exact: true }).fill(sandboxCredentials.accessKey)
  await page.getByLabel('Access key secret', { exact: true }).fill(sandboxCredentials.accessKeySecret)
  await page.getByRole('button', { name: 'Check and connect' }).click()
  await expectStep(page, 'This link can no longer be used')
  await other.goto(revoked.url)
  await expectStep(other, 'This link can no longer be used')
  expect(await findAllBarriers(other)).toEqual([])
  const short = await link({ expires_in: 60 })
  world.clock.now += 61_000
  await page.goto(short.url)
  await page.getByText('it has expired').waitFor()
  const good = await link()
  await page.goto(`${good.url}x`)
  await expectStep(page, 'This link does not work')
  await page.goto(good.url.split('#')[0] ?? '')
  await expectStep(page, 'Please open the link again')
  // The same page with its fragment: the browser loads nothing by itself.
  await page.goto(good.url)
  await expectStep(page, /would like to connect/)
})

test('every kind can be chosen with the keyboard alone, and giving up leads back', later, async () => {
  const { application, link, openStranger, read, screenshot } = opened
  const { id, url } = await link({ kinds: undefined, sandbox: undefined, redirect_url: `${application}/done` })
  const page = await openStranger()
  await page.goto(url)
  await expectStep(page, 'would like to connect to one of your accounts')
  expect(await findAllBarriers(page)).toEqual([])
  await page.getByRole('button', { name: 'Continue', exact: true }).press('Enter')
  await expectStep(page, 'What would you like to connect?')
  expect(await page.getByRole('listitem').count()).toBe(14)
  expect(await findAllBarriers(page)).toEqual([])
  await screenshot(page, 'connect-kinds')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await expectStep(page, 'How would you like to connect Gong?')
  await screenshot(page, 'connect-ways')
  await page.getByRole('button', { name: 'Back' }).click()
  await page.getByRole('button', { name: 'Not now' }).click()
  await expect.poll(() => page.locator('output').textContent()).toContain('"status":"cancelled"')
  expect((await read(id)).status).toBe('open')
})

test('the page weighs at most 90 kB', () => {
  const folder = join(cache, 'web')
  const files = [...readFileSync(join(folder, 'connect.html'), 'utf8').matchAll(/assets\/[^"]+/g)].map(([file]) => file)
  expect(files.length).toBeGreaterThan(1)
  expect(files.reduce((sum, file) => sum + statSync(join(folder, `${file}.gz`)).size, 0)).toBeLessThanOrEqual(90_000)
})
