import { createHash, createPublicKey, generateKeyPairSync, sign } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { snowflakeCredentials as known, startSandbox } from '../../packages/sandbox/src/index.ts'
import { ask, get } from './client.ts'
import { codeOf, context, dataOf, handleOf, noon, openDepot, signedIn } from './snowflake-client.ts'

const { snowflake, origin, clock, submit, poll } = await openDepot()
const base = `${origin}/api/v2/statements`
const json = { 'content-type': 'application/json' }
const post = (headers: Readonly<Record<string, string>>, body: unknown = { statement: 'SELECT 1', ...context }) =>
  ask(base, { method: 'POST', headers, body })

describe('tokens', () => {
  const pat = (token: string) => ({ ...signedIn(token), ...json })

  test.each([
    ['no header', { ...json }, 401, '390101'],
    ['another scheme', { ...json, authorization: `Basic ${known.token}` }, 401, '390101'],
    ['a wrong token', pat('whatever'), 401, '394400'],
    ['a name that every object has', pat('constructor'), 401, '394400'],
    ['an expired token', pat(known.expiredToken), 401, '394400'],
    ['no network policy', pat(known.noPolicyToken), 401, '390432'],
    ['a token that is said to be a JWT', { ...signedIn(known.token, 'KEYPAIR_JWT'), ...json }, 401, '390144'],
    ['a token that is said to be OAuth', { ...signedIn(known.token, 'OAUTH'), ...json }, 401, '390303'],
    ['an unknown type', { ...signedIn(known.token, 'PASSWORD'), ...json }, 401, '390303'],
  ])('%s is refused', async (...[, headers, status, code]) => {
    const answer = await post(headers)
    expect([answer.status, get(answer.body, 'code')]).toEqual([status, code])
    expect(Object.keys(Object(answer.body))).toEqual(['code', 'message'])
    expect(snowflake.executed()).toEqual([])
  })

  test('without a header for its type a token is looked at, or taken for OAuth', async () => {
    const headers = { ...json, accept: '*/*', authorization: `Bearer ${known.token}` }
    expect((await post(headers)).status).toBe(200)
    snowflake.switches.set({ tokenTypeAbsent: 'oauth' })
    expect(get((await post(headers)).body, 'code')).toBe('390303')
  })

  test('a statement of one user is unknown to another', async () => {
    const handle = handleOf(await submit('SELECT 1'))
    expect((await poll(handle)).status).toBe(200)
    const other = await ask(`${base}/${handle}`, { headers: signedIn(known.readOnlyToken) })
    expect(codeOf(other)).toEqual([422, '000709', '02000'])
  })
})

describe('key pairs', () => {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const pem = publicKey.export({ type: 'spki', format: 'pem' }).toString()
  const fingerprint = `SHA256:${createHash('sha256')
    .update(publicKey.export({ type: 'spki', format: 'der' }))
    .digest('base64')}`
  const subject = 'SANDBOX-ACCOUNT.SANDBOX_USER'
  const usual = { iss: `${subject}.${fingerprint}`, sub: subject, iat: noon / 1000, exp: noon / 1000 + 3600 }
  const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const tokenOf = (claims: object, key = privateKey) => {
    const text = `${encoded({ alg: 'RS256', typ: 'JWT' })}.${encoded({ ...usual, ...claims })}`
    return `${text}.${sign('RSA-SHA256', Buffer.from(text), key).toString('base64url')}`
  }
  const enter = (token: string) => post({ ...signedIn(token, 'KEYPAIR_JWT'), ...json })

  test('a signed token is good once its key is registered, in seconds or milliseconds', async () => {
    expect(get((await enter(tokenOf({}))).body, 'code')).toBe('390144')
    expect(snowflake.registerPublicKey(pem)).toBe(fingerprint)
    expect((await enter(tokenOf({}))).status).toBe(200)
    expect((await enter(tokenOf({ iat: noon, exp: noon + 60_000 }))).status).toBe(200)
    expect((await post({ ...json, accept: '*/*', authorization: `Bearer ${tokenOf({})}` })).status).toBe(200)
    expect(snowflake.executed().at(-1)?.user).toBe('SANDBOX_USER')
  })

  test.each([
    ['another user', { sub: 'SANDBOX-ACCOUNT.SOMEBODY' }],
    ['an account in lower case', { sub: 'sandbox-account.SANDBOX_USER', iss: `sandbox-account.SANDBOX_USER.${fingerprint}` }],
    ['another fingerprint', { iss: `${subject}.SHA256:AAAA` }],
    ['a past end', { exp: noon / 1000 - 1 }],
    ['an hour since it was issued, whatever its end', { iat: noon / 1000 - 3600, exp: noon / 1000 + 9999 }],
    ['a clock that is ahead', { iat: noon / 1000 + 120 }],
    ['no time of issue', { iat: undefined }],
  ])('%s is refused', async (...[, claims]) => {
    snowflake.registerPublicKey(pem)
    const answer = await enter(tokenOf(claims))
    expect(answer).toMatchObject({ status: 401, body: { code: '390144', message: expect.stringMatching(/^JWT token is invalid. \[.+]$/) } })
  })

  test('another signature, another algorithm and a foreign key are refused', async () => {
    snowflake.registerPublicKey(pem)
    const other = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey
    const unsigned = `${encoded({ alg: 'none' })}.${encoded(usual)}.`
    for (const token of [tokenOf({}, other), unsigned, `${tokenOf({})}x`]) expect((await enter(token)).status).toBe(401)
    const point = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ type: 'spki', format: 'pem' })
    expect(() => snowflake.registerPublicKey(point.toString())).toThrow('public RSA key')
  })

  test('two keys count, so that one can be exchanged; a key can be there from the start and come through the control door', async () => {
    const [second, third] = [1, 2].map(() => generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey)
    const text = (key: typeof second) => key?.export({ type: 'spki', format: 'pem' }).toString() ?? ''
    snowflake.registerPublicKey(pem)
    const put = (key: string) => ask(`${origin}/_sandbox/public-keys`, { method: 'POST', body: { publicKey: key } })
    expect((await put(text(second))).status).toBe(201)
    expect((await enter(tokenOf({}))).status).toBe(200)
    expect((await put(text(third))).status).toBe(201)
    expect((await enter(tokenOf({}))).status).toBe(401)
    expect((await put('no key')).status).toBe(400)
    await using own = await startSandbox({ clock: () => noon, snowflakePublicKeys: [pem] })
    own.snowflake.reset()
    const answer = await ask(`${own.origins.snowflake.api}/api/v2/statements/${crypto.randomUUID()}`, {
      headers: signedIn(tokenOf({}), 'KEYPAIR_JWT'),
    })
    expect(codeOf(answer)).toEqual([422, '000709', '02000'])
    expect(createPublicKey(pem).asymmetricKeyType).toBe('rsa')
  })
})

describe('the wire', () => {
  const headers = { ...signedIn(known.token), ...json }

  test.each([
    ['the account', { 'x-forwarded-host': known.host }, 200],
    ['the account in capitals', { 'x-forwarded-host': known.host.toUpperCase() }, 200],
    ['another account', { 'x-forwarded-host': 'other-account.snowflakecomputing.com' }, 404],
    ['a region that it is not in', { 'x-forwarded-host': 'sandbox-account.us-east-2.aws.snowflakecomputing.com' }, 404],
    ['a host that only begins like it', { 'x-forwarded-host': `${known.host}.attacker.example` }, 404],
  ])('%s', async (...[, host, status]) => {
    expect((await post({ ...headers, ...host })).status).toBe(status)
  })

  test('unknown paths are not found, other methods not allowed, without a body', async () => {
    const paths: readonly (readonly [string, string, number])[] = [
      ['GET', '/api/v2/statements', 405],
      ['PUT', '/api/v2/statements', 405],
      ['DELETE', `/api/v2/statements/${crypto.randomUUID()}`, 405],
      ['GET', `/api/v2/statements/${crypto.randomUUID()}/cancel`, 405],
      ['POST', '/api/v2/statements/', 405],
      ['GET', '/api/v2/statement', 404],
      ['GET', '/', 404],
    ]
    for (const [method, path, status] of paths) {
      const answer = await ask(origin + path, { method, headers })
      expect([path, answer.status, answer.text]).toEqual([path, status, ''])
      expect(answer.headers.get('content-length')).toBe('0')
    }
  })

  test('only JSON is taken and given', async () => {
    expect((await post({ ...headers, 'content-type': 'text/plain' })).status).toBe(415)
    expect((await post({ ...headers, 'content-type': 'application/json; charset=utf-8' })).status).toBe(200)
    expect(get((await post({ ...headers, accept: 'text/html' })).body, 'code')).toBe('391902')
    expect((await post({ ...headers, accept: '*/*' })).status).toBe(200)
  })

  test.each([
    ['no JSON', '{"statement":'],
    ['no object', '["SELECT 1"]'],
    ['no statement', { warehouse: 'SANDBOX_WH' }],
    ['a statement that is no text', { statement: 1 }],
    ['a schema that is no text', { statement: 'SELECT 1', schema: 5 }],
    ['a timeout that is no integer', { statement: 'SELECT 1', timeout: 1.5 }],
    ['a negative timeout', { statement: 'SELECT 1', timeout: -1 }],
    ['parameters that are no object', { statement: 'SELECT 1', parameters: [] }],
  ])('%s is no payload', async (...[, body]) => {
    expect(codeOf(await post(headers, body))).toEqual([400, '390142', undefined])
    expect(snowflake.executed()).toEqual([])
  })

  test('a parameter that is not allowed is named', async () => {
    const answer = await submit('SELECT 1', { body: { parameters: { STATEMENT_TIMEOUT_IN_SECONDS: '5' } } })
    expect(answer).toMatchObject({
      status: 400,
      body: { code: '391917', message: "Invalid parameter. 'STATEMENT_TIMEOUT_IN_SECONDS' is not allowed or invalid for SQL API." },
    })
    for (const parameters of [{ TIMEZONE: 'Mars/Olympus' }, { ROWS_PER_RESULTSET: 'many' }, { QUERY_TAG: 'x'.repeat(2001) }]) {
      expect(get((await submit('SELECT 1', { body: { parameters } })).body, 'code')).toBe('391917')
    }
    expect((await submit('SELECT 1', { body: { parameters: { query_tag: 'x', USE_CACHED_RESULT: true } } })).status).toBe(200)
  })

  test('a request id that is no UUID and a handle that is none are refused', async () => {
    expect((await submit('SELECT 1', { query: { requestId: '1' } })).status).toBe(400)
    expect((await poll('handle')).status).toBe(400)
  })
})

describe('the context', () => {
  test.each([
    [{ database: 'sandbox' }, 400, '391918'],
    [{ database: 'NOWHERE' }, 400, '391918'],
    [{ schema: 'public' }, 400, '391919'],
    [{ warehouse: 'sandbox_wh' }, 400, '391920'],
    [{ role: 'sandbox_role' }, 422, '390189'],
  ])('%o is compared exactly', async (...[body, status, code]) => {
    const answer = await submit('SELECT 1', { body })
    expect([answer.status, get(answer.body, 'code')]).toEqual([status, code])
  })

  test('names with lower-case letters and spaces are names too', async () => {
    const answer = await submit('SELECT CURRENT_SCHEMA(), COUNT(*) FROM "Orders 2024"', { body: { schema: 'Mixed Case' } })
    expect(dataOf(answer)).toEqual([['Mixed Case', '100']])
  })

  test('a SHOW needs no warehouse, a SELECT and a change do', async () => {
    const body = { warehouse: undefined }
    expect((await submit('SHOW TABLES', { body })).status).toBe(200)
    for (const statement of ['SELECT 1', 'DELETE FROM SCRATCH.COUNTERS']) {
      expect(codeOf(await submit(statement, { body }))).toEqual([422, '000606', '57P03'])
    }
    expect(codeOf(await submit('SELECT 1', { body: { role: 'CATALOG_ROLE' } }))).toEqual([422, '000606', '57P03'])
    snowflake.switches.set({ defaultWarehouse: 'SANDBOX_WH' })
    expect((await submit('SELECT 1', { body })).status).toBe(200)
  })

  test('without a database a bare name means nothing', async () => {
    const body = { database: undefined }
    await submit('DELETE FROM SALES.ORDERS WHERE ORDER_ID = 1')
    const answer = await submit('SELECT COUNT(*) FROM ORDERS', { body })
    expect(codeOf(answer)).toEqual([422, '090105', '22000'])
    expect(get(answer.body, 'message')).toContain('Cannot perform SELECT. This session does not have a current database.')
    expect(dataOf(await submit('SELECT COUNT(*) FROM SANDBOX.PUBLIC.ORDERS', { body }))).toEqual([['300000']])
    expect(codeOf(await submit('CREATE TABLE T (A INT)', { body }))).toEqual([422, '090105', '22000'])
    snowflake.switches.set({ defaultNamespace: 'SANDBOX.SALES' })
    expect(dataOf(await submit('SELECT CURRENT_SCHEMA(), COUNT(*) FROM ORDERS', { body }))).toEqual([['SALES', '999']])
  })

  test('each request is a session of its own', async () => {
    await submit('CREATE TEMPORARY TABLE MINE (A INT)')
    expect(codeOf(await submit('SELECT * FROM MINE'))[1]).toBe('002003')
    expect(codeOf(await submit('USE SCHEMA SALES'))).toEqual([422, '000002', '0A000'])
    expect(dataOf(await submit('SELECT COUNT(*) FROM ORDERS'))).toEqual([['300000']])
  })

  test('the clock of the sandbox is that of the warehouse', async () => {
    clock.now = noon + 1500
    const answer = await submit('SELECT CURRENT_TIMESTAMP(), CURRENT_DATE')
    expect(dataOf(answer)).toEqual([[`${noon / 1000 + 1}.500000000`, String(Math.floor(noon / 86_400_000))]])
    expect(get(answer.body, 'createdOn')).toBe(noon + 1500)
  })
})
