/**
 * Kinds of strangers who mean harm, over HTTP: what cannot be uploaded, and that a kind that was uploaded reaches no private address, no other
 * host, and nothing of this process.
 */
import dns, { type LookupAddress } from 'node:dns'
import { syncBuiltinESMExports } from 'node:module'
import { Socket } from 'node:net'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { readServedKinds } from '../../packages/server/src/main/kinds/served.ts'
import { acme } from '../kind-file/acme.ts'
import { hostile, times } from '../kind-file/hostile.ts'
import { share } from '../support/share.ts'
import { startCopyWorld } from './search-support.ts'
import { type Answer, base, connectorsPath, type Json } from './support.ts'

const path = `${base}/kinds/acme`
/** Everything that code can find without a name of its own. */
const listPrototype = (): string => JSON.stringify(Object.getOwnPropertyNames(Object.prototype))
const prototype = listPrototype()

const world = await share(startCopyWorld('embedded', { kinds: await readServedKinds({ FERRULE_KINDS: '@ferrule/kinds/github' }) }))

describe('a file of harm is refused, checked and published, and nothing of it stays:', () => {
  test.each(Object.entries(hostile))('%s', async (_group, cases) => {
    for (const [what, from, to] of cases) {
      const body = { file: acme.replace(from, () => to) }
      const published = await world.ask(path, { method: 'PUT', token: world.token, body })
      expect([what, published.status, published.json.fault], published.text).toEqual([what, 422, 'caller'])
      const checked = await world.ask(`${path}/check`, { token: world.token, body })
      // What is too long for a body is refused before it is read.
      expect([what, checked.status === 422 || checked.json.valid === false]).toEqual([what, true])
    }
    expect((await world.ask(`${base}/kinds`, { token: world.token })).json.data).toEqual([])
    const body = { workspace_name: 'default', connector_type: 'acme', name: 'Acme', credentials: { token: 't' } }
    expect((await world.ask(connectorsPath, { token: world.token, body })).json.code).toBe('connector_type_not_found')
    expect(listPrototype()).toBe(prototype)
  })

  test('groups of types that make a small file a definition of 6 MB, which its first use would parse', async () => {
    const fields = times(190, (index) => `f${index}: string ${'F'.repeat(290)}`, ', ')
    const entities = times(100, (index) => `  e${index}: { about: E, fields: { id: string Id, +: large }, get: GET /e }`)
    const file = acme.replace('types:\n', `types:\n  large: { ${fields} }\n`).replace('  parts:\n', `${entities}\n  parts:\n`)
    const small = file.replaceAll('+: large', 'name: string Name').replace(/^ {2}e9\d: .*\n/gm, '')
    const { json } = await world.ask(`${path}/check`, { token: world.token, body: { file: file.replace(/^ {2}e9\d: .*\n/gm, '') } })
    expect(json.mistakes.map(({ path: at, message }: Json) => [at, message])).toEqual([
      ['entities', expect.stringMatching(/^take \d\.\d MB with their groups of types written out, at most 1\.5 MB/)],
    ])
    expect((await world.ask(`${path}/check`, { token: world.token, body: { file: small } })).json.mistakes).toEqual([])
  })

  test('there are 60 of them at least', () => {
    expect(Object.values(hostile).flat().length).toBeGreaterThanOrEqual(60)
  })
})

describe('a kind whose file is right', () => {
  /** Where names lead: `site` of the file chooses one. */
  const names: Readonly<Record<string, readonly string[]>> = {
    'inner.acme.example': ['10.0.0.1'],
    'loop.acme.example': ['127.0.0.1'],
    'meta.acme.example': ['169.254.169.254'],
    'both.acme.example': ['8.8.8.8', '127.0.0.1'],
    'six.acme.example': ['::1'],
    'mapped.acme.example': ['::ffff:192.168.0.1'],
  }
  const asked: string[] = []
  /** Connections that were tried, but those of this test to the service. */
  const opened: string[] = []
  const resolve = (host: string, _options: object, done: (error: Error | null, found: LookupAddress[]) => void): void => {
    asked.push(host)
    done(
      null,
      (names[host] ?? []).map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    )
  }
  beforeEach(() => {
    asked.length = 0
    opened.length = 0
    vi.spyOn(dns, 'lookup').mockImplementation(resolve as typeof dns.lookup) // the engine and Node give all three values
    syncBuiltinESMExports()
    const connect = Socket.prototype.connect
    vi.spyOn(Socket.prototype, 'connect').mockImplementation(function (this: Socket, ...given: Parameters<typeof connect>) {
      this.on('connectionAttempt', (address, port) => port === world.port || opened.push(`${address}:${port}`))
      return Reflect.apply(connect, this, given)
    })
  })
  afterEach(() => {
    vi.restoreAllMocks()
    syncBuiltinESMExports()
  })

  const ask = (where: string, body?: object): Promise<Answer> =>
    world.ask(where, { token: world.token, ...(body === undefined ? {} : { body }) })
  const bodyOf = (site: string, more: object = {}) => ({
    ...{ workspace_name: 'default', connector_type: 'acme', name: site, credentials: { token: 'the-token' } },
    ...{ replication_config: { site }, ...more },
  })
  const refused = { code: 'upstream_unreachable', retryable: false, detail: expect.stringContaining('public') }
  const connect = async (site: string): Promise<string> => {
    await world.ask(path, { method: 'PUT', token: world.token, body: { file: acme } })
    return (await ask(connectorsPath, bodyOf(site, { check: false }))).json.id
  }

  test.each(Object.keys(names))('reaches nothing at %s: no check, call, request or sync', async (host) => {
    const [site = ''] = host.split('.')
    const id = await connect(site)
    const at = `${connectorsPath}/${id}`
    const answers = [
      await ask(connectorsPath, bodyOf(site, { name: `${site} checked` })),
      await ask(`${connectorsPath}/check`, bodyOf(site)),
      await ask(`${at}/check`, {}),
      await ask(`${at}/execute`, { entity: 'things', action: 'list' }),
      await ask(`${at}/execute`, { entity: 'things', action: 'create', params: { name: 'x' } }),
      await ask(`${at}/request`, { method: 'GET', path: '/things' }),
    ]
    for (const { json } of answers) expect(json.failure_reason?.problem ?? json).toMatchObject(refused)
    await ask(`${at}/syncs`, { mode: 'full' })
    await world.context.sync()
    const [run] = (await ask(`${at}/syncs`)).json.data
    expect(run.state).toBe('queued') // it waits for a call that passed
    expect(new Set(asked)).toEqual(new Set([host]))
    expect(opened).toEqual([])
  })

  test('is asked below its own address only', async () => {
    const at = `${connectorsPath}/${await connect('outer')}`
    for (const elsewhere of [
      ...['https://evil.example/x', '//evil.example/x', '/../../x', '/%2e%2e/x', '/a/%2F..%2Fx', '/\\evil.example', '@evil.example/'],
      ...['/x#y', '/things?next=1#a', 'things', '/a//b'],
    ]) {
      const { status, json } = await ask(`${at}/request`, { method: 'GET', path: elsewhere })
      expect([elsewhere, status, json.code]).toEqual([elsewhere, 422, 'validation_failed'])
    }
    for (const header of ['host', 'authorization', 'cookie', 'x-forwarded-host']) {
      const { status } = await ask(`${at}/request`, { method: 'GET', path: '/things', headers: { [header]: 'evil.example' } })
      expect([header, status]).toEqual([header, 422])
    }
    expect([asked, opened]).toEqual([[], []])
  })

  test('has no names of objects: entities, actions, parameters and fields of their prototype are unknown', async () => {
    const at = `${connectorsPath}/${await connect('outer')}`
    for (const word of ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty']) {
      const calls = [
        { entity: word, action: 'list' },
        { entity: 'things', action: word },
        { entity: 'things', action: 'list', params: { [word]: 'x' } },
        { entity: 'things', action: 'context_store_search', params: { query: { filter: { eq: { [word]: 'x' } } } } },
      ]
      for (const call of calls) {
        const { status, json } = await ask(`${at}/execute`, call)
        expect([word, JSON.stringify(call), status < 500, json.fault]).toEqual([word, JSON.stringify(call), true, 'caller'])
      }
    }
    expect([asked, opened, listPrototype()]).toEqual([[], [], prototype])
  })
})
