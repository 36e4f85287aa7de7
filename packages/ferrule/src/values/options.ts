/** Checks the options of the library's calls, because JavaScript callers have no compiler. */
import { isObject } from '../definition/object.ts'
import { failValidation, type Problem } from '../errors.ts'

/** The message of a refusal, and the test of the value. */
export type OptionRule = readonly [message: string, fits: (value: unknown) => boolean]
/** Options by name. */
export type OptionRules = Readonly<Record<string, OptionRule>>

/** Takes any value: its own check reports more, or the service does. */
export const anything: OptionRule = ['must be given', () => true]

/** Options of one call or walk in both modes. */
export const callRules: OptionRules = {
  signal: ['must be an AbortSignal', (value) => value instanceof AbortSignal],
  deadlineMs: ['must be a number above 0, in milliseconds', (value) => typeof value === 'number' && value > 0],
  maxPages: ['must be a whole number from 1', (value) => Number.isInteger(value) && Number(value) >= 1],
}

/** Options of a download in both modes. */
export const downloadRules: OptionRules = {
  resume: ['must be true or false', (value) => typeof value === 'boolean'],
}

/** Rules of `rows()`, beside those of a walk. */
export const rowRules: OptionRules = {
  as: ["must be 'arrays' or 'objects'", (value) => value === 'arrays' || value === 'objects'],
}

function findProblem(rules: OptionRules, [name, value]: [string, unknown]): readonly Problem[] {
  const field = `/${name}`
  const rule = Object.hasOwn(rules, name) ? rules[name] : undefined
  if (rule === undefined) return [{ field, message: `is not known; known: ${Object.keys(rules).join(', ')}`, error_code: 'unknown' }]
  const [message, fits] = rule
  return value === undefined || fits(value) ? [] : [{ field, message, error_code: 'type' }]
}

/** Checks options; undefined counts as none. @throws FerruleError `validation_failed` with the name of every unknown or wrong option */
export function checkOptions(rules: OptionRules, options: unknown): void {
  if (options === undefined) return
  if (!isObject(options)) throw failValidation([{ field: '/options', message: 'must be an object', error_code: 'type' }])
  const problems = Object.entries(options).flatMap((entry) => findProblem(rules, entry))
  if (problems.length > 0) throw failValidation(problems)
}
