/** The contract of `context_store_search`, the same for every searchable entity. */

/** Operators of a search filter that the specification documents, in its order. */
export const searchOperators = ['eq', 'neq', 'gt', 'gte', 'lt', 'lte', 'in', 'like', 'fuzzy', 'keyword', 'not', 'and', 'or'] as const

/** Limits of a filter: levels of condition objects, conditions, and values of one `in`. The service and the filters as text read them here. */
export const filterLimits = { deepest: 16, mostConditions: 256, mostValues: 1000 } as const
