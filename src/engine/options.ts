/** Options of the library's calls, checked: who writes JavaScript has no compiler that does. */
import { isObject } from '../definition/object.ts'
import type { Problem } from '../errors.ts'
import { validationFailed } from './credentials.ts'

/** What an option must be: the words for a refusal, and the test. */
type OptionRule = readonly [message: string, fits: (value: unknown) => boolean]
/** Options by name. */
export type OptionRules = Readonly<Record<string, OptionRule>>

const anything: OptionRule = ['must be given', () => true] // its own check says more
const aFunction: OptionRule = ['must be a function', (value) => typeof value === 'function']

/** Of `connect`. */
export const connectOptions: OptionRules = {
  credentials: anything,
  config: anything,
  origin: ['must be an address or an object with addresses', (value) => typeof value === 'string' || isObject(value)],
  onCredentials: aFunction,
  limits: ['must be true or false', (value) => typeof value === 'boolean'],
  onNotice: aFunction,
}

/** Of one call or walk. */
export const callOptions: OptionRules = {
  signal: ['must be an AbortSignal', (value) => value instanceof AbortSignal],
  deadlineMs: ['must be a number above 0, in milliseconds', (value) => typeof value === 'number' && value > 0],
  maxPages: ['must be a whole number from 1', (value) => Number.isInteger(value) && Number(value) >= 1],
}

function problemOf(rules: OptionRules, [name, value]: [string, unknown]): readonly Problem[] {
  const field = `/${name}`
  const rule = Object.hasOwn(rules, name) ? rules[name] : undefined
  if (rule === undefined) return [{ field, message: `is not known; known: ${Object.keys(rules).join(', ')}`, error_code: 'unknown' }]
  const [message, fits] = rule
  return value === undefined || fits(value) ? [] : [{ field, message, error_code: 'type' }]
}

/**
 * Checks options; undefined counts as none.
 * @throws FerruleError `validation_failed` with the place of every option that is unknown or of another type
 */
export function checkOptions(rules: OptionRules, options: unknown): void {
  if (options === undefined) return
  if (!isObject(options)) throw validationFailed([{ field: '/options', message: 'must be an object', error_code: 'type' }])
  const problems = Object.entries(options).flatMap((entry) => problemOf(rules, entry))
  if (problems.length > 0) throw validationFailed(problems)
}
