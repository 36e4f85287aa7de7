/** The words of filters as text, and their operators in JSON. */
import { type FieldOperator, fieldOperators, type OperandForm, operators } from '../../definition/operators.ts'

const isWord = (written: string): boolean => /^[a-z]/.test(written)
/** Ranks signs before words, and those of less before those of greater. */
const rank = (written: string): number => (isWord(written) ? 2 : Number(written.startsWith('>')))

/** Lists the signs and words of the operators whose operands have one of the forms, in the order of sentences. */
export const listWritten = (...forms: readonly OperandForm[]): readonly string[] =>
  Object.values(operators)
    .flatMap(({ form, written }) => (forms.includes(form) ? [written] : []))
    .toSorted((a, b) => rank(a) - rank(b))

/** Signs and words between a path and a value or a list of values, with the operator of the JSON filter. */
export const comparisons: ReadonlyMap<string, FieldOperator> = new Map(
  fieldOperators.flatMap((name) => (operators[name].form === 'elements' ? [] : [[operators[name].written, name] as const])),
)

/** Words of operators. */
export const operatorWords: readonly string[] = Object.values(operators).flatMap(({ written }) => (isWord(written) ? [written] : []))

/** Words with a meaning; a path of one of these names stands in backquotes. Case does not matter. */
export const reserved: ReadonlySet<string> = new Set([...operatorWords, 'is', 'null', 'true', 'false'])

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
