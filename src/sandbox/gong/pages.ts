import { createHash, createHmac } from 'node:crypto'
import { isObject, parseJson } from '../http.ts'
import type { Answer, ApiCall } from './answers.ts'
import { isAnswer, refused } from './answers.ts'

/** Records per page; the vendor has no parameter for it. */
export const pageSize = 100

/** Life of a cursor in seconds. */
export const cursorSeconds = 3600

/** One page of a list that is known as a whole. */
export interface Page {
  readonly number: number
  /** Positions in the list: first (included) and last (excluded). */
  readonly from: number
  readonly to: number
  /**
   * The `records` object of the answer.
   *
   * @param last - id and time of the last row, which the cursor carries
   * @param repeat - always give a cursor; on the last page it leads to this page again
   */
  records(last: CursorRow, repeat?: boolean): Readonly<Record<string, unknown>>
}

/** What a cursor tells about the last row of its page. */
export interface CursorRow {
  readonly id: string
  readonly time?: string
}

/** A list to be paged. */
export interface Paged {
  /** The cursor as it was sent: a query parameter or a field of the body. */
  readonly cursor: unknown
  /** What must stay the same from page to page. */
  readonly filter: unknown
  readonly total: number
}

const head = Buffer.from('{"alg":"HS256"}').toString('base64url')

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (!isObject(value)) return value
  const entries = Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1))
  return Object.fromEntries(entries.map(([key, entry]) => [key, sorted(entry)]))
}

/** A text that is equal for equal JSON values, whatever the order of their keys. */
export function stableText(value: unknown): string {
  return JSON.stringify(sorted(value)) ?? ''
}

function bindingOf(call: ApiCall, filter: unknown): string {
  return createHash('sha256')
    .update(`${call.path} ${stableText(filter)}`)
    .digest('base64url')
    .slice(0, 16)
}

function signed(secret: string, payload: string): string {
  const text = `${head}.${Buffer.from(payload).toString('base64url')}`
  return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`
}

function nextNumber(call: ApiCall, paged: Paged): number | Answer {
  const stale = refused(400, 'Invalid or expired cursor')
  const { cursor } = paged
  if (cursor === undefined || cursor === null) return 0
  if (typeof cursor !== 'string') return stale
  const payload = Buffer.from(cursor.split('.')[1] ?? '', 'base64url').toString()
  const content = parseJson(payload)
  if (!isObject(content) || signed(call.state.secret, payload) !== cursor) return stale
  const expired = Number(content['exp']) * 1000 <= call.state.clock()
  if (expired || content['key'] !== bindingOf(call, paged.filter) || call.take('expired-cursor')) return stale
  const number = Number(content['pageNumber']) + 1
  return number * pageSize < paged.total ? number : stale
}

/**
 * Finds the page that a request asks for.
 *
 * @param call - the request
 * @param paged - the list and the cursor
 * @returns the page, or the refusal of a cursor that is garbled, expired or of another request
 */
export function openPage(call: ApiCall, paged: Paged): Page | Answer {
  const number = nextNumber(call, paged)
  if (isAnswer(number)) return number
  const from = number * pageSize
  const to = Math.min(from + pageSize, paged.total)
  const makeCursor = (last: CursorRow, done: number) => {
    if (typeof paged.cursor === 'string' && call.take('same-cursor')) return paged.cursor
    const exp = Math.floor(call.state.clock() / 1000) + cursorSeconds
    const rest = JSON.stringify({
      total: paged.total,
      pageNumber: done,
      pageSize,
      time: last.time,
      exp,
      key: bindingOf(call, paged.filter),
    })
    // The vendor's payload carries the id as a bare integer, which JSON.stringify would round.
    return signed(call.state.secret, `{"callId":${last.id},${rest.slice(1)}`)
  }
  return {
    number,
    from,
    to,
    records(last, repeat = false) {
      const sizes = { totalRecords: paged.total, currentPageSize: to - from, currentPageNumber: number }
      if (to < paged.total) return { ...sizes, cursor: makeCursor(last, number) }
      return repeat ? { ...sizes, cursor: makeCursor(last, number - 1) } : sizes
    },
  }
}
