/** JSON whose numbers keep the digits that they were written with. */

/** Matches numbers that a double may change: 16 digits, a point or an exponent. */
const inexact = /\d{3}\d{3}\d{3}\d{7}|\d[.eE]/

/** ECMAScript's raw JSON, which TypeScript's library lacks: writes a number as it was read. */
const rawJson = Reflect.get(JSON, 'rawJSON') as (text: string) => unknown
const isRawJson = Reflect.get(JSON, 'isRawJSON') as (value: unknown) => value is { readonly rawJSON: string }

const exactly = (_name: string, value: unknown, context?: { readonly source?: string }): unknown =>
  typeof value === 'number' && context?.source !== undefined && context.source !== String(value) ? rawJson(context.source) : value

/** Parses JSON and keeps the digits of its numbers, which `readDigits` reads and `JSON.stringify` writes. */
export const readExactJson = (text: string): unknown => (inexact.test(text) ? JSON.parse(text, exactly) : JSON.parse(text))

/** Returns a number of such JSON as it was written; undefined for a value that is no number. */
export const readDigits = (value: unknown): string | undefined => {
  if (typeof value === 'number') return String(value)
  return isRawJson(value) ? value.rawJSON : undefined
}
