/**
 * Compiles the operations of a kind once, so that no call repeats the work; and validates the parameters of a call by them before anything is
 * sent.
 */
import { type ConnectorDefinition, type Kind, type Lookup, type ParameterRule, type RowRule, readSlug } from '../../definition/connector.ts'
import {
  type EntityDefinition,
  type LiveAction,
  listActions,
  liveActions,
  type MergedRows,
  type Method,
  type Operation,
  type Origin,
} from '../../definition/entity.ts'
import { type Field, type Fields, type Fill, isOptional } from '../../definition/fields.ts'
import { isObject } from '../../definition/object.ts'
import { buildObjectSchema } from '../../definition/plain-schema.ts'
import { type FerruleError, fail, failAs, isErrorCode, joinProblems, type Problem } from '../../errors.ts'
import type { NamedOperation } from '../../tracing.ts'
import { writeJson } from '../../values/json/json.ts'
import type { Connection } from '../connection.ts'
import { findListPath, type Path, parsePath } from '../json/paths.ts'
import { compileLines, type RowLines } from '../json/raw-rows.ts'
import { compileSchema, convertForms, findConvertible, type Validator } from '../json/validate.ts'

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

/** One compiled conversion of a record. */
export interface Shaping {
  readonly to: Path
  readonly origin: Origin
  /** Path of the source, for `rename`, `copy` and `param`. */
  readonly source?: Path
}

/** The documented fields of an object, and of the objects within it. */
export interface DocumentedFields {
  readonly names: readonly string[]
  /** Fields that hold an object with documented fields, or a list of such objects. */
  readonly within: readonly (readonly [name: string, fields: DocumentedFields])[]
}

/** A parameter that the connector supplies if the caller omits it. */
export interface FilledParameter {
  readonly name: string
  readonly fill: Fill
}

/** A compiled operation with everything that a call needs. */
export interface CompiledOperation {
  readonly kind: Kind
  readonly entityName: string
  readonly action: LiveAction
  readonly entity: EntityDefinition
  readonly operation: Operation
  readonly params: Validator
  readonly method: Method
  /** The endpoint's path, split at its slots: literal, slot, literal, … */
  readonly template: readonly string[]
  readonly at: Path
  /** Where the vendor's list is, which its pages count: `at`, or what stands around rows within rows. */
  readonly list: Path
  /** Fields of a record that rows around it have. */
  readonly outer: readonly (readonly [field: string, path: Path])[]
  /** How answers of lines are read; undefined for answers of one JSON value. */
  readonly lines?: RowLines | undefined
  /** Parameters that have several forms or contain such values: integers, dates, lists as JSON text. */
  readonly convertible: Fields
  /** Names of the required parameters. */
  readonly required: readonly string[]
  /** Paths of array parameters that the request omits if they are empty. */
  readonly emptyIsAbsent: readonly Path[]
  /** Names of the string parameters that are trimmed. */
  readonly trimmed: readonly string[]
  readonly shapings: readonly Shaping[]
  readonly fields: DocumentedFields
  /** Paths of the fields that identify a record. */
  readonly key: readonly Path[]
  readonly rule?: RowRule | undefined
  readonly merged?: MergedRows
  /** Names of the account's own fields that no document names, once they are described. */
  readonly own?: ReadonlySet<string> | undefined
  readonly admit?: ParameterRule | undefined
  readonly fills: readonly FilledParameter[]
  readonly hidden?: Path
}

const listEmptyIsAbsent = (fields: Fields, prefix = ''): string[] =>
  Object.entries(fields).flatMap(([name, field]) => {
    const path = `${prefix}${name}`
    const inner = listEmptyIsAbsent(field.properties ?? {}, `${path}.`)
    return field['x-empty-is-absent'] ? [path, ...inner] : inner
  })

/** Finds the documented fields of an object, or of the elements of a list. */
const findProperties = ({ properties = {}, items }: Field): Fields => (items === undefined ? properties : findProperties(items))

const listDocumentedFields = (fields: Fields): DocumentedFields => ({
  names: Object.keys(fields),
  within: Object.entries(fields).flatMap(([name, field]: [string, Field]) => {
    const properties = findProperties(field)
    return Object.keys(properties).length === 0 ? [] : [[name, listDocumentedFields(properties)] as const]
  }),
})

const compileShaping = ([to, origin]: [string, Origin]): Shaping => {
  const source = origin.rename ?? origin.copy ?? origin.param
  return { to: parsePath(to), origin, ...(source === undefined ? {} : { source: parsePath(source) }) }
}

function compileOperation(kind: Kind, entityName: string, action: LiveAction): CompiledOperation | undefined {
  const entity = kind.definition.entities[entityName]
  const operation = entity?.[action]
  if (entity === undefined || operation === undefined) return undefined
  const [method, path] = operation.call.split(' ') as [Method, string] // the type of `call` says so
  const { rows, admit: admission } = operation
  const rule = typeof rows === 'string' ? kind.rules.rows?.[rows.slice('rule:'.length)] : undefined
  const admit = admission === undefined ? undefined : kind.rules.params?.[admission.slice('rule:'.length)]
  return {
    kind,
    entityName,
    action,
    entity,
    operation,
    params: compileSchema(buildObjectSchema(operation.params), kind.definition.foreign),
    method,
    template: path.split(/[{}]/),
    at: parsePath(operation.at),
    list: findListPath(parsePath(operation.at)),
    outer: Object.entries(operation.outer ?? {}).map(([field, path]) => [field, parsePath(path)] as const),
    lines: compileLines(entity, operation),
    convertible: findConvertible(operation.params),
    required: Object.keys(operation.params).filter((name) => !isOptional(operation.params, name)),
    emptyIsAbsent: listEmptyIsAbsent(operation.params).map(parsePath),
    trimmed: Object.entries(operation.params).flatMap(([name, field]) => (field['x-trim'] ? [name] : [])),
    shapings: Object.entries(entity.from ?? {}).map(compileShaping),
    fields: listDocumentedFields(entity.record ?? {}),
    key: entity.key.filter((path) => !path.startsWith('param.')).map(parsePath),
    fills: Object.entries(operation.params).flatMap(([name, { 'x-fill': fill }]) => (fill === undefined ? [] : [{ name, fill }])),
    rule,
    ...(typeof rows === 'object' ? { merged: rows } : {}),
    admit,
    ...(operation.hidden === undefined ? {} : { hidden: parsePath(operation.hidden) }),
  }
}

/** Names an operation by the definition, for metrics and spans: a name that a caller invents is `unknown`. */
export function nameOperation({ kind, entities }: ConnectorDefinition, entityName: string, action: string): NamedOperation {
  const entity = Object.hasOwn(entities, entityName) ? entities[entityName] : undefined
  const isKnown = entity !== undefined && listActions(entity).includes(action)
  return isKnown ? { kind, entity: entityName, action } : { kind, entity: 'unknown', action: 'unknown' }
}

const compiled = new WeakMap<Kind, Map<string, CompiledOperation>>()

/**
 * Finds the operation of an entity and an action. Compiles it on first use and keeps it.
 * @throws FerruleError `entity_not_found`, `action_not_supported`, each with the known names
 */
export function findOperation(kind: Kind, entityName: string, action: string): CompiledOperation {
  const operations = compiled.get(kind) ?? new Map<string, CompiledOperation>()
  compiled.set(kind, operations)
  const name = `${entityName}.${action}`
  const kept = operations.get(name)
  if (kept !== undefined) return kept
  const made = compileOperation(kind, entityName, parseAction(kind.definition, entityName, action))
  if (made === undefined) throw failUnsupported(kind.definition, entityName, action)
  operations.set(name, made)
  return made
}

/** Finds the operation behind a lookup of the kind. @throws FerruleError `definition_invalid` */
export const findLookup = (kind: Kind, name: string): { readonly lookup: Lookup; readonly operation: CompiledOperation } => {
  const lookup = kind.definition.lookups?.[name]
  if (lookup === undefined) throw fail('definition_invalid', { reason: `${readSlug(kind.definition.kind)} has no lookup ${name}` })
  return { lookup, operation: findOperation(kind, lookup.entity, lookup.action) }
}

function parseAction(definition: ConnectorDefinition, entityName: string, action: string): LiveAction {
  if (!Object.hasOwn(definition.entities, entityName)) {
    const known = Object.keys(definition.entities).join(', ')
    throw fail(
      'entity_not_found',
      { kind: readSlug(definition.kind), entity: entityName || '(none)', known },
      locateProblem('entity', known),
    )
  }
  const found = liveActions.find((known) => known === action)
  if (found === undefined) throw failUnsupported(definition, entityName, action)
  return found
}

const locateProblem = (field: string, known: string) => ({
  errors: [{ field: `/${field}`, message: `must be one of: ${known}`, error_code: 'unknown' }],
})

const failUnsupported = (definition: ConnectorDefinition, entityName: string, action: string) => {
  const entity = definition.entities[entityName]
  const known = entity === undefined ? '' : listActions(entity).join(', ')
  return fail('action_not_supported', { entity: entityName, action: action || '(none)', known }, locateProblem('action', known))
}
