import { callOf, sql } from './calls.ts'
import type { Token } from './lexer.ts'
import { depthChange, is, isName, isWord } from './lexer.ts'
import { literal } from './names.ts'
import { typeAt } from './types.ts'

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

/** Where the expression begins that the last token ends: `a.b`, `f(x)`, `(…)`, `x[0]`. */
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

/** One step of a path: `.key`, `["key"]` or `[0]`; undefined where the path ends. */
function stepAt(tokens: readonly Token[], index: number): Path | undefined {
  const [first, second, third] = [tokens[index], tokens[index + 1], tokens[index + 2]]
  if (is(first, '.') && isName(second)) return { path: keyStep(second), next: index + 2 }
  if (!is(first, '[') || !is(third, ']')) return undefined
  if (second?.kind === 'number') return { path: `[${second.text}]`, next: index + 3 }
  return second?.kind === 'string' ? { path: keyStep({ ...second, kind: 'quoted' }), next: index + 3 } : undefined
}

function keyStep({ text }: Token): string {
  return `."${text.replaceAll('"', '\\"')}"`
}

/** The keys of a path are written as they are in the data, so their case has to be read from the statement. */
function asWritten(token: Token, source: string): Token {
  return token.kind === 'word' ? { ...token, text: source.slice(token.start, token.end) } : token
}

function pathAt(tokens: readonly Token[], index: number): Path {
  const [key] = tokens.slice(index)
  let found: Path = { path: key ? keyStep(key) : '', next: index + 1 }
  for (;;) {
    const step = stepAt(tokens, found.next)
    if (!step) return found
    found = { path: found.path + step.path, next: step.next }
  }
}

/** True for a colon that leads into a value: it follows an expression and a key follows it. */
function leadsIn(tokens: readonly Token[], made: readonly Token[], index: number): boolean {
  const [before, last] = [tokens[index - 1], made.at(-1)]
  if (!is(tokens[index], ':') || !isName(tokens[index + 1]) || !last) return false
  return before?.kind === 'variable' || before?.kind === 'sql' || isName(before) || is(last, ')') || is(last, ']')
}

const variants = ['VARIANT', 'OBJECT', 'ARRAY']
const comparisons = ['=', '<>', '!=', '<', '>', '<=', '>=']

/** A value is compared and cast as what it is, not as JSON. */
function extractor(tokens: readonly Token[], next: number): string {
  const wanted = is(tokens[next], '::') ? typeAt(tokens, next + 1)?.name : undefined
  const compared = comparisons.includes(tokens[next]?.text ?? '') || isWord(tokens[next], 'LIKE', 'ILIKE', 'IN')
  return compared || (wanted !== undefined && !variants.includes(wanted)) ? 'json_extract_string' : 'json_extract'
}

/**
 * Replaces what follows an expression: casts (`::type`) and paths into semi-structured values (`value:key.key[0]`).
 *
 * @param tokens - of a statement, calls already replaced
 * @param source - the statement, because the case of keys counts
 */
export function withPostfixes(tokens: readonly Token[], source: string): readonly Token[] {
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

/** True for a name in a path: after a colon, or after a dot of a path. */
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
