import { describe, expect, test } from 'vitest'
import { RawRows } from '../../packages/ferrule/src/engine/json/raw-rows.ts'
import { writeJson } from '../../packages/ferrule/src/values/json/json.ts'
import { callOf, gongAt, pageOf, serve, testEngine } from './support.ts'

/** The text and the records of a list of calls. */
async function listCalls(body: unknown, { keepsText = true, entity = 'calls', params = {} } = {}) {
  await using server = await serve(() => ({ body }))
  await using engine = testEngine()
  const outcome = await engine.run(gongAt(server.origin), { entity, action: 'list', params, keepsText })
  if (outcome.type !== 'list' || outcome.data instanceof RawRows) throw new Error('it is no list of records')
  return { ...outcome, text: outcome.text?.bytes.toString() }
}

test('a list that nothing changes comes with the text of the vendor', async () => {
  const calls = [callOf('1', { more: 9_007_199_254_740_993n }), callOf('2', { title: 'Démo – équipe' })]
  const { data, text, meta } = await listCalls(pageOf({ calls }, { cursor: 'next' }))
  expect(text).toBe(writeJson(calls))
  expect(data).toEqual(calls)
  expect(meta).toMatchObject({ cursor: 'next', private_calls_excluded: 0 })
})

test('numbers keep the digits that a double would lose', async () => {
  const call = writeJson(callOf('1')).replace('1384', '1384.00000000000000000001')
  expect(await listCalls(`{"requestId":"r","records":{},"calls":[${call}]}`)).toMatchObject({ text: `[${call}]` })
})

describe('there is no text', () => {
  const { language: _language, ...lacking } = callOf('2')
  test.each([
    ['without being asked for', pageOf({ calls: [callOf('1')] }), { keepsText: false }],
    ['where a call is hidden', pageOf({ calls: [callOf('1'), callOf('2', { isPrivate: true })] }), {}],
    ['where a documented field is missing', pageOf({ calls: [callOf('1'), lacking] }), {}],
    [
      'where records are joined',
      { id: '9', calls: [{ id: '1', title: 't', note: 'n' }] },
      { entity: 'library_folder_content', params: { folderId: '9' } },
    ],
    ['where fields get other names', pageOf({ workspaces: [{ id: '1', name: 'n', description: 'd' }] }), { entity: 'workspaces' }],
    ['where the vendor sends lines', JSON.stringify(pageOf({ calls: [callOf('1')] }), null, 1), {}],
  ])('%s', async (_name, body, options) => {
    expect((await listCalls(body, options)).text).toBeUndefined()
  })
})
