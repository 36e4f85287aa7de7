import { expect, test } from 'vitest'
import type { CallOptions } from '../../packages/ferrule/src/index.ts'
import { onlyUsers, startCopyWorld, syncedConnector } from '../http/search-support.ts'
import { share } from '../support/share.ts'
import { connectTo, readBody, type SentRequest, watchFetch } from './support.ts'

const world = await share(startCopyWorld('postgres'))
await syncedConnector(world, 'Copied', onlyUsers)
await world.connect('Not copied', onlyUsers)

const isExecute = ({ url }: SentRequest): boolean => url.endsWith('/execute')
const open = (more: object = {}) => connectTo(world, 'gong', { connector: 'Copied', ...more })
const textOf = (stream: ReadableStream<Uint8Array>): Promise<string> => new Response(stream).text()
const total = () => world.sandbox.gong.world.counts.users

test('a search returns rows, where they stand, and how fresh they are', async () => {
  const page = await open().users.search({ filter: { eq: { active: true } }, sort: [{ id: 'asc' }], fields: ['id', 'active'], limit: 3 })
  expect(page.data).toHaveLength(3)
  expect(page.data.map((user) => Object.keys(user).toSorted())).toEqual(Array(3).fill(['active', 'id']))
  expect(page.meta).toMatchObject({ has_more: true, cursor: expect.any(String) })
  expect(page.context_store).toMatchObject({ status: 'ready', complete: true, synced_at: expect.any(String) })
  const next = await open().users.search({
    ...{ filter: { eq: { active: true } }, sort: [{ id: 'asc' }], fields: ['id', 'active'], limit: 3 },
    cursor: page.meta.cursor,
  })
  expect(next.data.some(({ id }) => page.data.some((user) => user.id === id))).toBe(false)
})

test('its walk gives each row once', async () => {
  const { fetch, sent } = watchFetch()
  const rows = await Array.fromAsync(open({ fetch }).users.search.records({ limit: 100, fields: ['id'] }))
  expect(new Set(rows.map(({ id }) => id)).size).toBe(total())
  expect(rows).toHaveLength(total())
  const pages = await Array.fromAsync(open().users.search.pages({ limit: 100, fields: ['id'] }))
  expect(pages.flatMap(({ data }) => data)).toEqual(rows)
  expect(pages).toHaveLength(sent.filter(isExecute).length)
  expect(pages.at(-1)?.meta.has_more).toBe(false)
  const bounded = Array.fromAsync(open().users.search.pages({ limit: 100 }, { maxPages: 1 }))
  await expect(bounded).rejects.toMatchObject({ code: 'page_budget_exhausted' })
})

test('the search of the interface takes its own parameters', async () => {
  const rows = await Array.fromAsync(open().users.search.records({ sort: [{ id: 'asc' }], limit: 10 }, { maxPages: 1_000 }))
  const page = await open().users.context_store_search({ query: { sort: [{ id: 'asc' }] }, limit: 10 })
  expect(page.data).toEqual(rows.slice(0, 10))
  const executed = await open().execute('users', 'context_store_search', { query: { sort: [{ id: 'asc' }] }, limit: 10 })
  expect(executed.data).toEqual(page.data)
})

test('a filter can be text', async () => {
  const byText = await open().users.search({ filter: 'active = true and not id = "1"', sort: [{ id: 'asc' }] })
  const byJson = await open().users.search({ filter: { eq: { active: true } }, sort: [{ id: 'asc' }] })
  expect(byText.data).toEqual(byJson.data)
  expect(byText.data.length).toBeGreaterThan(0)
  const { stream } = await open().users.export({ filter: 'active = true', sort: [{ id: 'asc' }] })
  expect((await textOf(stream)).trimEnd().split('\n')).toHaveLength(byJson.data.length)
  await expect(open().users.search({ filter: 'active = ' })).rejects.toMatchObject({ errors: [{ field: '/filter', column: 10 }] })
})

test('groups and measures are those of all rows, and a page continues at its cursor', async () => {
  const rows = await Array.fromAsync(open().users.search.records({ fields: ['id', 'active', 'created'], limit: 100 }))
  const months = Map.groupBy(rows, ({ created }) => (created === null ? null : new Date(created).toISOString().slice(0, 7)))
  const asked = {
    group_by: [{ field: 'created', by: 'month', as: 'month' }],
    measures: { people: { distinct: 'id' }, all: 'count' },
    sort: [{ month: 'asc' }],
  } as const
  const { data, meta, context_store } = await open().users.aggregate(asked)
  expect(new Map(data.map(({ month, all }) => [month, all]))).toEqual(new Map([...months].map(([month, of]) => [month, of.length])))
  expect(data.every(({ people, all }) => people === all)).toBe(true)
  expect(meta).toMatchObject({ groups: months.size, has_more: false, cursor: null })
  expect(context_store.complete).toBe(true)

  const active = rows.filter(({ active: is }) => is).length
  expect((await open().users.aggregate({ filter: 'active = true' })).data).toEqual([{ count: active }])
  const byText = await open().users.aggregate({ group_by: ['active'], having: `count = ${active}` })
  expect(byText.data).toContainEqual({ active: true, count: active })
  const first = await open().users.aggregate({ ...asked, limit: 1 })
  const second = await open().users.aggregate({ ...asked, limit: 1, cursor: first.meta.cursor })
  expect([...first.data, ...second.data]).toEqual(data.slice(0, 2))
  await expect(open().users.aggregate({ having: 'all >' })).rejects.toMatchObject({ errors: [{ field: '/having', column: 6 }] })
})

test('words are looked for in any field that holds a string', async () => {
  const [user] = (await open().users.search({ filter: 'emailAddress is not null and lastName is not null', limit: 1 })).data
  const text = `${user?.lastName} ${user?.emailAddress?.split('@')[0]}`
  const byText = await open().users.search({ text, filter: { eq: { active: user?.active ?? null } } })
  expect(byText.data[0]).toEqual(user)
  expect((await open().users.context_store_search({ query: { text, filter: { eq: { active: user?.active ?? null } } } })).data).toEqual(
    byText.data,
  )
  const all = await Array.fromAsync(open().users.search.records({ limit: 1_000 }))
  expect(byText.data.length).toBeLessThan(all.length)
  const { stream } = await open().users.export({ text, fields: ['id'] })
  expect((await textOf(stream)).split('\n')[0]).toBe(JSON.stringify({ id: user?.id }))
  await expect(open().users.search({ text: '?!' })).rejects.toMatchObject({ errors: [{ field: '/params/query/text' }] })
  await expect(open().users.export({ text: 5 } as object)).rejects.toMatchObject({ errors: [{ field: '/text' }] })
})

test('freshness is asked for', async () => {
  const { fetch, sent } = watchFetch()
  await open({ fetch }).users.search({ limit: 1 }, { maxAge: 86_400, allowPartial: true })
  await open({ fetch }).users.context_store_search({ query: {} }, { maxAge: 86_400 })
  await open({ fetch }).users.list({}, {})
  expect(sent.filter(isExecute).map((request) => [readBody(request)['max_age'], readBody(request)['allow_partial']])).toEqual([
    [86_400, true],
    [86_400, undefined],
    [undefined, undefined],
  ])
  await expect(connectTo(world, 'gong', { connector: 'Not copied' }).users.search()).rejects.toMatchObject({
    code: 'context_store_not_ready',
    retryable: true,
  })
})

test('an export is a stream of all rows', async () => {
  const ndjson = await open().users.export({ sort: [{ id: 'asc' }], fields: ['id', 'settings.emailsImported'] })
  expect({ ...ndjson, stream: undefined }).toMatchObject({ status: 200, type: 'application/x-ndjson', length: null, name: 'users.ndjson' })
  const { synced_at, verified_at } = (await open().users.search({ limit: 1 })).context_store
  expect(ndjson.context_store).toEqual({ synced_at, verified_at })
  expect(synced_at).toEqual(expect.any(String))
  const lines = (await textOf(ndjson.stream)).trimEnd().split('\n')
  const rows = await Array.fromAsync(open().users.search.records({ sort: [{ id: 'asc' }], fields: ['id', ['settings', 'emailsImported']] }))
  expect(lines.map((line) => JSON.parse(line))).toEqual(rows)
  expect(rows).toHaveLength(total())
  const csv = await open().users.export({ format: 'csv', filter: { eq: { active: true } }, fields: ['id'] }, { allowPartial: true })
  expect(csv).toMatchObject({ type: expect.stringContaining('text/csv'), name: 'users.csv' })
  const active = await Array.fromAsync(open().users.search.records({ filter: { eq: { active: true } } }))
  expect((await textOf(csv.stream)).trimEnd().split('\r\n')).toEqual(['id', ...active.map(({ id }) => id)])
})

test('a cut export fails, and never ends as if it were whole', async () => {
  const { fetch } = watchFetch(async ({ url }, pass) => {
    const answer = await pass()
    if (!url.includes('/export')) return answer
    const reader = answer.body?.getReader()
    const cut = new ReadableStream({
      pull: async (controller) => {
        const first = await reader?.read()
        controller.enqueue(first?.value)
        controller.error(new TypeError('terminated'))
      },
    })
    return new Response(cut, answer)
  })
  const { stream } = await open({ fetch }).users.export()
  await expect(textOf(stream)).rejects.toMatchObject({ code: 'service_unreachable', message: expect.stringContaining('broke off after') })
})

test('what is wrong is refused with its field', async () => {
  const gong = open()
  await expect(gong.users.search({ filters: {} } as object)).rejects.toMatchObject({ errors: [{ field: '/filters' }] })
  await expect(gong.users.export({ limit: 3 } as object)).rejects.toMatchObject({ errors: [{ field: '/limit' }] })
  await expect(gong.users.export({ fields: ['a,b'] } as object)).rejects.toMatchObject({ errors: [{ field: '/fields/0' }] })
  await expect(gong.users.search({ filter: { eq: { name: 'a' } } } as object)).rejects.toMatchObject({
    code: 'field_not_searchable',
    errors: [{ field: expect.stringContaining('/filter/eq/name') }],
  })
  await expect(gong.users.list({}, { maxAge: 'old' } as CallOptions)).rejects.toMatchObject({ errors: [{ field: '/maxAge' }] })
})
