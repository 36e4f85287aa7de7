/** A filter in JSON means the same after it was printed as text and parsed. The long test with other seeds is in test/soak. */
import { expect, test } from 'vitest'
import { formatFilter } from '../../packages/ferrule/src/values/filter/format.ts'
import { parseFilter } from '../../packages/ferrule/src/values/filter/parse.ts'
import { Random } from '../context/random.ts'
import { checkDeep, tripDeep, tripQueries } from './filter-trips.ts'

test('4,000 filters of random worlds make the trip', () => {
  expect(tripQueries(new Random(20_261_123), 4_000)).toBeGreaterThanOrEqual(4_000)
})

test('1,000 filters up to the limits make the trip', () => {
  const report = tripDeep(new Random(2), 1_000)
  expect(report.deepest).toBeGreaterThan(100)
  expect(report.merged).toBeGreaterThan(100)
  expect(report.longest).toBeGreaterThan(0)
})

/** Puts a condition below so many `not`. */
const negate = (levels: number, condition: unknown): unknown =>
  Array.from({ length: levels }).reduce((inner) => ({ not: inner }), condition)
/** Nests 15 levels of `or` and `not` in turn, each with two conditions of its own. */
const alternate = Array.from({ length: 15 }).reduce<unknown>(
  (inner, _each, index) => (index % 2 === 0 ? { or: [{ eq: { 'free.a': 1, 'free.b': 2 } }, inner] } : { eq: { 'free.a': 1 }, not: inner }),
  { eq: { 'free.a': 1 }, gt: { 'free.b': 2 } },
)

test.each<[string, unknown]>([
  ['several operators in the 16th level', negate(15, { eq: { 'free.a': 1 }, gt: { 'free.b': 2 } })],
  ['several fields in the 16th level', negate(15, { eq: { 'free.a': 1, 'free.b': 2 } })],
  ['several operators in each level', alternate],
  ['a list beside fields in the 16th level', negate(14, { and: [{ eq: { 'free.a': 1 } }, { eq: { 'free.a': 2 } }], eq: { 'free.a': 3 } })],
  ['lists of one beside the same operator', negate(12, { not: negate(2, { eq: { 'free.a': 1, 'free.b': 2 } }), or: [negate(1, {})] })],
  ['a deeper list of one beside the same operator', { not: {}, or: [negate(14, { lt: { 'free.a': 1, 'free.b': 2 } })] }],
  ['256 empty operators', { or: Array(256).fill({ eq: {} }) }],
  ['empty operators beside others', { ...{ eq: {}, gt: {}, and: [], or: [] }, not: negate(14, { in: {}, any: {} }) }],
  ['256 fields', { eq: Object.fromEntries(Array.from({ length: 256 }, (_each, index) => [`free.a${index}`, index])) }],
  ['1,000 values', { in: { 'free.a': Array(1_000).fill(7) } }],
  ['strings that fill the body of a request', { eq: { 'free.a': 'x'.repeat(1_040_000) } }],
])('%s make the trip', (_what, filter) => {
  checkDeep(filter)
})

test('a filter stays a list of conditions, unless that is too deep', () => {
  const text = 'a = 1 and b > 2 and (a = 3 or c = 4)'
  const shallow = { and: [{ eq: { a: 1 } }, { gt: { b: 2 } }, { or: [{ eq: { a: 3 } }, { eq: { c: 4 } }] }] }
  expect(parseFilter(text)).toEqual(shallow)
  const innermost = { eq: { a: 1 }, gt: { b: 2 }, and: [{ eq: { a: 3 } }] }
  expect(parseFilter(`${'not ('.repeat(14)}a = 1 and b > 2 and true and a = 3${')'.repeat(14)}`)).toEqual(
    negate(14, { and: [{ eq: { a: 1 } }, { gt: { b: 2 } }, { and: [] }, { eq: { a: 3 } }] }),
  )
  expect(parseFilter(`${'not ('.repeat(14)}(a = 1 and b > 2) and (true and a = 3)${')'.repeat(14)}`)).toEqual(negate(14, innermost))
  expect(formatFilter(innermost)).toBe('a = 1 and b > 2 and a = 3')
})

test('14 levels of or and and are within 16 levels of the service', () => {
  const text = `${'free.a = 1 or free.b = 2 and ('.repeat(14)}free.c = 3${')'.repeat(14)}`
  checkDeep(parseFilter(text))
})
