/** Patterns of `like`. */
import type { Pattern } from './tree.ts'

/** A character with its meaning: literal, one character, any run. */
type Token = { readonly literal: string } | '_' | '%'

/** Splits a pattern; a backslash makes the next character literal, and is literal at the end. */
const tokensOf = (pattern: string): readonly Token[] =>
  [...pattern.matchAll(/\\([\s\S])|([%_])|([\s\S])/g)].map(([, escaped, wildcard, plain = '']) =>
    wildcard === '%' || wildcard === '_' ? wildcard : { literal: escaped ?? plain },
  )

const escaped = (text: string): string => text.replace(/[\\%_]/g, '\\$&')

/**
 * A pattern as SQL LIKE takes it. `%` is any run and `_` one character, when there is a `%` that is not escaped: then the whole text
 * must match. Without one the pattern is looked for anywhere, and `_` is itself.
 */
export function patternOf(text: string): Pattern {
  const tokens = tokensOf(text)
  if (!tokens.includes('%')) {
    const literal = tokens.map((token) => (typeof token === 'string' ? token : token.literal)).join('')
    return { sql: `%${escaped(literal)}%`, literals: [literal] }
  }
  const marked = tokens.map((token) => (typeof token === 'string' ? '\0' : token.literal)).join('')
  return {
    sql: tokens.map((token) => (typeof token === 'string' ? token : escaped(token.literal))).join(''),
    literals: marked.split('\0').filter((literal) => literal !== ''),
  }
}
