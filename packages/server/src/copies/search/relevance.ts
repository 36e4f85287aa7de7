/** Finds the conditions of a filter that count for relevance (docs/decisions/search-words.md). */
import type { Condition, FieldPath, ScoredCondition } from './tree.ts'

/** Finds the scored conditions of a filter: those on words outside of `not`. */
export function findScoredConditions(condition: Condition | undefined, within: readonly FieldPath[] = []): readonly ScoredCondition[] {
  if (condition === undefined) return []
  switch (condition.op) {
    case 'and':
    case 'or':
      return condition.of.flatMap((each) => findScoredConditions(each, within))
    case 'any':
      return findScoredConditions(condition.of, [...within, condition.path])
    default:
      return 'tokens' in condition ? [{ condition, within }] : []
  }
}
