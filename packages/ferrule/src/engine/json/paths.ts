/**
 * Paths into JSON values: `a.b`, `a[0].b` (one element), `a[].b` (every element). A dot within a name has a backslash before it. And conditions
 * on what they lead to.
 */
import { isObject, refusedNames } from '../../definition/object.ts'
import { type Condition, readSetting } from '../../definition/sync.ts'

const isNumber = (value: unknown): value is number | bigint => typeof value === 'number' || typeof value === 'bigint'

function holds(value: unknown, { is, exists, above, below }: Condition): boolean {
  if (exists === true) return value !== undefined && value !== null
  if (above !== undefined || below !== undefined)
    return isNumber(value) && (above === undefined || value > above) && (below === undefined || value < below)
  if (Array.isArray(is)) return is.includes(value)
  return is === undefined ? value !== undefined && value !== null && value !== false && value !== '' : value === is
}

/**
 * Builds the test of a record for a condition.
 * @param configuration of the connector, if the condition can name a value of it: every record fits where it has none
 */
export function buildTest(condition: Condition, configuration?: Readonly<Record<string, unknown>>): (record: unknown) => boolean {
  const path = parsePath(condition.field)
  const isNot = condition.not === true
  const setting = configuration === undefined ? undefined : readSetting(condition)
  if (setting === undefined) return (record) => holds(getAt(record, path), condition) !== isNot
  const values = [configuration?.[setting] ?? []].flat().map(String)
  return values.length === 0 ? () => true : (record) => values.includes(String(getAt(record, path))) !== isNot
}

/** Builds the test of a record for several conditions, which it must fulfil all. */
export function buildTests(
  conditions: readonly Condition[],
  configuration?: Readonly<Record<string, unknown>>,
): (record: unknown) => boolean {
  const tests = conditions.map((each) => buildTest(each, configuration))
  return (record) => tests.every((test) => test(record))
}

/** A step of a path: a key, an index, or `every` for all elements of an array. */
type Step = string | number | typeof every
const every = Symbol('every element')
/** A parsed path. */
export type Path = readonly Step[]

const parseSteps = (part: string): Step[] => {
  const [, name = '', indices = ''] = /^([^[\]]*)((?:\[\d*\])*)$/.exec(part) ?? []
  const key = name.replaceAll('\\.', '.')
  const inner = [...indices.matchAll(/\[(\d*)\]/g)].map(([, index]) => (index === '' ? every : Number(index)))
  return key === '' ? inner : [key, ...inner]
}

const parsed = new Map<string, Path>()

/** Parses a path; '' is the value itself. Keeps the result, because only definitions contain paths and there are few. */
export function parsePath(path: string): Path {
  const kept = parsed.get(path)
  if (kept !== undefined) return kept
  const made = path === '' ? [] : path.split(/(?<!\\)\./).flatMap(parseSteps)
  parsed.set(path, made)
  return made
}

const stepInto = (value: unknown, step: Step): unknown => {
  if (typeof step === 'number') return Array.isArray(value) ? value[step] : undefined
  return typeof step === 'string' && isObject(value) && Object.hasOwn(value, step) ? value[step] : undefined
}

/** Returns the value at a path without `[]`; undefined if it does not exist. */
export function getAt(value: unknown, path: Path): unknown {
  let found = value
  for (const step of path) found = stepInto(found, step)
  return found
}

/** Returns the part of a path before its first `[]`: the path of the outermost list; the whole path without `[]`. */
export function findListPath(path: Path): Path {
  const end = path.indexOf(every)
  return end < 0 ? path : path.slice(0, end)
}

/**
 * Lists the values at the end of a path with `[]`, each with the elements that it lies in, the innermost first. Where something
 * else stands instead of a list within an element, the list has that.
 * @returns undefined if the outermost list is missing
 */
export function listWithin(
  value: unknown,
  path: Path,
  around: readonly unknown[] = [],
): readonly (readonly [value: unknown, around: readonly unknown[]])[] | undefined {
  const end = path.indexOf(every)
  if (end < 0) return [[getAt(value, path), around]]
  const elements = getAt(value, path.slice(0, end))
  if (!Array.isArray(elements)) return around.length === 0 ? undefined : [[elements, around]]
  return elements.flatMap((element: unknown) => listWithin(element, path.slice(end + 1), [element, ...around]) ?? [])
}

/** Calls `visit` with each object that holds the last key of the path, and with that key. */
export function visitHolders(value: unknown, path: Path, visit: (holder: Record<string, unknown>, key: string) => void): void {
  const [step, ...rest] = path
  if (step === undefined) return
  if (step === every) {
    for (const element of Array.isArray(value) ? value : []) visitHolders(element, rest, visit)
    return
  }
  if (rest.length > 0) visitHolders(stepInto(value, step), rest, visit)
  else if (typeof step === 'string' && isObject(value)) visit(value, step)
}

/** Copies a JSON value deeply. Several times faster than structuredClone. */
export const copyJson = <T>(value: T): T => {
  if (Array.isArray(value)) return value.map(copyJson) as T
  return isObject(value) ? (Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, copyJson(inner)])) as T) : value
}

/** Sets the value at a path of keys, and makes missing objects on the way. */
export function setAt(target: Record<string, unknown>, path: Path, value: unknown): void {
  const [step, ...rest] = path
  if (typeof step !== 'string' || refusedNames.has(step)) return
  if (rest.length === 0) {
    target[step] = value
    return
  }
  const inner = Object.hasOwn(target, step) ? target[step] : undefined
  const holder = isObject(inner) ? inner : {}
  target[step] = holder
  setAt(holder, rest, value)
}

/** Returns a value with another one at a path; `[]` within the path is every element, or a new one, and at its end adds one. */
export function withAt(value: unknown, [step, ...rest]: Path, put: unknown): unknown {
  if (step === undefined) return put
  if (step === every) {
    const elements: readonly unknown[] = Array.isArray(value) ? value : []
    if (rest.length === 0) return [...elements, put]
    return (elements.length === 0 ? [undefined] : elements).map((element) => withAt(element, rest, put))
  }
  if (typeof step === 'number') {
    const elements: unknown[] = Array.isArray(value) ? [...value] : []
    elements[step] = withAt(elements[step], rest, put)
    return elements
  }
  if (refusedNames.has(step)) return value
  return { ...(isObject(value) ? value : {}), [step]: withAt(stepInto(value, step), rest, put) }
}

/** Adds missing values to the given object, also in inner objects and, element by element, in lists. Existing values stay. */
export function addMissing(value: unknown, more: unknown): unknown {
  if (value === undefined) return more
  if (Array.isArray(value) && Array.isArray(more)) for (const [index, element] of value.entries()) addMissing(element, more[index])
  if (isObject(value) && isObject(more)) for (const name of Object.keys(more)) value[name] = addMissing(value[name], more[name])
  return value
}

/** Removes the key at a path of keys and returns its value. */
export function takeAt(target: Record<string, unknown>, path: Path): unknown {
  let taken: unknown
  visitHolders(target, path, (holder, key) => {
    if (!Object.hasOwn(holder, key)) return
    taken = holder[key]
    delete holder[key]
  })
  return taken
}

/** Sorts the keys of a value, so that equal requests have equal JSON. */
export const sortKeys = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(sortKeys)
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value)
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([key, inner]) => [key, sortKeys(inner)]),
  )
}
