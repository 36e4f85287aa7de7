import type { Failure } from './failures.ts'
import { failure } from './failures.ts'

/** What a token is; `sql` is text of the engine's dialect that was made by a rewrite. */
export type TokenKind = 'word' | 'quoted' | 'string' | 'binary' | 'number' | 'variable' | 'operator' | 'sql'

/** One token of a statement, by the vendor's lexical rules. */
export interface Token {
  readonly kind: TokenKind
  /** Words in upper case; the content of quoted identifiers and strings without quotes and escapes; everything else as it was. */
  readonly text: string
  /** Where it begins in the statement. */
  readonly start: number
  /** Where it ends. */
  readonly end: number
}

const gap = /(?:[ \t\r\n\f\v]+|(?:--|\/\/)[^\r\n]*|\/\*[\s\S]*?\*\/)+/y

const escapes: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', b: '\b', f: '\f', 0: '\0' }

function unescapedOne(all: string, ...[hex, unicode, octal, other = '']: (string | undefined)[]): string {
  if (all === "''") return "'"
  const code = hex ?? unicode
  if (code !== undefined) return String.fromCharCode(Number.parseInt(code, 16))
  return octal === undefined ? (escapes[other] ?? other) : String.fromCharCode(Number.parseInt(octal, 8))
}

/** Content of a string: doubled quotation marks and backslashes resolved. */
function unescaped(raw: string): string {
  const escaped = /''|\\(?:x([0-9a-f]{2})|u([0-9a-f]{4})|([0-7]{3})|([\s\S]))/gi
  return raw.replace(escaped, (all, ...found) => unescapedOne(all, ...found.slice(0, 4)))
}

const rules: readonly { readonly kind: TokenKind; readonly form: RegExp; readonly read?: (raw: string) => string }[] = [
  { kind: 'binary', form: /x'[0-9a-f]*'/iy, read: (raw) => raw.slice(2, -1) },
  { kind: 'string', form: /'(?:[^'\\]+|''|\\[\s\S])*'/y, read: (raw) => unescaped(raw.slice(1, -1)) },
  { kind: 'string', form: /\$\$[\s\S]*?\$\$/y, read: (raw) => raw.slice(2, -2) },
  { kind: 'quoted', form: /"(?:[^"]+|"")*"/y, read: (raw) => raw.slice(1, -1).replaceAll('""', '"') },
  { kind: 'word', form: /[a-z_][\w$]*/iy, read: (raw) => raw.toUpperCase() },
  { kind: 'variable', form: /\$\w+/y },
  { kind: 'number', form: /(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?/iy },
  { kind: 'operator', form: /->>|::|:=|->|=>|<=|>=|<>|!=|\|\||[!-~]/y },
]

/** What begins and does not end: a comment, a string, a quoted identifier. */
const opened = /\/\*|'|"|\$\$/y

function at(form: RegExp, text: string, position: number): string | undefined {
  form.lastIndex = position
  return form.exec(text)?.[0]
}

/** Line and column, as the vendor counts them: lines from 1, columns from 0. */
export function placeOf(text: string, position: number): string {
  const before = text.slice(0, position).split('\n')
  return `line ${before.length} at position ${before.at(-1)?.length ?? 0}`
}

function tokenAt(text: string, position: number): Token | undefined {
  if (at(opened, text, position) === '/*') return undefined
  for (const { kind, form, read } of rules) {
    const raw = at(form, text, position)
    if (raw === undefined) continue
    if (kind === 'operator' && at(opened, text, position)) return undefined
    return { kind, text: read ? read(raw) : raw, start: position, end: position + raw.length }
  }
  return undefined
}

/**
 * The tokens of a statement. Comments are left out.
 *
 * @param text - one or several statements
 */
export function lex(text: string): readonly Token[] | Failure {
  const tokens: Token[] = []
  let position = at(gap, text, 0)?.length ?? 0
  while (position < text.length) {
    const token = tokenAt(text, position)
    if (!token) {
      const near = text.slice(position, position + 1)
      return failure('syntax', `SQL compilation error:\nsyntax error ${placeOf(text, position)} unexpected '${near}'.`)
    }
    tokens.push(token)
    position = token.end + (at(gap, text, token.end)?.length ?? 0)
  }
  return tokens
}

/** True for an operator, or a word, with this text. */
export function is(token: Token | undefined, text: string): boolean {
  return token?.text === text && (token.kind === 'operator' || token.kind === 'word')
}

/** True for a word that is one of these. */
export function isWord(token: Token | undefined, ...words: readonly string[]): boolean {
  return token?.kind === 'word' && words.includes(token.text)
}

/** True for a word or a quoted identifier. */
export function isName(token: Token | undefined): token is Token {
  return token?.kind === 'word' || token?.kind === 'quoted'
}

/** How much deeper the nesting is after a token. */
export function depthChange(token: Token): number {
  if (token.kind !== 'operator') return 0
  if ('([{'.includes(token.text)) return 1
  return ')]}'.includes(token.text) ? -1 : 0
}

/** Position of the bracket that closes the one at a position; that of the last token when there is none. */
export function closing(tokens: readonly Token[], open: number): number {
  let depth = 0
  for (let index = open; index < tokens.length; index += 1) {
    const token = tokens[index]
    if (token) depth += depthChange(token)
    if (depth === 0) return index
  }
  return tokens.length - 1
}

/** Cuts a list of tokens at an operator outside of brackets. */
export function cut(tokens: readonly Token[], operator: string): readonly (readonly Token[])[] {
  const parts: Token[][] = [[]]
  let depth = 0
  for (const token of tokens) {
    depth += depthChange(token)
    if (depth === 0 && token.kind === 'operator' && token.text === operator) parts.push([])
    else parts.at(-1)?.push(token)
  }
  return parts
}

/** The part of a text that tokens cover. */
export function sourceText(text: string, tokens: readonly Token[]): string {
  return text.slice(tokens[0]?.start ?? 0, tokens.at(-1)?.end ?? 0)
}
