/** Integers in strings. */

/** Parses a decimal string without a fraction to an integer with all its digits; null for any other string. */
export const parseInteger = (text: string): number | bigint | null => {
  if (!/^-?\d{1,30}$/.test(text)) return null
  return Number.isSafeInteger(Number(text)) ? Number(text) : BigInt(text)
}
