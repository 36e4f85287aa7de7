/** A kind of a file calls its vendor, also for entities whose names the library uses itself. */
import { describe, expect, test } from 'vitest'
import { connect } from '../../packages/ferrule/src/core.ts'
import { parseKind } from '../../packages/ferrule/src/kind-file/index.ts'
import { serve } from '../engine/support.ts'
import { kindHead } from '../support/kind-head.ts'
import { share } from '../support/share.ts'

const file = `${kindHead('notes')}path: /v1
check: pages.list
pages:
  cursor: { next: next, send: after, size: size=2 }
lists: { at: items, pages: cursor }
entities:
  pages:
    about: Pages
    fields: { id: integer Id, name: string? Name }
    list: { call: GET /pages, params: { state: open|closed State } }
    get: GET /pages/{id}
    create: { call: POST /pages, wrap: page, body: { name: string! Name } }
  keyed:
    about: Pages by their ids
    fields: { id: integer Id, name: string? Name }
    list: { call: GET /keyed, at: pages, keyed: id, pages: none, params: { of: string Which } }
`

/** Answers with rows below their ids. */
const keyed: Readonly<Record<string, string>> = {
  '/v1/keyed': '{"pages":{"9007199254740993":{"name":"A"},"7":{"id":"other","name":"B"},"__proto__":{"name":"C"}}}',
  '/v1/keyed?of=none': '{"pages":[]}',
  '/v1/keyed?of=list': '{"pages":[{"name":"A"}]}',
  '/v1/keyed?of=texts': '{"pages":{"7":"B"}}',
}
const items = [1, 2, 3, 4, 5].map((id) => ({ id, name: `Page ${id}` }))
const asked: string[] = []
const vendor = serve(({ method, url, headers, body }) => {
  asked.push(`${method} ${url} ${headers.authorization ?? ''} ${body}`.trim())
  const { pathname, searchParams } = new URL(url, 'http://localhost')
  const after = Number(searchParams.get('after') ?? 0)
  const page = items.filter(({ id }) => id > after).slice(0, 2)
  const last = page.at(-1)?.id
  const list = { items: page, next: last === items.length ? '' : String(last) }
  const answer = method === 'POST' ? { id: 9, name: 'New' } : pathname === '/v1/pages' ? list : { id: 1 }
  return { body: keyed[url] ?? answer }
})
const { origin } = await share(vendor)

const connectNotes = async () => connect(await parseKind(file), { credentials: { key: 'k1' }, origin })

describe('a kind of a file', () => {
  test('walks all pages, reads and writes', async () => {
    const notes = await connectNotes()
    const pages = notes.entity('pages')
    const records = await Array.fromAsync(pages.records())
    expect(records).toEqual(items)
    expect((await pages.get({ id: 1 })).data).toEqual({ id: 1, name: null })
    expect((await pages.create({ name: 'New' })).data).toEqual({ id: 9, name: 'New' })
    expect(asked.at(-1)).toBe('POST /v1/pages Bearer k1 {"page":{"name":"New"}}')
    await notes.close()
  })

  test('reads rows that stand below their keys', async () => {
    await using notes = await connectNotes()
    const list = async (of?: string) => (await notes.entity('keyed').list(of === undefined ? {} : { of })).data
    const rows = [
      { id: 7, name: 'B' },
      { id: 9_007_199_254_740_993n, name: 'A' },
      { id: '__proto__', name: 'C' },
    ]
    expect(await list()).toEqual(rows)
    expect(await list('none')).toEqual([])
    for (const which of ['list', 'texts']) await expect(list(which)).rejects.toMatchObject({ code: 'upstream_answer_invalid' })
  })

  test('keeps its own members beside an entity of the same name', async () => {
    const notes = await connectNotes()
    const sizes = await Array.fromAsync(notes.pages('pages'), (page) => page.data.length)
    expect(sizes).toEqual([2, 2, 1])
    await notes.check()
    await notes.close()
  })

  test('refuses wrong parameters, and entities that it lacks', async () => {
    const notes = await connectNotes()
    await expect(notes.entity('pages').list({ state: 'other' })).rejects.toMatchObject({ errors: [{ field: '/params/state' }] })
    expect(() => notes.entity('page')).toThrow('notes has no entity page. It has: pages')
    await notes.close()
  })

  test('reaches such entities of the service too', async () => {
    const bodies: unknown[] = []
    const answer = async (_input: unknown, init?: RequestInit): Promise<Response> => {
      bodies.push(init?.body)
      return Response.json({ data: { id: 1 }, meta: {} })
    }
    const hosted = connect(await parseKind(file), {
      url: 'https://ferrule.example',
      token: 't',
      connector: '00000000-0000-4000-8000-000000000001',
      fetch: answer,
    })
    expect((await hosted.entity('pages').get({ id: 1 })).data).toEqual({ id: 1 })
    expect(bodies.join()).toContain('"entity":"pages","action":"get"')
    await hosted.close()
  })
})
