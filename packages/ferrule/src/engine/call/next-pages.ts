/** Pages of any vendor: the position of the next page as an opaque cursor, which fits its connector, its list and its filters only. */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { isObject } from '../../definition/object.ts'
import { cursorName, everyRow, type NextPages, type SearchCap, sizeName } from '../../definition/page.ts'
import { FerruleError, withHint } from '../../errors.ts'
import { readJson, writeJson } from '../../values/json/json.ts'
import type { Connection } from '../connection.ts'
import { readHeader, readHeaders } from '../http/http.ts'
import { buildPrefix, listOwnOrigins } from '../http/origin.ts'
import { getAt, parsePath, sortKeys, withAt } from '../json/paths.ts'
import { failInvalidAnswer, findList, type WireAnswer } from './answer.ts'
import { type CompiledOperation, failParameter, type Params } from './operation.ts'
import { findLink, findNextPages, type ListMeta } from './page-records.ts'

/** A position: what the vendor named, a number that the engine counted, or the path and query of a URL. */
export type Position = string | number | bigint

/** Key of cursors for connections without one of their own: they end with the process. */
const processKey = randomBytes(32)

/** Computes the code that binds a position to its connector, its list and its filters (HMAC with SHA-256, 128 bits of it). */
function sign(connection: Connection, { entityName, action, kind }: CompiledOperation, { params, text }: { params: Params; text: string }) {
  const { [cursorName]: _cursor, [sizeName]: _size, ...filters } = params
  return createHmac('sha256', connection.cursorKey ?? processKey)
    .update(writeJson([kind.definition.kind, entityName, action, sortKeys(filters), text]))
    .digest()
    .subarray(0, 16)
}

interface PageStart {
  /** Undefined for the first page of a search that started again. */
  readonly position: Position | undefined
  /** Number of rows before it, since the search started. */
  readonly before: number
  /** The record behind which a search started again, and the number of rows up to it. */
  readonly behind?: { readonly last: string; readonly rows: number } | undefined
}

/** Writes the start of a page as a cursor. @param params as the caller gave them, the cursor of this page included */
export function writeCursor(
  connection: Connection,
  operation: CompiledOperation,
  params: Params,
  { position, before, behind }: PageStart,
): string {
  const text = writeJson([position ?? null, before, ...(behind === undefined ? [] : [behind.last, behind.rows])])
  return Buffer.concat([sign(connection, operation, { params, text }), Buffer.from(text)]).toString('base64url')
}

const isPosition = (value: unknown): value is Position => ['string', 'number', 'bigint'].includes(typeof value)

/**
 * Reads the start of a page that a cursor names; undefined without one.
 * @throws FerruleError `invalid_parameter` for a cursor that another connector, another list or other filters made
 */
export function readCursor(connection: Connection, operation: CompiledOperation, params: Params): PageStart | undefined {
  const cursor = params[cursorName]
  if (cursor === undefined) return undefined
  const bytes = Buffer.from(String(cursor), 'base64url')
  const text = bytes.subarray(16).toString()
  const made = sign(connection, operation, { params, text })
  if (bytes.length > made.length && timingSafeEqual(bytes.subarray(0, made.length), made)) {
    const read: unknown = readJson(text)
    const [position, before, last, rows] = Array.isArray(read) ? read : []
    const behind = typeof last === 'string' && typeof rows === 'number' ? { last, rows } : undefined
    if (typeof before === 'number' && isPosition(position)) return { position, before, behind }
    if (typeof before === 'number' && behind !== undefined) return { position: undefined, before, behind }
  }
  const message = 'is not a position of this list with these filters: send next_params of the page before, or start again without it'
  throw failParameter(cursorName, message, 'position')
}

interface ListedPage {
  readonly answer: WireAnswer
  readonly body: unknown
  readonly listed: number
  /** Position that was asked for; undefined for the first page. */
  readonly asked: Position | undefined
  /** Number of rows that was asked for. */
  readonly size: number | undefined
}

const readValue = (operation: CompiledOperation, { answer, body }: ListedPage, from: string): unknown => {
  const [, source = '', name = ''] = /^(header|link|last):(.*)$/.exec(from) ?? []
  if (source === 'header') return readHeader(answer, name)
  if (source === 'link') return findLink(readHeaders(answer, 'link').join(', '), name)
  if (source === '') return getAt(body, parsePath(from))
  return getAt(findList(operation, body)?.at(-1), parsePath(name))
}

/** Reads whether the vendor says that there are more pages; undefined if it does not say. */
export function readMore({ more }: NextPages, body: unknown): boolean | undefined {
  if (more === undefined || more === everyRow) return undefined
  const isLast = more.startsWith('!')
  const flag = getAt(body, parsePath(isLast ? more.slice(1) : more))
  return typeof flag === 'boolean' ? flag !== isLast : undefined
}

/** Returns whether the answer has the position of the next page, and it is empty. */
export const isToldEnd = ({ position }: NextPages, body: unknown): boolean =>
  !/^(rows|pages|(header|link|last):.*)$/.test(position) && [null, ''].some((value) => getAt(body, parsePath(position)) === value)

const readTotal = ({ total }: NextPages, body: unknown): number | null => {
  const value = total === undefined ? undefined : getAt(body, parsePath(total))
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : null
}

/** Reads whether there can be more pages where no flag says it: an empty page is the last, or one that is not full. */
function canHaveMore({ position, more }: NextPages, listed: ListedPage): boolean | undefined {
  if (more === everyRow) return listed.listed > 0 ? undefined : false
  return position.startsWith('last:') ? listed.size !== undefined && listed.listed >= listed.size : undefined
}

const noPosition = 'there are more pages, and no position of the next one'

/** Counts to the next page, for vendors whose positions are numbers. Undefined after the last page. */
function countNext(operation: CompiledOperation, page: NextPages, { asked, listed, size = listed, body }: ListedPage): number | undefined {
  const isRows = page.position === 'rows'
  const start = typeof asked === 'number' ? asked : isRows ? 0 : (page.first ?? 1)
  const before = isRows ? start : (start - (page.first ?? 1)) * size
  const total = readTotal(page, body)
  const told = readMore(page, body)
  if (told === true && listed === 0) throw failInvalidAnswer(operation, noPosition)
  const more = told ?? (page.more === everyRow || (total === null ? listed >= size : before + listed < total))
  return more && listed > 0 ? start + (isRows ? listed : 1) : undefined
}

/**
 * Reads a URL of a next page as path and query.
 * @throws FerruleError `upstream_answer_invalid` for a URL on another host or above the connector's prefix: it would get the credentials
 */
function readPageUrl(connection: Connection, operation: CompiledOperation, value: string): string {
  const origins = listOwnOrigins(connection)
  const [first = ''] = origins
  const url = URL.canParse(value, first) ? new URL(value, first) : undefined
  const isOwn =
    url !== undefined &&
    origins.includes(url.origin) &&
    `${url.username}${url.password}${url.hash}` === '' &&
    `${url.pathname}/`.startsWith(`${buildPrefix(connection)}/`)
  if (!isOwn) throw failInvalidAnswer(operation, 'a next page that is not on the connector’s own address')
  return url.pathname + url.search
}

/** Finds the position of the next page; undefined after the last. */
function findNext(connection: Connection, operation: CompiledOperation, page: NextPages, listed: ListedPage): Position | undefined {
  if (page.position === 'rows' || page.position === 'pages') return countNext(operation, page, listed)
  const more = readMore(page, listed.body) ?? canHaveMore(page, listed)
  if (more === false) return undefined
  const value = readValue(operation, listed, page.position)
  if (value === undefined || value === null || value === '' || !isPosition(value)) {
    if (more === true) throw failInvalidAnswer(operation, noPosition)
    return undefined
  }
  const position = page.send === undefined ? readPageUrl(connection, operation, String(value)) : value
  if (position === listed.asked) throw failInvalidAnswer(operation, 'the next page is the same page again')
  return position
}

/** What a page is read of. */
export interface NextSource extends Pick<ListedPage, 'answer' | 'body'> {
  readonly listed: number | undefined
  /** Parameters as the caller gave them. */
  readonly given: Params
}

/** Reads the meta of a page, with the cursor of the next one. @throws FerruleError `upstream_answer_invalid` */
export function readNextMeta(connection: Connection, operation: CompiledOperation, page: NextPages, source: NextSource): ListMeta {
  const { given, listed = 0, ...read } = source
  const start = readCursor(connection, operation, given)
  const asked = start?.position
  const wanted = given[sizeName]
  const size = typeof wanted === 'number' ? wanted : page.size?.most
  const position = findNext(connection, operation, page, { ...read, listed, asked, size })
  const before = (start?.before ?? 0) + listed
  const total = readTotal(page, source.body)
  // Nobody counts the records that a condition leaves.
  const counts = { total_records: total === null || operation.operation.where !== undefined ? null : total + (start?.behind?.rows ?? 0) }
  if (position === undefined) return { cursor: null, ...counts, next_params: null }
  const next = findRestart(operation, page.cap, { ...read, given, start, before, size }) ?? { position, before, behind: start?.behind }
  const cursor = writeCursor(connection, operation, given, next)
  return { cursor, ...counts, next_params: { [cursorName]: cursor } }
}

const hasOwnOrder = ({ order }: SearchCap, params: Params): boolean => Object.keys(order).some((name) => params[name] !== undefined)

/** How far a search has come with a page. */
interface Reached extends Pick<NextSource, 'body' | 'given'>, Pick<ListedPage, 'size'> {
  readonly start: PageStart | undefined
  /** Number of rows since the search started. */
  readonly before: number
}

/**
 * Finds where a search starts again; undefined while the vendor has another page of it.
 * @throws FerruleError `upstream_answer_invalid` for rows in another order: a restart would lose some of them
 */
function findRestart(operation: CompiledOperation, cap: SearchCap | undefined, reached: Reached): PageStart | undefined {
  const { body, given, start, before, size = 0 } = reached
  if (cap === undefined || hasOwnOrder(cap, given) || before + size <= cap.rows) return undefined
  const numbers = (findList(operation, body) ?? []).map((row) => String(getAt(row, parsePath(cap.by))))
  let last = BigInt(start?.behind?.last ?? -1)
  for (const number of numbers) {
    if (!/^\d{1,19}$/.test(number) || BigInt(number) <= last) throw failInvalidAnswer(operation, `rows that are not sorted by ${cap.by}`)
    last = BigInt(number)
  }
  return { position: undefined, before: 0, behind: { last: String(last), rows: (start?.behind?.rows ?? 0) + before } }
}

/**
 * Says why a vendor refuses a page of a search that it ends: no room for the condition behind the last record, or an order of the caller.
 * @returns what was thrown, with another hint if the end of the search explains it
 */
export function explainEnd({ connection, operation, given }: Ended, thrown: unknown): unknown {
  const { cap, size } = findNextPages(operation) ?? {}
  const start = cap === undefined ? undefined : readCursor(connection, operation, given)
  if (cap === undefined || start === undefined || !(thrown instanceof FerruleError) || thrown.code !== 'upstream_invalid_request')
    return thrown
  const wanted = given[sizeName]
  const isBehind = start.behind !== undefined && start.position === undefined
  const isOver = start.before + (typeof wanted === 'number' ? wanted : (size?.most ?? 0)) > cap.rows
  if (!isBehind && !(isOver && hasOwnOrder(cap, given))) return thrown
  const end = `${operation.kind.definition.title} ends a search after ${cap.rows} records`
  const left = isBehind ? 'and takes no further condition for what is behind them' : 'in an order of your own'
  const next = isBehind ? 'Use fewer filters in each group' : `Leave out ${Object.keys(cap.order).join(' and ')}`
  return withHint(thrown, `${end}, ${left}. ${next}, or ask for less.`)
}

interface Ended {
  readonly connection: Connection
  readonly operation: CompiledOperation
  /** Parameters as the caller gave them. */
  readonly given: Params
}

/** Puts the number of a record into the slots of a value. */
function fillLast(value: unknown, last: string): unknown {
  if (typeof value === 'string') return value.replaceAll('{last}', last)
  if (Array.isArray(value)) return value.map((element) => fillLast(element, last))
  return isObject(value) ? Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, fillLast(inner, last)])) : value
}

/**
 * Gives a call the position that its cursor names, and the order and the start of a search with a cap.
 * @throws FerruleError `invalid_parameter`
 */
export function fillPageStart(connection: Connection, operation: CompiledOperation, { cap }: NextPages, params: Params): Params {
  const start = readCursor(connection, operation, params)
  const filled = { ...params, [cursorName]: start?.position }
  if (cap === undefined || hasOwnOrder(cap, params)) return filled
  const sorted: Record<string, unknown> = { ...cap.order, ...filled }
  if (start?.behind === undefined) return sorted
  for (const [path, value] of Object.entries(cap.behind)) {
    const [name = '', ...rest] = parsePath(path)
    if (typeof name === 'string') sorted[name] = withAt(sorted[name], rest, fillLast(value, start.behind.last))
  }
  return sorted
}
