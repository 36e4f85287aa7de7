import { FerruleError } from '../../packages/ferrule/src/errors.ts'

/** Returns our error that a call throws; undefined when it throws none. Any other error is thrown on. */
export function findRefusal(call: () => unknown): FerruleError | undefined {
  try {
    call()
    return undefined
  } catch (thrown) {
    if (thrown instanceof FerruleError) return thrown
    throw thrown
  }
}

/** Returns our error that a call throws, which must be refused. */
export function catchRefusal(call: () => unknown): FerruleError {
  const refusal = findRefusal(call)
  if (refusal === undefined) throw new Error('it was accepted')
  return refusal
}
