/** Validates the parameters of a call before anything is sent. */
import { isObject } from '../../definition/object.ts'
import { type FerruleError, fail, failAs, isErrorCode, joinProblems, type Problem } from '../../errors.ts'
import { convertForms } from '../json/forms.ts'
import type { CompiledOperation } from './operation.ts'

/** Validated parameters. */
export type Params = Readonly<Record<string, unknown>>

const failParameters = (code: string | undefined, problems: readonly Problem[]): FerruleError => {
  const reason = joinProblems(problems)
  if (code !== undefined && isErrorCode(code)) return failAs(code, { reason }, { errors: problems })
  return fail(
    problems.every(({ error_code }) => error_code === 'required') ? 'missing_parameter' : 'invalid_parameter',
    { reason },
    { errors: problems },
  )
}

/** Removes null parameters: `next_params` uses null to remove a filter. */
const dropNulls = (params: Params): Params =>
  Object.values(params).includes(null) ? Object.fromEntries(Object.entries(params).filter(([, value]) => value !== null)) : params

/** Removes `limit` from a list without it, because existing clients send it to every list. */
const dropForeignLimit = ({ action, operation }: CompiledOperation, params: Params): Params => {
  if (action !== 'list' || !('limit' in params) || 'limit' in operation.params) return params
  const { limit: _ignored, ...rest } = params
  return rest
}

/** Trims the string parameters that the definition marks. */
const trimParameters = ({ trimmed }: CompiledOperation, params: Params): Params => {
  const padded = trimmed.flatMap((name) => {
    const text = params[name]
    return typeof text === 'string' ? [[name, text.trim()]] : []
  })
  return padded.length === 0 ? params : { ...params, ...Object.fromEntries(padded) }
}

/**
 * Checks the parameters against the operation's schema.
 * @param given absent and null count as `{}`; a null parameter counts as absent; a string of digits counts as the declared
 *   integer, a list as the JSON text, and a `Date` as the day or timestamp
 * @throws FerruleError `missing_parameter` (only required ones are missing), `invalid_parameter`, or the code that the definition gives to
 *   a value; each problem has its field (JSON pointer below `/params`) and a sentence
 */
export function checkParams(operation: CompiledOperation, given: unknown): Params {
  const value = given ?? {}
  if (!isObject(value))
    throw fail(
      'invalid_parameter',
      { reason: '/params must be an object' },
      { errors: [{ field: '/params', message: 'must be an object', error_code: 'type' }] },
    )
  const own = dropForeignLimit(operation, dropNulls(value))
  const params = convertForms(operation.convertible, trimParameters(operation, own))
  const problems = operation.params.problems(params, '/params')
  if (problems.length > 0) throw failParameters(operation.params.refusal(params), problems)
  return params
}

/**
 * Applies the kind's own rule to validated parameters; without a rule they stay unchanged.
 * @throws FerruleError of the rule's code, with the field of the parameter
 */
export function applyParameterRule({ admit }: CompiledOperation, params: Params): Params {
  if (admit === undefined) return params
  const answer = admit(params)
  if ('params' in answer) return answer.params
  const { code, param, message, hint, error_code = 'rule', at, window } = answer.refused
  const field = `/params/${param}`
  const problems = [{ field, message, error_code, ...at, ...(window === undefined ? {} : { window }) }]
  throw failAs(code, { reason: joinProblems(problems) }, { errors: problems, hint })
}

/**
 * Checks the parameters of a call as far as it is possible before anything is sent.
 * @throws FerruleError as `checkParams` and `applyParameterRule`
 */
export const admitParams = (operation: CompiledOperation, given: unknown): Params =>
  applyParameterRule(operation, checkParams(operation, given))
