/** From a filter to SQL. An expression may be null, which counts as false: `not` asks for `is not true`. */

import type { SearchTable } from './columns.ts'
import { columnCondition } from './conditions-columns.ts'
import { jsonCondition } from './conditions-json.ts'
import { columnSql, type JsonSource, type Scene } from './scene.ts'
import type { Condition, Place } from './tree.ts'

/** What a place begins at; undefined for columns that are not JSON. */
function sourceOf({ column }: Place, scene: Scene): JsonSource | undefined {
  if (column === undefined) return scene.element
  return column.folded === undefined ? undefined : { raw: columnSql(column.sql), folded: columnSql(column.folded) }
}

/** A condition over the rows of a table, which are called `t`. Its values are added to the scene's. */
export function conditionSql(table: SearchTable, condition: Condition, scene: Scene): string {
  const inner = (each: Condition, within: Scene): string => conditionSql(table, each, within)
  if (condition.op === 'and' || condition.op === 'or') {
    const parts = condition.of.map((each) => inner(each, scene))
    return parts.length === 0 ? String(condition.op === 'and') : `(${parts.join(` ${condition.op} `)})`
  }
  if (condition.op === 'not') return `((${inner(condition.of, scene)}) is not true)`
  const source = sourceOf(condition.place, scene)
  if (source !== undefined) return jsonCondition(condition, { ...scene, table, source, inner })
  const { column } = condition.place
  return column === undefined ? 'false' : columnCondition(condition, { table, column, values: scene.values })
}
