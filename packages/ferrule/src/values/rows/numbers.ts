/** Numbers with all their digits. */

/** Writes the significant digits of a decimal and their exponent, so that `12.50` and `1.25e1` are equal. Undefined for another string. */
function findDigits(text: string): string | undefined {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d{1,6}))?$/.exec(text) ?? []
  if (whole === '') return undefined
  const all = `${whole}${fraction}`.replace(/^0+/, '')
  const digits = all.replace(/0+$/, '')
  return digits === '' ? '0' : `${sign}${digits}e${Number(exponent) - fraction.length + all.length - digits.length}`
}

/** Maximum number of characters of a decimal that is compared; the warehouse has 38 digits. The time grows with its square. */
const longest = 400

/** A double keeps 15 digits of any decimal. The sign and the point make two more characters. */
const short = /^-?\d[\d.]{0,15}$/

/** Returns whether a double prints the digits of the string, zeros at the end left aside. */
const holdsDigits = (value: number, text: string): boolean =>
  (short.test(text) && text.replace('-', '').replace('.', '').length <= 15) || findDigits(String(value)) === findDigits(text)

/**
 * Parses a decimal: an integer to a number or, beyond 2^53, to a bigint; a fraction or an exponent to a number if a double prints the same
 * digits. Else the string stays.
 */
export function readDecimal(text: string): number | bigint | string {
  if (/^-?\d+$/.test(text)) {
    const value = Number(text)
    return Number.isSafeInteger(value) ? value : BigInt(text)
  }
  if (text.length > longest || !/^-?\d+(\.\d+)?([eE][+-]?\d{1,6})?$/.test(text)) return text
  const value = Number(text)
  return Number.isFinite(value) && holdsDigits(value, text) ? value : text
}

const withoutDigits: Readonly<Record<string, number>> = {
  nan: Number.NaN,
  inf: Number.POSITIVE_INFINITY,
  '-inf': Number.NEGATIVE_INFINITY,
  infinity: Number.POSITIVE_INFINITY,
  '-infinity': Number.NEGATIVE_INFINITY,
}

/** Parses a double, NaN and the infinities included. Another string stays. */
export const readDouble = (text: string): number | string => {
  if (/^-?\d+(\.\d+)?([eE][+-]?\d{1,3})?$/.test(text)) return Number(text)
  return withoutDigits[text.toLowerCase()] ?? text
}
