/**
 * Rows of a large result, as the bytes in which they came. Read all at once, some ten thousand arrays are alive together and memory
 * grows by many times the bytes; read in batches, they are gone before the next ones come, and who only hands them on reads none.
 */
import { isUtf8 } from 'node:buffer'
import { randomUUID } from 'node:crypto'
import { isObject } from '../definition/object.ts'
import { freeBytes } from './http-body.ts'
import { readJson, writeJson } from './json.ts'
import { afterSpaces, afterText, isJson } from './json-bytes.ts'

/** Bodies from this length on keep their rows raw, in bytes; smaller ones are read at once. */
const largeBody = 65_536
/** Rows that are read together, and the bytes after which no more are. */
const [batchRows, batchBytes] = [256, 524_288]

// The bytes of UTF-8 below 0x80 stand for nothing but these characters.
const [quote, comma, opens, closes, opensObject, closesObject, colon] = [0x22, 0x2c, 0x5b, 0x5d, 0x7b, 0x7d, 0x3a]

/** The index behind an array or object that begins at an index; the end where it does not end. */
function afterNested(json: Buffer, from: number): number {
  let depth = 0
  for (let index = from; index < json.length; ) {
    const byte = json[index]
    if (byte === quote) {
      index = afterText(json, index)
      continue
    }
    index += 1
    if (byte === opens || byte === opensObject) depth += 1
    else if (byte === closes || byte === closesObject) depth -= 1
    if (depth === 0) return index
  }
  return json.length
}

/** The index behind the value that comes next. */
function afterValue(json: Buffer, from: number): number {
  let index = afterSpaces(json, from)
  const first = json[index]
  if (first === quote) return afterText(json, index)
  if (first === opens || first === opensObject) return afterNested(json, index)
  for (; index < json.length; index += 1) {
    const byte = json[index]
    if (byte === comma || byte === closes || byte === closesObject) break
  }
  return index
}

/** Where the value of a member of an object lies, the last one of the name; undefined where there is none, or the bytes are no object. */
function memberOf(json: Buffer, name: string): { readonly start: number; readonly end: number } | undefined {
  let found: { readonly start: number; readonly end: number } | undefined
  let index = afterSpaces(json, 0)
  if (json[index] !== opensObject) return undefined
  do {
    const key = afterSpaces(json, index + 1)
    const mark = afterSpaces(json, afterValue(json, key))
    if (json[mark] !== colon) return undefined
    const start = afterSpaces(json, mark + 1)
    const end = afterValue(json, start)
    if (json.toString('utf8', key, mark).trim() === JSON.stringify(name)) found = { start, end }
    index = afterSpaces(json, end)
  } while (json[index] === comma)
  return found
}

const read = (json: Buffer, from: number, to: number): readonly unknown[] => {
  const rows = readJson(`[${json.toString('utf8', from, to)}]`)
  return Array.isArray(rows) ? rows : [] // it is one: it has the brackets of one
}

/** A JSON value as bytes (UTF-8). */
export class RawJson {
  readonly bytes: Buffer
  #holders = 1

  constructor(bytes: Buffer) {
    this.bytes = bytes
  }

  /** One more needs the bytes, beside who made them, and releases them too. */
  hold(): void {
    this.#holders += 1
  }

  /** Gives the memory back once nobody needs the bytes; nothing is left of them then. */
  release(): void {
    this.#holders -= 1
    if (this.#holders === 0) freeBytes(this.bytes)
  }

  /** The value, for writers of JSON that do not know of raw ones. */
  toJSON(): unknown {
    return readJson(this.bytes.toString())
  }
}

/** A JSON array of rows as bytes (UTF-8), brackets included. */
export class RawRows extends RawJson {
  /** How many there are, where that is known. */
  readonly count: number | undefined

  constructor(bytes: Buffer, count?: number) {
    super(bytes)
    this.count = count
  }

  /**
   * Reads the rows, some at a time.
   * @throws SyntaxError where the bytes are not the JSON of an array
   */
  *batches(): Generator<readonly unknown[], void, undefined> {
    const { bytes } = this
    let start = afterSpaces(bytes, 1)
    if (bytes[start] === closes) return
    for (let index = start, rows = 1; ; rows += 1) {
      const end = afterValue(bytes, index)
      const next = afterSpaces(bytes, end)
      const isLast = bytes[next] !== comma
      if (isLast && next !== bytes.length - 1) throw new SyntaxError(`rows end at ${next} of ${bytes.length}`)
      const isFull = rows === batchRows || end - start >= batchBytes
      if (isLast || isFull) yield read(bytes, start, end)
      if (isLast) return
      if (isFull) [start, rows] = [next + 1, 0]
      index = next + 1
    }
  }

  /** All rows, for writers of JSON that do not know of raw ones. */
  override toJSON(): readonly unknown[] {
    return [...this.batches()].flat()
  }
}

/** Stands for raw rows while the JSON around them is written; no text of a vendor can know it. */
const mark = randomUUID()

/**
 * The JSON of a value (UTF-8), in parts: what is raw of it goes in as it came, be it the value, its `data`, or the `data` of that.
 * Undefined where nothing is raw.
 */
export function rawParts(value: unknown): { readonly parts: readonly Buffer[]; readonly raw: RawJson } | undefined {
  const found = rawIn(value)
  if (found === undefined) return undefined
  const [before = '', after = ''] = writeJson(found.marked).split(JSON.stringify(mark))
  return { parts: [Buffer.from(before), found.raw.bytes, Buffer.from(after)], raw: found.raw }
}

function rawIn(value: unknown): { readonly raw: RawJson; readonly marked: unknown } | undefined {
  if (value instanceof RawJson) return { raw: value, marked: mark }
  const found = isObject(value) && 'data' in value ? rawIn(value['data']) : undefined
  return isObject(value) && found !== undefined ? { raw: found.raw, marked: { ...value, data: found.marked } } : undefined
}

/** Whether a value is rows, read or not. */
export const isRows = (value: unknown): value is readonly unknown[] | RawRows => Array.isArray(value) || value instanceof RawRows

/**
 * Reads the body of an answer; the rows of a large one (its member `data`) stay raw.
 * @param how whether raw rows are read through once, so that they are known to be JSON
 * @throws SyntaxError where the body is not JSON
 */
export function bodyWithRows(json: Buffer, how: 'checked' | 'unread'): unknown {
  const at = json.length < largeBody || !isUtf8(json) ? undefined : memberOf(json, 'data')
  if (at === undefined || json[at.start] !== opens) return readJson(json.toString())
  const rows = new RawRows(json.subarray(at.start, at.end))
  if (how === 'checked' && !isJson(rows.bytes)) return readJson(json.toString()) // which says so, or knows better
  const body = readJson(`${json.toString('utf8', 0, at.start)}[]${json.toString('utf8', at.end)}`)
  if (isObject(body)) body['data'] = rows
  return body
}
