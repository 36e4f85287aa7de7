import type { Token } from './lexer.ts'
import { depthChange, is, isName, isWord } from './lexer.ts'
import type { Part } from './script.ts'

/** Words that end a list of columns. */
const ends = ['FROM', 'WHERE', 'GROUP', 'HAVING', 'QUALIFY', 'ORDER', 'LIMIT', 'UNION', 'EXCEPT', 'MINUS', 'INTERSECT', 'OFFSET', 'INTO']
/** Words that end an expression and are no name for it. */
const closers = ['END', 'NULL', 'TRUE', 'FALSE', 'CURRENT_DATE', 'CURRENT_TIME', 'CURRENT_TIMESTAMP']
/** Words after which an expression goes on. */
const inner = ['NOT', 'IS', 'AND', 'OR', 'LIKE', 'ILIKE', 'IN', 'BETWEEN', 'DISTINCT', 'CASE', 'WHEN', 'THEN', 'ELSE', 'INTERVAL', 'DATE']

/** What stands between SELECT and FROM in the outermost query, cut at its commas. */
function itemsOf(tokens: readonly Token[]): readonly (readonly Token[])[] {
  const items: Token[][] = [[]]
  let depth = 0
  let inside = false
  for (const [index, token] of tokens.entries()) {
    depth += depthChange(token)
    if (!inside) inside = depth === 0 && isWord(token, 'SELECT')
    else if (depth === 0 && isWord(token, ...ends)) break
    else if (depth === 0 && is(token, ',')) items.push([])
    else if (!(isWord(token, 'DISTINCT', 'ALL') && isWord(tokens[index - 1], 'SELECT'))) items.at(-1)?.push(token)
  }
  return items
}

function isNamed(item: readonly Token[]): boolean {
  const [before, last] = [item.at(-2), item.at(-1)]
  if (!isName(last)) return false
  if (!before || isWord(before, 'AS') || item.every((token) => isName(token) || is(token, '.'))) return true
  if (last.kind === 'word' && closers.includes(last.text)) return false
  if (before.kind === 'operator') return is(before, ')') || is(before, ']') || is(before, '}')
  return !isWord(before, ...inner)
}

function heading(text: string, item: readonly Token[]): string {
  let end = item[0]?.start ?? 0
  return item
    .map((token) => {
      const between = text.slice(end, token.start)
      end = token.end
      return between + (token.kind === 'word' ? token.text : text.slice(token.start, token.end))
    })
    .join('')
}

function isStar(item: readonly Token[]): boolean {
  return item.some((token, index) => is(token, '*') && (index === 0 || is(item[index - 1], '.')))
}

/**
 * Names of columns that are expressions without a name: the vendor calls them by their text, words in upper case.
 *
 * @param text - what was sent
 * @param part - the statement
 * @param count - how many columns it has
 * @returns by position; undefined where the column has a name of its own, or where it cannot be told what it is
 */
export function headingsOf(text: string, { tokens }: Part, count: number): readonly (string | undefined)[] {
  const items = itemsOf(tokens)
  const star = items.findIndex(isStar)
  const headings = items.map((item) => (item.length === 0 || isNamed(item) ? undefined : heading(text, item)))
  if (star < 0) return items.length === count ? headings : []
  if (star !== items.findLastIndex(isStar)) return []
  const covered = Array.from({ length: Math.max(count - items.length + 1, 0) }, () => undefined)
  return [...headings.slice(0, star), ...covered, ...headings.slice(star + 1)]
}
