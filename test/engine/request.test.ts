import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { kinds } from '../../packages/ferrule/src/connectors/index.ts'
import { checkParams, findOperation } from '../../packages/ferrule/src/engine/call/operation.ts'
import { buildRequest } from '../../packages/ferrule/src/engine/call/request.ts'
import { FerruleError } from '../../packages/ferrule/src/errors.ts'

const now = Date.parse('2026-01-01T12:00:00Z')
const hour = 3_600_000
const day = 24 * hour

const built = (entity: string, action: string, params: unknown) => {
  const operation = findOperation(kinds.gong, entity, action)
  return buildRequest(operation, checkParams(operation, params), now)
}

const outcomeOf = (id: string): string => {
  try {
    return built('calls', 'get', { id }).path
  } catch (error) {
    if (error instanceof FerruleError) return `${error.code} ${error.errors.map(({ field }) => field).join()}`
    throw error
  }
}

describe('path slots', () => {
  test.each([
    ['7', '/v2/calls/7'],
    ['a/b', '/v2/calls/a%2Fb'],
    ['a?b=c#d', '/v2/calls/a%3Fb%3Dc%23d'],
    ['..%2f..', '/v2/calls/..%252f..'],
    ['%2e%2e', '/v2/calls/%252e%252e'],
    ['...', '/v2/calls/...'],
    ['\\..\\', '/v2/calls/%5C..%5C'],
    ['ä 日本', '/v2/calls/%C3%A4%20%E6%97%A5%E6%9C%AC'],
    ['a\tb\r\nc', '/v2/calls/a%09b%0D%0Ac'],
    ['', 'invalid_parameter /params/id'],
    ['.', 'invalid_parameter /params/id'],
    ['..', 'invalid_parameter /params/id'],
    ['\ud800', 'invalid_parameter /params/id'],
  ])('%j → %s', (id, expected) => {
    expect(outcomeOf(id)).toBe(expected)
  })

  test('whatever the id is, the request stays below /v2/calls/ and has no query', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (id) => {
        const path = outcomeOf(id)
        if (path.startsWith('invalid_parameter')) return
        const url = new URL(`https://api.gong.io${path}`)
        expect(url.origin + url.pathname).toBe(`https://api.gong.io/v2/calls/${encodeURIComponent(id)}`)
        expect(url.search + url.hash).toBe('')
      }),
    )
  })
})

describe('what carries parameters', () => {
  test('a query is encoded: plus signs, colons and spaces survive', () => {
    const { path } = built('calls', 'list', { fromDateTime: '2025-03-01T00:00:00.5+02:00', cursor: 'a b&c=d+é' })
    expect(path).toBe('/v2/calls?fromDateTime=2025-03-01T00%3A00%3A00.5%2B02%3A00&cursor=a+b%26c%3Dd%2B%C3%A9')
    expect(new URL(path, 'https://x.example').searchParams.get('cursor')).toBe('a b&c=d+é')
  })

  test('a POST carries its cursor in the body, beside the filter', () => {
    const request = built('call_transcripts', 'list', { filter: { callIds: ['7'] }, cursor: 'next' })
    expect(request).toEqual({ method: 'POST', path: '/v2/calls/transcript', body: '{"filter":{"callIds":["7"]},"cursor":"next"}' })
  })

  test('an empty array of ids is left out, an empty filter is sent', () => {
    expect(built('calls_extensive', 'list', { filter: { callIds: [] } }).body).toBe('{"filter":{}}')
  })

  test('a byte range never goes to the API', () => {
    const params = { filter: { callIds: ['7'] }, contentSelector: { exposedFields: { media: true } }, range_header: 'bytes=0-9' }
    expect(built('call_audio', 'download', params).body).toBe(
      '{"filter":{"callIds":["7"]},"contentSelector":{"exposedFields":{"media":true}}}',
    )
  })

  test('the parameters of the caller are not changed', () => {
    const params = Object.freeze({ filter: Object.freeze({ callIds: Object.freeze([]) }) })
    built('calls_extensive', 'list', params)
    expect(params).toEqual({ filter: { callIds: [] } })
  })
})

describe('moments as days of an unknown time zone', () => {
  const days = (from: string, to: string): { reviewFromDate?: string; reviewToDate?: string } =>
    JSON.parse(built('stats_activity_scorecards', 'list', { filter: { fromDateTime: from, toDateTime: to } }).body ?? '').filter

  test.each([
    ['2025-03-02T00:00:00Z', '2025-03-05T00:00:00Z', '2025-03-01', '2025-03-06'],
    ['2025-03-02T23:59:59.999Z', '2025-03-05T00:00:00.001Z', '2025-03-01', '2025-03-07'],
    ['2025-03-02T00:00:00+14:00', '2025-03-05T12:00:00Z', '2025-02-28', '2025-03-07'],
    ['2025-01-01T00:00:00Z', '2025-12-28T00:00:00-08:00', '2024-12-31', '2025-12-30'],
    ['2024-02-29T08:00:00Z', '2024-02-28T20:00:00Z', '2024-02-28', '2024-03-01'],
  ])('%s to %s: %s to %s', (from, to, ...[reviewFromDate, reviewToDate]) => {
    expect(days(from, to)).toEqual({ reviewFromDate, reviewToDate, reviewMethod: 'BOTH' })
  })

  test.each(['2025-12-31T00:00:00Z', '2026-01-01T12:00:00Z', '2030-01-01T00:00:00Z', '9999-12-31T23:59:59Z'])(
    'an end of %s would name a day after yesterday: it is left out',
    (to) => {
      expect(days('2025-03-01T00:00:00Z', to)).not.toHaveProperty('reviewToDate')
    },
  )

  test('a leap second, which ISO 8601 allows, is the second before it', () => {
    expect(days('2016-12-31T23:59:60Z', '2016-12-31T15:59:60-08:00')).toMatchObject({
      reviewFromDate: '2016-12-31',
      reviewToDate: '2017-01-02',
    })
  })

  test('a first moment before the calendar begins is left out', () => {
    expect(days('0000-01-01T00:00:00Z', '2025-03-01T00:00:00Z')).not.toHaveProperty('reviewFromDate')
  })

  test('no review inside the window is lost, in any time zone, and no day after the company today is sent', () => {
    const instant = fc.integer({ min: Date.parse('2020-01-01'), max: Date.parse('2027-01-01') })
    const localDay = (moment: number, offset: number) => new Date(moment + offset).toISOString().slice(0, 10)
    fc.assert(
      fc.property(
        instant,
        fc.integer({ min: 1, max: 400 * day }),
        fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.integer({ min: -12 * 4, max: 14 * 4 })),
        (from, length, [part, quarters]) => {
          const offset = (quarters * hour) / 4
          const to = from + length
          const review = Math.min(to - 1, from + Math.floor(length * part))
          const { reviewFromDate = '', reviewToDate = '9999-12-31' } = days(new Date(from).toISOString(), new Date(to).toISOString())
          expect(localDay(review, offset) >= reviewFromDate).toBe(true)
          expect(localDay(review, offset) < reviewToDate).toBe(true)
          if (reviewToDate !== '9999-12-31') expect(reviewToDate <= localDay(now, offset)).toBe(true)
        },
      ),
      { numRuns: 1000 },
    )
  })
})
