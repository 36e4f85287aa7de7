import { describe, expect, test } from 'vitest'
import { bool, decimal, id, int, known, list, open, str, time } from '../../packages/ferrule/src/definition/fields.ts'
import { buildSearchTable } from '../../packages/server/src/copies/search/columns.ts'
import { parseSearch } from '../../packages/server/src/copies/search/parse.ts'
import { adviseIndexes, canWalkIndex, chooseColumn, sumRowsRead } from '../../packages/server/src/copies/store/indexes/advice.ts'
import { Wishes } from '../../packages/server/src/copies/store/indexes/on-demand.ts'
import { indexRules } from '../../packages/server/src/copies/store/indexes/types.ts'

const table = buildSearchTable('test-kind', 'notes', {
  about: 'For tests.',
  key: ['id'],
  context_store_search: {
    id: id('Id.'),
    title: str('Title.'),
    made: time('Made.'),
    changed: time('Changed.'),
    price: decimal('Price.'),
    state: str('State.'),
    way: known('Way.', 'Inbound', 'Outbound'),
    size: int('Size.'),
    open: bool('Open.'),
    parts: list(open('Part.'), 'Parts.'),
  },
})

const wish = (query: object, has: readonly string[] = ['made$at']) => {
  const { order, equal, range } = adviseIndexes(parseSearch(table, { query }), (column) => has.includes(column))
  return [order, equal.join(), range.join()]
}

describe('a slow search', () => {
  test.each([
    [{ filter: { eq: { state: 'open' } } }, 'state', ''],
    [{ filter: { in: { state: ['open', 'closed'] } } }, 'state', ''],
    [{ filter: { eq: { size: 1, open: true } } }, 'size,open', ''],
    [{ filter: { gt: { size: 1 }, lte: { state: 'm' } } }, '', 'size,state'],
    [{ filter: { and: [{ eq: { state: 'open' } }, { and: [{ lt: { size: 1 } }] }] } }, 'state', 'size'],
    [{ filter: { eq: { changed: '2026-01-01' } } }, 'changed$at', ''],
    [{ filter: { gte: { changed: '2026-01-01' }, lt: { price: 7 } } }, '', 'changed$at,price$n'],
    [{ filter: { in: { changed: ['2026', '2026-01-01T10:00:00Z'] } } }, 'changed$at', ''],
    [{ filter: { in: { way: ['inbound', 'Other'] } } }, 'way$l', ''],
    [{ filter: { gt: { way: 'In' } } }, '', 'way'],
    [{ filter: { eq: { state: null } } }, 'state', ''],
    [{ filter: { in: { title: ['one', 'two'] } } }, 'title', ''],
    // Words, the key and other indexes serve these. No index serves numbers against strings, JSON, parts of words or alternatives.
    [{ filter: { eq: { title: 'Renewal' } } }, '', ''],
    [{ filter: { eq: { id: 5 } } }, '', ''],
    [{ filter: { gte: { made: '2026-01-01' } } }, '', ''],
    [{ filter: { eq: { state: 7 } } }, '', ''],
    [{ filter: { eq: { way: 7 } } }, '', ''],
    [{ filter: { eq: { 'parts.n': 7 } } }, '', ''],
    [{ filter: { like: { state: 'o%' }, neq: { size: 1 } } }, '', ''],
    [{ filter: { or: [{ eq: { state: 'open' } }, { eq: { size: 1 } }], not: { eq: { size: 2 } } } }, '', ''],
  ])('%j is helped by an index over what it compares', (query, equal, range) => {
    expect(wish(query)).toEqual([undefined, equal, range])
  })

  test('is helped by its order, where no index gives that', () => {
    expect(wish({ sort: [{ price: 'desc' }, { state: 'asc' }] })).toEqual(['price$n', '', ''])
    expect(wish({ sort: [{ made: 'desc' }] })).toEqual([undefined, '', ''])
    expect(wish({ sort: [{ id: 'asc' }] })).toEqual([undefined, '', ''])
    expect(wish({ sort: [{ changed: 'asc' }], filter: { eq: { state: 'open' } } })).toEqual(['changed$at', 'state', ''])
    expect(wish({ sort: [{ changed: 'asc' }], filter: { eq: { state: 'open' } } }, ['changed$at', 'state'])).toEqual([undefined, '', ''])
  })
})

describe('an index is walked in its order', () => {
  const walks = (filter: object | undefined) => canWalkIndex(parseSearch(table, { query: filter === undefined ? {} : { filter } }))

  test('where the planner can tell how many rows the filter finds', () => {
    const foreseen = { or: [{ eq: { state: 'open' } }, { not: { gt: { size: 7 } } }], lt: { changed: '2026-01-01' } }
    expect([undefined, {}, foreseen].map(walks)).toEqual([true, true, true])
    const hidden = [
      { like: { state: 'a%' } },
      { fuzzy: { title: 'pricing' } },
      { eq: { title: 'Pricing' } },
      { eq: { 'parts.n': 1 } },
      { lt: { state: 7 } },
    ]
    for (const each of hidden)
      expect([each, walks(each), walks({ not: each }), walks({ and: [foreseen, each] })]).toEqual([each, false, false, false])
  })

  test('and is no help to a search that does not walk', () => {
    expect(wish({ sort: [{ price: 'desc' }], filter: { fuzzy: { title: 'pricing' }, eq: { state: 'open' } } })).toEqual([
      undefined,
      'state',
      '',
    ])
  })
})

describe('of several columns', () => {
  const chosen = (distinct: Readonly<Record<string, number>>, query: object) =>
    chooseColumn(
      adviseIndexes(parseSearch(table, { query }), () => false),
      new Map(Object.entries(distinct)),
    )

  test('that with many values is chosen, else the order, else equality before ranges', () => {
    const filter = { eq: { state: 'open', size: 1 }, gt: { price: 3 } }
    expect(chosen({ state: 5, size: 900 }, { filter, sort: [{ made: 'asc' }] })).toBe('size')
    expect(chosen({ state: 5, size: 90 }, { filter, sort: [{ made: 'asc' }] })).toBe('made$at')
    expect(chosen({ state: 5, size: 90 }, { filter })).toBe('size')
    expect(chosen({}, { filter })).toBe('state')
    expect(chosen({}, { filter: { gt: { price: 3 } } })).toBe('price$n')
    expect(chosen({}, {})).toBeUndefined()
  })
})

describe('slow searches', () => {
  const hour = 3_600_000
  const query = parseSearch(table, { query: { filter: { eq: { state: 'open' } } } })
  const cost = { ms: indexRules.slowMs + 1, size: 0, count: 0 }

  /** Observes a slow search of connectors at times. @returns whether an index is wanted then */
  function observe(searches: readonly (readonly [connector: string, hours: number])[]): boolean[] {
    let now = 0
    const wishes = new Wishes(indexRules, () => now)
    return searches.map(([connector, hours]) => {
      now = hours * hour
      return wishes.observe({ connector, kind: 'test-kind', entity: 'notes' }, query, { cost, indexed: () => new Set() })
    })
  }

  test('are enough when there were three within a day', () => {
    expect(observe([0, 1, 23].map((hours) => ['a', hours]))).toEqual([false, false, true])
    expect(observe([0, 12, 25, 26].map((hours) => ['a', hours]))).toEqual([false, false, false, true])
  })

  test('are remembered of a thousand things', () => {
    const twice = Array.from({ length: 1_001 }, (_, index) => [0, 0].map((hours) => [String(index), hours] as const)).flat()
    expect(observe([...twice, ['0', 1], ['1000', 1]]).slice(-2)).toEqual([false, true])
  })

  test('are counted from the beginning when the index is there', () => {
    const wishes = new Wishes(indexRules, () => 0)
    const see = () => wishes.observe({ connector: 'a', kind: 'test-kind', entity: 'notes' }, query, { cost, indexed: () => new Set() })
    expect([see(), see(), see()]).toEqual([false, false, true])
    for (const [name] of wishes.list()) wishes.delete(name)
    expect([see(), wishes.list()]).toEqual([false, []])
  })
})

test('rows read are those of the table, of all workers, and those that were filtered out, wherever a machine nests its plan', () => {
  const scan = { 'Relation Name': 'cs_a_b_p3', 'Actual Rows': 10.5, 'Rows Removed by Filter': 89.5, 'Actual Loops': 2 }
  const heap = { 'Relation Name': 'cs_a_b_102008', 'Actual Rows': 3, 'Rows Removed by Index Recheck': 4, 'Actual Loops': 1, Plans: [scan] }
  const other = { 'Relation Name': 'cs_terms', 'Actual Rows': 1_000, 'Actual Loops': 1 }
  const plan = [{ Plan: { 'Node Type': 'Custom Scan', Job: { Tasks: [{ 'Remote Plan': [[{ Plan: { Plans: [heap, other] } }]] }] } } }]
  expect(sumRowsRead(plan, 'cs_a_b')).toBe(207)
  expect(sumRowsRead([{ Plan: { 'Node Type': 'Limit', 'Actual Rows': 1, 'Actual Loops': 1 } }], 'cs_a_b')).toBe(0)
})
