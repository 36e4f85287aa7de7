import { describe, expect, test } from 'vitest'
import { kinds } from '../../packages/ferrule/src/connectors/index.ts'
import type { Kind } from '../../packages/ferrule/src/definition/connector.ts'
import type { Outcome } from '../../packages/ferrule/src/engine/call/outcome.ts'
import { RawJson, RawRows } from '../../packages/ferrule/src/engine/json/raw-rows.ts'
import { type FoldOptions, Folds } from '../../packages/server/src/copies/folds.ts'
import { buildSearchTable } from '../../packages/server/src/copies/search/columns.ts'
import { toStoredRecord } from '../../packages/server/src/copies/sync/walk/records.ts'
import type { ConnectorAccess } from '../../packages/server/src/values/access.ts'
import type { FoldReport } from '../../packages/server/src/values/metric-types.ts'
import { reportOf } from '../library/tiktok-operations.ts'
import { createSearcher } from '../support/searcher.ts'
import { share } from '../support/share.ts'
import { createRef, createStoreWorld, overStatements } from './store-world.ts'

type KindName = keyof typeof kinds

const connector = createRef().connector
/** Waits more event-loop turns than a fold needs to start. */
const turns = async () => {
  for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve))
}
interface Synced {
  readonly record: Readonly<Record<string, unknown>>
  readonly params?: Readonly<Record<string, unknown>>
}

const kindNamed = (name: KindName): Kind => kinds[name]

function accessOf(name: KindName, configuration: Readonly<Record<string, unknown>> = {}): ConnectorAccess {
  const credentials = { open: () => Promise.reject(new Error('opened')), renew: () => Promise.reject(new Error('renewed')) }
  return {
    ref: { organizationId: '', workspaceId: '', connectorId: connector },
    status: 'active',
    connection: { kind: kindNamed(name), configuration, credentials },
  }
}

const list = (...data: readonly unknown[]): Outcome => ({ type: 'list', data, meta: {} })
const call = (entity: string, params: unknown = {}, action = 'list') => ({ entity, action, params })

overStatements('records that were read live', async (engine) => {
  const world = await share(createStoreWorld(engine))
  const store = world.open({ kinds: Object.values(kinds).map(({ definition }) => definition) })

  /** Fills the copy as a sync does. */
  async function synced(name: KindName, entity: string, { record, params = {} }: Synced): Promise<void> {
    const definition = kindNamed(name).definition.entities[entity]
    if (definition?.sync === undefined) throw new Error(`${entity} is not synced`)
    const stored = toStoredRecord({ definition, sync: definition.sync }, store.getTable(kindNamed(name).definition.kind, entity), {
      record,
      params,
    })
    if (stored === undefined) throw new Error('the record has no key')
    await store.writeBatch({ connector, kind: name, entity }, { records: [stored], asked: world.now })
  }

  type Offered = readonly [ReturnType<typeof call>, Outcome, number?]

  /** Offers records, and returns the reports of all of them but as many as are not copied. */
  async function folded(access: ConnectorAccess, offered: readonly Offered[], notCopied = 0): Promise<readonly FoldReport[]> {
    const reports: FoldReport[] = []
    const { promise: done, resolve } = Promise.withResolvers<void>()
    const onFold = (report: FoldReport) => {
      if (reports.push(report) === offered.length - notCopied) resolve()
    }
    const folds = new Folds({ store, onFold })
    for (const [given, outcome, asked = world.now + 1] of offered) folds.offer(access, given, { outcome, asked })
    await done
    await folds.close()
    return reports
  }

  async function found(name: KindName, entity: string, fields: readonly string[]): Promise<unknown> {
    const request = { ref: { connector, kind: name, entity }, params: { query: {}, fields }, key: Buffer.from('key'), now: world.now }
    const answer = await createSearcher(store).search(request)
    return answer === undefined ? undefined : JSON.parse(answer.json)
  }

  test('are found at once: of lists and of single reads, new ones and changed ones', async () => {
    await synced('gong', 'users', { record: { id: '1', firstName: 'Ada' } })
    const offered = [
      [call('users'), list({ id: '1', firstName: 'Grace' }, { id: '2', firstName: 'Edsger' })],
      [call('users', { id: '3' }, 'get'), { type: 'record', data: { id: '3', firstName: 'Barbara' }, meta: {} }],
    ] as const
    expect(await folded(accessOf('gong'), offered)).toEqual([
      { kind: 'gong', entity: 'users', outcome: 'folded', records: 2 },
      { kind: 'gong', entity: 'users', outcome: 'folded', records: 1 },
    ])
    expect(await found('gong', 'users', ['id', 'firstName'])).toEqual([
      { id: '1', firstName: 'Grace' },
      { id: '2', firstName: 'Edsger' },
      { id: '3', firstName: 'Barbara' },
    ])
  })

  test('are found too where they were read apart from the loop, batch after batch', async () => {
    await synced('gong', 'users', { record: { id: '20', firstName: 'Ada' } })
    const users = Array.from({ length: 600 }, (_, index) => ({ id: String(1_000 + index), firstName: `User ${index}` }))
    const data = new RawRows(Buffer.from(JSON.stringify(users)), users.length)
    const record = new RawJson(Buffer.from('{"id":"20","firstName":"Grace"}'))
    const offered = [
      [call('users'), { type: 'list', data, meta: {} }],
      [call('users', { id: '20' }, 'get'), { type: 'record', data: record, meta: {} }],
    ] as const
    expect(await folded(accessOf('gong'), offered)).toMatchObject([
      { outcome: 'folded', records: 600 },
      { outcome: 'folded', records: 1 },
    ])
    const params = { query: { filter: { eq: { firstName: 'User 599' } } }, fields: ['id'] }
    const request = { ref: { connector, kind: 'gong', entity: 'users' }, params, key: Buffer.from('key'), now: world.now }
    expect(await createSearcher(store).search(request)).toMatchObject({ json: '[{"id":"1599"}]' })
    expect(await found('gong', 'users', ['firstName'])).toContainEqual({ firstName: 'Grace' })
  })

  test('do not replace what was read later', async () => {
    await synced('gong', 'users', { record: { id: '9', firstName: 'New' } })
    await folded(accessOf('gong'), [[call('users'), list({ id: '9', firstName: 'Old' }), world.now - 1]])
    expect(await found('gong', 'users', ['firstName'])).toContainEqual({ firstName: 'New' })
  })

  test('have the key that the configuration gives', async () => {
    const record = { image_id: 'i1', file_name: 'one.png' }
    await synced('tiktok-marketing', 'creative_assets_images', { record, params: { advertiser_id: '7398164205713920517' } })
    const access = accessOf('tiktok-marketing', { advertiser_id: '7398164205713920517' })
    await folded(access, [[call('creative_assets_images'), list({ ...record, file_name: 'two.png' })]])
    expect(await found('tiktok-marketing', 'creative_assets_images', ['file_name'])).toEqual([{ file_name: 'two.png' }])
  })

  test.each([
    ['campaigns', { campaign_id: '7', campaign_name: 'Deleted' }, {}],
    [
      'campaigns_reports_daily',
      { campaign_id: 7n, stat_time_day: '2025-06-01 00:00:00', spend: '1.00' },
      reportOf('campaigns_reports_daily', '2025-06-01'),
    ],
  ] as const)(
    'of %s are not copied when a filter of the vendor chose them: they can be deleted, or sums of a part',
    async (entity, record, params) => {
      const access = accessOf('tiktok-marketing', { advertiser_id: '7398164205713920517' })
      await synced('tiktok-marketing', entity, { record: { ...record, campaign_id: 1n }, params: { advertiser_id: '7398164205713920517' } })
      const filtering = '{"primary_status":"STATUS_ALL"}'
      const offered: readonly Offered[] = [
        [call(entity, params), list({ ...record, campaign_id: 2n })],
        [call(entity, { ...params, filtering }), list({ ...record, campaign_id: 3n })],
        [call(entity, params), list({ ...record, campaign_id: 4n })],
      ]
      expect(await folded(access, offered, 1)).toMatchObject([{ outcome: 'folded' }, { outcome: 'folded' }])
      expect(await found('tiktok-marketing', entity, ['campaign_id'])).toEqual([{ campaign_id: 1 }, { campaign_id: 2 }, { campaign_id: 4 }])
    },
  )
})

describe('what is left alone', () => {
  const asked: unknown[] = []
  const store: FoldOptions['store'] = {
    getTable: () => {
      throw new Error('asked for')
    },
    foldLive: () => Promise.reject(new Error('folded')),
    readChanges: () => Promise.reject(new Error('looked at')),
    peekChanges: () => undefined,
    forgetRecords: () => Promise.reject(new Error('forgotten')),
  }
  const dayReport = {
    service_type: 'AUCTION',
    report_type: 'BASIC',
    data_level: 'AUCTION_ADVERTISER',
    dimensions: '["advertiser_id","stat_time_day"]',
  }

  test.each<[string, KindName, ReturnType<typeof call>]>([
    ['records without a search', 'gong', call('workspaces')],
    [
      'records of which only a part was asked for',
      'gong',
      call('calls_extensive', { filter: {}, contentSelector: { exposedFields: { parties: true } } }),
    ],
    ['records with a field from another record', 'gong', call('call_transcripts', { filter: {} })],
    ['reports of other figures', 'tiktok-marketing', call('advertisers_reports_daily', { ...dayReport, metrics: '["spend"]' })],
  ])('%s', async (_says, name, given) => {
    const folds = new Folds({ store, onError: (error) => asked.push(error) })
    folds.offer(accessOf(name), given, { outcome: list({ id: '1' }), asked: 0 })
    await turns()
    expect(asked).toEqual([])
  })

  test('what was never synced, which is asked for once', async () => {
    let asked = 0
    const tableOf = () => buildSearchTable('gong', 'users', kinds.gong.definition.entities.users)
    const fold = async () => {
      asked += 1
      return undefined
    }
    const forgetRecords = async () => new Map<string, number>()
    const folds = new Folds({
      store: { getTable: tableOf, foldLive: fold, readChanges: fold, peekChanges: () => undefined, forgetRecords },
    })
    for (let time = 0; time < 3; time += 1) {
      folds.offer(accessOf('gong'), call('users'), { outcome: list({ id: '1' }), asked: 0 })
      await turns()
    }
    await folds.close()
    expect(asked).toBe(1)
  })

  test('more than may wait, and what fails: both are told', async () => {
    const reports: FoldReport[] = []
    const errors: unknown[] = []
    const folds = new Folds({ store, waiting: 2, onFold: (report) => reports.push(report), onError: (error) => errors.push(error) })
    for (const ids of [['1', '2'], ['3']])
      folds.offer(accessOf('gong'), call('users'), { outcome: list(...ids.map((id) => ({ id }))), asked: 0 })
    while (errors.length === 0) await new Promise((resolve) => setImmediate(resolve))
    await folds.close()
    expect(reports.map(({ outcome, records }) => [outcome, records])).toEqual([
      ['dropped', 1],
      ['failed', 2],
    ])
    expect(errors).toEqual([new Error('asked for')])
  })
})
