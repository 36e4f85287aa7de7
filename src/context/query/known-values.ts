/**
 * Values of texts that have known ones: which others are stored is noted in the term table while records are written, so that an operand
 * that is neither known nor stored is refused and not just found nowhere. Arrays on the way to a text do not count.
 */
import { partsOf } from '../../definition/document.ts'
import { type Field, knownValuesOf } from '../../definition/fields.ts'
import { isObject } from '../../definition/object.ts'
import { type Column, columnTypeOf, type SearchTable } from './columns.ts'
import { wayOf } from './members.ts'
import { membersOf } from './names.ts'
import { invalid, type Spot } from './refusals.ts'
import { connector } from './scene.ts'
import { type SearchStatement, statementOf, Values } from './statement.ts'
import { decimalOf } from './text.ts'
import type { Condition, Operand, Place, Unlisted, Way } from './tree.ts'
import type { Term } from './values.ts'

/** Longest value that is noted, with its way, in characters; most that one batch notes of a field, and that a search looks at. */
const longest = 250
const most = 1_000
/** Values that a refusal lists. */
const mostShown = 50
/** Noted when all rows were written with their values: at the first batch. Else nothing is known of what is not there. */
const complete = ''

/** Where the values below a column are noted; another number than those of its words and names. */
const fieldOf = ({ field }: Column): number => (field ^ 0x51c6d2ab) | 0

/** What one value is noted as. */
const termOf = (way: string, value: string): string => `${way}=${value}`
/** Noted when there is a value that could not be noted, or is no text: nothing is refused there. */
const uncertain = (way: string): string => `${way}!`

/** The texts with known values at or below a schema. */
function waysOf(schema: Field): readonly (readonly string[])[] {
  if (knownValuesOf(schema) !== undefined && columnTypeOf(schema) === 'text') return [[]]
  const members = membersOf(schema)
  if (members !== undefined) return Object.entries(members).flatMap(([name, member]) => waysOf(member).map((names) => [name, ...names]))
  const { items } = partsOf(schema)
  return items === undefined ? [] : waysOf(items)
}

const listedColumns = ({ columns }: SearchTable) =>
  columns.flatMap((column) => {
    const ways = waysOf(column.schema)
    return ways.length === 0 ? [] : [{ column, ways }]
  })

/** What is noted of values when the first rows of an entity are written. */
export const firstValues = (table: SearchTable): readonly Term[] =>
  listedColumns(table).map(({ column }) => ({ field: fieldOf(column), term: complete }))

function eachAt(value: unknown, [first, ...rest]: readonly string[], take: (value: unknown) => void): void {
  if (Array.isArray(value)) for (const element of value) eachAt(element, first === undefined ? [] : [first, ...rest], take)
  else if (first === undefined) take(value)
  else if (isObject(value) && Object.hasOwn(value, first)) eachAt(value[first], rest, take)
}

const isShort = (term: string): boolean => term.length <= longest

/**
 * Reads the values of rows.
 * @param place where a column is in the cells of a row
 */
export function valueReader(
  table: SearchTable,
  place: (name: string) => number,
): (rows: readonly (readonly unknown[])[]) => readonly Term[] {
  const listed = listedColumns(table).map(({ column, ways }) => ({ column, ways, at: place(column.sql) }))
  return (rows) =>
    listed.flatMap(({ column, ways, at }) => {
      const terms = new Set<string>()
      for (const row of rows) {
        const cell = row[at]
        if (typeof cell !== 'string') continue
        const value: unknown = column.type === 'json' ? JSON.parse(cell) : cell
        for (const names of ways)
          eachAt(value, names, (each) => each !== null && terms.size <= most && terms.add(noteOf(wayOf(names), each)))
      }
      const noted = terms.size > most ? ways.map((names) => uncertain(wayOf(names))) : [...terms]
      return noted.map((term) => ({ field: fieldOf(column), term }))
    })
}

const noteOf = (way: string, value: unknown): string => {
  const term = typeof value === 'string' ? termOf(way, value) : undefined
  return term !== undefined && isShort(term) ? term : uncertain(way)
}

/** In lower case as both databases and JSON paths compare it. */
const loose = (text: string): string => text.toLowerCase().replaceAll('ς', 'σ')

/** The way from the row to a place. */
export const wayTo = ({ column, steps }: Place, within: Way | undefined): Way | undefined => {
  const from = column ?? within?.column
  const above = column === undefined ? (within?.names ?? []) : []
  return from && { column: from, names: [...above, ...steps.filter((step) => step !== null)] }
}

const knownAt = (schema: Field | undefined): readonly string[] =>
  schema === undefined ? [] : (knownValuesOf(schema) ?? knownAt(partsOf(schema).items))

/** What the condition of one operator compares with; nothing where it looks for words or an order. */
function operandsOf(condition: Condition): readonly Operand[] {
  if (condition.op === 'not') return operandsOf(condition.of)
  if (condition.op === 'contains') return [condition.value]
  return condition.op === 'equals' ? condition.values : []
}

/**
 * Operands of a condition that are none of the known values of the text at its place; null, arrays and objects are always taken.
 * @param spotOf the place of an operand, by its number
 */
export function unlistedOf(
  condition: Condition,
  { way, schema, spotOf }: { way: Way; schema: Field | undefined; spotOf(index: number): Spot },
): readonly Unlisted[] {
  const known = knownAt(schema)
  const names = new Set(known.map(loose))
  return operandsOf(condition).flatMap((operand, index) => {
    const isTaken = operand.is === 'text' ? names.has(loose(operand.text)) : operand.is !== 'number' && operand.is !== 'truth'
    return isTaken || known.length === 0 ? [] : [{ ...way, known, operand, spot: spotOf(index) }]
  })
}

/** A statement that answers what is noted of the fields of some operands, as `field` and `term`. */
export function notedValues(unlisted: readonly Unlisted[], number: number): SearchStatement {
  const values = new Values()
  values.add(number, 'int4')
  const fields = values.add([...new Set(unlisted.map(({ column }) => String(fieldOf(column))))], 'int4[]')
  return statementOf(
    `select f.field, noted.term from unnest(${fields}) f(field) cross join lateral
      (select t.term from cs_terms t where t.connector_id = ${connector} and t.field = f.field limit ${most + 1}) noted`,
    values,
  )
}

/** Whether a stored value can equal an operand. */
const equals = (value: string, operand: Operand): boolean => {
  if (operand.is !== 'text' && operand.is !== 'number') return false
  if (operand.is === 'text' && loose(value) === loose(operand.text)) return true
  const number = decimalOf(value)
  return number !== undefined && operand.number !== undefined && Number(number) === Number(operand.number)
}

/**
 * Refuses the first operand that no stored value equals.
 * @param rows of `notedValues`
 * @throws FerruleError `invalid_parameter`
 */
export function checkStored(unlisted: readonly Unlisted[], rows: readonly Readonly<Record<string, unknown>>[]): void {
  const noted = Map.groupBy(rows, ({ field }) => Number(field))
  for (const { column, names, known, operand, spot } of unlisted) {
    const terms = (noted.get(fieldOf(column)) ?? []).map(({ term }) => String(term))
    const way = wayOf(names)
    if (terms.length > most || !terms.includes(complete) || terms.includes(uncertain(way))) continue
    const stored = terms.flatMap((term) => (term.startsWith(termOf(way, '')) ? [term.slice(way.length + 1)] : []))
    if (!stored.some((value) => equals(value, operand))) throw invalid(spot, sentence(known, stored), { code: 'enum', hint })
  }
}

const hint = 'Give one of the values, in any case. A value that the vendor adds can be asked for once a record has it.'

function sentence(known: readonly string[], stored: readonly string[]): string {
  const names = new Set(known.map(loose))
  const all = [...known, ...stored.filter((value) => !names.has(loose(value))).sort()]
  const more = all.length > mostShown ? [`or another of ${all.length} values`] : []
  return `must be one of ${[...all.slice(0, mostShown), ...more, 'or null'].join(', ')}`
}
