import { at } from '../at.ts'
import { isObject } from '../http.ts'
import { seal, unseal } from '../seal.ts'
import type { Answer } from './answers.ts'
import { isAnswer, ok, okList, pageNumber, refused, withCursor } from './answers.ts'
import type { Call } from './calls.ts'
import type { Place, Sort } from './filters.ts'
import { comparePlaces, sortedPositions, sortOf, sortValue, testsOf } from './filters.ts'
import type { Rows } from './rows.ts'
import type { JsonRecord } from './world.ts'

/** Records per page at most, and when nothing is asked for. */
const largestPage = 250
const usualPage = 50

/** Parameters that may accompany a cursor. */
const besideCursor = ['page_info', 'limit', 'fields']

/** Parameters that a cursor does not keep: they are said anew for each page. */
const perPage = ['limit', 'fields', 'page_info']

/** What a `page_info` holds. */
interface Cursor extends Place {
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

function readCursor(call: Call): Cursor | undefined | Answer {
  const text = call.query.get('page_info')
  if (text === null) return undefined
  const beside = [...call.query.keys()].find((parameter) => !besideCursor.includes(parameter))
  if (beside !== undefined) return withCursor(beside)
  const cursor = unseal(call.secret, text)
  const good = isCursor(cursor) && cursor.path === call.path && cursor.expires > call.view.now && !call.take('expired-cursor')
  return good ? cursor : refused(400, { page_info: 'Invalid value.' })
}

function readLimit(query: URLSearchParams): number | Answer {
  const text = query.get('limit')
  if (text === null || text === '') return usualPage
  const limit = /^-?\d{1,9}$/.test(text) ? Number(text) : Number.NaN
  if (limit > largestPage) return refused(400, `Limit exceeds maximum limit of ${largestPage}`)
  if (Number.isNaN(limit)) return refused(400, { limit: 'expected String to be a Integer' })
  return limit < 1 ? refused(400, { limit: 'must be greater than or equal to 1' }) : limit
}

/** The fields that are asked for; undefined for all. */
function fieldsOf(query: URLSearchParams): ReadonlySet<string> | undefined {
  const fields = (query.get('fields') ?? '')
    .split(',')
    .map((field) => field.trim())
    .filter((field) => field !== '')
  return fields.length === 0 ? undefined : new Set(fields)
}

/** A record with the fields that are asked for. */
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

/** The place of a position, or just behind it for a cursor that leads on. */
function isPast(rows: Rows, sort: Sort) {
  return (position: number, cursor: Cursor): boolean => {
    const order = comparePlaces({ value: sortValue(rows, sort, position), id: rows.id(position) }, cursor, sort)
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
  const { positions } = page
  const links = [
    ...(page.before && positions.length > 0 ? [{ rel: 'previous', url: makeUrl('previous', at(positions, 0)) }] : []),
    ...(page.after && positions.length > 0 ? [{ rel: 'next', url: makeUrl('next', at(positions, positions.length - 1)) }] : []),
  ]
  if (links.length === 0) return {}
  if (linkForm === 'bare')
    return {
      link: links
        .reverse()
        .map(({ rel, url }) => `<${url}>;rel=${rel}`)
        .join(','),
    }
  return { link: links.map(({ rel, url }) => `<${url}>; rel="${rel}"`).join(', ') }
}

/** What a list route gives. */
export interface Listed {
  /** Key of the answer. */
  readonly key: string
  /** The list for given filters; undefined when its parent is unknown. */
  rows(query: URLSearchParams): Rows | Answer | undefined
}

/**
 * Answers a list by pages.
 *
 * @param call - the request
 * @param listed - see Listed
 */
export function answerPage(call: Call, listed: Listed): Answer | undefined {
  if (call.query.has('page')) return pageNumber
  const cursor = readCursor(call)
  if (isAnswer(cursor)) return cursor
  const limit = readLimit(call.query)
  if (typeof limit !== 'number') return limit
  const query = new URLSearchParams(cursor ? cursor.query : [...call.query].filter(([parameter]) => !perPage.includes(parameter)))
  const rows = listed.rows(query)
  if (rows === undefined || isAnswer(rows)) return rows
  const tests = testsOf(rows, query)
  if (isAnswer(tests)) return tests
  const sort = sortOf(rows, query)
  const page = cutPage(sortedPositions(rows, tests, sort), limit, { cursor, past: isPast(rows, sort) })
  const links = linkHeader(call, { rows, sort, page, query: String(query), limit })
  return okList(listed.key, recordsAt(call, rows, page.positions), links)
}

/** Answers a list as a whole: the vendor does not page it. */
export function answerWhole(call: Call, listed: Listed): Answer | undefined {
  const rows = listed.rows(call.query)
  if (rows === undefined || isAnswer(rows)) return rows
  const tests = testsOf(rows, call.query)
  if (isAnswer(tests)) return tests
  const positions = sortedPositions(rows, tests, sortOf(rows, call.query))
  return okList(listed.key, recordsAt(call, rows, positions))
}

/** Answers how many records a list has. */
export function answerCount(call: Call, listed: Listed): Answer | undefined {
  const rows = listed.rows(call.query)
  if (rows === undefined || isAnswer(rows)) return rows
  const tests = testsOf(rows, call.query)
  return isAnswer(tests) ? tests : ok({ count: sortedPositions(rows, tests, { field: 'id', descending: false }).length })
}
