/** A new connector, and the page of one: its copy, its runs, its credentials, its settings and its end. */
import { expect, test } from 'vitest'
import { sandboxValues } from '../../packages/ferrule/src/document/sandbox-values.ts'
import { connectorsPath } from '../http/support.ts'
import { share } from '../support/share.ts'
import { findAllBarriers } from './accessibility.ts'
import { failReads, limits, openConsole, pressIfThere } from './console-support.ts'

const options = { timeout: limits.test }
/** Calls of scorecards wait for it, so that a sync stands still while it is looked at. */
const gate = Promise.withResolvers<void>()
const opened = await share(
  openConsole({
    copies: 'postgres',
    engine: (engine) => ({
      run: async (connection, call) => {
        if (call.entity === 'settings_scorecards') await gate.promise
        return engine.run(connection, call)
      },
    }),
  }),
)
/** A connector of two entities, which the tests sync, break and change. */
const id = await opened.world.connect('Calls of the sales team', { entities: [{ entity: 'users' }, { entity: 'settings_scorecards' }] })

const readConnector = async () => (await opened.world.ask(`${connectorsPath}/${id}`, { token: opened.world.token })).json
const confirm = (name: string) => opened.page.getByRole('dialog').getByRole('button', { name }).click()

test('the page follows the copy as it is filled, and says when the service fails', options, async () => {
  const { page, world, go, load, complaints } = opened
  await go(`/connectors/${id}`)
  const users = page.getByRole('row').filter({ hasText: 'users' })
  await users.getByText('Waiting for the first sync').waitFor()
  const synced = world.context.sync()
  await page.getByText('Running').waitFor()
  await page
    .getByText(/^[\d,]+ records? in \d+ calls?, end not known yet$/)
    .first()
    .waitFor()
  gate.resolve()
  await synced
  await users.getByText('Ready').waitFor()
  await expect.poll(() => users.getByRole('cell').nth(2).textContent(), { timeout: limits.action }).toMatch(/^[1-9]/)
  await page.getByRole('link', { name: 'Search users' }).waitFor()
  await opened.look('connector')
  expect(complaints()).toEqual([])
  const mend = await failReads(page, /context_store/)
  await load(`/connectors/${id}?tab=indexes`)
  await page.getByRole('alert').getByText('The service is stopping.').waitFor()
  await mend()
  await pressIfThere(page.getByRole('button', { name: 'Try again' }))
  await page.getByText('No indexes yet').waitFor()
  complaints() // the answers that failed
})

test('a sync is started and cancelled, and a failed run says what to do', options, async () => {
  const { page, world, go, complaints, screenshot } = opened
  await go(`/connectors/${id}?tab=runs`)
  await page.getByRole('row').filter({ hasText: 'the connector was created' }).getByText('Succeeded').waitFor()
  await page.getByRole('button', { name: 'Sync now' }).click()
  await page.getByRole('menuitem', { name: 'Everything' }).click()
  await page.getByText('The sync is waiting.').waitFor()
  await page.getByRole('button', { name: 'Cancel the run' }).click()
  await page.getByRole('dialog').getByText('Records that it has written stay').waitFor()
  await confirm('Cancel the run')
  await page.getByRole('row').filter({ hasText: 'somebody asked' }).getByText('Cancelled').waitFor()
  world.sandbox.faults.add({
    kind: 'status',
    status: 400,
    message: 'Scorecards are broken',
    on: 'api',
    path: '/v2/settings/scorecards',
    times: 9,
  })
  await world.ask(`${connectorsPath}/${id}/syncs`, { token: world.token, body: { mode: 'full' } })
  await world.context.sync()
  world.sandbox.faults.clear()
  await page.reload()
  await page.getByRole('listitem').filter({ hasText: 'settings_scorecards: ' }).waitFor()
  await screenshot('connector-runs')
  await page.getByLabel('State').selectOption('cancelled')
  await expect.poll(() => page.getByRole('row').count(), { timeout: limits.action }).toBe(2)
  expect(new URL(page.url()).search).toBe('?tab=runs&state=cancelled')
  expect(complaints()).toEqual([])
})

test('credentials are replaced after a live check, and never shown', options, async () => {
  const { page, world, go, complaints, screenshot } = opened
  const token = { token: world.token }
  const refused = { credentials: { access_key_secret: 'ended at the vendor' }, check: false }
  await world.ask(`${connectorsPath}/${id}`, { ...token, method: 'PATCH', body: refused })
  await go(`/connectors/${id}`)
  await page.getByRole('alert').getByText('Syncs wait until a call succeeds').waitFor()
  await screenshot('connector-unchecked')
  await page.getByRole('button', { name: 'Check the credentials' }).click()
  await page.getByRole('button', { name: 'Check at the vendor' }).waitFor()
  await world.execute(id, { entity: 'users', action: 'list' })
  await go(`/connectors/${id}`)
  await page.getByText('The vendor refuses the credentials').waitFor()
  await page.getByRole('link', { name: 'Send a connect link instead' }).waitFor()
  await page.getByRole('button', { name: 'Replace the credentials' }).click()
  await page.getByRole('list', { name: 'Stored fields' }).getByText('access_key_secret').waitFor()
  await page.getByRole('button', { name: 'Check at the vendor' }).click()
  await page.getByText('The check has failed').waitFor()
  await page.getByText('Correct the credentials. Those of a connector are on its Credentials tab.').waitFor()
  await page.getByLabel(/access_key_secret/).fill('wrong again')
  await page.getByRole('button', { name: 'Check and store' }).click()
  await page.getByText('The credentials were not stored').waitFor()
  await screenshot('connector-credentials')
  expect(await page.locator('body').innerText()).not.toContain('PATCH')
  await page.getByLabel(/access_key_secret/).fill('sandbox-secret')
  await page.getByRole('button', { name: 'Check and store' }).click()
  await page.getByText('The vendor accepted the credentials').waitFor()
  await page.getByText('The vendor refuses the credentials').waitFor({ state: 'detached' })
  await expect.poll(() => page.getByLabel(/access_key_secret/).inputValue()).toBe('')
  expect((await readConnector()).status).toBe('active')
  complaints() // the refused form
})

test('settings are changed after a sentence of their consequences, and the end needs the name', options, async () => {
  const { page, go, complaints } = opened
  await go(`/connectors/${id}?tab=settings`)
  await page.getByLabel(/private_calls/).selectOption('include')
  await page.getByRole('button', { name: 'Change the configuration' }).click()
  await page.getByRole('dialog').getByText('the copy is emptied and filled again').waitFor()
  await confirm('Change the configuration')
  await page.getByText('The configuration was changed.').waitFor()
  await page.getByLabel('Entity', { exact: true }).selectOption('users')
  await page.getByLabel('Interval of its own').selectOption('every 15 minutes')
  await page.getByRole('button', { name: 'Add the interval' }).click()
  await expect.poll(() => page.getByLabel('Interval of users').inputValue(), { timeout: limits.action }).toBe('900')
  await page.getByLabel('Interval of All others').waitFor()
  const changeEntities = page.getByRole('button', { name: 'Change the entities' })
  expect(await changeEntities.isDisabled()).toBe(true)
  await page.getByLabel('All entities').check()
  expect(await changeEntities.isEnabled()).toBe(true)
  await page.getByLabel('Only some').check()
  expect(await changeEntities.isDisabled()).toBe(true)
  const days = page.getByLabel('Changes are kept')
  await page.getByText('for 7 days', { exact: true }).last().waitFor()
  await days.selectOption('for 30 days')
  await expect.poll(async () => (await readConnector()).changes_days, { timeout: limits.action }).toBe(30)
  await expect.poll(() => days.inputValue(), { timeout: limits.action }).toBe('30')
  await page.getByRole('button', { name: 'Pause the schedule' }).click()
  await confirm('Pause the schedule')
  await page.getByRole('button', { name: 'Resume the schedule' }).waitFor()
  await page.getByRole('checkbox', { name: 'settings_scorecards' }).uncheck()
  await page.getByRole('button', { name: 'Change the entities' }).click()
  await page.getByRole('dialog').getByText('The copies of all others are deleted').waitFor()
  await confirm('Change the entities')
  await page.getByText('The entities were changed.').waitFor()
  const body = { entity: 'settings_scorecards', action: 'list' }
  expect((await opened.world.ask(`${connectorsPath}/${id}/execute`, { token: opened.world.token, body })).status).toBe(200) // calls reach all
  expect(await readConnector()).toMatchObject({ replication_config: { private_calls: 'include' }, entities: [{ entity: 'users' }] })
  await opened.look('connector-settings')
  await page.getByRole('button', { name: 'Reset the copy' }).click()
  await confirm('Reset the copy')
  await page.getByText('The copy is emptied and filled again.').waitFor()
  await page.getByRole('button', { name: 'Delete the connector' }).click()
  expect(await page.getByRole('dialog').getByRole('button', { name: 'Delete the connector' }).isDisabled()).toBe(true)
  await page.getByLabel('Type Calls of the sales team to confirm').fill('Calls of the sales team')
  await confirm('Delete the connector')
  await page.getByText('The connector Calls of the sales team was deleted.').waitFor()
  await expect.poll(() => new URL(page.url()).pathname).toBe('/console/connectors')
  await go(`/connectors/${id}`)
  await page.getByText('connector_not_found').waitFor()
  complaints() // the connector that is deleted
})

test('the end of a connector of TikTok says what becomes of its consent', options, async () => {
  const { page, world, go, complaints } = opened
  const { credentials, configuration } = sandboxValues['tiktok-marketing'] ?? {}
  const ads = await world.connect('Ads', { connector_type: 'tiktok-marketing', credentials, replication_config: configuration })
  const { json } = await world.ask(`${connectorsPath}/${ads}`, { token: world.token })
  // As the consent page makes it; test/browser/oauth.test.ts goes the whole way.
  await page.route(`**/connectors/${ads}`, (route) => route.fulfill({ json: { ...json, credential_scheme: 'oauth' } }))
  await go(`/connectors/${ads}?tab=settings`)
  await page.getByRole('button', { name: 'Delete the connector' }).click()
  await page.getByRole('dialog').getByText('its access at TikTok Marketing ends too').waitFor()
  await page.keyboard.press('Escape')
  await page.unroute(`**/connectors/${ads}`)
  expect(complaints()).toEqual([])
})

test('a form from the schema creates a connector: refusals are at their fields, and nothing secret stays', options, async () => {
  const { page, go, complaints, screenshot } = opened
  await go('/connectors/new')
  await page.getByRole('link', { name: 'Shopify' }).click()
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Shop of the north')
  await page.getByLabel(/api_key/).fill('shpat_never-shown-again')
  await page.getByRole('textbox', { name: 'Shop', exact: true }).fill('no shop!')
  await page.getByRole('button', { name: 'Check and create' }).click()
  await page.getByText('The connector was not created').waitFor()
  await screenshot('new-connector')
  await page.getByText(/^must be the name of the store before/).waitFor()
  expect(await page.getByRole('textbox', { name: 'Shop', exact: true }).getAttribute('aria-invalid')).toBe('true')
  expect(await findAllBarriers(page)).toEqual([])
  // Back through the form by keyboard: the header covers nothing that has the focus.
  await page.setViewportSize({ width: 1_280, height: 300 })
  await page.getByRole('button', { name: 'Check and create' }).focus()
  const header = (await page.getByRole('banner').boundingBox())?.height ?? 0
  for (let back = 0; back < 6; back += 1) {
    await page.keyboard.press('Shift+Tab')
    expect(await page.evaluate('document.activeElement.getBoundingClientRect().top')).toBeGreaterThan(header)
  }
  await page.setViewportSize({ width: 1_280, height: 720 })
  await page.getByRole('switch', { name: 'Use the sandbox' }).press('Space')
  await page.getByRole('button', { name: 'Only check' }).click()
  await page.getByText('The vendor accepts the credentials').waitFor()
  await page.getByLabel(/api_key/).press('Enter')
  await page.getByRole('heading', { name: 'Shop of the north' }).waitFor()
  expect(await page.content()).not.toContain('shpat_')
  expect(page.url()).not.toContain('shpat_')
  complaints() // the refused form
})

test.each(Object.entries(sandboxValues))('the sandbox takes the values that the form fills in for %s', async (kind, values) => {
  const { credentials, configuration } = values
  const common = { workspace_name: 'default', connector_type: kind, name: kind, environment: { sandbox: true } }
  const body = { ...common, credentials, replication_config: configuration }
  const { json } = await opened.world.ask(`${connectorsPath}/check`, { token: opened.world.token, body })
  expect(json.status).toBe('succeeded')
})
