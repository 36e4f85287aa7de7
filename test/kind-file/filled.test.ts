/** Parameters that the configuration fills, and answers that are not ready yet. */
import { expect, test } from 'vitest'
import { connect } from '../../packages/ferrule/src/core.ts'
import { defineKind, readKind } from '../../packages/ferrule/src/kind-file/index.ts'
import { failure, serve } from '../engine/support.ts'

const file = {
  kind: 'desks',
  title: 'Desks',
  category: 'things',
  about: 'Desks of a workspace',
  docs: 'https://desks.example/docs',
  api: 'https://api.desks.example',
  configuration: { workspace: 'digits? Id of the workspace' },
  auth: { key: { title: 'Key', fields: { key: 'secret Key' }, find: 'Settings > Keys', send: { authorization: 'Bearer {key}' } } },
  check: 'desks.list',
  entities: {
    desks: {
      about: 'Desks',
      fields: { id: 'string Id' },
      list: {
        call: 'GET /workspaces/{workspace}/desks',
        params: { workspace: { $type: 'string', $about: 'Id of the workspace', $from: 'workspace' }, room: 'string Room' },
        pages: 'none',
        because: 'There are few.',
        running: 202,
      },
    },
  },
} as const
const kind = defineKind(file)
const credentials = { key: 'k' }

test('the configuration fills a parameter that a call leaves out, also one of the path', async () => {
  await using vendor = await serve(() => ({ body: [{ id: 'a' }] }))
  await using desks = connect(kind, { credentials, config: { workspace: '7' }, origin: vendor.origin })
  await desks.desks.list()
  await desks.desks.list({ workspace: '8', room: 'x' })
  expect(vendor.seen.map(({ url }) => url)).toEqual(['/workspaces/7/desks', '/workspaces/8/desks?room=x'])
  await using bare = connect(kind, { credentials, origin: vendor.origin })
  expect(await failure(bare.desks.list())).toMatchObject({ code: 'missing_parameter', errors: [{ field: '/params/workspace' }] })
  expect(vendor.seen).toHaveLength(2)
})

test('an answer that is not ready is asked for again', async () => {
  await using vendor = await serve((_seen, count) =>
    count < 3 ? { status: 202, headers: { 'retry-after': '0' } } : { body: [{ id: 'a' }] },
  )
  await using desks = connect(kind, { credentials, config: { workspace: '7' }, origin: vendor.origin })
  expect((await desks.desks.list()).data).toEqual([{ id: 'a' }])
  expect(vendor.seen).toHaveLength(3)
})

test('a field that the configuration lacks, and one within a value, are mistakes with their places', async () => {
  const text = JSON.stringify(file)
  const read = async (from: string, to: string) => (await readKind(text.replace(from, to), { name: 'desks' })).mistakes
  expect(text).toContain('"$from":"workspace"')
  expect(await read('"$from":"workspace"', '"$from":"workspac"')).toMatchObject([
    { path: 'entities.desks.list.params.workspace.$from', message: expect.stringContaining('workspac is not a field of configuration') },
  ])
  const within = await read('"room":"string Room"', '"room":{"$fields":{"id":{"$type":"string","$about":"Id","$from":"workspace"}}}')
  expect(within.map(({ message }) => message)).toEqual(['is for parameters of calls, and not for values within them'])
})
