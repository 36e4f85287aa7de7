/** What the pages of a walk are asked for with, and what they tell. Pure. */
import { createHash } from 'node:crypto'
import { instantOf } from '../../engine/instant.ts'
import { writeJson } from '../../engine/json.ts'
import { copyOf, getAt, parsePath, setAt } from '../../engine/paths.ts'
import { fail } from '../../errors.ts'
import type { Tree } from './plan.ts'
import type { WalkProgress } from './state.ts'
import type { Answered } from './types.ts'
import { endOf, type Walking } from './walking.ts'

/** Parameters of a call. */
export type Params = Readonly<Record<string, unknown>>

/** The parameters of the first page. */
export function firstParams({ tree: { sync }, progress }: Pick<Walking, 'tree' | 'progress'>): Params {
  const params: Record<string, unknown> = copyOf({ ...sync.params })
  const from = progress.since ?? sync.since?.first
  if (sync.since !== undefined && from !== undefined) setAt(params, parsePath(sync.since.param), from)
  if (sync.since?.until !== undefined) setAt(params, parsePath(sync.since.until), new Date(endOf(progress)).toISOString())
  if (sync.after !== undefined) setAt(params, parsePath(sync.after.param), 0)
  return params
}

/** The position behind a page; null at the end. */
export function following({ sync }: Pick<Tree, 'sync'>, { rows, next }: Answered): Params | null {
  if (next === null || sync.after === undefined) return next
  const { field, param } = sync.after
  const ids = rows.flatMap((row) => {
    const value = getAt(row, parsePath(field))
    return typeof value === 'number' || typeof value === 'bigint' ? [value] : []
  })
  const [first, ...rest] = ids
  return first === undefined ? next : { [param]: rest.reduce((largest, each) => (each > largest ? each : largest), first) }
}

/**
 * Until which moment of the vendor's everything will have been met, from the moments in a page's records. The walk saw the vendor's
 * state of its beginning or later; a record of moment m that came e milliseconds after the beginning proves that the vendor's clock
 * stood at m - e or later at the beginning. Our own clock bounds it, because a record can tell a moment that is still to come.
 * @param answered when the page came, in milliseconds since 1970
 */
export function latestOf(
  rows: readonly unknown[],
  { since }: Tree['sync'],
  { progress: { latest, startedAt }, answered }: { progress: WalkProgress; answered: number },
): string | undefined {
  if (since === undefined) return latest
  const path = parsePath(since.field)
  const moments = rows.map((row) => getAt(row, path)).flatMap((text) => (typeof text === 'string' ? [instantOf(text)] : []))
  const largest = moments.reduce((best, moment) => (moment > best ? moment : best), Number.NEGATIVE_INFINITY)
  const proved = Math.min(largest - Math.max(0, answered - startedAt), startedAt)
  const known = latest === undefined ? Number.NEGATIVE_INFINITY : instantOf(latest)
  return proved > known && proved >= 0 ? new Date(proved).toISOString() : latest
}

/** A short digest of texts. */
export const digestOf = (texts: readonly string[]): string => createHash('sha256').update(writeJson(texts)).digest('base64url').slice(0, 16)

/** Positions that are remembered. */
const remembered = 1_000

/** Notices a list that returns to a position it had before: it would never end. */
export class Positions {
  readonly #vendor: string
  readonly #seen = new Set<string>()

  constructor(vendor: string) {
    this.#vendor = vendor
  }

  /** @throws FerruleError `upstream_answer_invalid` for a position that came before */
  take(position: Params | undefined): void {
    const digest = digestOf([writeJson(position ?? {})])
    if (this.#seen.has(digest))
      throw fail('upstream_answer_invalid', { vendor: this.#vendor, reason: 'a list that returns to a position it had before' })
    this.#seen.add(digest)
    const [oldest] = this.#seen
    if (this.#seen.size > remembered && oldest !== undefined) this.#seen.delete(oldest)
  }
}
