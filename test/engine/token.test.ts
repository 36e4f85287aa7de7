/** The token of changes that the last page of a list names. */
import { expect, test } from 'vitest'
import type { Kind } from '../../packages/ferrule/src/definition/connector.ts'
import { serve, testEngine } from './support.ts'
import { coded, codedAt } from './verdict-support.ts'

const { things } = coded.definition.entities
const token = { read: 'data.sync.next', param: 'group' }
const kind: Kind = { ...coded, definition: { ...coded.definition, entities: { things: { ...things, sync: { token } } } } }

test.each([
  ['a text', 'CPDAlvWDx70CEPDA', 'CPDAlvWDx70CEPDA'],
  ['a number', 7, 7],
  ['an empty text', '', undefined],
  ['nothing', null, undefined],
  ['an object', {}, undefined],
])('%s', async (_name, next, read) => {
  await using server = await serve(() => ({ body: { code: 0, data: { list: [{ id: '1' }], sync: { next } } } }))
  await using engine = testEngine()
  const outcome = await engine.run({ ...codedAt(server.origin), kind }, { entity: 'things', action: 'list' })
  expect(outcome).toMatchObject({ type: 'list', meta: { next_params: null } })
  expect(outcome).toHaveProperty('token', read)
})
