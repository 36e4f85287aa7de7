/** Fields that an account has of its own: a call describes them, and they are asked for. */
import { beforeEach, expect, test } from 'vitest'
import { connect } from '../../packages/ferrule/src/core.ts'
import { buildKindDocument } from '../../packages/ferrule/src/document/build-documents.ts'
import { parseKind } from '../../packages/ferrule/src/kind-file/index.ts'
import { serve } from '../engine/support.ts'
import { kindHead } from '../support/kind-head.ts'
import { share } from '../support/share.ts'

const file = `${kindHead('desk')}check: tickets.list
entities:
  tickets:
    about: Tickets
    fields: { id: integer Id, title: string? Title, own: object Fields of the account }
    described: { run: columns.list, params: { of: tickets }, name: id, where: '!builtIn' }
    list:
      call: GET /tickets
      at: items
      pages: none
      because: Few
      merge: [fields]
      rest: own
      params: { fields: string Names, state: string State }
      text: { q: { start: 'SELECT {fields},{described} FROM tickets', lead: ' WHERE ', parts: ['state = {state}'], quote: "'" } }
      defaults: { fields: '{fields},{described}' }
  records:
    about: Records of a type that the account made
    key: [of, id]
    fields: { of: string Type, id: integer Id, own: object Fields of the account }
    from: { of: { param: of } }
    described: { run: columns.list, params: { of: '{of}' }, name: id }
    list:
      call: GET /records/{of}
      at: items
      pages: none
      because: Few
      rest: own
      params: { fields: string Names }
      defaults: { fields: '{fields},{described}' }
  columns:
    about: Fields of tickets
    fields: { id: string Id, builtIn: boolean? Whether every account has it }
    list: { call: 'GET /columns/{of}', at: items, pages: none, because: Few }
`

/** Answers for a type that the account made: each has columns of its own. */
function answerTyped({ pathname, searchParams }: URL): object {
  asked.push(`${pathname} ${searchParams.get('fields') ?? ''}`.trim())
  const own = pathname.endsWith('ships') ? { crew: 9 } : { places: 3 }
  const items = pathname.startsWith('/columns/') ? Object.keys(own).map((id) => ({ id })) : [{ id: 1, self: '/1', ...own }]
  return { items }
}

let columns: unknown
const asked: string[] = []
const vendor = serve(({ url: path }) => {
  const url = new URL(path, 'http://localhost')
  if (url.pathname.startsWith('/records/') || /columns.(ships|docks)/.test(url.pathname)) return { body: answerTyped(url) }
  const isColumns = url.pathname === '/columns/tickets'
  asked.push(isColumns ? 'columns' : `${url.searchParams.get('fields')} | ${url.searchParams.get('q')}`)
  const fields = { title: 'Hello', cf_1: 'blue', cf_2: { value: 7 } }
  const body = isColumns ? columns : { items: [{ id: 1, self: '/1', fields }] }
  return { status: isColumns && columns === undefined ? 403 : 200, body: body ?? { message: 'not allowed' } }
})
const { origin } = await share(vendor)
beforeEach(() => {
  asked.length = 0
  columns = {
    items: [
      { id: 'title', builtIn: true },
      { id: 'cf_1' },
      { id: 'id' },
      { id: 'a, b FROM secrets' },
      { id: 'cf_2', builtIn: false },
      { name: 'no id' },
    ],
  }
})

const read = async () => connect(await parseKind(file), { credentials: { key: 'k1' }, origin })

test('are asked for by the names that plain texts can hold, each once, and stand in one object of the record', async () => {
  const desk = await read()
  const { data, meta } = await desk.entity('tickets').list({})
  expect(data).toEqual([{ id: 1, self: '/1', title: 'Hello', own: { cf_1: 'blue', cf_2: { value: 7 } } }])
  const names = 'id,title,cf_1,cf_2'
  expect(asked).toEqual(['columns', `${names} | SELECT ${names} FROM tickets`])
  expect(meta).toMatchObject({ warnings: ['1 of the 4 fields that the account has for tickets are not asked for.'] })
  await desk.entity('tickets').list({ state: 'open' })
  expect(asked.slice(2)).toEqual([`${names} | SELECT ${names} FROM tickets WHERE state = 'open'`]) // the description is kept
})

test('a description that the credentials may not read leaves the others, and says so', async () => {
  columns = undefined
  const { data, meta } = await (await read()).entity('tickets').list({})
  expect(data).toHaveLength(1)
  expect(asked).toEqual(['columns', 'id,title | SELECT id,title FROM tickets'])
  expect(meta).toMatchObject({ warnings: [expect.stringMatching(/^The fields that the account has for tickets are missing: /)] })
})

test('of each type that the account made are described by themselves, once', async () => {
  const records = (await read()).entity('records')
  for (let count = 0; count < 2; count += 1) {
    expect((await records.list({ of: 'ships' })).data).toEqual([{ of: 'ships', id: 1, self: '/1', own: { crew: 9 } }])
    expect((await records.list({ of: 'docks' })).data).toEqual([{ of: 'docks', id: 1, self: '/1', own: { places: 3 } }])
  }
  const listed = ['/records/ships id,crew', '/records/docks id,places']
  expect(asked).toEqual(['/columns/ships', listed[0], '/columns/docks', listed[1], ...listed])
})

test('agents and people read where they are described', async () => {
  const { entities } = buildKindDocument((await parseKind(file)).definition)
  const lists = entities.map(({ actions }) => actions.find(({ action }) => action === 'list')?.description)
  expect(lists).toEqual([
    'Tickets. Fields of the account in own are those of columns list (of: tickets)',
    'Records of a type that the account made. Fields of the account in own are those of columns list (of: that of the call)',
    'Fields of tickets',
  ])
})

test('a definition that is wrong about them is refused', async () => {
  const wrong: readonly (readonly [from: string, to: string, says: string])[] = [
    ['run: columns.list', 'run: rows.list', 'rows is not an entity with a list'],
    ['run: columns.list', 'run: columns.get', 'must be a list'],
    ['params: { of: tickets }', 'params: { off: tickets }', 'off is not a parameter of columns.list'],
    ["params: { of: '{of}' }", "params: { of: '{off}' }", 'off is not a parameter of records'],
    ["params: { of: '{of}' }", "params: { of: '{fields}' }", 'asks for {described} of fields, which is not a required parameter'],
    ["where: '!builtIn'", 'where: builtin', 'builtin is not a field of columns'],
    ['name: id,', 'name: idd,', 'idd is not a field of columns'],
    ['rest: own', 'rest: others', 'keeps the rest in others, which is not a field of the record'],
    [
      "    described: { run: columns.list, params: { of: tickets }, name: id, where: '!builtIn' }\n",
      '',
      'asks for {described}, which nothing describes',
    ],
  ]
  for (const [from, to, says] of wrong) await expect(parseKind(file.replace(from, to)), says).rejects.toThrow(says)
})
