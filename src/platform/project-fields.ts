/** Cuts records to the fields that the caller asked for (`select_fields`) or did not want (`exclude_fields`). */

import { isObject } from '../definition/object.ts'

/** Names below a place; an empty map stands for everything below it. */
interface FieldTree extends Map<string, FieldTree> {}

/** `a[].b` and `a.b` say the same: arrays fan out. */
function treeOf(paths: readonly string[]): FieldTree {
  const root: FieldTree = new Map()
  for (const path of paths) {
    let at = root
    const names = path.replaceAll('[]', '').split('.')
    for (const [index, name] of names.entries()) {
      const known = at.get(name)
      if (known?.size === 0) break // the whole branch is named already
      const next: FieldTree = index === names.length - 1 ? new Map() : (known ?? new Map())
      at.set(name, next)
      at = next
    }
  }
  return root
}

function selectFromList(value: readonly unknown[], tree: FieldTree): unknown {
  const parts = value.map((element) => selectFrom(element, tree))
  if (value.length > 0 && parts.every((part) => part === undefined)) return undefined
  // Objects without a match stay as {}, so that positions do not shift among objects.
  return parts.map((part, index) => (part === undefined && isObject(value[index]) ? {} : part)).filter((part) => part !== undefined)
}

/** The selected part of a value; undefined when no path leads into it. */
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

/** Which fields of every record to return. */
export interface FieldChoice {
  /** Dot paths to keep; wins over `exclude`. Absent, null and `[]`: all. */
  readonly select?: readonly string[] | null | undefined
  /** Dot paths to leave out. */
  readonly exclude?: readonly string[] | null | undefined
}

/**
 * A function that cuts one record; undefined when nothing is to be cut.
 *
 * Paths are dotted (`metaData.id`). An array on the way fans out, written out (`parties[].name`) or not (`parties.name`). Nesting is
 * kept, unknown paths are simply absent, and the record that is given stays as it is.
 */
export function fieldProjection({ select, exclude }: FieldChoice): ((record: unknown) => unknown) | undefined {
  if (select && select.length > 0) {
    const tree = treeOf(select)
    return (record) => selectFrom(record, tree) ?? {}
  }
  if (!exclude || exclude.length === 0) return undefined
  const tree = treeOf(exclude)
  return (record) => excludeFrom(record, tree)
}
