/** The overview and the list of connectors: nothing yet, trouble, a service that fails, and 1,000 connectors. */
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { sandboxCredentials } from '../../packages/sandbox/src/index.ts'
import { share } from '../support/share.ts'
import { findAllBarriers } from './accessibility.ts'
import { failReads, limits, type OpenedConsole, openConsole, pressIfThere, signIn } from './console-support.ts'

const options = { timeout: limits.test }
const opened = await share(openConsole())

test('without connectors one click creates one in the sandbox, and its page opens', options, async () => {
  const { page, world, complaints, screenshot } = opened
  Object.assign(world.settings, { sandbox: false })
  await page.reload()
  await page.getByRole('link', { name: 'Connect your own account' }).waitFor()
  expect(await page.getByRole('button', { name: 'Create a sandbox connector' }).count()).toBe(0)
  Object.assign(world.settings, { sandbox: true })
  await page.reload()
  await page.getByRole('button', { name: 'Create a sandbox connector' }).waitFor()
  await screenshot('overview-empty')
  await page.getByRole('button', { name: 'Create a sandbox connector' }).click()
  await page.getByText('The connector Sandbox calls was created.').waitFor() // first: it stays for ten seconds
  await page.getByRole('heading', { name: 'Sandbox calls', level: 1 }).waitFor()
  expect(complaints()).toEqual([])
})

test('the overview says what is wrong, what to do, and what was called', options, async () => {
  const { page, world, go, complaints, screenshot } = opened
  const calls = await world.connect('Calls of the sales team')
  await world.execute(calls, { entity: 'users', action: 'list' })
  await world.execute(calls, { entity: 'users', action: 'fetch' })
  const refused = { access_key: sandboxCredentials.accessKey, access_key_secret: 'replaced at the vendor' }
  const broken = await world.connect('Key of last year', { credentials: refused })
  await world.execute(broken, { entity: 'users', action: 'list' })
  world.clock.now += 1
  await go('/')
  const row = page.getByRole('row').filter({ hasText: 'Key of last year' })
  await row.getByText('Credentials refused').waitFor()
  await row.getByText('Gong refused the credentials').waitFor()
  await row.getByRole('link', { name: 'Replace the credentials of Key of last year' }).waitFor()
  await page.getByText('3 calls. 2 failed (67 %)').waitFor()
  await page.getByRole('img', { name: /^Calls over time\. 3 calls/ }).waitFor()
  await screenshot('overview')
  await page.getByRole('heading', { name: 'Calls' }).scrollIntoViewIfNeeded()
  await page.mouse.wheel(0, 2_000)
  await screenshot('overview-charts')
  await page.getByRole('button', { name: 'Show as a table' }).click()
  await page.getByRole('cell', { name: /action_not_supported \(1\)/ }).waitFor()
  expect(new URL(page.url()).search).toBe('?usage=table')
  expect(await findAllBarriers(page)).toEqual([])
  await page.getByRole('link', { name: 'Need attention' }).click()
  await page.getByRole('status').filter({ hasText: '1 of 3 connectors' }).waitFor()
  expect(new URL(page.url()).search).toBe('?state=attention')
  expect(complaints()).toEqual([])
})

/** Copies the first connector until there are 1,000: only their rows matter here. */
function insertConnectors({ world }: OpenedConsole): void {
  using database = new DatabaseSync(join(world.settings.dataFolder, 'ferrule.db'))
  const columns = database
    .prepare('select name from pragma_table_info(?)')
    .all('connectors')
    .map(({ name }) => String(name))
  const values = columns.map(
    (name) => ({ id: "printf('00000000-0000-7000-8000-%012d', n)", name: "printf('Customer %04d', n)" })[name] ?? name,
  )
  database.exec(`with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < 997)
    insert into connectors (${columns.join()}) select ${values.join()} from numbers, (select * from connectors limit 1)`)
}

/** Keeps what canvases draw as texts. */
const keepDrawn = `{
  window.drawn = []
  const { fillText } = CanvasRenderingContext2D.prototype
  CanvasRenderingContext2D.prototype.fillText = function (text, ...rest) {
    window.drawn.push(text)
    fillText.call(this, text, ...rest)
  }
}`

test('the times at a chart are in the language of the browser, as those of tables', options, async () => {
  const { browser, world } = opened
  const page = await (await browser.newContext({ locale: 'de-DE' })).newPage()
  page.setDefaultTimeout(limits.action)
  await page.addInitScript(keepDrawn)
  await page.goto(`${world.url}/console/`)
  await signIn(page)
  await page.getByRole('img', { name: /^Calls over time/ }).waitFor()
  await expect.poll(() => page.evaluate<string>(`window.drawn.join(' ')`), { timeout: limits.action }).toMatch(/ \d{1,2}\. \p{L}{3}/u)
})

test('1,000 connectors are read in ten requests, searched, and scrolled to the last', options, async () => {
  const { page, go, complaints, screenshot } = opened
  insertConnectors(opened)
  const asked: string[] = []
  await page.goto('about:blank') // the page before asks again by itself
  page.on('request', (request) => void asked.push(new URL(request.url()).pathname))
  await go('/connectors?sort=name')
  await page
    .getByRole('status')
    .filter({ hasText: /^1,000 connectors$/ })
    .waitFor()
  expect(asked.filter((path) => path === '/api/v1/overview')).toHaveLength(10)
  expect(await page.getByRole('row').count()).toBeLessThan(60)
  const area = page.getByRole('region', { name: 'Connectors' })
  const scrollToEnd = async () => {
    await area.press('End')
    return page.getByText('Sandbox calls').count()
  }
  await expect.poll(scrollToEnd, { timeout: limits.action, interval: 500 }).toBe(1)
  await screenshot('connectors')
  await page.getByLabel('Name').fill('customer 099')
  await page.getByRole('status').filter({ hasText: '8 of 1,000 connectors' }).waitFor()
  await expect.poll(() => page.getByRole('row').count()).toBe(9)
  expect(await findAllBarriers(page)).toEqual([])
  await page.getByLabel('Name').fill('nobody')
  await page.getByRole('button', { name: 'Clear the filters' }).click()
  await page
    .getByRole('status')
    .filter({ hasText: /^1,000 connectors$/ })
    .waitFor()
  expect(complaints()).toEqual([])
})

/** Lets two connectors sync, as the service would say it: one with an expected end soon, one later. */
const letSync = async ({ page, world }: OpenedConsole) => {
  const ends: Readonly<Record<string, number>> = { 'Customer 0001': 50, 'Customer 0002': 5 }
  await page.route('**/api/v1/overview**', async (route) => {
    const response = await route.fetch({ headers: { ...route.request().headers(), 'sec-fetch-site': 'same-origin' } })
    const body = await response.json()
    for (const connector of body.data) {
      const minutes = ends[connector.name]
      if (minutes === undefined) continue
      const end = new Date(Date.now() + minutes * 60_000 + 20_000).toISOString()
      const progress = { calls: 12, records: 1_200, written: 1_200, removed: 0, estimated_end: end }
      connector.running = { state: 'running', progress, created_at: new Date(world.clock.now).toISOString(), attempts: 0, error: null }
    }
    await route.fulfill({ response, json: body })
  })
}

test('of 1,000 connectors the overview shows what needs attention, what syncs by its expected end, and the newest', options, async () => {
  const { page, go, complaints } = opened
  await letSync(opened)
  await go('/')
  const section = (name: string) => page.getByRole('region', { name, exact: true })
  await section('All others').getByText('997 connectors, newest first.').waitFor()
  const titles = ['Need attention', 'Syncing now', 'All others', 'Calls']
  await expect.poll(() => page.getByRole('heading', { level: 2 }).allTextContents()).toEqual(titles)
  await section('Need attention').getByText('1 connector, oldest copy first.').waitFor()
  await section('Need attention').getByRole('row').filter({ hasText: 'Key of last year' }).waitFor()
  const syncing = section('Syncing now').getByRole('row')
  await expect.poll(() => syncing.getByRole('link').allTextContents()).toEqual(['Customer 0002', 'Customer 0001'])
  await syncing.filter({ hasText: 'Customer 0002' }).getByText('1,200 records in 12 calls, ends about in 5 minutes').waitFor()
  expect(await section('All others').getByRole('row').count()).toBe(7)
  const trouble = (name: string) => section(name).getByRole('columnheader', { name: 'Problem and next step' }).count()
  expect([await trouble('Need attention'), await trouble('All others')]).toEqual([1, 0])
  await opened.look('overview-many')
  await page.setViewportSize({ width: 390, height: 900 })
  await page
    .getByRole('cell', { name: /^State.*ends about in 5 minutes/ })
    .first()
    .waitFor() // a card: each value with its label
  await page.setViewportSize({ width: 1_280, height: 900 })
  await page.unroute('**/api/v1/overview**')
  await section('All others').getByRole('link', { name: 'Show all connectors' }).click()
  await page
    .getByRole('status')
    .filter({ hasText: /^1,000 connectors$/ })
    .waitFor()
  expect(new URL(page.url()).search).toBe('?sort=newest')
  expect(complaints()).toEqual([])
})

test('a service that fails leaves the old data with a sentence, and the next try mends it', options, async () => {
  const { page, world, load, complaints } = opened
  await page.clock.install()
  await load('/connectors?text=sales')
  await page.getByText('Calls of the sales team').waitFor()
  const mend = await failReads(page, '**/overview**')
  await page.clock.fastForward(151_000) // until the next read of so many
  await page.getByText('The last try failed').waitFor()
  await page.getByText('Calls of the sales team').waitFor()
  await mend()
  await pressIfThere(page.getByRole('button', { name: 'Try again' }))
  await page.getByText('The last try failed').waitFor({ state: 'detached' })
  expect(world.log.join('')).not.toContain('replaced at the vendor')
  complaints() // the answers that failed
})
