/** What the console says before a workspace, an organization or an application is deleted. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { base } from '../http/support.ts'
import { findAllBarriers } from './accessibility.ts'
import { limits, type OpenedConsole, openConsole } from './console-support.ts'

const options = { timeout: limits.test }
let opened: OpenedConsole
beforeAll(async () => {
  opened = await openConsole()
}, limits.test)
afterAll(() => opened.close())

const press = (name: string) => opened.page.getByRole('button', { name, exact: true }).click()

/** Types a name into the dialog, and submits with Enter. */
async function enterName(name: string): Promise<void> {
  const field = opened.page.getByRole('dialog').getByRole('textbox', { name: 'Name' })
  await field.fill(name)
  await field.press('Enter')
}

test('before a workspace, an organization or an application is deleted, the console says what it holds', options, async () => {
  const { page, go, complaints, screenshot, world } = opened
  const token = { token: world.token }
  await world.connect('Calls of the sales team')
  await world.connect('Calls of the service team')
  await world.ask(`${base}/connect/links`, { ...token, body: { kinds: ['gong'], end_user: { id: 'u-1' } } })
  await world.ask(`${base}/account/mcp-tokens`, { ...token, body: { name: 'agent', workspace_names: ['default'] } })
  await go('/workspaces')
  const readHeld = async (name: string) => {
    await press(name)
    const held = page.getByRole('dialog').getByRole('list', { name: 'What it holds' }).getByRole('listitem')
    await held.first().waitFor()
    const texts = await held.allTextContents()
    await screenshot(name.replaceAll(' ', '-'))
    expect(await findAllBarriers(page)).toEqual([])
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    return texts
  }
  const names = /^2 connectors: Calls of the (sales|service) team, Calls of the (sales|service) team$/
  expect(await readHeld('Delete default')).toEqual([expect.stringMatching(names), '1 open connect link', '1 token for MCP that reaches it'])
  await press('Create an organization')
  await enterName('East')
  await page.getByRole('row').filter({ hasText: 'East' }).getByText('Shown now').waitFor()
  expect(await readHeld('Delete East')).toEqual(['0 connectors', '0 open connect links', '0 tokens for MCP'])
  await go('/applications')
  await press('Create an application')
  await enterName('Agents')
  await page.getByRole('dialog').getByRole('button', { name: 'I have stored it' }).click()
  expect(await readHeld('Delete Agents')).toEqual(['0 tokens for MCP'])
  expect(complaints()).toEqual([])
})
