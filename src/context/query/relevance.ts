/** Which conditions of a filter count for the relevance of a record (docs/decisions/0030-relevance.md). */
import type { Condition, Place, ScoredCondition } from './tree.ts'

/** The conditions of a filter whose words count: `fuzzy` and `keyword` outside of `not`. */
export function scoredConditions(condition: Condition | undefined, within: readonly Place[] = []): readonly ScoredCondition[] {
  switch (condition?.op) {
    case 'and':
    case 'or':
      return condition.of.flatMap((each) => scoredConditions(each, within))
    case 'any':
      return scoredConditions(condition.of, [...within, condition.place])
    case 'fuzzy':
    case 'keyword':
      return [{ condition, within }]
    default:
      return []
  }
}
