/** What people type into the console, and what the console says about it. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { findAllBarriers } from './accessibility.ts'
import { limits, type OpenedConsole, openConsole } from './console-support.ts'

const options = { timeout: limits.test }
let opened: OpenedConsole
beforeAll(async () => {
  opened = await openConsole()
}, limits.test)
afterAll(() => opened.close())

const press = (name: string) => opened.page.getByRole('button', { name, exact: true }).click()

test('a long name stays within its message', options, async () => {
  const { page, go, complaints, screenshot } = opened
  const name = 'w'.repeat(100)
  await go('/workspaces')
  await press('Create a workspace')
  await page.getByRole('dialog').getByRole('textbox', { name: 'Name' }).fill(name)
  await page.keyboard.press('Enter')
  await page.getByRole('status').getByText(`The workspace ${name} was created.`).waitFor()
  await screenshot('long-name')
  const close = await page.getByRole('button', { name: 'Close the message' }).boundingBox()
  expect((close?.x ?? Number.NaN) + (close?.width ?? 0)).toBeLessThan(page.viewportSize()?.width ?? 0)
  await press(`Delete ${name}`)
  const dialog = page.getByRole('dialog')
  await dialog.getByText(`Delete ${name}?`).waitFor()
  await screenshot('long-name-dialog')
  expect(await dialog.evaluate((element) => element.scrollWidth - element.clientWidth)).toBe(0)

  expect(complaints()).toEqual([])
})

test('an empty form marks each field that is missing, and says each refusal once', options, async () => {
  const { page, go, complaints, screenshot } = opened
  await go('/connectors/new?kind=snowflake')
  const name = page.getByRole('textbox', { name: 'Name' })
  await name.fill('')
  await press('Check and create')
  const marked = page.locator('[aria-invalid=true]')
  await expect.poll(() => marked.count(), { timeout: limits.action }).toBe(6)
  await expect.poll(() => name.evaluate((field) => field === field.ownerDocument.activeElement)).toBe(true)
  await screenshot('empty-form')
  await name.fill('warehouse')
  await expect.poll(() => marked.count(), { timeout: limits.action }).toBe(5)
  expect(complaints()).toEqual([]) // nothing was sent
  for (const label of ['programmatic_access_token', 'account', 'database', 'warehouse', 'role'])
    await page.getByRole('textbox', { name: label }).fill('sandbox')
  await page.getByRole('textbox', { name: 'Account' }).fill('not/an account')
  await press('Check and create')
  const box = page.getByRole('alert')
  await box.getByText('Correct what is named here or marked at its field.').waitFor()
  await screenshot('refused-form')
  const text = await page.locator('form').innerText()
  expect(text.match(/must be/g)).toHaveLength(1)
  expect(await marked.count()).toBe(1)
  complaints() // what the service refused
})

test('a field has a title with its name beside, its default, and behind a word where its value is found', options, async () => {
  const { page, go, complaints, screenshot } = opened
  await go('/connectors/new?kind=tiktok-marketing')
  await page.getByRole('textbox', { name: 'Attribution window attribution_window' }).waitFor()
  await page.getByText('Default: 7', { exact: false }).waitFor()
  const host = page.getByRole('combobox', { name: 'API host api_host' })
  expect(await host.locator('option:checked').textContent()).toBe('Default: production')
  const help = page.getByText('TikTok lists the app id in the details of the developer app.')
  expect(await help.isVisible()).toBe(false)
  await page.getByText('Where to find it: App ID').click()
  await help.waitFor()
  await page.getByText('TikTok API for Business > My Apps').waitFor()
  await screenshot('field-help')
  expect(await findAllBarriers(page)).toEqual([])
  expect(complaints()).toEqual([])
})
