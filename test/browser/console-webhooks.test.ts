/** Webhooks in the console: from the empty page to a deleted endpoint, with a receiver that runs here. */
import { expect, test } from 'vitest'
import { endpointsPath, Receiver } from '../http/webhook-support.ts'
import { share } from '../support/share.ts'
import { findAllBarriers } from './accessibility.ts'
import { limits, openConsole } from './console-support.ts'

const receiver = await share(new Receiver().start())
const opened = await share(openConsole({ settings: { webhookHosts: ['127.0.0.1'] } }))

const press = (name: string) => opened.page.getByRole('button', { name, exact: true }).first().click()
const pressIn = (name: string) => opened.page.getByRole('dialog').getByRole('button', { name, exact: true }).click()
const said = (sentence: string) => opened.page.getByText(sentence).first().waitFor()

test('a webhook is made, tested, fails, sends again, pauses and is deleted', { timeout: limits.test }, async () => {
  const { page, go, complaints, screenshot, world } = opened
  const worker = world.platform.eventWorker()
  await go('/webhooks')
  await said('A webhook tells your program when something happens')
  expect(await page.getByRole('link', { name: 'How webhooks work' }).getAttribute('href')).toBe('/docs/webhooks')
  expect(await findAllBarriers(page)).toEqual([])
  await press('Create a webhook')
  await page.getByLabel('Name').fill('Sales platform')
  await page.getByRole('textbox', { name: 'Address' }).fill(`${receiver.address}/hook`)
  await page.getByRole('checkbox', { name: 'All events' }).uncheck()
  await page.getByRole('checkbox', { name: 'connector.created' }).check()
  await opened.look('webhook-new')
  await press('Create the webhook')
  const dialog = page.getByRole('dialog').filter({ hasText: 'Shown this once' })
  await dialog.getByText('verifyWebhook({ body').waitFor()
  expect(await dialog.innerText()).toMatch(/whsec_[\w+/=]+/)
  await screenshot('webhook-secret')
  await pressIn('I have stored it')
  await said('Not tested yet')
  await worker.run()
  await page.getByText('Active', { exact: true }).waitFor()
  await opened.look('webhooks')

  receiver.replies.set('hook', [{ status: 410, body: 'the queue is gone' }])
  await page.getByRole('link', { name: 'Sales platform' }).click()
  await page.getByRole('heading', { name: 'Sales platform' }).waitFor()
  await press('Test now')
  await said('A test is sent.')
  await worker.run()
  const failed = page.getByRole('row').filter({ hasText: 'HTTP 410' })
  await failed.getByText('Failed', { exact: true }).waitFor()
  await failed.getByText('Show the answer').click()
  await failed.getByText('the queue is gone').waitFor()
  await opened.look('webhook')

  receiver.replies.set('hook', [{ status: 204 }])
  await press('Resume') // 410 ends an endpoint, and the page shows it with its next read
  await page.getByText('Active', { exact: true }).waitFor()
  await failed.getByRole('button', { name: 'Send again: webhook.test' }).click()
  await said('webhook.test is sent again.')
  await worker.run()
  await failed.waitFor({ state: 'detached' })
  await press('New secret')
  await page.getByLabel('The old secret signs too').selectOption('1 hour')
  await pressIn('Replace the secret')
  await dialog.waitFor()
  await pressIn('I have stored it')
  await press('Pause')
  await page.getByText('Paused', { exact: true }).waitFor()
  expect(complaints()).toEqual([])
  await press('Delete')
  await pressIn('Delete')
  await said('No webhooks yet')
  expect((await world.ask(endpointsPath, { token: world.token })).json.data).toEqual([])
  await worker.stop()
  // The page asks again by itself: a read can meet the deletion.
  expect(complaints().filter((text) => !text.includes('404'))).toEqual([])
})
