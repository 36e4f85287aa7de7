import type { Surroundings } from './calls.ts'
import { sql, withCalls } from './calls.ts'
import type { Token } from './lexer.ts'
import { closing, cut, depthChange, is, isWord } from './lexer.ts'
import { informationSchema, literal, quotedName } from './names.ts'
import { withPostfixes } from './postfix.ts'
import type { Part } from './script.ts'
import { withColumnTypes } from './types.ts'

/** What a statement is translated with. */
export interface Translation extends Surroundings {
  /** The text that the tokens are of. */
  readonly source: string
  /** Table that holds the result of the n-th part before this one, for `FROM $n`. */
  readonly earlier?: (back: number) => string
}

/** Name of the table that holds the result of a part of a chain. */
export function resultTable(part: number): string {
  return `"RESULT$${part}"`
}

/** Where the rows of a VALUES end: brackets separated by commas. */
function valuesEnd(tokens: readonly Token[], start: number): number {
  let index = closing(tokens, start)
  while (is(tokens[index + 1], ',') && is(tokens[index + 2], '(')) index = closing(tokens, index + 2)
  return index
}

/** `VALUES` as a table: its columns are COLUMN1, COLUMN2 and so on. */
function withValues(tokens: readonly Token[]): readonly Token[] {
  const made: Token[] = []
  for (let index = 0; index < tokens.length; index += 1) {
    const token = tokens[index]
    if (!token) break
    const bare = isWord(tokens[index - 1], 'FROM', 'JOIN')
    const inBrackets = is(tokens[index - 1], '(') && isWord(tokens[index - 2], 'FROM', 'JOIN')
    if (!isWord(token, 'VALUES') || !is(tokens[index + 1], '(') || !(bare || inBrackets)) {
      made.push(token)
      continue
    }
    const end = valuesEnd(tokens, index + 1)
    const first = tokens.slice(index + 2, closing(tokens, index + 1))
    const columns = cut(first, ',').map((_value, position) => `COLUMN${position + 1}`)
    made.push(sql(bare ? '(SELECT * FROM (' : 'SELECT * FROM ('), ...tokens.slice(index, end + 1))
    made.push(sql(`) AS "VALUES$"(${columns.join(', ')})${bare ? ')' : ''}`))
    index = end
  }
  return made
}

/** `$1` after FROM is an earlier result, elsewhere a column. */
function withVariables(tokens: readonly Token[], { earlier }: Translation): readonly Token[] {
  return tokens.map((token, index) => {
    if (token.kind !== 'variable' || !/^\$\d+$/.test(token.text)) return token
    const position = Number(token.text.slice(1))
    if (earlier && isWord(tokens[index - 1], 'FROM', 'JOIN')) return sql(earlier(position), token)
    return sql(`COLUMN${position}`, token)
  })
}

/** `SELECT TOP n …` becomes `SELECT … LIMIT n`; only the outermost one. */
function withTop(tokens: readonly Token[]): readonly Token[] {
  let depth = 0
  const top = tokens.findIndex((token, index) => {
    depth += depthChange(token)
    return depth === 0 && isWord(token, 'TOP') && isWord(tokens[index - 1], 'SELECT') && tokens[index + 1]?.kind === 'number'
  })
  if (top < 0) return tokens
  return [...tokens.slice(0, top), ...tokens.slice(top + 2), sql(`LIMIT ${tokens[top + 1]?.text}`)]
}

const renamed: Readonly<Record<string, string>> = { MINUS: 'EXCEPT' }

function emitted({ kind, text }: Token): string {
  switch (kind) {
    case 'word':
      return text.includes('$') || text === informationSchema ? quotedName(text) : (renamed[text] ?? text)
    case 'quoted':
      return quotedName(text)
    case 'string':
      return literal(text)
    case 'binary':
      return `from_hex(${literal(text)})`
    default:
      return text
  }
}

const defining = ['CREATE', 'ALTER']

/**
 * A statement in the dialect of the engine.
 *
 * @param part - by the vendor's lexical rules
 * @param translation - who asks, where, when
 */
export function translated(part: Part, translation: Translation): string {
  const { tokens, verb } = part
  const locking = verb === 'SELECT' && isWord(tokens.at(-2), 'FOR') && isWord(tokens.at(-1), 'UPDATE')
  const own = locking ? tokens.slice(0, -2) : tokens
  const typed = defining.includes(verb) ? withColumnTypes(own) : own
  const placed = withVariables(withValues(verb === 'SELECT' ? withTop(typed) : typed), translation)
  return withPostfixes(withCalls(placed, translation), translation.source).map(emitted).join(' ')
}

/** The first placeholder for a value that a statement leaves open; the vendor refuses it when no value is sent along. */
export function placeholderIn(tokens: readonly Token[]): Token | undefined {
  return tokens.find((token, index) => {
    if (is(token, '?')) return true
    const before = tokens[index - 1]
    const glued = before !== undefined && before.end === token.start && !isWord(before, 'IN', 'LIMIT', 'SET', 'VALUES')
    const key = before?.kind === 'string'
    return is(token, ':') && !glued && !key && tokens[index + 1]?.start === token.end
  })
}
