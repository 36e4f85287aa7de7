/** Validates the parameters of a call before anything is sent, and fills what was omitted and the connector knows. */
import { isObject } from '../../definition/object.ts'
import { type FerruleError, fail, failAs, isErrorCode, joinProblems, type Problem } from '../../errors.ts'
import { writeJson } from '../../values/json/json.ts'
import type { Connection } from '../connection.ts'
import { convertForms } from '../json/forms.ts'
import type { CompiledOperation, FilledParameter } from './operation.ts'

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

/**
 * Makes the error of one parameter. The caller throws it.
 * @param message says what is wrong with the value: `must be …`
 * @param code names the broken rule
 */
export const failParameter = (name: string, message: string, code: string): FerruleError =>
  failParameters(undefined, [{ field: `/params/${name}`, message, error_code: code }])

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

/** Maximum number of values that a message names. */
const namedValues = 20

const toStrings = (value: unknown): string[] => (Array.isArray(value) ? value.map(String) : typeof value === 'string' ? [value] : [])

/** Reads a field of the credentials that is no secret. */
type Discovered = (field: string) => Promise<string>

/** Finds the values that a connector knows under a name of the kind. */
async function findKnownValues(connection: Connection, name: string, discovered: Discovered): Promise<readonly string[]> {
  const { configuration = '', credential } = connection.kind.definition.known?.[name] ?? {}
  const configured = toStrings(connection.configuration[configuration])
  if (configured.length > 0 || credential === undefined) return configured
  return (await discovered(credential)).split(',').filter((value) => value !== '')
}

const describeMissing = ({ fill }: FilledParameter, configuration: string, values: readonly string[]): string => {
  if (values.length === 0) return `is required: give it with the call, or set ${configuration} in the configuration of the connector`
  const more = values.length > namedValues ? ` and ${values.length - namedValues} more` : ''
  const many = fill.most === undefined ? 'several' : `more than ${fill.most}`
  return `is required, as ${many} are known: ${fill.known} ${values.slice(0, namedValues).join(', ')}${more}`
}

const failMissing = (connection: Connection, parameter: FilledParameter, values: readonly string[]) => {
  const { configuration = '' } = connection.kind.definition.known?.[parameter.fill.known] ?? {}
  const message = describeMissing(parameter, configuration, values)
  const field = `/params/${parameter.name}`
  return fail(
    'missing_parameter',
    { reason: `${field} ${message}` },
    {
      errors: [{ field, message, error_code: 'required' }],
      hint: `Send ${parameter.name}, or set ${configuration} (replication_config on the platform, config in the library).`,
    },
  )
}

/**
 * Fills the parameters that the caller omitted and the connector knows.
 * @param discovered called only when needed, because it may exchange the credentials first
 * @throws FerruleError `missing_parameter`, with the known values if there are more than the call takes
 */
export async function fillParams(
  connection: Connection,
  { operation, params, discovered }: { operation: CompiledOperation; params: Params; discovered: Discovered },
): Promise<Params> {
  let filled = params
  for (const parameter of operation.fills) {
    const { name, fill } = parameter
    if (params[name] !== undefined) continue
    const values = await findKnownValues(connection, fill.known, discovered)
    if (values.length === 0 && fill.as === 'if_known') continue
    const most = fill.as === 'json_array' ? (fill.most ?? Number.POSITIVE_INFINITY) : 1
    if (values.length === 0 || values.length > most) throw failMissing(connection, parameter, values)
    filled = { ...filled, [name]: fill.as === 'json_array' ? writeJson(values) : values[0] }
  }
  return filled
}

/** Finds the filled parameter whose refused values can be left out; undefined if the caller named the values, or a page. */
export function findDivisible({ fills, operation }: CompiledOperation, given: Params): FilledParameter | undefined {
  const isPaged = Object.values(operation.slice ?? {}).some((name) => given[name] !== undefined)
  return isPaged ? undefined : fills.find(({ name, fill }) => fill.refusal !== undefined && given[name] === undefined)
}
