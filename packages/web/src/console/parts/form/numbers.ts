/** Numbers as fields of text: every digit is kept. */

/** Parses a whole number. What a double cannot hold becomes a bigint; other text stays, and the service refuses it at its field. */
export function parseInteger(text: string): number | bigint | string | undefined {
  const trimmed = text.trim()
  if (trimmed === '') return undefined
  if (!/^-?\d+$/.test(trimmed)) return trimmed
  const number = Number(trimmed)
  return Number.isSafeInteger(number) ? number : BigInt(trimmed)
}

/** Parses a number. A whole number keeps its digits; other text stays, and the service refuses it at its field. */
export function parseNumber(text: string): number | bigint | string | undefined {
  const whole = parseInteger(text)
  if (typeof whole !== 'string') return whole
  return /^-?\d*\.?\d+(e[+-]?\d+)?$/i.test(whole) ? Number(whole) : whole
}

/** Prints a value of one line: text as it is, nothing for a missing value. */
export const printPlain = (value: unknown): string => (value === undefined || value === null ? '' : String(value))
