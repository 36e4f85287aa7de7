/** Order by relevance over pages, also when too many records match and while the copy changes. */
import { expect, test } from 'vitest'
import { createSearcher } from '../support/searcher.ts'
import { share } from '../support/share.ts'
import { createRef, createStoreWorld, note, overStatements, refusal } from './store-world.ts'

const key = Buffer.from('a key of tests')
const titles = [
  'Renewal of the plan', // 1
  'Pricing', // 2
  'renewals and pricing plans', // 3
  'Pricing of the renewal plan', // 4
  'renewel plan', // 5
  'Nothing of it', // 6
  'Plan: renewal, pricing', // 7
]
const words = { fuzzy: { title: 'renewal plan' } }

overStatements('relevance', async (engine) => {
  const write = (from: number, all: readonly string[], more: Readonly<Record<string, unknown>> = {}) =>
    store.writeBatch(ref, { records: all.map((title, index) => note(store, { id: from + index, title, ...more })), asked: world.now })
  const world = await share(createStoreWorld(engine))
  const store = world.open()
  const searcher = createSearcher(store)
  const ref = createRef()
  await write(1, titles)

  const search = async (params: object, by = searcher) => {
    const answer = await by.search({ ref, params: { fields: ['id'], ...params }, key, now: world.now })
    if (answer === undefined) throw new Error('nothing was ever stored')
    return { ...answer, ids: JSON.parse(answer.json).map(({ id }: { id: number }) => id) }
  }
  /** Reads the ids of all pages. */
  const walk = async (params: object, by = searcher): Promise<readonly number[]> => {
    const ids: number[] = []
    let cursor: string | null | undefined
    do {
      const page = await search({ ...params, limit: 1, ...(cursor === undefined ? {} : { cursor }) }, by)
      ids.push(...page.ids)
      cursor = page.cursor
    } while (cursor !== null)
    return ids
  }

  test('whole words come before beginnings, and these before typing errors; what is equal follows the key', async () => {
    expect(await walk({ query: { filter: words } })).toEqual([1, 4, 7, 3, 5])
    expect(await walk({ query: { filter: { keyword: { title: 'pricing plan' } } } })).toEqual([4, 7, 1, 2, 3, 5])
    expect((await search({ query: { filter: words } })).isUnranked).toBe(false)
  })

  test('an alternative that does not match counts, and what is denied does not', async () => {
    const either = { or: [{ keyword: { title: 'renewal' } }, { fuzzy: { title: 'pricing' } }] }
    expect(await walk({ query: { filter: either } })).toEqual([4, 7, 1, 2, 3])
    expect(await walk({ query: { filter: { not: { keyword: { title: 'plan' } } } } })).toEqual([2, 3, 6])
  })

  test('is a part of a sort by its name', async () => {
    const sorted = (sort: unknown) => walk({ query: { filter: words, sort } })
    expect(await sorted([{ _relevance: 'desc' }])).toEqual([1, 4, 7, 3, 5])
    expect(await sorted([{ _relevance: 'desc' }, { title: 'asc' }])).toEqual([7, 4, 1, 3, 5])
    expect(await sorted([{ state: 'asc' }, { _relevance: 'desc' }])).toEqual([1, 4, 7, 3, 5])
    expect(await sorted([{ id: 'desc' }, { _relevance: 'desc' }])).toEqual([7, 5, 4, 3, 1])
    expect(await sorted([{ title: 'asc' }])).toEqual([7, 4, 1, 3, 5])
  })

  test('a relevance that means nothing is refused', async () => {
    const refused = (query: object) => refusal(search({ query }))
    expect(await refused({ sort: [{ _relevance: 'desc' }] })).toMatch(/^operator_not_supported.*needs fuzzy or keyword/)
    expect(await refused({ filter: { not: words }, sort: [{ _relevance: 'desc' }] })).toMatch(/^operator_not_supported/)
    expect(await refused({ filter: words, sort: [{ _relevance: 'asc' }] })).toMatch(/^invalid_parameter.*must be "desc"/)
  })

  test('when too much matches the order is that of the key, and the answer says so', async () => {
    const few = createSearcher(store, { mostRanked: 4 })
    const page = await search({ query: { filter: words }, limit: 2 }, few)
    expect([page.ids, page.isUnranked]).toEqual([[1, 3], true])
    const next = await search({ query: { filter: words }, cursor: page.cursor }, few)
    expect([next.ids, next.isUnranked]).toEqual([[4, 5, 7], true])
    expect(await walk({ query: { filter: words, sort: [{ _relevance: 'desc' }, { title: 'desc' }] } }, few)).toEqual([5, 3, 1, 4, 7])
    expect((await search({ query: { filter: words } }, createSearcher(store, { mostRanked: 5 }))).ids).toEqual([1, 4, 7, 3, 5])
  })

  test('a walk keeps the order that it has begun in', async () => {
    const [few, many] = [createSearcher(store, { mostRanked: 5 }), createSearcher(store)]
    const ranked = await search({ query: { filter: words }, limit: 2 }, few)
    const unranked = await search({ query: { filter: words }, limit: 2 }, createSearcher(store, { mostRanked: 1 }))
    await write(20, ['Nothing', 'plan for a renewal'])
    expect((await search({ query: { filter: words }, cursor: ranked.cursor }, few)).ids).toEqual([7, 21, 3, 5])
    expect((await search({ query: { filter: words }, cursor: unranked.cursor }, many)).ids).toEqual([4, 5, 7, 21])
    expect((await search({ query: { filter: words } }, few)).isUnranked).toBe(true)
  })

  test('pages of an export have it too', async () => {
    const request = { ref, params: { query: { filter: words }, fields: ['id'] }, key, now: world.now }
    const ids = (
      await Array.fromAsync(createSearcher(store).readPages(request, 2), (page) => page.map((record) => JSON.parse(record).id))
    ).flat()
    expect(ids).toEqual([1, 4, 7, 21, 3, 5])
  })

  test('within any, the words of all elements count', async () => {
    const other = createRef()
    const parts = [[{ s: 'plan' }, { s: 'other' }], [{ s: 'plans' }], [{ s: 'plans' }, { s: 'plan renewal' }], null]
    await store.writeBatch(other, { records: parts.map((each, id) => note(store, { id, parts: each })), asked: world.now })
    const params = { query: { filter: { any: { parts: { keyword: { s: 'plan renewal' } } } } }, fields: ['id'] }
    const answer = await searcher.search({ ref: other, params, key, now: world.now })
    expect(JSON.parse(answer?.json ?? '')).toEqual([{ id: 2 }, { id: 0 }])
  })
})
