/** Difficult values for searches: strings of all scripts, integers beyond doubles, decimals and timestamps in several forms. */

import { words } from './generate-words.ts'
import { decimalOfText, momentOf, spanOf } from './oracle-values.ts'
import type { Random } from './random.ts'

const marks = [
  ...[' ', ' ', ' ', '  ', '-', '_', '%', '\\', '.', ',', '/', '\n', '\t', '\u0000', '\ud800'],
  ...['\ufffd', '\u{10fffd}', '\udfff\ud800', '\u0001', '\u2028', '\uffff', '"', "'", ''],
]

/** Draws a string of words and marks, sometimes an odd one. */
export function text(random: Random): string {
  if (random.chance(0.06))
    return random.pick([
      ...['', ' ', '%', '_', '\\', '5', '5.0', '-0', '1e3', 'true', 'false', 'null'],
      ...['2025-03-01', '\u0001\u0002', '\0', '\ud800', '\uffff', '$1'],
    ])
  const count = 1 + random.below(5)
  return Array.from({ length: count }, (_, index) => (index === 0 ? '' : random.pick(marks)) + random.pick(words)).join('')
}

/** Draws one word, sometimes with an edit. */
export function word(random: Random): string {
  const chosen = [...random.pick(words)]
  if (random.chance(0.4)) return chosen.join('')
  const at = random.below(chosen.length)
  const edit = random.pick(['delete', 'insert', 'replace', 'cut', 'case', 'swap', 'swap', 'part'])
  if (edit === 'delete') chosen.splice(at, 1)
  else if (edit === 'insert') chosen.splice(at, 0, random.pick(['e', 'я', 'x', '京']))
  else if (edit === 'replace') chosen[at] = random.pick(['e', 'z', 'ж'])
  else if (edit === 'swap') chosen.splice(at, 2, ...chosen.slice(at, at + 2).toReversed())
  else if (edit === 'part') return chosen.slice(at, at + 1 + random.below(3)).join('')
  else if (edit === 'cut') chosen.splice(1 + random.below(chosen.length))
  else return chosen.join('').toUpperCase()
  return chosen.join('')
}

const integers = [
  ...[0n, 1n, -1n, 2n, 5n, 9n, 10n, 42n, 100n, -7n, 9007199254740992n, 9007199254740993n, 7644143197428744199n],
  ...[7644143197428744200n, -9223372036854775808n, 9223372036854775807n],
  // Beyond int8, on both sides.
  9223372036854775808n,
  -9223372036854775809n,
  18446744073709551615n,
  -123456789012345678901234567890n,
]

/** Draws an integer as the JSON reader returns it: a bigint beyond 2^53. */
export function integer(random: Random): number | bigint {
  const value = random.pick(integers)
  return value >= BigInt(Number.MIN_SAFE_INTEGER) && value <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(value) : value
}

/** Draws a number, including fractions and extremes. */
export const number = (random: Random): number | bigint =>
  random.pick([
    ...[0, 1, -1, 0.1, 0.2, 0.30000000000000004, 0.3, 1.5, -2.25, 5, 42, 1e21],
    ...[1e-7, 1.7976931348623157e308, 5e-324, -0, 9007199254740993n, 123456.789],
  ])

/** Draws a decimal string, sometimes something else. */
export const decimal = (random: Random): string =>
  random.pick([
    ...['0', '0.00', '1', '1.0', '1.50', '1.5', '+1.5', '-3.10', '-3.1', '.5', '5.', '1e2', '100', '99.999999999999999999'],
    ...['99.999999999999999998', '12345678901234567890', '1e-400', '-1e-400', '1e400', '-', 'n/a', '', ' 1'],
  ])

/** Draws a timestamp, sometimes something else. */
export const time = (random: Random): string =>
  random.pick([
    ...['2025-03-01', '2025-03-01T00:00:00Z', '2025-03-01 00:00:00', '2025-03-01T02:00:00+02:00', '2025-02-28T19:00:00-0500'],
    ...['2025-03-01T00:00:00.000001Z', '2025-03-01T00:00:00.0000019Z', '2025-03-01T00:00:00.5z', '2025-03-01T00:00'],
    ...['2024-02-29', '2025-02-29', '2016-12-31T23:59:60Z', '2017-01-01T00:00:00Z', '2025-03-01T24:00:00Z', '2025-03-02'],
    ...['1969-12-31T23:59:59.999999Z', '0001-01-01', '9999-12-31T23:59:59Z', '2025-13-01', '2025-3-1', 'yesterday'],
    ...['', '2025-03-01T25:00:00Z', '2025-03-01T12:30:45,25+00', '2025-03-01T00:00:00+24:00'],
  ])

/** Draws a timestamp for a query: a complete one, a year, a month or a day. */
export function partialTime(random: Random): string {
  const drawn = random.chance(0.6)
    ? random.pick(['2025', '2025-03', '2024-02', '2016-12', '1969', '0001', '9999', '9999-12', '2025-02-28'])
    : time(random)
  return spanOf(drawn) === undefined ? partialTime(random) : drawn
}

/** Draws a value of a field with known values: one of them in any case, or an unknown one. */
export const enumerated = (random: Random): string =>
  random.pick([
    ...['Inbound', 'INBOUND', 'inbound', 'Outbound', 'Conference', 'Unknown', 'Webinar', 'WEBINAR', 'Öffentlich', 'ÖFFENTLICH', '5', ''],
  ])

/** Draws a valid timestamp. */
export function regularTime(random: Random): string {
  const drawn = time(random)
  return momentOf(drawn) === undefined ? regularTime(random) : drawn
}

/** Draws a valid decimal string. */
export function regularDecimal(random: Random): string {
  const drawn = decimal(random)
  return decimalOfText(drawn) === undefined ? regularDecimal(random) : drawn
}

/** Draws any JSON value of at most `depth` levels. */
export function anything(random: Random, depth = 3): unknown {
  const kind = random.below(depth > 0 ? 12 : 8)
  if (kind < 3) return text(random)
  if (kind < 5) return random.chance(0.5) ? integer(random) : number(random)
  if (kind === 5) return random.chance(0.5)
  if (kind === 6) return null
  if (kind === 7) return random.chance(0.5) ? decimal(random) : time(random)
  if (kind < 10) return random.many(4, () => anything(random, depth - 1))
  return object(random, depth)
}

const memberNames = [
  ...['name', 'email', 'value', 'a', 'b', 'list', 'Name', 'x y', 'a.b', '"', 'ключ', 'emailAddress'],
  ...['$', '@', "'", 'back\\slash', '\\u0000', '\u0001', '\u2028', '\uffff', 'nul\0', 'half\ud800', '__proto__', '👩‍👩‍👧'],
]

/** Draws an object of a few recurring members. */
export const object = (random: Random, depth = 3): Record<string, unknown> =>
  Object.fromEntries(
    random.many(4, () => [random.pick(memberNames.slice(0, random.chance(0.7) ? 12 : undefined)), anything(random, depth - 1)] as const),
  )
