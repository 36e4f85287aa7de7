/** The documentation for people: it can be read without a script, and scripts add the search, copy buttons and ways into the console. */
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, expect, test } from 'vitest'
import { ensureWeb, webFolder } from '../../scripts/web.mjs'
import { client, startWorld } from '../http/support.ts'
import { findAllBarriers } from './accessibility.ts'
import { limits, signIn, takePictures } from './console-support.ts'
import { closePages, launchBrowser } from './launch.ts'

/** What must stay empty: messages of the console, violations of the policy among them, and requests to elsewhere. */
const complaints: string[] = []
expect(await ensureWeb()).toBe(0)
const world = await startWorld()
const browser = await launchBrowser()
const page = await browser.newPage({ viewport: { width: 1_280, height: 900 }, permissions: ['clipboard-read', 'clipboard-write'] })
page.setDefaultTimeout(limits.action)
page.on('console', (message) => complaints.push(message.text()))
page.on('pageerror', (error) => complaints.push(error.message))
page.on('request', (request) => {
  const { protocol, origin } = new URL(request.url())
  if (protocol !== 'data:' && origin !== world.url) complaints.push(`asks ${request.url()}`)
})
afterAll(async () => {
  await closePages(browser)
  await world.close()
})
afterEach(() => expect(complaints.splice(0)).toEqual([]))

const timeout = limits.test

/** Types into the search and opens the result of a title. */
async function openFound(typed: string, title: string): Promise<void> {
  await page.getByRole('searchbox', { name: 'Search the documentation' }).fill(typed)
  await page.getByRole('search').getByRole('link', { name: title }).first().click()
}

test('the first page leads to guides and to the reference, and marks where the reader is', { timeout }, async () => {
  await page.goto(`${world.url}/docs`)
  expect(await page.title()).toBe('Ferrule documentation')
  const pages = page.getByRole('navigation', { name: 'Pages' })
  expect(await pages.getByRole('heading').allInnerTexts()).toEqual(['Use it', 'Agents', 'Run it', 'Reference'])
  await takePictures(page, 'docs-start')
  expect(await findAllBarriers(page)).toEqual([])
  await pages.getByRole('link', { name: 'Operations' }).click()
  await page.waitForURL(`${world.url}/docs/operations`)
  expect(await pages.locator('[aria-current=page]').innerText()).toBe('Operations')
  await pages.getByRole('link', { name: 'Backup', exact: true }).click()
  await page.waitForURL(`${world.url}/docs/operations#backup`)
  await takePictures(page, 'docs-guide')
  expect(await findAllBarriers(page)).toEqual([])
})

test('the search finds guides, fields of kinds and routes, with a typing error too', { timeout }, async () => {
  await page.goto(`${world.url}/docs/errors`)
  await openFound('gong calls fromDateTime', 'Gong › calls › calls list')
  await page.waitForURL(`${world.url}/docs/reference/gong#calls-list`)
  await openFound('pgbouncr', 'Operations › PgBouncer')
  await page.waitForURL(`${world.url}/docs/operations#pgbouncer`)
  await page.getByRole('searchbox').fill('cancel sync')
  await page
    .getByRole('search')
    .getByRole('link', { name: /^HTTP routes › .*Cancel/ })
    .first()
    .waitFor()
  await takePictures(page, 'docs-search')
  expect(await findAllBarriers(page)).toEqual([])
  await page.getByRole('searchbox').fill('nothinghasthisword')
  await page.getByRole('status').filter({ hasText: 'Nothing has all these words' }).waitFor()
  await page.getByRole('searchbox').fill('')
  await page.keyboard.press('/')
  await page.keyboard.type('backup')
  await page.getByRole('search').getByRole('link').first().waitFor()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await page.waitForURL(/#\w+$/)
})

test('a route has its parameters, its body, its answers and its errors, and execute leads to the kinds', { timeout }, async () => {
  await page.goto(`${world.url}/docs/reference/http#execute-an-action-on-an-entity`)
  await page.getByRole('cell', { name: 'select_fields' }).waitFor()
  await page.getByText('upstream_rate_limited').first().waitFor()
  expect(await page.locator('pre').allInnerTexts()).toContainEqual(
    expect.stringContaining('/api/v1/integrations/connectors/$CONNECTOR_ID/execute'),
  )
  await takePictures(page, 'docs-route') // the same parts as on the page of a kind, of which this page has thousands
  await page.locator('main').getByRole('link', { name: 'Shopify' }).click()
  await page.getByRole('heading', { name: /^Shopify/, level: 1 }).waitFor()
})

test('an example is copied, and tried in the console with everything filled in', { timeout }, async () => {
  await world.connect('docs')
  await page.goto(`${world.url}/docs/reference/gong#workspaces-list`)
  const example = page.locator('.example').filter({ hasText: 'Try workspaces list in the console' })
  await example.getByRole('button', { name: 'Copy' }).click()
  await page.getByRole('status').filter({ hasText: 'Copied' }).waitFor({ state: 'attached' })
  expect(JSON.parse(await page.evaluate<string>('navigator.clipboard.readText()'))).toEqual({ entity: 'workspaces', action: 'list' })
  await takePictures(page, 'docs-kind')
  expect(await findAllBarriers(page)).toEqual([])
  const address = await example.getByRole('link').getAttribute('href')
  const console = await browser.newPage()
  console.setDefaultTimeout(limits.action)
  await console.goto(new URL(address ?? '', page.url()).href)
  await signIn(console, client)
  await console.getByRole('button', { name: 'Run', exact: true }).click()
  await console.getByRole('table', { name: 'workspaces of docs' }).waitFor()
  await console.close()
})

test('every page is there, without scripts of its own, and every link within leads to a page', { timeout }, async () => {
  const seen = new Set<string>()
  const open = async (path: string): Promise<void> => {
    if (seen.has(path)) return
    seen.add(path)
    const { status, text } = await world.ask(path)
    const scripts = text.match(/<script/g)?.length
    expect({ path, status, scripts, hasInline: /\son\w+="|\sstyle="|__(?:TITLE|INDEX|PAGES|MAIN)__/.test(text) }).toEqual({
      path,
      status: 200,
      scripts: 1,
      hasInline: false,
    })
    for (const [, href = ''] of text.matchAll(/href="([^"#]*)/g)) {
      const { origin, pathname } = new URL(href, world.url + path)
      if (origin === world.url && /^\/docs(?!\/assets)/.test(pathname)) await open(pathname)
    }
  }
  await open('/docs')
  const files = readdirSync(new URL('../../docs', import.meta.url)).concat(readdirSync(new URL('../../docs/reference', import.meta.url)))
  expect(seen.size).toBe(files.filter((name) => name.endsWith('.md')).length)
})

test('an address without a page leads back to the pages', { timeout }, async () => {
  const answer = await page.goto(`${world.url}/docs/reference/nothing-here`)
  expect(answer?.status()).toBe(404)
  await page.getByRole('heading', { name: 'There is no such page' }).waitFor()
  expect(await findAllBarriers(page)).toEqual([])
  await page.getByRole('link', { name: 'See all pages' }).click()
  await page.getByRole('heading', { name: 'Documentation', level: 1 }).waitFor()
  const found = page.getByRole('search').getByRole('link', { name: 'Webhooks › Change the secret' })
  await page.getByRole('searchbox').fill('rotateSecret')
  expect(await found.locator('span').innerText()).toMatch(/^const /) // the example, without its language
  expect(complaints.splice(0)).toEqual([expect.stringContaining('404')])
})

test('what the search reads is small, and comes with its first use', { timeout }, async () => {
  const assets = join(webFolder, 'assets')
  const [index = ''] = readdirSync(assets).filter((name) => /^sections-.*\.json\.br$/.test(name))
  expect(statSync(join(assets, index)).size).toBeLessThan(200_000)
  const asked: string[] = []
  const stranger = await browser.newPage()
  stranger.setDefaultTimeout(limits.action)
  stranger.on('request', (request) => asked.push(request.url()))
  await stranger.goto(`${world.url}/docs/search`, { waitUntil: 'networkidle' })
  expect(asked.filter((url) => url.endsWith('.json'))).toEqual([])
  const size = asked
    .filter((url) => url.endsWith('.js'))
    .reduce((sum, url) => sum + readFileSync(join(assets, `${url.split('/').at(-1)}.br`)).length, 0)
  expect(size).toBeLessThan(40_000)
  await stranger.close()
})
