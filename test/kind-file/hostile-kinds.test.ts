/** Files of strangers: what an upload may not hold, and that the kinds of the project pass the same check. */
import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { checkUploadedKind, formatMistake, listHosts } from '../../packages/ferrule/src/kind-file/index.ts'
import { checkUploadedRecordings } from '../../packages/ferrule/src/stand-in/index.ts'
import { acme } from './acme.ts'
import { api, auth, hostile, oauth, taken, times } from './hostile.ts'

describe.each(Object.entries(hostile))('%s', (_group, cases) => {
  test.each(cases)('%s', async (_what, from, to, says) => {
    expect(acme).toContain(from)
    const { definition, mistakes } = await checkUploadedKind(
      acme.replace(from, () => to),
      { name: 'acme.kind.yaml', taken },
    )
    expect(mistakes.map(formatMistake).join('\n')).toMatch(new RegExp(says.replaceAll(/[$().[\]{}*+]/g, '\\$&')))
    expect(definition).toBeUndefined()
  })
})

test('all mistakes come at once, each with its place', async () => {
  const text = acme.replace(api, 'api: https://10.0.0.1').replace("x-version: '3'", "host: '3'").replace('kind: acme', 'kind: own')
  const { mistakes } = await checkUploadedKind(text, { name: 'acme.kind.yaml', taken })
  expect(mistakes.map(({ line, column, path }) => `${line}:${column} ${path}`)).toEqual([
    '1:7 kind',
    '6:6 api',
    '6:6 api',
    '8:12 headers.host',
    '8:12 headers.host',
  ])
})

test('a file with thousands of mistakes has an answer of bounded size', async () => {
  const text = `${acme}${times(3_000, (index) => `kind${index}\u202e: 1`)}\n`
  const { mistakes } = await checkUploadedKind(text, { name: 'acme.kind.yaml' })
  expect(mistakes).toHaveLength(201)
  expect(mistakes.at(-1)?.message).toMatch(/^\d+ more mistakes follow$/)
  expect(JSON.stringify(mistakes)).not.toContain('\u202e')
})

test('a right file is right, with the headers that vendors have', async () => {
  const headers = [
    'accept',
    'api-key',
    'notion-version',
    'stripe-account',
    'x-github-api-version',
    'x-shopify-access-token',
    'x-goog-user-project',
  ]
  const text = acme.replace("x-version: '3'", headers.map((each) => `${each}: '3'`).join(', '))
  const { mistakes } = await checkUploadedKind(text, { name: 'acme.kind.yaml', taken })
  expect(mistakes).toEqual([])
})

const folder = new URL('../../packages/kinds/', import.meta.url)
const shipped = readdirSync(folder).filter((file) => file.endsWith('.kind.yaml'))

test.each(shipped)('%s passes the same check, under a slug that is free', async (file) => {
  const slug = file.replace('.kind.yaml', '')
  const text = readFileSync(new URL(file, folder), 'utf8')
  const reserved = await checkUploadedKind(text, { name: file, taken: [slug] })
  expect(reserved.mistakes.map(({ message }) => message)).toContain(`${slug} is the name of another kind already`)
  const own = text.replace(`kind: ${slug}\n`, `kind: our-${slug}\n`).replace(/^title: .*$/m, 'title: Ours')
  const { definition, mistakes } = await checkUploadedKind(own, { name: file, taken: [slug] })
  expect(mistakes).toEqual([])
  const recordings = readFileSync(new URL(`${slug}.recordings.json`, folder), 'utf8').replace(`"kind": "${slug}"`, `"kind": "our-${slug}"`)
  if (definition !== undefined) expect((await checkUploadedRecordings(recordings, { name: 'recordings', definition })).mistakes).toEqual([])
})

test('the hosts of a definition have what goes there', async () => {
  const hosts = async (text: string) => {
    const { definition } = await checkUploadedKind(text, { name: 'acme.kind.yaml' })
    return definition === undefined ? [] : listHosts(definition)
  }
  expect(await hosts(acme)).toEqual([{ use: 'api', host: '{site}.acme.example' }])
  const text = acme.replace(auth, oauth('https://www.acme.example/agree', 'https://id.acme.example/token'))
  expect(await hosts(text.replace(api, `${api}\nelsewhere: { with: site, api: https://eu.acme.example, path: '/{site}' }`))).toEqual([
    { use: 'api', host: 'eu.acme.example' },
    { use: 'api', host: '{site}.acme.example' },
    { use: 'token', host: 'id.acme.example' },
    { use: 'page', host: 'www.acme.example' },
  ])
})

describe('recordings beside an upload', () => {
  const record = (answer: object, more: object = {}): string =>
    JSON.stringify({
      kind: 'acme',
      recordings: [
        { call: 'user.get', source: 'live', exchanges: [{ request: 'GET /v1/user', answer: { body: { data: answer } } }], ...more },
      ],
    })
  const check = async (text: string) => {
    const { definition } = await checkUploadedKind(acme, { name: 'acme.kind.yaml' })
    if (definition === undefined) throw new Error('the file is right')
    return checkUploadedRecordings(text, { name: 'acme.recordings.json', definition })
  }
  test.each([
    ['a token of GitHub', record({ id: `ghp_${'a1'.repeat(18)}` })],
    ['credentials of a header', record({ id: 'x', said: 'Bearer abcdefghijklmnopqrst' })],
    ['a private key', record({ id: '-----BEGIN RSA PRIVATE KEY-----' })],
    ['the mail address', record({ id: 'anna@acme.com' })],
    ['access_token carries a credential', record({ id: 'x', access_token: 'q8fh29fh2938fh293' })],
    ['api_key carries a credential', record({ id: 'x' }, { params: { api_key: 'q8fh29fh2938fh293' } })],
    ['the file holds a token of Slack', record({ id: 'x' }, { from: 'https://a.example/xoxb-1234567890-abc' })],
    ['recordings of other', record({ id: 'x' }).replace('"acme"', '"other"')],
    ['carries credentials', record({ id: 'x' }).replace('"body"', '"headers":{"set-cookie":"a=b"},"body"')],
  ])('%s is refused, and not quoted', async (says, text) => {
    const { file, mistakes } = await check(text)
    expect(mistakes.map(({ message }) => message).join('\n')).toContain(says)
    expect(JSON.stringify(mistakes)).not.toMatch(/a1a1|q8fh|xoxb/)
    expect(file).toBeUndefined()
  })
  test('invented values are right', async () => {
    expect((await check(record({ id: 'x', access_token: 'token-1', mail: 'person-1@example.com' }))).mistakes).toEqual([])
  })
})
