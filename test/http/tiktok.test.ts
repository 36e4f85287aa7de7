import { afterAll, afterEach, describe, expect, test } from 'vitest'
import { kinds } from '../../packages/ferrule/src/connectors/index.ts'
import { parseJson } from '../../packages/ferrule/src/values/json/json.ts'
import { tiktokCredentials as known } from '../../packages/sandbox/src/index.ts'
import { recordProblems } from '../conformance/records.ts'
import { operations, reportOf, usesOf } from '../library/tiktok-operations.ts'
import { app } from '../library/tiktok-support.ts'
import { start } from '../sandbox/tiktok-client.ts'
import { choose } from '../support/draws.ts'
import { connectorsPath, type Json, startWorld } from './support.ts'
import { clientOf, sandboxAds } from './tiktok-support.ts'

const world = await startWorld({ sandbox: { clock: () => start } })
const client = clientOf(world)
const facts = world.sandbox.tiktok.world
/** A connector with one advertiser. */
const id = await client.create('ads', { advertiser_id: facts.advertiserId })
afterEach(() => world.sandbox.tiktok.reset())
afterAll(async () => {
  client.expectSecrecy()
  await world.close()
})

describe('creation', () => {
  test.each<[string, object]>([
    ['its slug', { connector_type: 'tiktok-marketing' }],
    ['its title', { connector_type: 'TikTok Marketing' }],
    ['its definition id', { connector_type: undefined, definition_id: kinds['tiktok-marketing'].definition.id }],
  ])('by %s', async (what, named) => {
    const { status, json } = await client.ask('', 'POST', sandboxAds(`by ${what}`, named))
    expect([status, json.connector_type]).toEqual([200, 'tiktok-marketing'])
    expect(json).toMatchObject({ credential_scheme: 'access_token', credential_fields: ['access_token'], status: 'active' })
  })

  test('with several advertisers, with both schemes', async () => {
    const advertiser_id = [facts.advertiserId, facts.secondAdvertiserId]
    const made = await client.create(
      'several',
      { advertiser_id, start_date: '2025-01-01', api_host: 'production' },
      { ...app, auth_code: await client.code() },
    )
    expect(await client.record(made)).toMatchObject({
      credential_scheme: 'oauth',
      credential_fields: ['app_id', 'secret', 'auth_code'],
      replication_config: { advertiser_id, start_date: '2025-01-01', api_host: 'production' },
    })
  })

  test.each<[string, object, string]>([
    ['letters', { advertiser_id: 'act_1' }, 'advertiser_id'],
    ['a number', { advertiser_id: 7398164205 }, 'advertiser_id'],
    ['the same one twice', { advertiser_id: ['1', '1'] }, 'advertiser_id'],
    ['no advertiser in a list', { advertiser_id: [] }, 'advertiser_id'],
    ['101 advertisers', { advertiser_id: Array.from({ length: 101 }, (_, index) => String(index)) }, 'advertiser_id'],
    ['another host', { api_host: 'staging' }, 'api_host'],
    ['no date', { start_date: 'yesterday' }, 'start_date'],
    ['more', { app_id: '1' }, 'app_id'],
  ])('with %s is refused at its field', async (what, replication_config, field) => {
    const { status, json } = await client.ask('', 'POST', sandboxAds(what, { replication_config }))
    expect([status, json.code]).toEqual([422, 'validation_failed'])
    expect(json.errors.map((each: Json) => each.field)).toContainEqual(expect.stringMatching(`^/replication_config/${field}`))
  })

  test.each<[string, object]>([
    ['the secret alone', { secret: known.secret, access_token: known.accessToken }],
    ['fields of two schemes', { access_token: known.accessToken, client_id: '1' }],
    ['a token with a line break', { access_token: 'a\r\nhost: evil.example' }],
  ])('with %s as credentials is refused', async (what, credentials) => {
    const { status, json } = await client.ask('', 'POST', sandboxAds(what, { credentials }))
    expect([Math.floor(status / 100), ['validation_failed', 'credentials_mismatch'].includes(json.code)]).toEqual([4, true])
  })
})

describe('execute', () => {
  test.each(operations)('$entity $action', async ({ entity, definition }) => {
    const uses: Readonly<Record<string, object>> = usesOf(facts)
    const { status, text, json } = await client.list(id, entity, uses[entity])
    expect(status).toBe(200)
    expect(json.data.length).toBeGreaterThan(0)
    const exact: Json = parseJson(text)
    expect(exact.data.slice(0, 100).flatMap((each: Json) => recordProblems(definition, each))).toEqual([])
    const { page_info, warnings: _told, ...rest } = json.meta
    const { page, page_size, total_number, total_page } = page_info
    expect([page, total_page]).toEqual([1, Math.ceil(total_number / page_size)])
    expect(json.data).toHaveLength(Math.min(page_size, total_number))
    expect(rest).toEqual({ next_params: total_page > 1 ? { page: 2 } : null })
  })

  // The library walks all of the larger account in test/library/tiktok-walks.test.ts, over the same engine.
  test('next_params, merged by a plain client, lead to each ad once', async () => {
    const few = { advertiser_id: facts.secondAdvertiserId, page_size: 9 }
    const [walked, ads] = choose<[object, number]>([few, 74], [{ page_size: 999 }, 25_316])
    const ids = new Set<string>()
    let met = 0
    for (let params: object | null = walked; params !== null; ) {
      const { data, meta }: Json = (await client.list(id, 'ads', params)).json
      for (const ad of data) ids.add(ad.ad_id)
      met += data.length
      params = meta.next_params === null ? null : { ...params, ...meta.next_params }
    }
    expect([ids.size, met]).toEqual([ads, ads])
  })

  test('names the advertisers that it knows where it knows several, and says what to do where it knows none', async () => {
    const several = await client.create('two', { advertiser_id: [facts.advertiserId, facts.secondAdvertiserId] })
    const told = await client.list(several, 'ads', {})
    expect([told.status, told.json.code, told.json.errors]).toEqual([
      422,
      'missing_parameter',
      [
        {
          field: '/params/advertiser_id',
          message: expect.stringContaining(`${facts.advertiserId}, ${facts.secondAdvertiserId}`),
          error_code: 'required',
        },
      ],
    ])
    expect((await client.list(several, 'ads', { advertiser_id: facts.secondAdvertiserId })).json.data).toHaveLength(74)
    expect((await client.list(several, 'advertisers', {})).json.data).toHaveLength(2)
    const none = await client.list(await client.create('none'), 'ads', {})
    expect(none.json).toMatchObject({ code: 'missing_parameter', hint: expect.stringContaining('replication_config') })
  })

  test.each<[string, object, [number, string, string?]]>([
    ['ads', { advertiser_id: 7 }, [422, 'invalid_parameter', '/params/advertiser_id']],
    ['ads', { page_size: 1001 }, [422, 'invalid_parameter', '/params/page_size']],
    ['ads', { order_field: 'id' }, [422, 'invalid_parameter', '/params/order_field']],
    ['ads', { advertiser_id: '7411038864520093703' }, [424, 'upstream_permission_denied']],
    ['ads', { advertiser_id: '7399999999999999999' }, [404, 'record_not_found']],
    ['advertisers', { advertiser_ids: '7398164205713920517' }, [422, 'invalid_parameter', '/params/advertiser_ids']],
    ['catalogs', {}, [422, 'missing_parameter', '/params/bc_id']],
    ['ads_reports_daily', reportOf('ads_reports_daily', '2025-01-01', '2025-01-31'), [422, 'invalid_parameter', '/params/end_date']],
    ['ads_reports_daily', { ...reportOf('ads_reports_daily', '2025-01-01'), metrics: '["nothing"]' }, [422, 'upstream_invalid_request']],
    [
      'ads_reports_daily',
      { ...reportOf('ads_reports_daily', '2025-01-01'), data_level: 'AD' },
      [422, 'invalid_parameter', '/params/data_level'],
    ],
    ['ads_reports_daily', {}, [422, 'missing_parameter', '/params/service_type']],
  ])('%s %j', async (entity, params, [status, error, field]) => {
    const answer = await client.list(id, entity, params)
    expect([answer.status, answer.json.code, answer.json.errors[0]?.field]).toEqual([status, error, field])
  })
})

describe('check', () => {
  const trial = (name: string, more: object = {}) => ({ ...sandboxAds(name), ...more })
  const tried = async (body: unknown): Promise<Json> => (await client.ask('/check', 'POST', body)).json
  const asked = () => world.sandbox.tiktok.requests().map(({ path }) => path.replace('/open_api/v1.3', ''))

  test('reads the advertiser that is configured, of a stored connector and of one that is not', async () => {
    const replication_config = { advertiser_id: facts.advertiserId }
    for (const result of [await client.check(id), await tried(trial('a trial', { replication_config }))])
      expect(result).toMatchObject({ status: 'succeeded', entity_check_results: [{ entity: 'advertisers', status: 'succeeded' }] })
    expect(asked()).toEqual(['/advertiser/info/', '/advertiser/info/'])
    const denied = await client.check(id, { replication_config: { advertiser_id: facts.deniedAdvertiserId } })
    expect(denied).toMatchObject({ status: 'failed', failure_reason: { internal_message: 'upstream_permission_denied' } })
    expect((await client.record(id)).status).toBe('active')
  })

  test('asks for the user alone where no advertiser is known', async () => {
    const plain = await client.create('plain')
    for (const result of [await client.check(plain), await tried(trial('another trial'))]) expect(result.status).toBe('succeeded')
    expect(asked()).toEqual(['/user/info/', '/user/info/'])
  })

  test.each([{}, { advertiser_id: '7398164205713920517' }])(
    'of a token that is refused marks the connector until it works again: %j',
    async (config) => {
      const name = `refused ${JSON.stringify(config)}`
      const made = await client.create(name, config, { access_token: known.revokedToken })
      expect(await client.check(made)).toMatchObject({
        status: 'failed',
        failure_reason: { failure_type: 'config_error', internal_message: 'upstream_auth_failed' },
        entity_check_results: [{ entity: 'advertisers', status: 'failed', status_code: 200 }],
      })
      expect((await client.record(made)).status).toBe('auth_error')
      expect(await tried(trial(name, { credentials: { access_token: known.expiredToken }, replication_config: config }))).toMatchObject({
        status: 'failed',
      })
      await client.ask(`/${made}`, 'PATCH', { credentials: { access_token: known.accessToken } })
      expect([(await client.check(made)).status, (await client.record(made)).status]).toEqual(['succeeded', 'active'])
    },
  )

  test('of a stored connector without an advertiser is reported like every call', async () => {
    const plain = await client.create('reported')
    world.sandbox.tiktok.switches.set({ errorCode: 40105 })
    await client.check(plain)
    expect(await client.record(plain)).toMatchObject({ status: 'auth_error', status_reason: expect.stringContaining('40105') })
    world.sandbox.tiktok.switches.set({ errorCode: 0 })
    await client.check(plain)
    expect(await client.record(plain)).toMatchObject({ status: 'active' })
  })

  test('of what is not stored does not spend a code', async () => {
    const auth_code = await client.code()
    const result = await tried(trial('a code', { credentials: { ...app, auth_code } }))
    expect(result).toMatchObject({ status: 'failed', failure_reason: { internal_message: 'validation_failed' } })
    expect(client.exchanges()).toEqual([])
    expect(await client.check(await client.create('the code', {}, { ...app, auth_code }))).toMatchObject({ status: 'succeeded' })
  })
})

describe('a change of the configuration', () => {
  const change = (connector: string, replication_config: object, method = 'PATCH') =>
    client.ask(`/${connector}`, method, { replication_config })

  test('is used from then on', async () => {
    const changed = await client.create('changed', { advertiser_id: facts.advertiserId, start_date: '2025-01-01' })
    const two = [facts.secondAdvertiserId, facts.advertiserId]
    expect((await change(changed, { advertiser_id: two })).json.replication_config).toEqual({
      advertiser_id: two,
      start_date: '2025-01-01',
    })
    expect((await client.list(changed, 'ads')).json.code).toBe('missing_parameter')
    await change(changed, { advertiser_id: facts.secondAdvertiserId })
    expect((await client.list(changed, 'ads')).json.data).toHaveLength(74)
    await change(changed, { api_host: 'sandbox' })
    expect((await client.list(changed, 'ads')).json).toMatchObject({ code: 'upstream_auth_failed', upstream: { code: '40105' } })
    const hosts = world.sandbox.tiktok.requests().map(({ headers }) => headers['x-forwarded-host'])
    expect(hosts).toEqual(['business-api.tiktok.com', 'sandbox-ads.tiktok.com'])
    expect((await change(changed, {}, 'PUT')).json.replication_config).toEqual({})
    expect((await client.list(changed, 'ads')).json.errors[0].message).toContain('is required: give it with the call')
  })

  test('that is not valid changes nothing', async () => {
    for (const config of [{ advertiser_id: 'act_1' }, { advertiser_id: [facts.advertiserId, ''] }, { api_host: 'x' }])
      expect((await change(id, config)).status).toBe(422)
    expect((await client.record(id)).replication_config).toEqual({ advertiser_id: facts.advertiserId })
  })
})

describe('a connector whose token the vendor withdraws', () => {
  test('is marked, and healthy again with the next call that is served', async () => {
    world.sandbox.tiktok.switches.set({ errorCode: 40105 })
    const { status, json } = await client.list(id, 'ads')
    expect([status, json.code, json.retryable, json.upstream.code]).toEqual([424, 'upstream_auth_failed', false, '40105'])
    expect((await client.record(id)).status).toBe('auth_error')
    world.sandbox.tiktok.switches.set({ errorCode: 0 })
    expect((await client.list(id, 'ads', { page_size: 1 })).status).toBe(200)
    expect((await client.record(id)).status).toBe('active')
  })

  test.each([40001, 40300, 40100, 50000])('is not marked by %i', async (errorCode) => {
    world.sandbox.tiktok.switches.set({ errorCode })
    const answer = await world.ask(`${connectorsPath}/${id}/check`, { method: 'POST', token: world.token })
    expect(answer.json.status).toBe('failed')
    expect((await client.record(id)).status).toBe('active')
  })
})
