/** The beginning of a statement: its verb, the list of a WITH, the form of an INSERT. */
import { type Finding, refuse, type StatementKind } from './reasons.ts'
import { type Tokens, tokenType } from './tokens.ts'

/** What a leading verb makes of the statement. */
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

/** Reads the first word behind leading parentheses: the verb that says what the statement is. */
export function readVerb(tokens: Tokens): Verb | Finding {
  const index = afterOpening(tokens, 0)
  if (tokens.type(index) === tokenType.semicolon) return refuse(tokens, index, 'several_statements')
  if (index === tokens.length) return refuse(tokens, index - 1, 'unbalanced')
  const kind = kinds.get(tokens.word(index))
  if (kind === undefined) return refuse(tokens, index, 'not_a_row_statement')
  if (index > 0 && kind !== 'SELECT') return refuse(tokens, index, 'nested_statement')
  return { kind, index }
}

/** Looks at what follows the verb: the list of a WITH up to its SELECT, or the form of an INSERT. */
export function findInHead(tokens: Tokens, { kind, index }: Verb): Finding | undefined {
  if (kind === 'INSERT') return findInInsert(tokens, index + 1)
  return kind === 'SELECT' ? findInQuery(tokens, index) : undefined
}

function findInInsert(tokens: Tokens, index: number): Finding | undefined {
  const form = tokens.word(index)
  if (form === 'OVERWRITE') return refuse(tokens, index, 'insert_overwrite')
  return insertForms.has(form) ? undefined : refuse(tokens, index, 'insert_without_into')
}

/** SELECT is what it is; WITH must come to SELECT. */
function findInQuery(tokens: Tokens, verb: number): Finding | undefined {
  const end = tokens.is(verb, 'WITH') ? queryOfWith(tokens, verb) : verb
  return typeof end === 'number' ? undefined : end
}

/** Where the query of a WITH begins: at a SELECT, or at a parenthesis around one (or around another WITH, which is looked at by itself). */
export function queryOfWith(tokens: Tokens, verb: number): number | Finding {
  const end = afterWithList(tokens, verb + 1)
  if (typeof end !== 'number') return end
  const index = afterOpening(tokens, end)
  const isQuery = tokens.is(index, 'SELECT') || (index > end && tokens.is(index, 'WITH'))
  return isQuery ? end : refuse(tokens, index, 'with_without_select')
}

/** Whether a WITH begins a list of queries, and is not part of a type (`TIMESTAMP WITH TIME ZONE`), of `START WITH` or `WITH UNMATCHED ROWS`. */
export function beginsList(tokens: Tokens, verb: number): boolean {
  if (tokens.is(verb - 1, 'START')) return false
  if (tokens.type(verb - 1) === tokenType.open || tokens.is(verb + 1, 'RECURSIVE')) return true
  return isName(tokens, verb + 1) && (tokens.is(verb + 2, 'AS') || tokens.type(verb + 2) === tokenType.open)
}

const isName = (tokens: Tokens, index: number): boolean => tokens.type(index) === tokenType.word || tokens.type(index) === tokenType.quoted

function afterOpening(tokens: Tokens, index: number): number {
  let next = index
  while (tokens.type(next) === tokenType.open) next += 1
  return next
}

/** `[RECURSIVE] item, item …` */
function afterWithList(tokens: Tokens, start: number): number | Finding {
  const isRecursive = tokens.is(start, 'RECURSIVE') && isName(tokens, start + 1) && !tokens.is(start + 1, 'AS')
  let index = isRecursive ? start + 1 : start
  for (;;) {
    const end = afterWithItem(tokens, index)
    if (typeof end !== 'number' || tokens.type(end) !== tokenType.comma) return end
    index = end + 1
  }
}

/** `name [(columns)] AS ( … )` or `name AS MODEL …` */
function afterWithItem(tokens: Tokens, index: number): number | Finding {
  if (!isName(tokens, index)) return refuse(tokens, index, 'with_without_select')
  const as = tokens.type(index + 1) === tokenType.open ? afterParentheses(tokens, index + 1) : index + 1
  if (typeof as !== 'number') return as
  if (!tokens.is(as, 'AS')) return refuse(tokens, as, 'with_without_select')
  if (tokens.is(as + 1, 'PROCEDURE')) return refuse(tokens, as + 1, 'procedure')
  if (tokens.is(as + 1, 'MODEL') && as === index + 1) return afterModel(tokens, as + 2)
  return afterParentheses(tokens, as + 1)
}

/** `dotted.name [VERSION name]` */
function afterModel(tokens: Tokens, index: number): number | Finding {
  let next = index
  while (isName(tokens, next) && tokens.type(next + 1) === tokenType.dot) next += 2
  if (!isName(tokens, next)) return refuse(tokens, next, 'with_without_select')
  if (!tokens.is(next + 1, 'VERSION')) return next + 1
  return isName(tokens, next + 2) ? next + 3 : refuse(tokens, next + 2, 'with_without_select')
}

function afterParentheses(tokens: Tokens, open: number): number | Finding {
  if (tokens.type(open) !== tokenType.open) return refuse(tokens, open, 'with_without_select')
  const close = tokens.closing(open)
  return close === undefined ? refuse(tokens, open, 'unbalanced') : close + 1
}
