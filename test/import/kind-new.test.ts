/** `kind new --openapi`: a document becomes a file that passes the check, and its list pages through. */
import { readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { connect } from '../../packages/ferrule/src/core.ts'
import { loadKind } from '../../packages/ferrule/src/kind-file/index.ts'
import { runFerrule, runForJson } from '../command/support.ts'
import { makeFolder } from '../support/folder.ts'
import { listen } from '../support/listen.ts'
import { share } from '../support/share.ts'
import { answer, list, makeDocument, object, send } from './openapi-support.ts'

const config = makeFolder('kind-new')
const lamp = { id: 'string', name: 'string', updated_at: { type: 'string', format: 'date-time' } }
const paged = object({ lamps: list(lamp), meta: object({ next_cursor: 'string' }) })
const document = makeDocument(
  {
    '/lamps': {
      get: answer(paged, { cursor: 'string', limit: { type: 'integer', maximum: 2 }, color: { type: 'string', enum: ['red', 'blue'] } }),
      post: send(object({ lamp: object({ name: 'string' }) }), object({ lamp: object(lamp) })),
    },
    '/lamps/{lamp_id}': { get: answer(object({ lamp: object(lamp) })) },
    '/lamps/{lamp_id}/light': { post: answer(undefined) },
  },
  { components: { securitySchemes: { key: { type: 'http', scheme: 'bearer' } } } },
)
const lamps = [1, 2, 3, 4, 5].map((id) => ({ id: `l${id}`, name: `Lamp ${id}`, updated_at: '2026-01-01T00:00:00Z' }))

const server = createServer(({ url = '', headers }, response) => {
  const { pathname, searchParams } = new URL(url, 'http://localhost')
  response.setHeader('content-type', 'application/json')
  if (pathname === '/openapi.json') return void response.end(JSON.stringify(document))
  if (pathname === '/moved.json') return void response.writeHead(302, { location: '/openapi.json' }).end()
  const from = Number(searchParams.get('cursor') ?? 0)
  const next = from + 2 < lamps.length ? String(from + 2) : null
  const body = headers.authorization === 'Bearer k3y' ? { lamps: lamps.slice(from, from + 2), meta: { next_cursor: next } } : {}
  response.end(JSON.stringify(pathname === '/v1/lamps/l1' ? { lamp: lamps[0] } : body))
})
const { origin } = await share(listen(server))

test('from a document at an address to the last page', async () => {
  const made = await runForJson({ config }, 'kind', 'new', 'lamps.kind.yaml', '--openapi', `${origin}/openapi.json`)
  expect(made).toMatchObject({ file: 'lamps.kind.yaml', kind: 'lamps', entities: 1, left_out: [{ what: 'POST /lamps/{lamp_id}/light' }] })
  const { code, stdout, stderr } = await runFerrule({ config }, 'kind', 'check', 'lamps.kind.yaml', '--json')
  expect({ code, rows: JSON.parse(stdout).filter(({ is }: { is: string }) => is === 'mistake') }).toEqual({ code: 0, rows: [] })
  expect(stderr).toMatch(/no mistakes, \d+ doubts?, \d+ unsure/)
  expect(await readFile(join(config, 'lamps.kind.yaml'), 'utf8')).toContain(
    'create: { call: POST /lamps, body: { name: string Name }, wrap: lamp, at: lamp }',
  )
  const connector = connect(await loadKind(join(config, 'lamps.kind.yaml')), { credentials: { token: 'k3y' }, origin })
  const found = await Array.fromAsync(connector.entity('lamps').records())
  expect(found).toEqual(lamps)
  expect((await connector.entity('lamps').get({ lamp_id: 'l1' })).data).toEqual(lamps[0])
})

test('a file to begin with passes the check; an address that no kind may have is refused before a file is written', async () => {
  const create = (name: string, api: string) => runFerrule({ config }, 'kind', 'new', name, '--title', 'Rooms', '--api', api)
  const refused = await create('rooms.kind.yaml', 'http://127.0.0.1:4555')
  expect(refused.code).toBe(4)
  expect(refused.stderr).toContain('must be the address of a host, with https')
  expect(refused.stderr).toContain('Give --api')
  expect((await create('rooms.kind.yaml', 'https://api.rooms.example')).code).toBe(0)
  expect((await runFerrule({ config }, 'kind', 'check', 'rooms.kind.yaml')).code).toBe(0)
})

test('each command that reads a kind file says that a file does not exist', async () => {
  for (const command of ['check', 'types', 'docs', 'test', 'sandbox']) {
    const { code, stderr } = await runFerrule({ config }, 'kind', command, 'nothere.kind.yaml', '--format', 'json')
    expect(code, command).toBe(4)
    expect(stderr, command).toContain('nothere.kind.yaml: there is no such file.')
  }
})

test('a document that cannot be read is refused, and nothing is written', async () => {
  await writeFile(join(config, 'none.json'), '{"a": 1}')
  const wrong = [
    ['none.json', 'is no OpenAPI document'],
    ['missing.json', 'no such file'],
    [`${origin}/moved.json`, 'it leads to /openapi.json'],
    ['http://acme.example/openapi.json', 'its address is not https'],
  ] as const
  for (const [source, says] of wrong) {
    const { code, stderr } = await runFerrule({ config }, 'kind', 'new', 'wrong.kind.yaml', '--openapi', source)
    expect(code).not.toBe(0)
    expect(stderr).toContain(says)
  }
  await expect(readFile(join(config, 'wrong.kind.yaml'))).rejects.toThrow('ENOENT')
})
