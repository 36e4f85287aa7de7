/**
 * Compares the rows of a result in parts with the numbers that the vendor declares. Only the first part carries the numbers of all parts, so
 * the process remembers them. A part that came shorter or longer must not pass as whole.
 */
import { isObject } from '../../definition/object.ts'
import type { PartPages } from '../../definition/page.ts'
import { writeJson } from '../../values/json/json.ts'
import { failInvalidAnswer } from '../call/answer.ts'
import type { CompiledOperation, Params } from '../call/operation.ts'
import { findPartPages, isInParts } from '../call/page-records.ts'
import type { Connection } from '../connection.ts'
import { getAt, parsePath } from '../json/paths.ts'
import { isRows, RawRows } from '../json/raw-rows.ts'

/** Declared rows by part; undefined where the vendor declares none. */
type DeclaredRows = readonly (number | undefined)[]

/** Maximum number of remembered results, and of their parts together. */
const [mostResults, mostParts] = [1_000, 200_000]

/** Remembers the declared rows of results. Forgets the oldest; their first part is requested again when it matters. */
export class DeclaredResults {
  readonly #results = new Map<string, DeclaredRows>()
  #parts = 0

  get(result: string): DeclaredRows | undefined {
    return this.#results.get(result)
  }

  set(result: string, rows: DeclaredRows): void {
    this.#forget(result)
    this.#results.set(result, rows)
    this.#parts += rows.length
    for (const oldest of this.#results.keys()) {
      if (oldest === result || (this.#results.size <= mostResults && this.#parts <= mostParts)) return
      this.#forget(oldest)
    }
  }

  #forget(result: string): void {
    this.#parts -= this.#results.get(result)?.length ?? 0
    this.#results.delete(result)
  }
}

/** What decides on the rows of an answer. */
interface Of {
  readonly operation: CompiledOperation
  readonly params: Params
  readonly connection: Connection
  readonly runtime: { readonly declared: DeclaredResults }
}

/** Names a result of this account; undefined without its handle. */
function nameResult({ connection, params }: Of, { parts, read }: PartPages, body?: unknown): string | undefined {
  const handle = getAt(body, parsePath(read[parts.handle.meta] ?? '')) ?? params[parts.handle.param]
  if (typeof handle !== 'string') return undefined
  return writeJson([connection.kind.definition.kind, connection.configuration, connection.origin ?? null, handle.toLowerCase()])
}

/** Reads how many rows each part has; undefined in an answer that lists no parts. */
function readDeclared({ parts, read }: PartPages, body: unknown): DeclaredRows | undefined {
  const listed = getAt(body, parsePath(read[parts.known] ?? ''))
  if (!Array.isArray(listed)) return undefined
  return listed.map((part) => {
    const rows = getAt(part, parsePath(parts.rows?.part ?? ''))
    return typeof rows === 'number' ? rows : undefined
  })
}

/** Compares the declared rows of all parts with those of the result. */
function checkSum({ operation }: Of, { parts }: PartPages, { body, declared }: { body: unknown; declared: DeclaredRows }): void {
  const all = getAt(body, parsePath(parts.rows?.all ?? ''))
  const sum = declared.reduce((known, rows) => (known === undefined || rows === undefined ? undefined : known + rows), 0)
  if (typeof all !== 'number' || sum === undefined || sum === all) return
  throw failInvalidAnswer(operation, `the parts of the result have ${sum} rows together instead of ${all}`)
}

/**
 * Reads the rows of a result in parts. JSON of a proxy must not pass for a successful write.
 * @throws FerruleError `upstream_answer_invalid` without rows
 */
export function readPartRows(operation: CompiledOperation, body: unknown): readonly unknown[] | RawRows {
  const rows = isObject(body) ? body['data'] : undefined
  if (!isRows(rows)) throw failInvalidAnswer(operation, 'there are no rows in it')
  return rows
}

/**
 * Compares the rows of an answer with those that the vendor declared for its part, now or with the first part.
 * @throws FerruleError `upstream_answer_invalid` naming the part
 */
export function checkDeclared(of: Of, body: unknown, rows: readonly unknown[] | RawRows): void {
  const { operation, params, runtime } = of
  const page = findPartPages(operation)
  const result = page === undefined ? undefined : nameResult(of, page, body)
  if (page === undefined || result === undefined) return
  const declared = readDeclared(page, body)
  if (declared !== undefined) {
    runtime.declared.set(result, declared)
    checkSum(of, page, { body, declared })
  }
  const part = Number(params[page.parts.number] ?? 0)
  const expected = runtime.declared.get(result)?.[part]
  const count = rows instanceof RawRows ? rows.count : rows.length
  if (expected === undefined || count === undefined || count === expected) return
  if (rows instanceof RawRows) rows.release()
  throw failInvalidAnswer(operation, `part ${part} of the result has ${count} rows instead of ${expected}`)
}

/** Returns whether the rows of an answer are those that its first part declared. */
export function isAsDeclared(of: Of, body: unknown): boolean {
  if (!isInParts(of.operation)) return true
  const rows = readPartRows(of.operation, body)
  try {
    checkDeclared(of, body, rows)
    return true
  } catch {
    return false // the next request of the part reports it
  }
}

/** A later part of a result of which nothing is remembered. */
export interface Undeclared {
  /** The parameters that ask for the first part. */
  readonly first: Params
  /** Remembers that the vendor declares nothing, so that the first part is requested once only. */
  readonly settle: () => void
}

/** Returns how to find out what a part should have; undefined if it is known, or if the call asks for no later part. */
export function findUndeclared(of: Of): Undeclared | undefined {
  const { operation, params, runtime } = of
  const page = findPartPages(operation)
  const number = page?.parts.number ?? ''
  const isLater = page?.parts.rows !== undefined && Number(params[number] ?? 0) > 0
  const result = isLater ? nameResult(of, page) : undefined
  if (result === undefined || runtime.declared.get(result) !== undefined) return undefined
  const settle = () => {
    if (runtime.declared.get(result) === undefined) runtime.declared.set(result, [])
  }
  return { first: { ...params, [number]: 0 }, settle }
}
