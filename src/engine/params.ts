/** Validation of the parameters of a call, before anything is sent. */

import { isObject } from '../definition/object.ts'
import { type ErrorCode, errorTable, type FerruleError, fail, failAs, type Problem } from '../errors.ts'
import { readIntegers } from './integer.ts'
import type { CompiledOperation } from './operation.ts'

/** Validated parameters. */
export type Params = Readonly<Record<string, unknown>>

const reasonOf = (problems: readonly Problem[]): string => problems.map(({ field, message }) => `${field} ${message}`).join('; ')

const isCode = (code: string): code is ErrorCode => code in errorTable

const refused = (code: string | undefined, problems: readonly Problem[]): FerruleError => {
  const reason = reasonOf(problems)
  if (code !== undefined && isCode(code)) return failAs(code, { reason }, { errors: problems })
  return fail(
    problems.every(({ error_code }) => error_code === 'required') ? 'missing_parameter' : 'invalid_parameter',
    { reason },
    { errors: problems },
  )
}

/** A parameter that is null counts as absent: `next_params` takes filters back in this way. */
const withoutNulls = (params: Params): Params =>
  Object.values(params).includes(null) ? Object.fromEntries(Object.entries(params).filter(([, value]) => value !== null)) : params

/** `limit` on a list that does not have it: existing clients send it to every list, so it is ignored. */
const withoutForeignLimit = ({ action, operation }: CompiledOperation, params: Params): Params => {
  if (action !== 'list' || !('limit' in params) || 'limit' in operation.params) return params
  const { limit: _ignored, ...rest } = params
  return rest
}

/** Texts whose spaces at the ends do not count, without them. */
const withoutEnds = ({ trimmed }: CompiledOperation, params: Params): Params => {
  const padded = trimmed.flatMap((name) => {
    const text = params[name]
    return typeof text === 'string' ? [[name, text.trim()]] : []
  })
  return padded.length === 0 ? params : { ...params, ...Object.fromEntries(padded) }
}

/**
 * Checks the parameters against the operation's schema.
 * @param given absent and null count as `{}`; a parameter that is null counts as absent; a text of digits counts as
 *   the integer that is declared
 * @throws FerruleError `missing_parameter` (only required ones are missing), `invalid_parameter`, or the code that the definition
 *   gives to a part; each problem has its place (JSON pointer below `/params`) and a sentence
 */
export function checkParams(operation: CompiledOperation, given: unknown): Params {
  const value = given ?? {}
  if (!isObject(value))
    throw fail(
      'invalid_parameter',
      { reason: '/params must be an object' },
      { errors: [{ field: '/params', message: 'must be an object', error_code: 'type' }] },
    )
  const own = withoutForeignLimit(operation, withoutNulls(value))
  const params = readIntegers(operation.integers, withoutEnds(operation, own))
  const problems = operation.params.problems(params, '/params')
  if (problems.length > 0) throw refused(operation.params.refusal(params), problems)
  return params
}

/**
 * What the kind's own rule makes of validated parameters; without one they go on as they are.
 * @throws FerruleError of the rule's code, with the place of the parameter
 */
export function admitted({ admit }: CompiledOperation, params: Params): Params {
  if (admit === undefined) return params
  const answer = admit(params)
  if ('params' in answer) return answer.params
  const { code, param, message, hint, error_code = 'rule', at } = answer.refused
  const field = `/params/${param}`
  const problems = [{ field, message, error_code, ...at }]
  throw failAs(code, { reason: `${field} ${message.replace(/\.$/, '')}` }, { errors: problems, ...(hint === undefined ? {} : { hint }) })
}
