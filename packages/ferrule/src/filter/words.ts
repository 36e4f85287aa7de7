/** The words of filters as text, and their operators in JSON. */

/** Signs and words between a path and a value, with the operator of the JSON filter. */
export const comparisons: Readonly<Record<string, string>> = {
  '=': 'eq',
  '!=': 'neq',
  '>': 'gt',
  '>=': 'gte',
  '<': 'lt',
  '<=': 'lte',
  like: 'like',
  fuzzy: 'fuzzy',
  keyword: 'keyword',
  contains: 'contains',
}

/** The sign or word of each operator. */
export const signs: Readonly<Record<string, string>> = Object.fromEntries(Object.entries(comparisons).map(([sign, name]) => [name, sign]))

/** Words with a meaning; a path of one of these names stands in backquotes. Case does not matter. */
export const reserved: ReadonlySet<string> = new Set([
  ...['and', 'or', 'not', 'any', 'in', 'is', 'null', 'true', 'false'],
  ...Object.keys(comparisons).filter((word) => /^[a-z]/.test(word)),
])

/** A path without odd characters: names with dots, and `[]` for every element of an array. */
export const plainPath = /(?:[A-Za-z_$][\w$]*(?:\[\])*|(?:\[\])+)(?:\.[A-Za-z_$][\w$]*(?:\[\])*)*/y

/** Limits, as for filters in JSON: nesting, conditions, and the characters of a text. */
export const limits = { deepest: 16, mostConditions: 256, longestText: 1_000_000 } as const
