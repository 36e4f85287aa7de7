/** Reads the beginning of a statement: its verb, the list of a WITH, the form of an INSERT. */
import { type Finding, refuse, type StatementKind } from './reasons.ts'
import { type Tokens, tokenType } from './tokens.ts'

/** The kind of statement for each leading verb. */
const kinds: ReadonlyMap<string, StatementKind> = new Map([
  ['SELECT', 'SELECT'],
  ['WITH', 'SELECT'],
  ['INSERT', 'INSERT'],
  ['UPDATE', 'UPDATE'],
  ['DELETE', 'DELETE'],
])

const insertForms: ReadonlySet<string> = new Set(['INTO', 'ALL', 'FIRST'])

/** A leading verb. */
export interface Verb {
  readonly kind: StatementKind
  /** Index of its token. */
  readonly index: number
}

/** Reads the first word after leading parentheses: the verb that decides the kind of the statement. */
export function readVerb(tokens: Tokens): Verb | Finding {
  const index = skipOpening(tokens, 0)
  if (tokens.type(index) === tokenType.semicolon) return refuse(tokens, index, 'several_statements')
  if (index === tokens.length) return refuse(tokens, index - 1, 'unbalanced')
  const kind = kinds.get(tokens.word(index))
  if (kind === undefined) return refuse(tokens, index, 'not_a_row_statement')
  if (index > 0 && kind !== 'SELECT') return refuse(tokens, index, 'nested_statement')
  return { kind, index }
}

/** Checks what follows the verb: the list of a WITH up to its SELECT, or the form of an INSERT. */
export function findInHead(tokens: Tokens, { kind, index }: Verb): Finding | undefined {
  if (kind === 'INSERT') return findInInsert(tokens, index + 1)
  return kind === 'SELECT' ? findInQuery(tokens, index) : undefined
}

function findInInsert(tokens: Tokens, index: number): Finding | undefined {
  const form = tokens.word(index)
  if (form === 'OVERWRITE') return refuse(tokens, index, 'insert_overwrite')
  return insertForms.has(form) ? undefined : refuse(tokens, index, 'insert_without_into')
}

/** Checks that a WITH reaches a SELECT. */
function findInQuery(tokens: Tokens, verb: number): Finding | undefined {
  const end = tokens.is(verb, 'WITH') ? findWithQuery(tokens, verb) : verb
  return typeof end === 'number' ? undefined : end
}

/** Finds where the query of a WITH begins: at a SELECT, or at a parenthesis around a SELECT or another WITH. */
export function findWithQuery(tokens: Tokens, verb: number): number | Finding {
  const end = skipWithList(tokens, verb + 1)
  if (typeof end !== 'number') return end
  const index = skipOpening(tokens, end)
  const isQuery = tokens.is(index, 'SELECT') || (index > end && tokens.is(index, 'WITH'))
  return isQuery ? end : refuse(tokens, index, 'with_without_select')
}

/**
 * Returns whether a WITH begins a list of queries. It may also be part of a type (`TIMESTAMP WITH TIME ZONE`), of `START WITH` or `WITH
 * UNMATCHED ROWS`.
 */
export function beginsList(tokens: Tokens, verb: number): boolean {
  if (tokens.is(verb - 1, 'START')) return false
  if (tokens.type(verb - 1) === tokenType.open || tokens.is(verb + 1, 'RECURSIVE')) return true
  return isName(tokens, verb + 1) && (tokens.is(verb + 2, 'AS') || tokens.type(verb + 2) === tokenType.open)
}

const isName = (tokens: Tokens, index: number): boolean => tokens.type(index) === tokenType.word || tokens.type(index) === tokenType.quoted

function skipOpening(tokens: Tokens, index: number): number {
  let next = index
  while (tokens.type(next) === tokenType.open) next += 1
  return next
}

/** Skips `[RECURSIVE] item, item …`. */
function skipWithList(tokens: Tokens, start: number): number | Finding {
  const isRecursive = tokens.is(start, 'RECURSIVE') && isName(tokens, start + 1) && !tokens.is(start + 1, 'AS')
  let index = isRecursive ? start + 1 : start
  for (;;) {
    const end = skipWithItem(tokens, index)
    if (typeof end !== 'number' || tokens.type(end) !== tokenType.comma) return end
    index = end + 1
  }
}

/** Skips `name [(columns)] AS ( … )` or `name AS MODEL …`. */
function skipWithItem(tokens: Tokens, index: number): number | Finding {
  if (!isName(tokens, index)) return refuse(tokens, index, 'with_without_select')
  const as = tokens.type(index + 1) === tokenType.open ? skipParentheses(tokens, index + 1) : index + 1
  if (typeof as !== 'number') return as
  if (!tokens.is(as, 'AS')) return refuse(tokens, as, 'with_without_select')
  if (tokens.is(as + 1, 'PROCEDURE')) return refuse(tokens, as + 1, 'procedure')
  if (tokens.is(as + 1, 'MODEL') && as === index + 1) return skipModel(tokens, as + 2)
  return skipParentheses(tokens, as + 1)
}

/** Skips `dotted.name [VERSION name]`. */
function skipModel(tokens: Tokens, index: number): number | Finding {
  let next = index
  while (isName(tokens, next) && tokens.type(next + 1) === tokenType.dot) next += 2
  if (!isName(tokens, next)) return refuse(tokens, next, 'with_without_select')
  if (!tokens.is(next + 1, 'VERSION')) return next + 1
  return isName(tokens, next + 2) ? next + 3 : refuse(tokens, next + 2, 'with_without_select')
}

function skipParentheses(tokens: Tokens, open: number): number | Finding {
  if (tokens.type(open) !== tokenType.open) return refuse(tokens, open, 'with_without_select')
  const close = tokens.closing(open)
  return close === undefined ? refuse(tokens, open, 'unbalanced') : close + 1
}
