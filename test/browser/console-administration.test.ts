/** Workspaces, organizations, applications, MCP tokens and connect links: what a team manages, what it loses, and secrets that are shown once. */
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { base } from '../http/support.ts'
import { share } from '../support/share.ts'
import { failReads, limits, openConsole, pressIfThere, signIn } from './console-support.ts'

const options = { timeout: limits.test }
const opened = await share(openConsole())
Object.assign(opened.world.settings, { publicUrl: opened.world.url })

const ask = async (path: string) => (await opened.world.ask(`${base}${path}`, { token: opened.world.token })).json
const press = (name: string, page = opened.page) => page.getByRole('button', { name, exact: true }).click()
const pressIn = (name: string, page = opened.page) => page.getByRole('dialog').getByRole('button', { name, exact: true }).click()
const said = (sentence: string) => opened.page.getByText(sentence).waitFor()

/** Types a name into the dialog, and submits with Enter. */
async function enterName(name: string): Promise<void> {
  const field = opened.page.getByRole('dialog').getByRole('textbox', { name: 'Name' })
  await field.fill(name)
  await field.press('Enter')
}

/** Deletes with the dialog that wants the name. */
async function deleteTyped(name: string): Promise<void> {
  await press(`Delete ${name}`)
  await opened.page.getByLabel(`Type ${name} to confirm`).fill(name)
  await pressIn('Delete')
}

/** Reads a secret of the open dialog. */
const readSecret = async (form: RegExp, page = opened.page): Promise<string> => {
  const dialog = page.getByRole('dialog').filter({ hasText: 'Shown this once' })
  await dialog.waitFor()
  return form.exec(await dialog.innerText())?.[0] ?? ''
}

/** Closes the dialog of a secret, and looks for the secret wherever a page could keep it. */
async function expectForgotten(secret: string, page: Page = opened.page): Promise<void> {
  expect(secret).not.toBe('')
  await pressIn('I have stored it', page)
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  const kept = await page.evaluate<string>(
    `document.documentElement.outerHTML + [...document.querySelectorAll('input, textarea')].map(({ value }) => value) +
     JSON.stringify([{ ...localStorage }, { ...sessionStorage }, history.state, location.href, document.cookie])`,
  )
  expect(kept).not.toContain(secret)
  expect(opened.world.log.join('')).not.toContain(secret)
}

test('a workspace is created, renamed, deactivated, deleted and restored', options, async () => {
  const { page, go, complaints } = opened
  await go('/workspaces?workspace=research')
  await press('Create a workspace')
  await enterName('research')
  await said('The workspace research was created.')
  await press('Create a workspace')
  await enterName('research')
  await page.getByRole('dialog').getByText('workspace_name_conflict').waitFor()
  await page.keyboard.press('Escape')
  await press('Rename research')
  await enterName('studies')
  await said('The workspace research is now studies.')
  await expect.poll(() => new URL(page.url()).search).toBe('?workspace=studies')
  await press('Deactivate studies')
  await page.getByRole('dialog').getByText('execute nothing and sync nothing').waitFor()
  await pressIn('Deactivate')
  await page.getByRole('row').filter({ hasText: 'studies' }).getByText('Inactive').waitFor()
  await page.getByText('1 active, 1 inactive').waitFor()
  await opened.look('workspaces')
  await press('Delete studies')
  const held = page.getByRole('dialog').getByRole('list', { name: 'What it holds' }).getByRole('listitem')
  await held.first().waitFor()
  expect(await held.allTextContents()).toEqual(['0 connectors', '0 open connect links', '0 MCP tokens that reach it'])
  await page.keyboard.press('Escape')
  await deleteTyped('studies')
  await said('The workspace studies was deleted.')
  await page.getByLabel('State').selectOption('deleted')
  await press('Restore studies')
  await pressIn('Restore')
  await said('The workspace studies is restored.')
  await page.getByText('No workspace', { exact: true }).waitFor()
  expect(new URL(page.url()).search).toBe('?state=deleted')
  complaints() // the name that is taken
})

test('an organization is created, renamed, deleted with its name, and restored', options, async () => {
  const { page, go, complaints } = opened
  await go('/workspaces')
  await press('Create an organization')
  await enterName('North')
  await page.getByRole('row').filter({ hasText: 'North' }).getByText('Shown now').waitFor()
  await press('Rename North')
  await enterName('South')
  await said('The organization North is now South.')
  await deleteTyped('South')
  await page.getByText('An organization was deleted').waitFor()
  await expect.poll(() => new URL(page.url()).searchParams.get('organization')).toBe(opened.world.organizationId)
  await press('Restore it')
  await said('The organization South is restored.')
  await deleteTyped('South')
  await page.getByText('An organization was deleted').waitFor()
  expect(complaints()).toEqual([])
})

test('secrets of applications are shown once, and a new one for oneself signs out', options, async () => {
  const { page, go, complaints, screenshot, openStranger, world } = opened
  await go('/applications')
  await press('Create an application')
  await enterName('Reports')
  const secret = await readSecret(/(?<![\w-])[\w-]{43}(?![\w-])/)
  await opened.look('application-secret')
  await expectForgotten(secret)
  await press('Rename Reports')
  await enterName('Monthly reports')
  await said('The application Reports is now Monthly reports.')
  await screenshot('applications')
  const { data } = await ask('/account/applications')
  const { client_id: id } = data.find(({ name }: { name: string }) => name === 'Monthly reports')
  const stranger = await openStranger()
  await stranger.goto(`${world.url}/console/applications`)
  await signIn(stranger, { id, secret })
  await press('New secret for Monthly reports', stranger)
  await stranger.getByRole('dialog').getByText('this signs you out, here and everywhere').waitFor()
  await pressIn('Replace the secret', stranger)
  const next = await readSecret(/(?<=Client secret\s+(?:Copy\s+)?)[\w-]{43}(?![\w-])/, stranger)
  expect(next).not.toBe(secret)
  await expectForgotten(next, stranger)
  await stranger.getByText('Your session has ended').waitFor()
  await stranger.context().close()
  expect(await page.getByRole('button', { name: 'Delete First application' }).count()).toBe(0)
  await deleteTyped('Monthly reports')
  await said('The application Monthly reports was deleted.')
  complaints() // the ended session
})

test('an MCP token is made for connectors, shown once and revoked', options, async () => {
  const { page, world, go, complaints, screenshot } = opened
  const connector = await world.connect('Calls')
  await go('/tokens')
  await page.getByText('No tokens yet').waitFor()
  await page.getByText(`${world.url}/mcp`, { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Create a token' }).first().click()
  await page.getByRole('textbox', { name: 'Name' }).fill('laptop')
  await page.getByRole('combobox', { name: 'Connectors' }).click()
  await page.getByRole('option', { name: 'Calls (Gong, default)' }).click()
  await page.getByRole('heading', { name: 'MCP tokens' }).click()
  await page.getByRole('checkbox', { name: 'Create, change and delete' }).check()
  await page.getByLabel('Lifetime').selectOption('7')
  await opened.look('token-form')
  await press('Create the token')
  await expectForgotten(await readSecret(/frl_mcp_\w{36}/))
  const { data } = await ask('/account/mcp-tokens')
  expect(data).toMatchObject([{ name: 'laptop', connector_ids: [connector], scopes: ['connectors:read', 'execute:read', 'execute:write'] }])
  await page.getByRole('row').filter({ hasText: 'laptop' }).getByText('1 connector').waitFor()
  await screenshot('tokens')
  await press('Revoke laptop')
  await pressIn('Revoke')
  await said('The token laptop was revoked.')
  await page.getByText('No tokens yet').waitFor()
  expect(complaints()).toEqual([])
})

test('a link is created with locked values, shown once, read and revoked', options, async () => {
  const { page, go, complaints, screenshot } = opened
  await go('/links?new=1&kind=shopify')
  await page.getByLabel('Id of the end user').fill('user-17')
  await page.getByLabel('Name of the end user').fill('Ada Example')
  await press('Configuration of Shopify')
  await page.getByRole('group', { name: 'Locked' }).getByRole('textbox', { name: 'shop' }).fill('acme')
  await page.getByLabel('Address to lead back to').fill('https://elsewhere.example.com/done')
  await press('Create the link')
  await page.getByText('The link was not created').waitFor()
  await page.getByText('has an origin that FERRULE_CONNECT_REDIRECTS does not list').first().waitFor()
  await page.getByLabel('Address to lead back to').fill('http://127.0.0.1:9/done')
  await opened.look('link-form')
  await press('Create the link')
  const url = await readSecret(/http\S+#\S+/)
  await expectForgotten(url.split('#')[1] ?? '')
  await press('Details of the link for user-17')
  await page.getByRole('dialog').getByText('Ada Example').waitFor()
  await page.getByRole('dialog').getByRole('row', { name: 'Kinds Shopify' }).waitFor()
  const [link] = (await ask('/connect/links')).data
  expect([new URL(page.url()).searchParams.get('link'), link.locked]).toEqual([link.id, { shopify: { shop: 'acme' } }])
  await screenshot('link-details')
  await page.keyboard.press('Escape')
  await press('Revoke the link for user-17')
  await pressIn('Revoke')
  const row = page.getByRole('row').filter({ hasText: 'Ada Example' })
  await row.getByText('Revoked').waitFor()
  await row.getByText('Shopify', { exact: true }).waitFor()
  await screenshot('links')
  await go(`/links?new=1&connector=${(await ask('/integrations/connectors')).data[0].id}`)
  await expect.poll(() => page.getByRole('combobox', { name: 'Connector', exact: true }).inputValue()).toContain('Calls')
  complaints() // the refused form
})

test('an OAuth client at a vendor is stored with its redirect URI, and one in use is deleted only when told so', options, async () => {
  const { page, world, go, complaints } = opened
  await go('/links?tab=vendors')
  await page.getByRole('button', { name: 'Gong Not stored' }).click()
  await page.getByText(`${world.url}/connect/callback/gong`, { exact: true }).waitFor()
  const form = page.getByRole('form', { name: 'OAuth client at Gong' })
  await form.getByLabel(/client_id/).fill('our-application')
  await form.getByRole('textbox', { name: 'client_secret' }).fill('never-shown-again')
  await press('Store the OAuth client')
  await said('The OAuth client at Gong is stored.')
  await page.getByText('Stored: client_id, client_secret. Used by 0 connectors.').waitFor()
  expect(
    await page.evaluate<string>('[...document.querySelectorAll("input")].map(({ value }) => value).join() + document.body.outerHTML'),
  ).not.toContain('never-shown')
  await opened.look('vendors')
  const [stored] = (await ask('/oauth/credentials')).data
  await page.route(/oauth\/credentials$/, (route) => route.fulfill({ json: { data: [{ ...stored, connectors: 2 }] } }))
  await page.reload()
  await page.getByRole('button', { name: 'Gong Stored' }).click()
  await press('Delete the OAuth client at Gong')
  await page.getByRole('dialog').getByText('2 connectors use it').waitFor()
  await page.getByRole('checkbox', { name: 'Delete it although connectors use it' }).check()
  await pressIn('Delete')
  await said('The OAuth client at Gong was deleted.')
  expect((await ask('/oauth/credentials')).data).toEqual([])
  await page.unroute(/oauth\/credentials$/)
  expect(complaints()).toEqual([])
})

test.each([
  ['/applications', /account\/applications$/, 'Create an application'],
  ['/links', /connect\/links/, 'Create a link'],
])(
  '%s with a service that fails has a sentence and its next step, and the next try mends it',
  async (path, asked, button) => {
    const { page, go, complaints } = opened
    const mend = await failReads(page, asked)
    await go(path)
    await page.getByRole('alert').getByText('The service is stopping.').waitFor()
    await page.getByRole('alert').getByText('Wait.').waitFor()
    await page.getByRole('button', { name: button }).waitFor()
    await mend()
    await pressIfThere(page.getByRole('button', { name: 'Try again' }))
    await page.getByRole('table').waitFor()
    complaints() // the browser reports the answers
  },
  options.timeout,
)

test('before a workspace, an organization or an application is deleted, the console says what it holds', options, async () => {
  const { page, go, complaints, world } = opened
  const token = { token: world.token }
  await world.connect('Calls of the sales team')
  await world.ask(`${base}/connect/links`, { ...token, body: { kinds: ['gong'], end_user: { id: 'u-1' } } })
  await world.ask(`${base}/account/mcp-tokens`, { ...token, body: { name: 'agent', workspace_names: ['default'] } })
  await go('/workspaces')
  const readHeld = async (name: string) => {
    await press(name)
    const held = page.getByRole('dialog').getByRole('list', { name: 'What it holds' }).getByRole('listitem')
    await held.first().waitFor()
    const texts = await held.allTextContents()
    await opened.look(name.replaceAll(' ', '-'))
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    return texts
  }
  const names = /^2 connectors: Calls( of the sales team)?, Calls( of the sales team)?$/
  expect(await readHeld('Delete default')).toEqual([expect.stringMatching(names), '1 open connect link', '1 MCP token that reaches it'])
  await press('Create an organization')
  await enterName('East')
  await page.getByRole('row').filter({ hasText: 'East' }).getByText('Shown now').waitFor()
  expect(await readHeld('Delete East')).toEqual(['0 connectors', '0 open connect links', '0 MCP tokens'])
  await go('/applications')
  await press('Create an application')
  await enterName('Agents')
  await pressIn('I have stored it')
  expect(await readHeld('Delete Agents')).toEqual(['0 MCP tokens'])
  expect(complaints()).toEqual([])
})
