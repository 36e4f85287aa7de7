/** A search that ends late names the conditions that cost it the time (issue 22, D1). */
import { expect, test } from 'vitest'
import { kinds } from '../../packages/ferrule/src/connectors/index.ts'
import { buildSearchTable } from '../../packages/server/src/copies/search/columns.ts'
import { createSearcher } from '../support/searcher.ts'

const { calls_extensive } = kinds.gong.definition.entities
const table = buildSearchTable('gong', 'calls_extensive', calls_extensive)

/** Returns the next step that the store would answer for a search that ends late. */
async function readHint(filter: object): Promise<string | undefined> {
  let hint: string | undefined
  const searcher = createSearcher({
    getTable: () => table,
    hasRows: async () => true,
    search: async (_ref, _work, options) => {
      hint = options?.lateHint?.()
      return undefined
    },
  })
  const ref = { connector: 'c', kind: 'gong', entity: 'calls_extensive' }
  await searcher.search({ ref, params: { query: { filter } }, key: Buffer.from('key'), now: 0, timeoutMs: 10_000 })
  return hint
}

test('that looks into strings and JSON names where', async () => {
  const filter = {
    or: [{ fuzzy: { 'metaData.title': 'renewal' } }, { gt: { 'parties[].speakerId': '5' } }],
    not: { like: { 'content.brief': '' } },
    gte: { startdatetime: '2026-01-01' },
  }
  const named = 'fuzzy on metaData.title, gt on parties[].speakerId, like on content.brief'
  const hint = await readHint(filter)
  expect(hint).toMatch(
    /^These conditions can read every record: .*\. Join them with a condition on a time, a number or a key, and try again\.$/,
  )
  expect(hint?.split(': ')[1]?.split('. Join')[0]?.split(', ').toSorted()).toEqual(named.split(', ').toSorted())
})

test('that compares times only is to be narrowed', async () => {
  expect(await readHint({ gte: { startdatetime: '2026-01-01' } })).toBe('Narrow the filter or ask for less, and try again.')
})
