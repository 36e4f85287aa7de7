import { inspect } from 'node:util'
import { afterEach, describe, expect, test } from 'vitest'
import { type CallOptions, connect, FerruleError } from '../../packages/ferrule/src/index.ts'
import { endpoints } from '../../packages/ferrule/src/wire/endpoints.ts'
import { sandboxCredentials, snowflakeCredentials, tiktokCredentials } from '../../packages/sandbox/src/index.ts'
import { client, startWorld } from '../http/support.ts'
import { share } from '../support/share.ts'
import { connectTo, problem, readBody, type SentRequest, watchFetch } from './support.ts'

const world = await share(startWorld())
await world.connect('Calls')
await world.connect('Warehouse', {
  connector_type: 'snowflake',
  credentials: { programmatic_access_token: snowflakeCredentials.token },
  replication_config: { account: 'sandbox-account', database: 'SANDBOX', warehouse: 'SANDBOX_WH', role: 'SANDBOX_ROLE' },
})
await world.sandbox.snowflake.open() // a write's time limit counts while the stand-in opens
afterEach(() => world.sandbox.faults.clear())

const isExecute = ({ url }: SentRequest): boolean => url.endsWith('/execute')
const count = 30_000
const statement = `SELECT SEQ8() AS N, 'a note that makes rows long' AS NOTE FROM TABLE(GENERATOR(ROWCOUNT => ${count}))`
/** A window that several pages fill. */
const window = { fromDateTime: '2026-02-01T00:00:00Z', toDateTime: '2026-04-01T00:00:00Z' }

/** The same connector in this process, with the vendor's stand-in. */
const connectDirectly = () =>
  connect('gong', {
    credentials: { access_key: sandboxCredentials.accessKey, access_key_secret: sandboxCredentials.accessKeySecret },
    origin: world.sandbox.origins.gong,
    limits: false,
  })

describe('a connector of the service', () => {
  test('answers as the same connector in this process', async () => {
    const [hosted, local] = [connectTo(world, 'gong'), connectDirectly()]
    const [page, expected] = [await hosted.calls.list(window), await local.calls.list(window)]
    expect(page.data).toEqual(expected.data)
    expect(Object.keys(page.meta)).toEqual(Object.keys(expected.meta)) // a cursor of the stand-in has the time in it
    const { data } = await local.users.list()
    const id = data[0]?.id ?? ''
    expect(await hosted.users.get({ id })).toEqual(await local.users.get({ id }))
    expect(await hosted.execute('users', 'get', { id })).toEqual(await local.execute('users', 'get', { id }))
    await local.close()
  })

  test('takes dates and lists as the same connector in this process', async () => {
    const [hosted, local] = [connectTo(world, 'gong'), connectDirectly()]
    const from = { fromDateTime: new Date(window.fromDateTime) }
    const expected = (await local.calls.list(window)).data
    for (const connector of [hosted, local])
      for (const params of [from, { fromDateTime: '2026-02-01' }]) expect((await connector.calls.list(params)).data).toEqual(expected)
    const days = { fromDate: new Date('2026-02-01'), toDate: new Date('2026-02-03') }
    const { data } = await local.stats_interaction.list({ filter: { fromDate: '2026-02-01', toDate: '2026-02-03' } })
    for (const connector of [hosted, local]) expect((await connector.stats_interaction.list({ filter: days })).data).toEqual(data)
    await local.close()
  })

  test('refuses an invalid Date, which would be sent as null', async () => {
    const { fetch, sent } = watchFetch()
    const gong = connectTo(world, 'gong', { fetch })
    const invalid = new Date('someday')
    const refused = {
      code: 'invalid_parameter',
      errors: [{ field: '/params/fromDateTime', message: '/params/fromDateTime must be a valid Date.' }],
    }
    await expect(gong.calls.list({ fromDateTime: invalid })).rejects.toMatchObject(refused)
    await expect(Array.fromAsync(gong.calls.records({ fromDateTime: invalid }))).rejects.toMatchObject(refused)
    await expect(gong.calls.search({ filter: { gt: { started: invalid } } })).rejects.toMatchObject({
      errors: [{ field: '/params/query/filter/gt/started' }],
    })
    expect(sent).toEqual([])
  })

  test('refuses numbers that would arrive changed', async () => {
    const { fetch, sent } = watchFetch()
    const shopify = connectTo(world, 'shopify', { fetch })
    const refuse = (field: string, words: RegExp) => ({
      code: 'invalid_parameter',
      errors: [{ field, message: expect.stringMatching(words) }],
    })
    // A program's 2^53 + 1 is 2^53 before the library sees it: another order would be read.
    await expect(shopify.orders.get({ order_id: 2 ** 53 })).rejects.toMatchObject(refuse('/params/order_id', /lost digits/))
    await expect(shopify.order_refunds.search({ filter: { in: { id: [1, 2 ** 60] } } })).rejects.toMatchObject(
      refuse('/params/query/filter/in/id/1', /lost digits/),
    )
    await expect(shopify.orders.list({ limit: Number.NaN })).rejects.toMatchObject(refuse('/params/limit', /must be a finite number/))
    await expect(shopify.order_refunds.export({ filter: { eq: { id: 2 ** 53 } } })).rejects.toMatchObject({ code: 'invalid_parameter' })
    expect(sent).toEqual([])
  })

  test('walks records and pages', async () => {
    const [hosted, local] = [connectTo(world, 'gong'), connectDirectly()]
    const records = await Array.fromAsync(local.calls.records(window))
    expect(await Array.fromAsync(hosted.calls.records(window))).toEqual(records)
    expect(await Array.fromAsync(hosted.records('calls', window))).toEqual(records)
    const pages = await Array.fromAsync(hosted.calls.pages(window))
    expect(pages.length).toBeGreaterThan(2)
    expect(pages.flatMap(({ data }) => data)).toEqual(records)
    expect(pages.length).toBe((await Array.fromAsync(local.pages('calls', window))).length)
    const bounded = Array.fromAsync(hosted.calls.records(window, { maxPages: 1 }))
    await expect(bounded).rejects.toMatchObject({ code: 'page_budget_exhausted' })
    await local.close()
  })

  test('walks a report in the largest windows of the vendor, as the same connector in this process', async () => {
    const credentials = { access_token: tiktokCredentials.accessToken }
    const advertiser_id = world.sandbox.tiktok.world.advertiserId
    await world.connect('Ads', { connector_type: 'tiktok-marketing', credentials })
    const origin = world.sandbox.origins['tiktok-marketing']
    const local = connect('tiktok-marketing', { credentials, origin, limits: false })
    const { fetch, sent } = watchFetch()
    const hosted = connectTo(world, 'tiktok-marketing', { fetch })
    const report = {
      ...({ advertiser_id, service_type: 'AUCTION', report_type: 'BASIC', data_level: 'AUCTION_ADVERTISER' } as const),
      ...{ dimensions: ['advertiser_id', 'stat_time_day'], metrics: ['spend'], start_date: '2025-04-15', end_date: new Date('2025-06-14') },
    }
    const pages = await Array.fromAsync(local.advertisers_reports_daily.pages(report))
    expect(pages.map(({ data }) => data.length)).toEqual([30, 30, 1])
    expect(await Array.fromAsync(hosted.advertisers_reports_daily.pages(report))).toEqual(pages)
    expect(sent.filter(isExecute)).toHaveLength(1 + pages.length) // one refusal, which the vendor never sees
    const rest = hosted.advertisers_reports_daily.records({ ...report, ...pages[0]?.meta.next_params })
    expect(await Array.fromAsync(rest)).toEqual(pages.slice(1).flatMap(({ data }) => data))
    await expect(hosted.advertisers_reports_daily.list(report)).rejects.toMatchObject({ code: 'invalid_parameter' })
    await local.close()
  })

  test('walks the parts and the rows of a statement, which runs once', async () => {
    const { fetch, sent } = watchFetch()
    const snowflake = connectTo(world, 'snowflake', { fetch })
    const rows = await Array.fromAsync(snowflake.record.rows({ statement }))
    const bodies = sent.filter(isExecute).map(readBody)
    expect(bodies.filter(({ action }) => action === 'list')).toHaveLength(1)
    expect(bodies.length).toBeGreaterThan(1)
    const parts = await Array.fromAsync(snowflake.record.parts({ statement }))
    expect(parts.flatMap(({ data }) => data.data ?? [])).toEqual(rows)
    expect(parts).toHaveLength(bodies.length)
    expect(rows.map(([n]) => n)).toEqual(Array.from({ length: count }, (_, n) => String(n)))
  })

  test('gives rows as objects with typed cells', async () => {
    const snowflake = connectTo(world, 'snowflake')
    const typed = "SELECT 12345678901234567890 AS BIG, TRUE AS YES, NULL AS NONE, 'a' AS LETTER"
    expect(await Array.fromAsync(snowflake.record.rows({ statement: typed }, { as: 'objects' }))).toEqual([
      { BIG: 12345678901234567890n, YES: true, NONE: null, LETTER: 'a' },
    ])
    await expect(Array.fromAsync(snowflake.record.rows({ statement: typed }, { as: 'maps' } as object))).rejects.toMatchObject({
      errors: [{ field: '/as' }],
    })
  })

  test('checks its credentials', async () => {
    await connectTo(world, 'gong').check()
    await world.connect('Refused', { credentials: { access_key: 'sandbox', access_key_secret: 'wrong-secret' } })
    await expect(connectTo(world, 'gong', { connector: 'Refused' }).check()).rejects.toMatchObject({
      name: 'FerruleError',
      code: 'upstream_auth_failed',
      fault: 'credentials',
      hint: expect.stringMatching(/^Replace them/),
    })
  })

  test('names what there is when a name is wrong', async () => {
    const gong: Record<string, Record<string, () => Promise<unknown>>> = connectTo(world, 'gong', { connector: 'Calls' }) as never
    await expect(gong['deals']?.['list']?.()).rejects.toMatchObject({ code: 'entity_not_found', message: expect.stringContaining('users') })
    await expect(gong['calls']?.['remove']?.()).rejects.toMatchObject({
      code: 'action_not_supported',
      message: expect.stringContaining('list'),
    })
  })

  test('is an object that tools can look at', async () => {
    const gong = connectTo(world, 'gong')
    expect(await Promise.resolve(gong)).toBe(gong)
    expect(await Promise.resolve(gong.calls)).toBe(gong.calls)
    expect(JSON.stringify({ gong, calls: gong.calls })).toBe('{"gong":{},"calls":{}}')
    expect(`${gong} ${gong.calls}`).toBe('[object Object] [object Object]')
    expect(inspect(gong)).not.toContain(client.secret)
    expect(gong.calls).toBe(gong.calls)
    await using connector = gong
    await connector.close()
  })
})

describe('options of a call', () => {
  test('are checked', async () => {
    const gong = connectTo(world, 'gong', { connector: 'Calls' })
    const wrong = { deadlineMs: 0, maxAge: -1, allowPartial: 'yes', resume: 1, idempotencyKey: '', retries: 3 }
    await expect(gong.users.list({}, wrong as never)).rejects.toMatchObject({
      code: 'validation_failed',
      errors: Object.keys(wrong).map((name) => expect.objectContaining({ field: `/${name}` })),
    })
  })

  test('a deadline ends a call, and a signal too', async () => {
    world.sandbox.faults.add({ kind: 'never-answer', on: 'api' })
    const gong = connectTo(world, 'gong', { connector: 'Calls' })
    await gong.id()
    await expect(gong.users.list({}, { deadlineMs: 50 })).rejects.toMatchObject({ code: 'service_timeout', retryable: true })
    const reason = new Error('no longer wanted')
    await expect(gong.users.list({}, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason)
  })

  test('an aborted call ends the request to the vendor', async () => {
    world.sandbox.faults.add({ kind: 'never-answer', on: 'api' })
    const sending = Promise.withResolvers<void>()
    const { fetch } = watchFetch((request) => {
      if (isExecute(request)) sending.resolve()
      return undefined
    })
    const gong = connectTo(world, 'gong', { connector: 'Calls', fetch })
    const leaving = new AbortController()
    const call = gong.users.list({}, { signal: leaving.signal })
    await sending.promise
    leaving.abort(new Error('the user left'))
    await expect(call).rejects.toThrow('the user left')
  })
})

describe('a write', () => {
  const write = { statement: "INSERT INTO SCRATCH.COUNTERS VALUES (7, 'hosted')" }
  const keyOf = ({ init }: SentRequest): string | null => new Headers(init.headers).get('idempotency-key')

  test('keeps its key over attempts, and is carried out once', async () => {
    let lost = 1
    const { fetch, sent } = watchFetch(async (request, pass) => {
      if (!isExecute(request) || lost-- <= 0) return pass()
      await (await pass()).text() // the service has carried it out, and the answer is lost
      throw new TypeError('fetch failed')
    })
    const snowflake = connectTo(world, 'snowflake', { fetch })
    const { data } = await snowflake.record.create(write)
    expect(data.stats?.numRowsInserted).toBe(1)
    const keys = sent.filter(isExecute).map(keyOf)
    expect(keys).toHaveLength(2)
    expect(new Set(keys).size).toBe(1)
    const counted = await snowflake.record.list({ statement: "SELECT COUNT(*) FROM SCRATCH.COUNTERS WHERE NOTE = 'hosted'" })
    expect(counted.data.data).toEqual([['1']])
  })

  test('takes a key of the caller, and a read takes none', async () => {
    const { fetch, sent } = watchFetch(() => problem(503, 'overloaded', { 'retry-after': '0' }))
    const settings = { token: 'token', connector: '0195f3a0-0000-7000-8000-000000000001', fetch }
    const snowflake = connect('snowflake', { url: world.url, ...settings })
    const options = { idempotencyKey: 'order 17', deadlineMs: 5_000 }
    await expect(snowflake.record.create(write, options)).rejects.toMatchObject({ code: 'overloaded' })
    expect(sent.map(keyOf)).toEqual(['order 17', 'order 17', 'order 17'])
    await expect(snowflake.record.list(write, options as CallOptions)).rejects.toMatchObject({ code: 'overloaded' })
    expect(sent.slice(3).map(keyOf)).toEqual([null, null, null])
  })

  test('whose answers are all lost is an error that names its key', async () => {
    const { fetch, sent } = watchFetch(() => {
      throw new TypeError('fetch failed')
    })
    const settings = { token: 'token', connector: '0195f3a0-0000-7000-8000-000000000001', fetch }
    const error = await connect('snowflake', { url: world.url, ...settings })
      .record.create(write)
      .catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(FerruleError)
    expect(error).toMatchObject({ code: 'outcome_unknown', hint: expect.stringContaining(keyOf(sent[0] as SentRequest) ?? 'a key') })
  })
})

test('a refused token is renewed in the middle of a walk', async () => {
  let refused = false
  const { fetch, paths } = watchFetch((request) => {
    if (refused || !isExecute(request) || readBody(request)['params'] === undefined) return undefined
    if (!JSON.stringify(readBody(request)['params']).includes('cursor')) return undefined
    refused = true
    return problem(401, 'token_expired')
  })
  const gong = connectTo(world, 'gong', { connector: 'Calls', fetch })
  const records = await Array.fromAsync(gong.calls.records(window))
  expect(refused).toBe(true)
  expect(records).toEqual(await Array.fromAsync(connectTo(world, 'gong', { connector: 'Calls' }).calls.records(window)))
  expect(paths().filter((path) => path === endpoints.createToken.path)).toHaveLength(2)
})
