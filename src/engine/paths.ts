/** Paths into JSON values: `a.b`, `a[0].b` (one element), `a[].b` (every element). */

/** A step of a path: a key, an index, or `*` for every element of an array. */
type Step = string | number | typeof every
const every = Symbol('every element')
/** A path, parsed. */
export type Path = readonly Step[]

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value)

const stepsOf = (part: string): Step[] => {
  const [, key = '', indices = ''] = /^([^[\]]*)((?:\[\d*\])*)$/.exec(part) ?? []
  const inner = [...indices.matchAll(/\[(\d*)\]/g)].map(([, index]) => (index === '' ? every : Number(index)))
  return key === '' ? inner : [key, ...inner]
}

/** Parses a path; '' is the value itself. */
export const parsePath = (path: string): Path => (path === '' ? [] : path.split('.').flatMap(stepsOf))

const stepInto = (value: unknown, step: Step): unknown => {
  if (typeof step === 'number') return Array.isArray(value) ? value[step] : undefined
  return typeof step === 'string' && isObject(value) ? value[step] : undefined
}

/** The value at a path without `[]`; undefined where it does not lead anywhere. */
export const getAt = (value: unknown, path: Path): unknown => path.reduce(stepInto, value)

/** Calls `visit` with each object that holds the last key of the path, and that key. */
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

/** Sets the value at a path of keys, making the objects on the way. */
export function setAt(target: Record<string, unknown>, path: Path, value: unknown): void {
  const [step, ...rest] = path
  if (typeof step !== 'string') return
  if (rest.length === 0) {
    target[step] = value
    return
  }
  const inner = target[step]
  const holder = isObject(inner) ? inner : {}
  target[step] = holder
  setAt(holder, rest, value)
}

/** Removes the key at a path of keys and returns what was there. */
export function takeAt(target: Record<string, unknown>, path: Path): unknown {
  let taken: unknown
  visitHolders(target, path, (holder, key) => {
    taken = holder[key]
    delete holder[key]
  })
  return taken
}
