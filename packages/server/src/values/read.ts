/** Reads what clients send, by the schemas of the HTTP interface; and the workspace that they name, under its present and its old names. */
import type { FerruleError, Problem } from 'ferrule'
import type { Field, Fields, Flat, ObjectField } from 'ferrule/definition'
import { compileFields, fail, failValidation, fillHint, isObject } from 'ferrule/internal'

const takesNull = (field: Field | undefined): boolean => [field?.type].flat().includes('null')

/** Builds the problem of one value. @param field JSON pointer to it */
export const problem = (field: string, message: string, error_code: string): Problem => ({ field, message, error_code })

/** Builds the refusal of one value. @param field JSON pointer to it, or the name of a header or of a form's value */
export const failField = (field: string, message: string, error_code: string): FerruleError =>
  failValidation([problem(field, message, error_code)])

/** The value of a checked body or query. */
export type Read<S> = S extends ObjectField<infer F extends Fields> ? Flat<F> : never

/**
 * Reads a body. Null counts as absent, except for fields whose value can be null.
 * @throws FerruleError `validation_failed` with every problem
 */
export function readBody<F extends Fields>({ properties }: ObjectField<F>, body: unknown): Flat<F> {
  if (!isObject(body)) throw failField('', 'must be an object', 'type')
  const given = Object.fromEntries(Object.entries(body).filter(([key, value]) => value !== null || takesNull(properties[key])))
  const problems = compileFields(properties).problems(given)
  if (problems.length > 0) throw failValidation(problems)
  return given as Flat<F> // the validator has just said so
}

/** Returns the members of a body that are valid by themselves, so that further mistakes of an invalid body are found. */
export function validMembers<F extends Fields>({ properties }: ObjectField<F>, body: unknown): Partial<Flat<F>> {
  const given = isObject(body) ? Object.entries(body) : []
  const valid = given.filter(([key, value]) => {
    const field = Object.hasOwn(properties, key) ? properties[key] : undefined
    return field !== undefined && value !== null && compileFields({ [key]: field }).problems({ [key]: value }).length === 0
  })
  return Object.fromEntries(valid) as Partial<Flat<F>> // each was just checked against its own schema
}

/** Reads a query as `readBody` does; digits count as integers. @throws FerruleError `validation_failed` */
export function readQuery<F extends Fields>(schema: ObjectField<F>, query: unknown): Flat<F> {
  const { properties } = schema
  const given = isObject(query) ? query : {}
  const numbers = Object.entries(given).map(([key, value]) => [key, isInteger(properties[key]) && isDigits(value) ? Number(value) : value])
  return readBody(schema, Object.fromEntries(numbers))
}

const isInteger = (field: Field | undefined): boolean => field?.type === 'integer'
const isDigits = (value: unknown): boolean => typeof value === 'string' && /^\d{1,9}$/.test(value)

interface GivenNames {
  readonly workspace_name?: string
  readonly customer_name?: string
  readonly external_user_id?: string
}

/** Finds the workspace's name under its present or an old name. @throws FerruleError `validation_failed` when two differ */
export function findWorkspaceName(body: GivenNames): string | undefined {
  const given = [body.workspace_name, body.customer_name, body.external_user_id].filter((each) => each !== undefined)
  if (new Set(given).size > 1) throw failField('/workspace_name', 'differs from its old name that was given too', 'conflict')
  return given[0]
}

/** Finds the workspace's name. @throws FerruleError `validation_failed` when the name is missing, or when two names differ */
export function requireWorkspaceName(body: GivenNames): string {
  const found = findWorkspaceName(body)
  if (found === undefined) throw failField('/workspace_name', 'is required', 'required')
  return found
}

/** Makes the error of an inactive workspace; its hint has the id for the request that activates it. The caller throws it. */
export const failInactive = ({ id, name }: { readonly id: string; readonly name: string }): FerruleError =>
  fillHint(fail('workspace_inactive', { name }), { workspace_id: id })
