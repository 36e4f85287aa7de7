import { describe, expect, test } from 'vitest'
import { kinds } from '../../packages/ferrule/src/connectors/index.ts'
import { listLiveActions } from '../../packages/ferrule/src/definition/entity.ts'
import type { Field } from '../../packages/ferrule/src/definition/fields.ts'
import { checkParams, findOperation } from '../../packages/ferrule/src/engine/call/operation.ts'
import { convertForms } from '../../packages/ferrule/src/engine/json/validate.ts'
import { connect } from '../../packages/ferrule/src/index.ts'
import { catchRefusal } from '../support/refusal.ts'

type Kind = keyof typeof kinds
type Values = Readonly<Record<string, unknown>>

const check = (kind: Kind, entity: string, params: Values) => checkParams(findOperation(kinds[kind], entity, 'list'), params)

/** Lists the problems of parameters that are refused. */
const refusal = (kind: Kind, entity: string, params: Values): string[] =>
  catchRefusal(() => check(kind, entity, params)).errors.map(({ message }) => message.replace(/\.$/, ''))

const report = {
  service_type: 'AUCTION',
  report_type: 'BASIC',
  data_level: 'AUCTION_AD',
  dimensions: '["ad_id"]',
  metrics: '["spend"]',
  start_date: '2026-01-01',
  end_date: '2026-01-31',
}
const dateTime = 'must be a date-time with an offset, such as 2025-03-01T00:00:00Z'
const day = 'must be a date such as 2025-03-01'
const noList = 'must be a list of strings, or a string that holds a JSON array of strings, such as ["a","b"]'

describe('a list instead of JSON text', () => {
  test('is written as JSON text, and the list of the caller stays', () => {
    const dimensions = Object.freeze(['ad_id', 'say "hi"'])
    expect(check('tiktok-marketing', 'ads_reports_daily', { ...report, dimensions }).dimensions).toBe('["ad_id","say \\"hi\\""]')
    expect(dimensions).toEqual(['ad_id', 'say "hi"'])
    expect(check('tiktok-marketing', 'advertisers', { advertiser_ids: ['7012345678901234567'] })).toEqual({
      advertiser_ids: '["7012345678901234567"]',
    })
  })

  test('JSON text stays to the letter', () => {
    const dimensions = ' [ "ad_id" ]'
    expect(check('tiktok-marketing', 'ads_reports_daily', { ...report, dimensions }).dimensions).toBe(dimensions)
  })

  const cyclic: unknown[] = []
  cyclic.push(cyclic)
  test.each([[[]], [['a', 1]], [[undefined]], [[7n]], [new Array(2)], [cyclic]])('%o is refused', (dimensions) => {
    expect(refusal('tiktok-marketing', 'ads_reports_daily', { ...report, dimensions })).toEqual([`/params/dimensions ${noList}`])
  })

  test('a list stays one where the vendor takes a list', () => {
    const params = { filter: { fromDateTime: '2026-01-01T00:00:00Z', toDateTime: '2026-02-01T00:00:00Z', callIds: ['1'] } }
    expect(check('gong', 'stats_activity_scorecards', params)).toEqual(params)
  })
})

describe('a date', () => {
  const midnight = new Date('2026-01-31')
  const noon = new Date('2026-01-31T12:00:00.250Z')

  test.each<[unknown, string]>([
    [midnight, '2026-01-31'],
    ['2026-01-31T00:00:00.000Z', '2026-01-31'],
    ['2026-01-31T00:00:00Z', '2026-01-31'],
    ['2026-01-31', '2026-01-31'],
  ])('%o is the day of a parameter for days', (end_date, expected) => {
    expect(check('tiktok-marketing', 'ads_reports_daily', { ...report, end_date }).end_date).toBe(expected)
  })

  test.each([noon, '2026-01-31T12:00:00Z', '2026-01-31T00:00:00+01:00', new Date(Number.NaN), new Date(8.64e15), 1769817600000])(
    '%o is no day: its time or its zone would be lost',
    (end_date) => {
      const expected = typeof end_date === 'number' ? 'must be a string' : day
      expect(refusal('tiktok-marketing', 'ads_reports_daily', { ...report, end_date })).toEqual([`/params/end_date ${expected}`])
    },
  )

  test.each<[unknown, string]>([
    [noon, '2026-01-31T12:00:00.250Z'],
    [midnight, '2026-01-31T00:00:00.000Z'],
    ['2026-01-31', '2026-01-31T00:00:00Z'],
    ['2026-01-31T12:00:00+05:30', '2026-01-31T12:00:00+05:30'],
  ])('%o is a timestamp', (fromDateTime, expected) => {
    expect(check('gong', 'calls', { fromDateTime })).toEqual({ fromDateTime: expected })
  })

  test.each([new Date(Number.NaN), '2026-02-30', '2026-1-31', '2026-01-31T12:00:00'])('%o is no timestamp', (fromDateTime) => {
    expect(refusal('gong', 'calls', { fromDateTime })).toEqual([`/params/fromDateTime ${dateTime}`])
  })

  test('is converted inside of objects, and the object of the caller stays', () => {
    const filter = Object.freeze({ fromDate: midnight, toDate: '2026-02-02' })
    expect(check('gong', 'stats_interaction', { filter })).toEqual({ filter: { fromDate: '2026-01-31', toDate: '2026-02-02' } })
    expect(filter.fromDate).toBe(midnight)
  })

  test('is a day or a timestamp where the vendor takes both', () => {
    expect(check('shopify', 'orders', { created_at_min: '2026-01-31', created_at_max: noon })).toEqual({
      created_at_min: '2026-01-31',
      created_at_max: '2026-01-31T12:00:00.250Z',
    })
  })

  test('stands in the configuration too', async () => {
    const credentials = { access_token: 'a' }
    await connect('tiktok-marketing', { credentials, config: { start_date: midnight } }).close()
    expect(() => connect('tiktok-marketing', { credentials, config: { start_date: noon } })).toThrow(`/config/start_date ${day}`)
  })
})

test('every integer parameter of every operation may be a string of digits, and no digit is lost', () => {
  let [small, large] = [0, 0]
  for (const kind of Object.values(kinds))
    for (const [name, entity] of Object.entries(kind.definition.entities))
      for (const action of listLiveActions(entity)) {
        const { convertible, operation } = findOperation(kind, name, action)
        for (const [parameter, field] of Object.entries(operation.params) as [string, Field][]) {
          const isLarge = field.format === 'int64'
          if (field.type !== 'integer') continue
          const convert = (text: string) => convertForms(convertible, { [parameter]: text })[parameter]
          expect([name, action, parameter, convert('250'), convert('7.5')]).toEqual([name, action, parameter, 250, '7.5'])
          if (isLarge) expect(convert('9007199254740993')).toBe(9007199254740993n)
          if (isLarge) large += 1
          else small += 1
        }
      }
  expect([small > 20, large > 20]).toEqual([true, true])
})
