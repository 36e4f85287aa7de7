/** The groups of the search page: choices, chart, table, addresses, and what is odd in the values. */
import { expect, test } from 'vitest'
import { buildPrimaryKey } from '../../packages/server/src/copies/search/keys.ts'
import { advertising, syncedConnector } from '../http/search-support.ts'
import type { Json } from '../http/support.ts'
import { share } from '../support/share.ts'
import { findAllBarriers } from './accessibility.ts'
import { limits, openConsole } from './console-support.ts'

const options = { timeout: limits.test }
const opened = await share(openConsole({ copies: 'postgres' }))
const id = await syncedConnector(opened.world, 'Advertising', advertising(opened.world, 'Advertising'))
const entity = 'campaigns'

/** Adds campaigns to the copy. */
async function write(campaigns: readonly Json[]): Promise<void> {
  const { store } = opened.world.context
  const { key } = store.getTable('tiktok-marketing', entity)
  const records = campaigns.map((fields) => ({ key: buildPrimaryKey(key, fields) ?? '', fields }))
  await store.writeBatch({ connector: id, kind: 'tiktok-marketing', entity }, { records, asked: opened.world.clock.now })
}

const longId = 12_345_678_901_234_567_890n
const [hours, many] = ['Hours', 'Many']

// The night in which Berlin has the hour from two to three twice.
const times = ['00:10:00', '00:40:00', '01:20:00', '02:00:00', '03:30:00'].map((time) => `2025-10-26 ${time}`)
const odd = [...times, '2025-11-20 12:00:00', 'soon', null]
await write(
  odd.map((create_time, index) => ({
    ...{ campaign_id: longId + BigInt(index), campaign_name: `${hours} ${index}`, create_time, bid_type: hours },
    ...{ objective_type: index < 3 ? 'REACH' : index < 5 ? '' : null, budget: index + 0.5 },
  })),
)
for (let begin = 0; begin < 10_000; begin += 2_500)
  await write(
    Array.from({ length: 2_500 }, (_, index) => ({
      ...{ campaign_id: begin + index + 1, campaign_name: `${many} ${begin + index}`, bid_type: many, budget: begin + index },
    })),
  )

/** Opens the groups. */
const open = (params: Readonly<Record<string, string>>) =>
  opened.go(`/search?${new URLSearchParams({ connector: id, entity, show: 'groups', ...params })}`)

const readAddress = () => Object.fromEntries(new URL(opened.page.url()).searchParams)
const table = () => opened.page.getByRole('table', { name: 'Groups of campaigns' })

/** Reads the cells of the first rows, without the numbers of the rows. */
const readRows = (count: number): Promise<readonly (readonly string[])[]> =>
  table()
    .getByRole('row')
    .evaluateAll(
      (rows, most) =>
        rows.slice(1, most + 1).map((row) => [...row.querySelectorAll('[role=cell]')].slice(1).map((cell) => cell.textContent ?? '')),
      count,
    )

/** Chooses an entry of a list by typing a part of it. */
async function choose(list: string, entry: string): Promise<void> {
  await opened.page.getByRole('combobox', { name: list }).fill(entry)
  await opened.page.getByRole('option', { name: entry, exact: true }).click()
}

test('groups and measures are chosen from lists, and the address restores them', options, async () => {
  const { page, screenshot, complaints } = opened
  await opened.go(`/search?${new URLSearchParams({ connector: id, entity, filter: `bid_type = "${hours}"` })}`)
  await page.getByText('8 records: all that match.').waitFor()
  await page.getByText('Groups', { exact: true }).click()
  await expect.poll(() => readRows(2)).toEqual([['8']])
  await choose('Group by', 'objective_type')
  await choose('Measures', 'sum of campaign_id')
  await choose('Measures', 'average of budget')
  await page.keyboard.press('Escape')
  const rows = [
    ['REACH', '3', '37,037,036,703,703,703,673', '1.5'],
    ['no value', '3', '37,037,036,703,703,703,688', '6.5'],
    ['""', '2', '24,691,357,802,469,135,787', '4'],
  ]
  await expect.poll(() => readRows(4)).toEqual(rows)
  const address = { by: 'objective_type', measures: 'count,sum(campaign_id),avg(budget)', show: 'groups', filter: `bid_type = "${hours}"` }
  expect(readAddress()).toMatchObject(address)
  await table()
    .getByRole('button', { name: /average of budget/ })
    .click()
  await expect.poll(readAddress).toMatchObject({ order: 'avg(budget):desc' })
  await table()
    .getByRole('button', { name: /average of budget/ })
    .click()
  await expect.poll(readAddress).toMatchObject({ order: 'avg(budget):asc' })
  await expect.poll(() => readRows(4)).toEqual([rows[0], rows[2], rows[1]])
  await page.getByRole('img', { name: 'records by objective_type. The first bar is REACH with 3.' }).waitFor()
  await page.getByLabel('The chart shows').selectOption('sum of campaign_id')
  const sums = page.getByRole('img', {
    name: 'sum of campaign_id by objective_type. The first bar is REACH with 37,037,036,703,703,703,673.',
  })
  await sums.waitFor()
  expect(await sums.innerText()).toContain('37,037,036,703,703,703,688') // beside the bar of no value
  await screenshot('groups-sums')
  await page.reload()
  await sums.waitFor()
  await expect.poll(() => readRows(4)).toEqual([rows[0], rows[2], rows[1]])
  expect(await findAllBarriers(page, () => table().waitFor())).toEqual([])
  await page.getByRole('button', { name: 'Show row 3' }).click()
  await page.getByRole('dialog').getByText('37037036703703703688').waitFor()
  expect(complaints()).toEqual([])
})

test('the hour that a zone has twice is two groups, and what is no date is told', options, async () => {
  const { page, screenshot, complaints } = opened
  await open({ filter: `bid_type = "${hours}"`, by: 'hour(create_time)', zone: 'Europe/Berlin' })
  const rows = [
    ['2025-10-26T02:00:00+02:00', '2'],
    ['2025-10-26T02:00:00+01:00', '1'],
    ['2025-10-26T03:00:00+01:00', '1'],
    ['2025-10-26T04:00:00+01:00', '1'],
    ['2025-11-20T13:00:00+01:00', '1'],
    ['no value', '1'],
  ]
  await expect.poll(() => readRows(9)).toEqual(rows)
  await page.getByText('1 value of create_time is no date.').waitFor()
  const line = 'records by create_time by hour. A line from 2025-10-26T02:00:00+02:00 to 2025-11-20T13:00:00+01:00.'
  await page.getByRole('img', { name: line }).locator('canvas').waitFor()
  await page.getByText('1 group without a time is in the table only. Where a line has a gap, there are no records.').waitFor()
  await screenshot('groups-hours')
  await open({ by: 'day(create_time),campaign_type', zone: 'Europe/Berlin' })
  await page
    .getByRole('img', { name: /^records by create_time by day and campaign_type\. \d lines from / })
    .locator('canvas')
    .waitFor()
  await screenshot('groups-lines')
  expect(await findAllBarriers(page, () => table().waitFor())).toEqual([])
  await open({ filter: `bid_type = "${hours}"`, by: 'hour(create_time)', zone: 'Europe/Berlin' })
  await page.getByRole('combobox', { name: 'Time zone' }).fill('Asia/Tok')
  await page.getByRole('option', { name: 'Asia/Tokyo' }).click()
  await expect.poll(readAddress).toMatchObject({ zone: 'Asia/Tokyo' })
  await expect.poll(async () => (await readRows(1))[0]).toEqual(['2025-10-26T09:00:00+09:00', '2'])
  await open({ filter: `bid_type = "${hours}"`, by: 'ranges(budget;0;2;5)', zone: 'Europe/Berlin' })
  await expect
    .poll(() => readRows(9))
    .toEqual([
      ['0 to below 2', '2'],
      ['2 to below 5', '3'],
      ['from 5', '3'],
    ])
  const bounds = page.getByLabel('Ranges of budget begin at')
  await bounds.fill('9, 3')
  await page.getByText('Enter ascending numbers, such as 0, 60, 300').waitFor()
  await bounds.fill('3.5, 7')
  await bounds.press('Enter')
  await expect.poll(readAddress).toMatchObject({ by: 'ranges(budget;3.5;7)' })
  await expect
    .poll(() => readRows(9))
    .toEqual([
      ['below 3.5', '3'],
      ['3.5 to below 7', '4'],
      ['from 7', '1'],
    ])
  expect(complaints()).toEqual([])
})

test('ten thousand groups are read in pages, and a change of the copy between them is told', options, async () => {
  const { page, world, screenshot, complaints } = opened
  await open({ by: 'campaign_name', measures: 'sum(budget)', filter: `bid_type = "${many}"` })
  await page.getByText('The first 1,000 of 10,000 groups.').waitFor()
  await expect.poll(() => readRows(1)).toEqual([[`${many} 9999`, '9,999']])
  const drawn = 'The first 20 of 10,000 groups are drawn, in the order of sum of budget. The other 9,980 are in the table'
  await page.getByText(`${drawn} and on its next pages.`, { exact: true }).waitFor()
  await write([{ campaign_id: 1, campaign_name: `${many} more`, bid_type: many, budget: 7 }])
  await page.getByRole('button', { name: 'Read the next page' }).click()
  await page.getByText('The first 2,000 of 10,000 groups.').waitFor()
  await page.getByText('Groups can be missing or come twice.').waitFor()
  await screenshot('groups-changed')
  await page.getByRole('button', { name: 'Read them again' }).click()
  await page.getByText('Groups can be missing or come twice.').waitFor({ state: 'detached' })
  await page.getByLabel('Groups on a page').selectOption('10,000')
  await page.getByText('10,000 groups: all that there are.').waitFor()
  await page.getByText(`${drawn}.`, { exact: true }).waitFor()
  await screenshot('groups-many')
  expect(await findAllBarriers(page, () => table().waitFor())).toEqual([])
  await open({ by: 'campaign_name', limit: '10000' })
  await page.getByText(/The first 10,000 of 10,\d\d\d groups\./).waitFor()
  await page.getByText('The table ends here. Narrow the filter to see the others.').waitFor()
  const found = await world.execute(id, { entity, action: 'context_store_search', params: { query: {}, count: true, limit: 1 } })
  await page.getByText('Records', { exact: true }).click()
  await page.getByText(`The first 500 of ${found.json.meta.total.toLocaleString('en')} records.`).waitFor()
  await open({ by: 'nothing_like_it' })
  await page.getByText('field_not_searchable').waitFor()
  expect(complaints().filter((each) => !each.includes('422'))).toEqual([])
})
