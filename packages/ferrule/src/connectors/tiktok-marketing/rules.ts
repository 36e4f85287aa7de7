/** The rules of TikTok Marketing: checks of parameters that the definition language cannot express. */
import type { ParameterRule } from '../../definition/index.ts'

/** Longest range of a report with one row per day, in days, the first and the last included. */
const longestDailyReport = 30
const day = 86_400_000

/** Returns whether the report has one row per day. `dimensions` is a checked JSON array of strings. */
const isDaily = (dimensions: unknown): boolean => {
  const names: unknown = JSON.parse(String(dimensions))
  return Array.isArray(names) && names.includes('stat_time_day')
}

/**
 * Refuses a range that ends before it begins, and more than 30 days with a row per day. The vendor refuses the second ("max time span is 30
 * days when use stat_time_day"), but counts the call. The vendor judges all other limits.
 */
const report_range: ParameterRule = (params) => {
  const days = (Date.parse(String(params['end_date'])) - Date.parse(String(params['start_date']))) / day + 1
  if (days < 1) return { refused: { code: 'invalid_parameter', param: 'end_date', message: 'must not be before start_date' } }
  if (days <= longestDailyReport || !isDaily(params['dimensions'])) return { params }
  return {
    refused: {
      code: 'invalid_parameter',
      param: 'end_date',
      message: `makes ${days} days: a report with stat_time_day spans at most ${longestDailyReport} days, both included`,
      hint: `Ask for windows of at most ${longestDailyReport} days, one after the other.`,
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
