/** Long work of the process: it is done in short steps, and in slices, between which the loop serves others. */
import { setImmediate as yieldToEventLoop } from 'node:timers/promises'

/** Milliseconds after which the loop serves others. */
export const longestSliceMs = 4

/** Work that ends with a value, a short step at a time. */
export type Steps<T> = Generator<undefined, T>

/** Does the steps of some work in slices. */
export async function workInSlices<T>(steps: Steps<T>): Promise<T> {
  let began = performance.now()
  for (;;) {
    const step = steps.next()
    if (step.done === true) return step.value
    if (performance.now() - began < longestSliceMs) continue
    await yieldToEventLoop()
    began = performance.now()
  }
}

/** Does some work for each object once, in slices, and keeps the result with the object. Work that failed is done again. */
export function onceInSlices<K extends object, T>(work: (of: K) => Steps<T>): (of: K) => Promise<T> {
  const kept = new WeakMap<K, Promise<T>>()
  return (of) => {
    const known = kept.get(of)
    if (known !== undefined) return known
    const made = workInSlices(work(of)).catch((thrown: unknown) => {
      kept.delete(of)
      throw thrown
    })
    kept.set(of, made)
    return made
  }
}

/** Splits a list into parts of a size, of which the last can be smaller. */
export const splitInto = <T>(list: readonly T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(list.length / size) }, (_, index) => list.slice(index * size, (index + 1) * size))
