import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { kinds } from '../../packages/ferrule/src/connectors/index.ts'
import { readRows } from '../../packages/ferrule/src/engine/call/answer.ts'
import { findOperation } from '../../packages/ferrule/src/engine/call/operation.ts'
import { buildLocalFilter, shapeRow } from '../../packages/ferrule/src/engine/call/page-records.ts'
import { parseJson, writeJson } from '../../packages/ferrule/src/values/json/json.ts'

const listOf = (entity: string) => findOperation(kinds.gong, entity, 'list')
const advertising = (entity: string) => findOperation(kinds['tiktok-marketing'], entity, 'list')

describe('records', () => {
  test('documented fields that the vendor leaves out are null, its additions are kept', () => {
    const record = shapeRow(listOf('library_folders'), { id: '1', name: 'Onboarding', color: 'blue' }, {})
    expect(record).toEqual({ id: '1', name: 'Onboarding', color: 'blue', parentFolderId: null, createdBy: null, updated: null })
  })

  test('a renamed key is moved, a copied one stays', () => {
    expect(shapeRow(listOf('library_folder_content'), { id: '7', note: 'n' }, {})).toMatchObject({ callId: '7', note: 'n' })
    expect(shapeRow(listOf('library_folder_content'), { id: '7' }, {})).not.toHaveProperty('id')
    expect(shapeRow(listOf('workspaces'), { id: '7', name: 'n', description: '' }, {})).toMatchObject({ id: '7', workspaceId: '7' })
  })

  test('ids are texts, however the vendor writes them', () => {
    const row = {
      answeredScorecardId: 6107734829915563302n,
      callId: '7',
      reviewerUserId: null,
      scorecardId: 12,
      visibilityType: 'OPT_IN_USERS',
      answers: [{ questionId: 9223372036854775807n, questionRevisionId: '5' }, { questionId: null }],
    }
    expect(shapeRow(listOf('stats_activity_scorecards'), row, {})).toMatchObject({
      answeredScorecardId: '6107734829915563302',
      callId: '7',
      reviewerUserId: null,
      scorecardId: '12',
      visibility: 'opt_in_users',
      answers: [{ questionId: '9223372036854775807', questionRevisionId: '5' }, { questionId: null }],
    })
  })

  test.each([
    [
      'settings_scorecards',
      {
        scorecardId: 6107734829915563302n,
        workspaceId: 6107734829915563303n,
        updaterUserId: -1,
        questions: [{ questionId: 6107734829915563304n, questionRevisionId: 5n, updaterUserId: -1, minRange: 1, maxRange: 5 }],
      },
      {
        scorecardId: '6107734829915563302',
        workspaceId: '6107734829915563303',
        updaterUserId: '-1',
        questions: [{ questionId: '6107734829915563304', questionRevisionId: '5', updaterUserId: '-1', minRange: '1', maxRange: '5' }],
      },
    ],
    ['settings_trackers', { saidAtInterval: 30, saidInTopics: [] }, { saidAtInterval: '30' }],
    ['coaching', { userId: 6107734829915563302n }, { userId: '6107734829915563302' }],
  ])('%s: numbers become the texts that the documents name', (entity, row, record) => {
    expect(shapeRow(listOf(entity), row, {})).toMatchObject(record)
  })

  test('a row that is no object stays what it is', () => {
    expect(shapeRow(listOf('users'), null, {})).toBeNull()
    expect(shapeRow(listOf('users'), 'x', {})).toBe('x')
  })
})

describe('rows that lie in parts', () => {
  const report = advertising('ads_reports_daily')
  const merged = (...list: unknown[]) => readRows(report, { data: { list } })

  test('become one record; the later part wins, and what means "none" is null in both', () => {
    expect(
      merged({
        dimensions: { ad_id: '7', stat_time_day: '-', campaign_id: '8' },
        metrics: { spend: '0.00', ctr: '-', campaign_id: '9', ad_text: '--', ad_name: ' -' },
      }),
    ).toEqual([{ ad_id: '7', stat_time_day: null, campaign_id: '8', spend: '0.00', ctr: null, ad_text: '--', ad_name: ' -' }])
  })

  test('keep what lies beside the parts, and may lack one of them', () => {
    expect(merged({ metrics: { spend: '1' }, row_id: '3' }, { dimensions: { ad_id: '7' }, metrics: null })).toEqual([
      { row_id: '3', spend: '1' },
      { ad_id: '7' },
    ])
    expect(merged()).toEqual([])
  })

  test.each([[{}], [{ spend: '1' }], [{ metrics: [] }], [{ metrics: '-', dimensions: null }], ['x'], [null], [[]]])(
    'a row without any of them cannot be used: %j',
    (row) => {
      expect(() => merged({ metrics: {} }, row)).toThrow(
        'The answer of TikTok Marketing cannot be used: a row without metrics and dimensions.',
      )
    },
  )

  test('the vendor’s row is not changed', () => {
    const row = { dimensions: { ad_id: '7' }, metrics: { spend: '-' } }
    merged(row)
    expect(row).toEqual({ dimensions: { ad_id: '7' }, metrics: { spend: '-' } })
  })
})

describe('texts that are numbers', () => {
  const shaped = (row: Readonly<Record<string, unknown>>) => {
    const record: unknown = shapeRow(advertising('ads_reports_daily'), { ...row }, {})
    return record as Readonly<Record<string, unknown>>
  }

  test.each<[unknown, unknown]>([
    ['1866250073417729', 1866250073417729],
    ['7412085530917364481', 7412085530917364481n],
    ['7412085530917364503', 7412085530917364503n],
    ['9223372036854775807', 9223372036854775807n],
    ['18446744073709551615', 18446744073709551615n],
    ['9007199254740991', 9007199254740991],
    ['9007199254740992', 9007199254740992n],
    ['-9007199254740993', -9007199254740993n],
    ['0', 0],
    ['007', 7],
    ['', null],
    [' 7', null],
    ['7.0', null],
    ['1e3', null],
    ['0x10', null],
    ['seven', null],
    ['7'.repeat(31), null],
    [null, null],
    [7, 7],
    [7412085530917364503n, 7412085530917364503n],
  ])('the id %s is %s', (text, id) => {
    expect(shaped({ ad_id: text })['ad_id']).toBe(id)
  })

  test('ids that are one and the same double stay two, to the last digit of the output', () => {
    const record = shaped({ ad_id: '7412085530917364481', adgroup_id: '7412085530917364503', campaign_id: '7412085530917364481' })
    expect(writeJson(record)).toContain('"ad_id":7412085530917364481,')
    expect(writeJson(record)).toContain('"adgroup_id":7412085530917364503,')
  })

  test('every 64-bit id keeps its digits', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }), (id) => {
        expect(writeJson(shaped({ ad_id: String(id) })['ad_id'])).toBe(String(id))
        expect(parseJson(writeJson({ id: shaped({ ad_id: String(id) })['ad_id'] }))).toEqual(parseJson(`{"id":${id}}`))
      }),
    )
  })

  test.each<[unknown, unknown]>([
    ['1022', 1022],
    ['3.14', 3.14],
    ['0.00', 0],
    ['-1.5', -1.5],
    ['1.5E+3', 1500],
    ['2e-3', 0.002],
    ['9007199254740993', 9007199254740993n],
    ['1e999', null],
    [`${'9'.repeat(400)}`, null],
    [`${'9'.repeat(400)}.5`, null],
    ['', null],
    ['-', null],
    ['.5', null],
    ['5.', null],
    ['1,022', null],
    ['12%', null],
    ['NaN', null],
    ['Infinity', null],
    [null, null],
    [0.5, 0.5],
  ])('the figure %s is %s', (text, figure) => {
    expect(shaped({ likes: text })['likes']).toBe(figure)
  })

  test('figures that the documents call texts stay as they are', () => {
    expect(shaped({ spend: '14.60', frequency: '1.0' })).toMatchObject({ spend: '14.60', frequency: '1.0', likes: null, ad_id: null })
  })
})

describe('fields from elsewhere', () => {
  test('what the call asked for, where the vendor tells none', () => {
    const catalog = shapeRow(advertising('catalogs'), { catalog_id: '7', update_time: '2026-02-03 10:34:36' }, { advertiser_id: '8' })
    expect(catalog).toMatchObject({
      catalog_id: '7',
      advertiser_id: '8',
      modify_time: '2026-02-03 10:34:36',
      update_time: '2026-02-03 10:34:36',
      product_count: null,
    })
    expect(shapeRow(advertising('catalogs'), { catalog_id: '7' }, {})).toMatchObject({ advertiser_id: null, modify_time: null })
  })

  test('a key within an object is renamed; an object that is not there is not made', () => {
    const posts = advertising('promoted_post_ads')
    expect(shapeRow(posts, { user_info: { tiktok_name: 'a', identity_id: 'b' } }, {})).toMatchObject({
      user_info: { platform_name: 'a', identity_id: 'b' },
    })
    expect(shapeRow(posts, { user_info: { tiktok_name: 'a' } }, {})).not.toHaveProperty('user_info.tiktok_name')
    expect(shapeRow(posts, { user_info: null, video_info: null }, {})).toMatchObject({ user_info: null, video_info: null, item_info: null })
  })
})

describe('filters that the vendor lacks', () => {
  const filter = { fromDateTime: '2025-03-01T00:00:00Z', toDateTime: '2025-03-02T00:00:00Z' }
  const keeps = (more: Readonly<Record<string, unknown>>, record: Readonly<Record<string, unknown>>): boolean | undefined =>
    buildLocalFilter(listOf('stats_activity_scorecards'), { filter: { ...filter, ...more } })?.({
      reviewTime: '2025-03-01T12:00:00Z',
      ...record,
    })

  test.each([
    ['2025-03-01T00:00:00Z', true],
    ['2025-02-28T23:59:59.999Z', false],
    ['2025-03-01T23:59:59.999999Z', true],
    ['2025-03-02T00:00:00Z', false],
    ['2025-03-01T16:30:00-08:00', false],
    ['2025-02-28T17:00:00-08:00', true],
    [null, false],
  ])('a review at %s: %s', (reviewTime, kept) => {
    expect(keeps({}, { reviewTime })).toBe(kept)
  })

  test('a leap second is a moment too', () => {
    expect(
      buildLocalFilter(listOf('stats_activity_scorecards'), {
        filter: { fromDateTime: '2016-12-31T23:59:60Z', toDateTime: '2017-01-02T00:00:00Z' },
      })?.({ reviewTime: '2017-01-01T00:00:00Z' }),
    ).toBe(true)
  })

  test.each([
    [{ callIds: ['7'] }, { callId: '7' }, true],
    [{ callIds: ['7'] }, { callId: '8' }, false],
    [{ callIds: [] }, { callId: '8' }, true],
    [{ reviewerUserIds: ['7'] }, { reviewerUserId: null }, false],
    [{ reviewerUserIds: ['6107734829915563302'] }, { reviewerUserId: '6107734829915563302' }, true],
    [{ reviewerUserIds: ['6107734829915563302'] }, { reviewerUserId: '6107734829915563303' }, false],
  ])('%j of %j: %s', (more, record, kept) => {
    expect(keeps(more, record)).toBe(kept)
  })

  test('a call without such filters tests nothing', () => {
    expect(buildLocalFilter(listOf('settings_scorecards'), {})).toBeUndefined()
    expect(buildLocalFilter(listOf('calls'), { fromDateTime: filter.fromDateTime })).toBeUndefined()
  })
})
