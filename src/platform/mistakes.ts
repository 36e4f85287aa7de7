/** All mistakes of a request in one answer. */
import { validationFailed } from '../engine/credentials.ts'
import { FerruleError, type Problem } from '../errors.ts'

/** Collects what the readers of a request refuse. */
export interface Mistakes {
  /** What `read` gives; undefined when it refuses, which is collected with the place for errors that name none. */
  take<T>(field: string, read: () => T): T | undefined
  /** Adds a refusal that was found otherwise. */
  add(field: string, error: FerruleError): void
  /** @throws FerruleError the one mistake, or `validation_failed` with all of them */
  refuse(): void
}

const problemsOf = (field: string, error: FerruleError): readonly Problem[] =>
  error.errors.length > 0 ? error.errors : [{ field, message: error.message.replace(/\.$/, ''), error_code: error.code }]

/** Begins a collection. */
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
      throw validationFailed(found.flatMap(({ field, error }) => problemsOf(field, error)))
    },
  }
}
