/** Groups and measures written as text, as commands and agents give them. */
import { expect, test } from 'vitest'
import { listAggregateNames, parseGroups, parseMeasures } from '../../packages/ferrule/src/values/aggregate-text.ts'

test.each([
  ['direction', 'direction'],
  ['parties[].affiliation', 'parties[].affiliation'],
  ['side=parties[].affiliation', { field: 'parties[].affiliation', as: 'side' }],
  ['month(started)', { field: 'started', by: 'month' }],
  ['MONTH( started , Europe/Berlin )', { field: 'started', by: 'month', time_zone: 'Europe/Berlin' }],
  [
    'at = day(started, "America/Argentina/Buenos_Aires")',
    { field: 'started', by: 'day', time_zone: 'America/Argentina/Buenos_Aires', as: 'at' },
  ],
  ['hour(started, Etc/GMT+5)', { field: 'started', by: 'hour', time_zone: 'Etc/GMT+5' }],
  [
    'ranges(duration, -60, 0.5, 12345678901234567890, "0.10")',
    { field: 'duration', ranges: [-60, 0.5, 12_345_678_901_234_567_890n, '0.10'] },
  ],
  ['`odd name`', 'odd name'],
])('the group %s', (text, group) => {
  expect(parseGroups([text])).toEqual([group])
})

test('measures have the name that is written, or one of function and field', () => {
  expect(
    parseMeasures(['count', 'calls=count', 'sum(duration)', 'minutes=Sum(duration)', 'percentile(parties[].age, 0.95)', 'distinct(a.b)']),
  ).toEqual({
    count: 'count',
    calls: 'count',
    sum_duration: { sum: 'duration' },
    minutes: { sum: 'duration' },
    percentile_parties_age_0_95: { percentile: 'parties[].age', at: 0.95 },
    distinct_a_b: { distinct: 'a.b' },
  })
  expect(parseMeasures([])).toBeUndefined()
})

test.each<readonly [() => unknown, string, string]>([
  [
    () => parseGroups(['a', 'dya(started)']),
    '/group_by/1',
    'dya makes no groups; write a field, ranges, year, quarter, month, week, day, hour',
  ],
  [() => parseGroups(['month(started, UTC, x)']), '/group_by/0', 'column 21: month takes one value beside the field'],
  [() => parseGroups(['ranges(duration, x)']), '/group_by/0', 'column 18: expected a number, found x'],
  [() => parseGroups(['month()']), '/group_by/0', 'column 7: expected a name, found )'],
  [() => parseGroups(['']), '/group_by/0', 'expected a name, found the end'],
  [() => parseMeasures(['count(*)']), '/measures/0', 'count counts records and takes no field; distinct(field) counts different values'],
  [() => parseMeasures(['duration']), '/measures/0', 'duration measures nothing; write count, or sum, avg'],
  [
    () => parseMeasures(['sum(duration) as minutes']),
    '/measures/0',
    'column 15: expected the end, found as; a name of its own stands first',
  ],
  [() => parseMeasures(['sum(duration, 1)']), '/measures/0', 'sum takes a field only'],
  [() => parseMeasures(['percentile(duration)']), '/measures/0', 'percentile(duration, 0.95)'],
  [() => parseMeasures(['count', 'count']), '/measures/1', 'write another name first, name=count'],
])('%s is refused with its field', (parse, field, message) => {
  expect(parse).toThrow(
    expect.objectContaining({
      code: 'validation_failed',
      errors: [expect.objectContaining({ field, message: expect.stringContaining(message) })],
    }),
  )
})

test('rows have the names of groups and measures', () => {
  expect(listAggregateNames(parseGroups(['direction', 'month(started)', 'at=day(started)']), parseMeasures(['sum(duration)']))).toEqual([
    ...['direction', 'started', 'at', 'sum_duration'],
  ])
  expect(listAggregateNames([], undefined)).toEqual(['count'])
})
