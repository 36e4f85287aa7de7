import { at } from '../data.ts'
import { idOf } from '../random.ts'
import { type Answer, badRequest, type JsonRecord, ok, Refusal } from './answers.ts'
import { dateIn, filterOf, idsIn, openPage } from './lists.ts'
import { managerOf, sentences } from './people.ts'
import { type Scorecard, scorecardsOf } from './settings.ts'
import type { ApiCall } from './state.ts'
import { companyDate, companyTime, day } from './time.ts'
import { startTime, type World } from './world.ts'

interface Review {
  /** Position among all reviews. */
  readonly index: number
  readonly call: number
  readonly scorecard: Scorecard
  readonly reviewTime: number
}

const reviewCount = 900

/** Returns all reviews of known calls that were made before a time, oldest first. */
export function reviewsOf(world: World, now: number): readonly Review[] {
  const scorecards = scorecardsOf(world)
  const reviews = Array.from({ length: reviewCount }, (_, index) => {
    const random = world.random('review', index)
    const call = random.int(0, world.slots.length - 1)
    const delay = random.int(60_000, 10 * day) + random.int(0, 999) / 1000
    return { index, call, scorecard: random.pick(scorecards), delay }
  })
  return reviews
    .flatMap(({ delay, ...review }) => {
      const started = world.calls[review.call]?.started
      return started === undefined ? [] : [{ ...review, reviewTime: started + 4_200_000 + delay }]
    })
    .filter(({ reviewTime }) => reviewTime < now)
    .sort((left, right) => left.reviewTime - right.reviewTime)
}

function answerRow(world: World, review: Review, question: Scorecard['questions'][number]): JsonRecord {
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

function answeredRecord(world: World, review: Review): JsonRecord {
  const { call, scorecard, index } = review
  const random = world.random('review record', index)
  const { host } = world.traits(call)
  const automatic = scorecard.reviewMethod === 'AUTOMATIC'
  const reviewer = at(world.users, managerOf(host) ?? 0).id
  return {
    answeredScorecardId: idOf(world.seed, 'answered scorecard', index),
    scorecardId: scorecard.scorecardId,
    scorecardName: scorecard.scorecardName,
    callId: at(world.calls, call).id,
    callStartTime: startTime(world, call),
    reviewedUserId: at(world.users, host).id,
    reviewerUserId: automatic ? null : reviewer,
    reviewMethod: scorecard.reviewMethod,
    editorUserId: random.chance(0.1) ? reviewer : null,
    reviewTime: companyTime(review.reviewTime, 6),
    visibilityType: random.pick(['PUBLIC', 'PUBLIC', 'PRIVATE', 'OPT_IN_USERS']),
    answers: scorecard.questions.map((question) => answerRow(world, review, question)),
  }
}

const dateNames = ['callFromDate', 'callToDate', 'reviewFromDate', 'reviewToDate']

/** Returns what the vendor filters by; fields that it does not define are ignored. */
function reviewFilterOf(call: ApiCall, given: JsonRecord) {
  const today = companyDate(call.state.clock())
  const [callFrom, callTo, reviewFrom, reviewTo] = dateNames.map((name) => {
    const date = dateIn(given, name)
    if (name.endsWith('ToDate') && date !== undefined && String(given[name]) > today)
      throw badRequest(`${name} must not be after the current day`)
    return date
  })
  const [users, scorecards] = [idsIn(given, 'reviewedUserIds'), idsIn(given, 'scorecardIds')]
  const method = given['reviewMethod'] ?? 'MANUAL'
  if (!['AUTOMATIC', 'MANUAL', 'BOTH'].includes(String(method))) throw badRequest('reviewMethod must be AUTOMATIC, MANUAL or BOTH')
  return { callFrom, callTo, reviewFrom, reviewTo, method, users, scorecards }
}

const inside = (moment: number, from = Number.NEGATIVE_INFINITY, to = Number.POSITIVE_INFINITY): boolean => moment >= from && moment < to

function matches(world: World, review: Review, filter: ReturnType<typeof reviewFilterOf>): boolean {
  const { scorecard, call, reviewTime } = review
  if (filter.method !== 'BOTH' && scorecard.reviewMethod !== filter.method) return false
  if (!inside(at(world.calls, call).started, filter.callFrom, filter.callTo)) return false
  if (!inside(reviewTime, filter.reviewFrom, filter.reviewTo)) return false
  if (filter.scorecards && !filter.scorecards.includes(scorecard.scorecardId)) return false
  return !filter.users || filter.users.includes(at(world.users, world.traits(call).host).id)
}

const int64Fields =
  /"(answeredScorecardId|scorecardId|callId|reviewedUserId|reviewerUserId|editorUserId|questionId|questionRevisionId)":"(-?\d+)"/g

/** POST /v2/stats/activity/scorecards */
export function listAnswered(call: ApiCall): Answer {
  const { world, switches, clock } = call.state
  const { int64ScorecardIds, emptyStatsOk } = switches.current()
  const filter = reviewFilterOf(call, filterOf(call))
  const rows = reviewsOf(world, clock()).filter((review) => matches(world, review, filter))
  if (rows.length === 0 && !emptyStatsOk) throw new Refusal(404, 'Answered scorecards not found')
  const cursorRow = ({ index }: Review) => ({ id: idOf(world.seed, 'answered scorecard', index) })
  const { records, shown } = openPage(call, { filter, rows, cursorRow })
  const answer = ok({ records: records(), answeredScorecards: shown.map((review) => answeredRecord(world, review)) })
  return int64ScorecardIds ? { ...answer, rewrite: (text) => text.replace(int64Fields, '"$1":$2') } : answer
}
