/** The statements page: refusals at their place before anything is sent, results in parts, writes that ask, and the history. */
import { expect, test } from 'vitest'
import { sandboxWarehouse } from '../http/snowflake-support.ts'
import { share } from '../support/share.ts'
import { findAllBarriers } from './accessibility.ts'
import { limits, openConsole, replaceCode } from './console-support.ts'

const options = { timeout: limits.test }
const opened = await share(openConsole())
const id = await opened.world.connect('Warehouse', sandboxWarehouse('Warehouse'))

/** Opens the page for the warehouse. */
const openStatements = () => opened.go(`/statements?connector=${id}`)

/** Returns the statements that the warehouse got. */
const listSent = () => opened.world.sandbox.snowflake.requests().filter(({ method }) => method === 'POST')

const big = '9007199254740993'

test('a statement is refused at its line and column, and nothing is sent', options, async () => {
  const { page, world, go, screenshot, complaints } = opened
  await go('/statements')
  await expect.poll(() => new URL(page.url()).searchParams.get('connector')).toBe(id) // the only one
  world.sandbox.snowflake.clear()
  await replaceCode(page, 'Statement', 'SELECT 1\n; DROP TABLE orders')
  await page.getByText('This statement would be refused').waitFor()
  await page.getByText(/line 2, column 1/).waitFor()
  await page.locator('.cm-lintRange-error').waitFor()
  expect(await page.getByRole('button', { name: 'Run the query' }).isDisabled()).toBe(true)
  await page.keyboard.press('Control+Enter')
  await screenshot('statements-refused')
  expect(listSent()).toEqual([])
  expect(complaints()).toEqual([])
})

test('the databases, schemas, tables and columns are at the left, are read when they are opened, and give a query', options, async () => {
  const { page, world, complaints } = opened
  await openStatements()
  world.sandbox.snowflake.clear()
  const open = (name: string) => page.locator('summary').getByText(name, { exact: true }).first().click()
  await page.getByText('Databases', { exact: true }).waitFor()
  expect(listSent()).toEqual([])
  for (const name of ['Databases', 'SANDBOX', 'PUBLIC', 'ORDERS']) await open(name)
  await page.getByText('fixed').first().waitFor()
  await expect.poll(() => listSent().length).toBe(5) // databases, schemas, tables, views, columns
  await open('SALES') // has a table of the same name, which the warehouse lists once
  await page.locator('summary').getByText('ORDERS', { exact: true }).nth(1).click()
  await page.getByText('AMOUNT').last().waitFor()
  expect(listSent()).toHaveLength(5)
  await opened.look('statements-catalog')
  await page.getByRole('button', { name: 'Query ORDERS' }).first().click()
  await page.getByRole('button', { name: 'Run the query' }).click()
  await page.getByRole('table', { name: 'Result of the statement' }).waitFor()
  await page
    .getByText(/^SELECT \* FROM SANDBOX\.PUBLIC\.ORDERS LIMIT 100$/)
    .first()
    .waitFor()
  expect(complaints()).toEqual([])
})

test('a large result comes in parts, with every digit', options, async () => {
  const { page, world, complaints } = opened
  world.sandbox.snowflake.switches.set({ partitionRows: 200 })
  await openStatements()
  const rows = 'TABLE(GENERATOR(ROWCOUNT => 500))'
  await replaceCode(page, 'Statement', `SELECT SEQ8() AS N, ${big} AS BIG FROM ${rows}`)
  await page.getByRole('button', { name: 'Run the query' }).click()
  const table = page.getByRole('table', { name: 'Result of the statement' })
  await table.getByText(big).first().waitFor()
  await page.getByText('200 of 500 rows. The first part is shown.').waitFor()
  await page.getByRole('button', { name: 'Read the next part' }).click()
  await page.getByText('400 of 500 rows. 2 parts are shown.').waitFor()
  await page.getByRole('button', { name: /Read all parts/ }).click()
  await page.getByText('500 rows.', { exact: true }).waitFor()
  await opened.look('statements-result')
  expect(complaints()).toEqual([])
})

test('a statement of the address is shown and does not run by itself; the history has what ran', options, async () => {
  const { page, world, complaints } = opened
  world.sandbox.snowflake.clear()
  await opened.load(`/statements?connector=${id}#${new URLSearchParams({ statement: 'SELECT 1 AS ONE' })}`)
  await page.getByText('This statement came with the address.').waitFor()
  expect(await page.getByRole('textbox', { name: 'Statement' }).innerText()).toContain('SELECT 1 AS ONE')
  expect(listSent()).toEqual([])
  await page.getByRole('button', { name: 'History' }).click()
  await page.getByRole('menuitem', { name: /GENERATOR/ }).waitFor()
  await page.getByRole('menuitem', { name: 'Clear the history' }).click()
  await page.getByRole('button', { name: 'History' }).click()
  await page.getByText('No statement ran here yet.').waitFor()
  expect(complaints()).toEqual([])
})

test('a write asks before it runs, and says what it changed', options, async () => {
  const { page, world, complaints } = opened
  world.sandbox.snowflake.clear()
  await openStatements()
  await replaceCode(page, 'Statement', 'DELETE FROM SCRATCH.COUNTERS WHERE 1 = 0')
  await page.getByRole('button', { name: 'Run the DELETE' }).click()
  const dialog = page.getByRole('dialog', { name: 'Run the DELETE?' })
  await dialog.getByText('The console cannot undo it.').waitFor()
  expect(listSent()).toEqual([])
  await dialog.getByRole('button', { name: 'Run the DELETE' }).click()
  await page
    .getByRole('status')
    .filter({ hasText: /rows deleted|executed|ran/i })
    .waitFor()
  expect(listSent()).toHaveLength(1)
  expect(complaints()).toEqual([])
})

test('an error of the warehouse says what to do, and a running statement can be cancelled', options, async () => {
  const { page, complaints } = opened
  await openStatements()
  await replaceCode(page, 'Statement', 'SELECT * FROM NO_SUCH_TABLE')
  await page.getByRole('button', { name: 'Run the query' }).click()
  await page.getByText('The statement did not run to its end').waitFor()
  await replaceCode(page, 'Statement', 'SELECT 2')
  await page.getByText('The statement did not run to its end').waitFor({ state: 'detached' })
  await page.route('**/execute', () => undefined)
  await page.getByRole('button', { name: 'Run the query' }).click()
  await page.getByText('The statement runs at the warehouse.').waitFor()
  await page.getByRole('button', { name: 'Cancel', exact: true }).click()
  await page.getByText('The statement was cancelled.').waitFor()
  await page.unroute('**/execute')
  complaints() // the browser reports the refusal of the warehouse
})

test('the page of a connector without copies leads to its operations, and offers no sync', options, async () => {
  const { page, go, complaints } = opened
  await go(`/connectors/${id}?tab=runs`)
  await page.getByText('Without a copy: read at the vendor with each call').waitFor()
  expect(await page.getByRole('tab').allTextContents()).toEqual(['Entities', 'Calls', 'Notices', 'Credentials', 'Settings'])
  expect(await page.getByRole('button', { name: 'Sync now' }).count()).toBe(0)
  expect(await findAllBarriers(page)).toEqual([])
  await page.getByRole('link', { name: 'Explore', exact: true }).click()
  await expect.poll(() => new URL(page.url()).pathname).toBe('/console/explorer')
  expect(complaints()).toEqual([])
})
