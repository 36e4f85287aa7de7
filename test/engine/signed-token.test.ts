import { createHash, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { inspect } from 'node:util'
import { jwtVerify } from 'jose'
import { describe, expect, test } from 'vitest'
import type { Connection } from '../../packages/ferrule/src/engine/connection.ts'
import type { CredentialValues } from '../../packages/ferrule/src/engine/credentials/source.ts'
import { connect } from '../../packages/ferrule/src/index.ts'
import { configuration, refusal, resultOf, select, snowflakeAt } from './snowflake-support.ts'
import { failure, type Seen, serve, testEngine } from './support.ts'

const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 })
const pemOf = (key: KeyObject): string => key.export({ type: 'pkcs8', format: 'pem' }).toString()
const pem = pemOf(rsa.privateKey)
const passphrase = 'correct horse battery'
const encrypted = rsa.privateKey.export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase }).toString()
const fingerprint = createHash('sha256')
  .update(rsa.publicKey.export({ type: 'spki', format: 'der' }))
  .digest('base64')
const values = { user: 'loader', private_key: pem }
const keyed = (origin: string, more: CredentialValues = {}): Connection => snowflakeAt(origin, { values: { ...values, ...more } })
const tokenOf = (seen: Seen | undefined): string => String(seen?.headers['authorization']).replace(/^Bearer /, '')
const ok = () => resultOf([])

describe('a token that is made of a key', () => {
  test('names account, user and key, is proved by the public key, and lives 59 minutes', async () => {
    await using server = await serve(ok)
    const now = 1_780_000_000_999
    await using engine = testEngine({ clock: () => now })
    await engine.run(keyed(server.origin), select)
    const { payload, protectedHeader } = await jwtVerify(tokenOf(server.seen[0]), rsa.publicKey, { currentDate: new Date(now) })
    expect(payload).toEqual({
      iss: `ACME-SALES.LOADER.SHA256:${fingerprint}`,
      sub: 'ACME-SALES.LOADER',
      iat: 1_780_000_000,
      exp: 1_780_000_000 + 3_540,
    })
    expect(protectedHeader).toEqual({ alg: 'RS256', typ: 'JWT' })
    expect(server.seen[0]?.headers['x-snowflake-authorization-token-type']).toBe('KEYPAIR_JWT')
  })

  test.each([
    ['acme-sales', 'ACME-SALES'],
    ['acme-sales_eu', 'ACME-SALES_EU'],
    ['acme-sales.privatelink', 'ACME-SALES'],
    ['xy12345', 'XY12345'],
    ['xy12345.us-east-2.aws', 'XY12345'],
    ['xy12345.eu-central-1', 'XY12345'],
    ['xy12345.us-east-2.aws.privatelink', 'XY12345'],
  ])('names the account %s as the vendor’s tokens do', async (account, named) => {
    await using server = await serve(ok)
    await using engine = testEngine()
    await engine.run(snowflakeAt(server.origin, { values, configuration: { ...configuration, account } }), select)
    const { payload } = await jwtVerify(tokenOf(server.seen[0]), rsa.publicKey)
    expect(payload.sub).toBe(`${named}.LOADER`)
  })

  test('is kept until a minute before its end, and made anew then', async () => {
    await using server = await serve(ok)
    const time = { now: 1_780_000_000_000 }
    await using engine = testEngine({ clock: () => time.now })
    const connection = keyed(server.origin)
    const runAt = async (seconds: number): Promise<string> => {
      time.now = 1_780_000_000_000 + seconds * 1000
      await engine.run(connection, select)
      return tokenOf(server.seen.at(-1))
    }
    const first = await runAt(0)
    expect(await runAt(3_479)).toBe(first)
    const second = await runAt(3_480)
    expect(second).not.toBe(first)
    expect(await runAt(3_481)).toBe(second)
  })

  test('is another one for other credentials', async () => {
    await using server = await serve(ok)
    await using engine = testEngine()
    await engine.run(keyed(server.origin), select)
    await engine.run(keyed(server.origin, { user: 'other' }), select)
    const [first, second] = server.seen.map(tokenOf)
    expect(second).not.toBe(first)
  })

  test.each([
    ['as it is', { private_key: pem }],
    ['with line breaks that were written out', { private_key: pem.replaceAll('\n', '\\n') }],
    ['without its last line break', { private_key: pem.trim() }],
    ['encrypted, with its passphrase', { private_key: encrypted, private_key_passphrase: passphrase }],
  ])('takes a key %s', async (_what, more) => {
    await using server = await serve(ok)
    await using engine = testEngine()
    await engine.run(keyed(server.origin, more), select)
    await expect(jwtVerify(tokenOf(server.seen[0]), rsa.publicKey)).resolves.toBeDefined()
  })

  const body = pem.split('\n')[3] ?? ''
  const other = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  test.each([
    ['no key', { private_key: 'not a key' }],
    ['a key that is cut', { private_key: pem.slice(0, 400) }],
    ['an encrypted key without its passphrase', { private_key: encrypted }],
    ['an encrypted key with another passphrase', { private_key: encrypted, private_key_passphrase: 'wrong horse' }],
    ['a public key', { private_key: rsa.publicKey.export({ type: 'spki', format: 'pem' }).toString() }],
    ['a key of another kind', { private_key: pemOf(other.privateKey) }],
    ['a key that is too short', { private_key: pemOf(generateKeyPairSync('rsa', { modulusLength: 1024 }).privateKey) }],
  ])('cannot be made of %s: that is told without the key, and nothing is sent', async (_what, more) => {
    await using server = await serve(ok)
    await using engine = testEngine()
    const error = await failure(engine.run(keyed(server.origin, more), select))
    expect(error).toMatchObject({ code: 'upstream_auth_failed', status: 424 })
    expect(server.seen).toHaveLength(0)
    const told = `${inspect(error, { depth: 9 })}${JSON.stringify(error.toProblem())}`
    for (const secret of [body, 'BEGIN', passphrase, 'wrong horse', 'not a key', ...more.private_key.split('\n').slice(1, 3)])
      if (secret !== '') expect(told).not.toContain(secret)
  })

  test('is in no error, nor is the key, whatever the vendor repeats of them', async () => {
    await using server = await serve(({ headers }) => refusal(401, '390144', `JWT token is invalid: ${headers['authorization']} ${body}`))
    await using engine = testEngine()
    const error = await failure(engine.run(keyed(server.origin), select))
    expect(error).toMatchObject({ code: 'upstream_auth_failed', upstream: { code: '390144' } })
    const told = `${inspect(error, { depth: 9 })}${JSON.stringify(error.toProblem())}`
    expect(told).not.toContain(tokenOf(server.seen[0]))
    expect(told).toContain('[secret]')
  })

  test('is what the library sends too', async () => {
    await using server = await serve(ok)
    await using snowflake = connect('snowflake', { credentials: values, config: configuration, origin: server.origin })
    await snowflake.databases.list()
    await expect(jwtVerify(tokenOf(server.seen[0]), rsa.publicKey)).resolves.toBeDefined()
  })
})
