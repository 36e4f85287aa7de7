/** Changes of a copy in the console: they appear by themselves, and say what to do when they are lost; and the webhooks that bring them. */
import { expect, test } from 'vitest'
import { shopifyCredentials } from '../../packages/sandbox/src/index.ts'
import { buildPrimaryKey } from '../../packages/server/src/copies/search/keys.ts'
import { connectorsPath, sandboxStore } from '../http/support.ts'
import { sendAsStore } from '../http/vendor-webhooks-support.ts'
import { share } from '../support/share.ts'
import { findAllBarriers } from './accessibility.ts'
import { limits, openConsole } from './console-support.ts'

const opened = await share(openConsole({ copies: 'embedded' }))
const connector = await opened.world.connect('Calls of the sales team', { entities: [{ entity: 'users' }] })

const ref = () => ({ connector, kind: 'gong', entity: 'users' })
function write(users: Readonly<Record<string, string>>, removed: readonly string[] = []) {
  const { store } = opened.world.context
  const keyOf = (id: string): string => buildPrimaryKey(store.getTable('gong', 'users').key, { id }) ?? id
  const records = Object.entries(users).map(([id, title]) => ({ key: keyOf(id), fields: { id, title } }))
  return store.writeBatch(ref(), { records, removed: removed.map(keyOf), asked: opened.world.clock.now })
}

test('changes appear while somebody looks, and a lost feed begins again', { timeout: limits.test }, async () => {
  const { page, world, go, complaints } = opened
  const row = (key: string) => page.getByRole('row').filter({ hasText: key })
  await go(`/connectors/${connector}?tab=changes`)
  await page.getByText('No copy yet').waitFor()
  await world.context.sync()
  await page.getByText('records changes from the first time that somebody looks').waitFor()
  expect(await page.getByRole('link', { name: 'How changes work' }).getAttribute('href')).toBe('/docs/changes')
  await page.getByLabel('Entity').selectOption('users')
  await page.getByText('No change yet').waitFor()
  await opened.look('connector-changes-none')

  await write({ 'user-1': 'Clerk', 'user-2': 'Manager' })
  await row('user-1').getByText('Added', { exact: true }).waitFor()
  await write({ 'user-1': 'Head of sales' }, ['user-2'])
  await row('user-2').getByText('Removed', { exact: true }).waitFor()
  const changed = row('user-1').filter({ hasText: 'Changed' })
  await changed.getByText('title', { exact: true }).waitFor()
  await changed.getByText('a sync').waitFor()
  await page.getByText('Live: 4 changes of users').waitFor()
  await opened.look('connector-changes')
  await changed.getByRole('button', { name: 'Show user-1' }).click()
  await page.getByRole('dialog').getByText('"Head of sales"').waitFor()
  expect(await findAllBarriers(page)).toEqual([])
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  expect(complaints()).toEqual([])

  await world.context.store.deleteAll(ref())
  await write({ 'user-3': 'Clerk' })
  await page.getByText('Changes are not followed').waitFor()
  await page.getByText('Changes between are not shown').waitFor()
  await opened.look('connector-changes-lost')
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.getByText('Live: 4 changes of users').waitFor()
  await write({ 'user-3': 'Manager' })
  await row('user-3').getByText('Changed', { exact: true }).waitFor()
  complaints() // the answer 410
})

test('the tab shows the programs that read changes, how far each is, and deletes one', { timeout: limits.test }, async () => {
  const { page, world, go, complaints } = opened
  await go(`/connectors/${connector}?tab=changes`)
  await page.getByText('No program has registered one.').waitFor()
  const path = `${connectorsPath}/${connector}/consumers`
  const keep = (name: string, body: object) => world.ask(`${path}/${name}`, { method: 'PUT', token: world.token, body })
  const read = (after: string) => world.ask(`${connectorsPath}/${connector}/changes?after=${after}`, { token: world.token })
  const { json: now } = await read('now')
  await keep('warehouse', { cursor: now.next })
  await write({ 'user-9': 'Clerk' })
  await keep('reports', { entities: ['users'] })
  await go(`/connectors/${connector}?tab=changes`)
  const row = (name: string) => page.getByRole('table', { name: 'Consumers' }).getByRole('row').filter({ hasText: name })
  await row('warehouse').getByText('Behind').waitFor()
  await row('warehouse')
    .getByText(/^[\d.]+ k?B, since/)
    .waitFor()
  await row('reports').getByText('all records').waitFor()
  const { json: later } = await read(now.next)
  await keep('warehouse', { cursor: later.next })
  await go(`/connectors/${connector}?tab=changes`)
  await row('warehouse').getByText('Up to date').waitFor()
  await opened.look('connector-consumers')
  await page.getByRole('button', { name: 'Delete the consumer reports' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await row('reports').waitFor({ state: 'detached' })
  const { json } = await world.ask(path, { token: world.token })
  expect(json.data.map(({ name }: { readonly name: string }) => name)).toEqual(['warehouse'])
  expect(complaints()).toEqual([])
})

test('the settings show where the vendor sends webhooks, what came, and what is missing', { timeout: limits.test }, async () => {
  const { page, world, go, complaints } = opened
  const store = await world.connect('Store', { ...sandboxStore('Store'), entities: [{ entity: 'custom_collections' }] })
  await world.context.sync()
  await go(`/connectors/${store}?tab=settings`)
  const section = page.getByRole('region', { name: 'Webhooks of the vendor' })
  await section.getByText('There is no address: make one').waitFor()
  await section.getByRole('button', { name: 'Make an address' }).click()
  await section.getByText('No event yet').waitFor()
  await section.getByText('Nothing verifies requests').waitFor()
  await section.getByText(/^Topics that are read: .*collections\//).waitFor()
  await opened.look('connector-webhooks')
  const secret = section.getByRole('textbox', { name: 'Signing secret' })
  await secret.fill(shopifyCredentials.clientSecret)
  await section.getByRole('button', { name: 'Store the secret' }).click()
  await section.getByText('Nothing verifies requests').waitFor({ state: 'detached' })
  expect(await secret.inputValue()).toBe('')
  expect(await page.content()).not.toContain(shopifyCredentials.clientSecret)
  await section.getByRole('button', { name: 'Ask the vendor for events' }).click()
  await section.getByText(/^The vendor sends: .*collections\/update/).waitFor()

  const address = await section.getByText('/webhooks/connectors/').innerText()
  const { json } = await world.execute(store, { entity: 'custom_collections', action: 'list', params: { limit: 1 } })
  expect((await sendAsStore(`${world.url}${new URL(address).pathname}`, { id: json.data[0].id })).status).toBe(200)
  await world.context.vendorEvents.run()
  await go(`/connectors/${store}?tab=settings`)
  await section.getByText('Events come').waitFor()
  await section.getByText(/^\d events?, the last .* in the copy after/).waitFor()
  await opened.look('connector-webhooks-arrived')
  await section.getByRole('button', { name: 'Delete the address' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete the address' }).click()
  await section.getByRole('button', { name: 'Make an address' }).waitFor()
  expect(complaints()).toEqual([])
})
