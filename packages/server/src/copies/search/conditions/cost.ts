/** Estimates what a condition costs in each row. PostgreSQL evaluates the parts of an `or` as they are written, so cheap ones come first. */
import type { Condition } from '../tree.ts'

/** Steps between costs, each several times the one before. */
const cost = { value: 0, text: 1, storedWords: 2, splitWords: 3, json: 4, leaves: 5 } as const

/** Estimates the cost of a condition; for joined ones that of the most costly part. */
export function estimateCost(condition: Condition): number {
  switch (condition.op) {
    case 'and':
    case 'or':
      return Math.max(0, ...condition.of.map(estimateCost))
    case 'not':
      return estimateCost(condition.of)
    default: {
      const { op, path } = condition
      const isWords = 'tokens' in condition
      if (path.column === undefined || path.column.type === 'json') {
        if (isWords && path.column !== undefined && path.steps.length === 0) return cost.storedWords
        return isWords || (op === 'like' && !condition.pattern.isAnything) ? cost.leaves : cost.json
      }
      if (isWords) return path.column.words === 'stored' ? cost.storedWords : cost.splitWords
      return op === 'like' ? cost.text : cost.value
    }
  }
}
