import type { Token } from './lexer.ts'
import { cut, is, isWord, sourceText } from './lexer.ts'

/** One statement, or one part of a chain. */
export interface Part {
  readonly tokens: readonly Token[]
  /** As it was sent, without what is around it. */
  readonly text: string
  /** The first word, in upper case; empty when it begins otherwise. `SELECT` for whatever only reads rows. */
  readonly verb: string
}

const reading = ['SELECT', 'WITH', 'VALUES']

/** Words after BEGIN that make it the start of a transaction; every other begins a block. */
const transactionWords = ['TRANSACTION', 'WORK', 'NAME']

function verbOf(tokens: readonly Token[]): string {
  const first = tokens.find((token) => !is(token, '('))
  if (first?.kind !== 'word') return ''
  return reading.includes(first.text) ? 'SELECT' : first.text
}

function partOf(text: string, tokens: readonly Token[]): Part {
  return { tokens, text: sourceText(text, tokens), verb: verbOf(tokens) }
}

/** True where a block begins: everything after it belongs to it. */
function beginsBlock(tokens: readonly Token[]): boolean {
  const [first, second] = tokens
  if (isWord(first, 'DECLARE')) return true
  return isWord(first, 'BEGIN') && second !== undefined && !is(second, ';') && !isWord(second, ...transactionWords)
}

/**
 * The statements of a text; empty ones do not count.
 *
 * @param text - as it was sent
 * @param tokens - its tokens
 */
export function statementsOf(text: string, tokens: readonly Token[]): readonly Part[] {
  const parts: Part[] = []
  let rest = tokens
  while (rest.length > 0) {
    const end = beginsBlock(rest) ? rest.length : rest.findIndex((token) => is(token, ';'))
    const own = end < 0 ? rest : rest.slice(0, end)
    if (own.length > 0) parts.push(partOf(text, own))
    rest = end < 0 ? [] : rest.slice(end + 1)
  }
  return parts
}

/** The parts of a chain with the operator `->>`; a statement without it is its only part. */
export function chainOf(text: string, statement: Part): readonly Part[] {
  if (beginsBlock(statement.tokens)) return [statement]
  return cut(statement.tokens, '->>').map((tokens) => partOf(text, tokens))
}

const notRun = ['RETURN', 'LET', 'END', 'DECLARE', 'EXCEPTION']

/** The statements inside a block that change or read tables; undefined for what is no block. */
export function blockOf(text: string, { tokens }: Part): readonly Part[] | undefined {
  if (!beginsBlock(tokens)) return undefined
  const begin = tokens.findIndex((token) => isWord(token, 'BEGIN'))
  const inner = tokens.slice(begin + 1)
  const runs = cut(inner, ';').filter((own) => own.length > 0 && !isWord(own[0], ...notRun))
  return runs.map((own) => partOf(text, own))
}
