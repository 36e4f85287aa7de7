/** Writes parameters in query languages from other parameters, with every value quoted. Pure. */
import type { TextParameter } from '../../definition/entity.ts'
import { failParameter } from './params.ts'

const slots = /\{([^{}|]+)(\|bare)?\}/g

/** Quotes a string. @throws FerruleError `invalid_parameter` for control characters, which no quoting of these languages takes */
function quoteText(name: string, value: unknown, quote: TextParameter['quote']): string {
  if (typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean') return String(value)
  const text = String(value)
  if (/\p{Cc}/u.test(text)) throw failParameter(name, 'must not have control characters', 'quoting')
  return quote + text.replace(/[\\'"]/g, (character) => `\\${character}`) + quote
}

/** Returns a value that stands without quotes. @throws FerruleError `invalid_parameter` for characters that could end it */
function bareText(name: string, value: unknown): string {
  const text = String(value)
  if (!/^[A-Za-z0-9.:+_-]+$/.test(text)) throw failParameter(name, 'must consist of letters, digits and . : + - _', 'quoting')
  return text
}

/** Fills a part; undefined if a slot has no value. */
function fillPart(part: string, wire: Readonly<Record<string, unknown>>, quote: TextParameter['quote']): string | undefined {
  const names = [...part.matchAll(slots)].map(([, name = '']) => name)
  if (names.some((name) => wire[name] === undefined || wire[name] === null)) return undefined
  return part.replace(slots, (_slot, name: string, bare: string | undefined) =>
    bare === undefined ? quoteText(name, wire[name], quote) : bareText(name, wire[name]),
  )
}

/**
 * Writes the text, and removes the parameters that it holds from `wire`.
 * @throws FerruleError `invalid_parameter` for a value that cannot be quoted
 */
export function writeText({ start = '', parts, join, lead = '', end = '', quote }: TextParameter, wire: Record<string, unknown>): string {
  const filled = parts.map((part) => fillPart(part, wire, quote)).filter((part) => part !== undefined)
  for (const part of parts) for (const [, name = ''] of part.matchAll(slots)) delete wire[name]
  return start + (filled.length === 0 ? '' : lead) + filled.join(join) + end
}
