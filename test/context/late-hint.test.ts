/** What the answer to a request that ended late says: what reads every record, or the index or the range that would help. */
import { expect, test } from 'vitest'
import { buildSearchTable } from '../../packages/server/src/copies/search/columns.ts'
import { createSearcher } from '../support/searcher.ts'
import { testKind } from './store-records.ts'

const table = buildSearchTable('test-kind', 'notes', testKind().entities.notes ?? { about: 'Notes.', key: ['id'] })

/** Reads the next steps for a search and a count with one filter. @param ready columns with an automatic index */
async function readHints(filter: object | undefined, ready: readonly string[] = []): Promise<readonly (string | undefined)[]> {
  const hints: (string | undefined)[] = []
  const searcher = createSearcher({
    getTable: () => table,
    hasRows: async () => true,
    search: async (_ref, _work, options) => {
      hints.push(options?.lateHint?.())
      return undefined
    },
    indexes: { readyColumns: () => new Set(ready), observe: () => undefined },
  })
  const request = { ref: { connector: 'c', kind: 'test-kind', entity: 'notes' }, key: Buffer.from('key'), now: 0 }
  const query = filter === undefined ? {} : { filter }
  await searcher.search({ ...request, params: { query } })
  await searcher.aggregate({ ...request, params: { query, group_by: ['state'] } })
  return hints
}

const plain = 'Narrow the filter or ask for less, and try again.'
const range = 'All records that the filter finds are read. Take a range of made, which has an index, and try again.'
const index = (fields: string): string =>
  `An index on ${fields} would help: three slow requests in a day make one, where automatic indexes are on.`

test('counts and groups without a filter need a range of the time that has an index', async () => {
  expect(await readHints(undefined)).toEqual([plain, range])
})

test('those with a range of it need a shorter one', async () => {
  const shorter = 'All records that the filter finds are read. Take a shorter range of made, which has an index, and try again.'
  expect(await readHints({ gte: { made: '2026-01-01' } })).toEqual([plain, shorter])
  expect(await readHints({ gte: { made: '2026-01-01' }, lt: { made: '2026-02-01' } })).toEqual([plain, shorter])
})

test('fields of the filter without an index are named, and no others', async () => {
  const filter = { eq: { state: 'new' }, gt: { price: '5' } }
  const both = index('price or state')
  expect(await readHints(filter)).toEqual([`${both} Until then narrow the filter.`, `${both} ${range}`])
  expect(await readHints(filter, ['state'])).toEqual([`${index('price')} Until then narrow the filter.`, `${index('price')} ${range}`])
  expect(await readHints({ eq: { state: 'new' } }, ['state'])).toEqual([plain, range])
})

test('what looks into strings and JSON is named before all others', async () => {
  const [search, count] = await readHints({ fuzzy: { title: 'renewal' }, eq: { state: 'new' } })
  expect(search).toBe(
    'These conditions can read every record: fuzzy on title. Join them with a condition on a time, a number or a key, and try again.',
  )
  expect(count).toBe(search)
})
