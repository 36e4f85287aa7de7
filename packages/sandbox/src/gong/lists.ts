import { createHash, createHmac } from 'node:crypto'
import { at, keepNewest } from '../data.ts'
import { isObject, parseJson } from '../http.ts'
import { badRequest, type JsonRecord, Refusal } from './answers.ts'
import type { ApiCall } from './state.ts'
import { companyDate, companyTime, midnight, parseMoment } from './time.ts'
import type { World } from './world.ts'

/** Records per page; the vendor has no parameter for it. */
const pageSize = 100

/** Life of a cursor in seconds. */
const cursorSeconds = 3600

/** How many selections of calls are remembered while they are paged. */
const rememberedSelections = 16

interface Paged<T> {
  /** What must stay the same from page to page. */
  readonly filter: unknown
  readonly rows: readonly T[]
  readonly cursorRow: (last: T) => { readonly id: string; readonly time?: string }
}

const head = Buffer.from('{"alg":"HS256"}').toString('base64url')

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (!isObject(value)) return value
  const entries = Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1))
  return Object.fromEntries(entries.map(([key, entry]) => [key, sorted(entry)]))
}

/** Returns a text that is equal for equal JSON values, whatever the order of their keys. */
const stableText = (value: unknown): string => JSON.stringify(sorted(value)) ?? ''

function bindingOf(call: ApiCall, filter: unknown): string {
  const text = `${call.path} ${stableText(filter)}`
  return createHash('sha256').update(text).digest('base64url').slice(0, 16)
}

function signed(secret: string, payload: string): string {
  const text = `${head}.${Buffer.from(payload).toString('base64url')}`
  return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`
}

function numberIn(call: ApiCall, cursor: unknown, paged: { readonly key: string; readonly total: number }): number {
  if (cursor === undefined || cursor === null) return 0
  const sent = typeof cursor === 'string' ? cursor : ''
  const payload = Buffer.from(sent.split('.')[1] ?? '', 'base64url').toString()
  const content = parseJson(payload)
  const { exp, key, pageNumber } = isObject(content) && signed(call.state.secret, payload) === sent ? content : {}
  const number = Number(pageNumber) + 1
  const good = Number(exp) * 1000 > call.state.clock() && key === paged.key && !call.take('expired-cursor')
  if (!good || number * pageSize >= paged.total) throw new Refusal(400, 'Invalid or expired cursor')
  return number
}

/**
 * Finds the page that a request asks for: its number, its rows, and the `records` object of the answer. With `repeat` that object always
 * has a cursor; on the last page it leads to this page again.
 */
export function openPage<T>(call: ApiCall, { filter, rows, cursorRow }: Paged<T>) {
  const cursor = Object.keys(call.body).length > 0 ? call.body['cursor'] : call.query.get('cursor')
  const total = rows.length
  const key = bindingOf(call, filter)
  const number = numberIn(call, cursor, { key, total })
  const from = number * pageSize
  const shown = rows.slice(from, from + pageSize)
  const makeCursor = (done: number) => {
    if (typeof cursor === 'string' && call.take('same-cursor')) return cursor
    const exp = Math.floor(call.state.clock() / 1000) + cursorSeconds
    const { id, time } = cursorRow(at(shown, shown.length - 1))
    // The vendor's payload carries the id as a bare integer, which JSON.stringify would round.
    return signed(call.state.secret, `{"callId":${id},${JSON.stringify({ total, pageNumber: done, pageSize, time, exp, key }).slice(1)}`)
  }
  const records = (repeat = false): JsonRecord => {
    const sizes = { totalRecords: total, currentPageSize: shown.length, currentPageNumber: number }
    if (from + pageSize < total) return { ...sizes, cursor: makeCursor(number) }
    if (repeat) return { ...sizes, cursor: makeCursor(number - 1) }
    return call.state.switches.current().emptyCursor ? { ...sizes, cursor: '' } : sizes
  }
  return { number, from, shown, records }
}

/** Returns the `filter` object of a POST body, which the vendor requires. */
export function filterOf(call: ApiCall): JsonRecord {
  const { filter } = call.body
  if (!isObject(filter)) throw badRequest('filter is required')
  return filter
}

/** Reads a value of a filter; a missing one and null mean no restriction. */
function read<T>(value: unknown, parse: (text: string) => T | undefined, problem: string): T | undefined {
  if (value === undefined || value === null) return undefined
  const found = typeof value === 'string' ? parse(value) : undefined
  if (found === undefined) throw badRequest(problem)
  return found
}

/** Reads a list of ids; an empty one is refused. */
export function idsIn(source: JsonRecord, name: string): readonly string[] | undefined {
  const value = source[name] ?? undefined
  const texts = Array.isArray(value) && value.length > 0 && value.every((id) => typeof id === 'string')
  if (value !== undefined && !texts) throw badRequest(`${name} must be a non-empty array of ids`)
  return texts ? value : undefined
}

/** Reads a company's date, as epoch milliseconds of its midnight. */
export const dateIn = (source: JsonRecord, name: string): number | undefined =>
  read(source[name], midnight, `${name} is not a date (YYYY-MM-DD)`)

/** Which calls are wanted; every part narrows further. */
type CallFilter = ReturnType<typeof callFilterOf>

/** Reads which calls are wanted from a filter object of a body, or the parameters of a query. The end is excluded. */
export function callFilterOf(source: JsonRecord) {
  const momentIn = (name: string) => read(source[name], parseMoment, `${name} is not an ISO-8601 date-time with an offset`)
  const [from, to] = [momentIn('fromDateTime'), momentIn('toDateTime')]
  const [callIds, primaryUserIds] = [idsIn(source, 'callIds'), idsIn(source, 'primaryUserIds')]
  const workspace = source['workspaceId'] ?? undefined
  return { from, to, callIds, primaryUserIds, workspaceId: workspace === undefined ? undefined : String(workspace) }
}

function select(world: World, filter: CallFilter, by: 'scheduled' | 'started'): readonly number[] {
  const { from = Number.NEGATIVE_INFINITY, to = Number.POSITIVE_INFINITY, workspaceId } = filter
  const ids = filter.callIds && new Set(filter.callIds.map((id) => world.callPositions.get(id)))
  const hosts = filter.primaryUserIds && new Set(filter.primaryUserIds.map((id) => world.userPositions.get(id)))
  const workspace = workspaceId === undefined ? undefined : world.workspaces.findIndex(({ id }) => id === workspaceId)
  return world.allCalls().filter((call) => {
    const time = at(world.calls, call)[by]
    if (time < from || time >= to || (ids && !ids.has(call))) return false
    const traits = world.traits(call)
    return (hosts?.has(traits.host) ?? true) && (workspace === undefined || traits.workspace === workspace)
  })
}

/** Returns the positions of the wanted calls by scheduled time; dates are compared with the time `by`. */
export function selectCalls(call: ApiCall, filter: CallFilter, by: 'scheduled' | 'started'): readonly number[] {
  const { world, selections } = call.state
  // Lists of ids are short to answer and long to remember.
  if (filter.callIds) return select(world, filter, by)
  const key = `${by} ${stableText(filter)}`
  const found = selections.get(key) ?? select(world, filter, by)
  selections.set(key, found)
  keepNewest(selections, rememberedSelections)
  return found
}

/** Finds the page of calls that a request asks for. */
export function openCalls(call: ApiCall, filter: CallFilter, rows: readonly number[]) {
  const { calls } = call.state.world
  const cursorRow = (row: number) => ({ id: at(calls, row).id, time: companyTime(at(calls, row).scheduled) })
  return openPage(call, { filter, rows, cursorRow })
}

/** Dates of a statistic in the company's zone. */
export type DateRange = ReturnType<typeof dateRangeOf>

/** Reads the dates of a statistic: both required, the end excluded and not after today. */
export function dateRangeOf(call: ApiCall, filter: JsonRecord) {
  const [from, to] = [dateIn(filter, 'fromDate'), dateIn(filter, 'toDate')]
  const [fromDate, toDate] = [String(filter['fromDate']), String(filter['toDate'])]
  if (from === undefined || to === undefined) throw badRequest('fromDate and toDate are required')
  if (toDate > companyDate(call.state.clock())) throw badRequest('toDate must not be after the current day')
  if (from > to) throw badRequest('fromDate must not be after toDate')
  return { fromDate, toDate, from, to }
}
