/** The contract of `context_store_search`, the same for every searchable entity. */

/** Operators of a search filter that the specification documents, in its order. */
export const searchOperators = ['eq', 'neq', 'gt', 'gte', 'lt', 'lte', 'in', 'like', 'fuzzy', 'keyword', 'not', 'and', 'or'] as const
