/** Changes of a copy in the console: they appear by themselves, with the record, and say what to do when they are lost. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { buildPrimaryKey } from '../../packages/server/src/copies/search/keys.ts'
import { findAllBarriers } from './accessibility.ts'
import { limits, type OpenedConsole, openConsole } from './console-support.ts'

let opened: OpenedConsole
let connector: string
beforeAll(async () => {
  opened = await openConsole({ copies: 'embedded' })
  connector = await opened.world.connect('Calls of the sales team', { entities: [{ entity: 'users' }] })
}, limits.test)
afterAll(() => opened.close())

const place = () => ({ connector, kind: 'gong', entity: 'users' })
function write(users: Readonly<Record<string, string>>, removed: readonly string[] = []) {
  const { store } = opened.world.context
  const keyOf = (id: string): string => buildPrimaryKey(store.getTable('gong', 'users').key, { id }) ?? id
  const records = Object.entries(users).map(([id, title]) => ({ key: keyOf(id), fields: { id, title } }))
  return store.writeBatch(place(), { records, removed: removed.map(keyOf), asked: opened.world.clock.now })
}

test('changes appear while somebody looks, and a lost feed begins again', { timeout: limits.test }, async () => {
  const { page, world, go, complaints, screenshot } = opened
  const row = (key: string) => page.getByRole('row').filter({ hasText: key })
  await go(`/connectors/${connector}?tab=changes`)
  await page.getByText('No copy yet').waitFor()
  await world.context.sync()
  await page.getByText('writes changes down from the first look on').waitFor()
  expect(await page.getByRole('link', { name: 'How changes work' }).getAttribute('href')).toBe('/docs/changes')
  await page.getByLabel('Entity').selectOption('users')
  await page.getByText('No change yet').waitFor()
  await screenshot('connector-changes-none')
  expect(await findAllBarriers(page)).toEqual([])

  await write({ 'user-1': 'Clerk', 'user-2': 'Manager' })
  await row('user-1').getByText('Added', { exact: true }).waitFor()
  await write({ 'user-1': 'Head of sales' }, ['user-2'])
  await row('user-2').getByText('Removed', { exact: true }).waitFor()
  const changed = row('user-1').filter({ hasText: 'Changed' })
  await changed.getByText('title', { exact: true }).waitFor()
  await changed.getByText('a sync').waitFor()
  await page.getByText('Live: 4 changes of users').waitFor()
  await screenshot('connector-changes')
  expect(await findAllBarriers(page)).toEqual([])
  await changed.getByRole('button', { name: 'Show user-1' }).click()
  await page.getByRole('dialog').getByText('"Head of sales"').waitFor()
  expect(await findAllBarriers(page)).toEqual([])
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  expect(complaints()).toEqual([])

  await world.context.store.deleteAll(place())
  await write({ 'user-3': 'Clerk' })
  await page.getByText('Changes are not followed').waitFor()
  await page.getByText('Changes between are not shown').waitFor()
  await screenshot('connector-changes-lost')
  expect(await findAllBarriers(page)).toEqual([])
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.getByText('Live: 4 changes of users').waitFor()
  await write({ 'user-3': 'Manager' })
  await row('user-3').getByText('Changed', { exact: true }).waitFor()
  complaints() // the answer 410
})
