/** Finds values of a checked file by patterns of their paths. */
import { isObject } from '../../definition/object.ts'
import type { Steps } from '../check-tree.ts'

/** A value, and the path to it. */
export interface FoundValue {
  readonly steps: Steps
  readonly value: unknown
}

const listInner = (value: unknown): readonly (readonly [string, unknown])[] => {
  if (Array.isArray(value)) return value.map((inner: unknown, index) => [String(index), inner])
  return isObject(value) ? Object.entries(value) : []
}

/**
 * Finds the values whose paths fit a pattern and that are not undefined.
 * @param pattern names with dots between them; `*` stands for any name, and for any element
 */
export function findAt(file: unknown, pattern: string): readonly FoundValue[] {
  let found: readonly FoundValue[] = [{ steps: [], value: file }]
  for (const name of pattern.split('.'))
    found = found.flatMap(({ steps, value }) =>
      listInner(value)
        .filter(([inner, each]) => each !== undefined && (name === '*' || inner === name))
        .map(([inner, each]) => ({ steps: [...steps, inner], value: each })),
    )
  return found
}

/** Lists a value with everything in it. */
export function* listWithin(value: unknown, steps: Steps = []): Generator<FoundValue> {
  yield { steps, value }
  for (const [name, inner] of listInner(value)) yield* listWithin(inner, [...steps, name])
}
