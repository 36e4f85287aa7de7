/** Kinds that organizations bring: uploads, versions, connectors of them, and that nobody else meets one. */
import { buffer } from 'node:stream/consumers'
import { gunzipSync } from 'node:zlib'
import { Validator } from '@seriousme/openapi-schema-validator'
import { describe, expect, test } from 'vitest'
import { share } from '../support/share.ts'
import { overStatements, startCopyWorld } from './search-support.ts'
import { type Answer, base, client, connectorsPath, createTenant, type Json, startWorld, tokenPath } from './support.ts'

const kinds = `${base}/kinds`
const definitions = `${base}/integrations/definitions/sources`

const print = (change: (lines: string) => string = (lines) => lines): string =>
  change(`kind: acme
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
    fields: { id: integer Id, subject: string Subject }
    list: { call: GET /tickets, pages: none }
`)

const recordings = (body: unknown, more: object = {}): string =>
  JSON.stringify({
    kind: 'acme',
    recordings: [
      {
        call: 'tickets.list',
        source: 'document',
        from: 'https://acme.example.com/docs',
        one_page: 'It has one.',
        exchanges: [{ request: 'GET /tickets', answer: { body } }],
        ...more,
      },
    ],
  })

const world = await share(startWorld())
const other = await createTenant(world, 'Other')

const publish = (file: string, more: Readonly<Record<string, unknown>> = {}, token = world.token, slug = 'acme') =>
  world.ask(`${kinds}/${slug}`, { method: 'PUT', token, body: { file, ...more } })
const connect = (name: string, more: Readonly<Record<string, unknown>> = {}, token = world.token) =>
  world.ask(connectorsPath, {
    token,
    body: {
      workspace_name: 'default',
      connector_type: 'acme',
      name,
      credentials: { token: 'any' },
      environment: { sandbox: true },
      ...more,
    },
  })
const patch = (id: string, body: object, token = world.token) => world.ask(`${connectorsPath}/${id}`, { method: 'PATCH', token, body })
const list = async (id: string, token = world.token): Promise<Json> =>
  (await world.execute(id, { entity: 'tickets', action: 'list' }, token)).json.data

test('the example of the documents is a kind without a mistake or a doubt', async () => {
  const { paths } = (await world.ask('/openapi.json')).json
  const body = paths[`${kinds}/{slug}/check`].post.requestBody.content['application/json'].example
  const { json } = await world.ask(`${kinds}/acme/check`, { token: world.token, body })
  expect(json).toMatchObject({ valid: true, mistakes: [], doubts: [] })
})

test('a check tests the file by its recordings, and a version gives its recordings back', async () => {
  const check = async (file: string, more: object = {}) =>
    (await world.ask(`${kinds}/tested/check`, { token: world.token, body: { file, ...more } })).json.test
  const file = print().replace('kind: acme', 'kind: tested').replace('Acme Desk', 'Tested')
  const tickets = [{ id: 1, subject: 'Hello' }]
  const given = { recordings: recordings(tickets, { data: tickets }).replace('"acme"', '"tested"') }
  expect(await check(file)).toBeNull()
  expect(await check(file, given)).toMatchObject({ calls: 1, requests: 1, live: 0, failures: [] })
  expect((await check(file.replace('GET /tickets', 'GET /questions'), given)).failures).toMatchObject([
    { file: 'recordings', path: 'tickets.list', message: expect.stringContaining('/questions') },
  ])
  await publish(file, given, world.token, 'tested')
  const stored = await world.ask(`${kinds}/tested`, { token: world.token })
  expect(stored.json.recordings).toBe(given.recordings)
  await world.ask(`${kinds}/tested`, { method: 'DELETE', token: world.token })
})

test('an organization brings a kind, makes a connector of it, and reads records', async () => {
  const check = await world.ask(`${kinds}/acme/check`, { token: world.token, body: { file: print() } })
  expect([check.status, check.json.valid, check.json.newest, check.json.class, check.json.hosts]).toEqual([
    200,
    true,
    0,
    'none',
    ['api.acme.example.com'],
  ])
  const made = await publish(print(), { recordings: recordings([{ id: 1, subject: 'Hello' }]), newest: 0 })
  expect([made.status, made.json.version, made.json.slug, made.json.sandbox]).toEqual([200, 1, 'acme', true])
  const connector = await connect('First')
  expect([connector.status, connector.json.connector_type, connector.json.kind_version, connector.json.definition_id]).toEqual([
    200,
    'acme',
    1,
    made.json.id,
  ])
  expect(await list(connector.json.id)).toEqual([{ id: 1, subject: 'Hello' }])
  const shown = await world.ask(`${kinds}/acme`, { token: world.token })
  expect([shown.json.file, shown.json.connectors, shown.json.file_version]).toEqual([print(), 1, 1])
  const definition = await world.ask(`${definitions}/acme`, { token: world.token })
  expect([definition.json.definition.custom, definition.json.definition.connector_type]).toEqual([true, 'acme'])
})

test('metrics say own for the kind and its entities, and nothing of its names', async () => {
  const { text } = await world.ask('/metrics')
  expect(text).toMatch(/^ferrule_executes_total\{kind="own",entity="own",action="list",code="ok"\} \d+$/m)
  expect(text).not.toMatch(/acme|tickets/i)
})

test('the same file again is no version', async () => {
  const before = await world.ask(`${kinds}/acme/versions`, { token: world.token })
  const again = await publish(print(), { recordings: recordings([{ id: 1, subject: 'Hello' }]) })
  expect([again.status, again.json.published, again.json.version]).toEqual([200, false, 1])
  expect((await world.ask(`${kinds}/acme/versions`, { token: world.token })).json).toEqual(before.json)
})

test('a file with mistakes is refused whole, with the place of each', async () => {
  const wrong = await publish(
    print((text) => text.replace('integer Id', 'intger Id').replace('check: tickets.list', 'check: nothing.list')),
  )
  expect([wrong.status, wrong.json.code]).toEqual([422, 'kind_invalid'])
  expect(wrong.json.errors.map(({ field, line }: Json) => [field, line])).toEqual([
    ['/file/check', 8],
    ['/file/entities/tickets/fields/id', 12],
  ])
  const check = await world.ask(`${kinds}/acme/check`, { token: world.token, body: { file: 'kind: [' } })
  expect([check.status, check.json.valid, check.json.mistakes.length]).toEqual([200, false, 1])
})

test('a connector stays with its version until it moves', async () => {
  const before = (await connect('Stays')).json.id
  const next = print((text) => text.replace('subject: string Subject', 'subject: string Subject, state: string? State'))
  const check = await world.ask(`${kinds}/acme/check`, { token: world.token, body: { file: next } })
  expect(check.json.changes.map(({ class: is, entity }: Json) => [is, entity])).toContainEqual(['calls', 'tickets'])
  const made = await publish(next, { recordings: recordings([{ id: 7, subject: 'New', state: 'open' }]), newest: 1 })
  expect([made.status, made.json.version]).toEqual([200, 2])
  expect(await list(before)).toEqual([{ id: 1, subject: 'Hello' }])
  expect((await connect('Second')).json.kind_version).toBe(2)
  const moved = await patch(before, { kind_version: 2 })
  expect([moved.status, moved.json.kind_version]).toEqual([200, 2])
  expect(await list(before)).toEqual([{ id: 7, subject: 'New', state: 'open' }])
  const versions = await world.ask(`${kinds}/acme/versions`, { token: world.token })
  expect(versions.json.data.map(({ version, connectors }: Json) => [version, connectors])).toEqual([
    [2, 2],
    [1, 1],
  ])
})

test('who knows an older version only cannot overwrite', async () => {
  const late = await publish(print(), { newest: 1 })
  expect([late.status, late.json.code]).toEqual([409, 'kind_changed'])
})

test('a version with another host needs the credentials again', async () => {
  const connector = (await connect('Moves')).json.id
  const elsewhere = print((text) => text.replace('api.acme.example.com', 'api.other.example.com'))
  const made = await publish(elsewhere, { recordings: recordings([]) })
  expect([made.json.class, made.json.hosts]).toEqual(['authorize', ['api.other.example.com']])
  const refused = await patch(connector, { kind_version: made.json.version })
  expect([refused.status, refused.json.errors[0].field]).toEqual([422, '/credentials'])
  expect(refused.json.errors[0].message).toContain('api.other.example.com')
  const moved = await patch(connector, { kind_version: made.json.version, credentials: { token: 'another' } })
  expect([moved.status, moved.json.kind_version]).toEqual([200, made.json.version])
})

test('a version that there is not, and a kind of the service, move nothing', async () => {
  const connector = (await connect('Cannot')).json.id
  expect((await patch(connector, { kind_version: 99 })).json.errors[0].field).toBe('/kind_version')
  const gong = await world.connect('A gong')
  expect((await patch(gong, { kind_version: 1 })).json.errors[0].field).toBe('/kind_version')
})

describe('another organization', () => {
  const foreign = print((text) => text.replace('Acme Desk', 'Other Desk').replace('id: integer Id, subject', 'id: string Id, title'))

  test('sees no kind of this one', async () => {
    for (const path of [`${kinds}/acme`, `${kinds}/acme/versions`, `${definitions}/acme`, `${definitions}/Acme%20Desk`])
      expect([path, (await world.ask(path, { token: other.token })).status]).toEqual([path, 404])
    for (const path of [kinds, definitions, `${base}/skills?limit=100`]) {
      const { text, status } = await world.ask(path, { token: other.token })
      expect([status, /acme/i.test(text)]).toEqual([200, false])
    }
    const remove = await world.ask(`${kinds}/acme`, { method: 'DELETE', token: other.token })
    const never = await world.ask(`${kinds}/never`, { method: 'DELETE', token: other.token })
    expect([remove.status, remove.json.detail]).toEqual([404, never.json.detail])
    expect((await connect('No', {}, other.token)).json.code).toBe('connector_type_not_found')
  })

  test('brings its own kind by the same slug, and each runs its own', async () => {
    const check = await world.ask(`${kinds}/acme/check`, { token: other.token, body: { file: foreign } })
    expect([check.json.newest, check.json.class]).toEqual([0, 'none'])
    const made = await publish(foreign, { recordings: recordings([{ id: 'a', title: 'Foreign' }]) }, other.token)
    expect([made.json.version, made.json.title]).toEqual([1, 'Other Desk'])
    const theirs = (await connect('Theirs', {}, other.token)).json
    expect(theirs.kind_version).toBe(1)
    expect(await list(theirs.id, other.token)).toEqual([{ id: 'a', title: 'Foreign' }])
    const mine = await world.ask(`${definitions}/acme`, { token: world.token })
    expect(mine.json.definition.name).toBe('Acme Desk')
  })
})

describe('the OpenAPI document', () => {
  const path = `${base}/openapi.json`
  const read = async (token: string, headers: Readonly<Record<string, string>> = {}) => world.ask(path, { token, headers })
  const fields = ({ json }: Answer) => Object.keys(json.components.schemas['acme.tickets.Record'].properties)

  test('has the kinds of its own organization in their newest version, and nothing of others', async () => {
    const [mine, theirs] = [await read(world.token), await read(other.token)]
    expect([fields(mine), fields(theirs)]).toEqual([expect.arrayContaining(['id', 'subject']), ['id', 'title']])
    for (const { text } of [mine, theirs]) {
      expect(text).toContain('#/components/schemas/gong.users.list.Request')
      expect(text).toContain('#/components/schemas/acme.tickets.list.Request')
      expect(text).not.toContain('acme~')
    }
    const { valid, errors } = await new Validator().validate(structuredClone(theirs.json))
    expect([valid, errors]).toEqual([true, undefined])
    expect((await world.ask('/openapi.json')).text).not.toContain('acme.tickets')
  })

  test('is the document of the service for an organization without kinds', async () => {
    const none = await createTenant(world, 'None')
    const [own, common] = [await read(none.token), await world.ask('/openapi.json')]
    expect([own.status, own.json]).toEqual([200, common.json])
    expect((await world.ask(path)).status).toBe(401)
  })

  test('has a tag, which a version changes, and is compressed for those who take it', async () => {
    const plain = await read(other.token)
    const tag = String(plain.headers.etag)
    const again = await read(other.token, { 'if-none-match': tag })
    expect([again.status, again.text, again.headers.etag]).toEqual([304, '', tag])
    const packed = await world.open(path, { token: other.token, headers: { 'accept-encoding': 'br;q=1, gzip;q=0.5' } })
    expect([packed.headers['content-encoding'], packed.headers.etag, packed.headers.vary]).toEqual(['gzip', tag, 'Accept-Encoding'])
    expect(gunzipSync(await buffer(packed)).toString()).toBe(plain.text)
    expect((await read(other.token, { 'accept-encoding': 'gzip;q=0' })).headers['content-encoding']).toBeUndefined()
    const changed = print((text) => text.replace('Acme Desk', 'Other Desk').replace('id: integer Id, subject', 'id: string Id, heading'))
    expect((await publish(changed, {}, other.token)).json.version).toBe(2)
    const newer = await read(other.token, { 'if-none-match': tag })
    expect([newer.status, fields(newer)]).toEqual([200, ['id', 'heading']])
  })
})

test('names of the service and of other kinds are taken', async () => {
  const gong = await publish(
    print((text) => text.replace('kind: acme', 'kind: gong')),
    {},
    world.token,
    'gong',
  )
  expect([gong.status, gong.json.code]).toEqual([422, 'kind_invalid'])
  const titled = await publish(
    print((text) => text.replace('Acme Desk', 'Shopify').replace('kind: acme', 'kind: acme-two')),
    {},
    world.token,
    'acme-two',
  )
  expect(titled.json.code).toBe('kind_invalid')
  const misnamed = await publish(print(), {}, world.token, 'another')
  expect([misnamed.json.code, misnamed.json.errors[0].field]).toEqual(['kind_invalid', '/file/kind'])
})

test('a kind is deleted when no connector uses it', async () => {
  const file = print((text) => text.replace('kind: acme', 'kind: gone').replace('Acme Desk', 'Gone Desk'))
  await publish(file, {}, world.token, 'gone')
  const connector = (await connect('Gone', { connector_type: 'gone', environment: {}, check: false })).json
  const remove = () => world.ask(`${kinds}/gone`, { method: 'DELETE', token: world.token })
  const refused = await remove()
  expect([refused.status, refused.json.code]).toEqual([409, 'kind_in_use'])
  await world.ask(`${connectorsPath}/${connector.id}`, { method: 'DELETE', token: world.token })
  expect((await remove()).status).toBe(200)
  expect((await world.ask(`${kinds}/gone`, { token: world.token })).json.code).toBe('kind_not_found')
})

const first = [
  { id: 1, subject: 'Printer on fire', state: 'open' },
  { id: 2, subject: 'Lost password', state: 'closed' },
]

// Synced, searched, moved between versions, and apart from those of others.
overStatements('the copy of a kind', async (engine) => {
  const world = await share(startCopyWorld(engine))
  const { json: made } = await world.ask(`${base}/organizations`, { token: world.token, body: { name: 'Other' } })
  const headers = { 'x-organization-id': made.id }
  const issued = await world.ask(tokenPath, { headers, body: { client_id: client.id, client_secret: client.secret } })
  const other = { token: issued.json.access_token }

  const publish = async (fields: string, rows: readonly object[], token = world.token): Promise<number> => {
    const file = print((text) => text.replace(/^ {4}fields: .*/m, `    fields: { ${fields} }`)).concat('    sync: {}\n')
    const sent = { method: 'PUT', token, body: { file, recordings: recordings(rows) } }
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
    const [kind] = (await kindPromotions.list()).filter(({ organizationId }) => organizationId === world.organizationId)
    for (const isPromoted of [true, false]) {
      expect(await kindPromotions.set(kind?.name ?? '', isPromoted)).toMatchObject({ connectors: 1 })
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
