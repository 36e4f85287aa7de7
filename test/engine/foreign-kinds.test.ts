/** Kinds of strangers at work: requests leave for public addresses only, and nothing of a definition becomes code. */
import dns, { type LookupAddress } from 'node:dns'
import { syncBuiltinESMExports } from 'node:module'
import { Socket } from 'node:net'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { ConnectorDefinition } from '../../packages/ferrule/src/definition/connector.ts'
import type { Connection } from '../../packages/ferrule/src/engine/connection.ts'
import { Secret } from '../../packages/ferrule/src/engine/credentials/source.ts'
import type { OriginOverride } from '../../packages/ferrule/src/engine/http/origin.ts'
import { checkUploadedKind } from '../../packages/ferrule/src/kind-file/index.ts'
import { acme } from '../kind-file/acme.ts'
import { failure, fixed, serve, testEngine } from './support.ts'

/** Where names lead. */
const names: Readonly<Record<string, readonly string[]>> = {
  'inner.acme.example': ['10.0.0.1'],
  'meta.acme.example': ['169.254.169.254'],
  'both.acme.example': ['8.8.8.8', '127.0.0.1'],
  'six.acme.example': ['::1'],
  'mapped.acme.example': ['::ffff:192.168.0.1'],
  'none.acme.example': [],
}
const asked: string[] = []
/** Answers as the resolver of the machine does. */
function resolve(host: string, _options: object, done: (error: Error | null, found: LookupAddress[]) => void): void {
  asked.push(host)
  done(
    null,
    (names[host] ?? [host]).map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
  )
}

const oauth = `    oauth: { page: https://www.acme.example/agree, token: https://id.acme.example/token }
    send: { authorization: 'Bearer {access_token}' }`
const withOauth = acme
  .replace('    fields: { token: secret Token of the account, user: string? Address for mail }\n', '')
  .replace("    send: { authorization: 'Bearer {token}' }", oauth)
  .replace('per: token', 'per: access_token')

/** Reads a kind as uploads are read. */
async function readForeign(text = acme): Promise<ConnectorDefinition> {
  const { definition, mistakes } = await checkUploadedKind(text, { name: 'acme.kind.yaml' })
  if (definition === undefined) throw new Error(JSON.stringify(mistakes))
  return definition
}

/** Moves the hosts of a definition, as if its check had let them pass. */
const move = (definition: ConnectorDefinition, origins: Partial<ConnectorDefinition['origins']>): ConnectorDefinition => ({
  ...definition,
  origins: { ...definition.origins, ...origins },
})

const connectTo = (definition: ConnectorDefinition, origin?: OriginOverride): Connection => ({
  kind: { definition, rules: {} },
  configuration: { site: 'inner' },
  credentials: fixed({ token: 'secret-token' }),
  origin,
})

const list = { entity: 'things', action: 'list', params: {} }
const refused = { code: 'upstream_unreachable', retryable: false, message: expect.stringContaining('public') }

/** Sockets that were opened to other hosts than the vendor of a test. */
let opened: unknown[]
beforeEach(() => {
  opened = []
  asked.length = 0
  vi.spyOn(dns, 'lookup').mockImplementation(resolve as typeof dns.lookup) // the engine and Node give all three values
  syncBuiltinESMExports()
  const connect = Socket.prototype.connect
  vi.spyOn(Socket.prototype, 'connect').mockImplementation(function (this: Socket, ...given: Parameters<typeof connect>) {
    opened.push(given)
    return Reflect.apply(connect, this, given)
  })
})
afterEach(() => {
  vi.restoreAllMocks()
  syncBuiltinESMExports()
})

describe('a request to the API of a stranger', () => {
  test.each([
    ...['https://127.0.0.1', 'https://10.0.0.1', 'https://169.254.169.254', 'https://[::1]', 'https://2130706433', 'https://0x7f.1'],
    ...['https://0177.0.0.1', 'https://[::ffff:127.0.0.1]', 'https://[fd00:ec2::254]', 'http://api.acme.example', 'https://8.8.8.8:8443'],
    'https://user@api.acme.example',
  ])('at %s is refused before a connection', async (api) => {
    await using engine = testEngine()
    const definition = move(await readForeign(), { api })
    expect(await failure(engine.run(connectTo(definition), list))).toMatchObject(refused)
    expect(opened).toEqual([])
  })

  test.each(Object.keys(names))('at the name %s is refused when it resolves', async (host) => {
    await using engine = testEngine()
    const definition = move(await readForeign(), { api: `https://${host}` })
    expect(await failure(engine.run(connectTo(definition), list))).toMatchObject(refused)
    expect(asked).toEqual([host])
  })

  test('whose host a value completes is refused when it resolves, and a write was not sent', async () => {
    await using engine = testEngine()
    const connection = connectTo(await readForeign())
    const create = { entity: 'things', action: 'create', params: { name: 'x' } }
    expect(await failure(engine.run(connection, create))).toMatchObject(refused)
    expect(asked).toEqual(['inner.acme.example'])
  })

  test('at a host that its owner names is refused when it resolves, whoever wrote the kind', async () => {
    await using engine = testEngine()
    const text = acme.replace("'https://{site}.acme.example'", "'https://{site}'").replace('site: label', 'site: host')
    const { foreign: _mark, ...known } = await readForeign(text)
    for (const host of ['inner.acme.example', 'meta.acme.example']) {
      const connection = { ...connectTo(known), configuration: { site: host } }
      expect(await failure(engine.run(connection, list))).toMatchObject(refused)
    }
    expect(asked).toEqual(['inner.acme.example', 'meta.acme.example'])
  })

  test('of a caller’s own is refused too', async () => {
    await using engine = testEngine()
    const definition = move(await readForeign(), { api: 'https://127.0.0.1' })
    expect(await failure(engine.request(connectTo(definition), { request: { method: 'GET', path: '/x' } }))).toMatchObject(refused)
    expect(opened).toEqual([])
  })

  test('reaches a stand-in that the operator runs, and a next page elsewhere gets nothing', async () => {
    const inner = await serve(() => ({ body: { data: [] } }))
    await using vendor = await serve(() => ({ body: { data: [{ id: 1 }] }, headers: { link: `<${inner.origin}/v1/x>; rel="next"` } }))
    await using engine = testEngine()
    const linked = acme.replace('next: meta.next, send: cursor, more: meta.has_more,', 'next: link,')
    const connection = connectTo(await readForeign(linked), { api: vendor.origin })
    expect(await failure(engine.run(connection, list))).toMatchObject({ code: 'upstream_answer_invalid' })
    expect(inner.seen).toEqual([])
    await inner[Symbol.asyncDispose]()
  })

  test('follows no redirect', async () => {
    await using inner = await serve(() => ({ body: { data: [] } }))
    await using vendor = await serve(() => ({ status: 302, headers: { location: `${inner.origin}/v1/things` } }))
    await using engine = testEngine()
    await failure(engine.run(connectTo(await readForeign(), { api: vendor.origin }), list))
    expect(inner.seen).toEqual([])
  })
})

test.each(['https://127.0.0.1', 'https://meta.acme.example'])('tokens are not asked for at %s', async (token) => {
  await using engine = testEngine()
  const definition = move(await readForeign(withOauth), { token })
  const { credentials: _none, ...bare } = connectTo(definition)
  const oauthClient = new Secret({ client_id: 'id', client_secret: 'the-client-secret' })
  const error = await failure(engine.exchangeConsent(bare, { code: 'the-code', oauthClient, redirectUrl: 'https://a.example/back' }))
  expect(error).toMatchObject(refused)
  expect(JSON.stringify([error, error.cause])).not.toMatch(/the-c/)
})

test.each(['https://127.0.0.1', 'https://meta.acme.example'])('a token is not ended at %s', async (api) => {
  await using engine = testEngine()
  const revoked = withOauth.replace('/token }', '/token, revoke: { call: POST /end, send: { token: access_token } } }')
  const connection = { ...connectTo(move(await readForeign(revoked), { api })), credentials: fixed({ access_token: 'the-token' }) }
  const error = await failure(engine.revokeConsent(connection))
  expect(error).toMatchObject(refused)
  expect(JSON.stringify([error, error.cause])).not.toContain('the-token')
})

describe('a file of a stranger', () => {
  /** No word of a file makes a download yet. */
  const withFiles = async (): Promise<ConnectorDefinition> => {
    const definition = await readForeign()
    const { things } = definition.entities
    if (things?.get === undefined) throw new Error('the file has things')
    return {
      ...definition,
      entities: {
        ...definition.entities,
        things: { ...things, download: { ...things.get, file: { at: 'link', range: 'range_header', renew: [], name: 'things' } } },
      },
    }
  }
  const download = { entity: 'things', action: 'download', params: { id: 1 } }

  test.each(['https://127.0.0.1/a', 'https://meta.acme.example/a', 'https://six.acme.example/a', 'http://8.8.8.8/a', 'file:///etc/passwd'])(
    'is not read at %s',
    async (link) => {
      await using vendor = await serve(() => ({ body: { link } }))
      await using engine = testEngine()
      const error = await failure(engine.run(connectTo(await withFiles(), { api: vendor.origin }), download))
      expect(error).toMatchObject({ code: 'upstream_answer_invalid', message: expect.stringContaining('public') })
      expect(vendor.seen).toHaveLength(1)
    },
  )

  test('is read without credentials, and does not lead on to another address inside', async () => {
    await using inner = await serve(() => ({ body: 'secret' }))
    await using vendor = await serve(({ url }) =>
      url === '/file' ? { status: 302, headers: { location: `${inner.origin}/secret` } } : { body: { link: `${vendor.origin}/file` } },
    )
    await using engine = testEngine()
    const error = await failure(engine.run(connectTo(await withFiles(), { api: vendor.origin }), download))
    expect(error.code).toBe('upstream_answer_invalid')
    expect([vendor.seen.map(({ headers }) => headers.authorization), inner.seen]).toEqual([['Bearer secret-token', undefined], []])
  })
})

test('values are checked without code, with the same sentences', async () => {
  const definition = await readForeign()
  const { foreign: _mark, ...known } = definition
  const wrong = { entity: 'things', action: 'list', params: { state: 'lost', since: 'soon', more: 1 } }
  await using engine = testEngine()
  const made = vi.spyOn(globalThis, 'Function')
  const foreign = await failure(engine.run(connectTo(definition, { api: 'http://127.0.0.1:9' }), wrong))
  expect(made).not.toHaveBeenCalled()
  const own = await failure(engine.run(connectTo(known, { api: 'http://127.0.0.1:9' }), wrong))
  expect(made).toHaveBeenCalled()
  expect(foreign.errors).toEqual(own.errors)
  expect(foreign.errors.length).toBeGreaterThanOrEqual(3)
})
