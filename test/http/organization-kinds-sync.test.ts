/** Copies of kinds that organizations bring: synced, searched, moved between versions, and apart from those of others. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { overStatements, startCopyWorld } from './search-support.ts'
import { base, client, connectorsPath, type Json, tokenPath, type World } from './support.ts'

const print = (fields: string, more = ''): string => `
kind: acme
title: Acme Desk
category: help desk
about: Tickets of customers
docs: https://acme.example.com/docs
api: https://api.acme.example.com
auth: { token: { title: Token, fields: { token: secret Token }, send: { authorization: 'Bearer {token}' } } }
check: tickets.list
entities:
  tickets:
    about: Questions of customers
    fields: { ${fields} }
    list: { call: GET /tickets, pages: none }
    sync: {}${more}
`

const recordings = (rows: readonly object[]): string =>
  JSON.stringify({
    kind: 'acme',
    recordings: [
      {
        call: 'tickets.list',
        source: 'document',
        from: 'https://acme.example.com/docs',
        one_page: 'It has one.',
        exchanges: [{ request: 'GET /tickets', answer: { body: rows } }],
      },
    ],
  })

const first = [
  { id: 1, subject: 'Printer on fire', state: 'open' },
  { id: 2, subject: 'Lost password', state: 'closed' },
]

overStatements('a copy', (engine) => {
  let world: World
  let other: { readonly token: string }
  beforeAll(async () => {
    world = await startCopyWorld(engine)
    const { json: made } = await world.ask(`${base}/organizations`, { token: world.token, body: { name: 'Other' } })
    const headers = { 'x-organization-id': made.id }
    const issued = await world.ask(tokenPath, { headers, body: { client_id: client.id, client_secret: client.secret } })
    other = { token: issued.json.access_token }
  })
  afterAll(() => world.close())

  const publish = async (fields: string, rows: readonly object[], token = world.token): Promise<number> => {
    const sent = { method: 'PUT', token, body: { file: print(fields), recordings: recordings(rows) } }
    return (await world.ask(`${base}/kinds/acme`, sent)).json.version
  }
  const connect = async (name: string, token = world.token): Promise<string> => {
    const body = { workspace_name: 'default', connector_type: 'acme', name, credentials: { token: 'any' }, environment: { sandbox: true } }
    return (await world.ask(connectorsPath, { token, body })).json.id
  }
  const move = (id: string, version: number) =>
    world.ask(`${connectorsPath}/${id}`, { method: 'PATCH', token: world.token, body: { kind_version: version } })
  const find = async (id: string, filter: object, token = world.token): Promise<Json> =>
    (await world.execute(id, { entity: 'tickets', action: 'context_store_search', params: { query: { filter } } }, token)).json
  /** A filter that every record meets. */
  const everything = { not: { eq: { subject: 'no record has it' } } }
  const settle = async (): Promise<void> => {
    for (let turn = 0; turn < 4; turn += 1) await world.context.sync()
  }

  test('is searched, moves with its connector, and is never that of another organization', async () => {
    await publish('id: integer Id, subject: string Subject', first)
    await publish('id: string Id, subject: integer Subject', [{ id: 'a', subject: 7 }], other.token)
    const [mine, stays, theirs] = [await connect('Mine'), await connect('Stays'), await connect('Theirs', other.token)]
    await settle()
    expect((await find(mine, { fuzzy: { subject: 'printer' } })).data).toEqual([{ id: 1, subject: 'Printer on fire' }])
    expect((await find(theirs, { gt: { subject: 6 } }, other.token)).data).toEqual([{ id: 'a', subject: 7 }])

    // A new field: the rows stay, and are read again.
    const second = await publish('id: integer Id, subject: string Subject, state: string? State', first)
    expect((await move(mine, second)).json.kind_version).toBe(second)
    await settle()
    expect((await find(mine, { eq: { state: 'open' } })).data).toEqual([{ id: 1, subject: 'Printer on fire', state: 'open' }])
    expect((await find(stays, { eq: { id: 2 } })).data).toEqual([{ id: 2, subject: 'Lost password' }])

    // Another type: the copy is emptied and filled again.
    const third = await publish('id: integer Id, subject: string Subject, state: boolean? Whether it is open', [
      { id: 1, subject: 'Printer on fire', state: true },
    ])
    await move(mine, third)
    await settle()
    expect((await find(mine, { eq: { state: true } })).data).toEqual([{ id: 1, subject: 'Printer on fire', state: true }])
    expect((await find(mine, everything)).data).toHaveLength(1)
    expect((await find(stays, everything)).data).toHaveLength(2)
    expect((await find(theirs, { gt: { subject: 0 } }, other.token)).data).toEqual([{ id: 'a', subject: 7 }])

    // Tables of its own from the operator, and away again: the same is found.
    const { kindPromotions } = world.platform
    const [place] = (await kindPromotions.list()).filter(({ organizationId }) => organizationId === world.organizationId)
    for (const isPromoted of [true, false]) {
      expect(await kindPromotions.set(place?.name ?? '', isPromoted)).toMatchObject({ connectors: 1 })
      expect((await find(mine, everything)).code).toBe('context_store_not_ready')
      await settle()
      expect((await find(mine, { eq: { state: true } })).data).toEqual([{ id: 1, subject: 'Printer on fire', state: true }])
      expect((await find(stays, everything)).data).toHaveLength(2)
      expect((await find(theirs, { gt: { subject: 0 } }, other.token)).data).toEqual([{ id: 'a', subject: 7 }])
    }

    // Back to the first version, and away for good.
    await move(mine, 1)
    await settle()
    expect((await find(mine, everything)).data).toHaveLength(2)
    await world.ask(`${connectorsPath}/${mine}`, { method: 'DELETE', token: world.token })
    await settle()
    expect((await find(stays, everything)).data).toHaveLength(2)
    expect((await find(mine, everything)).code).toBe('connector_not_found')
  })
})
