/** Cells of CSV (RFC 4180), for the output of the command and for exports. */

/** Treatments of text that a spreadsheet would run as a formula. */
export const formulaModes = ['mark', 'keep'] as const
/** mark: such text begins with `'`, which spreadsheets take as text; keep: it stays as it is. */
export type FormulaMode = (typeof formulaModes)[number]

/** Matches cells that need quotes; an empty string has quotes, because null is an empty cell. */
const needsQuotes = /[",\r\n]|^$/
/** Matches text that a spreadsheet runs, by its first character (OWASP, CSV Injection). */
const formula = /^[=+\-@\t\r＝＋－＠]/
const number = /^[+-]?\d+(?:\.\d+)?$/

/** Returns whether a spreadsheet would run a text. A plain number with a sign is a number to it. */
export const isFormula = (text: string): boolean => formula.test(text) && !number.test(text)

/** Formats a text as a cell. */
export function formatCsvText(text: string, mode: FormulaMode): string {
  const shown = mode === 'mark' && isFormula(text) ? `'${text}` : text
  return needsQuotes.test(shown) ? `"${shown.replaceAll('"', '""')}"` : shown
}
