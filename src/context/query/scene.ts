/** What conditions are written into. */
import { type Column, quoted } from './columns.ts'
import type { Period } from './instants.ts'
import type { Values } from './statement.ts'
import type { Condition, Operand, Ordering } from './tree.ts'

/** SQL expressions of a JSON value and of its twin that is reduced to words; the twin is null for plain ASCII. */
export interface JsonSource {
  readonly raw: string
  readonly folded: string
}

/** Where conditions are read: the row, or an element of an array in it. */
export interface Scene {
  readonly values: Values
  /** The element; undefined for the row. */
  readonly element: JsonSource | undefined
  /** Nesting of `any`, for the names of elements. */
  readonly depth: number
}

/** A condition on one place. */
export type PlaceCondition = Exclude<Condition, { readonly op: 'and' | 'or' | 'not' }>

/** A column of the row. */
export const columnSql = (name: string): string => `t.${quoted(name)}`

/** The whole value of a column that is not JSON: integers beyond int8 stand beside it. */
export const valueSql = ({ sql, wide }: Column): string =>
  wide === undefined ? columnSql(sql) : `coalesce(${columnSql(wide)}, ${columnSql(sql)})`

/** The connector's number is always the first value. */
export const connector = '$1::int4'

/** SQL's words for orderings. */
export const orderSql = { gt: '>', gte: '>=', lt: '<', lte: '<=' } as const

/** Alternatives; none is false. */
export const either = (parts: readonly (string | false | undefined)[]): string => {
  const some = parts.filter((part) => part !== false && part !== undefined)
  return some.length === 0 ? 'false' : some.length === 1 ? String(some[0]) : `(${some.join(' or ')})`
}

/** What is to be compared, by what it is. */
export const textsOf = (values: readonly Operand[]) => values.flatMap((value) => (value.is === 'text' ? [value] : []))
/** Numbers that are written as numbers. */
export const numbersOf = (values: readonly Operand[]): readonly string[] =>
  values.flatMap((value) => (value.is === 'number' ? [value.number] : []))
/** Whether null is among the values. */
export const hasNull = (values: readonly Operand[]): boolean => values.some(({ is }) => is === 'null')

/** An expression equals one of some values of a type; none is false. */
export function among(
  expression: string,
  { values, found, type }: { values: Values; found: readonly string[]; type: string },
): string | undefined {
  const [first] = found
  if (first === undefined) return undefined
  return found.length === 1 ? `${expression} = ${values.add(first, type)}` : `${expression} = any(${values.add(found, `${type}[]`)})`
}

/** The periods of operands that mean moments. */
export const periodsOf = (values: readonly Operand[]): readonly Period[] =>
  values.flatMap((value) => (value.is === 'text' && value.period !== undefined ? [value.period] : []))

const isMoment = ({ begin, next }: Period): boolean => next === begin + 1n

/** A moment lies within one of some periods; none is false. */
export function withinPeriods(moment: string, { values, periods }: { values: Values; periods: readonly Period[] }): string | undefined {
  const moments = periods.filter(isMoment).map(({ begin }) => begin.toString())
  const longer = periods.filter((period) => !isMoment(period))
  const [only] = longer
  const int8 = (value: bigint): string => values.add(value.toString(), 'int8')
  const list = (which: 'begin' | 'next'): string =>
    values.add(
      longer.map((period) => period[which].toString()),
      'int8[]',
    )
  const some = [
    among(moment, { values, found: moments, type: 'int8' }),
    longer.length === 1 && only !== undefined && `(${moment} >= ${int8(only.begin)} and ${moment} < ${int8(only.next)})`,
    longer.length > 1 &&
      `exists (select from unnest(${list('begin')}, ${list('next')}) p(begin, next) where ${moment} >= p.begin and ${moment} < p.next)`,
  ]
  return periods.length === 0 ? undefined : either(some)
}

/** How a moment lies to a period: `gt` is behind all of it, `lte` is before its end. */
export function besidePeriod(moment: string, test: Ordering, { values, period }: { values: Values; period: Period }): string {
  const bound = test === 'gt' || test === 'lte' ? period.next : period.begin
  return `${moment} ${test.startsWith('g') ? '>=' : '<'} ${values.add(bound.toString(), 'int8')}`
}
