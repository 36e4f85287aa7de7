/** What fields of text mean: numbers with every digit, and times in the zone of the reader. */

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

const pad = (value: number, length = 2): string => String(value).padStart(length, '0')

/** Prints a timestamp in the reader's zone, for a field of the type `datetime-local`; '' for other text. */
export function printLocal(value: string): string {
  const at = new Date(value)
  if (Number.isNaN(at.getTime())) return ''
  const day = `${pad(at.getFullYear(), 4)}-${pad(at.getMonth() + 1)}-${pad(at.getDate())}`
  return `${day}T${pad(at.getHours())}:${pad(at.getMinutes())}:${pad(at.getSeconds())}`
}

/** Reads what such a field holds, as a timestamp in UTC; undefined when it is empty. */
export function parseLocal(text: string): string | undefined {
  const at = new Date(text)
  return text === '' || Number.isNaN(at.getTime()) ? undefined : at.toISOString().replace('.000Z', 'Z')
}
