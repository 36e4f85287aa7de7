/** The rules of TikTok Marketing: what no word of the language says of parameters. */
import type { ParameterRule } from '../../definition/index.ts'

/** The vendor's longest report with a day per row, both days included. */
const longestDailyReport = 30
const day = 86_400_000

/** Whether the report has one row per day. `dimensions` is a JSON array of texts: it was checked. */
const isDaily = (dimensions: unknown): boolean => {
  const names: unknown = JSON.parse(String(dimensions))
  return Array.isArray(names) && names.includes('stat_time_day')
}

/**
 * A range that ends before it begins, and one of more than 30 days with a row per day: the vendor answers the second with
 * "max time span is 30 days when use stat_time_day", after the call was counted. Other limits are the vendor's to judge.
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

/** The documents leave bc_id optional; the vendor does not. */
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
