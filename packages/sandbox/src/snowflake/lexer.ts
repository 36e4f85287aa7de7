import { type Failure, failure } from './failures.ts'

/**
 * The engine compares names without regard to case, the vendor compares them exactly. So every lower-case letter of a name is followed by
 * a mark in the engine: `"id"` and `"Id"` and `ID` are three names there as well.
 */
const mark = '\uE000'

/** The vendor's schema of views about a database; the engine has one of the same name that cannot be replaced, so it gets a mark too. */
export const informationSchema = 'INFORMATION_SCHEMA'

/** Returns a name as the engine knows it. */
export const marked = (name: string): string => (name === informationSchema ? name + mark : name.replaceAll(/\p{Ll}/gu, `$&${mark}`))

/** Returns a name, or a text with names, as the vendor knows it. */
export const unmarked = (text: string): string => text.replaceAll(mark, '')

/** Returns a name between quotation marks, for the engine. */
export const quotedName = (name: string): string => `"${marked(name).replaceAll('"', '""')}"`

/** Returns a string literal of the engine. */
export const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`

/** Returns SQL that takes the marks out of a column. */
export const unmarkedSql = (column: string): string => `replace(${column}, ${literal(mark)}, '')`

/** Returns a name as it is written in the vendor's SQL: between quotation marks where it needs them. */
export const writtenName = (name: string): string => (/^[A-Z_][A-Z0-9_$]*$/.test(name) ? name : `"${name.replaceAll('"', '""')}"`)

/** What a token is; `sql` is text of the engine's dialect that was made by a rewrite. */
type TokenKind = 'word' | 'quoted' | 'string' | 'binary' | 'number' | 'variable' | 'operator' | 'sql'

/** One token of a statement, by the vendor's lexical rules. */
export interface Token {
  readonly kind: TokenKind
  /** Words in upper case; the content of quoted identifiers and strings without quotes and escapes; everything else as it was. */
  readonly text: string
  /** Where it begins in the statement. */
  readonly start: number
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

const opened = /\/\*|'|"|\$\$/y

function at(form: RegExp, text: string, position: number): string | undefined {
  form.lastIndex = position
  return form.exec(text)?.[0]
}

/** Returns line and column, as the vendor counts them: lines from 1, columns from 0. */
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

/** Returns the tokens of a statement. Comments are left out. */
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

/** Returns true for an operator, or a word, with this text. */
export const is = (token: Token | undefined, text: string): boolean =>
  token?.text === text && (token.kind === 'operator' || token.kind === 'word')

/** Returns true for a word that is one of these. */
export const isWord = (token: Token | undefined, ...words: readonly string[]): boolean =>
  token?.kind === 'word' && words.includes(token.text)

/** Returns true for a word or a quoted identifier. */
export const isName = (token: Token | undefined): token is Token => token?.kind === 'word' || token?.kind === 'quoted'

/** Returns how much deeper the nesting is after a token. */
export function depthChange(token: Token): number {
  if (token.kind !== 'operator') return 0
  if ('([{'.includes(token.text)) return 1
  return ')]}'.includes(token.text) ? -1 : 0
}

/** Position of the bracket that closes the one at a position; that of the last token when no bracket does. */
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

/** One statement, or one part of a chain. */
export interface StatementPart {
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

const partOf = (text: string, tokens: readonly Token[]): StatementPart => ({
  tokens,
  text: text.slice(tokens[0]?.start ?? 0, tokens.at(-1)?.end ?? 0),
  verb: verbOf(tokens),
})

/** Returns true where a block begins: everything after it belongs to it. */
function beginsBlock(tokens: readonly Token[]): boolean {
  const [first, second] = tokens
  if (isWord(first, 'DECLARE')) return true
  return isWord(first, 'BEGIN') && second !== undefined && !is(second, ';') && !isWord(second, ...transactionWords)
}

/** Returns the statements of a text; empty ones do not count. */
export function statementsOf(text: string, tokens: readonly Token[]): readonly StatementPart[] {
  const parts: StatementPart[] = []
  let rest = tokens
  while (rest.length > 0) {
    const end = beginsBlock(rest) ? rest.length : rest.findIndex((token) => is(token, ';'))
    const own = end < 0 ? rest : rest.slice(0, end)
    if (own.length > 0) parts.push(partOf(text, own))
    rest = end < 0 ? [] : rest.slice(end + 1)
  }
  return parts
}

/** Returns the parts of a chain with the operator `->>`; a statement without it is its only part. */
export function chainOf(text: string, statement: StatementPart): readonly StatementPart[] {
  if (beginsBlock(statement.tokens)) return [statement]
  return cut(statement.tokens, '->>').map((tokens) => partOf(text, tokens))
}

const notRun = ['RETURN', 'LET', 'END', 'DECLARE', 'EXCEPTION']

/** Returns the statements inside a block that change or read tables; undefined for what is no block. */
export function blockOf(text: string, { tokens }: StatementPart): readonly StatementPart[] | undefined {
  if (!beginsBlock(tokens)) return undefined
  const begin = tokens.findIndex((token) => isWord(token, 'BEGIN'))
  const inner = tokens.slice(begin + 1)
  const runs = cut(inner, ';').filter((own) => own.length > 0 && !isWord(own[0], ...notRun))
  return runs.map((own) => partOf(text, own))
}

/** Reads the parts of a name: `A.B.C`. */
export function nameAt(tokens: readonly Token[], index: number): readonly string[] {
  const parts: string[] = []
  for (let at = index; isName(tokens[at]); at += 2) {
    parts.push(tokens[at]?.text ?? '')
    if (!is(tokens[at + 1], '.')) break
  }
  return parts
}
