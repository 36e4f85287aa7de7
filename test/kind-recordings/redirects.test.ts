/** Recordings of calls that the vendor redirects: no redirect is followed, and the refusal replays. */
import { createServer } from 'node:http'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { openConnection } from '../../packages/ferrule/src/engine/local.ts'
import { parseKind } from '../../packages/ferrule/src/kind-file/index.ts'
import { addRecording, buildRecording, makeCall, readRecordings, testKind } from '../../packages/ferrule/src/kind-recordings/index.ts'
import { kindTop } from '../support/kind-head.ts'
import { listen } from '../support/listen.ts'

const file = `${kindTop('acme')}api: https://api.acme.example
auth:
  key: { title: API key, fields: { api_key: secret Key }, find: Settings, send: { authorization: 'Bearer {api_key}' } }
limits: { per: api_key, rates: [100/m] }
errors: { message: error.message }
check: things.list
pages:
  next: { next: paging.next, size: limit=2 }
lists: { at: data, pages: next }
entities:
  things:
    about: Things
    fields: { id: string Id }
    list: { call: GET /things, params: { owner: string Owner } }
    sync: full
`
const credentials = { api_key: 'k3y-With-Signs-1' }
const secrets = ['eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhZGEifQ.c2lnbmF0dXJl', 'Grace Hopper', ...Object.values(credentials)]

/** Requests that reached the host of the vendor, and the other one. */
const reached: { readonly vendor: string[]; readonly other: string[] } = { vendor: [], other: [] }
let location = ''
const other = createServer(({ url }, response) => {
  reached.other.push(url ?? '')
  response.setHeader('content-type', 'application/json').end('{"data":[{"id":"stolen"}]}')
})
let origins = { vendor: '', other: '' }
const vendor = createServer(({ url = '' }, response) => {
  reached.vendor.push(url)
  const { searchParams } = new URL(url, origins.vendor)
  const json = { 'content-type': 'application/json' }
  const [owner, isSecond] = [searchParams.get('owner'), searchParams.has('after')]
  if (owner !== null && !isSecond)
    return void response
      .writeHead(200, json)
      .end(JSON.stringify({ data: [{ id: 't1' }], paging: { next: `${origins.vendor}/things?owner=${owner}&limit=2&after=2` } }))
  if (owner === 'whole') return void response.writeHead(200, json).end('{"data":[{"id":"t2"}],"paging":{"next":null}}')
  if (url.startsWith('/moved')) return void response.writeHead(200, json).end('{"data":[{"id":"followed"}]}')
  response.writeHead(302, { location, 'content-type': 'text/html' }).end(`<a href="${location}">Grace Hopper has moved</a>`)
})
beforeAll(async () => {
  origins = { vendor: (await listen(vendor)).origin, other: (await listen(other)).origin }
})
afterEach(() => {
  reached.vendor.length = 0
  reached.other.length = 0
})
afterAll(() => {
  for (const server of [vendor, other]) server.close().closeAllConnections()
})

/** Makes the call, and adds its recording to those that a text holds. */
async function record(params: Readonly<Record<string, unknown>>, given?: string) {
  const { definition } = await parseKind(file)
  const kind = { definition, rules: {} }
  const connection = openConnection(kind, { credentials, origin: origins.vendor })
  const { signal } = new AbortController()
  const made = await makeCall(connection, { entity: 'things', action: 'list', params }, { mostPages: 5, signal })
  const configuration = given === undefined ? undefined : {}
  const name = given === undefined ? undefined : 'moved'
  const built = await buildRecording(connection, made, { configuration, name, secrets: Object.entries(credentials) })
  expect(built.problems).toEqual([])
  return { kind, made, text: await addRecording(given, { kind: 'acme', ...built }) }
}

test.each([
  ['the same host', () => `/moved/things?token=${secrets[0]}`, {}, 1],
  ['an address of the same host', () => `${origins.vendor}/moved/things`, {}, 1],
  ['another host', () => `${origins.other}/things?token=${secrets[0]}`, {}, 1],
  ['another host, from the second page on', () => `${origins.other}/things`, { owner: 'paged' }, 2],
] as const)('a list that leads to %s is recorded and replays, and nothing is sent there', async (_where, find, params, requests) => {
  const whole = await record({ owner: 'whole' })
  location = find()
  reached.vendor.length = 0
  const { kind, made, text } = await record(params, whole.text)
  expect(made.walked.error).toMatchObject({ code: 'upstream_answer_invalid', message: expect.stringContaining('never followed') })
  expect([reached.vendor.length, reached.other]).toEqual([requests, []])
  expect(reached.vendor.join()).not.toContain('/moved')
  for (const secret of [...secrets, '127.0.0.1']) expect(text).not.toContain(secret)
  const { file: recordings, mistakes } = await readRecordings(text, { name: 'acme.recordings.json' })
  expect([mistakes, recordings?.recordings[1]?.exchanges.at(-1)?.answer.status]).toEqual([[], 302])
  if (recordings === undefined) throw new Error('unreachable')
  const { findings } = await testKind(kind, recordings, { kind: 'k', recordings: 'r', findPlace: () => ({ line: 1, column: 1 }) })
  expect(findings.filter(({ is, file: where }) => is === 'failure' && where === 'r')).toEqual([])
})
