/** Reads a list of changes in place of the records themselves. Pure. */
import type { Changes, EntityDefinition } from 'ferrule/definition'
import { buildStart, buildTimeReader, copyJson, getAt, parsePath, setAt, toParamPath } from 'ferrule/internal'
import type { Tree } from './plan.ts'
import type { Walking, WalkProgress } from './state.ts'

/** The list of changes that a walk reads, with the definition of its entity. */
export interface ChangeList {
  readonly rule: Changes
  readonly definition: EntityDefinition
}

/** Finds the list of changes that a walk reads; undefined where it reads the records themselves. */
export function findChangeList({ task, tree, progress }: Pick<Walking, 'task' | 'tree' | 'progress'>): ChangeList | undefined {
  const rule = progress.full ? undefined : tree.sync.changes
  const definition = task.kind.definition.entities[rule?.entity ?? '']
  return rule === undefined || definition === undefined ? undefined : { rule, definition }
}

/** Builds the parameters of the first page of changes. */
export function buildChangesParams(
  { rule: { params, since }, definition }: ChangeList,
  from: string | undefined,
): Readonly<Record<string, unknown>> {
  const built: Record<string, unknown> = copyJson({ ...params })
  if (from !== undefined) setAt(built, toParamPath(definition, since.param), buildStart(since, from))
  return built
}

const fits = (value: unknown, pattern: string): boolean =>
  typeof value === 'string' && (pattern.endsWith('*') ? value.startsWith(pattern.slice(0, -1)) : value === pattern)

/** What a page of changes says of the records. */
export interface Changed {
  readonly records: readonly unknown[]
  readonly gone: readonly unknown[]
}

/** Returns whether a page has its changes in the order that the definition says. Equal times tell nothing. */
export function isInOrder({ rule, definition }: ChangeList, rows: readonly unknown[]): boolean {
  const times = rows.map(buildTimeReader(definition, rule.since.field)).filter((time) => !Number.isNaN(time))
  const [first = 0, last = first] = [times[0], times.at(-1)]
  return rule.oldest ? first <= last : first >= last
}

/** Sorts the changes of a page: the newest change of a record counts. The order of the list decides, because times can be equal. */
export function readChanges({ rule }: ChangeList, { definition }: Pick<Tree, 'definition'>, rows: readonly unknown[]): Changed {
  const [field, at, keys] = [parsePath(rule.where.field), parsePath(rule.record), definition.key.map(parsePath)]
  const newest = new Map<string, { readonly record: unknown; readonly isGone: boolean }>()
  for (const row of rule.oldest ? rows.toReversed() : rows) {
    const value = getAt(row, field)
    const isGone = rule.gone.some((pattern) => fits(value, pattern))
    if (!isGone && !rule.where.is.some((pattern) => fits(value, pattern))) continue
    const record = getAt(row, at)
    const key = keys.map((path) => String(getAt(record, path))).join('\0')
    if (!newest.has(key)) newest.set(key, { record, isGone })
  }
  const pick = (isGone: boolean) => [...newest.values()].filter((each) => each.isGone === isGone).map(({ record }) => record)
  return { records: pick(false), gone: pick(true) }
}

/**
 * Computes the version of the records of a page of changes. Of two changes of a record the newer one gets the higher version, so the order in
 * which they are written does not matter, and no list of what was met is kept.
 * @param asked time of the request
 */
export const computeVersion = ({ rule }: ChangeList, { startedAt, changesAt }: WalkProgress, asked: number): number =>
  rule.oldest ? Math.max(asked, (changesAt ?? 0) + 1) : (changesAt ?? startedAt + 1) - 1
