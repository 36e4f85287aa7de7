/** Order by relevance in plain code: row "relevance" of docs/decisions/search.md. */
import type { Fields } from '../../packages/ferrule/src/definition/fields.ts'
import { isFieldOperator, type OperatorOf, operators } from '../../packages/ferrule/src/definition/operators.ts'
import { elementScope, leavesOf } from './oracle.ts'
import { foundAt, type Json, resolvePath, type Scope } from './oracle-paths.ts'
import { askedOf, matchOf, tokensOf } from './oracle-tokens.ts'

/** A condition that counts: its values and its words. */
interface Counted {
  readonly operator: OperatorOf<'words'>
  readonly values: readonly unknown[]
  readonly operand: string
}

const isOnWords = (name: string): name is OperatorOf<'words'> => isFieldOperator(name) && operators[name].form === 'words'

/** Returns the elements of the arrays at a path. */
const elementsAt = (values: readonly unknown[]): unknown[] => values.flatMap((value) => (Array.isArray(value) ? value : []))

/** Finds the conditions on words outside `not` with their values; within `any`, of all elements. */
function countedIn(condition: Json, holders: readonly unknown[], scope: Scope): Counted[] {
  return Object.entries(condition).flatMap(([operator, operand]): Counted[] => {
    if (operator === 'and' || operator === 'or') return (operand as Json[]).flatMap((each) => countedIn(each, holders, scope))
    if (operator !== 'any' && !isOnWords(operator)) return []
    return Object.entries(operand as Json).flatMap(([field, asked]): Counted[] => {
      const path = resolvePath(scope, field)
      const values = holders.flatMap((holder) => foundAt(holder, path.steps))
      return operator === 'any'
        ? countedIn(asked as Json, elementsAt(values), elementScope(path))
        : [{ operator, values, operand: String(asked) }]
    })
  })
}

/** Returns the points of a query word for a field's word. */
const pointsOf = (operator: Counted['operator'], token: string, word: string): number =>
  operator === 'fuzzy' ? matchOf({ token }, word) : token === word ? 3 : 0

function scoreOf({ operator, values, operand }: Counted): number {
  const words = leavesOf(values).flatMap(tokensOf)
  const best = (token: string): number => Math.max(0, ...words.map((word) => pointsOf(operator, token, word)))
  return [...new Set(askedOf(operand).map(({ token }) => token))].reduce((sum, token) => sum + best(token), 0)
}

const scopeOf = (fields: Fields): Scope => ({ members: fields, schema: undefined })

/** Computes the score of a record; undefined when the filter has no conditions on words. */
export function relevanceOf(fields: Fields, record: Json, filter: Json | undefined): number | undefined {
  const counted = filter === undefined ? [] : countedIn(filter, [record], scopeOf(fields))
  return counted.length === 0 ? undefined : counted.reduce((sum, each) => sum + scoreOf(each), 0)
}
