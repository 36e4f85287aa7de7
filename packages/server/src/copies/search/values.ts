/** Converts the searchable fields of a record to the cells of its row. */
import { writeJson } from 'ferrule/engine'
import { type Column, isStrict, listPhysicalColumns, type PhysicalColumn, type SearchTable } from './columns.ts'
import { createValueReader, listInitialValues, toValueField } from './known-values.ts'
import { createNameReader, listInitialNames, toNameField, type WrittenFields } from './members.ts'
import { irregularField, type Term } from './terms.ts'
import { clampInteger, cleanJson, cleanText, formatNumber, parseDecimal } from './text.ts'
import { parseTimestamp } from './timestamps.ts'
import { isAscii } from './tokens/shared.ts'
import { isMark, listTextWords, readJsonWords, toStoredWords } from './tokens/words.ts'

/** A value for one column: text, int8, numeric and jsonb as strings (jsonb as JSON), boolean as itself, text[] as an array. */
export type Cell = string | boolean | null | readonly string[]

/** JSON of fields that was written already, by their names. */
export type JsonTexts = ReadonlyMap<string, string>

const toPlainNumber = (value: unknown): string | undefined => {
  if (typeof value === 'string') return parseDecimal(value)
  return typeof value === 'number' || typeof value === 'bigint' ? formatNumber(value) : undefined
}

const truths: ReadonlyMap<unknown, boolean> = new Map<unknown, boolean>([
  [true, true],
  [false, false],
  ['true', true],
  ['false', false],
])

/**
 * Converts a value for each type of column; null when the type cannot hold the value. Integer columns accept integers (`ClampedInteger`)
 * and number columns decimal numbers, both also as strings. Boolean columns accept booleans; text columns store other values as JSON.
 */
const converters: Readonly<Record<Column['type'], (value: unknown, json?: string) => string | boolean | null>> = {
  text: (value) => (typeof value === 'string' ? cleanText(value) : (toPlainNumber(value) ?? cleanJson(writeJson(value)))),
  integer: (value) => clampInteger(toPlainNumber(value))?.near ?? null,
  number: (value) => toPlainNumber(value) ?? null,
  boolean: (value) => truths.get(value) ?? null,
  json: (value, json) => cleanJson(json ?? writeJson(value)),
}

const plainNumber = /^-?[0-9]{1,15}(?:\.[0-9]{1,15})?$/

/** Tests for each type of column whether it can hold a value. Most values need no conversion, which costs several times as much. */
const fits: Readonly<Record<Column['type'], (value: unknown) => boolean>> = {
  text: () => true,
  integer: (value) => Number.isSafeInteger(value) || converters.integer(value) !== null,
  number: (value) => (typeof value === 'string' ? plainNumber.test(value) : Number.isFinite(value)) || converters.number(value) !== null,
  boolean: (value) => truths.has(value),
  json: () => true,
}

/**
 * Creates a reader of the values of a record that their columns cannot hold.
 * @returns the reader: JSON by field, null without any
 */
export function createRescuer({ columns }: SearchTable): (fields: Readonly<Record<string, unknown>>) => string | null {
  const strict = columns.filter(isStrict)
  return (fields) => {
    const odd = strict.filter(({ name, type }) => {
      const value = fields[name]
      return value !== undefined && value !== null && !fits[type](value)
    })
    return odd.length === 0 ? null : cleanJson(writeJson(Object.fromEntries(odd.map(({ name }) => [name, fields[name]]))))
  }
}

/** Builds the cells of a field's words, in the order of its columns. */
const buildWordCells = (column: Column, { value, text }: { readonly value: unknown; readonly text: string }): readonly Cell[] => {
  if (column.type === 'json') {
    const { words, folded } = readJsonWords(value, !isAscii(text))
    return [toStoredWords(words), folded === undefined ? null : cleanJson(folded)]
  }
  if (column.words === 'stored') return [toStoredWords(new Set(listTextWords(text)))]
  return [isAscii(text) ? null : [...new Set(listTextWords(text))]]
}

const noWords: readonly Cell[] = [null]
const noJsonWords: readonly Cell[] = [null, null]

function buildFieldCells(column: Column, { value, json }: { readonly value: unknown; readonly json: string | undefined }): readonly Cell[] {
  const cell = value === undefined || value === null ? null : converters[column.type](value, json)
  const text = typeof cell === 'string' ? cell : undefined
  const at = column.at === undefined ? [] : [text === undefined ? null : (parseTimestamp(text)?.toString() ?? null)]
  const number = column.number === undefined ? [] : [text === undefined ? null : (parseDecimal(text) ?? null)]
  const wide = column.wide === undefined ? [] : [text === undefined ? null : (clampInteger(toPlainNumber(value))?.wide ?? null)]
  const lowered = column.lowered === undefined ? [] : [text === undefined ? null : text.toLowerCase()]
  const none = column.folded === undefined ? noWords : noJsonWords
  const words = column.terms === undefined ? [] : text === undefined ? none : buildWordCells(column, { value, text })
  return [cell, ...at, ...number, ...wide, ...lowered, ...words]
}

/**
 * Builds the cells of a row, in the order of `listPhysicalColumns(table)`.
 * @param record searchable fields by their documented names; others are ignored, absent ones are null
 * @param texts JSON of some fields, as `writeJson` writes it
 */
export const buildCells = (table: SearchTable, record: Readonly<Record<string, unknown>>, texts?: JsonTexts): readonly Cell[] =>
  table.columns.flatMap((column) => buildFieldCells(column, { value: record[column.name], json: texts?.get(column.name) }))

/** Lists the terms to note with the first rows of an entity. They mark that every later name and value is noted. */
export const listInitialTerms = (table: SearchTable): readonly Term[] => [...listInitialNames(table), ...listInitialValues(table)]

/** Lists the numbers under which the term table can have something of a table. */
export const listTermFields = ({ columns }: SearchTable): readonly number[] =>
  columns.flatMap((column) => [column.field, irregularField(column), toNameField(column), toValueField(column)])

/**
 * Creates a reader that lists the terms of rows. `cs_terms` must have them when the rows are written.
 * @param columns columns of the rows' cells; by default those of the table
 * @returns the reader; it takes the records of the rows too, which saves parsing their JSON
 */
export function createTermReader(
  table: SearchTable,
  columns: readonly PhysicalColumn[] = listPhysicalColumns(table),
): (rows: readonly (readonly Cell[])[], records?: readonly WrittenFields[]) => readonly Term[] {
  const cellIndexes = new Map(columns.map(({ name }, index) => [name, index]))
  const findCell = (name: string | undefined): number => (name === undefined ? -1 : (cellIndexes.get(name) ?? -1))
  const stored = table.columns.filter(({ words }) => words === 'stored').map(({ field, terms }) => ({ field, at: findCell(terms) }))
  const checked = table.columns
    .filter(({ number }) => number !== undefined)
    .map((column) => ({ field: irregularField(column), at: findCell(column.sql), companion: findCell(column.number) }))
  const widened = table.columns.flatMap((column) =>
    column.wide === undefined ? [] : [{ field: irregularField(column), wide: findCell(column.wide) }],
  )
  const readMembers = createNameReader(table, findCell)
  const readValues = createValueReader(table, findCell)
  return (rows, records) => [
    ...readMembers(rows, records),
    ...readValues(rows, records),
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
