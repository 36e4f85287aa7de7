/** What a test of a kind against its recordings finds. */
import { describe, expect, test } from 'vitest'
import { parseKind, readKind } from '../../packages/ferrule/src/kind-file/index.ts'
import { createReplayConnection, readRecordings, testKind } from '../../packages/ferrule/src/kind-recordings/index.ts'
import { acmeKind, acmeRecordings } from './acme.ts'

async function check({ kind = acmeKind, recordings = acmeRecordings } = {}) {
  const { definition, mistakes, findPlace } = await readKind(kind, { name: 'acme.kind.yaml' })
  expect(mistakes).toEqual([])
  const read = await readRecordings(recordings, { name: 'acme.recordings.json' })
  expect(read.mistakes).toEqual([])
  if (definition === undefined || read.file === undefined) throw new Error('unreachable')
  return testKind({ definition, rules: {} }, read.file, { kind: 'acme.kind.yaml', recordings: 'acme.recordings.json', findPlace })
}

const listFailures = async (given: Parameters<typeof check>[0]): Promise<string[]> =>
  (await check(given)).findings
    .filter(({ is }) => is === 'failure')
    .map(({ file, line, call, message }) => `${file}:${line} ${call}: ${message}`)

test('a right kind passes', async () => {
  const { findings, ...counts } = await check()
  expect(findings).toEqual([])
  expect(counts).toEqual({ calls: 7, requests: 8, live: 0 })
})

/** Mistakes of the recordings, or of the kind, and what the test says. */
const mistakes: readonly (readonly [where: 'kind' | 'recordings', from: string, to: string, says: RegExp])[] = [
  ['kind', 'size: limit=2', 'size: limit=3', /recordings\.json:14 things\.list: request 1: the query’s limit is "3", and "2" is written/],
  ['kind', 'path: /v1', 'path: /v2', /request 1: the request is GET \/v2\/me, and GET \/v1\/me is written/],
  ['kind', 'send: cursor,', 'send: after,', /the query’s after is "c2", and is not written/],
  ['kind', 'next: next_cursor', 'next: next', /request 2 is not sent: GET \/v1\/things/],
  [
    'kind',
    'next: next_cursor',
    'next: next',
    /the walk ends although there may be more: Acme may have more records: the answer has next_cursor/,
  ],
  ['kind', 'id: integer Id\n', 'id: string Id\n', /\[0\]\.id is 9007199254740993, and the kind says string/],
  ['kind', 'note: string? Note', 'note: string Note', /note is null or missing, and the kind says that it is always there/],
  ['kind', 'create: { call: POST', 'create: { call: PUT', /the request is PUT \/v1\/things, and POST \/v1\/things is written/],
  ['kind', 'sync: { since: { changed_at:', 'sync: { since: { name:', /a sync cannot move: 3 of 3 records have no name that is a time/],
  [
    'kind',
    'entities:\n',
    'entities:\n  others:\n    about: Others\n    fields: { id: string Id }\n    list: GET /others\n',
    /kind\.yaml:\d+ others\.list: is not recorded: a list has/,
  ],
  ['recordings', '"id": 3}', '"id": 2}', /the key 2 stands twice: record 3 has it again/],
  ['recordings', '"id": 3}', '"id": null}', /record 3 has no id, which is the key/],
  ['recordings', '{"id": 2, "name": "Table"}', '{"id": 2, "name": "Tabel"}', /data\[1\]\.name is "Table", and "Tabel" is written/],
  ['recordings', ', {"id": 3}]', ']', /data has 3 elements, and 2 are written/],
  ['recordings', '"next_cursor": ""', '"next_cursor": "c3"', /sends GET \/v1\/things\?.*cursor=c3.*, which is not recorded/],
  [
    'recordings',
    '"next_cursor": ""',
    '"next_cursor": "", "has_more": true',
    /there may be more: Acme may have more records: the answer has has_more/,
  ],
  ['recordings', '"body": {"name": "Chair"}}', '"body": {"name": "Sofa"}}', /request 1: body\.name is "Chair", and "Sofa" is written/],
  [
    'recordings',
    '"error": "record_not_found"',
    '"error": "upstream_rate_limited"',
    /ends with record_not_found: .*, and upstream_rate_limited is written/,
  ],
  [
    'recordings',
    '{"call": "POST /v1/things", ',
    '{"call": "POST /v1/things", "headers": {"x-once": "{any}"}, ',
    /request 1: the header x-once is nothing, and "\{any\}" is written/,
  ],
  ['recordings', '"status": 404', '"status": 503', /ends with upstream_error/],
  [
    'recordings',
    '"call": "things.get", "source"',
    '"call": "things.gte", "source"',
    /things\.gte is not an operation of the kind; did you mean get\?/,
  ],
  ['recordings', '"kind": "acme"', '"kind": "other"', /these are recordings of other, and the kind is acme/],
  ['recordings', '"site": "north"', '"site": "a/b"', /config: .*site/],
  ['recordings', '"name": "Lamp"', '"name": "Lamp of ann@corp.test.io"', /holds the mail address ann@corp\.test\.io/],
  ['recordings', '"name": "Lamp"', '"name": "ghp_0123456789abcdefghijABCDEFGHIJ012345"', /holds a token of GitHub/],
  ['recordings', ',\n   "data": {"id": "u1"}', '', /me\.get: lacks data: what the call returns/],
]

describe('a mistake is found', () => {
  test.each(mistakes)('in the %s: %j as %j', async (where, from, to, says) => {
    const whole = where === 'kind' ? acmeKind : acmeRecordings
    expect(whole).toContain(from)
    const failures = await listFailures({ [where]: whole.replace(from, () => to) })
    expect(failures.join('\n')).toMatch(says)
  })

  test('a list with one page, unless it says why', async () => {
    const kind = acmeKind.replace(', because: The vendor returns all labels at once.', '')
    expect(await listFailures({ kind })).toEqual([])
    const recordings = acmeRecordings.replace(',\n   "one_page": "The vendor returns all labels at once."', '')
    expect(await listFailures({ recordings })).toEqual([])
    expect((await listFailures({ kind, recordings })).join()).toMatch(/labels\.list: has one page: record two, or say in one_page why/)
  })

  test('unknown and missing fields are noted', async () => {
    const recordings = acmeRecordings.replace('"name": "Lamp"', '"name": "Lamp", "maker": {"id": 7}, "owner": {"id": 1}')
    const { findings } = await check({
      recordings,
      kind: acmeKind.replace(
        'note: string? Note',
        'note: string? Note\n      size: integer? Size\n      maker: { $type: object?, id: integer Id, town: string? Town }',
      ),
    })
    expect(findings.map(({ is, call, message }) => `${is} ${call}: ${message}`)).toEqual([
      'note things: records have fields that the kind does not name: owner',
      'note things: no recorded record has a value in these fields: size, maker.town',
    ])
  })
})

test('a write is repeated only with the key of the vendor', async () => {
  const kind = acmeKind.replace('lists: { at: data', 'writes: { once: idempotency-key }\nlists: { at: data')
  expect(await listFailures({ kind })).toEqual([])
})

test('{any} stands for any characters of a request', async () => {
  const recordings = acmeRecordings
    .replace('"GET /v1/things/4"', '"GET /v1/{any}/4"')
    .replace('"body": {"name": "Chair"}}', '"body": {"name": "C{any}"}}')
  expect(await listFailures({ recordings })).toEqual([])
})

test('replays take the examples of fields for a configuration that the file does not name', async () => {
  const kind = acmeKind.replace(
    '{ site: label Name of the site }',
    '{ site: { $type: label, $about: Name of the site, $example: north }, region: { $type: string, $about: Region, $values: [eu west, us] } }',
  )
  const { definition } = await parseKind(kind)
  expect(createReplayConnection({ definition, rules: {} }, {}).configuration).toEqual({ site: 'north', region: 'eu west' })
  const { definition: plain } = await parseKind(acmeKind)
  expect(createReplayConnection({ definition: plain, rules: {} }, {}).configuration).toEqual({ site: 'acme' })
})
