/** A login: credentials are sent to one declared call, whose token the requests carry. */
import { describe, expect, test } from 'vitest'
import { resolveOrigins } from '../../packages/ferrule/src/engine/http/origin.ts'
import { connectLocally, openConnection } from '../../packages/ferrule/src/engine/local.ts'
import { checkUploadedKind, listHosts, parseKind, readKind } from '../../packages/ferrule/src/kind-file/index.ts'
import { readRecordings } from '../../packages/ferrule/src/kind-recordings/read-recordings.ts'
import { startStandIn } from '../../packages/ferrule/src/stand-in/index.ts'
import { failure, type Reply, type Seen, serve, testEngine } from '../engine/support.ts'
import { kindTop } from '../support/kind-head.ts'
import { loadThroughJson, testMistakes } from './edits.ts'

const file = `${kindTop('gates')}api: 'https://{site}.gates.example'
path: /v2
configuration: { site: label Name of the building }
auth:
  user:
    title: User and password
    fields: { user: string User, password: secret Password, key: secret Key of the application }
    find: Settings > Users
    login:
      call: POST /v2/{site}/sessions
      headers: { x-app-key: '{key}' }
      send: { auth.user: '{user}', auth.password: '{password}', kind: api }
      token: data.token
      expires: 2h
    send: { x-app-key: '{key}', x-session: '{access_token}' }
check: doors.list
entities:
  doors:
    about: Doors
    fields: { id: string Id }
    list: { call: GET /doors, pages: none, because: Few }
`
const credentials = { user: 'ada', password: 'secret-password', key: 'secret-key' }
const config = { site: 'hall' }

const load = (text = file) => loadThroughJson(text)

/** A vendor whose tokens are good for some calls. */
function gates(lasts = Number.POSITIVE_INFINITY): (seen: Seen) => Reply {
  let given = 0
  let used = 0
  return ({ url, headers, body }) => {
    if (url.endsWith('/sessions')) {
      const isRight = body === '{"kind":"api","auth":{"user":"ada","password":"secret-password"}}' && headers['x-app-key'] === 'secret-key'
      given += 1
      used = 0
      return isRight ? { status: 201, body: { data: { token: `t${given}` } } } : { status: 401, body: { error: 'no' } }
    }
    used += 1
    return headers['x-session'] === `t${given}` && used <= lasts ? { body: [{ id: 'd1' }] } : { status: 401, body: { error: 'ended' } }
  }
}

test('signs in once, and the requests carry the token until it ends', async () => {
  await using vendor = await serve(gates())
  let now = Date.parse('2026-01-01T00:00:00Z')
  const doors = openConnection(await load(), { credentials, config, origin: vendor.origin })
  await using engine = testEngine({ wall: () => now })
  for (let count = 0; count < 3; count += 1) await engine.run(doors, { entity: 'doors', action: 'list', params: {} })
  now += 2 * 3_600_000
  await engine.run(doors, { entity: 'doors', action: 'list', params: {} })
  expect(vendor.seen.map(({ method, url }) => `${method} ${url}`)).toEqual([
    ...['POST /v2/hall/sessions', 'GET /v2/doors', 'GET /v2/doors', 'GET /v2/doors'],
    ...['POST /v2/hall/sessions', 'GET /v2/doors'],
  ])
})

test('signs in again when the token is refused, once', async () => {
  await using vendor = await serve(gates(1))
  await using doors = connectLocally(await load(), { credentials, config, origin: vendor.origin })
  await doors.execute('doors', 'list', {})
  await doors.execute('doors', 'list', {})
  expect(vendor.seen.map(({ url }) => url)).toEqual([...['/v2/hall/sessions', '/v2/doors', '/v2/doors', '/v2/hall/sessions', '/v2/doors']])
  await using never = await serve(gates(0))
  await using refused = connectLocally(await load(), { credentials, config, origin: never.origin })
  expect(await failure(refused.execute('doors', 'list', {}))).toMatchObject({ code: 'upstream_auth_failed' })
  expect(never.seen.filter(({ url }) => url.endsWith('/sessions'))).toHaveLength(2)
})

test('a refused login says what to check, and has no secret', async () => {
  await using vendor = await serve(gates())
  await using doors = connectLocally(await load(), {
    credentials: { ...credentials, password: 'secret-other' },
    config,
    origin: vendor.origin,
  })
  const error = await failure(doors.execute('doors', 'list', {}))
  expect(error).toMatchObject({ code: 'upstream_auth_failed', hint: 'Check key and user and password, and that they can still sign in.' })
  expect(JSON.stringify(error)).not.toContain('secret-')
})

test.each([
  ['as: form', 'POST', 'kind=api&auth.user=ada&auth.password=secret-password', ''],
  ['as: query', 'POST', '', '?kind=api&auth.user=ada&auth.password=secret-password'],
])('carries its values %s', async (as, method, body, query) => {
  const sent: Seen[] = []
  await using vendor = await serve((seen) => {
    sent.push(seen)
    return { body: seen.url.includes('sessions') ? { data: { token: 't' } } : [] }
  })
  const kind = await load(file.replace('      token: data.token', `      ${as}\n      token: data.token`))
  const values = connectLocally(kind, { credentials, config, origin: vendor.origin })
  await values.execute('doors', 'list', {})
  await values.close()
  expect({ method: sent[0]?.method, body: sent[0]?.body, url: sent[0]?.url }).toEqual({ method, body, url: `/v2/hall/sessions${query}` })
})

test('a token in the address is renewed too, and GET has its values in the query', async () => {
  await using vendor = await serve(({ url }) => ({ body: url.includes('sessions') ? { data: { token: 't9' } } : [] }))
  const text = file
    .replace('POST /v2/{site}/sessions', 'GET /login/sessions')
    .replace(", x-session: '{access_token}' }", " }\n    query: { sid: '{access_token}' }")
  await using doors = connectLocally(await load(text), { credentials, config, origin: vendor.origin })
  await doors.execute('doors', 'list', {})
  expect(vendor.seen.map(({ url }) => url)).toEqual([
    '/login/sessions?kind=api&auth.user=ada&auth.password=secret-password',
    '/v2/doors?sid=t9',
  ])
})

test('the stand-in takes the login, and refuses one without its values', async () => {
  const kind = await load()
  const text = JSON.stringify({
    kind: 'gates',
    recordings: [
      {
        call: 'doors.list',
        source: 'document',
        from: 'https://gates.example/docs',
        one_page: 'Few',
        exchanges: [{ request: 'GET /v2/doors', answer: { body: [{ id: 'd1' }] } }],
        data: [{ id: 'd1' }],
      },
    ],
  })
  const { file: recordings } = await readRecordings(text, { name: 'gates.recordings.json' })
  if (recordings === undefined) throw new Error('the recordings cannot be read')
  const standIn = await startStandIn(kind.definition, recordings)
  try {
    await using doors = connectLocally(kind, { credentials, config, origin: standIn.origin })
    expect((await doors.execute('doors', 'list', {})).data).toEqual([{ id: 'd1' }])
    const bare = await fetch(`${standIn.origin}/v2/hall/sessions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"kind":"api"}',
    })
    expect(bare.status).toBe(401)
  } finally {
    await standIn.close()
  }
})

test('its host belongs to the kind', async () => {
  const hosts = async (text: string) => listHosts((await parseKind(text)).definition).filter(({ use }) => use === 'token')
  expect(await hosts(file)).toEqual([{ use: 'token', host: '{site}.gates.example' }])
  const other = file.replace('      token: data.token', '      host: https://id.gates.example\n      token: data.token')
  expect(await hosts(other)).toEqual([{ use: 'token', host: 'id.gates.example' }])
  const { mistakes } = await checkUploadedKind(other.replace('https://id.gates.example', 'https://id.corp.internal'), { name: 'gates' })
  expect(mistakes.map(({ path, message }) => `${path} ${message}`).join()).toMatch(/auth.user.login.host .*internal/)
})

test('a value of the configuration chooses its host', async () => {
  const chosen = file
    .replace('building }', 'building, region: { $type: eu|us, $about: Region, $default: eu } }')
    .replace(
      '      token: data.token',
      '      host: { by: region, of: { eu: https://eu.gates.example, us: https://us.gates.example } }\n      token: data.token',
    )
  const { definition } = await parseKind(chosen)
  expect(listHosts(definition).filter(({ use }) => use === 'token')).toEqual([
    { use: 'token', host: 'eu.gates.example' },
    { use: 'token', host: 'us.gates.example' },
  ])
  const connection = openConnection(await load(chosen), { credentials, config: { ...config, region: 'us' } })
  expect(resolveOrigins(connection, {}).oauth).toBe('https://us.gates.example')
  const { mistakes } = await readKind(chosen.replace('by: region', 'by: regions'), { name: 'gates' })
  expect(mistakes.map(({ path }) => path)).toContain('auth.user.login.host.by')
})

describe('mistakes', () => {
  testMistakes(file, [
    ["'{password}'", "'{pasword}'", 'auth.user.login.send.auth.password', 'pasword is not a field of this way'],
    ["'{password}'", "'x{password}'", 'auth.user.login.send.auth.password', 'is a field as a whole'],
    ["x-app-key: '{key}' }\n      send", "host: '{key}' }\n      send", 'auth.user.login.headers.host', 'cannot be set'],
    ['/v2/{site}/', '/v2/{sit}/', 'auth.user.login.call', 'sit is not a field of configuration'],
    ['expires: 2h', 'expires: 2 hours', 'auth.user.login.expires', 'a path in the answer, or a time'],
    ['POST /v2', 'PUT /v2', 'auth.user.login.call', 'GET or POST'],
    ['    login:\n', '    oauth: { token: https://id.gates.example/token }\n    login:\n', 'auth.user.login', 'oauth or a login'],
  ])
})
