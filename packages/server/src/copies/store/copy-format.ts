/** Writes rows in the text format of PostgreSQL's COPY. */
import type { Cell } from '../search/values.ts'

const special = /[\\\n\r\t]/
const escapes: Readonly<Record<string, string>> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' }

const escapeText = (text: string): string => (special.test(text) ? text.replace(/[\\\n\r\t]/g, (found) => escapes[found] ?? found) : text)

/** Writes an array of words. Each is quoted, because an empty one and `null` must be. A word has neither quotes nor backslashes. */
const writeWords = (words: readonly string[]): string => (words.length === 0 ? '{}' : `{"${words.join('","')}"}`)

const formatCell = (cell: Cell | bigint | number): string => {
  if (cell === null) return '\\N'
  if (typeof cell === 'string') return escapeText(cell)
  return typeof cell === 'object' ? writeWords(cell) : String(cell)
}

/** Formats one row, with the line break behind it. */
export const formatCopiedRow = (cells: readonly (Cell | bigint | number)[]): string => `${cells.map(formatCell).join('\t')}\n`
