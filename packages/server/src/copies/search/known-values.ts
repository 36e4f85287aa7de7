/**
 * Known values of strings. Writing records notes other stored values in the term table. A search can then refuse an operand that is
 * neither known nor stored, instead of finding nothing. Arrays on the path to a string are ignored.
 */
import type { Field } from 'ferrule/definition'
import { isObject } from 'ferrule/internal'
import { type Column, readColumnType, type SearchTable } from './columns.ts'
import { connectorParameter } from './conditions/sql-context.ts'
import { findMembers } from './field-paths.ts'
import { joinNames, readWritten, type WrittenFields } from './members.ts'
import { invalid, type RequestPointer } from './refusals.ts'
import { buildStatement, type SearchStatement, Values } from './statement.ts'
import type { Term } from './terms.ts'
import { parseDecimal } from './text.ts'
import type { Condition, FieldPath, MemberPath, Operand, Unlisted } from './tree.ts'

/** Limits: characters of a noted value with its path; values noted per batch and field, which a search also reads at most. */
const longest = 250
const most = 1_000
/** Maximum number of values in a refusal. */
const mostShown = 50
/** Noted with the first batch: from then on every value was noted. Without the mark nothing is known about absent values. */
const complete = ''

/** Derives the number of a column's values in the term table. It differs from the numbers of its words and its names. */
export const toValueField = ({ field }: Column): number => (field ^ 0x51c6d2ab) | 0

const formatTerm = (way: string, value: string): string => `${way}=${value}`
/** Marks a path with a value that could not be noted, or that is no string. Nothing is refused there. */
const formatUncertain = (way: string): string => `${way}!`

function findKnownValuePaths(schema: Field): readonly (readonly string[])[] {
  if (schema['x-known-values'] !== undefined && readColumnType(schema) === 'text') return [[]]
  const members = findMembers(schema)
  if (members !== undefined)
    return Object.entries(members).flatMap(([name, member]) => findKnownValuePaths(member).map((names) => [name, ...names]))
  const { items } = schema
  return items === undefined ? [] : findKnownValuePaths(items)
}

const findListedColumns = ({ columns }: SearchTable) =>
  columns.flatMap((column) => {
    const ways = findKnownValuePaths(column.schema)
    return ways.length === 0 ? [] : [{ column, ways }]
  })

/** Lists the terms to note with the first rows of an entity. */
export const listInitialValues = (table: SearchTable): readonly Term[] =>
  findListedColumns(table).map(({ column }) => ({ field: toValueField(column), term: complete }))

function visitValues(value: unknown, [first, ...rest]: readonly string[], take: (value: unknown) => void): void {
  if (Array.isArray(value)) for (const element of value) visitValues(element, first === undefined ? [] : [first, ...rest], take)
  else if (first === undefined) take(value)
  else if (isObject(value) && Object.hasOwn(value, first)) visitValues(value[first], rest, take)
}

/**
 * Creates a reader of the values of rows.
 * @param findCell returns the index of a column's cell
 */
export function createValueReader(
  table: SearchTable,
  findCell: (name: string) => number,
): (rows: readonly (readonly unknown[])[], records?: readonly WrittenFields[]) => readonly Term[] {
  const listed = findListedColumns(table).map(({ column, ways }) => ({ column, ways, at: findCell(column.sql) }))
  return (rows, records) =>
    listed.flatMap(({ column, ways, at }) => {
      const terms = new Set<string>()
      for (const [index, row] of rows.entries()) {
        const cell = row[at]
        if (typeof cell !== 'string') continue
        const value: unknown = column.type === 'json' ? readWritten(cell, records?.[index]?.[column.name]) : cell
        for (const names of ways)
          visitValues(
            value,
            names,
            (each) => each !== null && each !== undefined && terms.size <= most && terms.add(buildNote(joinNames(names), each)),
          )
      }
      const noted = terms.size > most ? ways.map((names) => formatUncertain(joinNames(names))) : [...terms]
      return noted.map((term) => ({ field: toValueField(column), term }))
    })
}

const buildNote = (way: string, value: unknown): string => {
  const term = typeof value === 'string' ? formatTerm(way, value) : undefined
  return term !== undefined && term.length <= longest ? term : formatUncertain(way)
}

/** Converts to lower case as both databases compare strings and JSON. */
export const toLooseText = (text: string): string => text.toLowerCase().replaceAll('ς', 'σ')

/** Finds the member path of a field path. */
export const findMemberPath = ({ column, steps }: FieldPath, within: MemberPath | undefined): MemberPath | undefined => {
  const from = column ?? within?.column
  const above = column === undefined ? (within?.names ?? []) : []
  return from && { column: from, names: [...above, ...steps.filter((step) => step !== null)] }
}

const findKnownValues = (schema: Field | undefined): readonly string[] =>
  schema === undefined ? [] : (schema['x-known-values'] ?? findKnownValues(schema.items))

/** Lists the operands that a condition tests for equality. Conditions on words or on an order have none. */
function listOperands(condition: Condition): readonly Operand[] {
  if (condition.op === 'not') return listOperands(condition.of)
  if (condition.op === 'contains') return [condition.value]
  return condition.op === 'equals' ? condition.values : []
}

/**
 * Finds the operands that are not among the known values of the string at the path. Null, arrays and objects are always accepted.
 * @param pointerAt returns the pointer of an operand by its index
 */
export function findUnlisted(
  condition: Condition,
  { way, schema, pointerAt }: { way: MemberPath; schema: Field | undefined; pointerAt(index: number): RequestPointer },
): readonly Unlisted[] {
  const known = findKnownValues(schema)
  const names = new Set(known.map(toLooseText))
  return listOperands(condition).flatMap((operand, index) => {
    const isTaken = operand.is === 'text' ? names.has(toLooseText(operand.text)) : operand.is !== 'number' && operand.is !== 'truth'
    return isTaken || known.length === 0 ? [] : [{ ...way, known, operand, pointer: pointerAt(index) }]
  })
}

/** Builds the statement that reads the noted values of the operands' fields, as `field` and `term`. */
export function buildNotedValuesStatement(unlisted: readonly Unlisted[], number: number): SearchStatement {
  const values = new Values()
  values.add(number, 'int4')
  const fields = values.add([...new Set(unlisted.map(({ column }) => String(toValueField(column))))], 'int4[]')
  return buildStatement(
    `select f.field, noted.term from unnest(${fields}) f(field) cross join lateral
      (select t.term from cs_terms t where t.connector_id = ${connectorParameter} and t.field = f.field limit ${most + 1}) noted`,
    values,
  )
}

const isEqual = (value: string, operand: Operand): boolean => {
  if (operand.is !== 'text' && operand.is !== 'number') return false
  if (operand.is === 'text' && toLooseText(value) === toLooseText(operand.text)) return true
  const number = parseDecimal(value)
  return number !== undefined && operand.number !== undefined && Number(number) === Number(operand.number)
}

/**
 * Refuses the first operand that no stored value equals.
 * @param rows rows of `buildNotedValuesStatement`
 * @throws FerruleError `invalid_parameter`
 */
export function checkStored(unlisted: readonly Unlisted[], rows: readonly Readonly<Record<string, unknown>>[]): void {
  const noted = Map.groupBy(rows, ({ field }) => Number(field))
  for (const { column, names, known, operand, pointer } of unlisted) {
    const terms = (noted.get(toValueField(column)) ?? []).map(({ term }) => String(term))
    const way = joinNames(names)
    if (terms.length > most || !terms.includes(complete) || terms.includes(formatUncertain(way))) continue
    const stored = terms.flatMap((term) => (term.startsWith(formatTerm(way, '')) ? [term.slice(way.length + 1)] : []))
    if (!stored.some((value) => isEqual(value, operand))) throw invalid(pointer, describeValues(known, stored), { code: 'enum', hint })
  }
}

const hint = 'Give one of the values, in any case. A value that the vendor adds can be asked for once a record has it.'

function describeValues(known: readonly string[], stored: readonly string[]): string {
  const names = new Set(known.map(toLooseText))
  const all = [...known, ...stored.filter((value) => !names.has(toLooseText(value))).sort()]
  const more = all.length > mostShown ? [`or another of ${all.length} values`] : []
  return `must be one of ${[...all.slice(0, mostShown), ...more, 'or null'].join(', ')}`
}
