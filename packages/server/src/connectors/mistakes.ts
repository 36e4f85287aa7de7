/** Collects all problems of a request for one answer. */

import { FerruleError, type Problem } from 'ferrule'
import { failValidation } from 'ferrule/internal'

/** Collects problems of a request. */
export interface Mistakes {
  /** Returns the result of `read`, or undefined after collecting its error. Errors without a field get the given one. */
  take<T>(field: string, read: () => T): T | undefined
  /** Adds an error. */
  add(field: string, error: FerruleError): void
  /** @throws FerruleError the single error, or `validation_failed` with all problems */
  refuse(): void
}

const toProblems = (field: string, error: FerruleError): readonly Problem[] =>
  error.errors.length > 0 ? error.errors : [{ field, message: error.message.replace(/\.$/, ''), error_code: error.code }]

/** Starts a collection. */
export function collectMistakes(): Mistakes {
  const found: { readonly field: string; readonly error: FerruleError }[] = []
  const add = (field: string, error: FerruleError): void => {
    found.push({ field, error })
  }
  return {
    add,
    take: (field, read) => {
      try {
        return read()
      } catch (error) {
        if (!(error instanceof FerruleError) || error.fault === 'service') throw error
        add(field, error)
        return undefined
      }
    },
    refuse: () => {
      const [first] = found
      if (first === undefined) return
      if (found.length === 1) throw first.error
      throw failValidation(found.flatMap(({ field, error }) => toProblems(field, error)))
    },
  }
}
