import { at } from '../at.ts'
import { isObject } from '../http.ts'
import type { Answer, ApiCall } from './answers.ts'
import { isAnswer, refused } from './answers.ts'
import { stableText } from './pages.ts'
import { companyDate, midnight, parseMoment } from './time.ts'
import type { World } from './world.ts'

/** Which calls are wanted; every part narrows further. */
export interface CallFilter {
  /** Epoch milliseconds, included. */
  readonly from?: number | undefined
  /** Epoch milliseconds, excluded. */
  readonly to?: number | undefined
  readonly workspaceId?: string | undefined
  readonly callIds?: readonly string[] | undefined
  readonly primaryUserIds?: readonly string[] | undefined
}

/** Dates of a statistic in the company's zone. */
export interface DateRange {
  readonly fromDate: string
  /** Excluded. */
  readonly toDate: string
  /** Epoch milliseconds. */
  readonly from: number
  readonly to: number
}

/** The `filter` object of a POST body, which the vendor requires. */
export function filterOf(call: ApiCall): Record<string, unknown> | Answer {
  const { filter } = call.body
  return isObject(filter) ? filter : refused(400, 'Bad request: filter is required')
}

function momentOf(value: unknown, name: string): number | undefined | Answer {
  if (value === undefined || value === null) return undefined
  const moment = typeof value === 'string' ? parseMoment(value) : undefined
  return moment ?? refused(400, `Bad request: ${name} is not an ISO-8601 date-time with an offset`)
}

/** A list of ids; absent or null means no restriction, an empty list is refused. */
export function idsOf(value: unknown, name: string): readonly string[] | undefined | Answer {
  if (value === undefined || value === null) return undefined
  const texts = Array.isArray(value) && value.length > 0 && value.every((id) => typeof id === 'string')
  return texts ? value.map(String) : refused(400, `Bad request: ${name} must be a non-empty array of ids`)
}

/** A company's date, as epoch milliseconds of its first moment. */
export function dateOf(value: unknown, name: string): number | undefined | Answer {
  if (value === undefined || value === null) return undefined
  const moment = typeof value === 'string' ? midnight(value) : undefined
  return moment ?? refused(400, `Bad request: ${name} is not a date (YYYY-MM-DD)`)
}

/**
 * Reads which calls are wanted.
 *
 * @param source - a filter object of a body, or the parameters of a query
 */
export function callFilterOf(source: Readonly<Record<string, unknown>>): CallFilter | Answer {
  const from = momentOf(source['fromDateTime'], 'fromDateTime')
  const to = momentOf(source['toDateTime'], 'toDateTime')
  const callIds = idsOf(source['callIds'], 'callIds')
  const primaryUserIds = idsOf(source['primaryUserIds'], 'primaryUserIds')
  const workspace = source['workspaceId']
  if (isAnswer(from)) return from
  if (isAnswer(to)) return to
  if (isAnswer(callIds)) return callIds
  if (isAnswer(primaryUserIds)) return primaryUserIds
  return { from, to, callIds, primaryUserIds, workspaceId: workspace === undefined || workspace === null ? undefined : String(workspace) }
}

function select(world: World, filter: CallFilter, times: Float64Array): readonly number[] {
  const { from = Number.NEGATIVE_INFINITY, to = Number.POSITIVE_INFINITY } = filter
  const ids = filter.callIds && new Set(filter.callIds.map((id) => world.callPositions.get(id)))
  const hosts = filter.primaryUserIds && new Set(filter.primaryUserIds.map((id) => world.userPositions.get(id)))
  const workspace = filter.workspaceId === undefined ? undefined : world.workspaces.findIndex((entry) => entry.id === filter.workspaceId)
  return world.allCalls().filter((call) => {
    const time = at(times, call)
    if (time < from || time >= to) return false
    if (ids && !ids.has(call)) return false
    if (hosts && !hosts.has(world.hostOf[call])) return false
    return workspace === undefined || world.workspaceOf[call] === workspace
  })
}

/**
 * Positions of the wanted calls, by scheduled time.
 *
 * @param call - the request
 * @param filter - which calls
 * @param by - the time that the dates are compared with
 */
export function selectCalls(call: ApiCall, filter: CallFilter, by: 'scheduled' | 'started'): readonly number[] {
  const { world, selections } = call.state
  // Lists of ids are short to answer and long to remember.
  if (filter.callIds) return select(world, filter, world.calendar[by])
  const key = `${by} ${stableText(filter)}`
  const known = selections.get(key)
  if (known) return known
  const found = select(world, filter, world.calendar[by])
  selections.set(key, found)
  const oldest = selections.keys().next()
  if (selections.size > 16 && !oldest.done) selections.delete(oldest.value)
  return found
}

/** Reads the dates of a statistic: both required, the end excluded and not after today. */
export function dateRangeOf(call: ApiCall, filter: Readonly<Record<string, unknown>>): DateRange | Answer {
  const { fromDate, toDate } = filter
  const from = dateOf(fromDate, 'fromDate')
  const to = dateOf(toDate, 'toDate')
  if (isAnswer(from)) return from
  if (isAnswer(to)) return to
  if (from === undefined || to === undefined) return refused(400, 'Bad request: fromDate and toDate are required')
  const today = companyDate(call.state.clock())
  if (String(toDate) > today) return refused(400, 'Bad request: toDate must not be after the current day')
  if (from > to) return refused(400, 'Bad request: fromDate must not be after toDate')
  return { fromDate: String(fromDate), toDate: String(toDate), from, to }
}
