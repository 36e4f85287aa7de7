/** The reference for people: pages without scripts, so that any operation opens at once. */
import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { ensureWeb } from '../../scripts/web.mjs'
import { client, startWorld, type World } from '../http/support.ts'
import { findAllBarriers } from './accessibility.ts'
import { limits, signIn, takePictures } from './console-support.ts'
import { launchBrowser } from './launch.ts'

let world: World
let browser: Browser
let page: Page
/** What must stay empty: messages of the console, and requests beside the pages themselves. */
const complaints: string[] = []
beforeAll(async () => {
  expect(await ensureWeb()).toBe(0) // the console, where an operation is tried
  world = await startWorld()
  browser = await launchBrowser()
  page = await browser.newPage({ viewport: { width: 1_280, height: 900 } })
  page.setDefaultTimeout(limits.action)
  page.on('console', (message) => complaints.push(message.text()))
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on('request', (request) => {
    const { protocol, origin } = new URL(request.url())
    const isPage = request.resourceType() === 'document' && origin === world.url
    if (protocol !== 'data:' && !isPage) complaints.push(`asks ${request.resourceType()} ${request.url()}`)
  })
}, limits.test)
afterAll(async () => {
  await browser.close()
  await world.close()
})
afterEach(() => expect(complaints.splice(0)).toEqual([]))

const timeout = limits.test
/** Largest page in characters. The page of one document was 2 MB of script and 900 kB of schemas. */
const largestPage = 60_000

test('the first page shows every kind and every group, and finds fields and routes', { timeout }, async () => {
  await page.goto(`${world.url}/docs`)
  expect(await page.title()).toBe('Reference · Ferrule')
  const titles = (await page.locator('section > h2').allInnerTexts()).map((text) => text.replace(/#$/, ''))
  const groups = [
    'tokens',
    'applications',
    'organizations',
    'workspaces',
    'definitions',
    'connectors',
    'connect',
    'execute',
    'context store',
  ]
  expect(titles).toEqual(['Kinds', ...groups, 'jobs', 'service'])
  await page.getByRole('searchbox', { name: 'Search the reference' }).fill('gong calls fromDateTime')
  await page.keyboard.press('Enter')
  await page.getByRole('link', { name: 'Gong calls list fromDateTime' }).click()
  await page.waitForURL(`${world.url}/docs/kinds/gong/calls#list`)
  await page.getByRole('searchbox', { name: 'Search the reference' }).fill('sync cancel')
  await page.keyboard.press('Enter')
  await page
    .getByRole('link', { name: /^DELETE |^POST / })
    .first()
    .click()
  await page.getByRole('heading', { name: 'Errors' }).waitFor()
})

test('an operation has its parameters, records, example and place in the address', { timeout }, async () => {
  await page.goto(`${world.url}/docs/kinds/gong`)
  await page.getByText('Where to find it').first().waitFor()
  await page.getByRole('cell', { name: 'calls', exact: true }).getByRole('link').click()
  const list = page.locator('section#list')
  await list.getByRole('cell', { name: 'fromDateTime' }).waitFor()
  expect(await list.locator('pre').innerText()).toContain('"entity": "calls"')
  expect(await page.locator('section#record').getByRole('cell', { name: 'clientUniqueId' }).count()).toBe(1)
  await page.getByRole('link', { name: 'Link to list' }).click()
  expect(page.url()).toBe(`${world.url}/docs/kinds/gong/calls#list`)
  await takePictures(page, 'docs-entity')
  expect(await findAllBarriers(page)).toEqual([])
})

test('execute has its body, its answers and its errors, and leads to the kinds', { timeout }, async () => {
  await page.goto(`${world.url}/docs/http/execute`)
  await page.locator('section#body').getByRole('cell', { name: 'select_fields' }).waitFor()
  await page.locator('section#errors').getByRole('cell', { name: 'upstream_rate_limited' }).waitFor()
  expect(await page.locator('section#example pre').innerText()).toContain('/api/v1/integrations/connectors/$CONNECTOR_ID/execute')
  await takePictures(page, 'docs-route')
  expect(await findAllBarriers(page)).toEqual([])
  await page.getByRole('link', { name: 'Shopify' }).click()
  await page.getByRole('heading', { name: /^Shopify/, level: 1 }).waitFor()
})

test('no page has a script or is large', { timeout }, async () => {
  const seen = new Set<string>()
  const open = async (path: string): Promise<void> => {
    if (seen.has(path)) return
    seen.add(path)
    const { status, text } = await world.ask(path)
    const facts = { path, status, hasScript: /<script|\son\w+=|style="/i.test(text), isLarge: text.length > largestPage }
    expect(facts).toEqual({ path, status: 200, hasScript: false, isLarge: false })
    for (const [, href = ''] of text.matchAll(/href="([^"#]*)/g)) {
      const { origin, pathname } = new URL(href, world.url + path)
      if (origin === world.url && pathname.startsWith('/docs')) await open(pathname)
    }
  }
  await open('/docs')
  expect(seen.size).toBeGreaterThan(100)
})

test('an operation is tried in the console, with everything filled in', { timeout }, async () => {
  await world.connect('docs')
  await page.goto(`${world.url}/docs/kinds/gong/workspaces`)
  const address = await page.getByRole('link', { name: 'Try workspaces list in the console' }).getAttribute('href')
  const console = await browser.newPage()
  await console.goto(new URL(address ?? '', page.url()).href)
  await signIn(console, client)
  await console.getByRole('button', { name: 'Run', exact: true }).click()
  await console.getByRole('table', { name: 'workspaces of docs' }).waitFor()
  await console.close()
})
