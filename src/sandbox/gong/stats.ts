import { at } from '../at.ts'
import { callsBetween } from './activity.ts'
import type { Answer, ApiCall } from './answers.ts'
import { isAnswer, ok, refused } from './answers.ts'
import type { DateRange } from './filters.ts'
import { dateRangeOf, filterOf, idsOf } from './filters.ts'
import { openPage } from './pages.ts'
import type { Statistic } from './statistics.ts'
import { aggregate, dayByDay, interaction } from './statistics.ts'
import { companyTime, companyZoneLabel, day } from './time.ts'

/** What a request asks of a statistic. */
interface Wish {
  readonly range: DateRange
  readonly userIds: readonly string[] | undefined
}

function wishOf(call: ApiCall, statistic: Statistic): Wish | Answer {
  const filter = filterOf(call)
  if (isAnswer(filter)) return filter
  const range = dateRangeOf(call, filter)
  if (isAnswer(range)) return range
  const userIds = idsOf(filter['userIds'], 'userIds')
  if (isAnswer(userIds)) return userIds
  const { longest } = statistic
  const tooLong = longest !== undefined && range.to - range.from > (longest + 1) * day
  return tooLong ? refused(400, `Bad request: the period must not be longer than ${longest} days`) : { range, userIds }
}

function answerStatistic(call: ApiCall, statistic: Statistic, { range, userIds }: Wish): Answer {
  const { world, switches } = call.state
  const strict = !switches.current().emptyStatsOk
  const wanted = userIds && new Set(userIds.map((id) => world.userPositions.get(id)))
  if (strict && wanted?.has(undefined)) return refused(404, 'User not found')
  const calls = callsBetween(world, range.from, range.to)
  const active = [...new Set(statistic.users(world, calls))].filter((user) => wanted?.has(user) ?? true).sort((left, right) => left - right)
  if (strict && active.length === 0 && statistic.nothing !== undefined) return refused(404, statistic.nothing)
  const page = openPage(call, { cursor: call.body['cursor'], filter: { range, userIds }, total: active.length })
  if (isAnswer(page)) return page
  const shown = active.slice(page.from, page.to)
  const rows = statistic.rows(world, { calls, range, users: new Set(shown) })
  const records = shown.map((user) => {
    const { id, emailAddress } = at(world.users, user)
    return { userId: id, userEmailAddress: emailAddress, ...rows.get(user) }
  })
  const times = { fromDateTime: companyTime(range.from), toDateTime: companyTime(range.to), timeZone: companyZoneLabel }
  const last = { id: at(world.users, shown.at(-1) ?? 0).id }
  return ok({ records: page.records(last), ...(statistic.envelope ? times : {}), [statistic.key]: records })
}

/** Answers one statistic: ascending by user id, users without activity left out. */
function statisticRoute(statistic: Statistic) {
  return (call: ApiCall): Answer => {
    const wish = wishOf(call, statistic)
    return isAnswer(wish) ? wish : answerStatistic(call, statistic, wish)
  }
}

/** POST /v2/stats/activity/aggregate */
export const listAggregate = statisticRoute(aggregate)

/** POST /v2/stats/activity/day-by-day */
export const listDayByDay = statisticRoute(dayByDay)

/** POST /v2/stats/interaction */
export const listInteraction = statisticRoute(interaction)
