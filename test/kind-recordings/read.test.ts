/** Files of recordings: what the reader makes of them, and what it says of wrong ones. */
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, test } from 'vitest'
import { formatMistake } from '../../packages/ferrule/src/kind-file/index.ts'
import { printTableSchema } from '../../packages/ferrule/src/kind-file/print-schema.ts'
import { findRecordingsPath, readRecordings } from '../../packages/ferrule/src/kind-recordings/index.ts'
import { recordingGroups } from '../../packages/ferrule/src/kind-recordings/read-recordings.ts'
import { acmeRecordings } from './acme.ts'

const read = (text: string) => readRecordings(text, { name: 'acme.recordings.json' })

test('reads calls, requests and answers', async () => {
  const { file, mistakes } = await read(acmeRecordings)
  expect(mistakes).toEqual([])
  const [, list] = file?.recordings ?? []
  expect(list).toMatchObject({ entity: 'things', action: 'list', source: 'document', params: { tag: 'a b' }, at: { line: 14 } })
  expect(list?.exchanges[0]).toEqual({
    request: {
      method: 'GET',
      path: '/v1/things',
      query: [
        ['limit', '2'],
        ['tag', 'a b'],
      ],
      headers: {},
    },
    answer: {
      status: 200,
      headers: { 'content-type': 'application/json', 'x-request-id': 'r1' },
      body: {
        data: [
          { id: 9007199254740993n, name: 'Lamp', note: null, changed_at: '2026-01-01T00:00:00Z' },
          { note: null, id: 2, name: 'Table', changed_at: '2026-01-02T00:00:00Z' },
        ],
        next_cursor: 'c2',
      },
    },
  })
})

test('finds the file beside the kind', () => {
  expect(['a/acme.kind.yaml', 'acme.json', 'kinds/acme.yml'].map(findRecordingsPath)).toEqual([
    'a/acme.recordings.json',
    'acme.recordings.json',
    'kinds/acme.recordings.json',
  ])
})

describe('says of a wrong file where and what', () => {
  const wrong: readonly (readonly [from: string, to: string, says: RegExp])[] = [
    ['"source": "document", "from"', '"sorce": "document", "from"', /:10:\d+ .*sorce is not a key of a recording; did you mean source\?/],
    ['"source": "document"', '"source": "documents"', /documents is not a word for this; did you mean document\?/],
    [', "from": "https://acme.example/docs/me"', '', /:9:\d+ recordings\.0: lacks from: the page of the document\. Example/],
    ['"GET /v1/me"', '"GET v1/me"', /GET v1\/me must be a method and a path/],
    ['"GET /v1/me"', '7', /recordings\.0\.exchanges\.0\.request: 7 must be a method and a path/],
    ['{"$use": "lamp"}, {"$use": "table"}', '{"$use": "lmap"}', /:20:\d+ lmap is not a sample that stands above; did you mean lamp\?/],
    ['{"$use": "lamp", "id": 2', '{"$use": "table", "id": 2', /:6:\d+ table is not a sample that stands above/],
    ['{"X-Request-Id": "r1"}', '{"Set-Cookie": "r1"}', /:20:\d+ .*Set-Cookie carries credentials, which no recording holds/],
    ['"error": "record_not_found"', '"error": "record_not_fond"', /did you mean record_not_found\?/],
    ['"error": "record_not_found"', '"error": "record_not_found", "data": {}', /a call ends with data or with an error, not both/],
    [' "name": "one that does not exist",', '', /is the second recording of things.get with this name/],
    ['"status": 404', '"status": 999', /999 is no status of an answer/],
    [
      '"exchanges": [{"request": "GET /v1/labels", "answer": {"body": {"labels": [{"name": "red"}, {"name": "blue"}]}}}]',
      '"exchanges": []',
      /exchanges: is empty/,
    ],
    ['"kind": "acme",', '"kind": "acme", // a comment', /:2:\d+ JSON has no comments/],
    ['"kind": "acme",', '"kind": "acme"', /:3:\d+ a comma is missing before this/],
    ['"kind": "acme",', '"kind": "acme", "kind": "other",', /:2:18 "kind" stands twice in the same object/],
    ['"body": {"name": "Chair"}', '"body": {"name": "Chair"}, "form": {"name": "Chair"}', /a request has a body or a form, not both/],
  ]
  test.each(wrong)('%j as %j', async (from, to, says) => {
    expect(acmeRecordings).toContain(from)
    const { file, mistakes } = await read(acmeRecordings.replace(from, () => to))
    expect(file).toBeUndefined()
    expect(mistakes.map(formatMistake).join('\n')).toMatch(says)
  })

  test('all at once', async () => {
    const { mistakes } = await read('{"kind": "A", "recordings": [{"call": "x"}, 7], "more": 1}')
    expect(mistakes.map(({ path }) => path)).toEqual(
      expect.arrayContaining(['kind', 'more', 'recordings.0', 'recordings.0.call', 'recordings.1']),
    )
  })

  test('bounds what samples make', async () => {
    const doubling = Array.from({ length: 30 }, (_none, index) => `"s${index + 1}": [{"$use": "s${index}"}, {"$use": "s${index}"}]`)
    const { mistakes } = await read(`{"kind": "acme", "samples": {"s0": 1, ${doubling.join()}}, "recordings": []}`)
    expect(mistakes.map(({ message }) => message)).toEqual(['the file has more than 500000 values after its samples are taken in'])
  })
})

test('the schema for editors says what the reader says', () => {
  const validate = new Ajv2020({ strict: false, allowUnionTypes: true }).compile(
    printTableSchema(recordingGroups, 'recordings', 'Recordings'),
  )
  expect(validate(JSON.parse(acmeRecordings)), JSON.stringify(validate.errors?.slice(0, 3))).toBe(true)
  expect(validate(JSON.parse(acmeRecordings.replace('"source": "document"', '"source": "documents"')))).toBe(false)
})
