/** The words of the builder: how a rule compares, and what its value looks like. */
import { type FieldOperator, findUnsuited } from 'ferrule/internal'
import type { FilterField } from './fields.ts'

/** How a rule compares: an operator of filters with one value or several, or with none. */
export type RuleOperator = Exclude<FieldOperator, 'any'> | 'empty' | 'filled'

/** An operator as the builder shows it. */
interface RuleWord {
  readonly operator: RuleOperator
  readonly says: string
  /** Words for dates and timestamps. */
  readonly saysOfTimes?: string
  /** The operator of the filter; `empty` and `filled` compare with null. */
  readonly of: FieldOperator
}

/** All operators, in the order in which they are offered. */
export const ruleWords: readonly RuleWord[] = [
  { operator: 'eq', says: 'is', of: 'eq' },
  { operator: 'neq', says: 'is not', of: 'neq' },
  { operator: 'in', says: 'is one of', of: 'in' },
  { operator: 'fuzzy', says: 'has words like', of: 'fuzzy' },
  { operator: 'keyword', says: 'has one of the words', of: 'keyword' },
  { operator: 'like', says: 'matches the pattern', of: 'like' },
  { operator: 'gt', says: 'is greater than', saysOfTimes: 'is after', of: 'gt' },
  { operator: 'gte', says: 'is at least', saysOfTimes: 'is at or after', of: 'gte' },
  { operator: 'lt', says: 'is less than', saysOfTimes: 'is before', of: 'lt' },
  { operator: 'lte', says: 'is at most', saysOfTimes: 'is at or before', of: 'lte' },
  { operator: 'contains', says: 'has the element', of: 'contains' },
  { operator: 'empty', says: 'has no value', of: 'eq' },
  { operator: 'filled', says: 'has a value', of: 'neq' },
]

/** Operators of words, which help only where values are texts; elsewhere they stay possible as text. */
const forTexts: ReadonlySet<string> = new Set(['like', 'fuzzy', 'keyword'])
/** Types whose values can be texts. */
const holdsTexts: ReadonlySet<string> = new Set(['text', 'array', 'object', 'any'])

/** Returns whether an operator helps at a field. Words of dates and numbers are possible, and nobody looks for them. */
const isHelpful = ({ type, compares }: FilterField, operator: FieldOperator): boolean =>
  !forTexts.has(operator) || (holdsTexts.has(type) && compares !== 'instant' && compares !== 'decimal')

/** Lists the operators that fit a field; all for a field that is not documented. */
export const listOperators = (field: FilterField | undefined): readonly RuleWord[] =>
  field === undefined ? ruleWords : ruleWords.filter(({ of }) => findUnsuited(of, field.type) === undefined && isHelpful(field, of))

/** How the value of a rule is written. */
export type ValueType = 'string' | 'number' | 'boolean'

/** Returns how values of a field are usually written. */
export function findValueType(field: FilterField | undefined): ValueType {
  if (field?.type === 'integer' || field?.type === 'number') return 'number'
  return field?.type === 'boolean' ? 'boolean' : 'string'
}

/** Returns whether a rule needs no value. */
export const needsNoValue = (operator: RuleOperator): boolean => operator === 'empty' || operator === 'filled'
