import { at } from '../at.ts'
import { idOf } from '../random.ts'
import type { Answer, ApiCall } from './answers.ts'
import { isAnswer, ok, refused } from './answers.ts'
import { dateOf, filterOf, idsOf } from './filters.ts'
import { openPage } from './pages.ts'
import { managerOf } from './people.ts'
import type { Question, Scorecard } from './scorecards.ts'
import { scorecardsOf } from './scorecards.ts'
import { companyDate, companyTime, day } from './time.ts'
import { sentences } from './words.ts'
import type { World } from './world.ts'

/** One review before its record is made. */
export interface Review {
  /** Position among all reviews. */
  readonly index: number
  readonly call: number
  readonly scorecard: Scorecard
  /** Epoch milliseconds. */
  readonly reviewTime: number
}

const reviewCount = 900

/** All reviews of known calls that were made before a moment, oldest first. */
export function reviewsOf(world: World, now: number): readonly Review[] {
  const scorecards = scorecardsOf(world)
  const reviews = Array.from({ length: reviewCount }, (_, index) => {
    const random = world.random('review', index)
    const call = random.int(0, world.calendar.scheduled.length - 1)
    const delay = random.int(60_000, 10 * day) + random.int(0, 999) / 1000
    return { index, call, scorecard: random.pick(scorecards), reviewTime: at(world.calendar.started, call) + 4_200_000 + delay }
  })
  return reviews
    .filter(({ call, reviewTime }) => call < world.calendar.count && reviewTime < now)
    .sort((left, right) => left.reviewTime - right.reviewTime)
}

function answerRow(world: World, review: Review, question: Question): Record<string, unknown> {
  const random = world.random('review answer', review.index, question.questionId)
  const notApplicable = !question.isOverall && random.chance(0.1)
  const { questionType, questionId, questionRevisionId, isOverall } = question
  const option = questionType === 'SINGLE_SELECT' && !notApplicable ? [random.pick(question.answerOptions).text] : null
  return {
    questionId,
    questionRevisionId,
    isOverall,
    score: questionType === 'RANGE' && !notApplicable ? random.int(1, 5) : null,
    answerText: questionType === 'OPEN' && !notApplicable ? random.pick(sentences) : null,
    notApplicable,
    selectedOptions: option,
  }
}

/** One answered scorecard with the vendor's fields. */
export function answeredRecord(world: World, review: Review): Record<string, unknown> {
  const { call, scorecard, index } = review
  const random = world.random('review record', index)
  const { host } = world.traits(call)
  const automatic = scorecard.reviewMethod === 'AUTOMATIC'
  const reviewer = at(world.users, managerOf(host) ?? 0).id
  return {
    answeredScorecardId: idOf(world.seed, 'answered scorecard', index),
    scorecardId: scorecard.scorecardId,
    scorecardName: scorecard.scorecardName,
    callId: at(world.calendar.ids, call),
    callStartTime: companyTime(at(world.calendar.started, call), at(world.calendar.digits, call)),
    reviewedUserId: at(world.users, host).id,
    reviewerUserId: automatic ? null : reviewer,
    reviewMethod: scorecard.reviewMethod,
    editorUserId: random.chance(0.1) ? reviewer : null,
    reviewTime: companyTime(review.reviewTime, 6),
    visibilityType: random.pick(['PUBLIC', 'PUBLIC', 'PRIVATE', 'OPT_IN_USERS']),
    answers: scorecard.questions.map((question) => answerRow(world, review, question)),
  }
}

/** What the vendor filters by; fields that it does not define are ignored. */
interface ReviewFilter {
  readonly dates: Readonly<Record<string, number | undefined>>
  readonly method: unknown
  readonly users: readonly string[] | undefined
  readonly scorecards: readonly string[] | undefined
}

const dateNames = ['callFromDate', 'callToDate', 'reviewFromDate', 'reviewToDate']

function datesOf(given: Readonly<Record<string, unknown>>, today: string): Readonly<Record<string, number | undefined>> | Answer {
  const dates: Record<string, number | undefined> = {}
  for (const name of dateNames) {
    const date = dateOf(given[name], name)
    if (isAnswer(date)) return date
    if (name.endsWith('ToDate') && date !== undefined && String(given[name]) > today) {
      return refused(400, `Bad request: ${name} must not be after the current day`)
    }
    dates[name] = date
  }
  return dates
}

function reviewFilterOf(call: ApiCall, given: Readonly<Record<string, unknown>>): ReviewFilter | Answer {
  const dates = datesOf(given, companyDate(call.state.clock()))
  if (isAnswer(dates)) return dates
  const users = idsOf(given['reviewedUserIds'], 'reviewedUserIds')
  if (isAnswer(users)) return users
  const scorecards = idsOf(given['scorecardIds'], 'scorecardIds')
  if (isAnswer(scorecards)) return scorecards
  const method = given['reviewMethod'] ?? 'MANUAL'
  if (!['AUTOMATIC', 'MANUAL', 'BOTH'].includes(String(method)))
    return refused(400, 'Bad request: reviewMethod must be AUTOMATIC, MANUAL or BOTH')
  return { dates, method, users, scorecards }
}

function inside(moment: number, from: number | undefined, to: number | undefined): boolean {
  return moment >= (from ?? Number.NEGATIVE_INFINITY) && moment < (to ?? Number.POSITIVE_INFINITY)
}

function matches(world: World, review: Review, filter: ReviewFilter): boolean {
  const { dates, method, users, scorecards } = filter
  const { scorecard, call, reviewTime } = review
  if (method !== 'BOTH' && scorecard.reviewMethod !== method) return false
  if (!inside(at(world.calendar.started, call), dates['callFromDate'], dates['callToDate'])) return false
  if (!inside(reviewTime, dates['reviewFromDate'], dates['reviewToDate'])) return false
  if (scorecards && !scorecards.includes(scorecard.scorecardId)) return false
  return !users || users.includes(at(world.users, at(world.hostOf, call)).id)
}

const int64Fields =
  /"(answeredScorecardId|scorecardId|callId|reviewedUserId|reviewerUserId|editorUserId|questionId|questionRevisionId)":"(-?\d+)"/g

/** POST /v2/stats/activity/scorecards */
export function listAnswered(call: ApiCall): Answer {
  const { state } = call
  const { int64ScorecardIds, emptyStatsOk } = state.switches.current()
  const given = filterOf(call)
  if (isAnswer(given)) return given
  const filter = reviewFilterOf(call, given)
  if (isAnswer(filter)) return filter
  const rows = reviewsOf(state.world, state.clock()).filter((review) => matches(state.world, review, filter))
  if (rows.length === 0 && !emptyStatsOk) return refused(404, 'Answered scorecards not found')
  const page = openPage(call, { cursor: call.body['cursor'], filter, total: rows.length })
  if (isAnswer(page)) return page
  const shown = rows.slice(page.from, page.to)
  const last = { id: idOf(state.world.seed, 'answered scorecard', shown.at(-1)?.index ?? 0) }
  const answer = ok({ records: page.records(last), answeredScorecards: shown.map((review) => answeredRecord(state.world, review)) })
  return int64ScorecardIds ? { ...answer, rewrite: (text) => text.replace(int64Fields, '"$1":$2') } : answer
}
