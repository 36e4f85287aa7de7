/** Checks the body of an execute request. */
import { compileFields, failValidation } from 'ferrule/internal'
import { type ExecuteRequest, executeFields } from 'ferrule/wire'

const validator = compileFields(executeFields)

/** The validator has just proven it; TypeScript cannot see that. */
const isProven = (_body: unknown): _body is ExecuteRequest => true

/**
 * Checks the body of an execute request.
 * @throws FerruleError `validation_failed` with the place of every problem; unknown members are problems
 */
export function readExecuteRequest(body: unknown): ExecuteRequest {
  const problems = validator.problems(body)
  if (problems.length > 0 || !isProven(body)) throw failValidation(problems)
  return body
}
