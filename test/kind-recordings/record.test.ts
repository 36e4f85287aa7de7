/** Recordings of live calls: what of a call never stands in the file, and that the file replays. */
import { createServer } from 'node:http'
import { afterEach, describe, expect, test } from 'vitest'
import { openConnection } from '../../packages/ferrule/src/engine/local.ts'
import { parseKind } from '../../packages/ferrule/src/kind-file/index.ts'
import {
  addRecording,
  buildRecording,
  createReplayConnection,
  makeCall,
  PastedVendor,
  readRecordings,
  testKind,
} from '../../packages/ferrule/src/kind-recordings/index.ts'
import { writeJson } from '../../packages/ferrule/src/values/json/json.ts'
import { kindTop } from '../support/kind-head.ts'
import { type Listening, listen } from '../support/listen.ts'
import { share } from '../support/share.ts'

const file = `${kindTop('acme')}api: 'https://{site}.acme.example'
configuration: { site: label Name of the site }
auth:
  key:
    title: API key
    fields: { api_key: secret Key, email: string Address for mail }
    find: Settings
    send: { authorization: 'Basic {email}:{api_key}' }
limits: { per: api_key, rates: [100/m] }
errors: { message: error.message, rows: [403 not your team: conflict] }
check: things.list
pages:
  next: { next: paging.next, size: limit=2 }
lists: { at: data, pages: next }
entities:
  things:
    about: Things
    fields:
      id: string Id
      name: string Name
      state: open|closed State
      changed_at: date-time When it changed
      size: integer Size
    list: { call: GET /things, params: { changed_since: date-time Changed since, owner: string Owner } }
    get: GET /things/{id}
    create: { call: POST /things, body: { name: string! Name } }
    sync: { since: { changed_at: changed_since } }
`

const credentials = { api_key: 'k3y/With+Signs=1', email: 'grace@navy.mil' }
const basic = Buffer.from(`${credentials.email}:${credentials.api_key}`).toString('base64')
/** What an answer of a careless vendor holds. None of it may stand in a recording. */
const seeded = {
  person: 'Grace Hopper',
  login: 'ghopper',
  forename: 'Marguerite',
  surname: 'Perey',
  mail: 'ada.lovelace@engine.co.uk',
  phone: '+44 20 7946 0958',
  phoneNumber: 442079460958,
  street: '12 Ockham Road',
  zip: 'GU24',
  session: 'c2Vzc2lvbi1vZi1hZGE',
  github: 'ghp_0123456789abcdefghijABCDEFGHIJ012345',
  jwt: 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhZGEifQ.c2lnbmF0dXJl',
  cursor: 'Z2hvcHBlciBhdCBuYXZ5IDE5MDY=',
  uuid: '3f2b8c1e-77aa-4c1d-9f1e-2b6f0d9c1a55',
  picture: 'https://cdn.files.example.net/u/ghopper/photo.png?sig=AbC123',
  address: '203.0.113.77',
  prose: 'Grace called about the compiler',
  account: 'deepsea',
}
const all = [...Object.values(seeded).map(String), ...Object.values(credentials), encodeURIComponent(credentials.api_key), basic]

const thing = (id: string, more: object = {}) => ({
  ...{ id, name: `Nano ${id}`, state: 'open', changed_at: '2026-01-01T00:00:00Z', size: 9007199254740993n },
  ...more,
})
const page = (origin: string) => ({
  data: [
    thing('t1', {
      owner: { name: seeded.person, login: seeded.login, email: seeded.mail, phone: seeded.phone, tel: seeded.phoneNumber },
      address: { line1: seeded.street, zip: seeded.zip, state: 'open' },
      links: { self: `${origin}/things/t1?owner=${seeded.login}`, photo: seeded.picture },
      merge_fields: { FNAME: seeded.forename, LNAME: seeded.surname },
      [seeded.mail]: true,
    }),
    thing(seeded.uuid, {
      session_token: seeded.session,
      secrets: [seeded.github],
      note: seeded.prose,
      ip: seeded.address,
      opaque: seeded.jwt,
    }),
  ],
  echo: { authorization: `Basic ${basic}`, query: `key=${encodeURIComponent(credentials.api_key)}`, said: `Welcome ${credentials.email}` },
  account: seeded.account,
  paging: { next: `${origin}/things?limit=2&owner=${seeded.login}&after=${encodeURIComponent(seeded.cursor)}` },
})

let secondPage: 'sent' | 'refused' | 'lost' = 'sent'
const server = createServer((request, response) => {
  const url = new URL(request.url ?? '', origin)
  const send = (status: number, body: unknown) =>
    void response
      .writeHead(status, { 'content-type': 'application/json', 'set-cookie': `session=${seeded.session}`, 'x-user': seeded.login })
      .end(writeJson(body))
  if (url.pathname === '/things/text') return void response.writeHead(404, { 'content-type': 'text/html' }).end(seeded.person)
  if (url.pathname === '/things/none') return send(403, { error: { message: `${seeded.person} is not your team: ask ${seeded.mail}` } })
  if (request.method === 'POST') return send(201, thing('t9', { name: seeded.person }))
  if (url.searchParams.get('after') === null) return send(200, page(origin))
  if (secondPage === 'lost') return void response.destroy()
  if (secondPage === 'refused') return send(403, { error: { message: `${seeded.person} is not your team` } })
  return send(200, { data: [thing('t3', { owner: { login: seeded.login } })], paging: { next: null } })
})
const { origin }: Listening = await share(listen(server))
afterEach(() => {
  secondPage = 'sent'
})

interface Given {
  readonly given?: typeof credentials
  readonly name?: string
}

async function record(action: string, params: Readonly<Record<string, unknown>>, text?: string, { given = credentials, name }: Given = {}) {
  const { definition } = await parseKind(file)
  const kind = { definition, rules: {} }
  const connection = openConnection(kind, { credentials: given, config: { site: seeded.account }, origin })
  const { signal } = new AbortController()
  const made = await makeCall(connection, { entity: 'things', action, params }, { mostPages: 2, signal })
  const inFile = text === undefined ? undefined : (await readRecordings(text, { name: 'x' })).file?.configuration
  const built = await buildRecording(connection, made, { configuration: inFile, secrets: Object.entries(given), name })
  return { kind, made, built, text: await addRecording(text, { kind: 'acme', ...built }) }
}

describe('a recording of a live call', () => {
  test('holds no secret, no person and no address, and replays', async () => {
    const list = await record('list', { owner: seeded.login })
    expect(list.built.problems).toEqual([])
    const refused = await record('get', { id: 'none' }, list.text)
    const created = await record('create', { name: seeded.person }, refused.text)
    expect([...refused.built.problems, ...created.built.problems]).toEqual([])
    for (const secret of all) expect(created.text).not.toContain(secret)
    expect(created.text).not.toContain('127.0.0.1')
    const { file: read, mistakes } = await readRecordings(created.text, { name: 'acme.recordings.json' })
    expect(mistakes).toEqual([])
    if (read === undefined) throw new Error('unreachable')
    const { findings, live } = await testKind(created.kind, read, { kind: 'k', recordings: 'r', findPlace: () => ({ line: 1, column: 1 }) })
    expect(findings.filter(({ is }) => is === 'failure')).toEqual([])
    expect(live).toBe(3)
    expect(read.recordings[1]?.error).toBe('upstream_conflict')
  })

  test('keeps types, uniqueness, words of the kind, and the same value everywhere', async () => {
    const { text, built } = await record('list', { owner: seeded.login })
    const [{ params, exchanges, data }] = JSON.parse(text).recordings
    const [first, second] = data
    expect(params.owner).toBe(exchanges[0].request.query.owner)
    expect(exchanges[0].answer.body.data[0].owner.login).toBe(params.owner)
    expect(exchanges[1].request.query.owner).toBe(params.owner)
    expect(exchanges[1].answer.body.data[0].owner.login).toBe(params.owner)
    expect([first.state, first.changed_at, first.id]).toEqual(['open', '2026-01-01T00:00:00Z', 't1'])
    expect(second.id).toMatch(/^[0-9a-f]{8}-0000-4000-8000-[0-9a-f]{12}$/)
    expect(new Set(data.map(({ name }: { name: string }) => name)).size).toBe(3)
    const paths = built.replaced.flatMap(({ path, as }) => (as === undefined ? [] : [path]))
    expect(paths).toEqual(expect.arrayContaining(['params.owner', 'query.owner', 'answer.data[].owner.email', 'answer.paging.next']))
    expect(built.replaced.filter(({ as }) => as === undefined).map(({ path }) => path)).toContain('answer.data[].state')
  })

  test('shows a list that fails after its first page', async () => {
    const whole = await record('list', {})
    secondPage = 'refused'
    const { kind, text, built } = await record('list', {}, whole.text, { name: 'refused' })
    expect(built.problems).toEqual([])
    expect(built.entry).toMatchObject({ exchanges: [{}, { answer: { status: 403 } }], error: 'upstream_conflict' })
    expect(built.entry).not.toHaveProperty('more')
    const { file: read } = await readRecordings(text, { name: 'r' })
    if (read === undefined) throw new Error('unreachable')
    const { findings } = await testKind(kind, read, { kind: 'k', recordings: 'r', findPlace: () => ({ line: 1, column: 1 }) })
    expect(findings.filter(({ is, file: where }) => is === 'failure' && where === 'r')).toEqual([])
    secondPage = 'lost'
    const lost = await record('list', {})
    expect(lost.built.problems).toEqual([expect.stringMatching(/^its replay ends with /)])
  })

  test('has the configuration of a file that exists', async () => {
    const { built } = await record('list', {}, '{"kind": "acme", "config": {"site": "north"}, "recordings": []}')
    expect([built.problems, built.configuration]).toEqual([[], { site: 'north' }])
  })

  test('is refused where it cannot be searched, and where its replay does something else', async () => {
    const text = await record('get', { id: 'text' })
    expect(text.built.problems).toEqual(['an answer is no JSON, and its text cannot be searched for secrets'])
    // A credential that is a word of the path.
    const { built } = await record('get', { id: 't1' }, undefined, { given: { ...credentials, api_key: 'things' } })
    expect(built.problems).toContainEqual(expect.stringMatching(/request 1: the request is GET .things.t1, and GET .recorded-api_key/))
  })

  /** A HAR file of the seeded list, as a browser saves it. */
  const har = (site: string): string => {
    const first = { method: 'GET', url: `${site}/things?limit=2`, headers: [{ name: 'Cookie', value: `sid=${seeded.session}` }] }
    const { paging, ...last } = page(site)
    const answer = (body: unknown) => ({ status: 200, headers: [], content: { mimeType: 'application/json', text: writeJson(body) } })
    const entries = [
      { request: first, response: answer({ ...last, paging, cookie: seeded.session }) },
      { request: { ...first, url: paging.next }, response: answer({ data: [], paging: { next: null } }) },
    ]
    return JSON.stringify({ log: { version: '1.2', entries } })
  }

  test('can come from a HAR file, and from a pasted answer', async () => {
    const { definition } = await parseKind(file)
    const kind = { definition, rules: {} }
    const paste = async (text: string, action: string, params: object) => {
      const from = new PastedVendor(text)
      const connection = {
        ...createReplayConnection(kind, {}),
        ...(from.isHar ? { origin: { api: `https://${seeded.account}.acme.example` } } : {}),
      }
      const { signal } = new AbortController()
      const made = await makeCall(connection, { entity: 'things', action, params: { ...params } }, { mostPages: 2, from, signal })
      const secrets = from.listSecrets(new Set(['authorization']))
      return buildRecording(connection, made, {
        configuration: undefined,
        secrets,
        name: undefined,
        page: from.isHar ? undefined : 'https://acme.example/docs',
      })
    }
    const fromHar = await paste(har(`https://${seeded.account}.acme.example`), 'list', {})
    expect(fromHar.problems).toEqual([])
    for (const secret of Object.values(seeded))
      if (secret !== seeded.account) expect(writeJson(fromHar.entry)).not.toContain(String(secret))
    expect(writeJson(fromHar.entry)).not.toContain(`${seeded.account}.acme`)
    const pasted = await paste(writeJson(thing('t1', { note: seeded.prose })), 'get', { id: 't1' })
    expect(pasted).toMatchObject({
      problems: [],
      entry: { source: 'document', from: 'https://acme.example/docs', data: { id: 't1', note: 'Text 1' } },
    })
    const missing = new PastedVendor(har('https://deepsea.acme.example'))
    const { signal } = new AbortController()
    const made = await makeCall(
      createReplayConnection(kind, {}),
      { entity: 'things', action: 'get', params: { id: 'x' } },
      { mostPages: 1, from: missing, signal },
    )
    expect(String(made.walked.error)).toContain(
      'the file has no answer to GET /things/x, but to GET /things?limit=2, GET /things?limit=2&owner=ghopper&after=…',
    )
  })

  test('finds answers of a HAR file whose credentials are in the query, and repeats one for a further attempt', async () => {
    const { definition } = await parseKind(file.replace('send: { authorization', "query: { key: '{api_key}' }\n    send: { authorization"))
    const connection = createReplayConnection({ definition, rules: {} }, {})
    const get = async (from: PastedVendor) => {
      const { signal } = new AbortController()
      return (await makeCall(connection, { entity: 'things', action: 'get', params: { id: 't1' } }, { mostPages: 1, from, signal })).walked
    }
    const answered = { status: 200, headers: [], content: { text: writeJson(thing('t1')) } }
    const entry = {
      request: { method: 'GET', url: 'https://deepsea.acme.example/things/t1?key=k3y-of-ada', headers: [] },
      response: answered,
    }
    const from = new PastedVendor(JSON.stringify({ log: { entries: [entry] } }), new Set(['key']))
    expect((await get(from)).record).toMatchObject({ id: 't1' })
    expect(from.listSecrets(new Set())).toContainEqual(['key', 'k3y-of-ada'])
    expect((await get(new PastedVendor('{"id": "t1"'))).error).toMatchObject({ code: 'upstream_answer_invalid' })
  })

  test('takes no answer of a HAR file for another page, whose number stands in the body', async () => {
    const url = 'https://deepsea.acme.example/things/search'
    const entry = { request: { method: 'POST', url, headers: [] }, response: { status: 200, headers: [], content: { text: '{"page":1}' } } }
    const from = new PastedVendor(JSON.stringify({ log: { entries: [entry] } }))
    const send = (page: number) => {
      const { signal } = new AbortController()
      return from.send({
        url: new URL(url),
        method: 'POST',
        body: `{"page":${page}}`,
        headers: {},
        trust: 'config',
        vendor: 'Acme',
        signal,
      })
    }
    const refused = expect.objectContaining({ code: 'validation_failed' })
    expect((await send(1)).text).toBe('{"page":1}')
    expect(await send(2).catch((error: unknown) => error)).toEqual(refused)
    for (const _attempt of [2, 3]) expect((await send(1)).text).toBe('{"page":1}')
    expect(await send(1).catch((error: unknown) => error)).toEqual(refused) // a call has three attempts
  })
})
