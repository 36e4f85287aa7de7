/** Texts as PostgreSQL can hold them, and decimal numbers as texts. */

/** A text without what PostgreSQL cannot hold (NUL, half surrogate pairs): U+FFFD stands in. Operands are cleaned like values. */
export const cleanText = (text: string): string => {
  const whole = text.isWellFormed() ? text : text.toWellFormed()
  return whole.includes('\0') ? whole.replaceAll('\0', '\ufffd') : whole
}

/** In JSON text NUL and halves are escapes; an escaped backslash before them is passed over. */
export const cleanJson = (json: string): string =>
  json.includes('\\u') ? json.replace(/\\\\|\\u(?:0000|d[89a-f][0-9a-f]{2})/g, (found) => (found === '\\\\' ? found : '\ufffd')) : json

/** Decimal numbers as texts. SQL has the same pattern in `cs_number` (`functions.ts`). */
const decimal = /^([+-]?)(?:([0-9]+)\.?([0-9]*)|\.([0-9]+))(?:[eE]([+-]?[0-9]{1,3}))?$/
const longestDecimal = 400

/**
 * A decimal number in plain notation (`-12.5`, no exponent, no needless zeros), or undefined when the text is none. Taken: digits
 * with a sign, a point and an exponent of up to three digits (`+1.50`, `.5`, `1e-7`), at most 400 characters, nothing around it.
 */
export function decimalOf(text: string): string | undefined {
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

/** A number of a record or a query in plain notation; undefined for what JSON cannot hold. */
export const plainNumber = (value: number | bigint): string | undefined =>
  typeof value === 'bigint' ? value.toString() : Number.isFinite(value) ? decimalOf(String(value)) : undefined

const least = -(2n ** 63n)
const greatest = 2n ** 63n - 1n

/** An integer as the database holds it. */
export interface HeldInteger {
  /** As int8 has it, else the end of int8 that is nearest. */
  readonly near: string
  /** The integer itself where `near` does not tell it for certain: at the ends of int8, and beyond. */
  readonly wide: string | null
}

/** A decimal number in plain notation as a column of integers holds it; undefined when it is none. */
export function heldInteger(plain: string | undefined): HeldInteger | undefined {
  if (plain === undefined || plain.includes('.')) return undefined
  const value = BigInt(plain)
  if (value > least && value < greatest) return { near: plain, wide: null }
  return { near: String(value < 0n ? least : greatest), wide: plain }
}
