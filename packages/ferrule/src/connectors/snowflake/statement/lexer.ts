/**
 * Splits a statement into tokens by the warehouse's lexical rules (https://docs.snowflake.com/en/sql-reference/data-types-text,
 * identifiers-syntax, and the comment forms of its SQL reference). Refuses what two readers could read in two ways. Reads each character a
 * constant number of times.
 */
import type { Finding } from './reasons.ts'
import { Tokens, tokenType } from './tokens.ts'

/** Reads the token at an offset and returns the offset after it. */
type Scan = (tokens: Tokens, at: number) => number | Finding

const doubleQuote = 0x22
const dollar = 0x24
const quote = 0x27
const slash = 0x2f
const backslash = 0x5c

const digits = '0123456789'
const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_'

/** Builds a test for a set of ASCII characters; other characters are in no set. */
const buildSet = (characters: string): Uint8Array => {
  const set = new Uint8Array(128)
  for (const character of characters) set[character.charCodeAt(0)] = 1
  return set
}

const inWord = buildSet(letters + digits)
const inNumber = buildSet(`${letters}${digits}.`)
const endsStage = buildSet(' \t\n\r(),;')
/** A quoted part of a stage's name follows one of these: `@"s"`, `@%"t"`, `@db."s"`. */
const beforeQuotedStage = buildSet('@%.')

function findRunEnd(text: string, at: number, set: Uint8Array): number {
  let end = at
  while (set[text.charCodeAt(end)] === 1) end += 1
  return end
}

const unterminated = (at: number, found: string): Finding => ({ reason: 'unterminated', at, found })
const ambiguous = (at: number, found: string): Finding => ({ reason: 'ambiguous', at, found })

const foreignCharacter = ({ text }: Tokens, at: number): Finding => {
  const code = (text.codePointAt(at) ?? 0).toString(16).toUpperCase().padStart(4, '0')
  return { reason: 'foreign_character', at, found: `the character U+${code}` }
}

/** Refuses `$$` at the end of a word: the vendor does not document whether a string begins there. */
const scanWord: Scan = (tokens, at) => {
  const { text } = tokens
  let end = findRunEnd(text, at, inWord)
  while (text.charCodeAt(end) === dollar) {
    if (text.charCodeAt(end + 1) === dollar) return ambiguous(at, 'a word with $$')
    end = findRunEnd(text, end + 1, inWord)
  }
  return tokens.add(tokenType.word, at, end)
}

/** Digits with at most one point and one exponent. The exponent's sign and digits may be separate tokens (`1e-5`). */
const wholeNumber = /^\d+(?:\.\d*)?(?:e\d+)?$/i
const beforeExponent = /^\d+(?:\.\d*)?e$/i
const exponent = /[+-]\d/y

/** Refuses a word directly after a number (`1INTO`): it belongs to the number for one reader and is a separate word for another. */
const scanNumber: Scan = (tokens, at) => {
  const { text } = tokens
  const end = findRunEnd(text, at, inNumber)
  const number = text.slice(at, end)
  exponent.lastIndex = end
  const isNumber = wholeNumber.test(number) || (beforeExponent.test(number) && exponent.test(text))
  return isNumber ? tokens.add(tokenType.number, at, end) : ambiguous(at, 'a number')
}

/** Finds the end of a `'…'` string, or undefined. A backslash escapes the next character; `''` is a quote. */
function findStringEnd(text: string, at: number): number | undefined {
  for (let end = at + 1; end < text.length; end += 1) {
    const code = text.charCodeAt(end)
    if (code === backslash) end += 1
    else if (code === quote) {
      if (text.charCodeAt(end + 1) !== quote) return end + 1
      end += 1
    }
  }
  return undefined
}

/** Finds the end of a `"…"` identifier, or undefined. `""` is a quote; a backslash has no meaning. */
function findQuotedEnd(text: string, at: number): number | undefined {
  let end = text.indexOf('"', at + 1)
  while (end >= 0 && text.charCodeAt(end + 1) === doubleQuote) end = text.indexOf('"', end + 2)
  return end < 0 ? undefined : end + 1
}

/** Prefixes that directly before a quote make another kind of string: `X'…'`, `N'…'`, `U&'…'`. */
const prefixes: ReadonlySet<string> = new Set(['B', 'BR', 'E', 'N', 'R', 'RB', 'U', 'X', '&'])

function isPrefixed(tokens: Tokens, at: number): boolean {
  const before = tokens.length - 1
  return before >= 0 && tokens.end(before) === at && prefixes.has(tokens.written(before).toUpperCase())
}

/** Refuses a backslash in strings with a prefix (`X'\'`), whose escapes the vendor does not document. */
const scanString: Scan = (tokens, at) => {
  const { text } = tokens
  const end = findStringEnd(text, at)
  if (isPrefixed(tokens, at) && text.slice(at, end).includes('\\'))
    return ambiguous(tokens.start(tokens.length - 1), 'a string with a prefix')
  return end === undefined ? unterminated(at, 'a string') : tokens.add(tokenType.string, at, end)
}

const scanQuoted: Scan = (tokens, at) => {
  const end = findQuotedEnd(tokens.text, at)
  return end === undefined ? unterminated(at, 'a quoted identifier') : tokens.add(tokenType.quoted, at, end)
}

/** Reads `$$…$$`, `$1`, `$name`, or `$` alone, the anchor of a row pattern. */
const scanDollar: Scan = (tokens, at) => {
  const { text } = tokens
  const before = tokens.length - 1
  const isGlued = before >= 0 && tokens.end(before) === at && refusesDollar.has(tokens.type(before))
  if (isGlued) return ambiguous(tokens.start(before), tokens.shown(before))
  if (text.startsWith('$$', at)) {
    const close = text.indexOf('$$', at + 2)
    return close < 0 ? unterminated(at, 'a string') : tokens.add(tokenType.string, at, close + 2)
  }
  const end = findRunEnd(text, at + 1, inWord)
  if (gluedPosition.test(text.slice(at + 1, end))) return ambiguous(at, 'a variable')
  return tokens.add(end === at + 1 ? tokenType.dollar : tokenType.variable, at, end)
}

/** `$1INTO`: a column position and a word, or a name. */
const gluedPosition = /^\d+\D/

/** A `$` directly after one of these belongs to it for one reader and begins a string for another. */
const refusesDollar: ReadonlySet<number> = new Set([tokenType.number, tokenType.string, tokenType.variable])

/** In a stage's path these are part of the path for one reader and begin something else for another. */
const ambiguousInStage: ReadonlyMap<number, readonly string[]> = new Map([
  [dollar, ['$$']],
  [quote, ["'"]],
  [0x2d, ['--', '->>']],
  [slash, ['//', '/*']],
])

/** Reads `@stage/path` up to a space, parenthesis, comma or semicolon. */
const scanStage: Scan = (tokens, at) => {
  const { text } = tokens
  let end = at + 1
  let isPath = false
  while (end < text.length && endsStage[text.charCodeAt(end)] !== 1) {
    const code = text.charCodeAt(end)
    if (code < 0x20 || code > 0x7e) return foreignCharacter(tokens, end)
    if (ambiguousInStage.get(code)?.some((start) => text.startsWith(start, end))) return ambiguous(at, 'a stage')
    if (code === doubleQuote) {
      if (isPath || beforeQuotedStage[text.charCodeAt(end - 1)] !== 1) return ambiguous(at, 'a stage')
      const close = findQuotedEnd(text, end)
      if (close === undefined) return unterminated(end, 'a quoted identifier')
      end = close
    } else end += 1
    isPath ||= code === slash
  }
  return tokens.add(tokenType.stage, at, end)
}

/**
 * Characters that end a line for one reader and not for another: control characters but the tab, a CR without LF, Unicode's line breaks.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
const otherLineBreak = /[\0-\x08\v\f\x0e-\x1f\x7f\x85\u2028\u2029]|\r(?!\n)/

/** Finds the end of a line comment. It ends at LF; the line break itself is space. */
function findLineCommentEnd(text: string, at: number): number | Finding {
  const lineEnd = text.indexOf('\n', at)
  const end = lineEnd < 0 ? text.length : lineEnd
  return otherLineBreak.test(text.slice(at, end + 1)) ? ambiguous(at - 2, 'a line comment') : end
}

/** Finds the end of a block comment. Block comments do not nest. */
function findBlockCommentEnd(text: string, at: number): number | Finding {
  const close = text.indexOf('*/', at + 2)
  return close < 0 ? unterminated(at, 'a block comment') : close + 2
}

const scanSlash: Scan = (tokens, at) => {
  if (tokens.text.startsWith('//', at)) return findLineCommentEnd(tokens.text, at + 2)
  return tokens.text.startsWith('/*', at) ? findBlockCommentEnd(tokens.text, at) : scanOperator(tokens, at)
}

/** Operators of several characters by their first one, longest first. */
const longOperators: ReadonlyMap<number, readonly string[]> = Map.groupBy(
  ['->>', '::', ':=', '->', '=>', '<=', '>=', '<>', '!=', '||'],
  (operator) => operator.charCodeAt(0),
)

const scanOperator: Scan = (tokens, at) => {
  const first = tokens.text.charCodeAt(at)
  const long = longOperators.get(first)?.find((operator) => tokens.text.startsWith(operator, at))
  if (long === undefined) return tokens.add(first, at, at + 1)
  return tokens.add(long === '->>' ? tokenType.pipe : tokenType.operator, at, at + long.length)
}

/** The reader of each first ASCII character. Characters without a rule of the warehouse (`#`, `\`, a backtick) are refused. */
const scanners: readonly Scan[] = (() => {
  const table = new Array<Scan>(128).fill(foreignCharacter)
  const assign = (characters: string, scan: Scan): void => {
    for (const character of characters) table[character.charCodeAt(0)] = scan
  }
  assign(' \t\n\r', (_tokens, at) => at + 1)
  assign(letters, scanWord)
  assign(digits, scanNumber)
  assign('()[]{},;.+*%?&^~', (tokens, at) => tokens.add(tokens.text.charCodeAt(at), at, at + 1))
  assign(':=<>!|', scanOperator)
  assign("'", scanString)
  assign('"', scanQuoted)
  assign('$', scanDollar)
  assign('@', scanStage)
  assign('-', (tokens, at) => (tokens.text.startsWith('--', at) ? findLineCommentEnd(tokens.text, at + 2) : scanOperator(tokens, at)))
  assign('/', scanSlash)
  return table
})()

/** Splits a string into tokens. @param text the statement as the caller wrote it @returns its tokens, or why the string is refused */
export function lex(text: string): Tokens | Finding {
  const tokens = new Tokens(text)
  let at = 0
  while (at < text.length) {
    const scan = scanners[text.charCodeAt(at)] ?? foreignCharacter
    const end = scan(tokens, at)
    if (typeof end !== 'number') return end
    at = end
  }
  return tokens
}
