/** Patterns of `like`. */
import type { Pattern } from '../tree.ts'

/** A token of a pattern: a literal, one character, or any run of characters. */
type PatternToken = { readonly literal: string } | '_' | '%'

/** Splits a pattern into tokens. A backslash makes the next character literal; at the end, a backslash is literal. */
const splitPattern = (pattern: string): readonly PatternToken[] =>
  [...pattern.matchAll(/\\([\s\S])|([%_])|([\s\S])/g)].map(([, escaped, wildcard, plain = '']) =>
    wildcard === '%' || wildcard === '_' ? wildcard : { literal: escaped ?? plain },
  )

const escapeLiteral = (text: string): string => text.replace(/[\\%_]/g, '\\$&')

/**
 * Parses a pattern for SQL LIKE. With an unescaped `%`, `%` is any run, `_` is one character, and the whole string must match. Without
 * one, the pattern is searched anywhere and `_` is literal.
 */
export function parsePattern(text: string): Pattern {
  const tokens = splitPattern(text)
  if (!tokens.includes('%')) {
    const literal = tokens.map((token) => (typeof token === 'string' ? token : token.literal)).join('')
    return { sql: `%${escapeLiteral(literal)}%`, literals: [literal], isAnything: literal === '' }
  }
  const marked = tokens.map((token) => (typeof token === 'string' ? '\0' : token.literal)).join('')
  return {
    sql: tokens.map((token) => (typeof token === 'string' ? token : escapeLiteral(token.literal))).join(''),
    literals: marked.split('\0').filter((literal) => literal !== ''),
    isAnything: tokens.every((token) => token === '%'),
  }
}
