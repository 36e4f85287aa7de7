/** Puts the problems that the service names to the fields of a form. */
import type { Problem } from 'ferrule/core'

/** Takes the place out of a sentence: at its field it says nothing new. */
const printShort = ({ field, message }: Problem): string =>
  message.startsWith(field) ? message.slice(field.length).replace(/^:?\s+/, '') : message

/** Returns the sentences at a place, and at the places within it. @param at JSON pointer */
export const listProblemsWithin = (problems: readonly Problem[], at: string): readonly string[] =>
  problems.filter(({ field }) => field === at || field.startsWith(`${at}/`)).map(printShort)

/** Returns the sentences at a place itself. @param at JSON pointer */
export const listProblemsAt = (problems: readonly Problem[], at: string): readonly string[] =>
  problems.filter(({ field }) => field === at).map(printShort)

/** Prints sentences as Mantine's fields take them; undefined: the field is right. */
export const printProblems = (sentences: readonly string[]): string | undefined =>
  sentences.length === 0 ? undefined : sentences.join(' ')
