/** Reads the places that an error names. */
import { FerruleError, type Problem } from 'ferrule/core'

/** Returns the problems of an error; none for other errors. */
export const listProblems = (error: unknown): readonly Problem[] => (error instanceof FerruleError ? error.errors : [])
