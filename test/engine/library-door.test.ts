import { describe, expect, test } from 'vitest'
import { type ConnectOptions, connect, type Kinds, listKinds } from '../../packages/ferrule/src/index.ts'
import { catchRefusal } from '../support/refusal.ts'
import { accessKey, callOf, failure, pageOf, serve } from './support.ts'

type Options = ConnectOptions<Kinds['gong']>

/** Returns what connecting throws, at once. */
const refusal = (options: unknown, kind = 'gong') => catchRefusal(() => connect(kind as 'gong', options as Options))

const limits =
  'must be true, false or your own rates: perSecond (above 0, up to 1,000), perDay (1 to 1,000,000) or both, and perhaps a store with take()'

describe('connect', () => {
  test('knows its kinds', () => {
    expect(listKinds()).toContain('gong')
    expect(refusal({}, 'gnog')).toMatchObject({
      code: 'connector_type_not_found',
      message: 'There is no connector type gnog. Known: gong, shopify, snowflake, tiktok-marketing.',
    })
    for (const kind of ['constructor', '__proto__', '']) expect(refusal({}, kind).code).toBe('connector_type_not_found')
  })

  test.each<[string, unknown, string, string[]]>([
    ['nothing', {}, 'credentials_mismatch', []],
    ['fields of no scheme', { token: 'x' }, 'credentials_mismatch', []],
    ['fields of two schemes', { access_key: 'a', refresh_token: 'b' }, 'credentials_mismatch', []],
    ['a name of every object', { constructor: 'x' }, 'credentials_mismatch', []],
    ['half of a scheme', { access_key: 'a' }, 'validation_failed', ['/credentials/access_key_secret']],
    ['an empty secret', { access_key: 'a', access_key_secret: '' }, 'validation_failed', ['/credentials/access_key_secret']],
    ['a number', { access_key: 1, access_key_secret: 'x' }, 'validation_failed', ['/credentials/access_key']],
    ['no object', 'secret', 'validation_failed', ['/credentials']],
    ['null', null, 'validation_failed', ['/credentials']],
    ['a bad time', { refresh_token: 'r', token_expiry_date: 'soon' }, 'validation_failed', ['/credentials/token_expiry_date']],
  ])('refuses credentials: %s', (_what, credentials, ...[code, fields]) => {
    const error = refusal({ credentials })
    expect(error.code).toBe(code)
    expect(error.errors.map(({ field }) => field)).toEqual(fields)
  })

  test('names the schemes and their fields when none fits', () => {
    expect(refusal({ credentials: { token: 'x' } }).message).toBe(
      'The credentials match no scheme of gong. Given: token. Schemes: access_key (access_key, access_key_secret); ' +
        'oauth (refresh_token, access_token, client_id, client_secret, token_expiry_date, api_base_url_for_customer).',
    )
  })

  test.each<[unknown, string[]]>([
    [{ private_calls: 'yes' }, ['/config/private_calls']],
    [{ region: 'eu' }, ['/config/region']],
    ['include', ['/config']],
  ])('refuses the configuration %j', (config, fields) => {
    const error = refusal({ credentials: accessKey, config })
    expect(error.code).toBe('validation_failed')
    expect(error.errors.map(({ field }) => field)).toEqual(fields)
  })

  test.each<[unknown, string]>([
    ['localhost:3000', '/origin'],
    ['not a url', '/origin'],
    ['ftp://proxy.example', '/origin'],
    ['https://user:password@proxy.example', '/origin'],
    ['https://proxy.example/?a=1', '/origin'],
    [{ api: 'https://proxy.example', media: 'x' }, '/origin/media'],
    [{ oauth: 'https://proxy.example' }, '/origin/api'],
  ])('refuses the origin %j', (origin, field) => {
    const error = refusal({ credentials: accessKey, origin })
    expect(error.code).toBe('validation_failed')
    expect(error.errors.map((problem) => problem.field)).toEqual([field])
    expect(error.message).not.toContain('password')
  })

  test('alone is a refusal that names the schemes', () => {
    expect(refusal(undefined)).toMatchObject({
      code: 'credentials_mismatch',
      message: expect.stringContaining('Given: nothing. Schemes: access_key'),
    })
    expect(refusal({ credentials: undefined })).toMatchObject({ code: 'credentials_mismatch' })
    expect(refusal('secret')).toMatchObject({ code: 'validation_failed', message: expect.not.stringContaining('secret') })
  })

  test.each<[Record<string, unknown>, string]>([
    [{ limits: 'off' }, `/limits ${limits}`],
    [{ limits: { calls: 3 } }, `/limits ${limits}`],
    [{ limits: 0 }, `/limits ${limits}`],
    [{ limits: null }, `/limits ${limits}`],
    [{ onCredentials: {} }, '/onCredentials must be a function'],
    [{ onNotice: 'log' }, '/onNotice must be a function'],
    [{ origin: 8080 }, '/origin must be an address'],
    [{ configuration: {} }, '/configuration is not known; known: credentials, config, origin,'],
  ])('refuses the options %j', (options, message) => {
    const error = refusal({ credentials: accessKey, ...options })
    expect([error.code, error.message]).toEqual(['validation_failed', expect.stringContaining(message)])
  })

  test('is synchronous and sends nothing; a key with null counts as not given', async () => {
    await using server = await serve(() => ({ body: pageOf({ users: [] }) }))
    const credentials = { ...accessKey, refresh_token: null } as unknown as Options['credentials']
    const gong = connect('gong', { credentials, origin: server.origin })
    expect(gong).not.toBeInstanceOf(Promise)
    await gong.close()
    expect(server.seen).toHaveLength(0)
  })
})

describe('a connector', () => {
  test('check asks for the users, with one request', async () => {
    await using server = await serve(() => ({ body: pageOf({ users: [] }) }))
    await using gong = connect('gong', { credentials: accessKey, origin: server.origin })
    await gong.check()
    expect(server.seen.map(({ method, url }) => `${method} ${url}`)).toEqual(['GET /v2/users'])
  })

  test.each([
    [{ status: 401, body: { errors: ['bad key'] } }, 'upstream_auth_failed'],
    [{ status: 403, body: { errors: ['Access denied'] } }, 'upstream_permission_denied'],
  ])('check of refused credentials: %j', async (reply, code) => {
    await using server = await serve(() => reply)
    await using gong = connect('gong', { credentials: accessKey, origin: server.origin })
    expect((await failure(gong.check())).code).toBe(code)
  })

  test('offers no search, and says where it is', async () => {
    const gong = connect('gong', { credentials: accessKey })
    const execute = gong.execute as (entity: string, action: string) => Promise<unknown>
    expect(await failure(execute.call(gong, 'calls', 'context_store_search'))).toMatchObject({
      code: 'unsupported_in_local_mode',
      message: 'context_store_search is offered by the hosted platform only.',
      retryable: false,
    })
    expect((await failure(execute.call(gong, 'calls', 'context_store_aggregate'))).code).toBe('unsupported_in_local_mode')
    expect((await failure(execute.call(gong, 'workspaces', 'context_store_search'))).code).toBe('action_not_supported')
    expect((await failure(execute.call(gong, 'nothing', 'context_store_search'))).code).toBe('entity_not_found')
    expect((await failure(execute.call(gong, 'calls', 'lst'))).code).toBe('action_not_supported')
    await gong.close()
  })

  test('has the documented entities with their live actions as methods', async () => {
    const gong = connect('gong', { credentials: accessKey })
    expect(Object.keys(gong.calls)).toEqual(['list', 'get', 'pages', 'records'])
    expect(Object.keys(gong.call_audio)).toEqual(['download'])
    await gong.close()
  })

  test('walks records over pages, with the parameters of the first', async () => {
    await using server = await serve(({ url }) => {
      const cursor = new URL(url, 'http://v').searchParams.get('cursor')
      return { body: cursor === null ? pageOf({ calls: [callOf('1')] }, { cursor: 'two' }) : pageOf({ calls: [callOf('2')] }, { page: 1 }) }
    })
    await using gong = connect('gong', { credentials: accessKey, origin: server.origin })
    const ids = await Array.fromAsync(gong.calls.records({ fromDateTime: '2025-03-01T00:00:00Z' }), (call) => call.id)
    for await (const call of gong.records('calls')) ids.push(call.id)
    expect(ids).toEqual(['1', '2', '1', '2'])
    expect(server.seen[1]?.url).toBe('/v2/calls?fromDateTime=2025-03-01T00%3A00%3A00Z&cursor=two')
  })

  test('stops a walk at its page budget, at a position that returns, and when the caller aborts', async () => {
    await using server = await serve((_seen, count) => ({
      body: pageOf({ calls: [callOf(String(count))] }, { cursor: String(count % 5) }),
    }))
    await using gong = connect('gong', { credentials: accessKey, origin: server.origin, limits: false })
    const walk = async (options: { maxPages?: number; signal?: AbortSignal }) => {
      for await (const _call of gong.calls.records({}, options));
    }
    expect((await failure(walk({ maxPages: 2 }))).code).toBe('page_budget_exhausted')
    expect((await failure(walk({}))).code).toBe('upstream_answer_invalid')
    const reason = new Error('enough')
    await expect(walk({ signal: AbortSignal.abort(reason) })).rejects.toBe(reason)
  })

  test.each<[Record<string, unknown>, string]>([
    [{ maxPages: 'ten' }, '/maxPages must be a whole number from 1'],
    [{ maxPages: 0 }, '/maxPages must be a whole number from 1'],
    [{ deadlineMs: '60s' }, '/deadlineMs must be a number above 0'],
    [{ deadlineMs: Number.NaN }, '/deadlineMs must be a number above 0'],
    [{ signal: {} }, '/signal must be an AbortSignal'],
    [{ timeout: 5 }, '/timeout is not known; known: signal, deadlineMs, maxPages'],
  ])('refuses the options of a call %j before anything is sent', async (options, message) => {
    await using server = await serve(() => ({ body: pageOf({ calls: [] }) }))
    await using gong = connect('gong', { credentials: accessKey, origin: server.origin })
    const walk = async () => {
      for await (const _call of gong.calls.records({}, options));
    }
    for (const failed of [gong.calls.list({}, options), walk(), gong.check(options)])
      expect((await failure(failed)).message).toContain(message)
    expect(server.seen).toEqual([])
  })

  test('gives each caller records of its own', async () => {
    await using server = await serve(() => ({ body: pageOf({ calls: [callOf('1')] }) }))
    await using gong = connect('gong', { credentials: accessKey, origin: server.origin })
    const [one, two] = await Promise.all([gong.calls.list(), gong.calls.list()])
    expect(one).toEqual(two)
    expect(one.data[0]).not.toBe(two.data[0])
  })
})
