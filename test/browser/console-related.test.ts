/** Records and groups of the search page with fields of the records that they refer to. */
import { afterAll, expect, test } from 'vitest'
import { connectEmpty, emptyVendors, write } from '../http/everything-support.ts'
import { findAllBarriers } from './accessibility.ts'
import { limits, openConsole } from './console-support.ts'

const options = { timeout: limits.test }
const entity = 'tickets'

const ticket = (id: number, requester: string | null, watchers: readonly string[]) => ({
  ...{ id, subject: `Ticket ${id}`, body: 'Help', state: 'open', custom: {}, opened: `2026-0${id}-01T00:00:00Z`, requester, watchers },
})

const opened = await openConsole({ copies: 'embedded', ...emptyVendors })
const { world } = opened
const desk = await connectEmpty(world, 'desk', 'Help desk')
const people = [
  { id: 'p1', name: 'Ada Lovelace', email: 'ada@example.com', manager: 'p2' },
  { id: 'p2', name: 'Grace Hopper', email: null },
]
await write(world, { connector: desk, kind: 'desk', entity: 'people', records: people })
const records = [
  ...[ticket(1, 'p1', ['p2']), ticket(2, 'p1', ['p1', 'p2']), ticket(3, 'p1', [])],
  ...[ticket(4, 'p2', ['gone']), ticket(5, 'p2', ['p2']), ticket(6, 'gone', []), ticket(7, null, [])],
]
await write(world, { connector: desk, kind: 'desk', entity, records })
const partial = await connectEmpty(world, 'desk', 'Partial desk', { entities: [{ entity }] })
await write(world, { connector: partial, kind: 'desk', entity, records: records.slice(0, 1) })
afterAll(() => opened.close())

/** Opens the search, which shows groups unless `show` says otherwise. */
const open = (params: Readonly<Record<string, string>>) =>
  opened.go(`/search?${new URLSearchParams({ connector: desk, entity, show: 'groups', ...params })}`)

const readAddress = () => Object.fromEntries(new URL(opened.page.url()).searchParams)
const table = (what = 'Groups') => opened.page.getByRole('table', { name: `${what} of tickets` })
const related = () => opened.page.getByRole('combobox', { name: 'Fields of related records' })

/** Reads the texts of the header and of the rows, without the numbers of the rows. */
const readTable = (what = 'Groups'): Promise<readonly (readonly string[])[]> =>
  table(what)
    .getByRole('row')
    .evaluateAll((rows) =>
      rows.map((row) => [...row.querySelectorAll('[role=columnheader], [role=cell]')].slice(1).map((cell) => cell.textContent ?? '')),
    )

test('show fields of what they refer to, and the address restores them', options, async () => {
  const { page, screenshot, complaints } = opened
  await open({ by: 'state' })
  await expect.poll(async () => (await readTable())[1]).toEqual(['open', '7'])
  expect(await related().count()).toBe(0) // a state refers to nothing
  await open({ by: 'requester' })
  await related().fill('name')
  await page.getByRole('option', { name: 'requester → name', exact: true }).click()
  await related().fill('email')
  await page.getByRole('option', { name: 'requester → email', exact: true }).click()
  await page.keyboard.press('Escape')
  const rows = [
    ['p1', 'Ada Lovelace', 'ada@example.com', '3'],
    ['p2', 'Grace Hopper', '–', '2'],
    ['gone', '–', '–', '1'],
    ['no value', '–', '–', '1'],
  ]
  await expect.poll(async () => (await readTable()).slice(1)).toEqual(rows)
  expect((await readTable())[0]?.join()).toMatch(/^requester.*,requester → name,requester → email,records/)
  expect(readAddress()).toMatchObject({ by: 'requester', include: 'requester.name,requester.email' })
  const bars = page.getByRole('img', { name: 'records by requester. The first bar is Ada Lovelace, ada@example.com (p1) with 3.' })
  expect(await bars.innerText()).toContain('Grace Hopper (p2)')
  await screenshot('groups-related')
  expect(await findAllBarriers(page, () => table().waitFor())).toEqual([])
  await page.reload()
  await expect.poll(async () => (await readTable()).slice(1)).toEqual(rows)
  await open({ by: 'watchers,month(opened)', include: 'watchers[].name', zone: 'UTC', filter: 'id = 2' })
  await expect
    .poll(async () => (await readTable()).slice(1))
    .toEqual([
      ['p1', 'Ada Lovelace', '2026-02', '1'],
      ['p2', 'Grace Hopper', '2026-02', '1'],
    ])
  await page.getByRole('img', { name: /by watchers and opened by month\. 2 lines/ }).waitFor()
  await page.getByText('Ada Lovelace (p1)', { exact: true }).first().waitFor()
  expect(complaints()).toEqual([])
})

test('records show fields of what they refer to beside the reference, of a list by its ids', options, async () => {
  const { page, screenshot, complaints } = opened
  await open({ show: 'records', sort: 'id:asc', fields: 'requester,watchers,subject', filter: 'id != 7' })
  await table('Records').waitFor()
  for (const option of ['requester → name', 'watchers[] → name']) {
    await related().fill(option)
    await page.getByRole('option', { name: option, exact: true }).click()
  }
  await page.keyboard.press('Escape')
  await expect
    .poll(() => readTable('Records'))
    .toEqual([
      ['requester', 'requester → name', 'watchers', 'watchers[] → name', 'subject'],
      ['p1', 'Ada Lovelace', '["p2"]Show', '["Grace Hopper"]', 'Ticket 1'],
      ['p1', 'Ada Lovelace', '["p1","p2"]Show', '["Ada Lovelace","Grace Hopper"]', 'Ticket 2'],
      ['p1', 'Ada Lovelace', '[]', '[]', 'Ticket 3'],
      ['p2', 'Grace Hopper', '["gone"]Show', '[null]', 'Ticket 4'],
      ['p2', 'Grace Hopper', '["p2"]Show', '["Grace Hopper"]', 'Ticket 5'],
      ['gone', '–', '[]', '[]', 'Ticket 6'],
    ])
  expect(readAddress()).toMatchObject({ include: 'requester.name,watchers[].name' })
  await screenshot('records-related')
  expect(await findAllBarriers(page, () => table('Records').waitFor())).toEqual([])
  await open({ show: 'records', connector: partial, include: 'requester.name' })
  await page.getByText('people: no sync has ended yet.').waitFor()
  await expect.poll(() => readTable('Records')).toHaveLength(2)
  const [header, row] = await readTable('Records')
  expect(header).not.toContain('_related')
  expect(row?.[header?.indexOf('requester → name') ?? -1]).toBe('–')
  await page.getByRole('button', { name: 'Export' }).click()
  await page.getByText('Without fields of related records').waitFor()
  expect(complaints()).toEqual([])
})

test('say which related records no sync has brought, and what nothing refers to', options, async () => {
  const { page, complaints } = opened
  await open({ connector: partial, by: 'requester', include: 'requester.name' })
  await page.getByText('people: no sync has ended yet.').waitFor()
  await expect.poll(async () => (await readTable()).slice(1)).toEqual([['p1', '–', '1']])
  await open({ by: 'subject', include: 'subject.name' })
  await page.getByText(/subject is no reference of tickets; known: requester, watchers\[\]/).waitFor()
  expect(complaints().filter((each) => !each.includes('422'))).toEqual([])
})
