/** A service with a kind of its operator, a file, against a vendor of this test, beside the kinds that it has by default. */
import fs from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import { text as readAll } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { type Service, startService } from '../../packages/server/src/index.ts'
import { connectClient, type TestClient } from '../mcp/clients.ts'
import { makeFolder } from '../support/folder.ts'
import { listen } from '../support/listen.ts'
import { copyEmbeddedDatabase } from '../support/postgres.ts'
import { base, client, connectorsPath, type Json, tokenPath } from './support.ts'

const file = `
kind: acme
title: Acme Desk
category: help desk
about: Tickets of customers
docs: https://acme.example/docs
api: https://api.acme.example
path: /v1
auth:
  token:
    title: Token
    fields: { token: secret Token of the account }
    send: { authorization: 'Bearer {token}' }
limits: { per: token, rates: [1000/s] }
errors: { message: error }
check: tickets.list
pages:
  cursor: { next: next_cursor, send: cursor, more: has_more, size: limit=100 }
lists: { at: data, pages: cursor }
entities:
  tickets:
    about: Questions of customers
    fields:
      id: integer Id
      subject: string Subject
      state: open|closed State
      updated_at: date-time When it changed
    list: { call: GET /tickets, params: { since: date-time Changed since } }
    get: GET /tickets/{id}
    create: { call: POST /tickets, body: { subject: string! Subject } }
    sync: { since: { updated_at: since } }
`

interface Ticket {
  readonly id: number
  readonly subject: string
  readonly state: string
  readonly updated_at: string
}
const padding = 'x'.repeat(20_000)

/** Plays the vendor: pages of at most 100, a token, a filter by change. */
class Vendor {
  readonly tickets: Ticket[] = Array.from({ length: 250 }, (_each, index) => ({
    id: index + 1,
    subject: `Ticket ${index + 1}${index < 100 ? '' : ` ${padding}`}`,
    state: 'open',
    updated_at: new Date(Date.UTC(2026, 0, 1, 0, index)).toISOString(),
  }))
  readonly #server: Server = createServer((request, response) => void this.#answer(request, response))

  async start(): Promise<string> {
    return (await listen(this.#server)).origin
  }

  close(): void {
    this.#server.closeAllConnections()
    this.#server.close()
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const send = (status: number, body: unknown) =>
      void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    if (request.headers.authorization !== 'Bearer right') return send(401, { error: 'wrong token' })
    const url = new URL(request.url ?? '', 'http://vendor')
    const id = /^\/v1\/tickets\/(\d+)$/.exec(url.pathname)?.[1]
    if (id !== undefined) {
      const found = this.tickets.find((ticket) => ticket.id === Number(id))
      return found === undefined ? send(404, { error: 'no such ticket' }) : send(200, found)
    }
    if (request.method !== 'POST') return send(200, this.#list(url.searchParams))
    const { subject } = JSON.parse(await readAll(request))
    const made = { id: this.tickets.length + 1, subject, state: 'open', updated_at: '2026-02-01T00:00:00.000Z' }
    this.tickets.push(made)
    return send(201, made)
  }

  #list(query: URLSearchParams): object {
    const since = Date.parse(query.get('since') ?? '1970-01-01T00:00:00Z')
    const found = this.tickets.filter(({ updated_at }) => Date.parse(updated_at) >= since)
    const from = Number(query.get('cursor') ?? 0)
    const to = from + Number(query.get('limit') ?? 100)
    return { data: found.slice(from, to), has_more: to < found.length, next_cursor: String(to) }
  }
}

const folder = makeFolder('own-kinds')
const vendor = new Vendor()
let service: Service
let token: string
let connector: string

async function ask(path: string, body?: unknown): Promise<{ readonly status: number; readonly text: string; readonly json: Json }> {
  const answer = await fetch(`${service.url}${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const text = await answer.text()
  return { status: answer.status, text, json: text.startsWith('{') ? JSON.parse(text) : undefined }
}
const execute = (entity: string, action: string, params: object = {}) =>
  ask(`${connectorsPath}/${connector}/execute`, { entity, action, params })

const links = `${base}/connect/links`
const certified = ['gong', 'shopify', 'snowflake', 'tiktok-marketing']
const ten = ['github', 'google-calendar', 'hubspot', 'jira', 'linear', 'notion', 'salesforce', 'slack', 'stripe', 'zendesk']
/** Definitions of the ten that were read. */
const read = new Set<string>()
const credentials = { token: 'right' }
const plain = { workspace_name: 'default', connector_type: 'acme', name: 'Desk', credentials }

beforeAll(async () => {
  const readFile = fs.readFileSync
  const watch = (...given: Parameters<typeof fs.readFileSync>) => {
    const slug = /packages\/kinds\/json\/([\w-]+)\.json$/.exec(String(given[0]))?.[1]
    if (slug !== undefined) read.add(slug)
    return readFile(...given)
  }
  vi.spyOn(fs, 'readFileSync').mockImplementation(watch)
  syncBuiltinESMExports()
  const data = join(folder, 'data')
  await copyEmbeddedDatabase(join(data, 'context'))
  await mkdir(join(folder, 'kinds'))
  await writeFile(join(folder, 'kinds/acme.kind.yaml'), file)
  service = await startService({
    FERRULE_DATA: data,
    FERRULE_PORT: '0',
    FERRULE_LOG_LEVEL: 'silent',
    FERRULE_SANDBOX: 'on',
    FERRULE_OPERATOR_CLIENT_ID: client.id,
    FERRULE_OPERATOR_CLIENT_SECRET: client.secret,
    FERRULE_KINDS: `@ferrule/kinds,${join(folder, 'kinds')}`,
    FERRULE_ORIGINS: JSON.stringify({ acme: await vendor.start() }),
  })
  token = String((await ask(tokenPath, { client_id: client.id, client_secret: client.secret })).json.access_token)
  connector = String((await ask(connectorsPath, plain)).json.id)
})
afterAll(async () => {
  vi.restoreAllMocks()
  syncBuiltinESMExports()
  await service?.close()
  vendor.close()
})

describe('a kind of the operator', () => {
  test('is in the catalogue, marked as nobody else tried it', async () => {
    const path = `${base}/integrations/definitions/sources`
    const { definitions } = (await ask(path)).json
    expect(definitions.map((each: Json) => [each.connector_type, each.custom, each.supportLevel])).toEqual([
      ...certified.map((slug) => [slug, false, 'certified']),
      ...ten.map((slug) => [slug, false, 'community']),
      ['acme', true, 'community'],
    ])
    const { entities } = (await ask(`${path}/Acme%20Desk`)).json
    expect(entities[0].actions.map(({ action }: Json) => action)).toEqual(['list', 'get', 'create'])
    expect(Object.keys(entities[0].searchable.properties)).toEqual(['id', 'subject', 'state', 'updated_at'])
  })

  test('has its credentials checked', async () => {
    const wrong = await ask(connectorsPath, { ...plain, name: 'Wrong', credentials: { token: 'wrong' } })
    expect([wrong.status, wrong.json.code]).toEqual([422, 'upstream_auth_failed'])
  })

  test('has no stand-in without recordings, and says so', async () => {
    const { json } = await ask(connectorsPath, { ...plain, name: 'Played', environment: { sandbox: true } })
    expect(json.errors).toMatchObject([{ field: '/environment/sandbox', message: expect.stringContaining('plays no Acme Desk') }])
    const link = { workspace_name: 'default', sandbox: true, end_user: { id: '1' } }
    expect((await ask(links, { ...link, kinds: ['acme'] })).text).toContain('plays no Acme Desk')
    expect((await ask(links, link)).json.kinds).toEqual([...certified, ...ten])
    expect((await ask(links, { ...link, sandbox: false })).json.kinds).toEqual([...certified, ...ten, 'acme'])
  })

  test('lists, walks large pages in a thread, gets and writes', async () => {
    const first = await execute('tickets', 'list')
    expect([first.status, first.json.data.length, first.json.data[0].id]).toEqual([200, 100, 1])
    const second = await execute('tickets', 'list', first.json.meta.next_params) // above 1 MiB
    expect([second.json.data.length, second.json.data[99].id]).toEqual([100, 200])
    const third = await execute('tickets', 'list', second.json.meta.next_params)
    expect([third.json.data.length, third.json.meta.next_params]).toEqual([50, null])
    expect((await execute('tickets', 'get', { id: 7 })).json.data).toMatchObject({ id: 7, subject: 'Ticket 7' })
    expect((await execute('tickets', 'create', { subject: 'A new ticket' })).json.data).toMatchObject({ id: 251, subject: 'A new ticket' })
    expect((await execute('tickets', 'get', { id: 999 })).json.code).toBe('record_not_found')
  })

  test('is copied and searched', async () => {
    const query = { filter: { eq: { subject: 'Ticket 7' } } }
    await vi.waitFor(
      async () => expect((await execute('tickets', 'context_store_search', { query })).json.data).toMatchObject([{ id: 7, state: 'open' }]),
      { timeout: 240_000, interval: 200 },
    )
  })

  test('is offered to agents', async () => {
    const agent: TestClient = await connectClient(`${service.url}/mcp`, token, '2025-11-25')
    expect((await agent.call('list_connectors')).text).toContain('Desk')
    expect((await agent.call('describe', { connector })).text).toContain('tickets')
    const { text, isError } = await agent.call('execute', { connector, entity: 'tickets', action: 'get', params: { id: 7 } })
    expect([isError, text]).toEqual([false, expect.stringContaining('Ticket 7')])
    await agent.close()
  })

  test('costs no other kind: until now none of their definitions was read, and then only that which is asked for', async () => {
    expect((await ask(connectorsPath)).status).toBe(200)
    expect((await ask(`${base}/skills`)).status).toBe(200)
    expect([...read]).toEqual([])
    const page = await ask('/docs/reference/google-calendar')
    expect([page.status, page.text]).toEqual([200, expect.stringContaining('nobody here has tried it with an account of the vendor')])
    expect([...read]).toEqual(['google-calendar'])
  })

  test('is in the document of the API, and on a page of the documentation', async () => {
    const document = (await ask('/openapi.json')).text
    for (const name of ['acme.tickets.list', 'acme.tickets.create', 'acme.tickets.context_store_search']) expect(document).toContain(name)
    const page = await ask('/docs/reference/acme')
    expect(page.status).toBe(200)
    expect(page.text).toContain('<h1>Acme Desk (<code>acme</code>)</h1>')
    expect(page.text).toContain('Questions of customers')
    const { json } = await ask(`${base}/integrations/definitions/sources/acme/reference`)
    expect(json.sections.map(({ id }: Json) => id)).toContain('entity:tickets')
    expect((await ask('/docs/reference/nothing')).status).toBe(404)
  })
})
