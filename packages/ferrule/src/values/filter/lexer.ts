/** Splits a filter's text into tokens. */
import type { FerruleError } from '../../errors.ts'
import { fitsDouble } from '../json/exact.ts'
import { readJson, TooDeep } from '../json/json.ts'
import { refuse, refuseSize, shorten } from './refusals.ts'
import { foreignSigns, longestText, plainPath, reserved } from './syntax.ts'

/** Numbers of filters as text: a number that a double would round is refused. */

const number = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/

const onlyNumber = new RegExp(`^${number.source}$`)

/** A string of JSON, or a number outside of strings. */
const stringOrNumber = new RegExp(`"(?:[^"\\\\]|\\\\.)*"|${number.source}`, 'gs')

/** Returns whether a double cannot keep a number. Integers have any size: they become bigint. */
const isRounded = (digits: string): boolean => !/^-?\d+$/.test(digits) && !fitsDouble(digits)

/** Finds the first number of a JSON text that would be rounded. JSON has no other form for such a number. */
export function findRounded(json: string): { readonly at: number; readonly digits: string } | undefined {
  for (const { 0: digits, index } of json.matchAll(stringOrNumber))
    if (!digits.startsWith('"') && isRounded(digits)) return { at: index, digits }
  return undefined
}

/** Returns a number as JSON writes it, such as 7 for `007`; undefined for what is no number. */
export function findNumber(text: string): string | undefined {
  const [, sign = '', digits = ''] = /^([+-]?)0*((?:\.?\d).*)$/.exec(text) ?? []
  const written = `${sign === '-' ? sign : ''}${digits.startsWith('.') ? '0' : ''}${digits.replace(/\.$/, '')}`
  return onlyNumber.test(written) ? written : undefined
}

/** One token of the text, from the index `at` to before the index `end`. */
export interface Token {
  /** `odd` is what no filter has: a name with other characters, or text in other quotes. */
  readonly type: 'sign' | 'word' | 'path' | 'value' | 'odd' | 'end'
  /** As written; of a path, and of text in other quotes, without the quotes. */
  readonly text: string
  /** Of a value: what it stands for. */
  readonly value?: unknown
  readonly at: number
  readonly end: number
}

const space = /[ \t\r\n]*/y
const foreignSign = /===?|!==|<>|=<|=>|&&?|\|\|?|!(?!=)/y
const sign = /!=|>=|<=|[=<>(),]/y
const string = /"(?:[^"\\]|\\.)*"/sy
const quotedName = /`((?:[^`\\]|\\.)*)`((?:\[\])*)/sy
const time = /\d{4}-\d{2}(?:-\d{2}(?:[Tt]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:[Zz]|[+-]\d{2}:?\d{2})?)?)?(?![\w.:-])/y
const wholeNumber = new RegExp(`${number.source}(?![\\w.:-])`, 'y')
/** Other characters of a name. Those that end a path are left out. */
const oddPiece = /[^\s=!<>(),"'`[\]{}&|“”„‟«»‘’‚‛]+/y
/** Text in quotes that word processors and other languages have. */
const oddQuotes = /['“”„‟«»‘’‚‛](?:([^"'“”„‟«»‘’‚‛]*)["'“”„‟«»‘’‚‛])?/y

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at
  return pattern.exec(text)
}

/** Returns the index after the array or object that begins at an index; -1 when it has no end. */
function findJsonEnd(text: string, from: number): number {
  let depth = 0
  for (let at = from; at < text.length; at += 1) {
    const character = text[at]
    if (character === '"') {
      const [whole] = matchAt(string, text, at) ?? []
      if (whole === undefined) return -1
      at += whole.length - 1
    } else if (character === '[' || character === '{') depth += 1
    else if (character === ']' || character === '}') depth -= 1
    if (depth === 0) return at + 1
  }
  return -1
}

/** Reads a JSON value. A number in it that a double would round or cannot hold is refused. */
function readValue(text: string, at: number, length: number): Token {
  const json = text.slice(at, at + length)
  const value = readValueText(text, at, json)
  const rounded = json.startsWith('"') ? undefined : findRounded(json)
  if (rounded !== undefined)
    throw refuse(text, at + rounded.at, `${shorten(rounded.digits)} has more digits than a number keeps; write it in double quotes`)
  return { type: 'value', value, text: json, at, end: at + length }
}

function readValueText(text: string, at: number, json: string): unknown {
  try {
    return readJson(json)
  } catch (thrown) {
    throw refuse(text, at, `${shorten(json)} is not JSON${thrown instanceof TooDeep ? `: ${thrown.message}` : ''}`)
  }
}

/** Reads a name in backquotes: the escapes of JSON, and \` for a backquote. */
function readName(text: string, at: number, content: string): string {
  const json = content.replace(/\\`/g, '`').replace(/(\\.)|"/gs, (_whole, escaped: string | undefined) => escaped ?? '\\"')
  try {
    return String(JSON.parse(`"${json}"`))
  } catch {
    throw refuse(text, at, 'the name in backquotes is not valid: write a backslash as \\\\ and a line break as \\n')
  }
}

/** Reads a path of plain names and names in backquotes: a.`odd name`[].b */
function readPath(text: string, from: number): Token | undefined {
  const names: string[] = []
  let isPlain = true
  for (let at = from; ; at += 1) {
    const quoted = matchAt(quotedName, text, at)
    const [whole] = quoted ?? matchAt(plainPath, text, at) ?? []
    if (whole === undefined && at === from) return undefined
    if (whole === undefined) return (text[at] === '.' ? undefined : readOdd(text, from, at)) ?? failName(text, at)
    isPlain &&= quoted === null
    names.push(quoted === null ? whole : `${readName(text, at, quoted[1] ?? '')}${quoted[2] ?? ''}`)
    at += whole.length
    if (text[at] === '.') continue
    const path = names.join('.')
    const odd = isPlain ? readOdd(text, from, at) : undefined
    return odd ?? { type: isPlain && reserved.has(path.toLowerCase()) ? 'word' : 'path', text: path, at: from, end: at }
  }
}

function failName(text: string, at: number): never {
  throw refuse(text, at, 'expected a name after the dot')
}

/** Reads a name without backquotes, whose first odd character stands at an index. */
function readOdd(text: string, from: number, at: number): Token | undefined {
  const [odd] = matchAt(oddPiece, text, at) ?? []
  return odd === undefined ? undefined : { type: 'odd', text: text.slice(from, at + odd.length), at: from, end: at + odd.length }
}

/** Refuses a sign of another language. */
function checkSign(text: string, at: number): void {
  const [found] = matchAt(foreignSign, text, at) ?? []
  if (found !== undefined) throw refuse(text, at, `${found} is not an operator of filters; write ${foreignSigns[found]}`)
}

function readToken(text: string, at: number): Token {
  const character = text[at]
  if (character === undefined) return { type: 'end', text: '', at, end: at }
  checkSign(text, at)
  const [found] = matchAt(sign, text, at) ?? []
  if (found !== undefined) return { type: 'sign', text: found, at, end: at + found.length }
  if (character === '"') {
    const [whole] = matchAt(string, text, at) ?? []
    if (whole === undefined) throw refuse(text, at, 'the string has no end: write " after it, and \\" for a quote within it')
    return readValue(text, at, whole.length)
  }
  if ((character === '[' && text[at + 1] !== ']') || character === '{') return readNested(text, at)
  const [timestamp] = matchAt(time, text, at) ?? []
  if (timestamp !== undefined) return { type: 'value', value: timestamp, text: timestamp, at, end: at + timestamp.length }
  const [digits] = matchAt(wholeNumber, text, at) ?? []
  if (digits !== undefined) return readValue(text, at, digits.length)
  return readPath(text, at) ?? readForeign(text, at)
}

function readForeign(text: string, at: number): Token {
  if (text[at] === '`') throw refuse(text, at, 'the name has no end: write ` after it')
  const quoted = matchAt(oddQuotes, text, at)
  if (quoted?.[1] !== undefined) return { type: 'odd', text: quoted[1], at, end: at + quoted[0].length }
  if (quoted !== null) throw refuse(text, at, 'strings stand in double quotes, names in backquotes')
  const odd = readOdd(text, at, at)
  if (odd !== undefined) return odd
  throw refuse(text, at, `${shorten(/^\S+/.exec(text.slice(at, at + 100))?.[0] ?? text.slice(at, at + 1))} is no path, sign or value`)
}

function readNested(text: string, at: number): Token {
  const end = findJsonEnd(text, at)
  if (end < 0) throw refuse(text, at, 'the JSON value has no end')
  return readValue(text, at, end - at)
}

/** A cursor over the tokens of a text, one token ahead. */
export class Tokens {
  readonly text: string
  #next: Token

  /** @throws FerruleError `query_too_complex` for a text that is too long; `validation_failed` */
  constructor(text: string) {
    if (text.length > longestText) throw refuseSize(text, longestText, `has more than ${longestText} characters`)
    this.text = text
    this.#next = this.#read(0)
  }

  get next(): Token {
    return this.#next
  }

  /** Takes the next token. @throws FerruleError `validation_failed` when what follows is no token */
  take(): Token {
    const taken = this.#next
    this.#next = this.#read(taken.end)
    return taken
  }

  takeIf(text: string): boolean {
    const { type } = this.#next
    const isSame = (type === 'word' && this.#next.text.toLowerCase() === text) || (type === 'sign' && this.#next.text === text)
    if (isSame) this.take()
    return isSame
  }

  /** Makes the error of an unexpected token. @param expected what should stand there @param hint what to write instead */
  refuseNext(expected: string, hint?: string): FerruleError {
    const { type, at, end } = this.#next
    const found = type === 'end' ? 'the end' : shorten(this.text.slice(at, end))
    return refuse(this.text, at, `expected ${expected}, found ${found}${hint === undefined ? '' : `; ${hint}`}`)
  }

  /** Makes the error of a token that exceeds a limit. */
  refuseNextSize(message: string): FerruleError {
    return refuseSize(this.text, this.#next.at, message)
  }

  #read(from: number): Token {
    const [blank = ''] = matchAt(space, this.text, from) ?? []
    return readToken(this.text, from + blank.length)
  }
}
