/** An operation of a kind file from a request and its answer. */
import { expect, test } from 'vitest'
import { DocumentError, type Exchange, writeOperation } from '../../packages/ferrule/src/import/index.ts'
import { readKind } from '../../packages/ferrule/src/kind-file/index.ts'
import { kindTop } from '../support/kind-head.ts'

const note = { id: 7, text: 'Hello', updated_at: '2026-02-01T09:00:00Z', due: '2026-03-01', tags: ['a'], owner: { id: 1 }, gone: null }
const list: Exchange = { method: 'GET', path: '/v1/notes', query: {}, body: undefined, answer: [note], headers: {} }
const top = `${kindTop('notely')}api: https://api.notely.example.com
auth: { token: { title: Token, fields: { token: secret Token }, send: { authorization: 'Bearer {token}' } } }
`
/** Puts the lines into a file. @returns their entities */
const read = async (exchange: Exchange, check: string) => {
  const { definition, mistakes, unsure } = await readKind(`${top}check: ${check}\n${await writeOperation(exchange)}`, { name: 'notely' })
  expect(mistakes).toEqual([])
  return { entities: definition?.entities ?? {}, unsure: unsure.map(({ path }) => path) }
}

test('a list has its rows, the types of all of them, and its way of paging', async () => {
  const answer = { data: [note, { ...note, text: null, size: 2.5 }], next_cursor: 'abc' }
  const { entities, unsure } = await read({ ...list, query: { limit: '10', tag: ['a', 'b'] }, answer }, 'notes.list')
  expect(await writeOperation({ ...list, query: { limit: '10', tag: ['a', 'b'] }, answer })).toMatchInlineSnapshot(`
    "unsure:
      entities.notes.fields: guessed
      entities.notes.list.pages: not said
      entities.notes.sync: guessed

    entities:
      notes:
        about: Notes
        fields:
          id: integer Id
          text: string? Text
          updated_at: date-time? Updated at
          due: date? Due
          tags: string[]? Tags
          owner: object? Owner
          gone: any Gone
          size: number? Size
        list: { call: GET /v1/notes, params: { limit: integer Limit, tag: 'string[] Tag' }, at: data, pages: none, arrays: repeat }
        sync: full
    "
  `)
  expect(Object.keys(entities['notes'] ?? {})).toContain('list')
  expect(unsure).toContain('entities.notes.fields')
})

test('an id in a path is a slot; words, versions and days are none', async () => {
  const call = async (path: string) => /GET [\w/{}-]+/.exec(await writeOperation({ ...list, path, answer: note }))?.[0]
  expect(await call('/v1/notes/17')).toBe('GET /v1/notes/{id}')
  expect(await call('/v1/notes/not_9s6XKzkNRiz8i3')).toBe('GET /v1/notes/{id}')
  expect(await call('/2026-01-01/notes/NOTE-7')).toBe('GET /2026-01-01/notes/{id}')
  expect(await call('/v2/people/3f2504e0-4f89-11d3-9a0c-0305e82c3301/profile')).toBe('GET /v2/people/{people_id}/profile')
  expect(await call('/oauth2_apps/current')).toBe('GET /oauth2_apps/current')
})

test('a write has the members of its body', async () => {
  const lines = await writeOperation({ ...list, method: 'PATCH', path: '/v1/notes/17', body: { text: 'Hi', count: 3n }, answer: note })
  expect(lines).toContain("update: { call: 'PATCH /v1/notes/{id}', body: { text: string Text, count: integer Count } }")
})

test('what fits no action is refused with the reason', async () => {
  const refused = writeOperation({ ...list, method: 'POST', path: '/v1/notes/17/merge', answer: {} })
  await expect(refused).rejects.toThrow(DocumentError)
  await expect(refused).rejects.toThrow('It does something, and neither creates nor changes a record.')
  await expect(writeOperation({ ...list, answer: 'Hello' })).rejects.toThrow('It answers no objects.')
})
