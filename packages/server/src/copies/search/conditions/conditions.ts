/** Builds SQL from a filter. A condition that is null counts as false; `not` therefore tests `is not true`. */

import type { SearchTable } from '../columns.ts'
import type { Condition, FieldPath } from '../tree.ts'
import { buildColumnCondition } from './columns.ts'
import { estimateCost } from './cost.ts'
import { buildJsonCondition } from './json.ts'
import { type JsonSource, quoteColumn, type SqlContext } from './sql-context.ts'

/** Finds the JSON that a path begins at; undefined for columns that are not JSON. */
function findSource({ column }: FieldPath, scene: SqlContext): JsonSource | undefined {
  if (column === undefined) return scene.element
  return column.folded === undefined ? undefined : { raw: quoteColumn(column.sql), folded: quoteColumn(column.folded) }
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
