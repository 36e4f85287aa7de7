/** Lists the calls that a page's records need. Pure. */
import { copyJson, getAt, parsePath, setAt } from 'ferrule/internal'
import { digestTexts, type Params } from './page-params.ts'
import type { Child, Taken } from './plan.ts'
import { listParentPaths, type Met } from './project.ts'

/** A parent with the values that its children's requests take, and the part of its record that is stored with them. */
export interface Parent {
  readonly key: string
  readonly values: readonly unknown[]
  readonly record: unknown
}

/** A child with its parents on a page. */
export interface Work {
  readonly child: Child
  readonly parents: readonly Parent[]
}

/** Copies from a parent's record what its children are stored with. */
function pickParts({ sync: { project, under } }: Child, record: unknown): unknown {
  const picked = {}
  for (const path of [...listParentPaths(project), ...(under === undefined ? [] : [under.parent])]) {
    const value = getAt(record, parsePath(path))
    if (value !== undefined) setAt(picked, parsePath(path), value)
  }
  return picked
}

/** Lists the distinct parents in a fixed order, without records that lack a value. */
export function listParents(child: Child, met: readonly Met[]): Parent[] {
  const parents = met.flatMap(({ record }) => {
    const values = child.take.map(({ from }) => getAt(record, from))
    return values.some((value) => value === undefined || value === null)
      ? []
      : [{ key: values.map(String).join('\0'), values, record: pickParts(child, record) }]
  })
  const byKey = new Map(parents.map((parent) => [parent.key, parent]))
  return [...byKey.values()].sort((one, other) => (one.key < other.key ? -1 : 1))
}

const joinValues = ({ joined: how }: Taken, values: readonly unknown[]): unknown =>
  how === 'array' ? values.map(String) : values.map(String).join(',')

/** Builds the parameters of a call for some parents. */
export function buildParams(child: Child, group: readonly Parent[]): Params {
  const params: Record<string, unknown> = copyJson({ ...child.sync.params })
  for (const [index, taken] of child.take.entries()) {
    const values = group.map((parent) => parent.values[index])
    setAt(params, taken.param, child.batch === undefined ? values[0] : joinValues(taken, values))
  }
  return params
}

/** Splits parents into the groups of one call each. */
export const splitGroups = (parents: readonly Parent[], size: number): Parent[][] =>
  Array.from({ length: Math.ceil(parents.length / size) }, (_, index) => parents.slice(index * size, (index + 1) * size))

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
