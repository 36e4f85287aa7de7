import { at } from '../at.ts'
import type { ActivityEvent, ActivityName } from './activity.ts'
import { activityNames, eventsOf } from './activity.ts'
import { interactionOf } from './content.ts'
import type { DateRange } from './filters.ts'
import { addDays, midnight, utcTime } from './time.ts'
import type { World } from './world.ts'

/** The part of the world that a statistic is about. */
export interface StatisticScope {
  /** Positions of the calls of the period. */
  readonly calls: readonly number[]
  readonly range: DateRange
  /** Positions of the users of the page. */
  readonly users: ReadonlySet<number>
}

/** One statistic: which users it is about, and what it says of each. */
export interface Statistic {
  /** Key of the list in the answer. */
  readonly key: string
  /** Text of the 404 when nobody has anything; left out: an empty list. */
  readonly nothing?: string
  /** Longest period in days; the vendor states none, the sandbox bounds its own answer. */
  readonly longest?: number
  /** Whether the answer tells its period and time zone. */
  readonly envelope: boolean
  /** Positions of the users with something to say, unordered. */
  users(world: World, calls: readonly number[]): Iterable<number>
  /** What is said of each user of the page. */
  rows(world: World, scope: StatisticScope): ReadonlyMap<number, Readonly<Record<string, unknown>>>
}

function byUser(world: World, calls: readonly number[], users: ReadonlySet<number>): Map<number, { call: number; event: ActivityEvent }[]> {
  const found = new Map<number, { call: number; event: ActivityEvent }[]>()
  for (const call of calls) {
    for (const event of eventsOf(world, call)) {
      if (!users.has(event.user)) continue
      const list = found.get(event.user) ?? []
      list.push({ call, event })
      found.set(event.user, list)
    }
  }
  return found
}

function activeUsers(world: World, calls: readonly number[]): Set<number> {
  return new Set(calls.flatMap((call) => eventsOf(world, call).map((event) => event.user)))
}

function counts(entries: readonly { event: ActivityEvent }[]): Record<string, number> {
  const totals: Record<string, number> = Object.fromEntries(activityNames.map((name) => [name, 0]))
  for (const { event } of entries) totals[event.name] = (totals[event.name] ?? 0) + 1
  return totals
}

interface Day {
  readonly from: number
  readonly to: number
}

function daysOf(range: DateRange): readonly Day[] {
  const days: Day[] = []
  for (let date = range.fromDate; date < range.toDate; date = addDays(date, 1)) {
    days.push({ from: midnight(date) ?? 0, to: midnight(addDays(date, 1)) ?? 0 })
  }
  return days
}

function dailyRows(
  world: World,
  days: readonly Day[],
  entries: readonly { call: number; event: ActivityEvent }[],
): readonly Record<string, unknown>[] {
  const { started, ids } = world.calendar
  return days.map(({ from, to }) => {
    const today = entries.filter(({ call }) => at(started, call) >= from && at(started, call) < to)
    const idsFor = (name: ActivityName) => today.filter(({ event }) => event.name === name).map(({ call }) => at(ids, call))
    return { ...Object.fromEntries(activityNames.map((name) => [name, idsFor(name)])), fromDate: utcTime(from), toDate: utcTime(to) }
  })
}

/** Counts of the period. */
export const aggregate: Statistic = {
  key: 'usersAggregateActivityStats',
  envelope: true,
  users: activeUsers,
  rows(world, { calls, users }) {
    const found = byUser(world, calls, users)
    return new Map([...found].map(([user, entries]) => [user, { userAggregateActivityStats: counts(entries) }]))
  },
}

/** Ids of the calls, one element per day of the period; its dates are in UTC. */
export const dayByDay: Statistic = {
  key: 'usersDetailedActivities',
  longest: 366,
  envelope: false,
  users: activeUsers,
  rows(world, { calls, users, range }) {
    const days = daysOf(range)
    const found = byUser(world, calls, users)
    return new Map([...found].map(([user, entries]) => [user, { userDailyActivityStats: dailyRows(world, days, entries) }]))
  },
}

function averages(world: World, calls: readonly number[]): readonly { name: string; value: number }[] {
  const all = calls.map((call) => interactionOf(world, call))
  const names = ['Talk Ratio', 'Longest Monologue', 'Longest Customer Story', 'Interactivity', 'Patience']
  const mean = (index: number) => all.reduce((sum, stats) => sum + (stats[index]?.value ?? 0), 0) / all.length
  const rows = names.map((name, index) => ({ name, value: Number(mean(index).toFixed(4)) }))
  return [...rows, { name: 'Question Rate', value: Number((mean(3) * 2).toFixed(2)) }]
}

/** Averages over the calls that a user held with Whisper on. */
export const interaction: Statistic = {
  key: 'peopleInteractionStats',
  nothing: 'No stats found for the specified period',
  envelope: true,
  users: (world, calls) => calls.filter((call) => world.traits(call).whisper).map((call) => at(world.hostOf, call)),
  rows(world, { calls, users }) {
    const held = new Map<number, number[]>()
    for (const call of calls) {
      const host = at(world.hostOf, call)
      if (users.has(host) && world.traits(call).whisper) held.set(host, [...(held.get(host) ?? []), call])
    }
    return new Map([...held].map(([user, own]) => [user, { personInteractionStats: averages(world, own) }]))
  },
}
