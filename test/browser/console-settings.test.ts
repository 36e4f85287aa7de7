/** The page of settings: for the operator, for others, and while the service fails. */
import { expect, test } from 'vitest'
import { client, createTenant } from '../http/support.ts'
import { share } from '../support/share.ts'
import { failReads, limits, openConsole, signIn } from './console-support.ts'

const options = { timeout: limits.test }
const opened = await share(openConsole({ copies: 'embedded' })) // a server that answers late would not be ready

test('the operator sees settings with their origins, storage, versions and health, and no secret', options, async () => {
  const { page, go, complaints } = opened
  await go('/settings')
  await page.getByText('its databases answer').waitFor()
  await page.getByRole('table', { name: 'Storage' }).getByText('SQLite').waitFor()
  const secret = page.getByRole('row').filter({ hasText: 'FERRULE_OPERATOR_CLIENT_SECRET' })
  await secret.getByText('set, never shown').waitFor()
  expect(await page.content()).not.toContain(client.secret)
  const usual = page.getByRole('row').filter({ hasText: 'FERRULE_CHANGES_ENTITIES' })
  expect(await usual.count()).toBe(0)
  await opened.look('settings')
  await page.getByLabel('Origin').selectOption('All')
  await usual.waitFor()
  await page.getByLabel('Origin').selectOption('Given')
  await usual.waitFor({ state: 'detached' })
  await page.getByLabel('Search').fill('ferrule_operator_client_id')
  await page.getByText(/^\d of \d+ settings$/).waitFor()
  await page.getByRole('row').filter({ hasText: 'FERRULE_OPERATOR_CLIENT_ID' }).getByText('Given').first().waitFor()
  await expect.poll(() => new URL(page.url()).search).toBe('?origin=given&text=ferrule_operator_client_id')
  expect(complaints()).toEqual([])
})

test('a service that fails leaves what was read, with what to do', options, async () => {
  const { page, complaints } = opened
  await page.clock.install()
  await page.reload()
  await page.getByRole('table', { name: 'Storage' }).waitFor()
  const mend = await failReads(page, /health\/ready|api\/v1\/node/)
  await page.clock.fastForward(31_000) // until the next reads
  await page.getByText('The service is not ready').waitFor()
  await page.getByText('The last try failed').waitFor()
  await page.getByRole('table', { name: 'Storage' }).waitFor()
  await mend()
  complaints() // the requests that failed
})

test('another application reads why it sees no node, and signs out everywhere', options, async () => {
  const { openStranger, world } = opened
  const tenant = await createTenant(world, 'Stranger')
  const made = await world.ask('/api/v1/account/applications', { token: tenant.token, body: { name: 'Second' } })
  const { client_id: id, client_secret: secret } = made.json
  const [first, other] = [await openStranger(), await openStranger()]
  for (const page of [first, other]) {
    await page.goto(`${world.url}/console/settings`)
    await signIn(page, { id, secret })
    await page.getByText('Only the operator sees settings').waitFor()
  }
  expect(await first.getByText('FERRULE_OPERATOR_CLIENT_ID').count()).toBe(0)
  await first.getByRole('button', { name: 'Sign out everywhere' }).click()
  await first.getByRole('dialog').getByRole('button', { name: 'Sign out everywhere' }).click()
  await first.getByRole('heading', { name: 'Sign in to Ferrule' }).waitFor()
  await other.reload()
  await other.getByLabel('Client secret').waitFor()
})
