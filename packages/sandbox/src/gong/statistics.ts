import { at, wordsOf } from '../data.ts'
import { type Answer, badRequest, type JsonRecord, ok, Refusal } from './answers.ts'
import { interactionOf } from './extensive.ts'
import { type DateRange, dateRangeOf, filterOf, idsIn, openPage } from './lists.ts'
import { managerOf } from './people.ts'
import type { ApiCall } from './state.ts'
import { addDays, companyTime, companyZoneLabel, day, midnight, parseMoment, utcTime } from './time.ts'
import type { World } from './world.ts'

/** The fifteen figures of a user's activity, in the vendor's order. */
const activityNames = [
  ...wordsOf('callsAsHost, callsGaveFeedback, callsRequestedFeedback, callsReceivedFeedback, ownCallsListenedTo, othersCallsListenedTo'),
  ...wordsOf('callsSharedInternally, callsSharedExternally, callsScorecardsFilled, callsScorecardsReceived, callsAttended'),
  ...wordsOf('callsCommentsGiven, callsCommentsReceived, callsMarkedAsFeedbackGiven, callsMarkedAsFeedbackReceived'),
]

/** What can happen with a call, and how probable it is; host and manager are counted together. */
const chances: readonly { readonly probability: number; readonly host?: string; readonly manager?: string }[] = [
  { probability: 0.2, host: 'callsReceivedFeedback', manager: 'callsGaveFeedback' },
  { probability: 0.05, host: 'callsRequestedFeedback' },
  { probability: 0.3, host: 'ownCallsListenedTo' },
  { probability: 0.35, manager: 'othersCallsListenedTo' },
  { probability: 0.15, host: 'callsSharedInternally' },
  { probability: 0.08, host: 'callsSharedExternally' },
  { probability: 0.1, host: 'callsScorecardsReceived', manager: 'callsScorecardsFilled' },
  { probability: 0.2, host: 'callsCommentsReceived', manager: 'callsCommentsGiven' },
  { probability: 0.07, host: 'callsMarkedAsFeedbackReceived', manager: 'callsMarkedAsFeedbackGiven' },
]

/** That a call counts for a user (by position) in a figure. */
interface Event {
  readonly user: number
  readonly name: string
}

/** Everything that one call counts for; all of it on the day of the call. */
function eventsOf(world: World, call: number): readonly Event[] {
  const random = world.random('activity', call)
  const { host, colleagues } = world.traits(call)
  const manager = managerOf(host)
  const happened = chances.filter(({ probability }) => random.chance(probability))
  return [
    { user: host, name: 'callsAsHost' },
    ...[host, ...colleagues].map((user) => ({ user, name: 'callsAttended' })),
    ...happened.flatMap((chance) => [
      ...(chance.host ? [{ user: host, name: chance.host }] : []),
      ...(chance.manager && manager !== undefined ? [{ user: manager, name: chance.manager }] : []),
    ]),
  ]
}

/** Positions of the calls that started in a span (epoch milliseconds, the end excluded). */
function callsBetween(world: World, from: number, to: number): readonly number[] {
  return world.allCalls().filter((call) => at(world.calls, call).started >= from && at(world.calls, call).started < to)
}

/** A call that counts for a user, and the figure. */
type Entry = Event & { readonly call: number }

/** One statistic. */
interface Statistic {
  /** Key of the list in the answer. */
  readonly key: string
  /** Text of the 404 when nobody has anything; left out: an empty list. */
  readonly nothing?: string
  /** Longest period in days; the vendor states none, the sandbox bounds its own answer. */
  readonly longest?: number
  /** Whether the answer says its period and time zone. */
  readonly envelope: boolean
  /** Whom a call counts for. */
  events(world: World, call: number): readonly Event[]
  /** Returns what is said of a user. */
  tell(world: World, entries: readonly Entry[], range: DateRange): JsonRecord
}

function dailyRows(world: World, entries: readonly Entry[], range: DateRange): readonly JsonRecord[] {
  const rows: JsonRecord[] = []
  for (let date = range.fromDate; date < range.toDate; date = addDays(date, 1)) {
    const [from, to] = [midnight(date) ?? 0, midnight(addDays(date, 1)) ?? 0]
    const today = entries.filter(({ call }) => at(world.calls, call).started >= from && at(world.calls, call).started < to)
    const idsFor = (name: string) => today.filter((entry) => entry.name === name).map(({ call }) => at(world.calls, call).id)
    rows.push({ ...Object.fromEntries(activityNames.map((name) => [name, idsFor(name)])), fromDate: utcTime(from), toDate: utcTime(to) })
  }
  return rows
}

function averages(world: World, entries: readonly Entry[]): readonly { name: string; value: number }[] {
  const all = entries.map(({ call }) => interactionOf(world, call))
  const names = ['Talk Ratio', 'Longest Monologue', 'Longest Customer Story', 'Interactivity', 'Patience']
  const mean = (index: number) => all.reduce((sum, stats) => sum + (stats[index]?.value ?? 0), 0) / all.length
  const rows = names.map((name, index) => ({ name, value: Number(mean(index).toFixed(4)) }))
  return [...rows, { name: 'Question Rate', value: Number((mean(3) * 2).toFixed(2)) }]
}

/** Counts of the period. */
const aggregate: Statistic = {
  key: 'usersAggregateActivityStats',
  envelope: true,
  events: eventsOf,
  tell(_, entries) {
    const count = (name: string) => entries.filter((entry) => entry.name === name).length
    return { userAggregateActivityStats: Object.fromEntries(activityNames.map((name) => [name, count(name)])) }
  },
}

/** Ids of the calls, one element per day of the period; its dates are in UTC. */
const dayByDay: Statistic = {
  key: 'usersDetailedActivities',
  longest: 366,
  envelope: false,
  events: eventsOf,
  tell: (world, entries, range) => ({ userDailyActivityStats: dailyRows(world, entries, range) }),
}

/** Averages over the calls that a user held with Whisper on. */
const interaction: Statistic = {
  key: 'peopleInteractionStats',
  nothing: 'No stats found for the specified period',
  envelope: true,
  events(world, call) {
    const { whisper, host } = world.traits(call)
    return whisper ? [{ user: host, name: 'callsAsHost' }] : []
  },
  tell: (world, entries) => ({ personInteractionStats: averages(world, entries) }),
}

/** Answers one statistic: ascending by user id, users without activity left out. */
function answerStatistic(call: ApiCall, statistic: Statistic): Answer {
  const { world, switches } = call.state
  const filter = filterOf(call)
  const range = dateRangeOf(call, filter)
  const userIds = idsIn(filter, 'userIds')
  const { longest = Number.POSITIVE_INFINITY, nothing } = statistic
  if (range.to - range.from > (longest + 1) * day) throw badRequest(`the period must not be longer than ${longest} days`)
  const strict = !switches.current().emptyStatsOk
  const wanted = userIds && new Set(userIds.map((id) => world.userPositions.get(id)))
  if (strict && wanted?.has(undefined)) throw new Refusal(404, 'User not found')
  const entries = callsBetween(world, range.from, range.to).flatMap((position) =>
    statistic.events(world, position).map((event) => ({ ...event, call: position })),
  )
  const byUser = Map.groupBy(entries, ({ user }) => user)
  const active = [...byUser.keys()].filter((user) => wanted?.has(user) ?? true).sort((left, right) => left - right)
  if (strict && active.length === 0 && nothing !== undefined) throw new Refusal(404, nothing)
  const cursorRow = (user: number) => ({ id: at(world.users, user).id })
  const page = openPage(call, { filter: { range, userIds }, rows: active, cursorRow })
  const records = page.shown.map((user) => {
    const { id, emailAddress } = at(world.users, user)
    return { userId: id, userEmailAddress: emailAddress, ...statistic.tell(world, byUser.get(user) ?? [], range) }
  })
  const times = { fromDateTime: companyTime(range.from), toDateTime: companyTime(range.to), timeZone: companyZoneLabel }
  return ok({ records: page.records(), ...(statistic.envelope ? times : {}), [statistic.key]: records })
}

/** POST /v2/stats/activity/aggregate */
export const listAggregate = (call: ApiCall) => answerStatistic(call, aggregate)

/** POST /v2/stats/activity/day-by-day */
export const listDayByDay = (call: ApiCall) => answerStatistic(call, dayByDay)

/** POST /v2/stats/interaction */
export const listInteraction = (call: ApiCall) => answerStatistic(call, interaction)

const metricNames: readonly (readonly [string, number])[] = [
  ['callsListenedTo', 0.35],
  ['callsManagerAttended', 0.15],
  ['callsWithFeedback', 0.2],
  ['callsManagerCommentedOn', 0.2],
  ['callsWithScorecardFilled', 0.1],
]

function person(world: World, index: number): JsonRecord {
  const { id, emailAddress, firstName, lastName, title } = at(world.users, index)
  return { id, emailAddress, firstName, lastName, title }
}

/** Per metric the ids of the calls of a report that the manager did something with. */
function metricsOf(world: World, calls: readonly number[]): JsonRecord {
  const chosen = (name: string, probability: number) =>
    calls.filter((call) => world.random('coaching', name, call).chance(probability)).map((call) => at(world.calls, call).id)
  return Object.fromEntries(metricNames.map(([name, probability]) => [name, chosen(name, probability)]))
}

const required = ['workspace-id', 'manager-id', 'from', 'to']

/** GET /v2/coaching: a manager and the direct reports; nobody for a user who leads nobody. */
export function listCoaching(call: ApiCall): Answer {
  const { world } = call.state
  const missing = required.filter((name) => !call.query.get(name))
  if (missing.length > 0) throw badRequest(`${missing.join(', ')} is required`)
  const [workspaceId, managerId = '', fromText = '', toText = ''] = required.map((name) => call.query.get(name) ?? '')
  const [from, to] = [parseMoment(fromText), parseMoment(toText)]
  if (from === undefined || to === undefined) throw badRequest('from and to must be ISO-8601 date-times with an offset')
  const workspace = world.workspaces.findIndex((entry) => entry.id === workspaceId)
  const manager = world.userPositions.get(managerId)
  const reports = world.users.map((_, index) => index).filter((index) => manager !== undefined && managerOf(index) === manager)
  if (workspace < 0 || manager === undefined || reports.length === 0) return ok({ coachingData: [] })
  const calls = callsBetween(world, from, to).filter((position) => world.traits(position).workspace === workspace)
  const directReportsMetrics = reports.map((report) => {
    const own = calls.filter((position) => world.traits(position).host === report)
    return { report: person(world, report), metrics: metricsOf(world, own) }
  })
  return ok({ coachingData: [{ manager: person(world, manager), directReportsMetrics }] })
}
