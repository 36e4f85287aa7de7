import { describe, expect, test } from 'vitest'
import { kinds } from '../../packages/ferrule/src/connectors/index.ts'
import { applyParameterRule, checkParams, findOperation } from '../../packages/ferrule/src/engine/call/operation.ts'
import { catchRefusal } from '../support/refusal.ts'

const check = (entity: string, action: string, params: unknown) => checkParams(findOperation(kinds.gong, entity, action), params)

function refusal(entity: string, action: string, params: unknown): { code: string; problems: string[] } {
  const { code, errors } = catchRefusal(() => check(entity, action, params))
  return { code, problems: errors.map(({ message }) => message.replace(/\.$/, '')) }
}

const window = { fromDateTime: '2025-03-01T00:00:00Z', toDateTime: '2025-03-02T00:00:00Z' }
const media = { exposedFields: { media: true } }
const dateTime = 'must be a date-time with an offset, such as 2025-03-01T00:00:00Z'

describe('parameters', () => {
  test.each<[string, string, unknown, string[]]>([
    ['calls', 'get', undefined, ['/params/id']],
    ['calls', 'get', null, ['/params/id']],
    ['stats_interaction', 'list', { filter: {} }, ['/params/filter/fromDate', '/params/filter/toDate']],
  ])('of %s %s that lack some: %j', (...[entity, action, params, fields]) => {
    const problems = fields.map((field) => `${field} is required`)
    expect(refusal(entity, action, params)).toEqual({ code: 'missing_parameter', problems })
  })

  const days = { fromDate: '01.03.2025', toDate: '2025-02-30' }
  const times = { fromDateTime: '2025-3-1', toDateTime: 1740787200 }
  const timing = { context: 'Basic', contextTiming: ['Later'] }
  const known = 'fromDateTime, toDateTime, workspaceId, cursor'
  test.each<[string, unknown, string[]]>([
    [
      'stats_interaction',
      { filter: days },
      ['fromDate', 'toDate'].map((name) => `/params/filter/${name} must be a date such as 2025-03-01`),
    ],
    ['calls', times, [`/params/fromDateTime ${dateTime}`, '/params/toDateTime must be a string']],
    ['calls', { from: 'x', fromDateTime: '2025-03-01T00:00:00Z' }, [`/params/from is not known here; known: ${known}`]],
    [
      'calls_extensive',
      { filter: { 'a/b~c': 1 } },
      ['/params/filter/a~1b~0c is not known here; known: fromDateTime, toDateTime, callIds, workspaceId, primaryUserIds'],
    ],
    [
      'calls_extensive',
      { filter: {}, contentSelector: timing },
      [
        '/params/contentSelector/context must be one of: Extended',
        '/params/contentSelector/contextTiming/0 must be one of: Now, TimeOfCall',
      ],
    ],
    ['calls_extensive', { filter: { callIds: ['1', 2n ** 62n] } }, ['/params/filter/callIds/1 must be a string']],
    ['workspaces', { a: 1 }, ['/params/a is not known here; known: none']],
    ['calls', [], ['/params must be an object']],
    ['calls', 'x', ['/params must be an object']],
    [
      'coaching',
      { 'workspace-id': '1', 'manager-id': '2', from: 'yesterday', to: '2025-03-01' },
      ['/params/from must be an ISO 8601 date or date-time such as 2025-03-01T00:00:00Z'],
    ],
    ['calls', JSON.parse('{"__proto__":{"cursor":"x"}}'), [`/params/__proto__ is not known here; known: ${known}`]],
  ])('of %s that are wrong: %o', (entity, params, problems) => {
    expect(refusal(entity, 'list', params)).toEqual({ code: 'invalid_parameter', problems })
  })

  test.each<[unknown, string]>([
    [undefined, 'media_selector_required'],
    [{ filter: { callIds: ['1'] } }, 'media_selector_required'],
    [{ filter: { callIds: ['1'] }, contentSelector: { exposedFields: { media: false } } }, 'media_selector_required'],
    [{ filter: { callIds: [] }, contentSelector: media }, 'media_selector_required'],
    [{ filter: { callIds: ['1', '2'] }, contentSelector: media }, 'media_selector_required'],
    [{ filter: { callIds: [''] }, contentSelector: media }, 'media_selector_required'],
    [{ filter: { callIds: ['1'] }, contentSelector: media, range_header: 'bytes=0-1,5-6' }, 'range_invalid'],
    [{ filter: { callIds: ['1'] }, contentSelector: media, range_header: 'bytes=-' }, 'range_invalid'],
    [{ filter: { callIds: ['1'] }, contentSelector: media, range_header: 'bytes=0-1\r\nhost: x' }, 'range_invalid'],
    [{ filter: { callIds: ['1'] }, contentSelector: media, range: 'bytes=0-1' }, 'invalid_parameter'],
  ])('a download with %j is refused as %s', (params, code) => {
    expect(refusal('call_audio', 'download', params).code).toBe(code)
  })

  test('limit is ignored on a list that has none, and refused elsewhere', () => {
    expect(check('calls', 'list', { ...window, limit: 5 })).toEqual(window)
    expect(refusal('calls', 'get', { id: '1', limit: 5 }).code).toBe('invalid_parameter')
  })

  test('a flood of problems is cut short', () => {
    const callIds = Array.from({ length: 100_000 }, () => 1)
    expect(refusal('calls_extensive', 'list', { filter: { callIds } }).problems.length).toBeLessThanOrEqual(100)
  })
})

describe('a rule that reads the parameters', () => {
  const admit = (entity: string, params: Readonly<Record<string, unknown>>) => {
    const operation = findOperation(kinds['tiktok-marketing'], entity, 'list')
    return applyParameterRule(operation, checkParams(operation, params))
  }
  const report = (start_date: string, end_date: string, dimensions = '["campaign_id","stat_time_day"]') => ({
    service_type: 'AUCTION',
    report_type: 'BASIC',
    data_level: 'AUCTION_CAMPAIGN',
    dimensions,
    metrics: '["spend"]',
    start_date,
    end_date,
  })
  const refused = (entity: string, params: Readonly<Record<string, unknown>>) => catchRefusal(() => admit(entity, params))

  test.each([
    ['2026-04-01', '2026-04-01', '["campaign_id","stat_time_day"]'],
    ['2026-04-01', '2026-04-30', '["campaign_id", "stat_time_day"]'],
    ['2024-02-01', '2024-03-01', '["stat_time_day"]'],
    ['2025-12-10', '2026-01-08', '["stat_time_day"]'],
    ['2026-03-01', '2026-03-30', '["stat_time_day"]'],
    ['2020-01-01', '2026-04-30', '["campaign_id"]'],
    ['2026-04-01', '2026-04-01', '["campaign_id","stat_time_hour"]'],
    ['2026-04-01', '2026-05-01', '["stat_time_day_"]'],
  ])('lets a report from %s to %s of %s through as it is', (start, end, dimensions) => {
    expect(admit('campaigns_reports_daily', report(start, end, dimensions))).toEqual(report(start, end, dimensions))
  })

  test.each([
    ['2026-04-01', '2026-05-01', 31],
    ['2024-02-01', '2024-03-02', 31],
    ['2025-02-01', '2025-03-03', 31],
    ['2024-01-01', '2024-12-31', 366],
    ['2025-12-10', '2026-01-09', 31],
  ])('refuses a daily report from %s to %s: it has %i days', (start, end, days) => {
    const error = refused('ads_reports_daily', report(start, end))
    expect(error).toMatchObject({ code: 'invalid_parameter', status: 422, retryable: false })
    expect(error.errors).toEqual([
      {
        field: '/params/end_date',
        message: `/params/end_date makes ${days} days: a report with stat_time_day spans at most 30 days, both included.`,
        error_code: 'rule',
        window: { from: 'start_date', to: 'end_date', days: 30, page: 'page' },
      },
    ])
    expect(error.hint).toBe('Ask for windows of at most 30 days, one after the other.')
  })

  test.each(['["stat_time_hour"]', '["stat_time_day","stat_time_hour"]'])('refuses %s of two days: hours are of one day', (dimensions) => {
    const error = refused('ads_reports_daily', report('2026-04-01', '2026-04-02', dimensions))
    expect(error.errors).toMatchObject([
      { message: '/params/end_date makes 2 days: a report with stat_time_hour spans at most 1 day, both included.', window: { days: 1 } },
    ])
    expect(error.hint).toBe('Ask for windows of at most 1 day, one after the other.')
  })

  test.each(['["stat_time_day"]', '["campaign_id"]'])('refuses a report of %s that ends before it begins', (dimensions) => {
    const error = refused('advertisers_reports_daily', report('2026-04-02', '2026-04-01', dimensions))
    expect(error.message).toBe('A parameter is not valid: /params/end_date must not be before start_date.')
  })

  test('comes after the checks of each parameter: it never reads what is wrong', () => {
    expect(refused('ads_reports_daily', report('2026-02-30', 'soon', 'stat_time_day')).errors.map(({ field }) => field)).toEqual([
      '/params/dimensions',
      '/params/start_date',
      '/params/end_date',
    ])
  })

  test('asks for what only the vendor needs', () => {
    expect(refused('catalogs', { advertiser_id: '7' })).toMatchObject({
      code: 'missing_parameter',
      errors: [{ field: '/params/bc_id', message: '/params/bc_id is required by the vendor: catalogs belong to a business centre.' }],
      hint: expect.stringContaining('Business Center'),
    })
    expect(refused('catalogs', { advertiser_id: '7', bc_id: null }).code).toBe('missing_parameter')
    expect(admit('catalogs', { advertiser_id: '7', bc_id: '8' })).toEqual({ advertiser_id: '7', bc_id: '8' })
  })

  test('can replace parameters by others; without a rule they go on as they are', () => {
    const users = findOperation(kinds.gong, 'users', 'list')
    expect(applyParameterRule({ ...users, admit: (params) => ({ params: { ...params, more: 1 } }) }, { limit: 5 })).toEqual({
      limit: 5,
      more: 1,
    })
    const params = { cursor: 'x' }
    expect(applyParameterRule(users, params)).toBe(params)
  })
})

describe('operations', () => {
  test.each([
    ['calls', 'lst', 'calls does not offer the action lst. It offers: list, get, context_store_search.'],
    ['calls', 'create', 'calls does not offer the action create. It offers: list, get, context_store_search.'],
    ['calls', 'constructor', 'calls does not offer the action constructor. It offers: list, get, context_store_search.'],
    ['calls', '', 'calls does not offer the action (none). It offers: list, get, context_store_search.'],
    ['call_audio', 'list', 'call_audio does not offer the action list. It offers: download.'],
  ])('%s %s: %s', (entity, action, message) => {
    expect(() => findOperation(kinds.gong, entity, action)).toThrow(message)
  })

  test.each(['cals', 'constructor', '__proto__', ''])('the entity %j does not exist, and the known ones are named', (entity) => {
    expect(() => findOperation(kinds.gong, entity, 'list')).toThrow(/gong has no entity .+ It has: users, calls, calls_extensive/)
  })
})
