import { describe, expect, test } from 'vitest'
import { kinds } from '../../src/connectors/index.ts'
import { operationOf } from '../../src/engine/operation.ts'
import { checkParams } from '../../src/engine/params.ts'
import { FerruleError } from '../../src/errors.ts'

const check = (entity: string, action: string, params: unknown) => checkParams(operationOf(kinds.gong, entity, action), params)

function refusal(entity: string, action: string, params: unknown): { code: string; problems: string[] } {
  try {
    check(entity, action, params)
  } catch (error) {
    if (error instanceof FerruleError)
      return { code: error.code, problems: error.problems.map(({ field, message }) => `${field} ${message}`) }
    throw error
  }
  throw new Error('the parameters were accepted')
}

const window = { fromDateTime: '2025-03-01T00:00:00Z', toDateTime: '2025-03-02T00:00:00Z' }
const media = { exposedFields: { media: true } }
const dateTime = 'must be a date-time with an offset, such as 2025-03-01T00:00:00Z'

describe('parameters', () => {
  test.each<{ operation: [string, string]; params: unknown; code: string; problems: string[] }>([
    { operation: ['calls', 'get'], params: undefined, code: 'missing_parameter', problems: ['/params/id is required'] },
    { operation: ['calls', 'get'], params: null, code: 'missing_parameter', problems: ['/params/id is required'] },
    {
      operation: ['stats_interaction', 'list'],
      params: { filter: {} },
      code: 'missing_parameter',
      problems: ['/params/filter/fromDate is required', '/params/filter/toDate is required'],
    },
    {
      operation: ['stats_interaction', 'list'],
      params: { filter: { fromDate: '01.03.2025', toDate: '2025-02-30' } },
      code: 'invalid_parameter',
      problems: ['/params/filter/fromDate must be a date such as 2025-03-01', '/params/filter/toDate must be a date such as 2025-03-01'],
    },
    {
      operation: ['calls', 'list'],
      params: { fromDateTime: '2025-03-01', toDateTime: 1740787200 },
      code: 'invalid_parameter',
      problems: [`/params/fromDateTime ${dateTime}`, '/params/toDateTime must be string'],
    },
    {
      operation: ['calls', 'list'],
      params: { from: 'x', fromDateTime: '2025-03-01T00:00:00Z' },
      code: 'invalid_parameter',
      problems: ['/params/from is not known here; known: fromDateTime, toDateTime, cursor'],
    },
    {
      operation: ['calls_extensive', 'list'],
      params: { filter: { 'a/b~c': 1 } },
      code: 'invalid_parameter',
      problems: ['/params/filter/a~1b~0c is not known here; known: fromDateTime, toDateTime, callIds, workspaceId'],
    },
    {
      operation: ['calls_extensive', 'list'],
      params: { filter: {}, contentSelector: { context: 'Basic', contextTiming: ['Later'] } },
      code: 'invalid_parameter',
      problems: [
        '/params/contentSelector/context must be one of: Extended',
        '/params/contentSelector/contextTiming/0 must be one of: Now, TimeOfCall',
      ],
    },
    {
      operation: ['calls_extensive', 'list'],
      params: { filter: { callIds: ['1', 2n ** 62n] } },
      code: 'invalid_parameter',
      problems: ['/params/filter/callIds/1 must be string'],
    },
    {
      operation: ['workspaces', 'list'],
      params: { a: 1 },
      code: 'invalid_parameter',
      problems: ['/params/a is not known here; known: none'],
    },
    { operation: ['calls', 'list'], params: [], code: 'invalid_parameter', problems: ['/params must be an object'] },
    { operation: ['calls', 'list'], params: 'x', code: 'invalid_parameter', problems: ['/params must be an object'] },
    {
      operation: ['coaching', 'list'],
      params: { 'workspace-id': '1', 'manager-id': '2', from: 'yesterday', to: '2025-03-01' },
      code: 'invalid_parameter',
      problems: ['/params/from must be an ISO 8601 date or date-time such as 2025-03-01T00:00:00Z'],
    },
    {
      operation: ['calls', 'list'],
      params: JSON.parse('{"__proto__":{"cursor":"x"}}'),
      code: 'invalid_parameter',
      problems: ['/params/__proto__ is not known here; known: fromDateTime, toDateTime, cursor'],
    },
  ])('$operation $params', ({ operation, params, code, problems }) => {
    expect(refusal(...operation, params)).toEqual({ code, problems })
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

describe('operations', () => {
  test.each([
    ['calls', 'lst', 'calls does not offer the action lst. It offers: list, get, context_store_search.'],
    ['calls', 'create', 'calls does not offer the action create. It offers: list, get, context_store_search.'],
    ['calls', 'constructor', 'calls does not offer the action constructor. It offers: list, get, context_store_search.'],
    ['calls', '', 'calls does not offer the action (none). It offers: list, get, context_store_search.'],
    ['call_audio', 'list', 'call_audio does not offer the action list. It offers: download.'],
  ])('%s %s: %s', (entity, action, message) => {
    expect(() => operationOf(kinds.gong, entity, action)).toThrow(message)
  })

  test.each(['cals', 'constructor', '__proto__', ''])('the entity %j does not exist, and the known ones are named', (entity) => {
    expect(() => operationOf(kinds.gong, entity, 'list')).toThrow(/gong has no entity .+ It has: users, calls, calls_extensive/)
  })
})
