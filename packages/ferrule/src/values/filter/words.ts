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

/** Signs of other languages, with what a filter has instead. */
export const foreignSigns: Readonly<Record<string, string>> = {
  '==': '=',
  '===': '=',
  '!==': '!=',
  '<>': '!=',
  '=<': '<=',
  '=>': '>=',
  '&': 'and',
  '&&': 'and',
  '|': 'or',
  '||': 'or',
  '!': 'not',
}

/** A path without odd characters: names with dots, and `[]` for every element of an array. */
export const plainPath = /(?:[A-Za-z_$][\w$]*(?:\[\])*|(?:\[\])+)(?:\.[A-Za-z_$][\w$]*(?:\[\])*)*/y

/** Maximum number of characters of a text. Every filter within the usual limit of a request's body, 1 MiB, fits. */
export const longestText = 4_000_000

/** Maximum number of values that are printed, those within arrays and objects included. More do not fit the usual limit of a body. */
export const mostPrintedValues = 1_000_000

/** Maximum number of parentheses within each other. JSON has no parentheses, so only the parser's own depth limits them. */
export const mostParentheses = 256

const isPlain = (path: string): boolean => {
  plainPath.lastIndex = 0
  return plainPath.exec(path)?.[0] === path && !reserved.has(path.toLowerCase())
}

/** Prints a path, in backquotes unless it is plain. */
export const formatPath = (path: string): string =>
  isPlain(path) ? path : `\`${JSON.stringify(path).slice(1, -1).replaceAll('\\"', '"').replaceAll('`', '\\`')}\``
