import { expect, test } from 'vitest'
import { buildAggregate, readChoice, turnOrder } from './choice.ts'
import { drawPicture, listDrawable, type Picture, readPeriod } from './picture.ts'
import type { NamedRow } from './print-group.ts'

const choose = (by: string, measures?: string, include?: string) =>
  readChoice({ by, include, measures, zone: 'Europe/Berlin', order: undefined })

function draw(rows: readonly NamedRow[], { by, measures }: { by: string; measures?: string }, all = rows.length): Picture | undefined {
  const choice = choose(by, measures)
  const [measure] = listDrawable(rows, choice)
  return measure === undefined ? undefined : drawPicture(rows, { choice, measure, all })
}

test('an address becomes an aggregate with names of its own, periods in order and groups by size', () => {
  expect(buildAggregate(choose('count,month(started)', 'count,sum(a.b)'))).toEqual({
    group_by: [
      { field: 'count', as: 'g0' },
      { field: 'started', as: 'g1', by: 'month', time_zone: 'Europe/Berlin' },
    ],
    measures: { m0: 'count', m1: { sum: 'a.b' } },
    sort: [{ m0: 'desc' }],
  })
  expect(buildAggregate(choose('ranges(duration;0;1.5)')).group_by).toEqual([{ field: 'duration', as: 'g0', ranges: ['0', '1.5'] }])
  expect(buildAggregate(choose('value(odd(name))')).group_by).toEqual([{ field: 'odd(name)', as: 'g0' }])
  expect(choose('week(started)').order).toEqual({ column: 'week(started)', direction: 'asc' })
  expect(turnOrder(choose('a'), 'a')).toBe('a:asc')
  expect(turnOrder(choose('a'), 'count')).toBe('count:asc') // the greatest were first
})

test('fields of related records stand beside the groups that refer to them', () => {
  const choice = choose('direction,parties.userId,month(ownerId)', 'count', 'parties[].userId.name,parties[].userId.age,ownerId.name,odd')
  expect(choice.groups.map(({ related }) => related.map(({ title }) => title))).toEqual([
    [],
    ['parties[].userId → name', 'parties[].userId → age'],
    [],
  ])
  expect(buildAggregate(choice)).toMatchObject({ include: { 'parties[].userId': ['name', 'age'] } })
  expect(buildAggregate(choose('direction', 'count', 'ownerId.name'))).not.toHaveProperty('include')
  const users = choose('ownerId', 'count', 'ownerId.name,ownerId.age')
  const [name, age] = ['ownerId → name', 'ownerId → age']
  const rows = [
    { ownerId: '1', [name]: 'Ada', [age]: 20n, records: 3 },
    { ownerId: '2', [name]: 'Grace', [age]: null, records: 2 },
    { ownerId: '3', records: 1 },
  ]
  const [measure] = users.measures
  const picture = measure && drawPicture(rows, { choice: users, measure, all: 3 })
  expect(picture?.is === 'bars' && picture.bars.map(({ label }) => label)).toEqual(['Ada, 20 (1)', 'Grace (2)', '3'])
})

test('bars are bounded and tell the rest; texts keep every digit', () => {
  const rows = Array.from({ length: 1_000 }, (_, index) => ({
    name: index === 0 ? null : `n${index}`,
    'sum of a': 10n ** 19n - BigInt(index),
  }))
  const picture = draw(rows, { by: 'name', measures: 'sum(a)' }, 10_000)
  expect(picture).toMatchObject({ is: 'bars', title: 'sum of a by name' })
  if (picture?.is !== 'bars') throw new Error('no bars')
  expect(picture.bars.length).toBe(20)
  expect(picture.bars[0]).toEqual({ id: 0, label: 'no value', isQuiet: true, text: '10,000,000,000,000,000,000', from: 0, length: 100 })
  expect(picture.bars[1]?.text).toBe('9,999,999,999,999,999,999')
  expect(picture.remarks).toEqual([
    'The first 20 of 10,000 groups are drawn, in the order of sum of a. The other 9,980 are in the table and on its next pages.',
  ])
})

test('bars of negative numbers begin at zero', () => {
  const picture = draw(
    [
      { a: true, 'sum of b': -1 },
      { a: false, 'sum of b': 3 },
      { a: null, 'sum of b': null },
    ],
    { by: 'a', measures: 'sum(b)' },
  )
  if (picture?.is !== 'bars') throw new Error('no bars')
  expect(picture.bars.map(({ from, length, text }) => [from, length, text])).toEqual([
    [0, 25, '-1'],
    [25, 75, '3'],
    [25, 0, '–'],
  ])
})

test('lines have a gap where periods are missing, and tell what they lack', () => {
  const months = ['2025-01', '2025-02', '2025-04', null]
  const rows = months.flatMap((month, index) =>
    ['a', 'b', 'c', 'd', 'e', 'f'].map((name, at) => ({ 't by month': month, name, records: index * 10 + at })),
  )
  const picture = draw(rows, { by: 'month(t),name' }, 30)
  if (picture?.is !== 'lines') throw new Error('no lines')
  expect(picture.labels).toEqual(['2025-01', '2025-02', '', '2025-04'])
  expect(picture.series.map(({ label }) => label)).toEqual(['f', 'e', 'd', 'c', 'b'])
  expect(picture.series[0]?.values).toEqual([5, 15, null, 25])
  expect(picture.remarks).toEqual([
    'The 5 greatest of 6 lines are drawn.',
    '6 groups without a time are in the table only.',
    'The lines have the 24 groups that were read, of 30.',
    'Where a line has a gap, there are no records.',
  ])
})

test('the hour that a zone has twice is two points', () => {
  const rows = ['2025-10-26T02:00:00+02:00', '2025-10-26T02:00:00+01:00'].map((hour) => ({ 't by hour': hour, records: 1 }))
  const picture = draw(rows, { by: 'hour(t)' })
  if (picture?.is !== 'lines') throw new Error('no lines')
  expect(picture.times.map((time) => time - (picture.times[0] ?? 0))).toEqual([0, 3_600])
  expect([picture.zone, picture.remarks]).toEqual(['Europe/Berlin', []])
})

test('periods are read as the service writes them', () => {
  const days = (seconds: number | undefined) => (seconds === undefined ? undefined : new Date(seconds * 1_000).toISOString().slice(0, 10))
  expect(days(readPeriod('2025', 'year'))).toBe('2025-01-01')
  expect(days(readPeriod('2025-Q4', 'quarter'))).toBe('2025-10-01')
  expect(days(readPeriod('2026-W01', 'week'))).toBe('2025-12-29')
  expect(days(readPeriod('2024-12', 'month'))).toBe('2024-12-01')
  expect(readPeriod(null, 'day')).toBe(undefined)
})

test('texts are not drawn', () => {
  expect(draw([{ a: 'x', 'least b': 'Berlin' }], { by: 'a', measures: 'min(b)' })).toBe(undefined)
  expect(draw([{ records: 3 }], { by: '' })).toBe(undefined)
})
