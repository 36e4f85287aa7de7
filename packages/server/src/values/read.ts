/** Reads what clients send, by the schemas of this folder. */
import type { Field, Fields, Flat, ObjectField } from 'ferrule/definition'
import { compileFields, failValidation, isObject } from 'ferrule/internal'

const takesNull = (field: Field | undefined): boolean => [field?.type].flat().includes('null')

/** The value of a checked body or query. */
export type Read<S> = S extends ObjectField<infer F extends Fields> ? Flat<F> : never

/**
 * Reads a body. Null counts as absent, except for fields whose value can be null.
 * @throws FerruleError `validation_failed` with every problem
 */
export function readBody<F extends Fields>({ properties }: ObjectField<F>, body: unknown): Flat<F> {
  if (!isObject(body)) throw failValidation([{ field: '', message: 'must be an object', error_code: 'type' }])
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
