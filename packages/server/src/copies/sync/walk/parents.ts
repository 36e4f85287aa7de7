/** Lists the calls that a page's records need. Pure. */
import { copyJson, getAt, parsePath, setAt, toParamPath } from 'ferrule/internal'
import { digestTexts, type Params } from './page-params.ts'
import type { Child, Nested, Taken } from './plan.ts'
import { listParentPaths, type Met, type Parent } from './records.ts'
import { noParents, type WalkProgress } from './state.ts'

/** A child with its parents on a page. */
export interface Work {
  readonly child: Child
  readonly parents: readonly Parent[]
}

/** Windows of a parent that fail before any of them is read; then the parent is left out as a whole. */
export const mostFailedWindows = 8

/** Windows of a parent that are being read. */
export interface ParentWindows {
  readonly child: Child
  readonly parent: Parent
  readonly params: Params
  /** True when something of the parent was read. */
  isReached: boolean
  failed: number
  /** The last failure. */
  thrown?: unknown
}

/** Copies from a parent's record what its children are stored with. */
function pickParts({ sync: { project, under } }: Child | Nested, record: unknown): unknown {
  const picked = {}
  for (const path of [...listParentPaths(project), ...(under === undefined ? [] : [under.parent])]) {
    const value = getAt(record, parsePath(path))
    if (value !== undefined) setAt(picked, parsePath(path), value)
  }
  return picked
}

const isCount = (text: string): boolean => /^\d+$/.test(text)

/** Compares the values of parents: ids of digits by their size, whatever their length, and other values as text. */
function compareParents({ values: ones }: Parent, { values: others }: Parent): number {
  for (const [index, value] of ones.entries()) {
    const [one, other] = [String(value), String(others[index])]
    if (one === other) continue
    if (isCount(one) && isCount(other) && one.length !== other.length) return one.length - other.length
    return one < other ? -1 : 1
  }
  return 0
}

/** Lists the distinct parents in a fixed order, without records that lack a value. */
export function listParents(child: Child | Nested, met: readonly Pick<Met, 'record'>[]): Parent[] {
  const before = 'isShared' in child && child.isShared ? [child.parent] : []
  const parents = met.flatMap(({ record }) => {
    const values = child.take.map(({ from }) => getAt(record, from))
    return values.some((value) => value === undefined || value === null)
      ? []
      : [{ key: [...before, ...values].map(String).join('\0'), values, record: pickParts(child, record) }]
  })
  const byKey = new Map(parents.map((parent) => [parent.key, parent]))
  return [...byKey.values()].sort(compareParents)
}

const joinValues = ({ joined: how }: Taken, values: readonly unknown[]): unknown =>
  how === 'array' ? values.map(String) : values.map(String).join(',')

/** Builds the parameters of a call for some parents. @param own those that the list has without its parents */
export function buildParams(child: Pick<Child, 'sync' | 'take' | 'batch'>, group: readonly Parent[], own = child.sync.params): Params {
  const params: Record<string, unknown> = copyJson({ ...own })
  for (const [index, taken] of child.take.entries()) {
    const values = group.map((parent) => parent.values[index])
    setAt(params, taken.param, child.batch === undefined ? values[0] : joinValues(taken, values))
  }
  return params
}

/** Lists the parameters of the lists of some parents: one list, or one for each value. */
export function listParams(child: Pick<Child, 'sync' | 'take' | 'batch' | 'definition'>, group: readonly Parent[]): readonly Params[] {
  const { values } = child.sync
  if (values === undefined) return [buildParams(child, group)]
  return values.map((each) => {
    const params = { ...buildParams(child, group) }
    for (const [name, value] of Object.entries(each)) setAt(params, toParamPath(child.definition, name), value)
    return params
  })
}

/** Computes a digest of the parents of a page. */
export const digestPage = (work: readonly Work[]): string =>
  digestTexts(work.flatMap(({ child, parents }) => [child.entity, ...parents.map(({ key }) => key)]))

/** Finds the parent of a child's row; in a batch, by the row's key. */
export function findParent(child: Child, group: readonly Parent[], row: unknown): unknown {
  if (group.length === 1) return group[0]?.record
  const key = child.definition.key[0] ?? ''
  const value = String(getAt(row, key.split('.')))
  return group.find(({ values }) => String(values[0]) === value)?.record
}

/** Counts the parents of an entity that are done, and estimates them in the whole list, while its length is known. */
export function countParents(
  { parents: { rows, size, met, done: counts } = noParents }: WalkProgress,
  ids: readonly string[],
): { readonly done: number; readonly total: number | undefined } {
  const sum = (of: Readonly<Record<string, number>>): number => ids.reduce((total, id) => total + (of[id] ?? 0), 0)
  const done = sum(counts)
  if (size === undefined || rows === 0) return { done, total: undefined }
  return { done, total: Math.max(done, Math.round((Math.max(size, rows) * sum(met)) / rows)) }
}
