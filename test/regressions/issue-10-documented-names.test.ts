/** Answers that have the names of the documents already, and documented fields that answers leave out. */
import { describe, expect, test } from 'vitest'
import { kinds } from '../../packages/ferrule/src/connectors/index.ts'
import { findOperation } from '../../packages/ferrule/src/engine/call/operation.ts'
import { shapeRow } from '../../packages/ferrule/src/engine/call/page-records.ts'
import { callOf, gongAt, listed, pageOf, serve, testEngine } from '../engine/support.ts'
import { tiktokAt } from '../engine/tiktok-limits-support.ts'

/** The records of a list of Gong whose answers are these, by the path of the request. */
async function gongList(call: { entity: string; params?: unknown }, answers: Readonly<Record<string, unknown>>) {
  await using server = await serve(({ url }) => ({ body: answers[url.split('?')[0] ?? ''] ?? { requestId: 'r', errors: [url] } }))
  await using engine = testEngine()
  return await listed(engine.run(gongAt(server.origin), { ...call, action: 'list' }))
}

const reviews = { filter: { fromDateTime: '2025-03-01T00:00:00Z', toDateTime: '2025-04-01T00:00:00Z' } }
const review = {
  answeredScorecardId: '1',
  scorecardId: '2',
  scorecardName: 'Discovery',
  callId: '3',
  callStartTime: '2025-03-02T08:00:00Z',
  reviewedUserId: '4',
  reviewerUserId: '5',
  reviewMethod: 'MANUAL',
  editorUserId: null,
  reviewTime: '2025-03-03T10:00:00Z',
  visibilityType: 'PUBLIC',
}

describe('what the answer has by its documented name goes first', () => {
  test('answered scorecards', async () => {
    const answers = [
      { questionId: '6', isOverall: true, score: 4, answerText: 'a text', answer: 'Yes, twice' },
      { questionId: '7', isOverall: false, score: 2 },
    ]
    const sent = { ...review, answeredDateTime: '2025-03-03T09:00:00Z', overallScore: 87.5, visibility: 'Team', answers }
    const { data } = await gongList(
      { entity: 'stats_activity_scorecards', params: reviews },
      { '/v2/stats/activity/scorecards': pageOf({ answeredScorecards: [sent, { ...review, answers }] }) },
    )
    expect(data).toMatchObject([
      {
        answeredDateTime: '2025-03-03T09:00:00Z',
        overallScore: 87.5,
        visibility: 'Team',
        answers: [{ answer: 'Yes, twice' }, { answer: '2' }],
      },
      {
        answeredDateTime: '2025-03-03T10:00:00Z',
        overallScore: 4,
        visibility: 'public',
        answers: [{ answer: 'Yes, twice' }, { answer: '2' }],
      },
    ])
  })

  test('workspaces', async () => {
    const workspaces = [
      { id: '1', workspaceId: '9', name: 'n', description: 'd' },
      { id: '2', name: 'n' },
    ]
    const { data } = await gongList({ entity: 'workspaces' }, { '/v2/workspaces': { requestId: 'r', workspaces } })
    expect(data).toEqual([
      { id: '1', workspaceId: '9', name: 'n', description: 'd' },
      { id: '2', workspaceId: '2', name: 'n', description: null },
    ])
  })

  test('coaching as flat records, beside a manager with reports', async () => {
    const flat = {
      userId: 6107734829915563302n,
      userEmailAddress: 'a@b.example',
      userName: 'A B',
      isManager: false,
      coachingMetrics: { callsListened: 3, callsAttended: 2 },
    }
    const nested = {
      manager: { id: '8', firstName: 'M' },
      directReportsMetrics: [{ report: { id: '9' }, metrics: { callsListenedTo: ['1', '2'] } }],
    }
    const params = { 'workspace-id': '1', 'manager-id': '2', from: '2025-01-01', to: '2025-02-01' }
    const { data } = await gongList({ entity: 'coaching', params }, { '/v2/coaching': { requestId: 'r', coachingData: [flat, nested] } })
    expect(data).toMatchObject([
      {
        ...flat,
        userId: '6107734829915563302',
        coachingMetrics: { callsListened: 3, callsAttended: 2, callsWithFeedback: null, callsWithComments: null, scorecardsFilled: null },
      },
      { userId: '8', isManager: true, coachingMetrics: { callsListened: 2 } },
      { userId: '9', isManager: false, coachingMetrics: { callsListened: 2 } },
    ])
  })

  test('content of folders: it is looked up by callId too, and what it tells of a call stays', async () => {
    const content = [
      { callId: '7', title: 'T', started: '2025-03-01T00:00:00Z', duration: 5, primaryUserId: '1', url: 'https://a.example' },
      { id: '8', title: 'T', url: 'https://b.example' },
      { callId: '9', title: 'hidden' },
    ]
    const calls = [callOf('7'), callOf('8'), callOf('9', { isPrivate: true })].map((metaData) => ({ metaData }))
    const { data, meta } = await gongList(
      { entity: 'library_folder_content', params: { folderId: '1' } },
      { '/v2/library/folder-content': { requestId: 'r', calls: content }, '/v2/calls/extensive': pageOf({ calls }) },
    )
    expect(data).toEqual([
      { callId: '7', title: 'T', started: '2025-03-01T00:00:00Z', duration: 5, primaryUserId: '1', url: 'https://a.example' },
      {
        callId: '8',
        title: 'T',
        started: '2025-03-03T09:01:12-08:00',
        duration: 1384,
        primaryUserId: '5530918274460172839',
        url: 'https://b.example',
      },
    ])
    expect(meta['private_calls_excluded']).toBe(1)
  })

  test('reports whose rows are flat already, and names of posts and catalogs', async () => {
    const list = [{ campaign_id: '1866000000000002', stat_time_day: '2026-04-03 00:00:00', spend: '14.68', ctr: '-' }]
    const page_info = { page: 1, page_size: 1000, total_number: 1, total_page: 1 }
    await using server = await serve(() => ({ body: { code: 0, message: 'OK', request_id: 'r', data: { list, page_info } } }))
    await using engine = testEngine()
    const params = {
      service_type: 'AUCTION',
      report_type: 'BASIC',
      data_level: 'AUCTION_CAMPAIGN',
      dimensions: '["campaign_id","stat_time_day"]',
      metrics: '["spend","ctr"]',
      start_date: '2026-04-01',
      end_date: '2026-04-02',
    }
    const { data } = await listed(engine.run(tiktokAt(server.origin), { entity: 'campaigns_reports_daily', action: 'list', params }))
    expect(data).toMatchObject([
      { campaign_id: 1866000000000002, stat_time_day: '2026-04-03 00:00:00', spend: '14.68', ctr: null, likes: null },
    ])
    const ads = (entity: string) => findOperation(kinds['tiktok-marketing'], entity, 'list')
    expect(shapeRow(ads('promoted_post_ads'), { user_info: { platform_name: 'a', tiktok_name: 'b' } }, {})).toMatchObject({
      user_info: { platform_name: 'a', tiktok_name: 'b' },
    })
    const catalog = { catalog_id: '1', advertiser_id: '5', modify_time: '2026-01-01 00:00:00', update_time: '2026-02-01 00:00:00' }
    expect(shapeRow(ads('catalogs'), { ...catalog }, { advertiser_id: '6' })).toMatchObject(catalog)
  })
})

describe('documented fields that an answer leaves out are null within objects too', () => {
  test('questions of scorecards, answers, line items, refunds and their transactions', () => {
    const gong = (entity: string, row: unknown) => shapeRow(findOperation(kinds.gong, entity, 'list'), row, {})
    const shopify = (entity: string, row: unknown) => shapeRow(findOperation(kinds.shopify, entity, 'list'), row, {})
    expect(gong('settings_scorecards', { scorecardId: '1', questions: [{ questionId: '2' }, null] })).toMatchObject({
      questions: [{ questionId: '2', isRequired: null, answerGuide: null, minRange: null, answerOptions: null }, null],
    })
    expect(gong('stats_activity_scorecards', { answers: [{ questionId: '2' }] })).toMatchObject({
      answers: [{ questionId: '2', answerText: null, selectedOptions: null }],
    })
    const refunds = [{ id: 2, transactions: [{ id: 3 }] }]
    expect(shopify('orders', { id: 1, line_items: [{ id: 4 }], refunds, fulfillments: null })).toMatchObject({
      line_items: [{ id: 4, sku: null, tax_lines: null }],
      refunds: [{ id: 2, return: null, refund_shipping_lines: null, transactions: [{ id: 3, gateway: null }] }],
      fulfillments: null,
      shipping_address: null,
    })
  })
})
