/** Records in the palette of the console: words find them in all connectors, and the keyboard opens them here and at the vendor. */
import { afterAll, expect, test } from 'vitest'
import { connectEmpty, emptyVendors, write } from '../http/everything-support.ts'
import { createTenant } from '../http/support.ts'
import { findAllBarriers } from './accessibility.ts'
import { limits, openConsole } from './console-support.ts'

const options = { timeout: limits.test }
const opened = await openConsole({ copies: 'embedded', ...emptyVendors })
const { world } = opened
const desk = await connectEmpty(world, 'desk', 'Help desk', { replication_config: { site: 'acme' } })
const shop = await connectEmpty(world, 'shop', 'Shop of Europe')
const ticket = (id: bigint, subject: string, body: string) => ({
  id,
  subject,
  body,
  state: 'open',
  custom: {},
  opened: '2026-03-01T00:00:00Z',
})
const records = [
  ticket(9007199254740993n, 'Acme renewal', `${'Long before. '.repeat(20)}They renew <img src=x> with Acme & sons`),
  ticket(2n, 'Printer', 'The printer of Acme burns'),
]
await write(world, { connector: desk, kind: 'desk', entity: 'tickets', records })
const orders = [{ id: 'o1', title: 'Order of acme', state: 'open', url: 'orders/o1', created_at: '2026-04-15T00:00:00Z' }]
await write(world, { connector: shop, kind: 'shop', entity: 'orders', records: orders })
const tenant = await createTenant(world, 'Northwind')
const northwind = tenant.organizationId
const foreign = await connectEmpty({ ...world, token: tenant.token }, 'desk', 'Foreign desk', { workspace_name: 'Northwind workspace' })
await write(world, { connector: foreign, kind: 'desk', entity: 'tickets', records: [ticket(3n, 'Acme of Northwind', 'Zanzibar')] })
afterAll(() => opened.close())

const field = () => opened.page.getByRole('combobox', { name: 'Where to go' })
const says = () => opened.page.getByRole('dialog').getByRole('status')
const record = (name: string) => opened.page.getByRole('option', { name })

/** Opens the palette on a new page. */
async function openPalette(): Promise<void> {
  await opened.load(`/?organization=${opened.world.organizationId}`)
  await opened.page.getByText('Help desk').waitFor()
  await opened.page.keyboard.press('Control+k')
}

/** Changes what the next search answers. */
const changeAnswer = (change: (answer: ReturnType<typeof JSON.parse>) => void) =>
  opened.page.route(
    '**/api/v1/search',
    async (route) => {
      const response = await route.fetch()
      const json = await response.json()
      change(json)
      await route.fulfill({ response, json })
    },
    { times: 1 },
  )

test('words find records of all connectors after a pause of typing, and the matched ones are marked', options, async () => {
  const { page, complaints } = opened
  const asked: string[] = []
  page.on('request', (request) => {
    if (request.url().endsWith('/api/v1/search')) asked.push(String(request.postDataJSON().text))
  })
  await openPalette()
  await field().fill('zanzibar') // no timer fires below, so the palette must know by now that it can search
  await page.getByText('No record has all these words.').waitFor()
  asked.length = 0
  await page.clock.install()
  await page.clock.pauseAt(Date.now() + 60_000) // an installed clock runs by itself
  await field().fill('')
  await field().pressSequentially('acme')
  expect(await says().textContent()).toBe('Looking for records…')
  expect(await page.getByText('Nothing has this name').count()).toBe(0)
  await page.clock.runFor(200)
  expect(asked).toEqual([])
  await page.clock.resume() // answers are drawn by timers
  await page.getByRole('group', { name: 'tickets of Help desk' }).waitFor()
  await page.getByRole('group', { name: 'orders of Shop of Europe' }).waitFor()
  expect(asked).toEqual(['acme'])
  expect(await page.getByText('Acme of Northwind').count()).toBe(0)
  expect(await page.locator('mark').allTextContents()).toEqual(['Acme', 'Acme', 'acme'])
  expect(await says().textContent()).toBe('')
  await field().fill('acme sons')
  await record('Acme renewal').getByText('<img src=x> with Acme & sons').first().waitFor()
  expect(await page.getByRole('dialog').locator('img').count()).toBe(0)
  await opened.look('palette-records')
  expect(complaints()).toEqual([])
})

test('what is typed before the palette is there goes into its field', options, async () => {
  const { page, load, complaints } = opened
  await load(`/?organization=${opened.world.organizationId}`)
  await page.getByText('Help desk').waitFor()
  const held = Promise.withResolvers<void>()
  await page.route(/\/assets\/palette-dialog-[\w-]+\.js$/, (route) => held.promise.then(() => route.continue()), { times: 1 })
  await page.keyboard.press('Control+k')
  await page.keyboard.type('renew')
  held.resolve()
  await record('Acme renewal').first().waitFor()
  await field().and(page.locator(':focus')).waitFor()
  await page.keyboard.type('al')
  expect(await field().inputValue()).toBe('renewal')
  await page.keyboard.press('Escape')
  await field().waitFor({ state: 'detached' })
  await page.keyboard.press('Control+k')
  expect(await field().inputValue()).toBe('')
  expect(complaints()).toEqual([])
})

test('the palette finds records of the chosen organization only', options, async () => {
  const { page, load, complaints } = opened
  await load(`/?organization=${northwind}`)
  await page.getByText('Foreign desk').waitFor()
  await page.keyboard.press('Control+k')
  await field().fill('acme')
  await record('Acme of Northwind').first().waitFor()
  expect(await page.getByRole('group').count()).toBe(1)
  expect(complaints()).toEqual([])
})

test('the request for words that have changed is given up', options, async () => {
  const { page, complaints } = opened
  await openPalette()
  const held = Promise.withResolvers<void>()
  await page.route('**/api/v1/search', (route) => held.promise.then(() => route.abort()), { times: 1 })
  const [first] = await Promise.all([page.waitForRequest('**/api/v1/search'), field().fill('printer')])
  const [failed] = await Promise.all([page.waitForEvent('requestfailed'), field().fill('renewal')])
  expect(failed).toBe(first)
  await record('Acme renewal').first().waitFor()
  expect(await record('Printer').count()).toBe(0)
  held.resolve()
  complaints()
})

test('the keyboard opens a record on the search page, and at the vendor', options, async () => {
  const { page, complaints } = opened
  await openPalette()
  await field().fill('renewal')
  await record('Acme renewal').first().waitFor()
  await page.context().route('https://acme.desk.example/**', (route) => route.fulfill({ body: 'The ticket' }))
  const [vendor] = await Promise.all([page.context().waitForEvent('page'), page.keyboard.press('Control+Enter')])
  await expect.poll(() => vendor.url()).toBe('https://acme.desk.example/tickets/9007199254740993')
  await vendor.close()
  expect(await record('Open Acme renewal at the vendor').getAttribute('href')).toBe('https://acme.desk.example/tickets/9007199254740993')
  await page.keyboard.press('Enter')
  await page.getByRole('table', { name: 'Records of tickets' }).waitFor()
  await page.getByText('1 record').first().waitFor()
  const { connector, entity, filter } = Object.fromEntries(new URL(page.url()).searchParams)
  expect({ connector, entity, filter }).toEqual({ connector: desk, entity: 'tickets', filter: 'id = 9007199254740993' })
  expect(complaints()).toEqual([])
})

test('what the records do not show is said in a line', options, async () => {
  const { page, complaints, screenshot } = opened
  await openPalette()
  await field().fill('zanzibar') // a word of another organization
  await expect.poll(() => says().textContent()).toBe('No record has all these words.')
  await page.getByText('Nothing has this name').waitFor()
  await field().fill('acmi')
  await expect.poll(() => says().textContent()).toBe('No record has the words as written. These are near.')
  await changeAnswer((answer) => {
    answer.meta.ranked = false
    answer.meta.has_more = true
    const connector = { id: desk, name: 'Help desk', kind: 'desk' }
    const late = { reason: 'late', kind: 'desk', entities: ['people'], message: 'No answer in time.' }
    answer.left_out = [
      { ...late, connector },
      { ...late, kind: 'shop', connector: null },
    ]
  })
  await field().fill('acme')
  await page.getByText('No answer in time: Help desk and Shop.').waitFor()
  expect(await says().textContent()).toBe(
    'So many records have these words that the best need not come first. The first 3 records are shown; more words find less. No answer in time: Help desk and Shop.',
  )
  await screenshot('palette-late')
  await page.setViewportSize({ width: 390, height: 900 })
  expect(await findAllBarriers(page)).toEqual([])
  await page.setViewportSize({ width: 1_280, height: 900 })
  expect(complaints()).toEqual([])
  const problem = { status: 422, code: 'query_too_complex', message: 'There is too much.', hint: 'Wait.' }
  await page.route('**/api/v1/search', (route) => route.fulfill({ status: 422, json: problem, contentType: 'application/problem+json' }), {
    times: 1,
  })
  await field().fill('order')
  await expect.poll(() => says().textContent()).toBe('Records could not be searched. There is too much.')
  complaints() // the answer 422
})
