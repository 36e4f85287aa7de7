import { expect, test } from 'vitest'
import { parseSearch } from '../../packages/server/src/copies/search/parse.ts'
import { buildSearchStatement } from '../../packages/server/src/copies/search/sql.ts'
import type { Session } from '../../packages/server/src/copies/store/database/database.ts'
import { createSearcher, type SearchRequest } from '../support/searcher.ts'
import { share } from '../support/share.ts'
import { createRef, createStoreWorld, note, overBoth, refusal } from './store-world.ts'

const key = Buffer.from('a key of tests')
const otherKey = Buffer.from('another key')
const large = 6107734829915563302n

const selectColumns = 'select attname::text as name from pg_attribute where attrelid = $1::text::regclass and attnum > 0 order by attnum'

/** A step of a plan. */
interface Step {
  readonly 'Node Type': string
  readonly 'Relation Name'?: string
  readonly Output?: readonly string[]
  readonly Plans?: readonly Step[]
}

/** Finds what the scans below sorts return. */
const findSorted = (plan: readonly { readonly Plan: Step }[]): (readonly string[])[] => {
  const below = (step: Step, isSorted: boolean): (readonly string[])[] => {
    const own = isSorted && step['Relation Name'] !== undefined ? [step.Output ?? []] : []
    return [...own, ...(step.Plans ?? []).flatMap((each) => below(each, isSorted || step['Node Type'] === 'Sort'))]
  }
  return plan.flatMap(({ Plan }) => below(Plan, false))
}

overBoth('a searcher', async (engine) => {
  const world = await share(createStoreWorld(engine))
  const store = world.open()
  const searcher = createSearcher(store)
  const ref = createRef()
  const notes = [
    {
      id: large,
      title: 'Renewal "Q4"',
      made: '2026-01-02T03:04:05Z',
      price: '10.50',
      state: 'open',
      parts: [{ n: 9007199254740993n, s: 'ü' }],
    },
    { id: 2, title: 'Pricing', made: '2026-01-03T00:00:00Z', price: '9.5', state: 'open', parts: [] },
    { id: 3, title: null, made: null, price: null, state: 'closed', parts: null },
  ]
  await store.writeBatch(ref, { records: notes.map((fields) => note(store, fields)), asked: world.now })

  const request = (params: unknown, more: Partial<SearchRequest> = {}): SearchRequest => ({ ref, params, key, now: world.now, ...more })
  const readStored = async <T>(work: (session: Session, connector: number) => Promise<T>): Promise<T> => {
    const found = await store.search(ref, work)
    if (found === undefined) throw new Error('nothing was ever stored')
    return found
  }
  const search = async (params: unknown, more: Partial<SearchRequest> = {}) => {
    const answer = await searcher.search(request(params, more))
    if (answer === undefined) throw new Error('nothing was ever stored')
    return answer
  }

  test('answers JSON of the database with every digit', async () => {
    const { json, count, cursor, tookMs } = await search({ query: { filter: { eq: { id: large } } } })
    expect(json.replaceAll(' ', '')).toBe(
      `[{"id":${large},"title":"Renewal\\"Q4\\"","made":"2026-01-02T03:04:05Z","price":"10.50","state":"open","parts":[{"n":9007199254740993,"s":"ü"}]}]`,
    )
    expect([count, cursor, Number.isInteger(tookMs)]).toEqual([1, null, true])
  })

  test('keeps, compares, sorts and answers integers of any size', async () => {
    const greatest = 2n ** 63n - 1n
    const ids = [
      -(10n ** 30n),
      -greatest - 2n,
      -greatest - 1n,
      -greatest,
      0n,
      greatest - 1n,
      greatest,
      greatest + 1n,
      2n ** 64n,
      10n ** 30n,
    ]
    const at = createRef()
    await store.writeBatch(at, { records: ids.map((id) => note(store, { id, title: `${id}` })), asked: world.now })
    const found = async (query: object): Promise<string[]> => {
      const all: string[] = []
      for (let cursor: string | null | undefined; cursor !== null; ) {
        const params = { query, limit: 3, fields: ['id'], ...(cursor === undefined ? {} : { cursor }) }
        const page = await search(params, { ref: at })
        all.push(...[...page.json.matchAll(/-?\d+/g)].map(String))
        cursor = page.cursor
      }
      return all
    }
    const texts = (those: readonly bigint[]) => those.map(String)
    expect(await found({})).toEqual(texts(ids))
    expect(await found({ sort: [{ id: 'desc' }] })).toEqual(texts(ids.toReversed()))
    // After another sort key the order of the primary key does not help.
    expect(await found({ sort: [{ state: 'asc' }, { id: 'desc' }] })).toEqual(texts(ids.toReversed()))
    for (const id of ids) {
      expect(await found({ filter: { eq: { id } } })).toEqual(texts([id]))
      expect(await found({ filter: { gt: { id } } })).toEqual(texts(ids.filter((each) => each > id)))
      expect(await found({ filter: { lte: { id } } })).toEqual(texts(ids.filter((each) => each <= id)))
      expect(await found({ filter: { like: { id: String(id) } } })).toContain(String(id))
    }
    expect(await found({ filter: { in: { id: [greatest, greatest + 2n, 0n, 10n ** 30n] } } })).toEqual(texts([0n, greatest, 10n ** 30n]))
    expect(await found({ filter: { eq: { id: null } } })).toEqual([])
    expect(
      await store.writeBatch(at, { records: [], whole: { field: 'id', values: [String(2n ** 64n)] }, asked: world.now }),
    ).toMatchObject({
      removed: 1,
    })
  })

  test('answers page after page by its own cursors', async () => {
    const titles: unknown[] = []
    const query = { sort: [{ price: 'desc' }] }
    let cursor: string | null | undefined
    do {
      const page = await search({ query, limit: 1, fields: ['title'], ...(cursor === undefined ? {} : { cursor }) })
      titles.push(...JSON.parse(page.json))
      cursor = page.cursor
    } while (cursor !== null)
    expect(titles).toEqual([{ title: 'Renewal "Q4"' }, { title: 'Pricing' }, { title: null }])
  })

  // Taking each row apart to sort some of its columns takes four times as long.
  test('sorts rows as the table has them', async () => {
    const table = store.getTable(ref.kind, ref.entity)
    const query = parseSearch(table, {
      query: { filter: { neq: { price: '1' } }, sort: [{ title: 'asc' }, { state: 'desc' }] },
      fields: ['title'],
    })
    const [outputs, columns] = await readStored(async (session, connector) => {
      const { text, values } = buildSearchStatement(query, { connector })
      const explained = await session.query<{ 'QUERY PLAN': unknown }>({ text: `explain (verbose, format json) ${text}`, values })
      const listed = await session.query<{ name: string }>({ text: selectColumns, values: [`"${table.name}"`] })
      const plans = explained.rows.map((row) => (typeof row['QUERY PLAN'] === 'string' ? JSON.parse(row['QUERY PLAN']) : row['QUERY PLAN']))
      return [plans.flatMap(findSorted), listed.rows.map(({ name }) => name)]
    })
    expect(columns.length).toBeGreaterThan(table.columns.length)
    expect(outputs.map((names) => names.map((name) => name.replace(/^.*\.|"/g, '')))).toEqual([columns])
  })

  test('takes no cursor of another key, connector or query', async () => {
    const { cursor } = await search({ query: {}, limit: 1 })
    expect(await refusal(search({ query: {}, cursor }, { key: otherKey }))).toMatch(/^invalid_cursor: .*not made here/)
    expect(await refusal(search({ query: {}, cursor }, { ref: createRef() }))).toMatch(
      /^invalid_cursor: .*another query, entity or connector/,
    )
    expect(await refusal(search({ query: { filter: {} }, cursor }))).toMatch(/^invalid_cursor/)
    expect(await refusal(search({ query: {}, cursor }, { now: world.now + 25 * 3_600_000 }))).toMatch(/older than 24 hours/)
  })

  test('tells what is wrong with its field', async () => {
    const thrown = await searcher.search(request({ query: { filter: { and: [{ eq: { color: 1 } }] } } })).catch((error: unknown) => error)
    expect(thrown).toMatchObject({
      code: 'field_not_searchable',
      errors: [{ field: '/params/query/filter/and/0/eq/color', error_code: 'unknown' }],
    })
    expect(() => searcher.listFields(request({}))).toThrow('/params/query is required')
  })

  test('tells the fields that its records will have, in their order', () => {
    expect(searcher.listFields(request({ query: {} }))).toEqual(['id', 'title', 'made', 'price', 'state', 'parts'])
    expect(searcher.listFields(request({ query: {}, fields: ['state', 'id', 'parts.s'] }))).toEqual(['state', 'id', 'parts'])
  })

  test('reads all pages, each record once', async () => {
    const pages = await Array.fromAsync(searcher.readPages(request({ query: { sort: [{ made: 'desc' }] }, fields: ['id'] }), 2))
    expect(pages.map((page) => page.map((record) => record.replaceAll(' ', '')))).toEqual([['{"id":2}', `{"id":${large}}`], ['{"id":3}']])
  })

  test('sees nothing of another connector, and knows when nothing was stored', async () => {
    expect(await searcher.search(request({ query: {} }, { ref: createRef() }))).toBeUndefined()
    const other = createRef()
    await store.writeBatch(other, { records: [note(store, { id: 2, title: 'Other' })], asked: world.now })
    expect(JSON.parse((await search({ query: {}, fields: ['title'] }, { ref: other })).json)).toEqual([{ title: 'Other' }])
  })

  test('gives up with its signal', async () => {
    const reason = new Error('the client is gone')
    await expect(search({ query: {} }, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason)
  })
})
