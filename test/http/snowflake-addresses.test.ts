import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { watchRequests } from '../engine/shopify-support.ts'
import { configuration } from '../library/snowflake-support.ts'
import { choose } from '../support/draws.ts'
import { sandboxWarehouse } from './snowflake-support.ts'
import { connectorsPath, type Json, startWorld, type World } from './support.ts'

let world: World
let id: string
beforeAll(async () => {
  world = await startWorld()
  id = await world.connect('warehouse', sandboxWarehouse('warehouse'))
})
beforeEach(() => world.sandbox.snowflake.reset())
afterAll(() => world.close())

const names = async (): Promise<string[]> =>
  (await world.ask(connectorsPath, { token: world.token })).json.data.map(({ name }: Json) => name)
const at = (account: unknown) => ({ ...configuration, account })
/** A connector to the vendor itself: nothing stands in for it. */
const body = (account: unknown) => sandboxWarehouse('hostile', { environment: {}, replication_config: at(account) })

/** Asks every way in that takes an account; each must refuse it at its place. */
async function expectRefused(account: unknown): Promise<void> {
  const stored = `${connectorsPath}/${id}`
  const change = { replication_config: at(account) }
  const answers = await Promise.all([
    world.ask(connectorsPath, { token: world.token, body: body(account) }),
    world.ask(`${connectorsPath}/check`, { token: world.token, body: body(account) }),
    world.ask(stored, { method: 'PATCH', token: world.token, body: change }),
    world.ask(stored, { method: 'PUT', token: world.token, body: change }),
    world.ask(`${stored}/check`, { token: world.token, body: change }),
  ])
  for (const { status, json } of answers)
    expect([status, json.code, json.errors.map(({ field }: Json) => field)]).toEqual([
      422,
      'validation_failed',
      ['/replication_config/account'],
    ])
}

const label = '[a-z][a-z0-9_-]{0,62}(\\.[a-z0-9_-]{1,63}){0,3}'
const right = [`^${label}$`, `^(https://)?${label}\\.snowflakecomputing\\.(com|cn|mil)/?$`]
const isRight = (text: string) => right.some((form) => new RegExp(form, 'i').test(text.trim()))
const domain = '.snowflakecomputing.com'

describe('a hostile account', () => {
  test.each([
    'evil.example/',
    'evil.example#',
    'evil.example?',
    'evil.example:443',
    'user@evil.example/',
    `sandbox-account@evil.example${domain}`,
    `evil.example/${domain}`,
    `evil.example#${domain}`,
    `evil.example?x=${domain}`,
    `sandbox-account${domain}.evil.example`,
    `sandbox-account${domain}@evil.example`,
    `sandbox-account${domain}:8443`,
    `https://evil.example/sandbox-account${domain}`,
    `https://user@sandbox-account${domain}`,
    `http://sandbox-account${domain}`,
    `https:sandbox-account${domain}`,
    `//sandbox-account${domain}`,
    `sandbox-account${domain}/console`,
    `sandbox-account${domain}//`,
    'https://app.snowflake.com/myorg/my_acct',
    '127.0.0.1',
    '127.0.0.1:8080/',
    '[::1]',
    '169.254.169.254/latest/meta-data#',
    'sandbox-account\r\nhost: evil.example',
    'sandbox-account\nevil.example/',
    'sandbox-account/../..',
    '..',
    'sandbox..account',
    '.sandbox-account',
    'a.b.c.d.e',
    '1sandbox',
    '-sandbox',
    'ｓandbox',
    'sandbox。evil.example',
    '\u212Aelvin',
    '{account}',
    '',
    'x'.repeat(64),
    7,
    true,
    null,
    ['sandbox-account'],
    { toString: 'sandbox-account' },
  ])('%j is refused at its place in every way, nothing is stored and nothing is sent', async (account) => {
    using watched = watchRequests()
    await expectRefused(account)
    expect([watched.origins, await names()]).toEqual([[], ['warehouse']])
  })

  test('that is generated is refused too', async () => {
    const pieces = ['sandbox-account', 'evil.example', domain, 'https://', 'http://', '127.0.0.1', '[::1]', '/', '\\', '@', ':', '#', '?']
    const signs = ['%2f', '%00', '.', '..', '-', '_', ' ', '\r\n', '\0', '。', '．', '／', '＠', '&', '%', '{account}']
    const texts = fc
      .array(fc.oneof(fc.constantFrom(...pieces, ...signs), fc.string({ unit: 'binary', maxLength: 2 })), { maxLength: 6 })
      .map((parts) => parts.join(''))
      .filter((text) => !isRight(text) && text.isWellFormed())
    using watched = watchRequests()
    await fc.assert(fc.asyncProperty(texts, expectRefused), { numRuns: choose(60, 300) })
    expect([watched.origins, await names()]).toEqual([[], ['warehouse']])
    expect((await world.ask(`${connectorsPath}/${id}`, { token: world.token })).json.replication_config).toEqual(configuration)
  })
})

describe('a hostile handle', () => {
  const handle = '01c88ab0-0000-0001-0000-001000000001'
  const part = (statementHandle: unknown, more: object = {}) =>
    world.execute(id, { entity: 'result_partitions', action: 'get', params: { statementHandle, partition: 0, ...more } })

  test.each([
    '../statements',
    '..',
    '%2e%2e',
    `${handle}/cancel`,
    `${handle}?partition=1`,
    `${handle}#`,
    `${handle}\r\nhost: evil.example`,
    ` ${handle}`,
    `{${handle}}`,
    handle.replaceAll('-', ''),
    handle.replace('0', '０'),
    'https://evil.example/',
    '',
    7,
    [handle],
  ])('%j is refused at its place, and nothing is sent', async (statementHandle) => {
    using watched = watchRequests()
    const { status, json } = await part(statementHandle)
    expect([status, json.code, json.errors[0].field]).toEqual([422, 'invalid_parameter', '/params/statementHandle'])
    expect([watched.origins, world.sandbox.snowflake.requests()]).toEqual([[], []])
  })

  test('that is generated is refused, or asks for a result of that name and nothing else', async () => {
    const piece = fc.constantFrom(
      handle,
      '/',
      '\\',
      '..',
      '.',
      '?',
      '#',
      '%2f',
      '@',
      'cancel',
      'https://evil.example',
      '\r\n',
      '\0',
      'g',
      '0',
    )
    const hostile = fc.array(piece, { maxLength: 4 }).map((pieces) => pieces.join(''))
    using watched = watchRequests()
    await fc.assert(
      fc.asyncProperty(hostile, async (given) => {
        const { status, json } = await part(given)
        expect([status, json.code]).toEqual(given === handle ? [404, 'record_not_found'] : [422, 'invalid_parameter'])
      }),
      { numRuns: 500 },
    )
    expect(new Set(watched.origins)).toEqual(new Set([world.sandbox.origins.snowflake.api]))
    expect(new Set(world.sandbox.snowflake.requests().map(({ method, path }) => `${method} ${path}`))).toEqual(
      new Set([`GET /api/v2/statements/${handle}`]),
    )
  })

  test.each([-1, 1.5, '1.0', ' 1', 2 ** 53, null])('with a part that is none is refused: %j', async (partition) => {
    const { status, json } = await part(handle, { partition })
    expect([status, json.errors[0].field]).toEqual([422, '/params/partition'])
  })

  test.each(['x', `${handle}&retry=true`, '../..'])('with a request id that is none is refused: %j', async (requestId) => {
    const { status, json } = await part(handle, { requestId })
    expect([status, json.errors[0].field, world.sandbox.snowflake.requests()]).toEqual([422, '/params/requestId', []])
  })
})

test.each(['https://evil.example/', 'http://169.254.169.254/', '/api/v2/statements'])(
  'a redirect to %s is not followed',
  async (location) => {
    using watched = watchRequests()
    world.sandbox.faults.add({ kind: 'redirect', location, on: 'snowflake' })
    const { status, json } = await world.execute(id, { entity: 'databases', action: 'list' })
    expect([status, json.code, json.upstream.status]).toEqual([502, 'upstream_answer_invalid', 302])
    expect(watched.origins).toEqual([world.sandbox.origins.snowflake.api])
  },
)
