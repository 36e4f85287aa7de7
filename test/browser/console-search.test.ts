/** The search page: a filter in three views, results, freshness, exports, and a copy that is not there yet. */
import { readFile } from 'node:fs/promises'
import { DuckDBInstance } from '@duckdb/node-api'
import { expect, test } from 'vitest'
import { onlyUsers } from '../http/search-support.ts'
import { share } from '../support/share.ts'
import { findAllBarriers } from './accessibility.ts'
import { limits, openConsole, replaceCode } from './console-support.ts'

const options = { timeout: limits.test }
const opened = await share(openConsole({ copies: 'postgres' }))
const id = await opened.world.connect('Calls of the sales team', onlyUsers)

/** Returns the parameters of the address. */
const readAddress = () => Object.fromEntries(new URL(opened.page.url()).searchParams)

/** Chooses the field of a condition by typing its path. */
async function chooseField(name: string, path: string): Promise<void> {
  const field = opened.page.getByRole('combobox', { name, exact: true })
  await field.fill(path)
  await field.press('Tab')
}

/** Opens the search of the users. */
const openSearch = (params: Readonly<Record<string, string>> = {}, open = opened.go) =>
  open(`/search?${new URLSearchParams({ connector: id, entity: 'users', ...params })}`)

test('a copy that is not filled yet is explained, and a sync fills it', options, async () => {
  const { page, world, go, screenshot, complaints } = opened
  await go('/search')
  await expect.poll(() => readAddress()['connector']).toBe(id) // the only one
  const entities = page.getByRole('navigation', { name: 'Entities' }).getByRole('link')
  await entities.first().waitFor()
  expect(await entities.allTextContents()).toEqual(['users']) // the connector is limited to it
  await entities.first().click()
  await page.getByText('The copy is not filled yet').waitFor()
  await screenshot('search-not-ready')
  await page.getByRole('button', { name: 'Sync users now' }).click()
  await page.getByText(/A sync of users is queued/).waitFor()
  await world.context.sync()
  await page.getByRole('table', { name: 'Records of users' }).waitFor()
  await page.getByText(/The copy has what the vendor reported until/).waitFor()
  expect(readAddress()).toMatchObject({ connector: id, entity: 'users' })
  complaints() // the browser reports the answer of a copy that is not filled
})

test('conditions, text and JSON are one filter, which the address holds', options, async () => {
  const { page, screenshot, complaints } = opened
  await openSearch()
  await page.getByRole('button', { name: 'Add a condition', exact: true }).click()
  await chooseField('Field of condition 1', 'active')
  await page.getByLabel('Operator of condition 1', { exact: true }).selectOption('is')
  expect(await page.getByLabel('Operator of condition 1', { exact: true }).locator('option').allTextContents()).toEqual([
    ...['is', 'is not', 'is one of', 'has no value', 'has a value'],
  ])
  await page.getByLabel('Value of condition 1', { exact: true }).selectOption('false')
  await page.getByRole('button', { name: 'Add a group' }).click()
  await chooseField('Field of condition 2.1', 'firstName')
  await page.getByLabel('Operator of condition 2.1').selectOption('has words like')
  await page.getByLabel('Value of condition 2.1').fill('a')
  await page.getByText('One condition lacks a field or a value').waitFor()
  await chooseField('Field of condition 2.2', 'settings.emailsImported')
  await page.getByLabel('Type of the value of condition 2.2').selectOption('true or false')
  await page.getByLabel('Value of condition 2.2', { exact: true }).selectOption('true')
  await screenshot('search-conditions')
  await page.getByRole('tab', { name: 'JSON' }).click()
  await expect.poll(() => page.getByLabel('Filter as JSON').innerText()).toContain('"settings.emailsImported": true')
  await page.getByRole('tab', { name: 'Text' }).click()
  const text = page.getByLabel('Filter as text')
  await expect.poll(() => text.innerText()).toBe('active = false and (firstName fuzzy "a" or settings.emailsImported = true)')
  await page.getByRole('button', { name: 'Search', exact: true }).click()
  await page.getByText(/records: all that match/).waitFor()
  expect(readAddress()).toMatchObject({
    filter: 'active = false and (firstName fuzzy "a" or settings.emailsImported = true)',
    view: 'text',
  })
  expect(complaints()).toEqual([])
})

test('a text that cannot be read shows its place, and the other views stay', options, async () => {
  const { page, complaints } = opened
  await openSearch({ filter: 'active = false', view: 'text' })
  await replaceCode(page, 'Filter as text', 'active = false\nand title == "a')
  await page.getByRole('alert').getByText('line 2, column 11').waitFor()
  expect(await page.getByRole('button', { name: 'Search', exact: true }).isDisabled()).toBe(true)
  await page.getByRole('tab', { name: 'Conditions' }).click()
  await expect.poll(() => page.getByLabel('Value of condition 1', { exact: true }).inputValue()).toBe('false')
  await page.getByRole('button', { name: 'Show text' }).click()
  await replaceCode(page, 'Filter as text', 'firstName = "Ada" or lastName = ""')
  await page.getByRole('tab', { name: 'Conditions' }).click()
  await page.getByText('The conditions cannot show this filter').waitFor()
  await page.getByRole('button', { name: 'Edit the text' }).click()
  await replaceCode(page, 'Filter as text', 'color = "red"')
  await page.keyboard.press('Control+Enter')
  await page.getByText('The search did not work').waitFor()
  await page.getByText('field_not_searchable').waitFor()
  expect(complaints().filter((each) => !each.includes('422'))).toEqual([])
})

test('more records than are counted are at least so many', options, async () => {
  const { page, screenshot, complaints } = opened
  const asked: unknown[] = []
  // A copy of so many records would take minutes: the answer says what the service says of one.
  await page.route('**/execute', async (route) => {
    const { params, ...body } = route.request().postDataJSON()
    asked.push(params.count)
    const response = await route.fetch({ postData: JSON.stringify({ ...body, params: { ...params, limit: 20 } }) })
    const { meta, ...answer } = await response.json()
    await route.fulfill({ response, json: { ...answer, meta: { ...meta, total: 100_000, total_at_least: true } } })
  })
  await openSearch()
  await page.getByText('The first 20 of at least 100,000 records.', { exact: true }).waitFor()
  expect(new Set(asked)).toEqual(new Set([true]))
  await screenshot('search-at-least')
  expect(await findAllBarriers(page, () => page.getByRole('table', { name: 'Records of users' }).waitFor())).toEqual([])
  await page.unroute('**/execute')
  expect(complaints()).toEqual([])
})

test('results are sorted by a header, projected, and read page by page', options, async () => {
  const { page, world, screenshot, complaints } = opened
  await page.route('**/execute', (route) => {
    const { params, ...body } = route.request().postDataJSON()
    return route.continue({ postData: JSON.stringify({ ...body, params: { ...params, limit: 20 } }) })
  })
  await openSearch({ sort: 'lastName:asc', fields: 'lastName,settings.emailsImported,id' })
  const table = page.getByRole('table', { name: 'Records of users' })
  await table.waitFor()
  await expect.poll(() => table.getByRole('columnheader').count()).toBe(4)
  const all = await world.execute(id, {
    entity: 'users',
    action: 'context_store_search',
    params: { query: { sort: [{ lastName: 'desc' }] } },
  })
  await table.getByRole('button', { name: /lastName/ }).click()
  await expect.poll(readAddress).toMatchObject({ sort: 'lastName:desc' })
  await expect.poll(() => table.getByRole('row').nth(1).innerText()).toContain(String(all.json.data[0].lastName))
  await page.getByText('The first 20 of').waitFor()
  await page.getByRole('button', { name: 'Read the next page' }).click()
  await page.getByText('The first 40 of').waitFor()
  expect(readAddress()).toMatchObject({ pages: '2' })
  await page.unroute('**/execute')
  await screenshot('search-results')
  await page.setViewportSize({ width: 390, height: 900 })
  await page.getByLabel('Order', { exact: true }).selectOption('id')
  await expect.poll(readAddress).toMatchObject({ sort: 'id:asc' })
  await page.getByRole('button', { name: 'Turn the order of id' }).click()
  await expect.poll(readAddress).toMatchObject({ sort: 'id:desc' })
  await page.setViewportSize({ width: 1_280, height: 900 })
  const columns = page.getByRole('combobox', { name: 'Columns' })
  const chosen = page.locator('.mantine-MultiSelect-pill').last()
  const measure = async () => {
    const [input, pill] = await Promise.all([columns.boundingBox(), chosen.boundingBox()])
    return Math.abs((input?.y ?? 0) - (pill?.y ?? 99))
  }
  await expect.poll(measure).toBeLessThan(10) // beside the last of the chosen columns: no empty line below them
  await page.mouse.move(0, 0) // a tip that the pointer opened stays where the wide page had it
  expect(await findAllBarriers(page)).toEqual([])
  expect(complaints()).toEqual([])
})

test('a copy that is too old says so, and is searched as it is when the reader allows it', options, async () => {
  const { page, screenshot, complaints } = opened
  const sentence = 'The copy of users is 900 seconds old, older than max_age 300, and could not be refreshed in time.'
  const stale = { status: 409, code: 'context_store_stale', message: sentence, hint: 'Use list and get.', retryable: true }
  await page.route('**/execute', (route) =>
    route.request().postData()?.includes('max_age') === true
      ? route.fulfill({
          status: 409,
          json: { type: 'urn:ferrule:error:context_store_stale', ...stale },
          contentType: 'application/problem+json',
        })
      : route.continue(),
  )
  await openSearch({ max_age: '300' })
  await page.getByText('The copy is older than you allow').waitFor()
  await page.getByText(sentence).waitFor()
  await page.getByRole('button', { name: 'Sync users now' }).waitFor()
  await screenshot('search-stale')
  await page.getByRole('button', { name: 'Search the copy as it is' }).click()
  await page.getByRole('table', { name: 'Records of users' }).waitFor()
  await expect.poll(readAddress).not.toHaveProperty('max_age')
  await page.unroute('**/execute')
  complaints() // the browser reports the answer
})

test('an export is saved as a file', options, async () => {
  const { page, complaints } = opened
  await page.addInitScript('delete window.showSaveFilePicker')
  await openSearch({ filter: 'active = false', fields: 'id,lastName' }, opened.load)
  await page.getByRole('button', { name: 'Export' }).click()
  const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('menuitem', { name: /CSV/ }).click()])
  const said = await page.getByText(/^The export is saved: \d+ records/).textContent()
  expect(download.suggestedFilename()).toBe('users.csv')
  const lines = (await readFile(await download.path(), 'utf8')).trim().split(/\r?\n/)
  expect(said).toContain(` ${lines.length - 1} records`)
  expect(lines[0]).toBe('id,lastName')
  await page.getByRole('button', { name: 'Export' }).click()
  const [table] = await Promise.all([page.waitForEvent('download'), page.getByRole('menuitem', { name: /Parquet/ }).click()])
  expect(table.suggestedFilename()).toBe('users.parquet')
  await page.getByText(/^The export is saved: [\d.]+ k?B\.$/).waitFor()
  const database = await (await DuckDBInstance.create(':memory:')).connect()
  const read = await database.runAndReadAll(`select id, "lastName" from read_parquet('${await table.path()}')`)
  expect(read.columnNames()).toEqual(['id', 'lastName'])
  expect(read.getRows().map(([id]) => String(id))).toEqual(lines.slice(1).map((line) => line.split(',')[0]))
  database.closeSync()
  expect(complaints()).toEqual([])
})

test('an export is cancelled without a file; a failed search keeps what was found; nothing found says so', options, async () => {
  const { page, complaints } = opened
  await page.addInitScript(`window.showSaveFilePicker = async () => ({
    createWritable: async () => ({ write: async () => {}, close: async () => {}, abort: async () => { document.title = 'no file' } }),
  })`)
  await openSearch({ fields: 'id,lastName' }, opened.load)
  await page.route('**/export?**', () => undefined)
  await page.getByRole('button', { name: 'Export' }).click()
  await page.getByRole('menuitem', { name: /NDJSON/ }).click()
  await page.getByRole('button', { name: 'Cancel the export' }).click()
  await page.getByText('The export was cancelled. No file was saved.').waitFor()
  await expect.poll(() => page.title()).toBe('no file')
  await page.route('**/execute', (route) => route.abort())
  await page.getByRole('button', { name: 'Search', exact: true }).click()
  await page.getByText('The search did not work').waitFor()
  await page.getByRole('table', { name: 'Records of users' }).waitFor()
  await page.unroute('**/execute')
  await openSearch({ filter: 'firstName = "Nobody has this name"' })
  await page.getByRole('heading', { name: 'No record matches' }).waitFor()
  complaints() // the browser reports the requests that were stopped
})
