/** The next step for a search that ended late. */
import type { FieldOperator } from 'ferrule/internal'
import { type Column, findMainTime } from './columns.ts'
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

/** Returns whether a filter keeps to a range or a value of a column. */
const isWithin = (condition: Condition | undefined, column: Column): boolean =>
  condition?.op === 'and'
    ? condition.of.some((each) => isWithin(each, column))
    : (condition?.op === 'order' || condition?.op === 'equals') && condition.path.column === column

/** What is known of a statement besides its filter. */
export interface LateFacts {
  /** Fields of the filter that an index would serve, and none serves. */
  readonly unindexed: readonly string[]
  /** True for counts and groups, which read all records that the filter finds. */
  readonly readsAll: boolean
}

function adviseRange({ filter, table }: Pick<SearchQuery, 'filter' | 'table'>): string | undefined {
  const main = table.columns.find(({ at }) => at !== undefined && at === findMainTime(table))
  return (
    main &&
    `All records that the filter finds are read. Take a ${isWithin(filter, main) ? 'shorter ' : ''}range of ${main.name}, which has an index, and try again.`
  )
}

/** Builds the next step for a statement that ended late: names what can read every record, or the index or the range that would help. */
export function buildLateHint(query: Pick<SearchQuery, 'filter' | 'table'>, { unindexed, readsAll }: LateFacts): string {
  const named = listCostly(query.filter).slice(0, mostNamed)
  if (named.length > 0)
    return `These conditions can read every record: ${named.join(', ')}. Join them with a condition on a time, a number or a key, and try again.`
  const range = readsAll ? adviseRange(query) : undefined
  if (unindexed.length === 0) return range ?? 'Narrow the filter or ask for less, and try again.'
  const index = `An index on ${unindexed.join(' or ')} would help: three slow requests in a day make one, where automatic indexes are on.`
  return `${index} ${range ?? 'Until then narrow the filter.'}`
}
