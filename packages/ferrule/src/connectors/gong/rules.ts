/** The rules of Gong: pure functions for shapes that the definition language cannot express (docs/decisions/vendors.md). */

type Row = Readonly<Record<string, unknown>>
const isRow = (value: unknown): value is Row => typeof value === 'object' && value !== null && !Array.isArray(value)
const readRows = (value: unknown): readonly Row[] => (Array.isArray(value) ? value.filter(isRow) : [])

/** Our name → the vendor's, as public clients know them: the vendor documents the map without its keys. */
const metrics = {
  callsListened: 'callsListenedTo',
  callsAttended: 'callsManagerAttended',
  callsWithFeedback: 'callsWithFeedback',
  callsWithComments: 'callsManagerCommentedOn',
  scorecardsFilled: 'callsWithScorecardFilled',
} as const

/** Our metric → ids of calls. */
type Metrics = Readonly<Record<string, readonly unknown[]>>
const readMetrics = (value: unknown): Metrics =>
  Object.fromEntries(
    Object.entries(metrics).map(([ours, theirs]) => [ours, isRow(value) && Array.isArray(value[theirs]) ? value[theirs] : []]),
  )
const counts = (all: readonly Metrics[]) =>
  Object.fromEntries(Object.keys(metrics).map((name) => [name, all.reduce((sum, one) => sum + (one[name]?.length ?? 0), 0)]))

const buildPerson = (value: unknown, isManager: boolean, coachingMetrics: Row): Row => {
  const user = isRow(value) ? value : {}
  return {
    userId: user['id'] ?? null,
    userEmailAddress: user['emailAddress'] ?? null,
    userName: [user['firstName'], user['lastName']].filter((part) => typeof part === 'string' && part !== '').join(' '),
    isManager,
    coachingMetrics,
  }
}

/**
 * Converts `{ manager, directReportsMetrics: [{ report, metrics }] }` to one record per manager (the sum of the reports) and one per
 * report.
 */
const coaching = (group: unknown): Row[] => {
  const { manager, directReportsMetrics }: Row = isRow(group) ? group : {}
  const reports = readRows(directReportsMetrics).map(({ report, metrics: all }) => ({ report, all: readMetrics(all) }))
  return [
    buildPerson(manager, true, counts(reports.map(({ all }) => all))),
    ...reports.map(({ report, all }) => buildPerson(report, false, counts([all]))),
  ]
}

const readAnswer = (value: unknown): Row => {
  const { answerText, score }: Row = isRow(value) ? value : {}
  return { answer: answerText ?? (score === null || score === undefined ? null : String(score)) }
}

/** Derives `overallScore` (score of the overall answer) and each answer's `answer` (its string, else its score). */
const answered_scorecards = (row: unknown): Row => {
  const { answers }: Row = isRow(row) ? row : {}
  if (!Array.isArray(answers)) return {}
  const overall = readRows(answers).find((answer) => answer['isOverall'] === true)
  return { answers: answers.map(readAnswer), overallScore: overall?.['score'] ?? null }
}

/** By the name that definitions use, without `rule:`. */
export const rules = { rows: { coaching, answered_scorecards } }
