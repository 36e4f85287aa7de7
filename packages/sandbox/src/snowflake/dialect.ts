import { callOf, type Surroundings, sql, typeAt, withCalls, withColumnTypes } from './calls.ts'
import {
  closing,
  cut,
  depthChange,
  informationSchema,
  is,
  isName,
  isWord,
  literal,
  quotedName,
  type StatementPart,
  type Token,
} from './lexer.ts'

/** Position of the bracket that opens what the last token closes. */
function opening(tokens: readonly Token[], close: number): number {
  let depth = 0
  for (let index = close; index >= 0; index -= 1) {
    const token = tokens[index]
    if (token) depth += depthChange(token)
    if (depth === 0) return index
  }
  return 0
}

/** Returns where the expression begins that the last token ends: `a.b`, `f(x)`, `(…)`, `x[0]`. */
function beginning(tokens: readonly Token[]): number {
  let index = tokens.length - 1
  for (;;) {
    const token = tokens[index]
    if (is(token, ')') || is(token, ']')) {
      index = opening(tokens, index)
      const before = tokens[index - 1]
      const belongs = is(tokens[index], '[') || before?.kind === 'word' || before?.kind === 'sql'
      if (belongs && index > 0) {
        index -= 1
        continue
      }
    }
    if (!is(tokens[index - 1], '.') || !isName(tokens[index - 2])) return Math.max(index, 0)
    index -= 2
  }
}

interface Path {
  /** In the notation of the engine. */
  readonly path: string
  readonly next: number
}

/** Returns one step of a path: `.key`, `["key"]` or `[0]`; undefined where the path ends. */
function stepAt(tokens: readonly Token[], index: number): Path | undefined {
  const [first, second, third] = [tokens[index], tokens[index + 1], tokens[index + 2]]
  if (is(first, '.') && isName(second)) return { path: keyStep(second), next: index + 2 }
  if (!is(first, '[') || !is(third, ']')) return undefined
  if (second?.kind === 'number') return { path: `[${second.text}]`, next: index + 3 }
  return second?.kind === 'string' ? { path: keyStep({ ...second, kind: 'quoted' }), next: index + 3 } : undefined
}

const keyStep = ({ text }: Token): string => `."${text.replaceAll('"', '\\"')}"`

/** Returns a key as it was written: it has the case of the data. */
const asWritten = (token: Token, source: string): Token =>
  token.kind === 'word' ? { ...token, text: source.slice(token.start, token.end) } : token

function pathAt(tokens: readonly Token[], index: number): Path {
  const [key] = tokens.slice(index)
  let found: Path = { path: key ? keyStep(key) : '', next: index + 1 }
  for (;;) {
    const step = stepAt(tokens, found.next)
    if (!step) return found
    found = { path: found.path + step.path, next: step.next }
  }
}

/** Returns true for a colon that leads into a value: it follows an expression and a key follows it. */
function leadsIn(tokens: readonly Token[], made: readonly Token[], index: number): boolean {
  const [before, last] = [tokens[index - 1], made.at(-1)]
  if (!is(tokens[index], ':') || !isName(tokens[index + 1]) || !last) return false
  return before?.kind === 'variable' || before?.kind === 'sql' || isName(before) || is(last, ')') || is(last, ']')
}

const variants = ['VARIANT', 'OBJECT', 'ARRAY']
const comparisons = ['=', '<>', '!=', '<', '>', '<=', '>=']

/** Returns the function that takes a value out: it is compared and cast as what it is, not as JSON. */
function extractor(tokens: readonly Token[], next: number): string {
  const wanted = is(tokens[next], '::') ? typeAt(tokens, next + 1)?.name : undefined
  const compared = comparisons.includes(tokens[next]?.text ?? '') || isWord(tokens[next], 'LIKE', 'ILIKE', 'IN')
  return compared || (wanted !== undefined && !variants.includes(wanted)) ? 'json_extract_string' : 'json_extract'
}

/** Replaces what follows an expression: casts (`::type`) and paths into semi-structured values (`value:key.key[0]`). */
function withPostfixes(tokens: readonly Token[], source: string): readonly Token[] {
  const written = tokens.map((token, index) => (isKey(tokens, index) ? asWritten(token, source) : token))
  const made: Token[] = []
  for (let index = 0; index < written.length; ) {
    const token = written[index]
    if (!token) break
    const type = is(token, '::') ? typeAt(written, index + 1) : undefined
    if (type) {
      made.push(...castOf(made, type))
      index = type.next
    } else if (leadsIn(tokens, made, index)) {
      const { path, next } = pathAt(written, index + 1)
      const extract = callOf(sql(extractor(written, next), token), [
        callOf(sql('to_json'), [made.splice(beginning(made))]),
        [sql(literal(`$${path}`))],
      ])
      const counts = comparisons.includes(written[next]?.text ?? '') && written[next + 1]?.kind === 'number'
      made.push(...(counts ? callOf(sql('CAST'), [[...extract, sql('AS DOUBLE')]]) : extract))
      index = next
    } else {
      made.push(token)
      index += 1
    }
  }
  return made
}

/** Returns true for a name in a path: after a colon, or after a dot of a path. */
function isKey(tokens: readonly Token[], index: number): boolean {
  if (tokens[index]?.kind !== 'word') return false
  let at = index - 1
  for (;;) {
    if (is(tokens[at], ']') && is(tokens[at - 2], '[')) at -= 3
    else if (is(tokens[at], '.')) at -= 1
    else if (isName(tokens[at]) && (is(tokens[at - 1], '.') || is(tokens[at - 1], ':'))) at -= 1
    else return is(tokens[at], ':')
  }
}

function castOf(made: Token[], type: { readonly name: string; readonly sql: string }): readonly Token[] {
  if (type.name === 'VARIANT') return callOf(sql('to_json'), [made.splice(beginning(made))])
  if (type.name === 'TIMESTAMP_TZ') return callOf(sql('TO_TIMESTAMP_TZ'), [made.splice(beginning(made))])
  return [sql(`::${type.sql}`)]
}

/** What a statement is translated with. */
export interface Translation extends Surroundings {
  /** The text that the tokens are of. */
  readonly source: string
  /** Table that holds the result of the n-th part before this one, for `FROM $n`. */
  readonly earlier?: (back: number) => string
}

/** Returns the name of the table that holds the result of a part of a chain. */
export const resultTable = (part: number): string => `"RESULT$${part}"`

/** Returns where the rows of a VALUES end: brackets separated by commas. */
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

/** Returns a statement in the dialect of the engine. */
export function translated(part: StatementPart, translation: Translation): string {
  const { tokens, verb } = part
  const locking = verb === 'SELECT' && isWord(tokens.at(-2), 'FOR') && isWord(tokens.at(-1), 'UPDATE')
  const own = locking ? tokens.slice(0, -2) : tokens
  const typed = defining.includes(verb) ? withColumnTypes(own) : own
  const filled = withVariables(withValues(verb === 'SELECT' ? withTop(typed) : typed), translation)
  return withPostfixes(withCalls(filled, translation), translation.source).map(emitted).join(' ')
}

/** Returns the first placeholder for a value that a statement leaves open; the vendor refuses it when no value is sent along. */
export const placeholderIn = (tokens: readonly Token[]): Token | undefined =>
  tokens.find((token, index) => {
    if (is(token, '?')) return true
    const before = tokens[index - 1]
    const glued = before !== undefined && before.end === token.start && !isWord(before, 'IN', 'LIMIT', 'SET', 'VALUES')
    const key = before?.kind === 'string'
    return is(token, ':') && !glued && !key && tokens[index + 1]?.start === token.end
  })
