/** Resolves the names of a query for the oracle. */
import type { Field, Fields } from '../../packages/ferrule/src/definition/fields.ts'

/** A JSON object. */
export type Json = Record<string, unknown>
/** How two strings compare. */
export type How = 'text' | 'instant' | 'decimal' | 'lower'

/** Documented type at a path. */
export interface Declared {
  readonly type: string
  readonly how: How
  readonly schema: Field | undefined
}

/** Returns whether a value is an object with keys. */
export const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value)
/** Returns whether a value is a number of any size. */
export const isNumber = (value: unknown): value is number | bigint => typeof value === 'number' || typeof value === 'bigint'
/** Returns whether a value is a string, a number or a boolean. */
export const isScalar = (value: unknown): boolean => typeof value === 'string' || typeof value === 'boolean' || isNumber(value)

/** Returns type and comparison of a schema. */
export function declaredBy(schema: Field | undefined): Declared {
  const types = [Reflect.get(schema ?? {}, 'type') ?? 'any'].flat().filter((type) => type !== 'null')
  const type = types.length === 1 ? String(types[0]) : 'any'
  const mark = Reflect.get(schema ?? {}, 'x-compare')
  if (type === 'array') return { type, how: declaredBy(Reflect.get(schema ?? {}, 'items') as Field | undefined).how, schema }
  const isTime = ['date', 'date-time'].includes(String(Reflect.get(schema ?? {}, 'format')))
  const isEnumerated = Array.isArray(Reflect.get(schema ?? {}, 'x-known-values'))
  return { type, how: type !== 'string' ? 'text' : (mark ?? (isTime ? 'instant' : isEnumerated ? 'lower' : 'text')), schema }
}

const loosely = (name: string): string => name.toLowerCase().replaceAll('_', '')

/** Finds the exact name, else one that differs only in case and `_`. */
export const nameIn = (names: readonly string[], asked: string): string | undefined =>
  names.find((name) => name === asked) ?? names.find((name) => loosely(name) === loosely(asked))

/** A path from the record (or the element) with its documented type. */
export interface FieldPath extends Declared {
  readonly steps: readonly string[]
}

/** Returns the documented members of an object, or of the objects in an array. */
export function membersOf(schema: Field | undefined): Fields | undefined {
  const holder = declaredBy(schema).type === 'array' ? Reflect.get(schema ?? {}, 'items') : schema
  const properties: Fields | undefined = Reflect.get(holder ?? {}, 'properties')
  return properties !== undefined && Object.keys(properties).length > 0 ? properties : undefined
}

/** Follows a path; `[]` is a step of its own. A literal name with a dot takes precedence over splitting. */
export function followSteps(members: Fields | undefined, steps: readonly string[], from: Field | undefined): FieldPath {
  const [first, ...rest] = steps
  if (first === undefined) return { ...declaredBy(from), steps: [] }
  if (first === '[]') {
    const items = Reflect.get(from ?? {}, 'items') as Field | undefined
    const below = followSteps(membersOf(items), rest, items)
    return { ...below, steps: ['[]', ...below.steps] }
  }
  if (members === undefined) return { ...declaredBy(undefined), steps }
  for (let taken = steps.length; taken > 0; taken--) {
    if (steps.slice(0, taken).includes('[]')) continue
    const name = nameIn(Object.keys(members), steps.slice(0, taken).join('.'))
    if (name === undefined) continue
    const below = followSteps(membersOf(members[name]), steps.slice(taken), members[name])
    return { ...below, steps: [name, ...below.steps] }
  }
  throw new Error(`no such path: ${steps.join(' ')}`)
}

/** Splits a path into steps. */
export const stepsOf = (path: string): string[] =>
  path.split('.').flatMap((part) => part.split(/(?=\[\])|(?<=\[\])/).filter((each) => each !== ''))

/** Where names are resolved. */
export interface Scope {
  readonly members: Fields | undefined
  readonly schema: Field | undefined
}

/** Resolves a name or a path. */
export const resolvePath = (scope: Scope, path: string): FieldPath => followSteps(scope.members, stepsOf(path), scope.schema)

/** Returns all values at a path. Crossing an array fans out; missing values are skipped. */
export function foundAt(value: unknown, path: readonly string[]): unknown[] {
  const [first, ...rest] = path
  if (first === undefined) return value === undefined ? [] : [value]
  if (first === '[]') return (Array.isArray(value) ? value : [value]).flatMap((element) => foundAt(element, rest))
  const holders = Array.isArray(value) ? value : [value]
  return holders.flatMap((holder) => (isObject(holder) && Object.hasOwn(holder, first) ? foundAt(holder[first], rest) : []))
}
