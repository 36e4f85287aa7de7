/** Conditions on columns that hold one string, number or boolean. */
import type { Column, SearchTable } from '../columns.ts'
import { buildKeyRange } from '../keys.ts'
import type { Values } from '../statement.ts'
import { irregularField } from '../terms.ts'
import { clampInteger } from '../text.ts'
import type { Operand } from '../tree.ts'
import { addCandidates, buildCandidates } from './candidates.ts'
import {
  comparePeriod,
  filterNumbers,
  filterPeriods,
  filterTexts,
  hasNull,
  joinOr,
  matchAny,
  matchPeriods,
  orderOperators,
  type PathCondition,
  quoteColumn,
  selectValue,
} from './sql-context.ts'
import { buildWords } from './text.ts'

interface Subject {
  readonly table: SearchTable
  readonly column: Column
  readonly values: Values
}

type Equals = Extract<PathCondition, { readonly op: 'equals' }>
type Order = Extract<PathCondition, { readonly op: 'order' }>

/** Builds the range of keys that covers every row with the value as leading key field. The primary key finds these rows. */
function buildKeyCondition({ table, column, values }: Subject, found: readonly string[]): string | undefined {
  const isLeading = table.key[0]?.field === column.name && column.compare === 'text'
  const ranges = isLeading ? found.map((each) => buildKeyRange(table.key, each)) : []
  if (ranges.length === 0 || ranges.includes(undefined)) return undefined
  const [only] = ranges
  if (only?.before !== undefined)
    return ranges.length > 1 ? undefined : `t.pk >= ${values.add(only.from, 'text')} and t.pk < ${values.add(only.before, 'text')}`
  return matchAny('t.pk', { values, found: ranges.flatMap((range) => (range === undefined ? [] : [range.from])), type: 'text' })
}

/** Adds a condition on the primary key where the column is its leading field. */
function addKeyCondition(subject: Subject, found: readonly string[], own: string | undefined): string | undefined {
  const key = own === undefined ? undefined : buildKeyCondition(subject, found)
  return key === undefined ? own && `(${own})` : `(${key} and ${own})`
}

/** Builds the equality with one of several values of the column's own type. */
const matchOwn = (subject: Subject, found: readonly string[], type: string): string | undefined =>
  addKeyCondition(subject, found, matchAny(quoteColumn(subject.column.sql), { values: subject.values, found, type }))

/** Reads the number of an operand, for comparison with decimal strings. */
const readDecimal = (operand: Operand): string | undefined =>
  operand.is === 'text' || operand.is === 'number' ? operand.number : undefined

/** Builds the equality with one of several strings, by code points or in lower case. */
function matchTexts(subject: Subject, texts: readonly string[]): string | undefined {
  const { column, values } = subject
  if (column.compare !== 'lower') return matchOwn(subject, texts, 'text')
  const own = column.lowered === undefined ? `cs_lower(${quoteColumn(column.sql)})` : quoteColumn(column.lowered)
  return matchAny(own, { values, found: texts.map((text) => text.toLowerCase()), type: 'text' })
}

function buildTextEquality(subject: Subject, { values: operands }: Equals): string {
  const { column, values } = subject
  const sql = quoteColumn(column.sql)
  const nothing = hasNull(operands) && `${sql} is null`
  if (column.at !== undefined) return joinOr([matchPeriods(quoteColumn(column.at), { values, periods: filterPeriods(operands) }), nothing])
  const isDecimal = column.number !== undefined
  const plain = filterTexts(operands).filter(({ number }) => !isDecimal || number === undefined)
  const numbers = isDecimal ? operands.flatMap((operand) => readDecimal(operand) ?? []) : filterNumbers(operands)
  return joinOr([
    matchTexts(
      subject,
      plain.map(({ text }) => text),
    ),
    matchAny(isDecimal ? quoteColumn(column.number) : `cs_number(${sql})`, { values, found: numbers, type: 'numeric' }),
    nothing,
  ])
}

function buildNumberEquality(subject: Subject, { values: operands }: Equals): string {
  return joinOr([matchOwn(subject, filterNumbers(operands), 'numeric'), hasNull(operands) && `${quoteColumn(subject.column.sql)} is null`])
}

function buildIntegerEquality(subject: Subject, { values: operands }: Equals): string {
  const { column, values } = subject
  const held = filterNumbers(operands).flatMap((number) => clampInteger(number) ?? [])
  const beyond = held.flatMap(({ near, wide }) => (wide === null ? [] : [{ near, wide }]))
  const ends = [...new Set(beyond.map(({ near }) => near))]
  const wides = beyond.map(({ wide }) => wide)
  const exact = column.wide === undefined ? undefined : matchAny(quoteColumn(column.wide), { values, found: wides, type: 'numeric' })
  return joinOr([
    matchOwn(
      subject,
      held.flatMap(({ near, wide }) => (wide === null ? near : [])),
      'int8',
    ),
    exact && addKeyCondition(subject, wides, `${matchAny(quoteColumn(column.sql), { values, found: ends, type: 'int8' })} and ${exact}`),
    hasNull(operands) && `${quoteColumn(column.sql)} is null`,
  ])
}

function buildBooleanEquality({ column, values }: Subject, { values: operands }: Equals): string {
  const found = operands.flatMap((operand) => (operand.is === 'truth' ? [operand.truth] : []))
  return joinOr([
    found.length > 0 && `${quoteColumn(column.sql)} = any(${values.add(found, 'boolean[]')})`,
    hasNull(operands) && `${quoteColumn(column.sql)} is null`,
  ])
}

function buildTimestampOrder(at: string, { test, value }: Order, values: Values): string {
  const period = value.is === 'text' ? value.period : undefined
  return period === undefined ? 'false' : comparePeriod(quoteColumn(at), test, { values, period })
}

/** Builds an order of decimal strings. Rows with a number compare by it, the others by code points; most tables have no such rows. */
function buildTextOrder(subject: Subject, order: Order): string {
  const { column, values } = subject
  const { test, value } = order
  if (column.at !== undefined) return buildTimestampOrder(column.at, order, values)
  const sql = quoteColumn(column.sql)
  const number = column.number === undefined ? undefined : readDecimal(value)
  const byText = () => (value.is === 'text' ? `${sql} ${orderOperators[test]} ${values.add(value.text, 'text')}` : undefined)
  if (column.number === undefined || number === undefined)
    return (
      byText() ?? (value.is === 'number' ? `cs_number(${sql}) ${orderOperators[test]} ${values.add(value.number, 'numeric')}` : 'false')
    )
  const companion = quoteColumn(column.number)
  const own = `${companion} ${orderOperators[test]} ${values.add(number, 'numeric')}`
  const others = value.is === 'text' && !values.isRegular(irregularField(column)) ? byText() : undefined
  return joinOr([own, others && `(${companion} is null and ${others})`])
}

/** Returns the greatest integer that is not above a decimal number. */
const floorDecimal = (number: string): bigint => {
  const [whole = '0', fraction] = number.split('.')
  return BigInt(whole) - (fraction !== undefined && number.startsWith('-') ? 1n : 0n)
}

/** Builds an order of integers. At the limits of int8 the `wide` companion decides. */
function buildIntegerOrder({ column, values }: Subject, { test, value }: Order): string {
  if (value.is !== 'number') return 'false'
  const floor = floorDecimal(value.number).toString()
  const held = clampInteger(floor)
  if (held === undefined) return 'false'
  const sql = quoteColumn(column.sql)
  // A fraction lies between two integers: greater means above its floor, less means not above its floor.
  const asked = value.number.includes('.') ? (test.startsWith('g') ? 'gt' : 'lte') : test
  const near = values.add(held.near, 'int8')
  if (held.wide === null || column.wide === undefined) return `${sql} ${orderOperators[asked]} ${near}`
  const strict = asked.startsWith('g') ? '>' : '<'
  return `(${sql} ${strict} ${near} or (${sql} = ${near} and ${quoteColumn(column.wide)} ${orderOperators[asked]} ${values.add(held.wide, 'numeric')}))`
}

function buildNumberOrder(subject: Subject, { test, value }: Order): string {
  if (value.is !== 'number') return 'false'
  return `${quoteColumn(subject.column.sql)} ${orderOperators[test]} ${subject.values.add(value.number, 'numeric')}`
}

const selectText = (column: Column): string => (column.type === 'text' ? quoteColumn(column.sql) : `${selectValue(column)}::text`)
/** Selects the words of a column that is not JSON. */
export const selectColumnWords = (column: Column): string =>
  column.words === 'stored' && column.terms !== undefined
    ? quoteColumn(column.terms)
    : `cs_words(${selectText(column)}, ${column.terms === undefined ? 'null' : quoteColumn(column.terms)})`

const byType = {
  text: { equals: buildTextEquality, order: buildTextOrder },
  integer: { equals: buildIntegerEquality, order: buildIntegerOrder },
  number: { equals: buildNumberEquality, order: buildNumberOrder },
  boolean: { equals: buildBooleanEquality, order: () => 'false' },
} as const

/** Builds a condition on a column that is not JSON. */
export function buildColumnCondition(condition: PathCondition, subject: Subject): string {
  const { column, values } = subject
  if (column.type === 'json') return 'false'
  // The primary key finds rows by their key; a CASE would hide the condition from it.
  const isKey = condition.op === 'equals' && subject.table.key[0]?.field === column.name
  const candidates = isKey ? [] : buildCandidates(condition, subject)
  if ('tokens' in condition) return buildWords(condition, selectColumnWords(column), { candidates, values })
  switch (condition.op) {
    case 'equals':
      return addCandidates(byType[column.type].equals(subject, condition), candidates)
    case 'order':
      return byType[column.type].order(subject, condition)
    case 'like':
      if (condition.pattern.isAnything) return `${quoteColumn(column.sql)} is not null`
      return addCandidates(`${selectText(column)} like ${values.add(condition.pattern.sql, 'text')}`, candidates)
    case 'contains':
    case 'any':
      return 'false'
  }
}
