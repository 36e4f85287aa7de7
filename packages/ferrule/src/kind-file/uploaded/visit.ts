/** Finds values of a checked file by their places. */
import { isObject } from '../../definition/object.ts'
import type { Steps } from '../check-tree.ts'

/** A value with its place. */
export interface Placed {
  readonly steps: Steps
  readonly value: unknown
}

const listInner = (value: unknown): readonly (readonly [string, unknown])[] => {
  if (Array.isArray(value)) return value.map((inner: unknown, index) => [String(index), inner])
  return isObject(value) ? Object.entries(value) : []
}

/**
 * Finds the values at a place that are not undefined.
 * @param place names with dots between them; `*` stands for any name, and for any element
 */
export function findAt(file: unknown, place: string): readonly Placed[] {
  let found: readonly Placed[] = [{ steps: [], value: file }]
  for (const name of place.split('.'))
    found = found.flatMap(({ steps, value }) =>
      listInner(value)
        .filter(([inner, each]) => each !== undefined && (name === '*' || inner === name))
        .map(([inner, each]) => ({ steps: [...steps, inner], value: each })),
    )
  return found
}

/** Lists a value with everything in it. */
export function* listWithin(value: unknown, steps: Steps = []): Generator<Placed> {
  yield { steps, value }
  for (const [name, inner] of listInner(value)) yield* listWithin(inner, [...steps, name])
}
