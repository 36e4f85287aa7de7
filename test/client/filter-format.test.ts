/** What is no filter is not printed; the error names the field. */
import { expect, test } from 'vitest'
import { formatFilter } from '../../packages/ferrule/src/values/filter/format.ts'
import { parseFilter } from '../../packages/ferrule/src/values/filter/parse.ts'
import { catchRefusal } from '../support/refusal.ts'

const refusal = (filter: unknown) => catchRefusal(() => formatFilter(filter))

const cyclicValue: unknown[] = []
cyclicValue.push(1, { a: cyclicValue })
const cyclicFilter: Record<string, unknown> = {}
cyclicFilter['not'] = cyclicFilter
const withHole: unknown[] = Array(2)
const wideCycle: Record<string, unknown> = {}
wideCycle['and'] = [wideCycle, wideCycle]
const deep = (levels: number): unknown => Array.from({ length: levels }).reduce((inner) => [inner], 1)
const conditions = (count: number) => Array.from({ length: count }, () => ({ eq: { a: 1 } }))
/** Doubles in each of 60 levels, without being deep enough to be refused for its depth. */
const doubled: unknown = Array.from({ length: 60 }).reduce((inner) => [inner, inner], 1)

test.each<[string, unknown, [string, string]]>([
  ['a number', 5, ['/filter', 'must be a condition: an object with operators as keys']],
  ['and without a list', { and: 5 }, ['/filter/and', 'must be an array of conditions']],
  ['an element that is missing', { or: withHole }, ['/filter/or/0', 'must be a condition: an object with operators as keys']],
  ['eq without fields', { eq: 5 }, ['/filter/eq', 'must be an object of fields and values']],
  ['in without a list', { in: { 'a/b~': 5 } }, ['/filter/in/a~1b~0', 'must be an array of values']],
  ['an unknown operator', { near: { a: 5 } }, ['/filter/near', 'is no operator of a filter']],
  ['a name of every object as an operator', { toString: { a: 5 } }, ['/filter/toString', 'is no operator of a filter']],
  ['any without a condition', { any: { a: 5 } }, ['/filter/any/a', 'must be a condition: an object with operators as keys']],
  ['NaN', { eq: { a: Number.NaN } }, ['/filter/eq/a', 'must be a JSON value']],
  ['NaN in a value', { eq: { a: [{ b: [1, Number.NaN] }] } }, ['/filter/eq/a/0/b/1', 'must be a JSON value']],
  ['undefined in a value', { not: { eq: { a: { b: undefined } } } }, ['/filter/not/eq/a/b', 'must be a JSON value']],
  ['an array with a hole', { in: { a: withHole } }, ['/filter/in/a/0', 'must be a JSON value']],
  ['a function in a value', { contains: { a: { b: () => 1 } } }, ['/filter/contains/a/b', 'must be a JSON value']],
  ['an invalid date', { gt: { a: new Date('never') } }, ['/filter/gt/a', 'must be a JSON value']],
  ['a map', { eq: { a: new Map([[1, 2]]) } }, ['/filter/eq/a', 'must be a JSON value']],
])('%s is refused at its field', (_what, filter, [field, message]) => {
  const { code, errors } = refusal(filter)
  expect({ code, errors }).toEqual({ code: 'validation_failed', errors: [{ field, message: `${field} ${message}.`, error_code: 'type' }] })
})

test.each<[string, unknown, [string, string]]>([
  ['a filter that contains itself', cyclicFilter, [`/filter${'/not'.repeat(16)}`, 'is nested more than 16 deep']],
  ['a filter that contains itself twice', wideCycle, [`/filter${'/and/0'.repeat(16)}`, 'is nested more than 16 deep']],
  ['a value that contains itself', { eq: { a: cyclicValue } }, [`/filter/eq/a${'/1/a'.repeat(32)}`, 'is nested more than 64 deep']],
  ['a very deep value', { eq: { a: deep(100_000) } }, [`/filter/eq/a${'/0'.repeat(64)}`, 'is nested more than 64 deep']],
  ['257 conditions', { or: conditions(257) }, ['/filter/or/256/eq/a', 'brings the filter to more than 256 conditions']],
  ['257 empty operators', { or: Array(257).fill({ eq: {} }) }, ['/filter/or/256/eq', 'brings the filter to more than 256 conditions']],
  ['1,001 values', { in: { a: Array(1_001).fill(1) } }, ['/filter/in/a', 'has more than 1000 values']],
  ['a text that is too long', { eq: { a: 'x'.repeat(4_000_000) } }, ['/filter', 'has more than 4000000 characters as text']],
])('%s is refused at its field', (_what, filter, [field, message]) => {
  const { code, errors } = refusal(filter)
  expect({ code, errors }).toEqual({ code: 'query_too_complex', errors: [{ field, message: `${field} ${message}.`, error_code: 'limit' }] })
})

test('a value that refers to another one again and again is refused before it fills the memory', () => {
  expect(refusal({ eq: { a: doubled } }).code).toBe('query_too_complex')
})

test('dates are printed as JSON writes them, objects in the order of their members', () => {
  const filter = { eq: { a: { c: 1, b: [new Date(0), 2n ** 64n, null] } }, gt: { d: new Date(0) } }
  expect(formatFilter(filter)).toBe(
    'a = {"c":1,"b":["1970-01-01T00:00:00.000Z",18446744073709551616,null]} and d > "1970-01-01T00:00:00.000Z"',
  )
})

test.each(['', ' ', '`', '\\', '\\`', '"', '\\"`\\\\', 'a.b c[].d', 'and', '[]', '__proto__', '\n', '\ud800', 'é', '1', 'a-b'])(
  'a field with the name %j is printed and parsed',
  (name) => {
    const filter = JSON.parse(`{"neq":{${JSON.stringify(name)}:1}}`) as unknown // an own property, even __proto__
    expect(parseFilter(formatFilter(filter))).toEqual(filter)
  },
)
