/** Cuts records to `select_fields`, or omits `exclude_fields`. */

import { isObject } from 'ferrule/internal'

/** Field names below a path; an empty map selects everything below. */
interface FieldTree extends Map<string, FieldTree> {}

/** Builds a tree of paths. `a[].b` equals `a.b`, because arrays fan out. */
function buildTree(paths: readonly string[]): FieldTree {
  const root: FieldTree = new Map()
  for (const path of paths) {
    let at = root
    const names = path.replaceAll('[]', '').split('.')
    for (const [index, name] of names.entries()) {
      const known = at.get(name)
      if (known?.size === 0) break // an earlier path covers the branch
      const next: FieldTree = index === names.length - 1 ? new Map() : (known ?? new Map())
      at.set(name, next)
      at = next
    }
  }
  return root
}

function selectFromList(value: readonly unknown[], tree: FieldTree): unknown {
  const selected = value.map((element) => selectFrom(element, tree))
  if (value.length > 0 && selected.every((part) => part === undefined)) return undefined
  // Objects without a match stay as {}, so that positions do not shift among objects.
  return selected.map((part, index) => (part === undefined && isObject(value[index]) ? {} : part)).filter((part) => part !== undefined)
}

/** Returns the selected part of a value; undefined when no path matches. */
function selectFrom(value: unknown, tree: FieldTree): unknown {
  if (tree.size === 0) return value
  if (Array.isArray(value)) return selectFromList(value, tree)
  if (!isObject(value)) return undefined
  const kept: [string, unknown][] = []
  for (const [name, below] of tree) {
    const part = Object.hasOwn(value, name) ? selectFrom(value[name], below) : undefined
    if (part !== undefined) kept.push([name, part])
  }
  return kept.length === 0 ? undefined : Object.fromEntries(kept)
}

function excludeFrom(value: unknown, tree: FieldTree): unknown {
  if (Array.isArray(value)) return value.map((element) => excludeFrom(element, tree))
  if (!isObject(value)) return value
  const kept: [string, unknown][] = []
  for (const [name, part] of Object.entries(value)) {
    const below = tree.get(name)
    if (below === undefined) kept.push([name, part])
    else if (below.size > 0) kept.push([name, excludeFrom(part, below)])
  }
  return Object.fromEntries(kept)
}

/** Fields to return of every record. */
export interface FieldChoice {
  /** Dot paths to keep; takes precedence over `exclude`. Absent, null and `[]` keep all. */
  readonly select?: readonly string[] | null | undefined
  /** Dot paths to omit. */
  readonly exclude?: readonly string[] | null | undefined
}

/**
 * Builds a function that cuts one record; undefined when all fields stay.
 *
 * Paths have dots (`metaData.id`). An array fans out, written as `parties[].name` or `parties.name`. The function keeps the nesting,
 * ignores unknown paths and does not modify the given record.
 */
export function fieldProjection({ select, exclude }: FieldChoice): ((record: unknown) => unknown) | undefined {
  if (select && select.length > 0) {
    const tree = buildTree(select)
    return (record) => selectFrom(record, tree) ?? {}
  }
  if (!exclude || exclude.length === 0) return undefined
  const tree = buildTree(exclude)
  return (record) => excludeFrom(record, tree)
}
