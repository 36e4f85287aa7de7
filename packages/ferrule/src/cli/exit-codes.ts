/** Exit codes of the command. Scripts branch on them, so they are stable. */
import type { FerruleError } from '../errors.ts'

/** Exit codes by what happened. */
export const exitCodes = {
  success: 0,
  failure: 1,
  authentication: 2,
  notFound: 3,
  usage: 4,
  passing: 5,
  setting: 78,
  interrupted: 130,
} as const

/** Meanings of the codes, for help and the reference page. */
export const exitMeanings: Readonly<Record<(typeof exitCodes)[keyof typeof exitCodes], string>> = {
  0: 'success',
  1: 'failure',
  2: 'authentication: the service or the vendor refused the credentials',
  3: 'not found',
  4: 'wrong usage, or a request that is not valid',
  5: 'the vendor or the service failed or throttles: try again later',
  78: 'a wrong setting: a variable or the profile file',
  130: 'interrupted',
}

type Rule = readonly [says: (error: FerruleError) => boolean, code: number]

/** The table; the first rule that fits an error decides. */
const rules: readonly Rule[] = [
  [({ code }) => code === 'setting_invalid', exitCodes.setting],
  [({ code }) => code === 'internal_error' || code === 'outcome_unknown', exitCodes.failure],
  [({ retryable }) => retryable, exitCodes.passing],
  [({ status, fault }) => status === 401 || status === 403 || fault === 'credentials', exitCodes.authentication],
  [({ status }) => status === 404, exitCodes.notFound],
  [({ status }) => status >= 400 && status < 500, exitCodes.usage],
  [({ fault }) => fault === 'vendor', exitCodes.passing],
]

/** Returns the exit code of an error. */
export const findExitCode = (error: FerruleError): number => rules.find(([says]) => says(error))?.[1] ?? exitCodes.failure
