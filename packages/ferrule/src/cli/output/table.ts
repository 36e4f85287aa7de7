/** Tables for a terminal: columns fit its width, wide characters count as two cells. */
import { styleText } from 'node:util'
import stringWidth from 'fast-string-width'
import { isObject } from '../../definition/object.ts'
import { readDigits } from '../../values/json/exact.ts'
import { writeJson } from '../../values/json/json.ts'
import { type FieldPath, readPath } from '../../values/projection.ts'
import { showInLine } from './terminal.ts'

/** Narrowest column, when a terminal cannot hold all columns at their full width. */
const narrowest = 6
/** Widest column, while others need the room. */
const widest = 60
/** Longest word that is not cut, in UTF-16 units. */
const longestWord = 500
const gap = '  '
const ellipsis = '…'

/** A table whose columns are decided. */
export interface Layout {
  readonly columns: readonly (FieldPath & { readonly width: number })[]
  /** Names of columns that the terminal has no room for. */
  readonly left: readonly string[]
}

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' })

/** Cuts a text to a width, and marks the cut. */
export function cutText(text: string, width: number): string {
  if (stringWidth(text) <= width) return text
  let kept = ''
  let used = 0
  for (const { segment } of graphemes.segment(text)) {
    const next = used + stringWidth(segment)
    if (next > width - 1) break
    kept += segment
    used = next
  }
  return width > 0 ? kept + ellipsis : ''
}

const pad = (text: string, width: number): string => text + ' '.repeat(Math.max(0, width - stringWidth(text)))

const cellOf = (record: unknown, { segments }: FieldPath): string => showInLine(formatCell(readPath(record, segments)))

/** Returns whether a column holds ids by its name: half of an id is of no use, so it is shown whole or not at all. */
const isId = ({ segments }: FieldPath): boolean => /(^|_)id$|Id$/.test(segments.at(-1) ?? '')

/** Returns whether a value is a number: some of its digits look like another number. */
const isNumber = (value: unknown): boolean => readDigits(value) !== undefined

/** A column with its full width, and the least that is worth showing. */
interface Measured extends FieldPath {
  readonly needed: number
  readonly least: number
}

/**
 * Decides on the columns. Those that have no room are left out, and an id that would stand alone comes last. The others get what they need,
 * and the widest give way first; numbers stay whole.
 * @param records the first records: their cells decide on the widths
 * @param width cells of a line of the terminal
 */
export function layOut(records: readonly unknown[], columns: readonly FieldPath[], width: number): Layout {
  const measured = columns.map((column): Measured => {
    const measure = (rows: readonly unknown[], least: number): number =>
      rows.reduce<number>((most, each) => Math.max(most, stringWidth(cellOf(each, column))), least)
    const needed = measure(records, stringWidth(column.name))
    const numbers = records.filter((each) => isNumber(readPath(each, column.segments)))
    return { ...column, needed, least: isId(column) ? needed : measure(numbers, Math.min(needed, narrowest)) }
  })
  const isAlone = ({ least }: Measured): boolean => least + gap.length + narrowest > width
  const [shown, left]: [Measured[], string[]] = [[], []]
  const room = (): number => shown.reduce((rest, { least }) => rest - least - gap.length, width)
  for (const column of measured.toSorted((one, other) => Number(isAlone(one)) - Number(isAlone(other)))) {
    if (shown.length === 0 || column.least <= room()) shown.push(column)
    else left.push(column.name)
  }
  const widthOf = ({ least, needed }: Measured, most: number): number => Math.max(least, Math.min(needed, most))
  const isTooWide = (most: number): boolean =>
    shown.reduce((sum, column) => sum + gap.length + widthOf(column, most), 0) > width + gap.length
  let limit = Math.max(...shown.map(({ needed }) => needed))
  if (isTooWide(limit)) limit = widest
  while (limit > narrowest && isTooWide(limit)) limit -= 1
  return { columns: shown.map((column) => ({ ...column, width: widthOf(column, limit) })), left }
}

const joinCells = (cells: readonly string[]): string => `${cells.join(gap).trimEnd()}\n`

/** Formats the head of a table. */
export const formatHead = ({ columns }: Layout, stream: NodeJS.WritableStream): string =>
  joinCells(
    columns.map(({ name, width }) => {
      const shown = cutText(showInLine(name), width)
      return styleText('bold', shown, { stream }) + pad(shown, width).slice(shown.length)
    }),
  )

/** Formats the line of a record. */
export const formatLine = ({ columns }: Layout, record: unknown): string =>
  joinCells(
    columns.map((column) => {
      const cell = cellOf(record, column)
      const isWhole = isId(column) || isNumber(readPath(record, column.segments))
      return pad(isWhole ? cell : cutText(cell, column.width), column.width)
    }),
  )

/** Returns whether a value is one word: half of an id, a number or a secret is of no use. A terminal wraps it so that it can be copied. */
const isWord = (value: unknown): boolean =>
  isNumber(value) || (typeof value === 'string' && value.length <= longestWord && !/\s/.test(value))

/** Formats one record as lines of names and values. Values are cut to the width, except words. */
export function formatRecord(record: unknown, columns: readonly FieldPath[], width: number): string {
  const names = Math.min(Math.max(0, ...columns.map(({ name }) => stringWidth(showInLine(name)))), Math.floor(width / 2))
  const line = (column: FieldPath): string => {
    const cell = cellOf(record, column)
    const isWhole = isWord(readPath(record, column.segments))
    const shown = isWhole ? cell : cutText(cell, Math.max(1, width - names - gap.length))
    return `${pad(cutText(showInLine(column.name), names), names)}${gap}${shown}`.trimEnd()
  }
  return `${columns.map(line).join('\n')}\n`
}

/** Formats a value for a cell: strings as they are, nothing for null, nested values as JSON. */
export function formatCell(value: unknown): string {
  if (value === undefined || value === null) return ''
  return typeof value === 'string' ? value : writeJson(value)
}

/** Lists the columns of records: the chosen paths, else every name that a record has, in the order of appearance. */
export function listColumns(records: readonly unknown[], paths: readonly FieldPath[] | undefined): readonly FieldPath[] {
  if (paths !== undefined) return paths
  const names = new Set(records.flatMap((record) => (isObject(record) ? Object.keys(record) : [])))
  return names.size === 0 && records.length > 0 ? [{ name: 'value', segments: [] }] : [...names].map((name) => ({ name, segments: [name] }))
}
