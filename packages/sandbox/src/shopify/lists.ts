import { seal, unseal } from '../data.ts'
import { isObject } from '../http.ts'
import { type Answer, ok, okList, pageNumber, Refusal, withCursor } from './answers.ts'
import type { Call } from './call.ts'
import { comparePositions, invalid, type Rows, type Sort, type SortPosition, sortedPositions, sortOf, sortValue, testsOf } from './rows.ts'
import type { JsonRecord } from './world.ts'

/** Records per page at most, and when nothing is asked for. */
const largestPage = 250
const usualPage = 50

/** Parameters that may accompany a cursor. */
const besideCursor = ['page_info', 'limit', 'fields']

/** Parameters that a cursor does not keep: they are said again for each page. */
const perPage = ['limit', 'fields', 'page_info']

/** What a `page_info` holds. */
interface Cursor extends SortPosition {
  readonly path: string
  /** The filters of the first request. */
  readonly query: string
  readonly towards: 'next' | 'previous'
  /** Epoch milliseconds. */
  readonly expires: number
}

function isCursor(value: unknown): value is Cursor {
  return isObject(value) && typeof value['query'] === 'string' && typeof value['expires'] === 'number'
}

function readCursor(call: Call): Cursor | undefined {
  const text = call.query.get('page_info')
  if (text === null) return undefined
  const beside = [...call.query.keys()].find((parameter) => !besideCursor.includes(parameter))
  if (beside !== undefined) throw withCursor(beside)
  const cursor = unseal(call.secret, text)
  const good = isCursor(cursor) && cursor.path === call.path && cursor.expires > call.view.now && !call.take('expired-cursor')
  if (!good) throw invalid('page_info')
  return cursor
}

function readLimit(query: URLSearchParams): number {
  const text = query.get('limit')
  if (text === null || text === '') return usualPage
  const limit = /^-?\d{1,9}$/.test(text) ? Number(text) : Number.NaN
  if (limit > largestPage) throw new Refusal(400, `Limit exceeds maximum limit of ${largestPage}`)
  if (Number.isNaN(limit)) throw new Refusal(400, { limit: 'expected String to be a Integer' })
  if (limit < 1) throw new Refusal(400, { limit: 'must be greater than or equal to 1' })
  return limit
}

/** Returns the fields that are asked for; undefined for all. */
function fieldsOf(query: URLSearchParams): ReadonlySet<string> | undefined {
  const fields = (query.get('fields') ?? '')
    .split(',')
    .map((field) => field.trim())
    .filter((field) => field !== '')
  return fields.length === 0 ? undefined : new Set(fields)
}

/** Returns a record with the fields that are asked for. */
export function withFields(query: URLSearchParams, record: JsonRecord): JsonRecord {
  const fields = fieldsOf(query)
  return fields ? Object.fromEntries(Object.entries(record).filter(([field]) => fields.has(field))) : record
}

function* recordsAt(call: Call, rows: Rows, positions: readonly number[]): Generator<JsonRecord> {
  for (const position of positions) yield withFields(call.query, rows.record(position, false))
}

interface Page {
  readonly positions: readonly number[]
  readonly before: boolean
  readonly after: boolean
}

/** Cuts a page out of a sorted list: from its start, or beside the place of the cursor. */
function cutPage(
  all: readonly number[],
  limit: number,
  beside: { cursor: Cursor | undefined; past(position: number, cursor: Cursor): boolean },
): Page {
  const { cursor, past } = beside
  let from = 0
  if (cursor) {
    const next = all.findIndex((position) => past(position, cursor))
    const following = next < 0 ? all.length : next
    from = cursor.towards === 'next' ? following : Math.max(following - limit, 0)
    if (cursor.towards === 'previous') return { positions: all.slice(from, following), before: from > 0, after: following < all.length }
  }
  const positions = all.slice(from, from + limit)
  return { positions, before: from > 0, after: from + limit < all.length }
}

/** Returns a test for rows at the place of a cursor, or behind it where the cursor leads on. */
function isPast(rows: Rows, sort: Sort) {
  return (position: number, cursor: Cursor): boolean => {
    const order = comparePositions({ value: sortValue(rows, sort, position), id: rows.id(position) }, cursor, sort)
    return cursor.towards === 'next' ? order > 0 : order >= 0
  }
}

interface Linked {
  readonly rows: Rows
  readonly sort: Sort
  readonly page: Page
  readonly query: string
  readonly limit: number
}

function linkHeader(call: Call, { rows, sort, page, query, limit }: Linked): Readonly<Record<string, string>> {
  const { cursorSeconds, linkForm } = call.switches
  const fields = call.query.get('fields')
  const again = call.query.get('page_info')
  const makeUrl = (towards: Cursor['towards'], position: number): string => {
    const expires = call.view.now + cursorSeconds * 1000
    const cursor: Cursor = { path: call.path, query, towards, value: sortValue(rows, sort, position), id: rows.id(position), expires }
    const repeats = towards === 'next' && again !== null && call.take('same-cursor')
    const parameters = new URLSearchParams({ limit: String(limit), ...(fields === null ? {} : { fields }) })
    parameters.set('page_info', repeats ? again : seal(call.secret, cursor))
    return `${call.base}${call.path}.json?${parameters}`
  }
  const { positions, before, after } = page
  const [first, last] = [positions[0], positions.at(-1)]
  const links = [
    ...(before && first !== undefined ? [{ rel: 'previous', url: makeUrl('previous', first) }] : []),
    ...(after && last !== undefined ? [{ rel: 'next', url: makeUrl('next', last) }] : []),
  ]
  if (links.length === 0) return {}
  if (linkForm === 'bare')
    return {
      link: links
        .map(({ rel, url }) => `<${url}>;rel=${rel}`)
        .reverse()
        .join(','),
    }
  return { link: links.map(({ rel, url }) => `<${url}>; rel="${rel}"`).join(', ') }
}

/** What a list route gives. */
export interface Listed {
  /** Key of the answer. */
  readonly key: string
  /** The list for given filters. */
  rows(query: URLSearchParams): Rows
}

/** Answers a list by pages. */
export function answerPage(call: Call, listed: Listed): Answer {
  if (call.query.has('page')) throw pageNumber
  const cursor = readCursor(call)
  const limit = readLimit(call.query)
  const query = new URLSearchParams(cursor ? cursor.query : [...call.query].filter(([parameter]) => !perPage.includes(parameter)))
  const rows = listed.rows(query)
  const sort = sortOf(rows, query)
  const page = cutPage(sortedPositions(rows, testsOf(rows, query), sort), limit, { cursor, past: isPast(rows, sort) })
  const links = linkHeader(call, { rows, sort, page, query: String(query), limit })
  return okList(listed.key, recordsAt(call, rows, page.positions), links)
}

/** Answers a list as a whole: the vendor does not page it. */
export function answerWhole(call: Call, { key, rows: listed }: Listed): Answer {
  const rows = listed(call.query)
  const positions = sortedPositions(rows, testsOf(rows, call.query), sortOf(rows, call.query))
  return okList(key, recordsAt(call, rows, positions))
}

/** Answers how many records a list has. */
export function answerCount(call: Call, { rows: listed }: Listed): Answer {
  const rows = listed(call.query)
  return ok({ count: sortedPositions(rows, testsOf(rows, call.query), { field: 'id', descending: false }).length })
}
