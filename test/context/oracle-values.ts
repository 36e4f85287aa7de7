/** Values for the oracle: strings, words, numbers, timestamps. Plain and slow on purpose, without code of the product. */

/** Returns a string as stored: NUL and lone surrogates are replaced. */
export const kept = (text: string): string => text.toWellFormed().replaceAll('\0', '\ufffd')

/** Compares by code points: negative, zero, positive. */
export function compareCodePoints(a: string, b: string): number {
  const [left, right] = [[...a], [...b]]
  for (const [index, character] of left.entries()) {
    const other = right[index]
    if (other === undefined) return 1
    if (character !== other) return (character.codePointAt(0) ?? 0) - (other.codePointAt(0) ?? 0)
  }
  return left.length - right.length
}

/**
 * An exact decimal number: `units
 * 10 ** scale`.
 */
export interface Decimal {
  readonly units: bigint
  readonly scale: number
}

/**
 * Parses a decimal string: digits, a sign, a point, an exponent of at most three digits.
 * @returns undefined for other strings
 */
export function decimalOfText(text: string): Decimal | undefined {
  const found = /^([+-]?)(?=\.?\d)(\d*)\.?(\d*)(?:[eE]([+-]?\d{1,3}))?$/.exec(text)
  if (found === null || text.length > 400) return undefined
  const [, sign, whole = '', fraction = '', exponent = '0'] = found
  const units = BigInt(`${whole}${fraction}`) * (sign === '-' ? -1n : 1n)
  const scale = fraction.length - Number(exponent)
  return scale >= 0 ? { units, scale } : { units: units * 10n ** BigInt(-scale), scale: 0 }
}

/** Converts a JSON number to a decimal number. */
export const decimalOfNumber = (value: number | bigint): Decimal => decimalOfText(String(value)) ?? { units: 0n, scale: 0 }

/** Compares numbers. */
export function compareDecimals(a: Decimal, b: Decimal): number {
  const left = a.units * 10n ** BigInt(b.scale)
  const right = b.units * 10n ** BigInt(a.scale)
  return left < right ? -1 : left > right ? 1 : 0
}

/** Formats a number without exponent and without needless zeros. */
export function plainText(value: number | bigint): string {
  const { units, scale } = decimalOfNumber(value)
  const digits = String(units < 0n ? -units : units).padStart(scale + 1, '0')
  const whole = digits.slice(0, digits.length - scale)
  const fraction = digits.slice(digits.length - scale).replace(/0+$/, '')
  return `${units < 0n ? '-' : ''}${whole}${fraction === '' ? '' : `.${fraction}`}`
}

/**
 * Parses a timestamp into microseconds: ISO 8601, `T` or a space; no zone is UTC, a date is its midnight.
 * @returns undefined for other strings
 */
export function momentOf(text: string): bigint | undefined {
  const found = /^(\d{4}-\d\d-\d\d)(?:[Tt ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,30}))?)?(?:([Zz])|([+-])(\d\d):?(\d\d)?)?)?$/.exec(text)
  if (found === null || /[+-]\d\d:$/.test(text)) return undefined
  const [, day = '', hour = '00', minute = '00', second = '00', fraction = '', , sign, zoneHour = '00', zoneMinute = '00'] = found
  const midnight = Date.parse(`${day}T00:00:00Z`)
  if (Number.isNaN(midnight) || !new Date(midnight).toISOString().startsWith(day) || day.startsWith('0000')) return undefined
  const isEndOfDay = hour === '24' && /^0*$/.test(minute + second + fraction.slice(0, 6))
  if ((Number(hour) > 23 && !isEndOfDay) || Number(minute) > 59 || Number(second) > 60) return undefined
  if (Number(zoneHour) > 23 || Number(zoneMinute) > 59) return undefined
  const offset = (Number(zoneHour) * 60 + Number(zoneMinute)) * (sign === '-' ? -1 : 1)
  const seconds = midnight / 1000 + Number(hour) * 3600 + (Number(minute) - offset) * 60 + Number(second)
  return BigInt(seconds) * 1_000_000n + BigInt(`${fraction}000000`.slice(0, 6))
}

/** A range of time: `begin` inclusive, `next` exclusive. */
export interface Span {
  readonly begin: bigint
  readonly next: bigint
}

/**
 * Parses the operand of a timestamp field: a year, a month or a day as a whole, else one microsecond.
 * @returns undefined for other strings
 */
export function spanOf(text: string): Span | undefined {
  const [, year = '', month, day] = /^(\d{4})(?:-(\d\d)(?:-(\d\d))?)?$/.exec(text) ?? []
  const begin = momentOf(year === '' ? text : `${year}-${month ?? '01'}-${day ?? '01'}`)
  if (begin === undefined) return undefined
  if (year === '') return { begin, next: begin + 1n }
  const next = new Date(Number(begin / 1000n))
  if (day !== undefined) next.setUTCDate(next.getUTCDate() + 1)
  else if (month !== undefined) next.setUTCMonth(next.getUTCMonth() + 1)
  else next.setUTCFullYear(next.getUTCFullYear() + 1)
  return { begin, next: BigInt(next.getTime()) * 1000n }
}

/** Returns whether a string matches a pattern of `like`. */
export function isLike(text: string, pattern: string): boolean {
  const parts: string[] = []
  let isAnchored = false
  const characters = [...pattern]
  for (let index = 0; index < characters.length; index++) {
    const character = characters[index] ?? ''
    if (character === '%') isAnchored = true
    if (character === '%' || character === '_') parts.push(character)
    else if (character === '\\' && index + 1 < characters.length) parts.push(`=${characters[++index]}`)
    else parts.push(`=${character}`)
  }
  if (!isAnchored) return text.includes(parts.map((part) => part.slice(part.length > 1 ? 1 : 0)).join(''))
  const source = parts.map((part) => (part === '%' ? '[^]*' : part === '_' ? '[^]' : part.slice(1).replace(/[\\^$.*+?()[\]{}|/]/, '\\$&')))
  return new RegExp(`^${source.join('')}$`, 'u').test(text)
}
