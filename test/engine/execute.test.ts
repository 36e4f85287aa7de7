import { inspect } from 'node:util'
import { describe, expect, test } from 'vitest'
import { Secret } from '../../packages/ferrule/src/engine/credentials/source.ts'
import { writeJson } from '../../packages/ferrule/src/values/json/json.ts'
import { callOf, failure, gongAt, pageOf, serve, testEngine } from './support.ts'

describe('an engine', () => {
  test.each([
    ['calls', 'context_store_unavailable'],
    ['workspaces', 'action_not_supported'],
    ['nothing', 'entity_not_found'],
    ['constructor', 'entity_not_found'],
  ])('answers no search: of %s it is %s', async (entity, code) => {
    await using engine = testEngine()
    expect((await failure(engine.run(gongAt('http://127.0.0.1:1'), { entity, action: 'context_store_search' }))).code).toBe(code)
  })

  test('refuses wrong parameters before it opens the credentials', async () => {
    await using engine = testEngine()
    const connection = {
      ...gongAt('http://127.0.0.1:1'),
      credentials: { open: () => Promise.reject(new Error('opened')), renew: () => Promise.reject(new Error('renewed')) },
    }
    expect((await failure(engine.run(connection, { entity: 'calls', action: 'get' }))).code).toBe('missing_parameter')
    await expect(engine.run(connection, { entity: 'calls', action: 'get', params: { id: '7' } })).rejects.toThrow('opened')
  })

  test('names itself, and sends what the vendor needs and no more', async () => {
    await using server = await serve(() => ({ body: pageOf({ calls: [{ metaData: callOf('7') }] }) }))
    await using engine = testEngine()
    await engine.run(gongAt(server.origin), { entity: 'calls_extensive', action: 'list', params: { filter: {} } })
    const { host: _host, connection: _connection, 'content-length': _length, ...headers } = server.seen[0]?.headers ?? {}
    expect(headers).toEqual({
      accept: 'application/json',
      authorization: 'Basic QUtfREVNTzpTRUNSRVRfREVNTw==',
      'content-type': 'application/json',
      'user-agent': 'ferrule',
      'x-forwarded-host': 'api.gong.io',
    })
  })

  test('keeps every digit of what the vendor adds', async () => {
    const answer = `{"calls":[{"id":"7","isPrivate":false,"added":[6107734829915563302,-9223372036854775808]}]}`
    await using server = await serve(() => ({ body: answer }))
    await using engine = testEngine()
    const outcome = await engine.run(gongAt(server.origin), { entity: 'calls', action: 'list' })
    expect(outcome).toMatchObject({ data: [{ added: [6107734829915563302n, -9223372036854775808n] }] })
  })
})

describe('a digest of the body', () => {
  const digest = (body: Buffer): string => body.toString('latin1')
  const run = async (body: string, call: { readonly entity: string; readonly action: string; readonly params?: unknown }) => {
    await using server = await serve(() => ({ body }))
    await using engine = testEngine()
    return await engine.run(gongAt(server.origin), { ...call, digest })
  }

  test('is of the bytes as the vendor sent them, on request only', async () => {
    const list = `{ "calls": [{"id":"7", "isPrivate":false}] }`
    expect(await run(list, { entity: 'calls', action: 'list' })).toMatchObject({ digest: list })
    const one = `{ "call": {"id":"7", "isPrivate":false} }`
    expect(await run(one, { entity: 'calls', action: 'get', params: { id: '7' } })).toMatchObject({ digest: one })
    await using server = await serve(() => ({ body: list }))
    await using engine = testEngine()
    expect(await engine.run(gongAt(server.origin), { entity: 'calls', action: 'list' })).not.toHaveProperty('digest')
  })

  test('is left out where a join completes the records', async () => {
    const outcome = await run(writeJson(pageOf({ callTranscripts: [] })), {
      entity: 'call_transcripts',
      action: 'list',
      params: { filter: {} },
    })
    expect(outcome).toMatchObject({ type: 'list', data: [] })
    expect(outcome).not.toHaveProperty('digest')
  })
})

describe('a secret', () => {
  test('cannot be printed, only revealed', () => {
    const secret = new Secret({ token: 'zx-token-1' })
    const printed = [
      String(secret),
      `${secret}`,
      JSON.stringify({ secret }),
      inspect({ secret }, { depth: 9, showHidden: true }),
      inspect(secret),
    ]
    expect(printed.join()).not.toContain('zx-token-1')
    expect(Object.keys(secret)).toEqual([])
    expect(secret.reveal()).toEqual({ token: 'zx-token-1' })
  })

  test('is no longer secret after a structured clone only because nothing is left of it', () => {
    expect(structuredClone(new Secret('zx-token-1'))).toEqual({})
  })
})
