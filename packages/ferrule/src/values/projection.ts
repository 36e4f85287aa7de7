/** Projection of records on dotted paths. */
import { isObject } from '../definition/object.ts'

/** A path and its segments; `[]` is left out, because arrays fan out by themselves. */
export interface FieldPath {
  readonly name: string
  readonly segments: readonly string[]
}

/** Reads one path, `a.b` or `a[].b`. */
export const toFieldPath = (name: string): FieldPath => ({ name, segments: name.replaceAll('[]', '').split('.') })

/** Parses `a.b,c`. */
export const parseFields = (text: string): readonly FieldPath[] =>
  text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')
    .map(toFieldPath)

/** Returns the value at a path; an array gives the values of its elements. */
export function readPath(value: unknown, segments: readonly string[]): unknown {
  const [first, ...rest] = segments
  if (first === undefined) return value
  if (Array.isArray(value)) return value.map((element) => readPath(element, segments))
  return isObject(value) && Object.hasOwn(value, first) ? readPath(value[first], rest) : undefined
}

type Tree = Map<string, Tree>

function buildTree(paths: readonly FieldPath[]): Tree {
  const root: Tree = new Map()
  for (const { segments } of paths) {
    let at = root
    for (const segment of segments) {
      const next: Tree = at.get(segment) ?? new Map()
      at.set(segment, next)
      at = next
    }
  }
  return root
}

function pick(value: unknown, tree: Tree): unknown {
  if (tree.size === 0) return value
  if (Array.isArray(value)) return value.map((element) => pick(element, tree))
  if (!isObject(value)) return value
  return Object.fromEntries([...tree].flatMap(([name, below]) => (Object.hasOwn(value, name) ? [[name, pick(value[name], below)]] : [])))
}

/** Makes the function that keeps the chosen paths of a record, with their nesting. */
export function buildProjection(paths: readonly FieldPath[] | undefined): (value: unknown) => unknown {
  if (paths === undefined) return (value) => value
  const tree = buildTree(paths)
  return (value) => pick(value, tree)
}
