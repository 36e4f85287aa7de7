/** The next step for a search that ended late. */
import type { FieldOperator } from 'ferrule/internal'
import type { PathCondition } from './conditions/sql-context.ts'
import type { Condition, FieldPath, SearchQuery } from './tree.ts'

/** Maximum number of named conditions; the first ones stand for the others. */
const mostNamed = 3

const printPath = ({ column, steps }: FieldPath): string => {
  const names = steps.map((step) => (step === null ? '[]' : `.${step}`)).join('')
  return column === undefined ? names.replace(/^\./, '') : `${column.name}${names}`
}

/** Returns whether a condition looks into strings or JSON, which can mean every record of the connector. */
const isCostly = ({ op, path }: PathCondition): boolean => path.column?.type === 'json' || (op !== 'equals' && op !== 'order')

/** Returns the operator that a condition stands for. */
const findOperator = (condition: PathCondition): FieldOperator =>
  condition.op === 'order' ? condition.test : condition.op === 'equals' ? 'eq' : condition.op

const printCondition = (condition: PathCondition): string => `${findOperator(condition)} on ${printPath(condition.path)}`

/** Lists the costly conditions of a filter, each once, in the order of the filter. */
function listCostly(condition: Condition | undefined): readonly string[] {
  if (condition === undefined) return []
  if (condition.op === 'not') return listCostly(condition.of)
  if (condition.op === 'and' || condition.op === 'or') return [...new Set(condition.of.flatMap(listCostly))]
  if (condition.op === 'related') return [`what ${printPath(condition.path)} refers to`]
  return isCostly(condition) ? [printCondition(condition)] : []
}

/** Builds the next step for a search that ended late; names the conditions that can read every record. */
export function buildLateHint({ filter }: Pick<SearchQuery, 'filter'>): string {
  const named = listCostly(filter).slice(0, mostNamed)
  if (named.length === 0) return 'Narrow the filter or ask for less, and try again.'
  return `These conditions can read every record: ${named.join(', ')}. Join them with a condition on a time, a number or a key, and try again.`
}
