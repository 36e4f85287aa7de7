import { describe, expect, test } from 'vitest'
import { get, openWorld, rows, walk } from './client.ts'

const { sandbox, facts, read, post } = await openWorld()
const november = { fromDate: '2024-11-01', toDate: '2024-12-02' }
const aggregatePath = '/v2/stats/activity/aggregate'
const answeredPath = '/v2/stats/activity/scorecards'
const statistics = [
  ['/v2/stats/activity/aggregate', 'usersAggregateActivityStats'],
  ['/v2/stats/activity/day-by-day', 'usersDetailedActivities'],
  ['/v2/stats/interaction', 'peopleInteractionStats'],
] as const

describe('statistics of users', () => {
  test.each(statistics)('%s pages by a cursor in the body, ascending by user, idle users left out', async (path, key) => {
    const pages = await walk((cursor) => post(path, { filter: november, ...(cursor ? { cursor } : {}) }))
    const ids = pages.flatMap((page) => rows(page.body, key).map((row) => BigInt(String(get(row, 'userId')))))
    expect(pages.length).toBeGreaterThan(1)
    expect(rows(pages[0]?.body, key)).toHaveLength(100)
    expect(ids).toEqual([...ids].sort((left, right) => (left < right ? -1 : 1)))
    expect(ids.length).toBe(get(pages[0]?.body, 'records', 'totalRecords'))
    expect(ids).not.toContain(BigInt(facts.idleUserId))
  })

  test.each(statistics)('%s knows its dates: required, in order, not after today', async (path) => {
    const status = async (filter: unknown) => (await post(path, { filter })).status
    expect(await status({})).toBe(400)
    expect(await status({ fromDate: '2024-11-31', toDate: '2024-12-02' })).toBe(400)
    expect(await status({ fromDate: '2024-12-02', toDate: '2024-12-01' })).toBe(400)
    expect(await status({ fromDate: '2025-06-01', toDate: '2025-06-17' })).toBe(400)
    expect(await status({ fromDate: '2025-06-01', toDate: '2025-06-16' })).toBe(200)
    expect((await post(path, {})).status).toBe(400)
  })

  test('the day by day figures add up to the aggregate', async () => {
    const userIds = [facts.managerId, facts.reviewedUserId]
    const sums = await post(aggregatePath, { filter: { ...november, userIds } })
    const days = await post('/v2/stats/activity/day-by-day', { filter: { ...november, userIds } })
    expect(rows(sums.body, 'usersAggregateActivityStats').length).toBeGreaterThan(0)
    for (const [index, row] of rows(sums.body, 'usersAggregateActivityStats').entries()) {
      const daily = rows(days.body, 'usersDetailedActivities', index, 'userDailyActivityStats')
      const totals = Object.entries(Object(get(row, 'userAggregateActivityStats')))
      expect(daily).toHaveLength(31)
      expect(totals).toHaveLength(15)
      for (const [name, total] of totals) expect(daily.flatMap((entry) => rows(entry, name))).toHaveLength(Number(total))
    }
  })

  test('days begin at midnight of the company, also when its clock changes', async () => {
    const filter = { ...november, userIds: [facts.managerId] }
    const { body } = await post('/v2/stats/activity/day-by-day', { filter })
    const days = rows(body, 'usersDetailedActivities', 0, 'userDailyActivityStats')
    expect([get(days[0], 'fromDate'), get(days[0], 'toDate')]).toEqual(['2024-11-01T07:00:00Z', '2024-11-02T07:00:00Z'])
    expect([get(days[2], 'fromDate'), get(days[2], 'toDate')]).toEqual(['2024-11-03T07:00:00Z', '2024-11-04T08:00:00Z'])
    const sums = await post(aggregatePath, { filter })
    expect(sums.body).toMatchObject({ fromDateTime: '2024-11-01T00:00:00-07:00', toDateTime: '2024-12-02T00:00:00-08:00' })
    expect(get(sums.body, 'timeZone')).toBe('US/Pacific')
  })

  test('the last date is not part of the period', async () => {
    const day = { fromDate: '2024-11-04', toDate: '2024-11-05' }
    const one = await post('/v2/stats/activity/day-by-day', { filter: day })
    const lengths = rows(one.body, 'usersDetailedActivities').map((row) => rows(row, 'userDailyActivityStats').length)
    expect(new Set(lengths)).toEqual(new Set([1]))
    const none = await post(aggregatePath, { filter: { fromDate: '2024-11-04', toDate: '2024-11-04' } })
    expect([none.status, get(none.body, 'usersAggregateActivityStats')]).toEqual([200, []])
  })

  test('interaction has six figures, and a text when there is nothing', async () => {
    const { body } = await post('/v2/stats/interaction', { filter: november })
    const names = rows(body, 'peopleInteractionStats', 0, 'personInteractionStats').map((row) => get(row, 'name'))
    expect(names).toEqual(['Talk Ratio', 'Longest Monologue', 'Longest Customer Story', 'Interactivity', 'Patience', 'Question Rate'])
    const filter = { fromDate: '2023-12-25', toDate: '2023-12-28' }
    const nothing = await post('/v2/stats/interaction', { filter })
    expect([nothing.status, get(nothing.body, 'errors', 0)]).toEqual([404, 'No stats found for the specified period'])
    sandbox.gong.switches.set({ emptyStatsOk: true })
    expect((await post('/v2/stats/interaction', { filter })).body).toMatchObject({ peopleInteractionStats: [] })
  })

  test('unknown users are not found, idle ones are left out', async () => {
    const unknown = await post(aggregatePath, { filter: { ...november, userIds: ['1'] } })
    expect([unknown.status, get(unknown.body, 'errors', 0)]).toEqual([404, 'User not found'])
    const idle = await post(aggregatePath, { filter: { ...november, userIds: [facts.idleUserId] } })
    expect([idle.status, get(idle.body, 'usersAggregateActivityStats')]).toEqual([200, []])
  })

  test('a period that would not fit into memory is refused', async () => {
    expect((await post('/v2/stats/activity/day-by-day', { filter: { fromDate: '2023-01-01', toDate: '2025-01-01' } })).status).toBe(400)
  })
})

describe('answered scorecards', () => {
  const list = async (filter: unknown) => rows((await post(answeredPath, { filter })).body, 'answeredScorecards')
  const total = async (filter: unknown) => Number(get((await post(answeredPath, { filter })).body, 'records', 'totalRecords'))

  test('are manual ones unless the filter says otherwise', async () => {
    expect(new Set((await list({})).map((row) => get(row, 'reviewMethod')))).toEqual(new Set(['MANUAL']))
    const automatic = await list({ reviewMethod: 'AUTOMATIC' })
    expect(automatic.length).toBeGreaterThan(10)
    expect(automatic.every((row) => get(row, 'reviewerUserId') === null)).toBe(true)
    expect(await total({ reviewMethod: 'BOTH' })).toBe(facts.counts.answeredScorecards)
    expect((await total({})) + (await total({ reviewMethod: 'AUTOMATIC' }))).toBe(facts.counts.answeredScorecards)
    expect((await post(answeredPath, { filter: { reviewMethod: 'ALL' } })).status).toBe(400)
  })

  test('are filtered by dates of the company, the last one excluded', async () => {
    const reviewed = await list({ reviewFromDate: '2024-05-01', reviewToDate: '2024-06-01' })
    expect(reviewed.length).toBeGreaterThan(0)
    expect(reviewed.every((row) => String(get(row, 'reviewTime')).startsWith('2024-05'))).toBe(true)
    const called = await list({ callFromDate: '2024-05-01', callToDate: '2024-06-01' })
    expect(called.every((row) => String(get(row, 'callStartTime')).startsWith('2024-05'))).toBe(true)
    expect((await post(answeredPath, { filter: { reviewToDate: '2025-06-17' } })).status).toBe(400)
  })

  test('are filtered by user and scorecard; what the vendor does not define is not minded', async () => {
    const of = await list({ reviewedUserIds: [facts.reviewedUserId] })
    expect(new Set(of.map((row) => get(row, 'reviewedUserId')))).toEqual(new Set([facts.reviewedUserId]))
    const cards = await list({ scorecardIds: [facts.scorecardIds[0]] })
    expect(new Set(cards.map((row) => get(row, 'scorecardId')))).toEqual(new Set([facts.scorecardIds[0]]))
    expect(await total({ fromDateTime: '2031-01-01T00:00:00Z', callIds: [] })).toBe(await total({}))
  })

  test('have the fields of the vendor alone', async () => {
    const [row] = await list({})
    expect(Object.keys(Object(row))).not.toContain('overallScore')
    expect(Object.keys(Object(get(row, 'answers', 0)))).toEqual([
      'questionId',
      'questionRevisionId',
      'isOverall',
      'score',
      'answerText',
      'notApplicable',
      'selectedOptions',
    ])
    const none = await post(answeredPath, { filter: { reviewedUserIds: [facts.idleUserId] } })
    expect([none.status, get(none.body, 'errors', 0)]).toEqual([404, 'Answered scorecards not found'])
  })

  test('can have ids that are JSON numbers with all their digits', async () => {
    const [row] = await list({})
    const id = String(get(row, 'answeredScorecardId'))
    sandbox.gong.switches.set({ int64ScorecardIds: true })
    const { text, body } = await post(answeredPath, { filter: {} })
    expect(text).toContain(`"answeredScorecardId":${id},`)
    expect(text).toMatch(/"questionId":\d{17,19},/)
    expect(get(body, 'answeredScorecards', 0, 'answeredScorecardId')).toBeTypeOf('number')
  })
})

describe('settings', () => {
  test('scorecards of all workspaces come whatever the query says, built-in ones updated by -1', async () => {
    const { body } = await read(`/v2/settings/scorecards?workspaceId=${facts.workspaceIds[0]}`)
    expect(rows(body, 'scorecards').map((card) => get(card, 'scorecardId'))).toEqual(facts.scorecardIds)
    expect(get(body, 'scorecards', 0, 'updaterUserId')).toBe('-1')
    expect(get(body, 'records')).toBeUndefined()
    const questions = rows(body, 'scorecards').flatMap((card) => rows(card, 'questions'))
    expect(questions.some((question) => get(question, 'minRange') === '1' && get(question, 'maxRange') === '5')).toBe(true)
    expect(questions.some((question) => get(question, 'answerOptions', 0, 'text') === 'Yes')).toBe(true)
    expect(questions.every((question) => !('isRequired' in Object(question)))).toBe(true)
  })

  test('trackers are those of one workspace or of all', async () => {
    const all = await read('/v2/settings/trackers')
    const one = await read(`/v2/settings/trackers?workspaceId=${facts.workspaceIds[2]}`)
    expect(rows(all.body, 'keywordTrackers')).toHaveLength(21)
    expect(rows(one.body, 'keywordTrackers').map((tracker) => get(tracker, 'workspaceId'))).toEqual(Array(3).fill(facts.workspaceIds[2]))
    expect(get(all.body, 'keywordTrackers', 0)).toMatchObject({ creatorUserId: null, updaterUserId: null, filterQuery: '{}' })
    expect((await read('/v2/settings/trackers?workspaceId=1')).status).toBe(404)
  })

  test('workspaces have no workspaceId', async () => {
    const { body } = await read('/v2/workspaces')
    expect(rows(body, 'workspaces').map((workspace) => Object.keys(Object(workspace)))).toEqual(
      Array(3).fill(['id', 'name', 'description']),
    )
  })
})

describe('library', () => {
  test('folders have parents and belong to a workspace', async () => {
    const all = await read('/v2/library/folders')
    const one = await read(`/v2/library/folders?workspaceId=${facts.workspaceIds[1]}`)
    const [root, child] = rows(one.body, 'folders')
    expect(rows(all.body, 'folders').length).toBeGreaterThan(rows(one.body, 'folders').length)
    expect([get(root, 'parentFolderId'), get(child, 'parentFolderId')]).toEqual([null, get(root, 'id')])
    expect((await read('/v2/library/folders?workspaceId=1')).status).toBe(404)
  })

  test('calls of a folder have fields of their own and come all at once', async () => {
    const { body } = await read(`/v2/library/folder-content?folderId=${facts.folderId}`)
    const calls = rows(body, 'calls')
    const names = ['id', 'title', 'note', 'addedBy', 'created', 'url', 'snippet']
    expect(calls.map((call) => Object.keys(Object(call)))).toEqual(Array(10).fill(names))
    expect(calls.map((call) => get(call, 'id'))).toContain(facts.privateCallId)
    expect(get(body, 'records')).toBeUndefined()
    const large = await read(`/v2/library/folder-content?folderId=${facts.largeFolderId}`)
    expect(rows(large.body, 'calls').length).toBeGreaterThan(100)
  })

  test('an empty folder is a success, an unknown or missing one is not', async () => {
    const empty = await read(`/v2/library/folder-content?folderId=${facts.emptyFolderId}`)
    expect([empty.status, get(empty.body, 'calls')]).toEqual([200, []])
    expect((await read('/v2/library/folder-content?folderId=1')).status).toBe(404)
    expect((await read('/v2/library/folder-content')).status).toBe(400)
  })
})

describe('coaching', () => {
  const query = {
    'workspace-id': facts.workspaceIds[0] ?? '',
    'manager-id': facts.managerId,
    from: '2024-01-01T00:00:00Z',
    to: '2024-07-01T00:00:00Z',
  }
  const coaching = (changes: Record<string, string>) => read(`/v2/coaching?${new URLSearchParams({ ...query, ...changes })}`)

  test('a manager comes with the direct reports and the calls behind each figure', async () => {
    const { body } = await coaching({})
    expect(get(body, 'coachingData', 0, 'manager', 'id')).toBe(facts.managerId)
    const reports = rows(body, 'coachingData', 0, 'directReportsMetrics')
    expect(reports.length).toBeGreaterThan(3)
    expect(Object.keys(Object(get(reports[0], 'metrics')))).toEqual([
      'callsListenedTo',
      'callsManagerAttended',
      'callsWithFeedback',
      'callsManagerCommentedOn',
      'callsWithScorecardFilled',
    ])
    expect(reports.flatMap((report) => rows(report, 'metrics', 'callsListenedTo')).length).toBeGreaterThan(3)
  })

  test('nobody for a user who leads nobody', async () => {
    expect((await coaching({ 'manager-id': facts.nobodysManagerId })).body).toMatchObject({ coachingData: [] })
  })

  test.each(['workspace-id', 'manager-id', 'from', 'to'])('%s is required', async (name) => {
    const { status, body } = await coaching({ [name]: '' })
    expect([status, get(body, 'errors', 0)]).toEqual([400, `Bad request: ${name} is required`])
  })
})
