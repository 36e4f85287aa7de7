/** The explorer: its form runs an operation, its answer is shown, and the copied call works in other programs. */
import { expect, test } from 'vitest'
import { sandboxWarehouse } from '../http/snowflake-support.ts'
import { base, client } from '../http/support.ts'
import { share } from '../support/share.ts'
import { findAllBarriers } from './accessibility.ts'
import { limits, openConsole } from './console-support.ts'
import { openTerminal, readFrames, type SeenFrames, watchFrames } from './explorer-support.ts'

const opened = await share(openConsole())
const { page, world } = opened
const calls = await world.connect('Calls of the sales team')
const warehouse = await world.connect('Warehouse', sandboxWarehouse('Warehouse'))
await world.sandbox.snowflake.open() // a write's time limit counts while the stand-in opens
const { json } = await world.ask(`${base}/account/mcp-tokens`, { token: world.token, body: { name: 'explorer' } })
const terminal = openTerminal({
  ...{ FERRULE_CLIENT_ID: client.id, FERRULE_CLIENT_SECRET: client.secret },
  ...{ FERRULE_TOKEN: world.token, FERRULE_MCP_TOKEN: String(json.token) },
  ...{ GONG_ACCESS_KEY: 'sandbox', GONG_ACCESS_KEY_SECRET: 'sandbox-secret' },
})

const timeout = limits.test
const choose = async (label: string, name: string | RegExp) => {
  await page.getByRole('combobox', { name: label }).click()
  await page.getByRole('option', typeof name === 'string' ? { name, exact: true } : { name }).click()
}
const press = (name: string) => page.getByRole('button', { name, exact: true }).click()
const go = (connector: string, params: Readonly<Record<string, string>>) =>
  opened.go(`/explorer?${new URLSearchParams({ connector, ...params })}`)

test('a list is chosen, run, read on and opened by its address', { timeout }, async () => {
  await opened.go('/explorer')
  await choose('Connector', /^Calls of the sales team/)
  const entities = page.getByRole('navigation', { name: 'Entities' })
  await entities.getByRole('link', { name: 'calls', exact: true }).click()
  await expect.poll(() => entities.locator('[aria-current]').allTextContents()).toEqual(['calls'])
  await page.getByLabel('fromDateTime').fill('2020-01-01T00:00:00')
  await page.getByLabel('fromDateTime').press('Enter')
  await page.getByRole('table', { name: 'calls of Calls of the sales team' }).waitFor()
  await page.getByText(/^100 rows, /).waitFor()
  await press('Next page')
  await page.getByText(/ rows of 2 pages/).waitFor()
  await opened.screenshot('explorer')
  await page.getByText('Both', { exact: true }).click()
  await page.getByRole('textbox', { name: 'Parameters as JSON' }).waitFor()
  expect(await findAllBarriers(page)).toEqual([])
  const address = page.url()
  expect(new URL(address).searchParams.get('params')).toMatch(/^{"fromDateTime":"20(19|20)-.*Z"}$/)
  await opened.go('/')
  await page.goto(address)
  await page.getByText(/^100 rows, /).waitFor()
  await press('Show row 1')
  await page.getByRole('dialog', { name: 'Row 1' }).getByText('clientUniqueId').waitFor()
  await page.keyboard.press('Escape')
  await opened.go('/explorer')
  await expect.poll(() => new URL(page.url()).searchParams.get('connector')).toBe(calls) // the last one
  expect(opened.complaints()).toEqual([])
})

test('on a phone the entities are a choice, and each row is a card', { timeout }, async () => {
  await page.setViewportSize({ width: 390, height: 900 })
  await go(calls, { entity: 'calls', action: 'list' })
  await choose('Entity', 'users')
  await press('Run')
  const table = page.getByRole('table', { name: 'users of Calls of the sales team' })
  await table
    .getByRole('cell', { name: /^emailAddress .*@/ })
    .first()
    .waitFor()
  expect(await table.getByRole('columnheader').count()).toBe(0)
  await opened.look('explorer-cards')
  await page.getByRole('button', { name: 'Show row 2, all 16 fields' }).click()
  await page.getByRole('dialog', { name: 'Row 2' }).getByText('phoneNumber').waitFor()
  await page.keyboard.press('Escape')
  await page.setViewportSize({ width: 1_280, height: 900 })
  await table.getByRole('columnheader', { name: /^emailAddress/ }).waitFor()
  expect(opened.complaints()).toEqual([])
})

test('the form and the JSON hold one value, and the answer is shown as JSON', { timeout }, async () => {
  await go(calls, { entity: 'calls', action: 'list', edit: 'both', view: 'json', params: '{"cursor":"not a cursor"}' })
  const editor = page.getByRole('textbox', { name: 'Parameters as JSON' })
  await editor.fill('{"toDateTime": "2030-01-01T00:00:00Z"}')
  await expect.poll(() => page.getByLabel('toDateTime').inputValue()).toMatch(/^20(29|30)-/)
  await page.getByLabel('toDateTime').fill('2031-01-01T00:00:00')
  await expect.poll(() => editor.textContent()).toMatch(/20(30|31)-/)
  await editor.press('Control+Enter')
  await page.getByText('[100 items]').waitFor()
  await opened.screenshot('explorer-json')
  expect(opened.complaints()).toEqual([])
})

test('a refusal is shown at its field; nothing found and a failing service say what to do', { timeout }, async () => {
  await go(calls, { entity: 'stats_activity_day_by_day', action: 'list' })
  await page.getByLabel('fromDate', { exact: false }).first().fill('2024-01-05')
  await press('Run')
  await page.locator('.mantine-TextInput-error', { hasText: /^is required/ }).waitFor()
  await page.getByRole('alert').getByText('toDate is required').first().waitFor()
  await opened.screenshot('explorer-refused')
  await go(calls, {
    entity: 'calls',
    action: 'list',
    params: '{"fromDateTime":"2001-01-01T00:00:00Z","toDateTime":"2001-01-02T00:00:00Z"}',
    run: '1',
  })
  await page
    .getByText(/No rows|not_found/)
    .first()
    .waitFor()
  opened.complaints()
  await go(calls, { entity: 'users', action: 'list', run: '1' })
  await page.getByText(/ rows, /).waitFor()
  await page.route('**/execute', (route) => route.abort())
  await press('Run')
  await page.getByText('The last try failed').waitFor({ timeout: limits.action })
  await page.getByRole('table').waitFor()
  await page.unroute('**/execute')
  opened.complaints()
})

test('an operation of a kind is tried with a connector of that kind', { timeout }, async () => {
  await opened.go('/explorer?kind=tiktok-marketing&entity=campaigns&action=list')
  await page.getByRole('heading', { name: 'No connectors yet' }).waitFor()
  await opened.go('/explorer?kind=gong&entity=calls&action=get')
  await press('Fill in an example')
  await expect.poll(() => page.getByLabel('id', { exact: false }).first().inputValue()).not.toBe('')
  expect(await page.getByRole('link', { name: 'Request of your own' }).count()).toBe(0) // it would show what Gong's operations hide
  expect(opened.complaints()).toEqual([])
})

test('an example of optional parameters runs as it stands, and is offered only where there is one', { timeout }, async () => {
  await go(calls, { entity: 'calls', action: 'list' })
  await press('Fill in an example')
  await expect.poll(() => page.getByLabel('fromDateTime').inputValue()).toMatch(/^2025-0[23]-/)
  expect(await page.getByLabel('toDateTime').inputValue()).toBe('')
  expect(await page.getByLabel('cursor').inputValue()).toBe('')
  await page.getByText('The example is filled in.', { exact: true }).waitFor()
  await opened.screenshot('explorer-example')
  await press('Run')
  await page.getByText(/^\d+ rows, /).waitFor()
  for (const entity of ['workspaces', 'users']) {
    await go(calls, { entity, action: 'list' })
    await page.getByRole('button', { name: 'Copy as …' }).waitFor()
    expect(await page.getByRole('button', { name: 'Fill in an example' }).count()).toBe(0)
  }
  expect(opened.complaints()).toEqual([])
})

test('a slow call is cancelled', { timeout }, async () => {
  await page.route('**/execute', () => undefined)
  await go(calls, { entity: 'users', action: 'list' })
  await press('Run')
  await page.getByText("Waiting for the vendor's answer").waitFor()
  await press('Cancel')
  await page.getByRole('heading', { name: 'Cancelled' }).waitFor()
  await page.unroute('**/execute')
  await press('Run')
  await page.getByText(/ rows, /).waitFor()
  expect(opened.complaints()).toEqual([])
})

test('the texts of a call run as they stand', { timeout }, async () => {
  await go(calls, { entity: 'calls', action: 'get', params: '{"id":"8065662122036692869"}' })
  await press('Copy as …')
  const read = async (name: string) => {
    await page.getByRole('tab', { name, exact: true }).click()
    const text = page.locator('pre').and(page.getByLabel(name, { exact: true }))
    return String(await text.textContent())
  }
  const [curl, hosted, local] = [await read('curl'), await read('TypeScript'), await read('TypeScript without the service')]
  const [command, mcp] = [await read('Command'), await read('MCP')]
  await opened.screenshot('explorer-copy')
  const origins = JSON.stringify(opened.world.sandbox.origins['gong'])
  const answers = await Promise.all([
    ...[curl, command, mcp].map((text) => terminal.runShell(String(text))),
    terminal.runProgram(String(hosted)),
    terminal.runProgram(String(local).replace('connect(gong, {', `connect(gong, { origin: ${origins},`)),
  ])
  for (const answer of answers) expect(answer).toMatch(/8065662122036692869/)
  expect([curl, hosted, local, command, mcp].join('')).not.toContain('secret-')
  expect(opened.complaints()).toEqual([])
})

test('a file is saved, and played', { timeout }, async () => {
  await go(calls, { entity: 'call_audio', action: 'download' })
  await page.getByRole('combobox', { name: 'callIds' }).fill('8065662122036692869')
  const [download] = await Promise.all([page.waitForEvent('download'), press('Save the file')])
  expect(download.suggestedFilename()).toMatch(/\.mp3$/)
  await page.getByText(/^Saved .*\.mp3/).waitFor()
  const [played] = await Promise.all([page.waitForResponse('**/api/v1/media/*'), press('Play')])
  expect([played.ok(), played.headers()['content-type']]).toEqual([true, 'audio/mpeg'])
  await page.locator('audio[aria-label="call_audio"]').waitFor()
  expect(opened.complaints()).toEqual([])
})

test('a write asks first, and runs once', { timeout }, async () => {
  await go(warehouse, { entity: 'record', action: 'create' })
  await page.getByLabel('statement').fill("INSERT INTO SCRATCH.COUNTERS VALUES (9007199254740993, 'explorer')")
  await press('Run …')
  const question = page.getByRole('dialog')
  await question.getByText('cannot be undone').waitFor()
  await opened.screenshot('explorer-write')
  await question.getByRole('button', { name: 'Run create record' }).click()
  await page.getByText('Done: create record.').waitFor()
  expect(new URL(page.url()).searchParams.has('run')).toBe(false)
  const statement = "SELECT N FROM SCRATCH.COUNTERS WHERE NOTE = 'explorer'"
  await go(warehouse, { entity: 'record', action: 'list', params: JSON.stringify({ statement }), run: '1' })
  await page.getByText(/^1 row,/).waitFor()
  await page.getByText('9007199254740993', { exact: true }).waitFor()
  expect(opened.complaints()).toEqual([])
  await go(warehouse, { entity: 'record', action: 'list', params: '{"statement":"DELETE FROM EVENTS"}', run: '1' })
  await page.getByText('statement_not_allowed').waitFor()
  opened.complaints()
})

test('10,000 rows scroll without a blank frame, within the memory of a page', { timeout }, async () => {
  const statement = 'SELECT SEQ4() AS N, 9007199254740993 + SEQ4() AS LARGE FROM TABLE(GENERATOR(ROWCOUNT => 10000)) ORDER BY 1'
  await go(warehouse, { entity: 'record', action: 'list', params: JSON.stringify({ statement }), run: '1' })
  await press('Next page')
  await page.getByText(/^10,000 rows/).waitFor()
  const label = 'record of Warehouse'
  await page.evaluate(watchFrames(label, 44))
  await page.getByRole('region', { name: label }).hover()
  // Each turn of the wheel gets a frame, however few a busy machine draws.
  const end = () =>
    page.evaluate<boolean>(
      `new Promise(requestAnimationFrame).then(() => document.querySelector('section[aria-label="${label}"]'))
        .then(({ scrollTop, clientHeight, scrollHeight }) => scrollTop + clientHeight >= scrollHeight - 1)`,
    )
  while (!(await end())) await page.mouse.wheel(0, 9_000)
  await page.getByRole('region', { name: label }).focus()
  await page.keyboard.press('Home')
  await page.getByText('9007199254740993', { exact: true }).waitFor()
  for (let pages = 0; pages < 5; pages += 1) await page.keyboard.press('PageDown')
  // The browser moves in steps, and a key within the steps of the one before can be lost on a busy machine.
  while (!(await end())) await page.keyboard.press('End')
  await page.getByText('9007199254750992', { exact: true }).waitFor()
  const seen = await page.evaluate<SeenFrames>(readFrames)
  const session = await page.context().newCDPSession(page)
  await session.send('HeapProfiler.collectGarbage')
  await session.send('Performance.enable')
  const { metrics } = await session.send('Performance.getMetrics')
  const heap = metrics.find(({ name }) => name === 'JSHeapUsedSize')?.value ?? Number.NaN
  expect(seen.blank).toEqual([])
  expect(seen.rows).toBeGreaterThan(200)
  expect(heap).toBeLessThanOrEqual(150_000_000)
  expect(opened.complaints()).toEqual([])
})
