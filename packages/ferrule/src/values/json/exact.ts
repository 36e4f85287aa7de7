/** JSON whose numbers keep the digits that they were written with. */
import { rawJson } from './json.ts'

/**
 * Matches a number that a double may change, with what stands before it: 16 digits, a point or an exponent. It may also match inside a
 * string, which only costs time.
 */
const inexact = /(?:^|[[,]|"\s*:)\s*-?\d+(?:\d{15}|[.eE])/

const isRawJson = Reflect.get(JSON, 'isRawJSON') as (value: unknown) => value is { readonly rawJSON: string }

const exactly = (_name: string, value: unknown, context?: { readonly source?: string }): unknown =>
  typeof value === 'number' && context?.source !== undefined && context.source !== String(value) ? rawJson(context.source) : value

/** Parses JSON and keeps the digits of its numbers, which `readDigits` reads and `writeJson` writes. */
export const readExactJson = (text: string): unknown => (inexact.test(text) ? JSON.parse(text, exactly) : JSON.parse(text))

/** Returns a number as it was written; undefined for a value that is no number. */
export const readDigits = (value: unknown): string | undefined => {
  if (typeof value === 'number' || typeof value === 'bigint') return String(value)
  return isRawJson(value) ? value.rawJSON : undefined
}

const countZeros = (digits: string, from: number, step: 1 | -1): number => {
  let count = 0
  while (digits[from + count * step] === '0') count += 1
  return count
}

/** Splits a decimal number into its digits without outer zeros and the power of ten after them. Equal numbers have equal forms. */
function normaliseNumber(digits: string): string {
  const [, sign = '', whole = '', fraction = '', power = '0'] = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(digits) ?? []
  const all = whole + fraction
  const before = countZeros(all, 0, 1)
  if (before === all.length) return '0'
  const after = countZeros(all, all.length - 1, -1)
  return `${sign}${all.slice(before, all.length - after)}e${Number(power) - fraction.length + after}`
}

/** Returns whether a double keeps the digits of a number, zeros at its ends aside. */
export function fitsDouble(digits: string): boolean {
  const double = Number(digits)
  return Number.isFinite(double) && normaliseNumber(String(double)) === normaliseNumber(digits)
}
