/** Puts the problems that the service names to the fields of a form. */
import { FerruleError, type Problem } from 'ferrule/core'

/** Returns the problems of an error; none for other errors. */
export const listProblems = (error: unknown): readonly Problem[] => (error instanceof FerruleError ? error.errors : [])

/** Takes the pointer out of a sentence: at its field it says nothing new. */
const printShort = ({ field, message }: Problem): string =>
  message.startsWith(field) ? message.slice(field.length).replace(/^:?\s+/, '') : message

/** Prints sentences as Mantine's fields take them; undefined: the field is right. */
const printAll = (problems: readonly Problem[]): string | undefined =>
  problems.length === 0 ? undefined : problems.map(printShort).join(' ')

/** Prints the sentences at a field, and at the fields within it; undefined: none. @param at JSON pointer */
export const printProblemsWithin = (problems: readonly Problem[], at: string): string | undefined =>
  printAll(problems.filter(({ field }) => field === at || field.startsWith(`${at}/`)))

/** Prints the sentences at a field itself; undefined: none. @param at JSON pointer */
export const printProblemsAt = (problems: readonly Problem[], at: string): string | undefined =>
  printAll(problems.filter(({ field }) => field === at))
