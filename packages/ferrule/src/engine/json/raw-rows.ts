/**
 * Rows of a large result, kept as bytes. Parsed at once, tens of thousands of arrays would take many times the memory of the bytes. Parsed
 * in batches, each batch is released before the next; code that passes rows on parses none, and checks them as bytes (RFC 8259): unused
 * values cause garbage collections. Answers of lines are NDJSON, or CSV with a line of names (RFC 4180), whose parser is loaded with the first
 * such call.
 */
import { isUtf8 } from 'node:buffer'
import { randomUUID } from 'node:crypto'
import type { EntityDefinition, Operation } from '../../definition/entity.ts'
import type { Field } from '../../definition/fields.ts'
import { isObject } from '../../definition/object.ts'
import { deepestJson, readJson, TooDeep, writeJson } from '../../values/json/json.ts'
import { parsePath } from './paths.ts'
import { parseDecimal, parseInteger } from './validate.ts'

/** How an answer of lines is written. */
export type LineFormat = NonNullable<Operation['format']>

/** Makes a value of the text of a column. A text that is no such value stays. */
type Convert = (text: string) => unknown

/** An operation whose answers are lines. */
export interface RowLines {
  readonly format: LineFormat
  /** The documented fields by the vendor's names. */
  readonly columns: ReadonlyMap<string, Convert>
}

/** A line that is no row. */
export class BadLine extends Error {
  /** @param line its number, from 1 */
  constructor(line: number, reason: string) {
    super(`${badLine}${line} ${reason}`)
  }
}
/** What the message of a bad line begins with. */
export const badLine = 'line '

/** What requests ask for. */
export const acceptLines: Readonly<Record<LineFormat, string>> = {
  ndjson: 'application/x-ndjson, */*;q=0.1',
  csv: 'text/csv, */*;q=0.1',
}

const keepText: Convert = (text) => text
const booleans: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['false', false],
])
const conversions: ReadonlyMap<string, Convert> = new Map<string, Convert>([
  ['integer', (text) => parseInteger(text) ?? text],
  ['number', (text) => parseInteger(text) ?? parseDecimal(text) ?? text],
  ['boolean', (text) => booleans.get(text.toLowerCase()) ?? text],
])

const findConversion = ({ type }: Field): Convert => [type ?? []].flat().flatMap((each) => conversions.get(each) ?? [])[0] ?? keepText

/** Finds how the lines of an operation are read; undefined for answers of one JSON value. */
export function compileLines({ record = {}, from = {} }: EntityDefinition, { format, rows }: Operation): RowLines | undefined {
  if (format === undefined) return undefined
  const columns = new Map<string, Convert>()
  if (typeof rows === 'object') for (const part of rows.merge) columns.set(String(parsePath(part)[0]), keepText)
  for (const [name, field] of Object.entries<Field>(record)) {
    const source = String(parsePath(from[name]?.rename ?? from[name]?.copy ?? name)[0])
    if (from[name]?.param === undefined && !columns.has(source)) columns.set(source, findConversion(field))
  }
  return { format, columns }
}

let csv: typeof import('csv-parse/sync') | undefined

/** Loads what reads a format, before the answer comes. */
export async function loadLineReader(format: LineFormat | undefined): Promise<void> {
  if (format === 'csv') csv ??= await import('csv-parse/sync')
}

/**
 * Returns the format of an answer; undefined for one JSON value, as which vendors send errors and what is ready.
 * @param type the answer's `content-type`
 */
export function findLineFormat(lines: RowLines | undefined, type = ''): LineFormat | undefined {
  return /^application\/(?:[\w.-]+\+)?json\b/i.test(type) && lines?.format === 'csv' ? undefined : lines?.format
}

const namesField = ({ columns }: RowLines, names: readonly string[]): boolean =>
  columns.size === 0 || names.some((name) => columns.has(name))

/**
 * Reads the rows of an answer.
 * @returns an array; the object of a single line without any documented field, which is no row, but what the vendor says instead of rows
 * @throws BadLine
 */
export function readRowLines(lines: RowLines, text: string): unknown {
  if (lines.format === 'csv') return readCsv(lines, text)
  const rows = readJsonLines(text)
  const [first] = rows
  return rows.length === 1 && first !== undefined && !namesField(lines, Object.keys(first)) ? first : rows
}

function readJsonLines(text: string): Readonly<Record<string, unknown>>[] {
  const rows: Readonly<Record<string, unknown>>[] = []
  for (let start = 0, number = 1; start < text.length; number += 1) {
    const next = text.indexOf('\n', start)
    const end = next < 0 ? text.length : next
    const line = text.slice(start, end).trim()
    if (line !== '') rows.push(readJsonLine(line, number))
    start = end + 1
  }
  return rows
}

function readJsonLine(line: string, number: number): Readonly<Record<string, unknown>> {
  let row: unknown
  try {
    row = readJson(line)
  } catch (thrown) {
    throw new BadLine(number, thrown instanceof TooDeep ? 'is nested too deep' : 'is not valid JSON')
  }
  if (!isObject(row)) throw new BadLine(number, 'is no object')
  return row
}

function readNames(lines: RowLines, names: readonly string[]): readonly string[] {
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  if (twice !== undefined) throw new BadLine(1, `names ${JSON.stringify(twice)} twice`)
  if (!namesField(lines, names)) throw new BadLine(1, 'names no documented field')
  return names
}

function readCsv(lines: RowLines, text: string): unknown {
  if (csv === undefined) throw new Error('the reader of CSV is not loaded')
  const rows: Readonly<Record<string, unknown>>[] = []
  let columns: readonly (readonly [name: string, convert: Convert])[] | undefined
  const readRecord = (values: readonly string[]): null => {
    if (columns === undefined) columns = readNames(lines, values).map((name) => [name, lines.columns.get(name) ?? keepText])
    else rows.push(Object.fromEntries(columns.map(([name, convert], at) => [name, values[at] ? convert(values[at]) : null])))
    return null // it keeps none
  }
  try {
    csv.parse(text, { skip_empty_lines: true, on_record: readRecord })
  } catch (thrown) {
    throw toBadLine(thrown)
  }
  return rows
}

function toBadLine(thrown: unknown): unknown {
  if (csv === undefined || !(thrown instanceof csv.CsvError)) return thrown
  const isUneven = thrown.code === 'CSV_RECORD_INCONSISTENT_FIELDS_LENGTH'
  const line = Number(thrown['lines'])
  return new BadLine(line, isUneven ? 'has more or fewer values than line 1' : 'is not valid CSV')
}

// In UTF-8, bytes below 0x80 stand only for these characters.
const [quote, comma, opens, closes, opensObject, closesObject, colon, backslash] = [0x22, 0x2c, 0x5b, 0x5d, 0x7b, 0x7d, 0x3a, 0x5c]
/** Longest number that is accepted, in bytes. */
const longestNumber = 1_000

const isSpace = (byte: number | undefined): boolean => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09

/** Returns the index of the next byte that is no space. */
function skipSpaces(json: Buffer, from: number): number {
  let index = from
  while (isSpace(json[index])) index += 1
  return index
}

const isHex = (byte = 0): boolean => (byte >= 0x30 && byte <= 0x39) || (byte >= 0x41 && byte <= 0x46) || (byte >= 0x61 && byte <= 0x66)
/** Bytes that may follow a backslash, `u` aside: " \ / b f n r t. */
const escaped: ReadonlySet<number | undefined> = new Set([quote, backslash, 0x2f, 0x62, 0x66, 0x6e, 0x72, 0x74])

/** Returns the index after the escape that begins at an index; -1 for an invalid one. */
function skipEscape(json: Buffer, at: number): number {
  if (escaped.has(json[at + 1])) return at + 2
  const isUnicode = json[at + 1] === 0x75 && isHex(json[at + 2]) && isHex(json[at + 3]) && isHex(json[at + 4]) && isHex(json[at + 5])
  return isUnicode ? at + 6 : -1
}

/** Returns the index after the string that begins at an index; -1 for an invalid one. */
function skipString(json: Buffer, at: number): number {
  for (let index = at + 1; index < json.length; ) {
    const byte = json[index] ?? 0
    if (byte === quote) return index + 1
    if (byte < 0x20) return -1
    index = byte === backslash ? skipEscape(json, index) : index + 1
    if (index < 0) return -1
  }
  return -1
}

/** Returns the index after a string without checking its characters; the end of the bytes if the string does not end. */
export function skipUncheckedString(json: Buffer, from: number): number {
  for (let end = json.indexOf(quote, from + 1); end >= 0; end = json.indexOf(quote, end + 1)) {
    let last = end - 1
    while (json[last] === backslash) last -= 1
    if ((end - last) % 2 === 1) return end + 1
  }
  return json.length
}

const word = /^(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)$/

/** Returns the index after a number, `true`, `false` or `null`; -1 for anything else. */
function skipWord(json: Buffer, at: number): number {
  let end = at
  for (let byte = json[end] ?? 0; end - at < longestNumber; byte = json[end] ?? 0) {
    const isPart =
      (byte >= 0x30 && byte <= 0x39) || (byte >= 0x61 && byte <= 0x7a) || byte === 0x45 || byte === 0x2b || byte === 0x2d || byte === 0x2e
    if (!isPart) break
    end += 1
  }
  return word.test(json.toString('latin1', at, end)) ? end : -1
}

/** Returns the index after the array or object whose opening bracket stands at an index; -1 for an invalid one. */
function skipMembers(json: Buffer, at: number, depth: number): number {
  const hasNames = json[at] === opensObject
  const closing = hasNames ? closesObject : closes
  let index = skipSpaces(json, at + 1)
  if (json[index] === closing) return index + 1
  for (;;) {
    if (hasNames) {
      const name = json[index] === quote ? skipString(json, index) : -1
      const mark = name < 0 ? -1 : skipSpaces(json, name)
      if (mark < 0 || json[mark] !== colon) return -1
      index = skipSpaces(json, mark + 1)
    }
    const end = skipCheckedValue(json, index, depth)
    if (end < 0) return -1
    index = skipSpaces(json, end)
    if (json[index] === closing) return index + 1
    if (json[index] !== comma) return -1
    index = skipSpaces(json, index + 1)
  }
}

function skipCheckedValue(json: Buffer, at: number, depth: number): number {
  const byte = json[at]
  if (byte === quote) return skipString(json, at)
  if (byte !== opens && byte !== opensObject) return skipWord(json, at)
  return depth === 0 ? -1 : skipMembers(json, at, depth - 1)
}

/** Returns whether bytes are one JSON value of at most 64 levels. Does not check that the bytes are UTF-8. */
export function isJson(json: Buffer): boolean {
  const end = skipCheckedValue(json, skipSpaces(json, 0), deepestJson)
  return end >= 0 && skipSpaces(json, end) === json.length
}

/**
 * Releases the memory of bytes at once. V8's young collections leave such bytes, so otherwise tens of megabytes stay until a full garbage
 * collection. Only for bytes that no other code holds.
 */
export function freeBytes({ buffer, byteLength }: Buffer): void {
  // Small buffers share their memory with others (Buffer.poolSize).
  if (buffer instanceof ArrayBuffer && byteLength > Buffer.poolSize) buffer.transfer(0)
}

/** Size in bytes from which a body keeps its rows raw; smaller bodies are parsed at once. */
const largeBody = 65_536
/** Maximum number of rows per batch, and the size in bytes that ends a batch. */
const [batchRows, batchBytes] = [256, 524_288]

/** Counts the elements of an array while it is skipped. */
interface Counter {
  commas: number
}

/**
 * Returns the index after the array or object that begins at an index; the end of the bytes if it does not end.
 * @param counter counts the commas between its own members
 */
function skipNested(json: Buffer, from: number, counter?: Counter): number {
  let depth = 0
  let commas = 0
  let index = from
  while (index < json.length) {
    const byte = json[index]
    if (byte === quote) {
      index = skipUncheckedString(json, index)
      continue
    }
    index += 1
    if (byte === opens || byte === opensObject) depth += 1
    else if (byte === closes || byte === closesObject) depth -= 1
    else if (byte === comma && depth === 1) commas += 1
    if (depth === 0) break
  }
  if (counter !== undefined) counter.commas = commas
  return index
}

/** Returns the index after the next value. */
function skipValue(json: Buffer, from: number, counter?: Counter): number {
  let index = skipSpaces(json, from)
  const first = json[index]
  if (first === quote) return skipUncheckedString(json, index)
  if (first === opens || first === opensObject) return skipNested(json, index, counter)
  for (; index < json.length; index += 1) {
    const byte = json[index]
    if (byte === comma || byte === closes || byte === closesObject) break
  }
  return index
}

/** A member's value in the bytes, with the number of commas between the members of the value. */
interface Member extends Readonly<Counter> {
  readonly start: number
  readonly end: number
}

/** Finds the value of an object's member, the last with the name; undefined without one, or if the bytes are no object. */
function findMember(json: Buffer, name: string): Member | undefined {
  let found: Member | undefined
  let index = skipSpaces(json, 0)
  if (json[index] !== opensObject) return undefined
  do {
    const key = skipSpaces(json, index + 1)
    const mark = skipSpaces(json, skipValue(json, key))
    if (json[mark] !== colon) return undefined
    const start = skipSpaces(json, mark + 1)
    const counter: Counter = { commas: 0 }
    const end = skipValue(json, start, counter)
    if (json.toString('utf8', key, mark).trim() === JSON.stringify(name)) found = { start, end, commas: counter.commas }
    index = skipSpaces(json, end)
  } while (json[index] === comma)
  return found
}

const readSlice = (json: Buffer, from: number, to: number): readonly unknown[] => {
  const rows = readJson(`[${json.toString('utf8', from, to)}]`)
  return Array.isArray(rows) ? rows : [] // an array, because the brackets make one
}

/** A JSON value as bytes (UTF-8). */
export class RawJson {
  readonly bytes: Buffer
  readonly #isShared: boolean
  #holders = 1

  /** @param isShared true if the memory of the bytes has others too, which are still read */
  constructor(bytes: Buffer, isShared = false) {
    this.bytes = bytes
    this.#isShared = isShared
  }

  /** Adds a holder of the bytes beside their maker. Each holder calls `release`. */
  hold(): void {
    this.#holders += 1
  }

  /** Releases the memory after the last holder; the bytes are empty then. */
  release(): void {
    this.#holders -= 1
    if (this.#holders === 0 && !this.#isShared) freeBytes(this.bytes)
  }

  /** Parses the value, for JSON writers that do not know raw values. */
  toJSON(): unknown {
    return readJson(this.bytes.toString())
  }
}

/** A JSON array of rows as bytes (UTF-8), brackets included. */
export class RawRows extends RawJson {
  /** Number of rows, if known. */
  readonly count: number | undefined

  constructor(bytes: Buffer, count?: number, isShared?: boolean) {
    super(bytes, isShared)
    this.count = count
  }

  /** Parses the rows in batches. @throws SyntaxError if the bytes are not a JSON array */
  *batches(): Generator<readonly unknown[], void, undefined> {
    const { bytes } = this
    let start = skipSpaces(bytes, 1)
    if (bytes[start] === closes) return
    for (let index = start, rows = 1; ; rows += 1) {
      const end = skipValue(bytes, index)
      const next = skipSpaces(bytes, end)
      const isLast = bytes[next] !== comma
      if (isLast && next !== bytes.length - 1) throw new SyntaxError(`rows end at ${next} of ${bytes.length}`)
      const isFull = rows === batchRows || end - start >= batchBytes
      if (isLast || isFull) yield readSlice(bytes, start, end)
      if (isLast) return
      if (isFull) [start, rows] = [next + 1, 0]
      index = next + 1
    }
  }

  /** Parses all rows, for JSON writers that do not know raw rows. */
  override toJSON(): readonly unknown[] {
    return [...this.batches()].flat()
  }
}

/** Members of an answer that can be raw: of our own form, and of the envelope of existing clients. */
const rawMembers = ['data', 'result'] as const

/** Stands for raw rows while the JSON around them is written. Random, so that no vendor's string contains it. */
const mark = randomUUID()

/**
 * Writes the JSON of a value (UTF-8) in parts. A raw value, a raw `data` or the raw `data` of that is copied unchanged.
 * @returns undefined if nothing is raw
 */
export function splitRawJson(value: unknown): { readonly parts: readonly Buffer[]; readonly raw: RawJson } | undefined {
  const found = findRawJson(value)
  if (found === undefined) return undefined
  const [before = '', after = ''] = writeJson(found.marked).split(JSON.stringify(mark))
  return { parts: [Buffer.from(before), found.raw.bytes, Buffer.from(after)], raw: found.raw }
}

function findRawJson(value: unknown): { readonly raw: RawJson; readonly marked: unknown } | undefined {
  if (value instanceof RawJson) return { raw: value, marked: mark }
  const name = isObject(value) ? rawMembers.find((each) => each in value) : undefined
  if (!isObject(value) || name === undefined) return undefined
  const found = findRawJson(value[name])
  return found === undefined ? undefined : { raw: found.raw, marked: { ...value, [name]: found.marked } }
}

/** Returns whether a value is rows, parsed or raw. */
export const isRows = (value: unknown): value is readonly unknown[] | RawRows => Array.isArray(value) || value instanceof RawRows
/**
 * Parses the body of an answer. The rows of a large body (its member `data`) stay raw.
 * @param how `checked` verifies that raw rows are JSON; `unread` does not
 * @throws SyntaxError if the body is not JSON
 */
export function readBodyWithRows(json: Buffer, how: 'checked' | 'unread'): unknown {
  const at = json.length < largeBody || !isUtf8(json) ? undefined : findMember(json, 'data')
  if (at === undefined || json[at.start] !== opens) return readJson(json.toString())
  const isEmpty = json[skipSpaces(json, at.start + 1)] === closes
  const rows = new RawRows(json.subarray(at.start, at.end), isEmpty ? 0 : at.commas + 1)
  if (how === 'checked' && !isJson(rows.bytes)) return readJson(json.toString()) // which throws, or accepts what isJson refused
  const body = readJson(`${json.toString('utf8', 0, at.start)}[]${json.toString('utf8', at.end)}`)
  if (isObject(body)) body['data'] = rows
  return body
}
