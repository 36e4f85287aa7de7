/** Errors as answers: what was wrong, where, and what to do. Never a stack, a path of this machine or a request's headers. */
import { asFerruleError, type FerruleError, failValidation, type Problem } from '../errors.ts'
import { writeJson } from '../json/json.ts'
import type { AgentAnswer } from './types.ts'

/** Maximum number of problems that an answer lists. */
const mostProblems = 10

const listProblems = (problems: readonly Problem[]): readonly string[] =>
  problems.slice(0, mostProblems).map(({ field, message }) => `- ${field}: ${message}`)

/** Writes an error as an answer. @param more lines behind it, for example a corrected example */
export function answerFailure(error: FerruleError, more: readonly string[] = []): AgentAnswer {
  const { code, message, hint, errors, retryable } = error
  const lines = [
    `Error ${code}: ${message}`,
    ...(errors.length > 1 ? listProblems(errors) : []),
    ...(hint === '' ? [] : [`Next: ${hint}`]),
    ...(retryable ? ['The same call can succeed later.'] : []),
    ...more,
  ]
  return { text: lines.join('\n'), isError: true, code }
}

/** Answers wrong arguments, with a call that fits. */
export const answerProblems = (problems: readonly Problem[], example: unknown): AgentAnswer =>
  answerFailure(failValidation(problems), [`A call that fits: ${writeJson(example)}`])

/** Makes an answer of whatever was thrown. */
export const answerThrown = (thrown: unknown): AgentAnswer => answerFailure(asFerruleError(thrown))
