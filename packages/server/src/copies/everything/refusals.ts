/** Refusals of an entity, in the words of a search of everything. */
import { FerruleError, type Problem } from 'ferrule'
import { fail, failValidation, moveProblem } from 'ferrule/internal'

/** Refusals that other entities may not have. */
const ofEntity: ReadonlySet<string> = new Set(['field_not_searchable', 'operator_not_supported', 'invalid_parameter'])

/** Returns whether an error says that an entity does not take a part of what is wanted. */
export const isUnfit = (thrown: unknown): thrown is FerruleError => thrown instanceof FerruleError && ofEntity.has(thrown.code)

/** Says in short why an entity does not take a filter. */
export function describeRefusal({ code, errors, message }: FerruleError): string {
  const [problem] = errors
  if (problem?.field === undefined) return message
  const name = problem.field.split('/').at(-1)?.replaceAll('~1', '/').replaceAll('~0', '~') ?? ''
  return code === 'field_not_searchable' ? `It has no searchable field ${name}.` : moveProblem(problem, name).message
}

const toOwnProblems = ({ errors }: FerruleError): readonly Problem[] =>
  errors.map((problem) => moveProblem(problem, problem.field.replace(/^\/params(\/query)?/, '')))

/** Names the field of the body that a refusal is about. @param isOfMany the fields of one entity would mislead who meant another */
export const toOwnRefusal = (refusal: FerruleError, isOfMany = false): FerruleError =>
  failValidation(
    toOwnProblems(refusal).map((problem) =>
      isOfMany && refusal.code === 'field_not_searchable' ? { ...problem, message: 'is no searchable field of what is searched' } : problem,
    ),
  )

/** Names the field of the body that is too complex. */
export function toOwnError(thrown: unknown): unknown {
  if (!(thrown instanceof FerruleError) || thrown.code !== 'query_too_complex') return thrown
  const errors = toOwnProblems(thrown)
  return fail('query_too_complex', { reason: errors.map(({ message }) => message.replace(/\.$/, '')).join('; ') }, { errors })
}
