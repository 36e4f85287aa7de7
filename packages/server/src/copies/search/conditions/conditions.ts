/** Builds SQL from a filter. A condition that is null counts as false; `not` therefore tests `is not true`. */

import type { SearchTable } from '../columns.ts'
import type { Condition, FieldPath } from '../tree.ts'
import { buildColumnCondition } from './columns.ts'
import { buildJsonCondition } from './json.ts'
import { type JsonSource, quoteColumn, type SqlContext } from './sql-context.ts'

/** Finds the JSON that a path begins at; undefined for columns that are not JSON. */
function findSource({ column }: FieldPath, scene: SqlContext): JsonSource | undefined {
  if (column === undefined) return scene.element
  return column.folded === undefined ? undefined : { raw: quoteColumn(column.sql), folded: quoteColumn(column.folded) }
}

/** Steps between costs, each several times the one before. */
const cost = { value: 0, text: 1, storedWords: 2, splitWords: 3, json: 4, leaves: 5 } as const

/**
 * Estimates what a condition costs in each row; for joined ones what the most costly part does. PostgreSQL evaluates the parts of an `or` as
 * they are written, so cheap ones come first.
 */
function estimateCost(condition: Condition): number {
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

/** Builds a condition on the rows of a table `t`. Its values are added to those of the context. */
export function buildCondition(table: SearchTable, condition: Condition, scene: SqlContext): string {
  const inner = (each: Condition, within: SqlContext): string => buildCondition(table, each, within)
  if (condition.op === 'and' || condition.op === 'or') {
    const parts = condition.of.toSorted((a, b) => estimateCost(a) - estimateCost(b)).map((each) => inner(each, scene))
    return parts.length === 0 ? String(condition.op === 'and') : `(${parts.join(` ${condition.op} `)})`
  }
  if (condition.op === 'not') return `((${inner(condition.of, scene)}) is not true)`
  const source = findSource(condition.path, scene)
  if (source !== undefined) return buildJsonCondition(condition, { ...scene, table, source, inner })
  const { column } = condition.path
  return column === undefined ? 'false' : buildColumnCondition(condition, { table, column, values: scene.values })
}
