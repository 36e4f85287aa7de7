import {
  absent,
  bool,
  each,
  emptyIsAbsent,
  entity,
  int,
  list,
  num,
  obj,
  open,
  opt,
  orDate,
  orNull,
  str,
  time,
} from '../../definition/index.ts'
import { cursor, statisticsFilter } from './shared.ts'

const measures = [
  'callsAsHost',
  'callsGaveFeedback',
  'callsRequestedFeedback',
  'callsReceivedFeedback',
  'ownCallsListenedTo',
  'othersCallsListenedTo',
  'callsSharedInternally',
  'callsSharedExternally',
  'callsScorecardsFilled',
  'callsScorecardsReceived',
  'callsAttended',
  'callsCommentsGiven',
  'callsCommentsReceived',
  'callsMarkedAsFeedbackGiven',
  'callsMarkedAsFeedbackReceived',
] as const

const user = { userId: str('User id'), userEmailAddress: str('E-mail address of the user') }
// The documents show no cursor here. The vendor accepts one in the body; without it page 2 is unreachable.
const params = { filter: statisticsFilter, cursor }

/** POST /v2/stats/activity/aggregate. The answer omits users without activity. */
export const stats_activity_aggregate = entity({
  about: 'Activity of users, added up over the days',
  key: ['userId'],
  record: { ...user, userAggregateActivityStats: obj(each(int('Count'), ...measures), 'Counts') },
  list: { call: 'POST /v2/stats/activity/aggregate', at: 'usersAggregateActivityStats', page: 'cursor', params },
})

/** POST /v2/stats/activity/day-by-day */
export const stats_activity_day_by_day = entity({
  about: 'Activity of users, day by day',
  key: ['userId'],
  record: {
    ...user,
    userDailyActivityStats: list(
      obj(
        { ...each(list(str('Call id'), 'Calls'), ...measures), fromDate: time('Start of the day'), toDate: time('End of the day') },
        'One day',
      ),
      'One element per day',
    ),
  },
  list: { call: 'POST /v2/stats/activity/day-by-day', at: 'usersDetailedActivities', page: 'cursor', params },
})

/** POST /v2/stats/interaction. Counts only calls with Whisper on. */
export const stats_interaction = entity({
  about: 'Interaction statistics of users, over calls that have the whisper setting on',
  key: ['userId'],
  record: {
    ...user,
    personInteractionStats: list(obj({ name: str('Name of the statistic'), value: num('Value') }, 'Statistic'), 'Statistics'),
  },
  list: { call: 'POST /v2/stats/interaction', at: 'peopleInteractionStats', page: 'cursor', params },
})

const ids = (about: string) => opt(emptyIsAbsent(list(str('Id'), `${about}; an empty array is the same as none`)))

const answer = {
  questionId: str('Question id'),
  questionRevisionId: str('Revision of the question'),
  isOverall: bool('Whether it is the overall question'),
  answer: absent(str('The answer as a string; derived from answerText or score')),
  answerText: orNull(str('Free text')),
  score: absent(num('Score')),
  notApplicable: bool('Whether the question did not apply'),
  selectedOptions: orNull(list(str('Option'), 'Chosen options')),
}

/** POST /v2/stats/activity/scorecards */
export const stats_activity_scorecards = entity({
  about: 'Answered scorecards',
  key: ['answeredScorecardId'],
  refers: { callId: 'calls', reviewedUserId: 'users', reviewerUserId: 'users', scorecardId: 'settings_scorecards' },
  record: {
    ...each(str('As the vendor sends it'), 'answeredScorecardId', 'scorecardId', 'scorecardName', 'callId'),
    callStartTime: time('Start of the call'),
    reviewedUserId: str('User who was reviewed'),
    reviewerUserId: absent(str('Reviewer; null when the review is automatic')),
    reviewMethod: str('MANUAL or AUTOMATIC'),
    editorUserId: orNull(str('User who edited the review')),
    answeredDateTime: absent(time('When it was answered; the vendor sends reviewTime only')),
    reviewTime: time('When it was reviewed'),
    visibilityType: str('PUBLIC, PRIVATE or OPT_IN_USERS'),
    answers: list(obj(answer, 'Answer'), 'Answers'),
    overallScore: absent(num('Score of the overall question')),
    visibility: absent(str('visibilityType in lower case')),
  },
  // The vendor declares 64-bit integers and sends strings. Both forms become strings.
  from: {
    ...each(
      { as: 'string' } as const,
      'answeredScorecardId',
      'scorecardId',
      'callId',
      'reviewedUserId',
      'reviewerUserId',
      'editorUserId',
      'answers[].questionId',
      'answers[].questionRevisionId',
    ),
    answeredDateTime: { copy: 'reviewTime' },
    visibility: { copy: 'visibilityType', as: 'lower' },
  },
  list: {
    call: 'POST /v2/stats/activity/scorecards',
    at: 'answeredScorecards',
    page: 'cursor',
    rows: 'rule:answered_scorecards',
    params: {
      filter: obj(
        {
          fromDateTime: orDate(time('Start of the review window, inclusive')),
          toDateTime: orDate(time('End of the review window, exclusive')),
          scorecardIds: ids('Only these scorecards'),
          reviewedUserIds: ids('Only these reviewed users'),
          reviewerUserIds: ids('Only these reviewers'),
          callIds: ids('Only these calls'),
        },
        'Which reviews',
      ),
      cursor,
    },
    // The vendor takes days in the company's time zone: the request is one day wider on both sides, and the engine filters exactly.
    send: {
      'filter.fromDateTime': { to: 'filter.reviewFromDate', as: 'day_before' },
      'filter.toDateTime': { to: 'filter.reviewToDate', as: 'day_after' },
    },
    // The vendor's default, MANUAL, would omit automatic reviews.
    constant: { 'filter.reviewMethod': 'BOTH' },
    local: {
      'filter.fromDateTime': { field: 'reviewTime', keep: 'from' },
      'filter.toDateTime': { field: 'reviewTime', keep: 'before' },
      'filter.reviewerUserIds': { field: 'reviewerUserId', keep: 'in' },
      'filter.callIds': { field: 'callId', keep: 'in' },
    },
  },
  context_store_search: {
    ...each(
      str('As in the record'),
      'answeredScorecardId',
      'callId',
      'reviewedUserId',
      'reviewerUserId',
      'scorecardId',
      'scorecardName',
      'visibilityType',
    ),
    answers: list(open('Answer'), 'Answers'),
    callStartTime: time('Start of the call'),
    reviewTime: time('When it was reviewed'),
  },
  sync: {
    since: {
      param: 'filter.fromDateTime',
      until: 'filter.toDateTime',
      first: '2010-01-01T00:00:00Z',
      field: 'reviewTime',
      lookback: 14 * 86_400,
      fixed: true,
    },
  },
})
