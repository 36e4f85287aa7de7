/** The search contract, `context_store_search`: the same on every entity that offers it. */

/** Operators of a search filter, in the order of the documents. */
export const searchOperators = ['eq', 'neq', 'gt', 'gte', 'lt', 'lte', 'in', 'like', 'fuzzy', 'keyword', 'not', 'and', 'or'] as const
