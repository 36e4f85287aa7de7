/** Cleans strings for PostgreSQL and converts decimal numbers to strings. */

/** Replaces what PostgreSQL cannot store (NUL, lone surrogates) by U+FFFD. Operands are cleaned like values. */
export const cleanText = (text: string): string => {
  const whole = text.isWellFormed() ? text : text.toWellFormed()
  return whole.includes('\0') ? whole.replaceAll('\0', '\ufffd') : whole
}

/** Cleans JSON, where NUL and lone surrogates are escapes. Skips an escaped backslash before them. */
export const cleanJson = (json: string): string =>
  json.includes('\\u') ? json.replace(/\\\\|\\u(?:0000|d[89a-f][0-9a-f]{2})/g, (found) => (found === '\\\\' ? found : '\ufffd')) : json

/** Decimal numbers as strings. `cs_number` (`functions.ts`) has the same pattern. */
const decimal = /^([+-]?)(?:([0-9]+)\.?([0-9]*)|\.([0-9]+))(?:[eE]([+-]?[0-9]{1,3}))?$/
const longestDecimal = 400

/**
 * Parses a decimal number into plain notation (`-12.5`, no exponent, no needless zeros). Accepts digits with a sign, a point and an
 * exponent of up to three digits (`+1.50`, `.5`, `1e-7`), at most 400 characters.
 * @returns undefined when the string is no decimal number
 */
export function parseDecimal(text: string): string | undefined {
  const found = text.length <= longestDecimal ? decimal.exec(text) : null
  if (found === null) return undefined
  const [, sign = '', whole = '', fraction = '', onlyFraction = '', exponent = '0'] = found
  const after = fraction || onlyFraction
  const point = whole.length + Number(exponent)
  const digits = whole + after
  const padded = point < 0 ? '0'.repeat(-point) + digits : digits.padEnd(point, '0')
  const cut = Math.max(point, 0)
  const integral = padded.slice(0, cut).replace(/^0+/, '')
  const rest = padded.slice(cut).replace(/0+$/, '')
  if (integral === '' && rest === '') return '0'
  return `${sign === '-' ? '-' : ''}${integral || '0'}${rest === '' ? '' : `.${rest}`}`
}

/** Formats a number in plain notation; undefined for a number that JSON cannot represent. */
export const formatNumber = (value: number | bigint): string | undefined => {
  if (typeof value === 'bigint' || Number.isSafeInteger(value)) return value.toString()
  if (!Number.isFinite(value)) return undefined
  const text = String(value)
  return text.includes('e') ? parseDecimal(text) : text
}

const least = -(2n ** 63n)
const greatest = 2n ** 63n - 1n

/** An integer as the database stores it. */
export interface ClampedInteger {
  /** The integer if it fits into int8, else the nearest limit of int8. */
  readonly near: string
  /** The integer itself at the limits of int8 and beyond, else null. */
  readonly wide: string | null
}

/**
 * Clamps an integer in plain notation to int8.
 * @returns undefined when the number is no integer
 */
export function clampInteger(plain: string | undefined): ClampedInteger | undefined {
  if (plain === undefined || plain.includes('.')) return undefined
  const value = BigInt(plain)
  if (value > least && value < greatest) return { near: plain, wide: null }
  return { near: String(value < 0n ? least : greatest), wide: plain }
}
