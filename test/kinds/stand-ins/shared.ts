/** What the stand-ins of vendors share: HTTP, seeded data and refusals on demand. Node only, nothing of ours. */
import { type KeyObject, verify } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text as readAll } from 'node:stream/consumers'

/** A record as the vendor stores and sends it. */
export type Row = Record<string, unknown>

/** A request with its body read. */
export interface Call {
  readonly method: string
  /** Path without the query. */
  readonly path: string
  readonly query: URLSearchParams
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** An answer. A body that is not a string is sent as JSON; without a body nothing is sent. */
export interface Answer {
  readonly status: number
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

/** Answers 200 with a body. */
export const ok = (body: unknown): Answer => ({ status: 200, body })

/** Ends a request with an answer of the vendor. */
export class Refusal extends Error {
  readonly answer: Answer
  constructor(answer: Answer) {
    super(`refused with ${answer.status}`)
    this.answer = answer
  }
}

/** Writes JSON; a bigint becomes an integer with all its digits. */
export const writeJson = (value: unknown): string =>
  JSON.stringify(value, (_key, one: unknown) => (typeof one === 'bigint' ? `@digits:${one}` : one)).replaceAll(/"@digits:(\d+)"/g, '$1')

/** Returns a generator of numbers from 0 to 1 that gives the same numbers for the same seed (mulberry32). */
export function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
}

/** Returns the object that JSON holds, or undefined. */
export function readObject(text: string): Row | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isRow(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** Returns true for an object that is no array. */
export const isRow = (value: unknown): value is Row => typeof value === 'object' && value !== null && !Array.isArray(value)

/** Returns the value at a path of names. */
export const at = (value: unknown, path: string): unknown =>
  path.split('.').reduce<unknown>((inner, name) => (isRow(inner) ? inner[name] : undefined), value)

/** Returns the names that are not allowed. */
export const unknownNames = (names: Iterable<string>, allowed: readonly string[]): string[] =>
  [...names].filter((name) => !allowed.includes(name))

/** Refuses the first name that is not allowed. Many vendors ignore those; stand-ins refuse them, because each is a mistake of a definition. */
export function refuseUnknown(names: Iterable<string>, allowed: readonly string[], refuse: (name: string) => Error): void {
  const [unknown] = unknownNames(names, allowed)
  if (unknown !== undefined) throw refuse(unknown)
}

/** Refuses fields that lack a name of a cell of a table. */
export function refuseLacking(fields: Row, needs: string | undefined, refuse: (name: string) => Error): void {
  const lacking = words(needs).find((name) => fields[name] === undefined)
  if (lacking !== undefined) throw refuse(lacking)
}

/** Returns the claims of a token that a key signed with RS256 (RFC 7519), if it is valid now. */
export function readAssertion(token: string, key: KeyObject): Row | undefined {
  const [head = '', body = '', signature = ''] = token.split('.')
  const claims = readObject(Buffer.from(body, 'base64url').toString())
  const alg = readObject(Buffer.from(head, 'base64url').toString())?.['alg']
  const isSigned = alg === 'RS256' && verify('sha256', Buffer.from(`${head}.${body}`), key, Buffer.from(signature, 'base64url'))
  return isSigned && Number(claims?.['exp']) > Date.now() / 1_000 ? claims : undefined
}

/** Reads a form with names such as `metadata[order_id]` and `items[0][price]`. */
export function readForm(text: string): Row {
  const form: Row = {}
  for (const [name, value] of new URLSearchParams(text)) {
    const path = name.split(/[[\]]+/).filter((part) => part !== '')
    let inner = form
    for (const part of path.slice(0, -1)) {
      const next = inner[part]
      const made = isRow(next) ? next : {}
      inner[part] = made
      inner = made
    }
    inner[path.at(-1) ?? ''] = value
  }
  return form
}

/**
 * Reads a table of resources: a line for each, its cells between bars, named by the first line.
 * @returns the cells of each line by the name in its first cell
 */
export function readTable(text: string): Map<string, Readonly<Record<string, string>>> {
  const [head = [], ...lines] = text
    .trim()
    .split('\n')
    .map((line) => line.split('|').map((cell) => cell.trim()))
  return new Map(lines.map((line) => [line[0] ?? '', Object.fromEntries(head.map((name, index) => [name, line[index] ?? '']))]))
}

/** Returns the words of a cell of a table. */
export const words = (cell: string | undefined): string[] => (cell ?? '').split(' ').filter((word) => word !== '')

/** Returns the number or boolean that a text of a form stands for, or the text. */
export const typed = (value: unknown): unknown =>
  value === 'true' || value === 'false' ? value === 'true' : typeof value === 'string' && /^-?\d{1,15}$/.test(value) ? Number(value) : value

/** Orders two values: numbers by size, texts by their characters. */
function order(a: unknown, b: unknown): number {
  if (typeof a === 'number') return a - Number(b)
  const [left, right] = typeof a === 'bigint' ? [a, BigInt(String(b))] : [String(a), String(b)]
  return left < right ? -1 : left > right ? 1 : 0
}

/** Sorts by fields, the first one first; records with the same values keep their order. */
export function sortBy(rows: readonly Row[], fields: readonly string[], isAscending: boolean): Row[] {
  const compare = (a: Row, b: Row) => fields.reduce((known, field) => known || order(at(a, field), at(b, field)), 0)
  return rows.toSorted((a, b) => compare(a, b) * (isAscending ? 1 : -1))
}

/** A page of a sorted list: its order, its size and, but for the first page, a cursor. */
export interface AskedPage {
  readonly by: readonly string[]
  /** True if omitted. */
  readonly isAscending?: boolean
  readonly size: number
  readonly cursor: unknown
}

/** A page with the cursor behind its last record, which is `next` too if more records follow. */
export interface Page {
  readonly data: Row[]
  readonly last: string | undefined
  readonly next: string | undefined
}

/** Cuts a page. Its cursor holds the values of the last record, so what is deleted or moved meanwhile shifts nothing. */
function cutPage(rows: readonly Row[], { by, isAscending = true, size, cursor }: AskedPage, refusal: Refusal): Page {
  const isFirst = cursor === undefined || cursor === null
  const position = isFirst ? undefined : unseal(String(cursor))?.['behind']
  if (!isFirst && !Array.isArray(position)) throw refusal
  const isBehind = (row: Row) =>
    !Array.isArray(position) ||
    by.reduce((known, field, index) => known || order(at(row, field), position[index]), 0) * (isAscending ? 1 : -1) > 0
  const left = sortBy(rows, by, isAscending).filter(isBehind)
  const data = left.slice(0, size)
  const end = data.at(-1)
  const last = end && seal({ behind: by.map((field) => String(at(end, field))) })
  return { data: structuredClone(data), last, next: left.length > size ? last : undefined }
}

/** Makes a cursor that says nothing to its reader. */
export const seal = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')

/** Reads a cursor of `seal`, or returns undefined for any other text. */
export function unseal(cursor: string): Row | undefined {
  return readObject(Buffer.from(cursor, 'base64url').toString())
}

/** Records in the order in which they were made. Deleted ones keep their position, because positions can name them. */
export class Table {
  readonly all: Row[] = []
  readonly #deleted = new Set<Row>()
  readonly isDeleted = (row: Row): boolean => this.#deleted.has(row)
  add(row: Row): Row {
    this.all.push(row)
    return row
  }
  /** Returns what is not deleted and fits. */
  live(fits: (row: Row) => boolean = () => true): Row[] {
    return this.all.filter((row) => !this.#deleted.has(row) && fits(row))
  }
  /** Returns the record with a value, deleted or not. */
  find(value: unknown, field = 'id'): Row | undefined {
    return this.all.find((row) => String(row[field]) === String(value))
  }
  /** Returns the record with a value; a deleted one is refused like one that never was. */
  need(value: unknown, refusal: Refusal, field = 'id'): Row {
    const row = this.find(value, field)
    if (row === undefined || this.isDeleted(row)) throw refusal
    return row
  }
  delete(row: Row): void {
    this.#deleted.add(row)
  }
}

/** Returns a vendor's tables by name; each is made when it is first asked for. */
export function tables(): (name: unknown) => Table {
  const made = new Map<unknown, Table>()
  return (name) => {
    const table = made.get(name) ?? new Table()
    made.set(name, table)
    return table
  }
}

/** What every stand-in takes. */
export interface Sizes {
  readonly seed?: number
  /** How many times smaller pages and lists of a fixed length are: vendors may answer with fewer records than a page was asked for. */
  readonly smaller?: number
}

/** A vendor: subclasses answer requests. */
export abstract class Vendor implements AsyncDisposable {
  /** Every request, the first one first. */
  readonly calls: Call[] = []
  /** Runs after each page of a list was made, before the next one can be asked for: a change during a walk. */
  between: (() => void) | undefined
  /** Number of writes to come that are carried out, and whose answer is lost. */
  lostAnswers = 0
  /** Records that were deleted where the vendor has no sign of it. */
  readonly vanished: Row[] = []
  /** Answers to the next requests, instead of the vendor's own. */
  readonly next: Answer[] = []
  origin = ''
  protected readonly random: () => number
  #server: Server | undefined
  #made = 0
  readonly #smaller: number

  constructor(seed: number, smaller: number) {
    this.random = seeded(seed)
    this.#smaller = smaller
  }

  /** Returns the number of records of a page of this size. */
  protected pageSize(size: number): number {
    return Math.min(size, Math.max(10, Math.ceil(size / this.#smaller)))
  }

  /** Returns the length of a list that has a fixed length: three pages or more. */
  protected fixed(count: number): number {
    return Math.min(count, Math.max(25, Math.ceil(count / this.#smaller)))
  }

  /** Cuts a page out of a list, and then lets happen what happens between pages. A cursor that is not one is refused. */
  protected cut(rows: readonly Row[], asked: AskedPage, refusal: Refusal): Page {
    const page = cutPage(rows, asked, refusal)
    this.between?.()
    return page
  }

  /** Deletes a record where the vendor has no sign of it. */
  protected vanish(table: Table, row: Row): void {
    table.delete(row)
    this.vanished.push(row)
  }

  protected abstract answer(call: Call): Answer

  /** Changes, adds and deletes records. */
  abstract mutate(): void

  /** Returns what the vendor holds of a kind of record, as a complete list would return it. */
  abstract holds(what: string): readonly Row[]

  /** Returns the next number of the vendor's own counter. */
  protected serial(): number {
    this.#made += 1
    return this.#made
  }

  /** Returns one of the values. */
  protected pick<T>(values: readonly T[]): T {
    const value = values[Math.floor(this.random() * values.length)]
    if (value === undefined) throw new Error('nothing to pick from')
    return value
  }

  readonly #replays = new Map<string, { readonly request: string; readonly answer: Answer }>()

  /** Carries a write out once for each key, and answers the same again; another request with the key is refused. */
  protected once(key: unknown, call: Call, write: () => Answer, other: Refusal): Answer {
    if (typeof key !== 'string') return write()
    const request = `${call.method} ${call.path} ${call.body}`
    const known = this.#replays.get(key)
    if (known !== undefined && known.request !== request) throw other
    const answer = known?.answer ?? write()
    this.#replays.set(key, { request, answer })
    return answer
  }

  /** Forgets the keys of repeated writes, as vendors do after a while. */
  forgetKeys(): void {
    this.#replays.clear()
  }

  /** Listens on a free port of this machine. */
  async listen(): Promise<this> {
    const server = createServer({ maxHeaderSize: 65_536 }, (request, response) => {
      this.#serve(request, response).catch((error: unknown) => {
        response.statusCode = 599 // a fault of the stand-in, which no vendor answers
        response.end(String(error))
      })
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    this.#server = server
    const address = server.address() as AddressInfo // a TCP server has an address with a port
    this.origin = `http://127.0.0.1:${address.port}`
    return this
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#server === undefined) return
    this.#server.closeAllConnections()
    this.#server.close()
    await once(this.#server, 'close')
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://stand-in')
    const { method = 'GET', headers } = request
    const call: Call = { method, headers, path: url.pathname, query: url.searchParams, body: await readAll(request) }
    this.calls.push(call)
    const { status, body, headers: more = {} } = this.next.shift() ?? this.#answer(call)
    if (method !== 'GET' && status < 300 && this.lostAnswers > 0) {
      this.lostAnswers -= 1
      response.destroy()
      return
    }
    const text = typeof body === 'string' ? body : body === undefined ? '' : writeJson(body)
    response.writeHead(status, { ...(body === undefined ? {} : { 'content-type': 'application/json; charset=utf-8' }), ...more })
    response.end(text)
  }

  #answer(call: Call): Answer {
    try {
      return this.answer(call)
    } catch (error) {
      if (error instanceof Refusal) return error.answer
      throw error
    }
  }
}
