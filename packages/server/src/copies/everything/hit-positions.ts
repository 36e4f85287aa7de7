/** The order of records of several entities, and where a page of one entity begins in it. */
import { type CursorPosition, type CursorScope, signCursor, verifyCursor } from '../../values/cursor.ts'
import { lastCharacter } from '../search/lookups/lookups.ts'
import type { Position } from '../search/tree.ts'

/**
 * What records are ordered by. `ranked`: relevance, then the newest first. `newest`: the newest first. `keys`: none of it, because too many
 * match. Then connector, entity and key.
 */
export type Mode = 'ranked' | 'newest' | 'keys'

/** How a walk over pages began; it continues so. */
export interface Walk {
  readonly mode: Mode
  /** Words with typing errors count. */
  readonly isNear: boolean
}

/** A copy in the order. */
export interface SortedCopy {
  /** UUID of the connector. */
  readonly connector: string
  readonly entity: string
  readonly hasTime: boolean
}

/** Where a record is in the order. */
export interface HitPosition {
  readonly score: string | null
  /** Microseconds since 1970. */
  readonly time: string | null
  readonly connector: string
  readonly entity: string
  readonly pk: string
}

/** Names the keys of a position. */
export function toHitPosition({ mode }: Walk, { connector, entity }: SortedCopy, { keys, pk }: Position): HitPosition {
  const [first = null, second = null] = keys
  return { score: mode === 'ranked' ? first : null, time: mode === 'ranked' ? second : first, connector, entity, pk }
}

/** Compares two numbers, the greater first, null last. */
function compareNumbers(one: string | null, other: string | null): number {
  if (one === other) return 0
  if (one === null || other === null) return one === null ? 1 : -1
  const [a, b] = [BigInt(one), BigInt(other)]
  return a === b ? 0 : a > b ? -1 : 1
}

const compareTexts = (one: string, other: string): number => (one === other ? 0 : one < other ? -1 : 1)

/** Compares copies, which decides among records that are otherwise alike. */
export const compareCopies = (one: Pick<HitPosition, 'connector' | 'entity'>, other: Pick<HitPosition, 'connector' | 'entity'>): number =>
  compareTexts(one.connector, other.connector) || compareTexts(one.entity, other.entity)

/** Compares positions of different copies. Those of one copy are in its order already: sort with a stable sort. */
export const compareHits = (one: HitPosition, other: HitPosition): number =>
  compareNumbers(one.score, other.score) || compareNumbers(one.time, other.time) || compareCopies(one, other)

const afterEveryKey = lastCharacter.repeat(4)

/**
 * Finds where the page of a copy begins, after a position of any copy.
 * @returns null when nothing of the copy follows; undefined for its beginning
 */
export function findStart({ mode }: Walk, copy: SortedCopy, after: HitPosition): Position | null | undefined {
  const side = compareCopies(copy, after)
  if (mode === 'keys') return side < 0 ? null : side > 0 ? undefined : { keys: [], pk: after.pk }
  const isRanked = mode === 'ranked'
  const score = isRanked ? [after.score] : []
  // Records without a time come behind all that have one.
  const isBehind = !copy.hasTime && after.time !== null
  if (isBehind && !isRanked) return undefined
  // The key descends with the time, and ascends without one.
  const [first, last] = copy.hasTime ? [afterEveryKey, ''] : ['', afterEveryKey]
  const pk = isBehind || side > 0 ? first : side < 0 ? last : after.pk
  return { keys: copy.hasTime ? [...score, after.time] : score, pk, isRanked }
}

/** Forms of positions in cursors. */
const forms: readonly Walk[] = [
  { mode: 'ranked', isNear: false },
  { mode: 'ranked', isNear: true },
  { mode: 'newest', isNear: false },
  { mode: 'keys', isNear: false },
  { mode: 'keys', isNear: true },
]

/** Signs the position of the last record of a page. */
export function signHitPosition({ mode, isNear }: Walk, { score, time, connector, entity, pk }: HitPosition, scope: CursorScope): string {
  const form = forms.findIndex((each) => each.mode === mode && each.isNear === isNear)
  return signCursor([form, score, time, connector, entity, pk], scope)
}

/** Reads a cursor. @throws FerruleError as `verifyCursor` */
export function readHitPosition(cursor: string, scope: CursorScope): { readonly walk: Walk; readonly after: HitPosition } {
  const [form, score, time, connector, entity, pk]: CursorPosition = verifyCursor(cursor, scope)
  const walk = forms[form] ?? { mode: 'keys', isNear: false }
  return {
    walk,
    after: { score: score ?? null, time: time ?? null, connector: String(connector), entity: String(entity), pk: String(pk) },
  }
}
