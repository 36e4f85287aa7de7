/** Parameters of the pages of a walk, and what their records reveal; lists of changes that are read instead of the records. Pure. */
import { createHash } from 'node:crypto'
import type { Changes, EntityDefinition } from 'ferrule/definition'
import { writeJson } from 'ferrule/engine'
import {
  BoundedMap,
  buildStart,
  buildTimeReader,
  copyJson,
  fail,
  getAt,
  parsePath,
  parseTimestamp,
  setAt,
  toParamPath,
  writeTime,
} from 'ferrule/internal'
import type { Tree } from './plan.ts'
import { computeEnd, type Walking, type WalkProgress } from './state.ts'
import type { Answered } from './types.ts'

interface ChangeList {
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
function buildChangesParams(
  { rule: { params, since }, definition }: ChangeList,
  from: string | undefined,
): Readonly<Record<string, unknown>> {
  const built: Record<string, unknown> = copyJson({ ...params })
  if (from !== undefined) setAt(built, toParamPath(definition, since.param), buildStart(since, from))
  return built
}

const fits = (value: unknown, pattern: string): boolean =>
  typeof value === 'string' && (pattern.endsWith('*') ? value.startsWith(pattern.slice(0, -1)) : value === pattern)

interface Changed {
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

/** Seconds before the latest change that are read again where the definition names no time: records can appear late. */
export const usualLookback = 60

/** Parameters of a call. */
export type Params = Readonly<Record<string, unknown>>

/** Builds the parameters of the first page. */
export function buildFirstParams(walking: Pick<Walking, 'task' | 'tree' | 'progress'>): Params {
  const list = findChangeList(walking)
  if (list !== undefined) return buildChangesParams(list, walking.progress.since)
  const {
    progress,
    tree: { sync, definition },
  } = walking
  const params: Record<string, unknown> = copyJson({ ...sync.params })
  const { since } = sync
  for (const [name, value] of Object.entries(sync.values?.[progress.value ?? 0] ?? {})) setAt(params, toParamPath(definition, name), value)
  if (sync.token !== undefined && progress.token !== undefined) setAt(params, toParamPath(definition, sync.token.param), progress.token)
  const from = progress.moved ?? progress.since ?? since?.first
  if (since !== undefined && from !== undefined) setAt(params, toParamPath(definition, since.param), buildStart(since, from))
  if (since?.until !== undefined) setAt(params, toParamPath(definition, since.until), writeTime(computeEnd(progress), since.as))
  if (sync.after !== undefined) setAt(params, parsePath(sync.after.param), 0)
  return params
}

/** Finds the parameters of the next page; null at the end. */
export function findNextParams(walking: Pick<Walking, 'task' | 'tree' | 'progress'>, { rows, next }: Answered): Params | null {
  const { sync } = walking.tree
  if (next === null || sync.after === undefined || findChangeList(walking) !== undefined) return next
  const { field, param } = sync.after
  const ids = rows.flatMap((row) => {
    const value = getAt(row, parsePath(field))
    return typeof value === 'number' || typeof value === 'bigint' ? [value] : []
  })
  const [first, ...rest] = ids
  return first === undefined ? next : { [param]: rest.reduce((largest, each) => (each > largest ? each : largest), first) }
}

/** Builds the reading of the time that marks how far a walk has read; undefined where no time does. */
function buildMarkReader(walking: Pick<Walking, 'task' | 'tree' | 'progress'>): ((row: unknown) => number) | undefined {
  const list = findChangeList(walking)
  if (list !== undefined) return buildTimeReader(list.definition, list.rule.since.field)
  const { sync, definition } = walking.tree
  const field = sync.since?.field ?? sync.newest
  return field === undefined ? undefined : buildTimeReader(definition, field)
}

/**
 * Finds the timestamp of the vendor up to which the walk will have read everything.
 *
 * The walk saw the vendor's state of its start or later. A record with timestamp t that arrives e milliseconds after the start proves that
 * the vendor's clock showed t - e or later at the start. This service's clock is the upper limit, because a record can have a timestamp in
 * the future.
 * @param answered when the page arrived, in milliseconds since 1970
 */
export function findLatest(
  walking: Pick<Walking, 'task' | 'tree' | 'progress'>,
  { rows, answered }: { readonly rows: readonly unknown[]; readonly answered: number },
): string | undefined {
  const { latest, startedAt } = walking.progress
  const read = buildMarkReader(walking)
  if (read === undefined) return latest
  const moments = rows.map(read)
  const largest = moments.reduce((best, moment) => (moment > best ? moment : best), Number.NEGATIVE_INFINITY)
  const proved = Math.min(largest - Math.max(0, answered - startedAt), startedAt)
  const known = latest === undefined ? Number.NEGATIVE_INFINITY : parseTimestamp(latest)
  return proved > known && proved >= 0 ? new Date(proved).toISOString() : latest
}

/**
 * Finds the time from which a sorted list continues after a page; undefined where its next page must do: all of its records have the time that
 * was asked for, or they are in no order. It is just before the last record, because a vendor may leave out the time itself.
 */
export function findMove(rows: readonly unknown[], walking: Pick<Walking, 'task' | 'tree' | 'progress'>): string | undefined {
  const { sync, definition } = walking.tree
  const { since } = sync
  if (since?.sorted === undefined || findChangeList(walking) !== undefined) return undefined
  const times = rows.map(buildTimeReader(definition, since.field))
  const last = (times.at(-1) ?? Number.NaN) - 1
  if (Number.isNaN(last) || times.some((time, index) => !(time >= (times[index - 1] ?? time)))) return undefined
  const asked = walking.progress.moved ?? walking.progress.since
  // The form of the parameter may be coarser than the time of a record.
  const from = asked === undefined ? undefined : parseTimestamp(asked)
  if (from !== undefined && (last <= from || writeTime(last, since.as) === writeTime(from, since.as))) return undefined
  return new Date(last).toISOString()
}

/** What a page of a list from its newest records adds to what the copy is known to have. */
export interface Cut {
  /** The records since the begin of the walk. Records without a time stay. */
  readonly rows: readonly unknown[]
  /** True when the page goes back further than the walk must. */
  readonly cameBack: boolean
  /** True when the page goes back to what the copy has; the time before that is read again to be sure. */
  readonly isKnown: boolean
}

/** Cuts a page of a list from its newest records where the copy is known to have them. */
export function cutKnown(rows: readonly unknown[], { tree, progress: { since, full } }: Pick<Walking, 'tree' | 'progress'>): Cut {
  const { newest } = tree.sync
  if (newest === undefined || full || since === undefined) return { rows, cameBack: false, isKnown: true }
  const read = buildTimeReader(tree.definition, newest)
  const from = parseTimestamp(since)
  // Pinned records may stand first, so the last one decides.
  const last = rows.map(read).findLast((time) => !Number.isNaN(time)) ?? Number.POSITIVE_INFINITY
  return { rows: rows.filter((row) => !(read(row) < from)), cameBack: last < from, isKnown: last <= from + usualLookback * 1_000 }
}

/** Computes a short digest of strings. */
export const digestTexts = (texts: readonly string[]): string =>
  createHash('sha256').update(writeJson(texts)).digest('base64url').slice(0, 16)

const remembered = 1_000

/** Detects a list that returns to an earlier position, which would never end. */
export class Positions {
  readonly #vendor: string
  readonly #seen = new BoundedMap<string, true>(remembered)

  constructor(vendor: string) {
    this.#vendor = vendor
  }

  /**
   * Adds a position in the list that a value, and the time from which it is asked for, name.
   * @throws FerruleError `upstream_answer_invalid` for an earlier position
   */
  add({ position = {}, value = 0, moved = '' }: Pick<WalkProgress, 'position' | 'value' | 'moved'>): void {
    const digest = digestTexts([writeJson(position), String(value), moved])
    if (this.#seen.get(digest))
      throw fail('upstream_answer_invalid', { vendor: this.#vendor, reason: 'a list that returns to a position it had before' })
    this.#seen.set(digest, true)
  }
}
