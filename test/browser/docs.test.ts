import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { client, startWorld, type World } from '../http/support.ts'
import { launchBrowser } from './launch.ts'

let world: World
let browser: Browser
let page: Page
/** What must stay empty: messages of the console, and requests to other origins. */
let complaints: string[]

/** Opening the execute operation resolves the schemas of all operations: 10 seconds of a core, some times that beside other work. */
const limits = { action: 120_000, test: 240_000 } as const

beforeAll(async () => {
  world = await startWorld()
  browser = await launchBrowser()
})
afterAll(async () => {
  await browser.close()
  await world.close()
})

beforeEach(async () => {
  page = await browser.newPage({ viewport: { width: 1280, height: 1000 } })
  page.setDefaultTimeout(limits.action)
  complaints = []
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text())
  })
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on('request', (request) => {
    const { protocol, origin } = new URL(request.url())
    if (protocol !== 'data:' && origin !== world.url) complaints.push(`asks ${origin}`)
  })
})
afterEach(async () => {
  await page.close()
  expect(complaints).toEqual([])
})

const execute = '#operations-execute-execute'

test('shows every group and the execute operation', { timeout: limits.test }, async () => {
  await page.goto(`${world.url}/docs`)
  await page.locator(execute).waitFor()
  expect(await page.title()).toBe('Ferrule API')
  const groups = await page.locator('.opblock-tag').allInnerTexts()
  expect(groups.map((text) => text.split('\n')[0])).toEqual([
    'tokens',
    'applications',
    'organizations',
    'workspaces',
    'definitions',
    'connectors',
    'connect',
    'execute',
    'context store',
    'jobs',
    'service',
  ])
})

test('executes an operation that is picked from the examples, with a token of its own form', { timeout: limits.test }, async () => {
  const connectorId = await world.connect('docs')
  await page.goto(`${world.url}/docs`)
  await page.locator('.btn.authorize').click()
  const form = page.locator('.auth-container', { hasText: 'client (OAuth2, clientCredentials)' })
  await form.locator('[data-name=clientId]').fill(client.id)
  await form.locator('[data-name=clientSecret]').fill(client.secret)
  await form.locator('button.authorize').click()
  await form.getByText('Logout').waitFor()
  await page.locator('.modal-ux .close-modal').click()

  const operation = page.locator(execute)
  await operation.locator('.opblock-summary-control').click()
  await operation.locator('input[placeholder="connector_id"]').fill(connectorId)
  await operation.locator('.examples-select select').first().selectOption('gong.workspaces.list')
  await operation.locator('button.execute').click()
  const answer = operation.locator('.live-responses-table tbody .response-col_description').first()
  await answer.waitFor()
  expect(await operation.locator('.live-responses-table tbody .response-col_status').first().innerText()).toContain('200')
  expect(await answer.innerText()).toContain('"next_params": null')
})
