/** JSON that is nothing but brackets: refused while it is read, whoever sent it. */

import { expect, test } from 'vitest'
import { deepestJson, parseJson, readJson } from '../../packages/ferrule/src/values/json/json.ts'
import { readExportQuery } from '../../packages/server/src/http/routes/export.ts'
import { callOf, failure, gongAt, listed, serve, testEngine } from '../engine/support.ts'

const nested = (levels: number, inner = '') => '['.repeat(levels) + inner + ']'.repeat(levels)
const inObjects = (levels: number, inner = '1') => '{"a":'.repeat(levels) + inner + '}'.repeat(levels)

/** A list of calls whose first has something in it. */
const calls = (extra: string) =>
  `{"requestId":"r","records":{},"calls":[${JSON.stringify(callOf('1')).replace(/\}$/, '')},"extra":${extra}}]}`

const bodies: readonly (readonly [string, string])[] = [
  ['a body of brackets', nested(200_000)],
  ['a field of brackets', calls(nested(200_000))],
  ['a field of brackets with a long number', calls(nested(200_000, '12345678901234567890'))],
  ['a field of objects between much text', calls(inObjects(2_000, JSON.stringify('x'.repeat(1_000_000))))],
  ['a level too many', calls(nested(deepestJson - 2))],
]

test.for(bodies)('%s of a vendor is an answer that cannot be used', async ([, body]) => {
  await using vendor = await serve(() => ({ body }))
  await using engine = testEngine()
  const error = await failure(engine.run(gongAt(vendor.origin), { entity: 'calls', action: 'list' }))
  expect(error).toMatchObject({ code: 'upstream_answer_invalid', status: 502 })
  expect(error.message).toContain(`it is nested deeper than ${deepestJson} levels`)
  expect(vendor.seen).toHaveLength(1)
})

test('as deep as it may be is read, with all digits', async () => {
  const extra = nested(deepestJson - 3, '12345678901234567890')
  await using vendor = await serve(() => ({ body: calls(extra) }))
  await using engine = testEngine()
  const { data } = await listed(engine.run(gongAt(vendor.origin), { entity: 'calls', action: 'list' }))
  expect(data).toMatchObject([{ id: '1', extra: parseJson(extra) }])
})

test('brackets within texts are no levels', () => {
  const texts = ['[['.repeat(100), '"'.repeat(100), '\\'.repeat(99), `\\"${'['.repeat(100)}`, '{"a":'.repeat(100)]
  expect(readJson(JSON.stringify(texts))).toEqual(texts)
  expect(readJson(JSON.stringify(texts.map((text) => [[], [], {}, text])))).toEqual(texts.map((text) => [[], [], {}, text]))
})

test('a filter of an export that is too deep is told with its field', () => {
  expect(() => readExportQuery({ filter: inObjects(3_000) })).toThrow(expect.objectContaining({ code: 'validation_failed', status: 422 }))
})
