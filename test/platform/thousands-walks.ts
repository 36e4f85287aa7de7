/** Says how long simulated walks last and how they end, by kind and by connector. */

import { createHash } from 'node:crypto'

const second = 1_000

/**
 * Mean duration of an hourly walk in seconds, from the vendors' rates: calls of an hour's changes over the calls a second that the vendor allows.
 * Snowflake has no rate: its statements take a second or two each.
 */
const meanSeconds: Readonly<Record<string, number>> = { gong: 6, shopify: 18, snowflake: 14, 'tiktok-marketing': 9 }
/** A first walk takes as many times as long. */
const firstFactor = 6
/** Duration of a slow connector's walk, and of an attempt that fails, in seconds. */
const [slowSeconds, failedSeconds] = [600, 2]

/** How a connector behaves: `unchecked` has credentials that no call has proven. */
export type Behaviour = 'usual' | 'often' | 'slow' | 'failing' | 'unchecked'

/** Interval of a connector that syncs often, in seconds. */
export const oftenSeconds = 600

/** Of 200 connectors two sync often, one is slow, two fail, and two are unchecked. */
const behaviours: Readonly<Record<number, Behaviour>> = {
  7: 'often',
  107: 'often',
  31: 'slow',
  61: 'failing',
  161: 'failing',
  83: 'unchecked',
  183: 'unchecked',
}

/** Returns the behaviour of a connector by its number. */
export const behaviourOf = (index: number): Behaviour => behaviours[index % 200] ?? 'usual'

/** A connector of the simulation. */
export interface Simulated {
  readonly id: string
  readonly kind: string
  readonly behaviour: Behaviour
}

/** Returns the duration of a walk in milliseconds: from 0.5 to 1.5 times the mean of its kind, the same at each walk of a connector. */
export function durationOf({ id, kind, behaviour }: Simulated, cause: string): number {
  if (behaviour === 'failing') return failedSeconds * second
  if (behaviour === 'slow') return slowSeconds * second
  const share = createHash('sha256').update(`duration ${id}`).digest().readUInt8(0) / 255
  const mean = (meanSeconds[kind] ?? 10) * second
  return Math.round(mean * (0.5 + share) * (cause === 'created' ? firstFactor : 1))
}
