/** Splits a filter's text into tokens. */
import { type FerruleError, fail, failValidation, type Problem } from '../errors.ts'
import { readJson } from '../json/json.ts'
import { limits, plainPath, reserved } from './words.ts'

/** One token of the text, from the index `at` to before the index `end`. */
export interface Token {
  readonly type: 'sign' | 'word' | 'path' | 'value' | 'end'
  /** As written; of a path, its names without backquotes. */
  readonly text: string
  /** Of a value: what it stands for. */
  readonly value?: unknown
  readonly at: number
  readonly end: number
}

const space = /[ \t\r\n]*/y
const sign = /!=|>=|<=|[=<>(),]/y
const string = /"(?:[^"\\]|\\.)*"/sy
const quotedName = /`((?:[^`\\]|\\.)*)`/sy
const time = /\d{4}-\d{2}(?:-\d{2}(?:[Tt]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:[Zz]|[+-]\d{2}:?\d{2})?)?)?(?![\w.:-])/y
const number = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.:])/y

/** Returns the match of a pattern at an index. */
function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at
  return pattern.exec(text)
}

/** Builds the place of an index: line and column, both from 1; the column counts UTF-16 code units. */
function findPlace(text: string, at: number): Pick<Problem, 'line' | 'column'> {
  const before = text.slice(0, at).split('\n')
  return { line: before.length, column: (before.at(-1) ?? '').length + 1 }
}

/** Makes the error of a filter. @param at index of what is wrong */
export function refuse(text: string, at: number, message: string): FerruleError {
  const place = findPlace(text, at)
  const where = place.line === 1 ? `at column ${place.column}` : `at line ${place.line}, column ${place.column}`
  return failValidation([{ field: '/filter', message: `cannot be read ${where}: ${message}`, error_code: 'syntax', ...place }])
}

/** Makes the error of a filter that is too large. */
export const refuseSize = (reason: string): FerruleError => fail('query_too_complex', { reason: `the filter ${reason}` })

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

function readValue(text: string, at: number, length: number): Token {
  const json = text.slice(at, at + length)
  try {
    return { type: 'value', value: readJson(json), text: json, at, end: at + length }
  } catch {
    throw refuse(text, at, `${shorten(json)} is not JSON`)
  }
}

const countZeros = (digits: string, from: number, step: 1 | -1): number => {
  let count = 0
  while (digits[from + count * step] === '0') count += 1
  return count
}

/** Splits a decimal number into its digits without outer zeros and the power of ten after them. Equal numbers have equal forms. */
function normaliseNumber(number: string): string {
  const [, sign = '', whole = '', fraction = '', power = '0'] = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(number) ?? []
  const digits = whole + fraction
  const before = countZeros(digits, 0, 1)
  if (before === digits.length) return '0'
  const after = countZeros(digits, digits.length - 1, -1)
  return `${sign}${digits.slice(before, digits.length - after)}e${Number(power) - fraction.length + after}`
}

/** Reads a number. One that a double would round or cannot hold is refused: JSON has no other form for it. */
function readNumber(text: string, at: number, length: number): Token {
  const token = readValue(text, at, length)
  if (typeof token.value === 'number' && normaliseNumber(String(token.value)) !== normaliseNumber(token.text))
    throw refuse(text, at, `${shorten(token.text)} has more digits than a number keeps; write it in double quotes`)
  return token
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

/** Reads a path of plain names and names in backquotes: a.`odd name`.b */
function readPath(text: string, from: number): Token | undefined {
  const names: string[] = []
  let isPlain = true
  for (let at = from; ; at += 1) {
    const quoted = matchAt(quotedName, text, at)
    const [whole] = quoted ?? matchAt(plainPath, text, at) ?? []
    if (whole === undefined && at === from) return undefined
    if (whole === undefined) throw refuse(text, at, 'expected a name after the dot')
    isPlain &&= quoted === null
    names.push(quoted === null ? whole : readName(text, at, quoted[1] ?? ''))
    at += whole.length
    if (text[at] === '.') continue
    const path = names.join('.')
    return { type: isPlain && reserved.has(path.toLowerCase()) ? 'word' : 'path', text: path, at: from, end: at }
  }
}

/** Shortens a piece of a filter for a message. */
export const shorten = (piece: string): string => (piece.length > 40 ? `${piece.slice(0, 40)}…` : piece)

function readToken(text: string, at: number): Token {
  const character = text[at]
  if (character === undefined) return { type: 'end', text: '', at, end: at }
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
  const [digits] = matchAt(number, text, at) ?? []
  if (digits !== undefined) return readNumber(text, at, digits.length)
  const path = readPath(text, at)
  if (path !== undefined) return path
  if (character === '`') throw refuse(text, at, 'the name has no end: write ` after it')
  if (character === "'") throw refuse(text, at, 'strings stand in double quotes')
  throw refuse(text, at, `${shorten(/^\S+/.exec(text.slice(at, at + 100))?.[0] ?? character)} is no path, sign or value`)
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
    if (text.length > limits.longestText) throw refuseSize(`has more than ${limits.longestText} characters`)
    this.text = text
    this.#next = this.#read(0)
  }

  /** The next token, which stays. */
  get next(): Token {
    return this.#next
  }

  /** Takes the next token. @throws FerruleError `validation_failed` when what follows is no token */
  take(): Token {
    const taken = this.#next
    this.#next = this.#read(taken.end)
    return taken
  }

  /** Takes the next token if it is this word or sign. */
  takeIf(text: string): boolean {
    const { type } = this.#next
    const isSame = (type === 'word' && this.#next.text.toLowerCase() === text) || (type === 'sign' && this.#next.text === text)
    if (isSame) this.take()
    return isSame
  }

  /** Makes the error of an unexpected token. @param expected what should stand there */
  refuseNext(expected: string): FerruleError {
    const { type, text, at } = this.#next
    return refuse(this.text, at, `expected ${expected}, found ${type === 'end' ? 'the end' : shorten(text)}`)
  }

  #read(from: number): Token {
    const [blank = ''] = matchAt(space, this.text, from) ?? []
    return readToken(this.text, from + blank.length)
  }
}
