/** A stranger's kind in the console: from an OpenAPI document to a first search. */
import { expect, test } from 'vitest'
import { customers, document } from '../command/ledgerly.ts'
import { share } from '../support/share.ts'
import { limits, openConsole } from './console-support.ts'

const opened = await share(openConsole({ copies: 'embedded' }))

const timeout = limits.test
const json = { mimeType: 'application/json' }
/** Chooses a document of the form. */
const choose = (name: string, value: object) =>
  opened.page
    .getByRole('dialog')
    .locator('input[type=file]')
    .setInputFiles({ ...json, name, buffer: Buffer.from(JSON.stringify(value)) })
const openForm = async () => {
  await opened.page.getByRole('link', { name: 'Kinds', exact: true }).click()
  await opened.page.getByRole('link', { name: 'New kind' }).click()
  await opened.page.getByRole('button', { name: 'Import a document' }).click()
  return opened.page.getByRole('dialog')
}

test('a document that cannot be read is refused in the form, with the reason', { timeout }, async () => {
  const form = await openForm()
  await choose('Some Notes.json', { notes: [] })
  await expect.poll(() => form.getByLabel('Short name').inputValue()).toBe('some-notes')
  await form.getByRole('button', { name: 'Import' }).click()
  await form.getByText('is no OpenAPI document, no manifest and no schema of GraphQL').first().waitFor()
  await opened.look('import-refused')
  await opened.page.keyboard.press('Escape')
  expect(opened.complaints().filter((text) => !text.includes('422'))).toEqual([])
})

test('a document opens in the editor, with what is unsure and what is left out', { timeout }, async () => {
  const { page } = opened
  const form = await openForm()
  const merge = { post: { summary: 'Merge customers', responses: { 200: { description: 'Merged' } } } }
  await choose('ledgerly.openapi.json', { ...document, paths: { ...document.paths, '/v1/customers/{id}/merge': merge } })
  await form.getByRole('button', { name: 'Import' }).click()
  await page.locator('.cm-line', { hasText: 'kind: ledgerly' }).waitFor()
  const unsure = page.getByRole('region', { name: /^Unsure/ })
  await unsure.getByText('was not in the document').first().waitFor()
  await page.getByRole('region', { name: 'Left out (1)' }).getByText('POST /v1/customers/{id}/merge').waitFor()
  await page.getByText('This file makes a new kind.').waitFor()
  await opened.look('import')
  await page.getByRole('button', { name: 'Publish', exact: true }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Publish' }).click()
  await page.getByText('has version 1 now.').waitFor()
  expect(new URL(page.url()).pathname).toBe('/console/own-kinds/ledgerly')
  expect(opened.complaints()).toEqual([])
})

/** Recordings of the list. @param query what the request has */
const record = (query: string) => {
  const exchanges = [{ request: `GET /v1/customers?${query}`, answer: { body: customers } }]
  const from = 'https://docs.ledgerly.example.com/customers'
  const list = { call: 'customers.list', source: 'document', from, one_page: 'It has one.', exchanges, data: customers.data }
  return { kind: 'ledgerly', recordings: [list] }
}
const openRecordings = (query: string) =>
  opened.page
    .locator('input[type=file]')
    .setInputFiles({ ...json, name: 'ledgerly.recordings.json', buffer: Buffer.from(JSON.stringify(record(query), null, 1)) })

test('recordings test the file, and are published with it', { timeout }, async () => {
  const { page } = opened
  await openRecordings('limit=10')
  await page.getByRole('button', { name: 'Check', exact: true }).click()
  const failures = page.getByRole('region', { name: /^Failures/ })
  await failures.getByText('customers.list').first().waitFor()
  await failures
    .getByRole('button', { name: /^Recordings, line/ })
    .first()
    .click()
  await openRecordings('limit=50')
  await page.getByRole('button', { name: 'Check', exact: true }).click()
  await page.getByText('All do what the file says.').waitFor()
  await page.getByRole('list', { name: 'Recorded calls' }).getByText("from the vendor's pages, 1 request").waitFor()
  await page.getByRole('link', { name: 'Try customers.list' }).scrollIntoViewIfNeeded()
  await opened.look('own-kind-recordings')
  await page.getByRole('button', { name: 'Publish', exact: true }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Publish' }).click()
  await page.getByText('has version 2 now.').waitFor()
  expect(opened.complaints()).toEqual([])
})

test('a connector of its sandbox answers the call, and a first search finds a record', { timeout }, async () => {
  const { page, world } = opened
  await page.getByRole('link', { name: 'New sandbox connector' }).click()
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('My customers')
  await page.getByRole('button', { name: 'Check and create' }).click()
  await page.getByRole('heading', { name: 'My customers' }).waitFor()
  await page.getByRole('link', { name: 'Kinds', exact: true }).click()
  await page.getByRole('table').getByRole('link', { name: 'Ledgerly', exact: true }).click()
  await page.getByRole('link', { name: 'Try customers.list' }).click()
  await page.getByRole('combobox', { name: 'Connector' }).click()
  await page.getByRole('option', { name: /^My customers/ }).click()
  await page.getByRole('button', { name: 'Run', exact: true }).click()
  await page.getByText('Green Grocer').first().waitFor()
  await page.getByRole('link', { name: 'Search', exact: true }).click()
  await page.getByRole('navigation', { name: 'Entities' }).getByRole('link', { name: 'customers' }).click()
  await page.getByRole('button', { name: 'Sync customers now' }).click()
  await page.getByText(/A sync of customers is queued/).waitFor()
  await world.context.sync()
  await page.getByText('2 records: all that match').waitFor()
  await page.getByRole('button', { name: 'Add a condition', exact: true }).click()
  const field = page.getByRole('combobox', { name: 'Field of condition 1', exact: true })
  await field.fill('name')
  await field.press('Tab')
  await page.getByLabel('Value of condition 1', { exact: true }).fill('Green Grocer')
  await page.getByRole('button', { name: 'Search', exact: true }).click()
  await page.getByText('1 record: all that match').waitFor()
  await page.getByRole('table', { name: 'Records of customers' }).getByText('c2').first().waitFor()
  await opened.screenshot('import-search')
  opened.complaints() // the browser reports the answer of a copy that is not filled
})

test('a request of the reader becomes an operation for the file', { timeout }, async () => {
  const { page } = opened
  await page.getByRole('link', { name: 'Explorer', exact: true }).click()
  await page.getByRole('link', { name: 'Request of your own' }).click()
  const form = page.getByRole('textbox', { name: 'Path' })
  await form.fill('/v1/customers/17/merge')
  await page.getByRole('button', { name: 'Send', exact: true }).click()
  await page.getByText('This did not work').waitFor()
  opened.complaints() // the browser reports the answer of a path that the vendor lacks
  await form.fill('/v1/customers?limit=50')
  await page.getByRole('button', { name: 'Send', exact: true }).click()
  await page.getByText('The vendor answered with status 200.').waitFor()
  await page.getByRole('button', { name: 'Make an operation of it' }).click()
  const lines = page.getByLabel('Lines of the operation')
  await lines.waitFor()
  expect(await lines.innerText()).toContain('call: GET /v1/customers, params: { limit: integer Limit }, at: data')
  expect(await lines.innerText()).toContain('entities.customers.fields: guessed')
  await lines.scrollIntoViewIfNeeded()
  await opened.look('explorer-request')
  expect(Object.fromEntries(new URL(page.url()).searchParams)).toMatchObject({ method: 'GET', path: '/v1/customers?limit=50' })
  await page.getByLabel('Method').selectOption('POST')
  await form.fill('/v1/customers')
  await page.getByRole('button', { name: 'Send …' }).click()
  await page.getByRole('dialog').getByText('which is the sandbox').waitFor()
  await opened.screenshot('explorer-request-write')
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
  expect(opened.complaints()).toEqual([])
})
