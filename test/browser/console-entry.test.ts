/** What people type into the console, and what the console says about it. */
import { afterAll, beforeAll, expect, test } from 'vitest'
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
