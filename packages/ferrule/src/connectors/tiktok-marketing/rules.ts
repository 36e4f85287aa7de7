/** The rules of TikTok Marketing: checks of parameters that the definition language cannot express. */
import type { ParameterRule } from '../../definition/index.ts'
import { longestReports } from './shared.ts'

const day = 86_400_000

/** Finds the dimension of time that limits a report. `dimensions` is a checked JSON array of strings. */
const findLimit = (dimensions: unknown): readonly [name: string, days: number] | undefined => {
  const names: unknown = JSON.parse(String(dimensions))
  return Object.entries(longestReports).find(([name]) => Array.isArray(names) && names.includes(name))
}

/**
 * Refuses a range that ends before it begins, and one that is too long for its dimension of time. The vendor refuses the second ("max time
 * span is 30 days when use stat_time_day"), but counts the call. The vendor judges all other limits: rows without a dimension of time are
 * totals of the range, so no walk can cut it.
 */
const report_range: ParameterRule = (params) => {
  const days = (Date.parse(String(params['end_date'])) - Date.parse(String(params['start_date']))) / day + 1
  if (days < 1) return { refused: { code: 'invalid_parameter', param: 'end_date', message: 'must not be before start_date' } }
  const [name, most] = findLimit(params['dimensions']) ?? ['', Number.POSITIVE_INFINITY]
  if (days <= most) return { params }
  const span = most === 1 ? '1 day' : `${most} days`
  return {
    refused: {
      code: 'invalid_parameter',
      param: 'end_date',
      message: `makes ${days} days: a report with ${name} spans at most ${span}, both included`,
      hint: `Ask for windows of at most ${span}, one after the other.`,
      window: { from: 'start_date', to: 'end_date', days: most, page: 'page' },
    },
  }
}

/** Requires bc_id: the documents call it optional, the vendor does not. */
const business_centre: ParameterRule = (params) =>
  params['bc_id'] === undefined
    ? {
        refused: {
          code: 'missing_parameter',
          param: 'bc_id',
          message: 'is required by the vendor: catalogs belong to a business centre',
          hint: 'Send bc_id, the id of the business centre (Business Center → Settings).',
        },
      }
    : { params }

/** By the name that definitions use, without `rule:`. */
export const rules = { params: { report_range, business_centre } }
