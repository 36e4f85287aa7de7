import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { kinds } from '../../packages/ferrule/src/connectors/index.ts'
import { checkConfiguration } from '../../packages/ferrule/src/engine/credentials/check-credentials.ts'
import { resolveOrigins } from '../../packages/ferrule/src/engine/http/origin.ts'
import { connect, FerruleError } from '../../packages/ferrule/src/index.ts'
import { choose } from '../support/draws.ts'
import { findRefusal } from '../support/refusal.ts'
import { watchRequests } from './shopify-support.ts'
import { drawHostParts, hostileHostParts } from './slot-support.ts'
import { configuration, handle, resultOf, select, snowflakeAt, token } from './snowflake-support.ts'
import { failure, serve, testEngine } from './support.ts'

const { definition } = kinds.snowflake
const checked = (account: unknown) => checkConfiguration(definition, { ...configuration, account })
const addressOf = (given: Readonly<Record<string, unknown>>): string =>
  resolveOrigins(snowflakeAt(undefined, { configuration: given }), { programmatic_access_token: token }).api

describe('the account', () => {
  test.each([
    'myorg-my_acct',
    'MyOrg-My_Acct',
    '  myorg-my_acct\n',
    'myorg-my_acct.snowflakecomputing.com',
    'MYORG-MY_ACCT.SnowflakeComputing.com',
    'myorg-my_acct.snowflakecomputing.com/',
    'https://myorg-my_acct.snowflakecomputing.com',
    'HTTPS://MyOrg-My_Acct.snowflakecomputing.com/',
  ])('%j is myorg-my_acct', (account) => {
    expect(checked(account)['account']).toBe('myorg-my_acct')
    expect(addressOf(checked(account))).toBe('https://myorg-my_acct.snowflakecomputing.com')
  })

  test.each([
    'xy12345',
    'xy12345.us-east-2.aws',
    'xy12345.eu-central-1',
    'xy12345.west-europe.azure',
    'xy12345.us-east-2.aws.privatelink',
    'myorg-acct.privatelink',
    `a${'x'.repeat(62)}`,
  ])('%j stays as it is, pasted with its host too', (account) => {
    expect(checked(account)['account']).toBe(account)
    expect(checked(`https://${account}.snowflakecomputing.com/`)['account']).toBe(account)
    expect(addressOf(checked(account))).toBe(`https://${account}.snowflakecomputing.com`)
  })

  const bypasses: readonly unknown[] = [
    ...hostileHostParts,
    ...['a@b', 'a:443', 'a:b@c', 'evil.example/\nmyorg-acct', 'myorg-acct\nevil.example/', 'my org', 'a..b', 'a.', '.a', '7a'],
    `a${'x'.repeat(63)}`,
    'a.b.c.d.e',
    'myorg-acct.snowflakecomputing.com@evil.example',
    'myorg-acct.snowflakecomputing.com#@evil.example',
    'myorg-acct.snowflakecomputing.com:443',
    'myorg-acct.snowflakecomputing.ru',
    'myorg-acct.snowflakecomputing',
    'myorg-acct.snowflakecomputing.com//',
    'myorg-acct.snowflakecomputing.com/console',
    'myorg-acct.snowflakecomputing.com?x',
    'https://evil.example/myorg-acct.snowflakecomputing.com',
    'https://user@myorg-acct.snowflakecomputing.com',
    'https://myorg-acct.snowflakecomputing.com:8443',
    'https:///myorg-acct.snowflakecomputing.com',
    '//myorg-acct.snowflakecomputing.com',
    'http://myorg-acct.snowflakecomputing.com',
    'ftp://myorg-acct.snowflakecomputing.com',
    'https://app.snowflake.com/myorg/acct',
    'myоrg-acct',
    'my‐org',
    'myorg-acct。snowflakecomputing。com',
    'ｍyorg',
    'myorg\u200B',
    ['myorg-acct'],
    { toString: 'myorg-acct' },
  ]

  test.each(bypasses)('%j is refused, and nothing goes out with what was stored under other rules', async (account) => {
    expect(findRefusal(() => checked(account))).toMatchObject({
      code: 'validation_failed',
      errors: [{ field: '/replication_config/account' }],
    })
    const config = { ...configuration, account: account as string }
    expect(findRefusal(() => connect('snowflake', { credentials: { programmatic_access_token: token }, config }))).toMatchObject({
      code: 'validation_failed',
      errors: [{ field: '/config/account' }],
    })
    using watch = watchRequests()
    await using engine = testEngine()
    const stored = snowflakeAt(undefined, { configuration: { ...configuration, account } })
    expect((await failure(engine.run(stored, select))).code).toBe('validation_failed')
    expect(watch.origins).toEqual([])
  })

  test('is needed, as are database, warehouse and role', () => {
    for (const name of ['account', 'database', 'warehouse', 'role']) {
      const { [name]: _left, ...rest } = configuration as Record<string, string>
      expect(findRefusal(() => checkConfiguration(definition, rest))?.errors).toMatchObject([{ field: `/replication_config/${name}` }])
    }
  })

  test('whatever is given, requests go to a host of the vendor, or nowhere', async () => {
    // 10,000 inputs: seconds alone, half a minute beside other work.
    const accounts = drawHostParts('myorg-acct', '.snowflakecomputing.com', 'xy12345', '.aws')
    using watch = watchRequests()
    await using engine = testEngine()
    let accepted = 0
    await fc.assert(
      fc.asyncProperty(accounts, async (account) => {
        const refused = findRefusal(() => checked(account))
        if (refused === undefined) {
          accepted += 1
          const { protocol, hostname, port, pathname, username } = new URL(addressOf(checked(account)))
          expect({ protocol, port, pathname, username }).toEqual({ protocol: 'https:', port: '', pathname: '/', username: '' })
          expect(hostname).toMatch(/^[a-z][a-z0-9_-]*(\.[a-z0-9_-]+){0,3}\.snowflakecomputing\.com$/)
          return
        }
        expect(refused.code).toBe('validation_failed')
        const stored = snowflakeAt(undefined, { configuration: { ...configuration, account } })
        expect((await failure(engine.run(stored, select))).code).toBe('validation_failed')
      }),
      { numRuns: choose(2_000, 10_000) },
    )
    expect(watch.origins).toEqual([])
    expect(accepted).toBeGreaterThan(choose(20, 100))
  })
})

describe('the handle of a result', () => {
  const partOf = (statementHandle: unknown) => ({ entity: 'result_partitions', action: 'get', params: { statementHandle, partition: 1 } })

  test.each([
    '',
    '.',
    '..',
    '../statements',
    `${handle}/cancel`,
    `../../${handle}`,
    `${handle}?partition=0`,
    `${handle}#`,
    `${handle}%2fcancel`,
    `${handle}\n`,
    `\n${handle}`,
    handle.replaceAll('-', ''),
    handle.slice(1),
    `${handle}0`,
    `{${handle}}`,
    handle.replace('0', 'g'),
    handle.replace('0', '０'),
    '\ud800',
    7,
    null,
    [handle],
  ])('%j is refused before anything is sent', async (statementHandle) => {
    await using server = await serve(() => resultOf([]))
    await using engine = testEngine()
    const error = await failure(engine.run(snowflakeAt(server.origin), partOf(statementHandle)))
    expect(error.errors).toMatchObject([{ field: '/params/statementHandle' }])
    expect(server.seen).toHaveLength(0)
  })

  test('in capitals is one', async () => {
    await using server = await serve(() => resultOf([]))
    await using engine = testEngine()
    await engine.run(snowflakeAt(server.origin), partOf(handle.toUpperCase()))
    expect(server.seen[0]?.url).toBe(`/api/v2/statements/${handle.toUpperCase()}?partition=1`)
  })

  test('whatever it is, requests stay at the results of the connector’s own host', async () => {
    // 10,000 inputs: seconds alone, half a minute beside other work.
    await using server = await serve(() => resultOf([]))
    await using engine = testEngine()
    using watch = watchRequests()
    const connection = snowflakeAt(server.origin)
    const hex = fc.string({ unit: fc.constantFrom(...'0123456789abcdefABCDEF'), minLength: 32, maxLength: 32 })
    const shaped = hex.map((text) => text.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-'))
    const piece = fc.oneof(
      fc.constantFrom(handle, '/', '\\', '..', '.', '?', '#', '%2f', '%2e', '@', ':', 'cancel', 'https://evil.example', '\r\n', '\0', ' '),
      fc.string({ unit: 'binary', maxLength: 4 }),
    )
    const hostile = fc.array(piece, { maxLength: 5 }).map((pieces) => pieces.join(''))
    const spoilt = fc.tuple(shaped, fc.nat(36), piece).map(([text, at, more]) => text.slice(0, at) + more + text.slice(at))
    await fc.assert(
      fc.asyncProperty(
        fc.oneof({ weight: 1, arbitrary: shaped }, { weight: 9, arbitrary: hostile }, { weight: 9, arbitrary: spoilt }),
        async (given) => {
          await engine.run(connection, partOf(given)).catch((error: unknown) => expect(error).toBeInstanceOf(FerruleError))
        },
      ),
      { numRuns: choose(2_000, 10_000) },
    )
    expect(server.seen.length).toBeGreaterThan(100)
    const paths = server.seen.filter(
      ({ url }) => !/^\/api\/v2\/statements\/[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\?partition=[01]$/.test(url),
    )
    expect(paths).toEqual([])
    expect([...new Set(watch.origins)]).toEqual([server.origin])
  })
})
