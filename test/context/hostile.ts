/** Difficult strings for databases, paths and patterns, at every position where a search accepts a string. */
import { filterOperators } from '../../packages/ferrule/src/definition/operators.ts'
import type { Random } from './random.ts'

const characters = [
  ...['\0', '\ud800', '\udc00', '\ud800\ud800', '\udbff\udfff', '\ufffe', '\uffff'],
  ...['\ufeff', '\u0001', '\u001f', '\u007f', '\u0085', '\u2028', '\u202e', '\u200d'],
  '\u0301'.repeat(40),
  ...['"', "'", '`', '\\', '\\u0000', '\\0', '$', '$1', '$.**', '@', '?(1)', '%', '_', '::', '--'],
  ...['/*', ';', '{}', '[]', '[][]', '[0]', '[*]', '.', '..', '.a', '', ' ', '\n', '\t', 'null'],
  ...['NaN', 'Infinity', '1e-400', '-0', '1e999', '__proto__', 'constructor', 'toString', 'a'],
  'x'.repeat(260),
  'é'.repeat(300),
  '👩‍👩‍👧',
  '\u{10ffff}',
  '東京\0都',
  'ก\u0e33\ud800',
]

/** Draws a string of such parts. */
export const hostileText = (random: Random): string => Array.from({ length: 1 + random.below(3) }, () => random.pick(characters)).join('')

const value = (random: Random, depth = 2): unknown => {
  const kind = random.below(depth > 0 ? 10 : 7)
  if (kind < 5) return hostileText(random)
  if (kind === 5) return random.pick([0, -0, 1e308, 5e-324, 10n ** 400n, -(2n ** 64n), 0.1, null, true])
  if (kind === 6) return null
  if (kind < 9) return random.many(3, () => value(random, depth - 1))
  return Object.fromEntries(random.many(3, () => [hostileText(random), value(random, depth - 1)] as const))
}

/** Draws a name or a path: of a field, below one, or of nothing. */
const path = (random: Random, fields: readonly string[]): string => {
  const field = random.pick(fields)
  const below = (): string => `${field}${random.pick(['.', '[].', '[]', ''])}${hostileText(random)}`
  return random.chance(0.3) ? field : random.chance(0.85) ? below() : hostileText(random)
}

function condition(random: Random, fields: readonly string[], depth: number): unknown {
  const operator = random.chance(0.97) ? random.pick(filterOperators) : hostileText(random)
  const inner = (): unknown => (depth > 0 ? condition(random, fields, depth - 1) : value(random))
  if (operator === 'not') return { not: inner() }
  if (operator === 'and' || operator === 'or') return { [operator]: random.many(3, inner) }
  const operand = (): unknown => {
    if (operator === 'any') return inner()
    return operator === 'in' ? random.many(3, () => value(random)) : value(random, operator === 'eq' || operator === 'contains' ? 2 : 0)
  }
  return { [operator]: Object.fromEntries([[path(random, fields), operand()]]) }
}

/**
 * Draws parameters of a search with hostile strings; most have the shape of a search.
 * @param fields existing searchable fields
 */
export function drawHostile(random: Random, fields: readonly string[]): Readonly<Record<string, unknown>> {
  const sort = random.chance(0.3)
    ? random.many(2, () => ({ [path(random, fields)]: random.pick(['asc', 'desc', hostileText(random)]) }))
    : []
  const asked = random.many(2, () => (random.chance(0.5) ? path(random, fields) : path(random, fields).split('.')))
  return {
    query: { filter: condition(random, fields, 2), ...(sort.length === 0 ? {} : { sort }) },
    ...(random.chance(0.3) ? { fields: asked } : {}),
    ...(random.chance(0.05) ? { cursor: hostileText(random) } : {}),
    ...(random.chance(0.02) ? { [hostileText(random)]: value(random) } : {}),
  }
}
