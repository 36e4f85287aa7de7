/** What people who copy advertising reports met elsewhere: timeouts, withdrawn metrics, figures that change for days. */
import { describe, expect, test } from 'vitest'
import { kinds } from '../../packages/ferrule/src/connectors/index.ts'
import { checkConfiguration } from '../../packages/ferrule/src/engine/credentials/check-credentials.ts'
import { KindSide } from '../context/kind-side.ts'
import { fixed, listed, serve, testEngine } from '../engine/support.ts'
import { overStatements, search, startCopyWorld, syncedConnector } from '../http/search-support.ts'
import { connectorsPath } from '../http/support.ts'
import { sandboxAds } from '../http/tiktok-support.ts'
import { connectAds } from '../library/tiktok-support.ts'
import { day, openDesk } from '../sandbox/tiktok-client.ts'

const { sandbox, tiktok, facts, clock } = await openDesk()
const report = 'campaigns_reports_daily'
const kind = kinds['tiktok-marketing']
const toDay = (at: number) => new Date(at).toISOString().slice(0, 10)

const open = (configuration: object = {}) =>
  new KindSide({
    ...{ kind, origin: sandbox.origins['tiktok-marketing'], credentials: { access_token: 'sandbox-token' }, clock: () => clock.now },
    configuration: { advertiser_id: facts.secondAdvertiserId, start_date: '2025-05-01', ...configuration },
  })
const asked = () => tiktok.requests().filter(({ path }) => path.includes('/report/'))

describe('a report that the vendor’s services do not answer in time', () => {
  test.each([51_001, 51_039])('%i: is asked for in halves, and whole in the end', async (timeoutCode) => {
    const plain = open()
    await plain.sync([report], { mode: 'full' })
    expect(plain.rows(report).length).toBeGreaterThan(20)
    tiktok.switches.set({ timeoutDays: 4, timeoutCode })
    const side = open()
    expect((await side.sync([report], { mode: 'full' })).entities).toEqual([{ entity: report, state: 'complete' }])
    expect(new Set(side.rows(report))).toEqual(new Set(plain.rows(report)))
  })
})

describe('a metric that the vendor withdraws', () => {
  test('is left out, and said; all other figures are read', async () => {
    const plain = open()
    await plain.sync([report], { mode: 'full' })
    tiktok.clear()
    tiktok.switches.set({ withdrawn: 'likes,app_install' })
    const side = open()
    expect((await side.sync([report], { mode: 'full' })).entities).toEqual([{ entity: report, state: 'complete' }])
    expect(side.rows(report)).toEqual(plain.rows(report).map((row) => ({ ...row, likes: null, app_install: null })))
    expect(side.withdrawn).toEqual({ [report]: ['likes', 'app_install'] })
    const metrics = asked().map(({ query }) => query['metrics']?.includes('"likes"'))
    expect(metrics).toEqual([true, ...metrics.slice(1).map(() => false)])
  })

  test('fails the report when none is left, and so does a wrong dimension', async () => {
    tiktok.switches.set({ withdrawn: Object.keys(kind.definition.entities[report].context_store_search).join() })
    await expect(open().sync([report], { mode: 'full' })).resolves.toMatchObject({
      entities: [{ error: { code: 'upstream_invalid_request' } }],
    })
    expect(asked().length).toBeLessThan(20)
  })
})

describe('the days that are read again', () => {
  test.each([
    [{}, 9],
    [{ attribution_window: 28 }, 30],
    [{ attribution_window: 0 }, 2],
  ])('%j: %i days before the last one', async (configuration, days) => {
    const side = open(configuration)
    await side.sync([report], { mode: 'full' })
    const through = clock.now
    tiktok.clear()
    clock.now += day
    await side.sync([report])
    expect(asked()[0]?.query['start_date']).toBe(toDay(through - days * day))
  })

  test('are a setting, also of a form that sends text', () => {
    const check = (attribution_window: unknown) => checkConfiguration(kind.definition, { attribution_window })
    expect([check('14'), check(14)]).toEqual([{ attribution_window: 14 }, { attribution_window: 14 }])
    for (const wrong of ['', 'seven', -1, 365, 1.5]) expect(() => check(wrong)).toThrow(/attribution_window/)
  })
})

describe('a list that the vendor says is not whole', () => {
  const page = { list: [{ campaign_id: '7' }], page_info: { page: 1, page_size: 1000, total_number: 1, total_page: 1 } }

  test.each([
    ['by a code', { code: 20_001, message: 'Partial success.' }, {}, 'Partial success.'],
    ['by a header', { code: 0, message: 'OK' }, { 'x-tt-ads-throttle': 'Only the newest ads.' }, 'Only the newest ads.'],
  ])('%s: has its records, and a sync deletes nothing on its account', async (_how, head, headers, warning) => {
    await using server = await serve(() => ({ headers, body: { ...head, request_id: 'r', data: page } }))
    await using engine = testEngine()
    const connection = { kind, configuration: {}, credentials: fixed({ access_token: 'a' }), origin: { api: server.origin } }
    const { data, meta, doubt } = await listed(
      engine.run(connection, { entity: 'campaigns', action: 'list', params: { advertiser_id: '1' } }),
    )
    expect([data.length, meta['warnings']]).toEqual([1, [warning]])
    expect(doubt).toBe(`TikTok Marketing warns: ${warning.slice(0, -1)}`)
  })
})

overStatements('a copy of reports', (engine) => {
  test('says from which day its figures can still change, and which metric is missing', async () => {
    const world = await startCopyWorld(engine)
    try {
      const { now } = world.clock
      world.sandbox.tiktok.switches.set({ withdrawn: 'likes' })
      const configuration = { advertiser_id: world.sandbox.tiktok.world.secondAdvertiserId, start_date: toDay(now - 20 * day) }
      const body = sandboxAds('reports', { replication_config: { ...configuration, attribution_window: '14' } })
      const id = await syncedConnector(world, 'reports', { ...body, entities: [{ entity: report }, { entity: 'campaigns' }] })
      const of = async (entity: string) => (await search(world, id, { entity, params: { query: {}, limit: 1 } })).json.context_store
      expect(await of(report)).toMatchObject({ complete: true, status: 'ready', may_change_from: toDay(now - 16 * day) })
      expect(await of('campaigns')).not.toHaveProperty('may_change_from')
      const { json } = await world.ask(`${connectorsPath}/${id}/context_store`, { token: world.token })
      const entities = new Map(json.entities.map((each: { entity: string }) => [each.entity, each]))
      expect(entities.get(report)).toMatchObject({
        ...{ state: 'ready', complete: true, may_change_from: toDay(now - 16 * day) },
        incremental: { lookback_seconds: 16 * 86_400 },
        last_error: { code: 'upstream_invalid_request', message: expect.stringMatching(/left out: likes\.$/) },
      })
      expect(entities.get('campaigns')).toMatchObject({ last_error: null })
      const runs = (await world.ask(`${connectorsPath}/${id}/syncs`, { token: world.token })).json.data
      expect(runs[0]).toMatchObject({ state: 'succeeded', error: null })
    } finally {
      await world.close()
    }
  })
})

describe('one of several advertisers whose access ended', () => {
  const advertiser_id = [facts.deniedAdvertiserId, facts.secondAdvertiserId, facts.unknownAdvertiserId, facts.emptyAdvertiserId]

  test('is left out and named; the others are read, with all that is theirs', async () => {
    const side = open({ advertiser_id })
    const { entities } = await side.sync(['advertisers', 'campaigns'], { mode: 'full' })
    expect(entities).toMatchObject([
      { entity: 'advertisers', state: 'partial', error: { message: expect.stringContaining('2 of 4 advertiser_ids are left out') } },
      { entity: 'campaigns', state: 'partial' },
    ])
    for (const id of [facts.deniedAdvertiserId, facts.unknownAdvertiserId]) expect(entities[0]?.error?.message).toContain(id)
    expect(side.rows('advertisers')).toHaveLength(2)
    expect(side.rows('campaigns')).toHaveLength(facts.counts[facts.secondAdvertiserId]?.['campaigns'] ?? 0)
  })

  test('deletes nothing of what was copied before', async () => {
    const side = open({ advertiser_id: [facts.secondAdvertiserId, facts.advertiserId] })
    await side.sync(['advertisers', 'audiences'], { mode: 'full' })
    const before = [side.rows('advertisers').length, side.rows('audiences').length]
    const refusal = { kind: 'code', on: 'tiktok', code: 40_001, path: '/open_api/v1.3/advertiser/info/' } as const
    const message = `No permission to operate advertiser: ${facts.advertiserId}`
    sandbox.faults.add({ ...refusal, message })
    sandbox.faults.add({ ...refusal, message: 'The advertiser does not exist.' })
    await side.sync(['advertisers', 'audiences'], { mode: 'full' })
    expect([side.rows('advertisers').length, side.rows('audiences').length]).toEqual(before)
  })

  test('is refused where a caller asks, and where credentials are checked', async () => {
    const ads = connectAds(sandbox, { config: { advertiser_id } })
    await expect(ads.advertisers.list()).rejects.toMatchObject({ upstream: { code: '40001' } })
    await expect(ads.check()).rejects.toMatchObject({ upstream: { code: '40001' } })
  })
})
