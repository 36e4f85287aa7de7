/** The contract of `context_store_search`, the same for every searchable entity. */

/** Documented operators that take a field. */
const comparisons = ['eq', 'neq', 'gt', 'gte', 'lt', 'lte', 'in', 'like', 'fuzzy', 'keyword'] as const
/** Our own operators, which take a field with an array. */
const elementOperators = ['contains', 'any'] as const

/** Operators of a search filter that the specification documents, in its order. */
export const searchOperators = [...comparisons, 'not', 'and', 'or'] as const

/** All operators of a search filter. */
export const filterOperators = [...searchOperators, ...elementOperators] as const

/** Limits of a filter: levels of condition objects, conditions, and values of one `in`. The service and the filters as text read them here. */
export const filterLimits = { deepest: 16, mostConditions: 256, mostValues: 1000 } as const

/** Operators of a search filter that take a field. */
export const fieldOperators = [...comparisons, ...elementOperators] as const
/** Operator of a filter that takes a field. */
export type FieldOperator = (typeof fieldOperators)[number]

/** Types of the values at a path of a searchable field; any: the vendor documents none. */
export const searchFieldTypes = ['text', 'integer', 'number', 'boolean', 'array', 'object', 'any'] as const
/** Type of the values at a path of a searchable field. */
export type SearchFieldType = (typeof searchFieldTypes)[number]

/** Groups of operators that a type supports or not as a whole; the others stand alone. */
const operatorGroups: Readonly<Partial<Record<FieldOperator, string>>> = {
  gt: 'order',
  gte: 'order',
  lt: 'order',
  lte: 'order',
  like: 'text',
  fuzzy: 'text',
  keyword: 'text',
  contains: 'elements',
  any: 'elements',
}

/** Operators that a type does not support, with the reason. */
const unsuited: Readonly<Partial<Record<SearchFieldType, Readonly<Record<string, string>>>>> = {
  boolean: { order: 'a boolean has no order', text: 'a boolean is no string' },
  object: { order: 'an object has no order; use a path into it', in: 'an object is compared by eq and neq only; use a path into it' },
}

/** Finds why values of a type do not support an operator; undefined: they do. */
export function findUnsuited(operator: FieldOperator, type: SearchFieldType): string | undefined {
  const group = operatorGroups[operator] ?? operator
  if (group === 'elements' && type !== 'array' && type !== 'any') return 'it needs an array'
  return unsuited[type]?.[group]
}
