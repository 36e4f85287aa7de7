import { describe, expect, test } from 'vitest'
import { connector, entity, int, list, obj, open, opt, secret, str } from '../../packages/ferrule/src/definition/index.ts'
import type { NextPages } from '../../packages/ferrule/src/definition/page.ts'
import { connectLocally } from '../../packages/ferrule/src/engine/local.ts'
import { everythingApart, readable } from '../conformance/run.ts'
import { fixed, type Reply, type Seen, serve, testEngine } from './support.ts'

/** What a vendor answers to a request. */
type Answer = (url: URL, seen: Seen) => Exclude<Reply, (...never: never[]) => unknown>

const readUrl = ({ url }: Seen): URL => new URL(url, 'http://vendor')
const startVendor = (answer: Answer) => serve((seen) => answer(readUrl(seen), seen))

const ids = Array.from({ length: 7 }, (_, index) => `n${index}`)
const rows = (from: number, size: number) => ids.slice(from, from + size).map((id) => ({ id }))
const size = { send: 'size', most: 3 }
const base = { shape: 'next', size } as const

/** How a vendor pages: the words, and its answer to a request for a page of three. */
const ways: Readonly<Record<string, readonly [page: NextPages, answer: Answer]>> = {
  'a cursor that is empty at the end': [
    { ...base, position: 'next', send: 'after' },
    (url) => {
      const from = Number(url.searchParams.get('after') ?? 0)
      return { body: { list: rows(from, 3), next: from + 3 < 7 ? String(from + 3) : '' } }
    },
  ],
  'a cursor that the last page has too, and a flag': [
    { ...base, position: 'meta.after', send: 'page[after]', more: 'meta.more' },
    (url) => {
      const from = Number(url.searchParams.get('page[after]') ?? 0)
      return { body: { list: rows(from, 3), meta: { after: String(from + 3), more: from + 3 < 7 } } }
    },
  ],
  'the last row, and a flag': [
    { ...base, position: 'last:id', send: 'starting_after', more: 'has_more' },
    (url) => {
      const from = ids.indexOf(url.searchParams.get('starting_after') ?? '') + 1
      return { body: { list: rows(from, 3), has_more: from + 3 < 7 } }
    },
  ],
  'the last row until a page is empty': [
    { ...base, position: 'last:id', send: 'starting_after', more: 'rows' },
    (url) => ({ body: { list: rows(ids.indexOf(url.searchParams.get('starting_after') ?? '') + 1, 3) } }),
  ],
  'an address that the empty page has too': [
    { ...base, position: '@odata\\.nextLink', more: 'rows' },
    (url) => {
      const from = Number(url.searchParams.get('from') ?? 0)
      return { body: { list: rows(from, 3), '@odata.nextLink': `/v1/notes?from=${from + 3}` } }
    },
  ],
  'an offset, and a total': [
    { ...base, position: 'rows', send: 'offset', total: 'total' },
    (url) => ({ body: { list: rows(Number(url.searchParams.get('offset') ?? 0), 3), total: 7 } }),
  ],
  'an offset, and a flag of the last page': [
    { ...base, position: 'rows', send: 'startAt', more: '!isLast' },
    (url) => {
      const from = Number(url.searchParams.get('startAt') ?? 0)
      return { body: { list: rows(from, 3), isLast: from + 3 >= 7 } }
    },
  ],
  'a page number until a page is not full': [
    { ...base, position: 'pages', send: 'page' },
    (url) => ({ body: { list: rows((Number(url.searchParams.get('page') ?? 1) - 1) * 3, 3) } }),
  ],
  'a page number from 0': [
    { ...base, position: 'pages', first: 0, send: 'page', total: 'count' },
    (url) => ({ body: { list: rows(Number(url.searchParams.get('page') ?? 0) * 3, 3), count: 7 } }),
  ],
  'the Link header': [
    { ...base, position: 'link:next' },
    (url, { headers: { host } }) => {
      const page = Number(url.searchParams.get('p') ?? 1)
      const link = `<http://${host}/v1/notes?p=${page + 1}&size=3>; rel="next"`
      return { headers: page < 3 ? { link } : {}, body: { list: rows((page - 1) * 3, 3) } }
    },
  ],
  'a URL with another path': [
    { ...base, position: 'nextUrl' },
    (url) => {
      const from = Number(/more-(\d)/.exec(url.pathname)?.[1] ?? 0)
      return { body: { list: rows(from, 3), nextUrl: from + 3 < 7 ? `/v1/query/more-${from + 3}` : null } }
    },
  ],
  'a header': [
    { ...base, position: 'header:x-next', send: 'token' },
    (url) => {
      const from = Number(url.searchParams.get('token') ?? 0)
      return { headers: from + 3 < 7 ? { 'x-next': String(from + 3) } : {}, body: { list: rows(from, 3) } }
    },
  ],
}

/** Makes a kind with one way of paging. */
function makeNotes(
  page: NextPages = { ...base, position: 'next', send: 'after' },
  call: 'GET /notes' | 'POST /notes/search' = 'GET /notes',
) {
  const notes = entity({
    about: 'Notes',
    key: ['id'],
    record: { id: str('Id') },
    list: {
      call,
      at: 'list',
      page: 'way',
      lists: 'repeat',
      params: {
        cursor: opt(str('Position')),
        limit: opt(int('Size')),
        'created[gte]': opt(str('From')),
        tags: opt(list(str('Tag'), 'Tags')),
      },
    },
    create: {
      call: 'POST /notes',
      at: '',
      body: 'form',
      lists: 'brackets',
      once: 'idempotency-key',
      params: {
        title: str('Title'),
        metadata: opt(open('Metadata')),
        tags: opt(list(str('Tag'), 'Tags')),
        items: opt(list(obj({ price: str('Price') }, 'Item'), 'Items')),
      },
    },
    update: {
      call: 'PATCH /notes/{id}',
      at: '',
      query: ['notify'],
      answers: 'part',
      params: { id: str('Id'), title: opt(str('Title')), notify: opt(str('Notify')) },
    },
    delete: { call: 'DELETE /notes/{id}', at: '', answers: 'nothing', params: { id: str('Id') } },
  })
  const tags = opt(list(str('Tag'), 'Tags'))
  const unpaged = entity({
    about: 'Notes',
    key: ['id'],
    record: { id: str('Id') },
    list: { call: 'GET /notes', at: 'list', params: { tags } },
  })
  const single = entity({
    about: 'Notes',
    key: ['id'],
    record: { id: str('Id') },
    list: {
      call: 'GET /notes',
      at: 'list',
      onePage: 'The vendor sends all notes.',
      text: {
        jql: {
          lead: 'WHERE ',
          parts: ['project = {project}', 'updated >= {since|bare}'],
          join: ' AND ',
          end: ' ORDER BY updated',
          quote: '"',
        },
        filter: { parts: ['state = {state|bare}'], join: ' AND ', quote: '"' },
      },
      params: { project: opt(str('Project')), since: opt(str('Since')), state: opt(str('State')) },
      defaults: { state: 'open' },
    },
    get: { call: 'GET /notes/{id}', at: '', rows: { merge: ['properties'] }, params: { id: str('Id') } },
  })
  return connector({
    kind: 'notes',
    title: 'Notes',
    category: 'notes',
    about: 'Notes of people',
    id: '6f9619ff-8b86-4d01-b42d-00cf4fc964ff',
    documentation: 'https://notes.example/docs',
    origins: { api: 'https://api.notes.example' },
    prefix: '/v1',
    headers: { 'notes-version': '2026-01-01' },
    credentials: {
      basic: {
        title: 'Basic',
        fields: { mail: str('Mail'), token: secret('Token') },
        send: { headers: { authorization: 'Basic {mail}/token:{token}' } },
      },
      key: {
        title: 'Key',
        fields: { key: secret('Key'), account: opt(str('Account')) },
        send: { headers: { 'x-account': '{account}' }, query: { api_key: '{key}' } },
      },
    },
    configuration: {},
    pages: { way: page },
    problem: { message: ['error'], code: 'error', failed: { at: 'ok', is: false } },
    errors: [
      { codes: ['ratelimited'], is: 'upstream_rate_limited' },
      { contains: 'NOT ALLOWED', is: 'upstream_permission_denied' },
      { statuses: [400, 499], is: 'upstream_invalid_request' },
      { statuses: [500, 599], is: 'upstream_error' },
    ],
    limits: {
      key: ['key', 'token'],
      rates: [{ calls: 1_000, seconds: 60 }],
      window: { left: 'x-left', resets: 'x-reset', form: 'seconds' },
    },
    check: { entity: 'notes', action: 'list', params: {} },
    entities: { notes, unpaged, single },
  })
}

/** Makes a connector of the kind, at a vendor. */
const connectNotes = (origin: string, ...how: Parameters<typeof makeNotes>) =>
  connectLocally(makeNotes(...how), { credentials: { key: 'key-1' }, origin })

const collect = (walk: AsyncIterable<{ readonly id: string }>) => Array.fromAsync(walk, ({ id }) => id)

describe('pages', () => {
  test.each(Object.entries(ways))('go on by %s: every record once, and no request too many', async (_name, [page, answer]) => {
    await using vendor = await startVendor(answer)
    await using notes = connectNotes(vendor.origin, page)
    expect(await collect(notes.notes.records())).toEqual(ids)
    expect(vendor.seen).toHaveLength(page.more === 'rows' ? 4 : 3)
    expect(vendor.seen.every((seen) => readUrl(seen).searchParams.get('size') === '3' || page.send === undefined)).toBe(true)
  })

  test('a cursor belongs to its list, its filters and its connector: others refuse it before anything is sent', async () => {
    await using vendor = await startVendor((url) => ({ body: { list: rows(0, 3), next: url.searchParams.has('after') ? null : 'x' } }))
    await using notes = connectNotes(vendor.origin)
    const { meta } = await notes.notes.list({ 'created[gte]': '1' })
    const cursor = meta.next_params?.cursor ?? ''
    expect(meta).toEqual({ cursor, total_records: null, next_params: { cursor } })
    const refused = { code: 'invalid_parameter', errors: [{ field: '/params/cursor' }] }
    await expect(notes.notes.list({ cursor, 'created[gte]': '2' })).rejects.toMatchObject(refused)
    await expect(notes.notes.list({ cursor: `A${cursor.slice(1)}`, 'created[gte]': '1' })).rejects.toMatchObject(refused)
    await expect(notes.notes.list({ cursor: 'x' })).rejects.toMatchObject(refused)
    expect(vendor.seen).toHaveLength(1)
    await notes.notes.list({ cursor, 'created[gte]': '1', limit: 2 })
    expect(vendor.seen[1]?.url).toBe('/v1/notes?created%5Bgte%5D=1&size=2&after=x&api_key=key-1')
  })

  test.each([
    ['another host', 'https://elsewhere.example/v1/notes?p=2'],
    ['a path above the prefix', '/v2/notes?p=2'],
    ['a user in the address', 'http://user@127.0.0.1/v1/notes'],
  ])('a next URL with %s gets no credentials', async (_name, nextUrl) => {
    await using vendor = await startVendor(() => ({ body: { list: rows(0, 3), nextUrl } }))
    await using notes = connectNotes(vendor.origin, { ...base, position: 'nextUrl' })
    await expect(collect(notes.notes.records())).rejects.toMatchObject({ code: 'upstream_answer_invalid' })
    expect(vendor.seen.map(({ url }) => url)).toEqual(['/v1/notes?size=3&api_key=key-1'])
  })

  test('an empty page of which the vendor says that it is not the last is no end', async () => {
    await using vendor = await startVendor(() => ({ body: { list: [], more: true } }))
    for (const position of ['rows', 'pages', 'next', 'last:id']) {
      await using notes = connectNotes(vendor.origin, { ...base, position, send: 'from', more: 'more' })
      await expect(collect(notes.notes.records())).rejects.toMatchObject({ code: 'upstream_answer_invalid' })
    }
  })

  test('a vendor that says more and not where, or the same page again, ends the walk with an error', async () => {
    await using more = await startVendor(() => ({ body: { list: rows(0, 3), more: true } }))
    await using first = connectNotes(more.origin, { ...base, position: 'next', send: 'after', more: 'more' })
    await expect(collect(first.notes.records())).rejects.toMatchObject({ code: 'upstream_answer_invalid' })
    await using same = await startVendor(() => ({ body: { list: rows(0, 3), next: 'x' } }))
    await using second = connectNotes(same.origin)
    await expect(collect(second.notes.records())).rejects.toMatchObject({ code: 'upstream_answer_invalid' })
  })
})

describe('requests', () => {
  test('with a body carry the position and the size in the query, if the vendor takes them there', async () => {
    await using vendor = await startVendor((url) => ({ body: { list: rows(0, 3), next: url.searchParams.has('after') ? null : 'x' } }))
    await using notes = connectNotes(vendor.origin, { ...base, position: 'next', send: 'after', in: 'query' }, 'POST /notes/search')
    await collect(notes.notes.records({ 'created[gte]': '1' }))
    const sent = vendor.seen.map(({ url, body }) => [decodeURIComponent(url), body])
    const body = '{"created[gte]":"1"}'
    expect(sent).toEqual([
      ['/v1/notes/search?size=3&api_key=key-1', body],
      ['/v1/notes/search?after=x&size=3&api_key=key-1', body],
    ])
  })

  test('write texts of query languages, with every value quoted', async () => {
    await using vendor = await startVendor(() => ({ body: { list: [] } }))
    await using notes = connectNotes(vendor.origin)
    await notes.single.list({ project: 'A" OR "1"="1', since: '2026-01-01T00:00:00Z' })
    await notes.single.list({ project: '\\" OR' })
    await notes.single.list()
    expect(vendor.seen.map((seen) => readUrl(seen).searchParams.get('jql'))).toEqual([
      'WHERE project = "A\\" OR \\"1\\"=\\"1" AND updated >= 2026-01-01T00:00:00Z ORDER BY updated',
      'WHERE project = "\\\\\\" OR" ORDER BY updated',
      ' ORDER BY updated',
    ])
    await notes.single.list({ state: 'done' })
    const queries = vendor.seen.map((seen) => readUrl(seen).searchParams)
    expect(queries.map((query) => query.get('filter'))).toEqual(['state = open', 'state = open', 'state = open', 'state = done'])
    expect(queries.flatMap((query) => [...query.keys()])).not.toContain('state')
    const refused = { code: 'invalid_parameter' }
    await expect(notes.single.list({ project: 'a\nb' })).rejects.toMatchObject({ ...refused, errors: [{ field: '/params/project' }] })
    await expect(notes.single.list({ since: '1 OR 1=1' })).rejects.toMatchObject({ ...refused, errors: [{ field: '/params/since' }] })
  })

  test('have the kind’s headers, credentials in the query, and lists as the vendor takes them', async () => {
    await using vendor = await startVendor(() => ({ body: { list: [] } }))
    await using notes = connectNotes(vendor.origin)
    await notes.notes.list({ tags: ['a', 'b'] })
    expect(vendor.seen[0]?.headers).toMatchObject({ 'notes-version': '2026-01-01' })
    expect(vendor.seen[0]?.headers['x-account']).toBeUndefined()
    expect(vendor.seen[0]?.url).toBe('/v1/notes?tags=a&tags=b&size=3&api_key=key-1')
  })

  test('a form has brackets, and a repeated write has the key of the first', async () => {
    await using vendor = await serve((_seen, count) => (count === 1 ? { status: 503, body: { error: 'not now' } } : { body: { id: 'n9' } }))
    await using notes = connectNotes(vendor.origin)
    const { data } = await notes.notes.create({ title: 'A & B', metadata: { order: 7 }, tags: ['a', 'b'], items: [{ price: 'p1' }] })
    expect(data).toEqual({ id: 'n9' })
    const form = 'title=A+&+B&metadata[order]=7&tags[]=a&tags[]=b&items[0][price]=p1'
    expect(vendor.seen.map(({ body }) => decodeURIComponent(body))).toEqual([form, form])
    expect(vendor.seen[0]?.headers['content-type']).toBe('application/x-www-form-urlencoded')
    const keys = vendor.seen.map(({ headers }) => headers['idempotency-key'])
    expect(keys[0]).toMatch(/^[0-9a-f-]{36}$/)
    expect(keys[1]).toBe(keys[0])
  })

  test('a write without such a key is sent once, and a lost answer is an unknown outcome', async () => {
    await using vendor = await serve(() => (response) => response.destroy())
    await using notes = connectNotes(vendor.origin)
    await expect(notes.notes.update({ id: 'n1', title: 'B', notify: 'no' })).rejects.toMatchObject({ code: 'outcome_unknown' })
    expect(vendor.seen.map(({ method, url, body }) => [method, url, body])).toEqual([
      ['PATCH', '/v1/notes/n1?notify=no&api_key=key-1', '{"title":"B"}'],
    ])
  })

  test('a record whose fields lie in parts is one record, as in lists', async () => {
    await using vendor = await startVendor(() => ({ body: { id: 'n1', properties: { title: 'A', id: 'other' } } }))
    await using notes = connectNotes(vendor.origin)
    expect((await notes.single.get({ id: 'n1' })).data).toEqual({ title: 'A', id: 'n1' })
  })

  test('answers that a thread parses are the same: a record whose fields lie in parts, a part of a record, and nothing', async () => {
    const answers = { GET: { id: 'n1', properties: { title: 'A' } }, PATCH: { id: 'n1' }, DELETE: { id: 'n1', more: 'words' } }
    await using vendor = await startVendor((_url, { method }) => ({ body: answers[method as keyof typeof answers] }))
    const kind = makeNotes()
    await using engine = testEngine({ apart: everythingApart({ notes: kind }) })
    const connection = { kind, configuration: {}, credentials: fixed({ key: 'key-1' }), origin: { api: vendor.origin } }
    const run = async (entity: string, action: string) => {
      const outcome = await engine.run(connection, { entity, action, params: { id: 'n1' } })
      return 'data' in outcome ? readable(outcome.data) : undefined
    }
    expect(await run('single', 'get')).toEqual({ id: 'n1', title: 'A' })
    expect(await run('notes', 'update')).toEqual({ id: 'n1' })
    expect(await run('notes', 'delete')).toEqual({})
  })

  test('an answer without a body, or with a part of the record, is what a write answers', async () => {
    await using vendor = await startVendor((_url, { method }) => (method === 'DELETE' ? { status: 204 } : { body: { id: 'n1' } }))
    await using notes = connectNotes(vendor.origin)
    expect((await notes.notes.delete({ id: 'n1' })).data).toEqual({})
    expect((await notes.notes.update({ id: 'n1' })).data).toEqual({ id: 'n1' })
  })
})

describe('errors', () => {
  test.each([
    ['within a success', 200, { ok: false, error: 'ratelimited' }, 'upstream_rate_limited'],
    ['by words in any case', 403, { error: 'You are not allowed to' }, 'upstream_permission_denied'],
    ['of an unknown code within a success', 200, { ok: false, error: 'weird' }, 'upstream_error'],
  ])('%s', async (_name, status, body, code) => {
    await using vendor = await startVendor(() => ({ status, headers: { 'x-reset': '120' }, body }))
    await using notes = connectNotes(vendor.origin)
    await expect(notes.notes.list()).rejects.toMatchObject({ code })
  })

  test('a window that is used up makes the next call wait until its end, but no longer than the declared window', async () => {
    await using vendor = await startVendor(() => ({ headers: { 'x-left': '0', 'x-reset': '50' }, body: { list: [] } }))
    await using notes = connectNotes(vendor.origin)
    await notes.notes.list()
    const soon = { deadlineMs: 30_000 }
    await expect(notes.notes.list({}, soon)).rejects.toMatchObject({ code: 'upstream_rate_limited' })
    expect(vendor.seen).toHaveLength(1)
    await using wrong = await startVendor(() => ({ headers: { 'x-left': '0', 'x-reset': '86400' }, body: { list: [] } }))
    await using others = connectNotes(wrong.origin)
    await others.notes.list()
    await others.notes.list({}, soon)
  })
})
