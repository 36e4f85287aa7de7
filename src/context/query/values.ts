/** From a record's searchable fields to the cells of its row. */
import { writeJson } from '../../engine/json.ts'
import { type Column, type PhysicalColumn, physicalColumns, type SearchTable } from './columns.ts'
import { instantOf } from './instants.ts'
import { firstValues, valueReader } from './known-values.ts'
import { firstNames, memberReader } from './members.ts'
import { cleanJson, cleanText, decimalOf, heldInteger, plainNumber } from './text.ts'
import { isAscii } from './token-parts.ts'
import { type TokenRules, tokenRules } from './tokens.ts'
import { foldedJson, isMark, storedWords, wordsOfJson, wordsOfText } from './words.ts'

/**
 * A value for one column of the database: text, int8, numeric and jsonb as text (jsonb is JSON text), boolean as itself, text[] as an
 * array of texts.
 */
export type Cell = string | boolean | null | readonly string[]

/** A word that the term table must know before a row that has it can be found by like or fuzzy. */
export interface Term {
  /** `Column.field`, or `irregularField` of it. */
  readonly field: number
  readonly term: string
}

const plainOf = (value: unknown): string | undefined => {
  if (typeof value === 'string') return decimalOf(value)
  return typeof value === 'number' || typeof value === 'bigint' ? plainNumber(value) : undefined
}

const truths: ReadonlyMap<unknown, boolean> = new Map<unknown, boolean>([
  [true, true],
  [false, false],
  ['true', true],
  ['false', false],
])

/**
 * A value as its column holds it; null where it cannot be held as the documented type: an integer column takes integers (`HeldInteger`), a
 * number column decimal numbers, both also as texts; a truth column truth values; a text column writes other values as JSON.
 */
const held: Readonly<Record<Column['type'], (value: unknown) => string | boolean | null>> = {
  text: (value) => (typeof value === 'string' ? cleanText(value) : (plainOf(value) ?? cleanJson(writeJson(value)))),
  integer: (value) => heldInteger(plainOf(value))?.near ?? null,
  number: (value) => plainOf(value) ?? null,
  boolean: (value) => truths.get(value) ?? null,
  json: (value) => cleanJson(writeJson(value)),
}

/** A value as it was given and as a text, and the rules of its words. */
interface Given {
  readonly value: unknown
  readonly text: string
  readonly rules: TokenRules
}

const wordsCell = (column: Column, { value, text, rules }: Given): readonly string[] | null => {
  if (column.type === 'json') return storedWords(wordsOfJson(value, rules))
  if (column.words === 'stored') return storedWords(wordsOfText(text, rules))
  return isAscii(text) ? null : [...new Set(wordsOfText(text, rules))]
}

/** The cells of one field, in the order of its physical columns. */
function cellsOfColumn(column: Column, value: unknown, rules: TokenRules): readonly Cell[] {
  const cell = value === undefined || value === null ? null : held[column.type](value)
  const text = typeof cell === 'string' ? cell : undefined
  const at = column.at === undefined ? [] : [text === undefined ? null : (instantOf(text)?.toString() ?? null)]
  const number = column.number === undefined ? [] : [text === undefined ? null : (decimalOf(text) ?? null)]
  const wide = column.wide === undefined ? [] : [text === undefined ? null : (heldInteger(plainOf(value))?.wide ?? null)]
  const lowered = column.lowered === undefined ? [] : [text === undefined ? null : text.toLowerCase()]
  const words = column.terms === undefined ? [] : [text === undefined ? null : wordsCell(column, { value, text, rules })]
  const folded =
    column.folded === undefined ? [] : [text === undefined || isAscii(text) ? null : cleanJson(writeJson(foldedJson(value, rules)))]
  return [cell, ...at, ...number, ...wide, ...lowered, ...words, ...folded]
}

/**
 * The cells of a row, in the order of `physicalColumns(table)`.
 * @param record the searchable fields by their documented names; others are passed over, absent ones are null
 */
export const cellsOf = (table: SearchTable, record: Readonly<Record<string, unknown>>): readonly Cell[] =>
  table.columns.flatMap((column) => cellsOfColumn(column, record[column.name], tokenRules[table.tokens]))

/** Where the term table notes that a column has texts that are no decimal numbers, though declared so; or integers beyond int8. */
export const irregularField = (column: Column): number => ~column.field

/** What is noted when the first rows of an entity are written, so that what is not noted later is known not to be there. */
export const firstNotes = (table: SearchTable): readonly Term[] => [...firstNames(table), ...firstValues(table)]

/**
 * Reads the terms of rows: what must be in `cs_terms` when the rows are.
 * @param columns what the cells of a row are; left out: those of the table
 */
export function termReader(
  table: SearchTable,
  columns: readonly PhysicalColumn[] = physicalColumns(table),
): (rows: readonly (readonly Cell[])[]) => readonly Term[] {
  const places = new Map(columns.map(({ name }, index) => [name, index]))
  const place = (name: string | undefined): number => (name === undefined ? -1 : (places.get(name) ?? -1))
  const stored = table.columns.filter(({ words }) => words === 'stored').map(({ field, terms }) => ({ field, at: place(terms) }))
  const checked = table.columns
    .filter(({ number }) => number !== undefined)
    .map((column) => ({ field: irregularField(column), at: place(column.sql), companion: place(column.number) }))
  const widened = table.columns.flatMap((column) =>
    column.wide === undefined ? [] : [{ field: irregularField(column), wide: place(column.wide) }],
  )
  const readMembers = memberReader(table, place)
  const readValues = valueReader(table, place)
  return (rows) => [
    ...readMembers(rows),
    ...readValues(rows),
    ...widened.flatMap(({ field, wide }) => (rows.some((row) => row[wide] !== null) ? [{ field, term: '' }] : [])),
    ...stored.flatMap(({ field, at }) => {
      const words = new Set<string>()
      for (const row of rows) for (const word of (row[at] as readonly string[] | null) ?? []) if (!isMark(word)) words.add(word)
      return [...words].map((term) => ({ field, term }))
    }),
    ...checked.flatMap(({ field, at, companion }) =>
      rows.some((row) => row[at] !== null && row[companion] === null) ? [{ field, term: '' }] : [],
    ),
  ]
}
