/** Documents become kind files by a route: what is unsure is listed, what cannot be read is refused with the reason, and sizes are bounded. */
import { expect, test } from 'vitest'
import { answer, list, makeDocument, object } from '../import/openapi-support.ts'
import { share } from '../support/share.ts'
import { base, startWorld } from './support.ts'

const kinds = `${base}/kinds`
const lamp = { id: 'string', name: 'string' }
const document = JSON.stringify(
  makeDocument(
    {
      '/lamps': { get: answer(object({ data: list(lamp), next_cursor: 'string' }), { cursor: 'string' }) },
      '/lamps/{id}/light': { post: answer(undefined) },
    },
    { components: { securitySchemes: { key: { type: 'http', scheme: 'bearer' } } }, servers: [{ url: 'https://api.lamps.example.com' }] },
  ),
)
const schema =
  'type Query { lamps(first: Int, after: String): LampConnection } type LampConnection { nodes: [Lamp!]! pageInfo: PageInfo! } type PageInfo { hasNextPage: Boolean! endCursor: String } type Lamp { id: ID! name: String }'

const world = await share(startWorld())

const convert = (body: object, token = world.token) => world.ask(`${kinds}/import`, { token, body })

test('a document becomes a file that passes the check, with what is unsure', async () => {
  const { status, json } = await convert({ kind: 'lamps', document })
  expect([status, json.entities, json.left_out]).toEqual([200, 1, [{ what: 'POST /lamps/{id}/light', why: expect.any(String) }]])
  const check = await world.ask(`${kinds}/lamps/check`, { token: world.token, body: { file: json.file } })
  expect(check.json).toMatchObject({ valid: true, mistakes: [], hosts: ['api.lamps.example.com'] })
  expect(check.json.unsure).toContainEqual(
    expect.objectContaining({ path: 'limits', message: expect.stringContaining('was not in the document') }),
  )
})

test('a schema of GraphQL is known by its language, and needs an address', async () => {
  const { status, json } = await convert({ kind: 'lamps', document: schema, api: 'https://api.lamps.example.com/graphql' })
  expect([status, json.file]).toEqual([200, expect.stringContaining('query lamps')])
})

test('what cannot be read is refused with the reason, and nothing is stored', async () => {
  const refused = [
    [{ kind: 'lamps', document: '{"a": 1}' }, 'is no OpenAPI document, no manifest and no schema of GraphQL'],
    [{ kind: 'lamps', document: 'a: [' }, 'is neither JSON nor YAML'],
    [{ kind: 'lamps', document, api: 'lamps' }, 'cannot have the address lamps'],
    [{ kind: 'lamps', document, only: ['chairs'] }, 'has no entity and no tag chairs'],
    [{ kind: 'Lamps!', document }, '/kind must'],
  ] as const
  for (const [body, says] of refused) {
    const { status, json } = await convert(body)
    expect([status, json.code, JSON.stringify(json)]).toEqual([422, 'validation_failed', expect.stringContaining(says)])
  }
  expect((await world.ask(kinds, { token: world.token })).json.data).toEqual([])
})

test('a document above the usual body is taken, and one above 8 MiB is refused with its bound', async () => {
  const filled = (characters: number) => JSON.stringify({ ...JSON.parse(document), 'x-notes': 'n'.repeat(characters) })
  expect((await convert({ kind: 'lamps', document: filled(2_000_000) })).status).toBe(200)
  const large = await convert({ kind: 'lamps', document: filled(9_000_000) })
  expect([large.status, large.json.code, large.json.detail]).toEqual([413, 'payload_too_large', expect.stringContaining('8388608')])
})

test('a token of one workspace converts nothing: a kind belongs to the organization', async () => {
  const { json } = await world.ask(`${base}/account/applications/scoped-token`, { token: world.token, body: { workspace_name: 'default' } })
  expect((await convert({ kind: 'lamps', document }, json.token)).status).toBe(403)
})
