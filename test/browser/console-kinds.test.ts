/** The reference of the kinds in the console: found by words, opened by its address, and tried. */
import { expect, test } from 'vitest'
import { listShippedKinds } from '../../packages/server/src/main/kinds/served.ts'
import { share } from '../support/share.ts'
import { limits, openConsole } from './console-support.ts'

const opened = await share(openConsole({ kinds: listShippedKinds(['@ferrule/kinds']) }))
const page = opened.page

const timeout = limits.test

test('a field of any kind is found, and leads to its action', { timeout }, async () => {
  await opened.go('/kinds')
  await page.getByRole('article').filter({ hasText: 'Zendesk' }).waitFor()
  expect(await page.getByRole('article').count()).toBe(14)
  await opened.look('kinds')
  await page.getByLabel('Search all kinds').fill('gong calls fromdatetime')
  await page.getByRole('link', { name: 'Gong › calls › list › fromDateTime' }).click()
  await page.getByRole('region', { name: 'list', exact: true }).getByRole('cell', { name: 'fromDateTime' }).waitFor()
  expect(new URL(page.url()).searchParams.get('part')).toBe('list')
  await page.getByLabel('Search Gong').fill('no such words')
  await page.getByText('Nothing has all these words').waitFor()
  expect(opened.complaints()).toEqual([])
})

test('an address opens a section, and credentials say where to find them', { timeout }, async () => {
  await opened.go('/kinds/gong?section=entity%3Acalls&part=record')
  await page.getByRole('region', { name: 'record', exact: true }).getByRole('cell', { name: 'clientUniqueId' }).waitFor()
  await opened.look('kind')
  await page.getByRole('navigation', { name: 'Sections of Gong' }).getByRole('link', { name: 'Credentials' }).click()
  await page.getByRole('link', { name: 'Admin center > Settings > Ecosystem > API', exact: true }).first().waitFor()
  await opened.go('/kinds/gong?section=entity%3Anone')
  await page.getByText('There is no such section').waitFor()
  expect(opened.complaints()).toEqual([])
})

test('a new connector chooses among all kinds, and the sandbox fills in what it takes', { timeout }, async () => {
  await opened.go('/connectors/new')
  await page.getByRole('link', { name: 'Zendesk' }).waitFor()
  expect(await page.getByRole('region', { name: 'What do you connect?' }).getByRole('listitem').count()).toBe(14)
  await opened.screenshot('new-connector-kinds')
  await page.getByRole('link', { name: 'GitHub' }).click()
  await page.getByRole('form', { name: 'New GitHub connector' }).waitFor()
  await opened.look('new-connector-github')
  await page.getByRole('switch', { name: 'Use the sandbox' }).press('Space')
  await expect.poll(() => page.getByLabel(/^Token/).inputValue()).not.toBe('') // the stand-in takes any value
  await opened.go('/connectors/new?kind=gong')
  await page.getByLabel('Use the sandbox').waitFor()
  expect(opened.complaints()).toEqual([])
})

test('an unknown kind says so', { timeout }, async () => {
  await opened.go('/kinds/nothing')
  await page.getByText('connector_type_not_found').waitFor()
  opened.complaints()
})

test('an operation is tried with what its example knows, by the connector that is chosen', { timeout }, async () => {
  await opened.go('/explorer?kind=shopify&entity=orders&action=list')
  await page.getByRole('link', { name: 'New connector' }).waitFor()
  await opened.world.connect('One team')
  await opened.world.connect('Other team')
  await opened.go('/kinds/gong?section=entity%3Aworkspaces')
  await page.getByRole('link', { name: 'Try workspaces list' }).click()
  await page.getByRole('combobox', { name: 'Connector' }).click()
  await page.getByRole('option', { name: /^Other team/ }).click()
  await page.getByRole('button', { name: 'Run', exact: true }).click()
  await page.getByRole('table', { name: 'workspaces of Other team' }).waitFor()
  expect(opened.complaints()).toEqual([])
})
