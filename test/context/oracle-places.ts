/** Where a name of a query leads, as the oracle understands it. */
import type { Field, Fields } from '../../src/definition/fields.ts'

/** An object of JSON. */
export type Json = Record<string, unknown>
/** How two texts compare. */
export type How = 'text' | 'instant' | 'decimal' | 'lower'

/** What the documents say of a place. */
export interface Declared {
  readonly type: string
  readonly how: How
  readonly schema: Field | undefined
}

/** An object with keys. */
export const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value)
/** A number of any size. */
export const isNumber = (value: unknown): value is number | bigint => typeof value === 'number' || typeof value === 'bigint'
/** A text, a number or a truth value. */
export const isScalar = (value: unknown): boolean => typeof value === 'string' || typeof value === 'boolean' || isNumber(value)

/** Type and comparison of a schema. */
export function declaredBy(schema: Field | undefined): Declared {
  const types = [Reflect.get(schema ?? {}, 'type') ?? 'any'].flat().filter((type) => type !== 'null')
  const type = Reflect.get(schema ?? {}, 'x-integer') === true ? 'integer' : types.length === 1 ? String(types[0]) : 'any'
  const mark = Reflect.get(schema ?? {}, 'x-compare')
  if (type === 'array') return { type, how: declaredBy(Reflect.get(schema ?? {}, 'items') as Field | undefined).how, schema }
  const isTime = ['date', 'date-time'].includes(String(Reflect.get(schema ?? {}, 'format')))
  const isEnumerated = Array.isArray(Reflect.get(schema ?? {}, 'x-known-values'))
  return { type, how: type !== 'string' ? 'text' : (mark ?? (isTime ? 'instant' : isEnumerated ? 'lower' : 'text')), schema }
}

const loosely = (name: string): string => name.toLowerCase().replaceAll('_', '')

/** Exact spelling first, else ignoring case and `_`. */
export const nameIn = (names: readonly string[], asked: string): string | undefined =>
  names.find((name) => name === asked) ?? names.find((name) => loosely(name) === loosely(asked))

/** A place: the way from the record (or the element) to it, and what is declared there. */
export interface Place extends Declared {
  readonly path: readonly string[]
}

/** Documented members: of an object, or of the objects in an array. */
export function membersOf(schema: Field | undefined): Fields | undefined {
  const holder = declaredBy(schema).type === 'array' ? Reflect.get(schema ?? {}, 'items') : schema
  const properties: Fields | undefined = Reflect.get(holder ?? {}, 'properties')
  return properties !== undefined && Object.keys(properties).length > 0 ? properties : undefined
}

/** Follows a path; `[]` is a step of its own. A literal name with a dot wins over splitting. */
export function placeAt(members: Fields | undefined, steps: readonly string[], from: Field | undefined): Place {
  const [first, ...rest] = steps
  if (first === undefined) return { ...declaredBy(from), path: [] }
  if (first === '[]') {
    const items = Reflect.get(from ?? {}, 'items') as Field | undefined
    const below = placeAt(membersOf(items), rest, items)
    return { ...below, path: ['[]', ...below.path] }
  }
  if (members === undefined) return { ...declaredBy(undefined), path: steps }
  for (let taken = steps.length; taken > 0; taken--) {
    if (steps.slice(0, taken).includes('[]')) continue
    const name = nameIn(Object.keys(members), steps.slice(0, taken).join('.'))
    if (name === undefined) continue
    const below = placeAt(membersOf(members[name]), steps.slice(taken), members[name])
    return { ...below, path: [name, ...below.path] }
  }
  throw new Error(`no such place: ${steps.join(' ')}`)
}

/** A path as steps. */
export const stepsOf = (path: string): string[] =>
  path.split('.').flatMap((part) => part.split(/(?=\[\])|(?<=\[\])/).filter((each) => each !== ''))

/** Where names are looked up. */
export interface Scope {
  readonly members: Fields | undefined
  readonly schema: Field | undefined
}

/** The place of a name or path. */
export const placeNamed = (scope: Scope, path: string): Place => placeAt(scope.members, stepsOf(path), scope.schema)

/** Everything at the end of a way. Crossing an array fans out; what is missing is not there. */
export function foundAt(value: unknown, path: readonly string[]): unknown[] {
  const [first, ...rest] = path
  if (first === undefined) return value === undefined ? [] : [value]
  if (first === '[]') return (Array.isArray(value) ? value : [value]).flatMap((element) => foundAt(element, rest))
  const holders = Array.isArray(value) ? value : [value]
  return holders.flatMap((holder) => (isObject(holder) && Object.hasOwn(holder, first) ? foundAt(holder[first], rest) : []))
}
