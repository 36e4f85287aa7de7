/** Numbers of filters as text: a number that a double would round is refused. */

/** A number of JSON. */
export const number = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/

const wholeNumber = new RegExp(`^${number.source}$`)

/** A string of JSON, or a number outside of strings. */
const stringOrNumber = new RegExp(`"(?:[^"\\\\]|\\\\.)*"|${number.source}`, 'gs')

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

/** Returns whether a double cannot keep a number. Integers have any size: they become bigint. */
const isRounded = (digits: string): boolean =>
  !/^-?\d+$/.test(digits) && normaliseNumber(String(Number(digits))) !== normaliseNumber(digits)

/** Finds the first number of a JSON text that would be rounded. JSON has no other form for such a number. */
export function findRounded(json: string): { readonly at: number; readonly digits: string } | undefined {
  for (const { 0: digits, index } of json.matchAll(stringOrNumber))
    if (!digits.startsWith('"') && isRounded(digits)) return { at: index, digits }
  return undefined
}

/** Returns a number as JSON writes it, such as 7 for `007`; undefined for what is no number. */
export function findNumber(text: string): string | undefined {
  const [, sign = '', digits = ''] = /^([+-]?)0*((?:\.?\d).*)$/.exec(text) ?? []
  const written = `${sign === '-' ? sign : ''}${digits.startsWith('.') ? '0' : ''}${digits.replace(/\.$/, '')}`
  return wholeNumber.test(written) ? written : undefined
}
