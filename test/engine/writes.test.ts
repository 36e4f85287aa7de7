import { expect, test } from 'vitest'
import { gong } from '../../packages/ferrule/src/connectors/gong/index.ts'
import type { Kind } from '../../packages/ferrule/src/definition/connector.ts'
import { entity, str } from '../../packages/ferrule/src/definition/index.ts'
import { accessKey, failure, fixed, serve, testEngine } from './support.ts'

const notes = entity({
  about: 'Notes',
  key: ['id'],
  record: { id: str('Note id') },
  create: { call: 'POST /v2/notes', at: 'note', params: { text: str('Text') } },
})
/** Gong with an entity that is written to; no kind has one yet. */
const kind: Kind = { definition: { ...gong.definition, entities: { notes } }, rules: {} }

test.each([
  ['a failure of the vendor', { status: 500, body: { errors: ['Internal server error occurred'] } }, 'outcome_unknown'],
  ['a rate limit', { status: 429, headers: { 'retry-after': '0' }, body: { errors: ['Slow down'] } }, 'upstream_rate_limited'],
])('a write that met %s is not sent again: the vendor may have run it', async (_what, reply, code) => {
  await using server = await serve(() => reply)
  await using engine = testEngine()
  const connection = { kind, configuration: {}, credentials: fixed(accessKey), origin: { api: server.origin } }
  const error = await failure(engine.run(connection, { entity: 'notes', action: 'create', params: { text: 'hello' } }))
  expect(error.code).toBe(code)
  expect(server.seen).toHaveLength(1)
})
