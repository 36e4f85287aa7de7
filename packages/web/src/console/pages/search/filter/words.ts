/** The words of the builder: how a rule compares, and what its value looks like. */
import { type FieldOperator, fieldOperators, findUnsuited, operandForms, operators } from 'ferrule/internal'
import type { FilterField } from './fields.ts'

/** How a rule compares: an operator of filters with one value or several, or with none. */
export type RuleOperator = Exclude<FieldOperator, 'any'> | 'empty' | 'filled'

interface RuleWord {
  readonly operator: RuleOperator
  readonly says: string
  /** Words for dates and timestamps. */
  readonly saysOfTimes?: string
  /** The operator of the filter; `empty` and `filled` compare with null. */
  readonly of: FieldOperator
}

const rank = (operator: FieldOperator): number => operandForms.indexOf(operators[operator].form)

const isSimple = (operator: FieldOperator): operator is Exclude<FieldOperator, 'any'> => operator !== 'any'

/** All operators, in the order in which they are offered. */
export const ruleWords: readonly RuleWord[] = [
  ...fieldOperators
    .filter(isSimple)
    .toSorted((a, b) => rank(a) - rank(b))
    .map((operator): RuleWord => ({ operator, says: operator, ...operators[operator], of: operator })),
  { operator: 'empty', says: 'has no value', of: 'eq' },
  { operator: 'filled', says: 'has a value', of: 'neq' },
]

/** Types whose values can be texts. */
const holdsTexts: ReadonlySet<string> = new Set(['text', 'array', 'object', 'any'])

/** Returns whether an operator looks for words or strings, which helps only where values are texts; elsewhere it stays possible as text. */
const isForTexts = (operator: FieldOperator): boolean => ['words', 'text'].includes(operators[operator].form)

/** Returns whether an operator helps at a field. Words of dates and numbers are possible, and nobody looks for them. */
const isHelpful = ({ type, compares }: FilterField, operator: FieldOperator): boolean =>
  !isForTexts(operator) || (holdsTexts.has(type) && compares !== 'instant' && compares !== 'decimal')

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

/** Returns whether a rule takes a list of values. */
export const takesList = (operator: RuleOperator): boolean =>
  operator !== 'empty' && operator !== 'filled' && operators[operator].form === 'values'

/** Returns whether a rule needs no value. */
export const needsNoValue = (operator: RuleOperator): boolean => operator === 'empty' || operator === 'filled'
