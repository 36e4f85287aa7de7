/** Kind files that organizations upload are read in a thread: the loop that answers requests never reads one. */
import { readFileSync } from 'node:fs'
import { afterAll, expect, test, vi } from 'vitest'
import { unpackDefinition } from '../../packages/server/src/connectors/connector-types.ts'
import { UploadReader } from '../../packages/server/src/main/kinds/upload-reader.ts'
import { acme } from '../kind-file/acme.ts'

// The thread has modules of its own. In this thread nobody reads YAML.
vi.mock('yaml', () => {
  throw new Error('a file is read in the loop')
})

const reader = new UploadReader()
afterAll(() => reader.close())
const read = (file: string, slug = 'acme', recordings?: string) =>
  reader.kind({ slug, file, recordings, isTested: true, taken: ['github', 'GitHub'], before: undefined })
/** Each alias looks for its anchor from the beginning of the file. */
const slow = `a: &a 1\nb: [${'*a,'.repeat(45_000)}]\n`

test('a right file is read, with its hosts and the mark of strangers', async () => {
  const github = readFileSync(new URL('../../packages/kinds/github.kind.yaml', import.meta.url), 'utf8')
  const own = github.replace('kind: github', 'kind: our-github').replace('title: GitHub', 'title: Our code')
  const { checked, mistakes, changes } = await read(own, 'our-github')
  expect([mistakes, changes]).toEqual([[], []])
  expect(JSON.parse(unpackDefinition(checked?.packed ?? new Uint8Array()))).toMatchObject({ kind: 'our-github', foreign: true })
  expect(checked?.summary).toMatchObject({ title: 'Our code', copied: true, hosts: ['api.github.com', 'github.com'] })
  const before = checked?.packed
  const next = own.replace('title: Our code', 'title: Our source').replace('https://api.github.com', 'https://api.github.example.com')
  const changed = await reader.kind({ slug: 'our-github', file: next, recordings: undefined, isTested: false, taken: [], before })
  expect(changed.changes[0]).toMatchObject({ class: 'authorize', entity: null })
})

test('mistakes have their places, and the slug of the address counts', async () => {
  const wrong = await read(acme.replace('title: Acme', 'title: GitHub'))
  expect(wrong).toMatchObject({ checked: undefined, mistakes: [{ line: 2, column: 8, path: 'title', near: null }] })
  const other = await read(acme, 'other')
  expect(other).toMatchObject({ checked: undefined, mistakes: [{ line: 1, path: 'kind', message: 'the address says other' }] })
  const large = await read(`${acme}${'# more\n'.repeat(40_000)}`)
  expect(large.mistakes).toMatchObject([{ message: 'is larger than 256 kB' }])
})

test('recordings with a secret refuse the upload', async () => {
  const exchanges = [{ request: 'GET /v1/user', answer: { body: { data: { id: `ghp_${'a1'.repeat(18)}` } } } }]
  const recordings = JSON.stringify({ kind: 'acme', recordings: [{ call: 'user.get', source: 'live', exchanges }] })
  const { checked, mistakes } = await read(acme, 'acme', recordings)
  expect(checked).toBeUndefined()
  expect(mistakes).toMatchObject([{ file: 'recordings', message: expect.stringContaining('a token of GitHub') }])
  expect((await read(acme, 'acme', recordings.replace(/ghp_\w+/, 'u1'))).mistakes).toEqual([])
})

test('a file that takes too long is refused, and the next one is read by another thread', async () => {
  const impatient = new UploadReader(5_000)
  const wait = { slug: 'acme', recordings: undefined, isTested: false, taken: [], before: undefined }
  const [first, second] = await Promise.all([impatient.kind({ ...wait, file: slow }), impatient.kind({ ...wait, file: acme })])
  await impatient.close()
  expect(first.mistakes).toMatchObject([{ message: expect.stringMatching(/^takes more than 5 seconds to read/) }])
  expect(second.mistakes).toEqual([])
})

test('a document becomes a file in the thread; one that takes too long or too much memory is refused', async () => {
  const given = (document: string) => ({ kind: 'acme', document })
  const answer = {
    description: 'Things',
    content: { 'application/json': { schema: { type: 'array', items: { $ref: '#/components/schemas/Thing' } } } },
  }
  const thing = { type: 'object', properties: { id: { type: 'string' }, inner: { $ref: '#/components/schemas/Thing' } } }
  const document = {
    openapi: '3.1.0',
    info: { title: 'Acme', version: '1' },
    servers: [{ url: 'https://api.acme.example' }],
    components: { schemas: { Thing: thing } },
    paths: { '/things': { get: { responses: { 200: answer } } } },
  }
  expect(await reader.document(given(JSON.stringify(document)))).toMatchObject({
    entities: 1,
    file: expect.stringContaining('GET /things'),
  })
  expect(await reader.document(given('{"a": 1}'))).toEqual({ problem: 'is no OpenAPI document, no manifest and no schema of GraphQL' })
  const impatient = new UploadReader(2_000)
  const costly = await impatient.document(given(slow.replaceAll(']', `${'*a,'.repeat(500_000)}]`)))
  await impatient.close()
  expect(costly).toEqual({ problem: expect.stringMatching(/^takes more than 2 seconds to convert/) })
  const crowded = await reader.document(given(`{"openapi": "3.1.0", "paths": {"/a": [${'{"a":{}},'.repeat(900_000)}{}]}}`))
  expect(crowded).toMatchObject({ problem: expect.any(String) })
})

test('the files that wait are bounded: one too many has a code and a next step', async () => {
  const settled = await Promise.allSettled(Array.from({ length: 22 }, () => read(acme)))
  const refused = settled.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []))
  expect(settled.filter(({ status }) => status === 'fulfilled').length).toBeGreaterThanOrEqual(20)
  expect(refused.length).toBeGreaterThanOrEqual(1)
  for (const each of refused)
    expect(each).toMatchObject({ code: 'overloaded', retryAfterMs: 15_000, hint: expect.stringContaining('Wait') })
})

test('the end of the service ends what is read and what waits', async () => {
  const ending = new UploadReader()
  const reading = [0, 1, 2].map(() =>
    ending.kind({ slug: 'acme', file: acme, recordings: undefined, isTested: false, taken: [], before: undefined }),
  )
  const settled = Promise.allSettled(reading)
  await ending.close()
  expect((await settled).map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
  await expect(
    ending.kind({ slug: 'acme', file: acme, recordings: undefined, isTested: false, taken: [], before: undefined }),
  ).rejects.toMatchObject({
    code: 'unavailable',
  })
})
