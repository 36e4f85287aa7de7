/** Context of conditions, and SQL fragments that conditions share. */
import { type Column, quoteName } from '../columns.ts'
import type { Values } from '../statement.ts'
import type { Period } from '../timestamps.ts'
import type { Condition, Operand, Ordering } from '../tree.ts'

/** SQL of a JSON value and of its twin with folded words; the twin is null for plain ASCII. */
export interface JsonSource {
  readonly raw: string
  readonly folded: string
}

/** What conditions apply to: a row, or an element of an array in it. */
export interface SqlContext {
  readonly values: Values
  /** The element; undefined for a row. */
  readonly element: JsonSource | undefined
  /** Nesting of `any`, which numbers the names of elements. */
  readonly depth: number
}

/** A condition on one path. */
export type PathCondition = Exclude<Condition, { readonly op: 'and' | 'or' | 'not' | 'related' }>

/** Quotes a column of the row. */
export const quoteColumn = (name: string): string => `t.${quoteName(name)}`

/** Selects the exact value of a column that is not JSON. Integers beyond int8 are in a companion. */
export const selectValue = ({ sql, wide }: Column): string =>
  wide === undefined ? quoteColumn(sql) : `coalesce(${quoteColumn(wide)}, ${quoteColumn(sql)})`

export { connectorParameter } from '../statement.ts'

/** SQL operators by ordering. */
export const orderOperators = { gt: '>', gte: '>=', lt: '<', lte: '<=' } as const

/** Joins alternatives with `or`; false without any. */
export const joinOr = (parts: readonly (string | false | undefined)[]): string => {
  const some = parts.filter((part) => part !== false && part !== undefined)
  return some.length === 0 ? 'false' : some.length === 1 ? String(some[0]) : `(${some.join(' or ')})`
}

/** Filters operands that are strings. */
export const filterTexts = (values: readonly Operand[]) => values.flatMap((value) => (value.is === 'text' ? [value] : []))
/** Filters operands that are numbers. */
export const filterNumbers = (values: readonly Operand[]): readonly string[] =>
  values.flatMap((value) => (value.is === 'number' ? [value.number] : []))
/** Returns whether null is among the operands. */
export const hasNull = (values: readonly Operand[]): boolean => values.some(({ is }) => is === 'null')

/** Builds the equality of an expression with one of several values; undefined without any. */
export function matchAny(
  expression: string,
  { values, found, type }: { values: Values; found: readonly string[]; type: string },
): string | undefined {
  const [first] = found
  if (first === undefined) return undefined
  return found.length === 1 ? `${expression} = ${values.add(first, type)}` : `${expression} = any(${values.add(found, `${type}[]`)})`
}

/** Filters the periods of operands. */
export const filterPeriods = (values: readonly Operand[]): readonly Period[] =>
  values.flatMap((value) => (value.is === 'text' && value.period !== undefined ? [value.period] : []))

const isSingleTimestamp = ({ begin, next }: Period): boolean => next === begin + 1n

/** Builds the condition for a timestamp within one of several periods; undefined without any. */
export function matchPeriods(moment: string, { values, periods }: { values: Values; periods: readonly Period[] }): string | undefined {
  const moments = periods.filter(isSingleTimestamp).map(({ begin }) => begin.toString())
  const longer = periods.filter((period) => !isSingleTimestamp(period))
  const [only] = longer
  const int8 = (value: bigint): string => values.add(value.toString(), 'int8')
  const list = (which: 'begin' | 'next'): string =>
    values.add(
      longer.map((period) => period[which].toString()),
      'int8[]',
    )
  const some = [
    matchAny(moment, { values, found: moments, type: 'int8' }),
    longer.length === 1 && only !== undefined && `(${moment} >= ${int8(only.begin)} and ${moment} < ${int8(only.next)})`,
    longer.length > 1 &&
      `exists (select from unnest(${list('begin')}, ${list('next')}) p(begin, next) where ${moment} >= p.begin and ${moment} < p.next)`,
  ]
  return periods.length === 0 ? undefined : joinOr(some)
}

/** Compares a timestamp with a period: `gt` is after its end, `lte` is before its end. */
export function comparePeriod(moment: string, test: Ordering, { values, period }: { values: Values; period: Period }): string {
  const bound = test === 'gt' || test === 'lte' ? period.next : period.begin
  return `${moment} ${test.startsWith('g') ? '>=' : '<'} ${values.add(bound.toString(), 'int8')}`
}
