/** Conditions on columns that hold one text, number or truth value. */
import { impliedBy, withCandidates } from './candidates.ts'
import type { Column, SearchTable } from './columns.ts'
import { keyRangeOf } from './keys.ts'
import {
  among,
  besidePeriod,
  columnSql,
  connector,
  either,
  hasNull,
  numbersOf,
  orderSql,
  type PlaceCondition,
  periodsOf,
  textsOf,
  valueSql,
  withinPeriods,
} from './scene.ts'
import type { Values } from './statement.ts'
import { heldInteger } from './text.ts'
import { fuzzySql, keywordSql } from './text-conditions.ts'
import type { Operand } from './tree.ts'
import { irregularField } from './values.ts'

interface Subject {
  readonly table: SearchTable
  readonly column: Column
  readonly values: Values
}

type Equals = Extract<PlaceCondition, { readonly op: 'equals' }>
type Order = Extract<PlaceCondition, { readonly op: 'order' }>

/** The range of keys that holds every row whose leading key field is the value: the primary key finds them. */
function keyCondition({ table, column, values }: Subject, found: readonly string[]): string | undefined {
  const isLeading = table.key[0]?.field === column.name && column.compare === 'text'
  const ranges = isLeading ? found.map((each) => keyRangeOf(table.key, each)) : []
  if (ranges.length === 0 || ranges.includes(undefined)) return undefined
  const [only] = ranges
  if (only?.before !== undefined)
    return ranges.length > 1 ? undefined : `t.pk >= ${values.add(only.from, 'text')} and t.pk < ${values.add(only.before, 'text')}`
  return among('t.pk', { values, found: ranges.flatMap((range) => (range === undefined ? [] : [range.from])), type: 'text' })
}

/** A condition that some values satisfy, beside the key's where the column leads it. */
function foundByKey(subject: Subject, found: readonly string[], own: string | undefined): string | undefined {
  const key = own === undefined ? undefined : keyCondition(subject, found)
  return key === undefined ? own && `(${own})` : `(${key} and ${own})`
}

/** Equal to one of some values of the column's own type. */
const amongOwn = (subject: Subject, found: readonly string[], type: string): string | undefined =>
  foundByKey(subject, found, among(columnSql(subject.column.sql), { values: subject.values, found, type }))

/** The number of an operand that decimal texts are compared with. */
const decimalOf = (operand: Operand): string | undefined => (operand.is === 'text' || operand.is === 'number' ? operand.number : undefined)

/** Equal to one of some texts, by code points or in lower case. */
function amongTexts(subject: Subject, texts: readonly string[]): string | undefined {
  const { column, values } = subject
  if (column.compare !== 'lower') return amongOwn(subject, texts, 'text')
  const own = column.lowered === undefined ? `cs_lower(${columnSql(column.sql)})` : columnSql(column.lowered)
  return among(own, { values, found: texts.map((text) => text.toLowerCase()), type: 'text' })
}

function equalsText(subject: Subject, { values: operands }: Equals): string {
  const { column, values } = subject
  const sql = columnSql(column.sql)
  const nothing = hasNull(operands) && `${sql} is null`
  if (column.at !== undefined) return either([withinPeriods(columnSql(column.at), { values, periods: periodsOf(operands) }), nothing])
  const isDecimal = column.number !== undefined
  const plain = textsOf(operands).filter(({ number }) => !isDecimal || number === undefined)
  const numbers = isDecimal ? operands.flatMap((operand) => decimalOf(operand) ?? []) : numbersOf(operands)
  return either([
    amongTexts(
      subject,
      plain.map(({ text }) => text),
    ),
    among(isDecimal ? columnSql(column.number) : `cs_number(${sql})`, { values, found: numbers, type: 'numeric' }),
    nothing,
  ])
}

function equalsNumber(subject: Subject, { values: operands }: Equals): string {
  return either([amongOwn(subject, numbersOf(operands), 'numeric'), hasNull(operands) && `${columnSql(subject.column.sql)} is null`])
}

function equalsInteger(subject: Subject, { values: operands }: Equals): string {
  const { column, values } = subject
  const held = numbersOf(operands).flatMap((number) => heldInteger(number) ?? [])
  const beyond = held.flatMap(({ near, wide }) => (wide === null ? [] : [{ near, wide }]))
  const ends = [...new Set(beyond.map(({ near }) => near))]
  const wides = beyond.map(({ wide }) => wide)
  const exact = column.wide === undefined ? undefined : among(columnSql(column.wide), { values, found: wides, type: 'numeric' })
  return either([
    amongOwn(
      subject,
      held.flatMap(({ near, wide }) => (wide === null ? near : [])),
      'int8',
    ),
    exact && foundByKey(subject, wides, `${among(columnSql(column.sql), { values, found: ends, type: 'int8' })} and ${exact}`),
    hasNull(operands) && `${columnSql(column.sql)} is null`,
  ])
}

function equalsTruth({ column, values }: Subject, { values: operands }: Equals): string {
  const found = operands.flatMap((operand) => (operand.is === 'truth' ? [operand.truth] : []))
  return either([
    found.length > 0 && `${columnSql(column.sql)} = any(${values.add(found, 'boolean[]')})`,
    hasNull(operands) && `${columnSql(column.sql)} is null`,
  ])
}

function orderMoment(at: string, { test, value }: Order, values: Values): string {
  const period = value.is === 'text' ? value.period : undefined
  return period === undefined ? 'false' : besidePeriod(columnSql(at), test, { values, period })
}

/** Decimal texts as numbers where the row has one, else by code points; the rows that have none are few, mostly there are none. */
function orderText(subject: Subject, order: Order): string {
  const { column, values } = subject
  const { test, value } = order
  if (column.at !== undefined) return orderMoment(column.at, order, values)
  const sql = columnSql(column.sql)
  const number = column.number === undefined ? undefined : decimalOf(value)
  const byText = value.is === 'text' ? `${sql} ${orderSql[test]} ${values.add(value.text, 'text')}` : undefined
  if (column.number === undefined || number === undefined)
    return byText ?? (value.is === 'number' ? `cs_number(${sql}) ${orderSql[test]} ${values.add(value.number, 'numeric')}` : 'false')
  const companion = columnSql(column.number)
  const own = `${companion} ${orderSql[test]} ${values.add(number, 'numeric')}`
  return either([own, byText && `(cs_irregular(${connector}, ${irregularField(column)}) and ${companion} is null and ${byText})`])
}

/** The greatest integer that is not above a decimal number. */
const floorOf = (number: string): bigint => {
  const [whole = '0', fraction] = number.split('.')
  return BigInt(whole) - (fraction !== undefined && number.startsWith('-') ? 1n : 0n)
}

/** An order among integers; at the ends of int8, where those beyond it are too, the integers themselves decide. */
function orderInteger({ column, values }: Subject, { test, value }: Order): string {
  if (value.is !== 'number') return 'false'
  const floor = floorOf(value.number).toString()
  const held = heldInteger(floor)
  if (held === undefined) return 'false'
  const sql = columnSql(column.sql)
  // Between two integers: what is above the number is above its floor, what is below is not above it.
  const asked = value.number.includes('.') ? (test.startsWith('g') ? 'gt' : 'lte') : test
  const near = values.add(held.near, 'int8')
  if (held.wide === null || column.wide === undefined) return `${sql} ${orderSql[asked]} ${near}`
  const strict = asked.startsWith('g') ? '>' : '<'
  return `(${sql} ${strict} ${near} or (${sql} = ${near} and ${columnSql(column.wide)} ${orderSql[asked]} ${values.add(held.wide, 'numeric')}))`
}

function orderNumber(subject: Subject, { test, value }: Order): string {
  if (value.is !== 'number') return 'false'
  return `${columnSql(subject.column.sql)} ${orderSql[test]} ${subject.values.add(value.number, 'numeric')}`
}

/** The text of a column, and its words where they are not stored for every value. */
const textSql = (column: Column): string => (column.type === 'text' ? columnSql(column.sql) : `${valueSql(column)}::text`)
/** The words of a column that holds one text, number or truth value. */
export const wordsOfColumn = (column: Column): string =>
  column.words === 'stored' && column.terms !== undefined
    ? columnSql(column.terms)
    : `cs_words(${textSql(column)}, ${column.terms === undefined ? 'null' : columnSql(column.terms)})`

const byType = {
  text: { equals: equalsText, order: orderText },
  integer: { equals: equalsInteger, order: orderInteger },
  number: { equals: equalsNumber, order: orderNumber },
  boolean: { equals: equalsTruth, order: () => 'false' },
} as const

/** A condition on a column that is not JSON. */
export function columnCondition(condition: PlaceCondition, subject: Subject): string {
  const { column, values } = subject
  if (column.type === 'json') return 'false'
  // Rows of a key are found by the primary key; a CASE would hide it.
  const isKey = condition.op === 'equals' && subject.table.key[0]?.field === column.name
  const candidates = isKey ? [] : impliedBy(condition, subject)
  switch (condition.op) {
    case 'equals':
      return withCandidates(byType[column.type].equals(subject, condition), candidates)
    case 'order':
      return byType[column.type].order(subject, condition)
    case 'like':
      return withCandidates(`${textSql(column)} like ${values.add(condition.pattern.sql, 'text')}`, candidates)
    case 'fuzzy':
      return [...candidates, fuzzySql(wordsOfColumn(column), condition.tokens, { table: subject.table, values })].join(' and ')
    case 'keyword':
      return keywordSql(wordsOfColumn(column), condition.tokens, { candidates, values })
    case 'contains':
    case 'any':
      return 'false'
  }
}
