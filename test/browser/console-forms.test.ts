/** Forms of the console: what they say about what people type, and leaving one half-typed asks, whichever way it is left. */
import { expect, test } from 'vitest'
import { sandboxWarehouse } from '../http/snowflake-support.ts'
import { share } from '../support/share.ts'
import { limits, openConsole, replaceCode } from './console-support.ts'

const options = { timeout: limits.test }
let [id, warehouse] = ['', '']
const opened = await share(openConsole())
id = await opened.world.connect('Calls of the sales team')
warehouse = await opened.world.connect('Warehouse', sandboxWarehouse('Warehouse'))

const press = (name: string) => opened.page.getByRole('button', { name, exact: true }).click()
const follow = (name: string) => opened.page.getByRole('link', { name, exact: true }).click()
const heading = (name: string) => opened.page.getByRole('heading', { name, level: 1 }).waitFor()
const question = () => opened.page.getByRole('dialog', { name: 'Leave without storing?' })
const path = () => new URL(opened.page.url()).pathname.replace('/console', '')

/** Answers the question, which has to be there. */
async function answer(name: 'Leave' | 'Cancel'): Promise<void> {
  await question().getByText('It is lost when you leave.').waitFor()
  await question().getByRole('button', { name, exact: true }).click()
  await question().waitFor({ state: 'detached' })
}

test('a link, the palette and the ways back and forth ask; to stay keeps what was typed', options, async () => {
  const { page, go, complaints } = opened
  await go('/connectors')
  await page.getByRole('link', { name: 'New connector' }).click()
  await page.getByRole('link', { name: 'Gong', exact: true }).click()
  const name = page.getByRole('textbox', { name: 'Name' })
  await name.click()
  await page.keyboard.type(' of the service team')
  await follow('Search')
  await question().waitFor()
  await opened.look('leave-question')
  await answer('Cancel')
  expect([path(), await name.inputValue()]).toEqual(['/connectors/new', 'Gong of the service team'])
  await page.evaluate('history.back()')
  await answer('Cancel')
  expect(await name.inputValue()).toBe('Gong of the service team')
  await follow('Choose another kind')
  await answer('Cancel')
  // Parameters that the form is not bound to ask nothing.
  await page.getByRole('combobox', { name: 'Workspace', exact: true }).first().click()
  await page.getByRole('option', { name: 'default' }).click()
  await expect.poll(() => new URL(page.url()).searchParams.get('workspace')).toBe('default')
  expect([await question().count(), await name.inputValue()]).toEqual([0, 'Gong of the service team'])
  await page.evaluate('history.go(-2)')
  await answer('Leave')
  await heading('New connector')
  await page.evaluate('history.forward()')
  await name.waitFor()
  expect(await name.inputValue()).toBe('Gong')
  await follow('Search')
  await heading('Search')
  expect(complaints()).toEqual([])
})

test('the browser asks before the page is closed or loaded again, for changes only', options, async () => {
  const { page, go, complaints } = opened
  const asked: string[] = []
  const listen = (dialog: { type(): string; dismiss(): Promise<void> }) => {
    asked.push(dialog.type())
    void dialog.dismiss()
  }
  page.on('dialog', listen)
  await go('/tokens?new=1')
  const name = page.getByRole('textbox', { name: 'Name' })
  await name.click()
  await page.reload()
  expect(asked).toEqual([])
  await name.click()
  await page.keyboard.type('agent')
  await page.evaluate('setTimeout(() => location.reload())')
  await expect.poll(() => asked, { timeout: limits.action }).toEqual(['beforeunload'])
  expect(await name.inputValue()).toBe('agent')
  await name.fill('')
  await page.reload()
  expect(asked).toEqual(['beforeunload'])
  page.off('dialog', listen)
  expect(complaints()).toEqual([])
})

test('nothing asks after a form is stored or given up', options, async () => {
  const { page, go, complaints } = opened
  await go('/tokens?new=1')
  await page.getByRole('textbox', { name: 'Name' }).fill('agent')
  await press('Create the token')
  await page.getByRole('dialog').getByRole('button', { name: 'I have stored it' }).click()
  await press('Create a token')
  await page.getByRole('textbox', { name: 'Name' }).fill('second agent')
  await press('Cancel')
  await page.getByRole('textbox', { name: 'Name' }).waitFor({ state: 'detached' })
  await go('/connectors/new?kind=gong&sandbox=1')
  await page.getByRole('textbox', { name: 'Name' }).fill('Calls of the service team')
  await press('Check and create')
  await heading('Calls of the service team')
  await go(`/connectors/${id}?tab=settings`)
  await page.getByRole('textbox', { name: 'Name' }).fill('Calls')
  await press('Rename')
  await page.getByText('The connector was renamed.').waitFor()
  await follow('Search')
  await heading('Search')
  expect([await question().count(), complaints()]).toEqual([0, []])
})

test('tabs and statements ask too', options, async () => {
  const { page, go, complaints } = opened
  await go(`/connectors/${id}?tab=credentials`)
  await page.getByLabel(/access_key_secret/).fill('half a sec')
  await page.getByRole('tab', { name: 'Runs' }).click()
  await answer('Cancel')
  expect(await page.getByLabel(/access_key_secret/).inputValue()).toBe('half a sec')
  await page.getByRole('tab', { name: 'Runs' }).click()
  await answer('Leave')
  await page.getByRole('row').first().waitFor()
  expect(new URL(page.url()).searchParams.get('tab')).toBe('runs')
  await go(`/statements?connector=${warehouse}`)
  await replaceCode(page, 'Statement', 'SELECT 1')
  await follow('Workspaces')
  await answer('Cancel')
  await press('Run the query')
  await page.getByText(/^1 row/).waitFor()
  await follow('Workspaces')
  await heading('Workspaces')
  expect(complaints()).toEqual([])
})

test('a long name stays within its message', options, async () => {
  const { page, load, complaints, screenshot } = opened
  const name = 'w'.repeat(100)
  await load('/workspaces') // no message of an earlier test is left
  await press('Create a workspace')
  await page.getByRole('dialog').getByRole('textbox', { name: 'Name' }).fill(name)
  await page.keyboard.press('Enter')
  await page.getByRole('status').getByText(`The workspace ${name} was created.`).waitFor()
  await screenshot('long-name')
  const close = await page.getByRole('button', { name: 'Close the message' }).boundingBox()
  expect((close?.x ?? Number.NaN) + (close?.width ?? 0)).toBeLessThan(page.viewportSize()?.width ?? 0)
  const row = await page.getByRole('button', { name: `Delete ${name}` }).boundingBox()
  expect((row?.x ?? Number.NaN) + (row?.width ?? 0)).toBeLessThan(page.viewportSize()?.width ?? 0)
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
  const { page, go, complaints } = opened
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
  await opened.look('field-help')
  expect(complaints()).toEqual([])
})
