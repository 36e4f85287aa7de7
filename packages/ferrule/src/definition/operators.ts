/**
 * The contract of `context_store_search`, the same for every searchable entity: its operators, each stated once. The types of the client, the
 * parsers, filters as text, the API's document, the tools of agents and the console's builder follow from the table.
 */

/** Types of the values at a path of a searchable field; any: the vendor documents none. */
export const searchFieldTypes = ['text', 'integer', 'number', 'boolean', 'array', 'object', 'any'] as const
/** Type of the values at a path of a searchable field. */
export type SearchFieldType = (typeof searchFieldTypes)[number]

/** Types of fields that do not support a form of operands, with the reason. */
type Unsuited = Readonly<Partial<Record<SearchFieldType, string>>>

const noString = 'a boolean is no string'
const noArray = 'it needs an array'
const onlyArrays = { text: noArray, integer: noArray, number: noArray, boolean: noArray, object: noArray }

/** Forms of operands, in the order in which the console's builder offers their operators. */
const forms = {
  /** One value, or null. */
  value: {},
  /** A list of values. */
  values: { object: 'an object is compared by eq and neq only; use a path into it' },
  /** A string whose words are looked for. */
  words: { boolean: noString },
  /** A string that is looked for as it is. */
  text: { boolean: noString },
  /** A value with an order. */
  ordered: { boolean: 'a boolean has no order', object: 'an object has no order; use a path into it' },
  /** A value of an element. */
  element: onlyArrays,
  /** A condition on an element. */
  elements: onlyArrays,
  /** A condition, without a field. */
  condition: {},
  /** A list of conditions, without a field. */
  conditions: {},
} satisfies Readonly<Record<string, Unsuited>>

/** Form of an operand: decides its type in the client, its schema, and which types of fields take its operators. */
export type OperandForm = keyof typeof forms

/** Forms of operands in the order of the builder. */
export const operandForms: readonly string[] = Object.keys(forms)

interface OperatorFacts {
  readonly form: OperandForm
  /** Sign or word in filters as text. */
  readonly written: string
  /** The specification does not document the operator. */
  readonly isOurs?: true
  readonly about: string
  /** Words of the console's builder; left out: the builder has no row for the operator. */
  readonly says?: string
  /** Words of the builder for dates and timestamps. */
  readonly saysOfTimes?: string
}

/** All operators: those of the specification in its order, then our own. */
const table = {
  eq: {
    form: 'value',
    written: '=',
    about:
      'Equal; null: the field has no value. Arrays and objects: all elements equal, or, with a single value, one element equals the value',
    says: 'is',
  },
  neq: { form: 'value', written: '!=', about: 'The opposite of eq; finds records without a value too', says: 'is not' },
  gt: {
    form: 'ordered',
    written: '>',
    about:
      'Greater. Times compare as timestamps, decimal strings as numbers; a year, a month or a day means the whole period, so greater is after its end',
    says: 'is greater than',
    saysOfTimes: 'is after',
  },
  gte: { form: 'ordered', written: '>=', about: 'Greater or equal', says: 'is at least', saysOfTimes: 'is at or after' },
  lt: { form: 'ordered', written: '<', about: 'Less', says: 'is less than', saysOfTimes: 'is before' },
  lte: { form: 'ordered', written: '<=', about: 'Less or equal', says: 'is at most', saysOfTimes: 'is at or before' },
  in: { form: 'values', written: 'in', about: 'Equal to one of the values', says: 'is one of' },
  like: {
    form: 'text',
    written: 'like',
    about: 'Pattern: % matches any characters, _ one character, \\ escapes both; without % it matches a part of the string. Case matters',
    says: 'matches the pattern',
  },
  fuzzy: {
    form: 'words',
    written: 'fuzzy',
    about:
      'Every word, in any order: equal, the beginning of a word, or up to two typing errors, where letters in the wrong order are one; words with a digit allow none. Case and accents do not matter',
    says: 'has words like',
  },
  keyword: { form: 'words', written: 'keyword', about: 'At least one of the words, whole', says: 'has one of the words' },
  not: { form: 'condition', written: 'not', about: 'The condition does not hold' },
  and: { form: 'conditions', written: 'and', about: 'All hold' },
  or: { form: 'conditions', written: 'or', about: 'At least one holds' },
  contains: { form: 'element', written: 'contains', isOurs: true, about: 'An array holds the value', says: 'has the element' },
  any: { form: 'elements', written: 'any', isOurs: true, about: 'An element of an array satisfies a condition over its own fields' },
} as const satisfies Readonly<Record<string, OperatorFacts>>

/** Operator of a filter. */
export type FilterOperator = keyof typeof table
/** Form of the operand of an operator. */
export type FormOf<Op extends FilterOperator> = (typeof table)[Op]['form']
/** Operators whose operand has a form. */
export type OperatorOf<Form extends OperandForm> = { [Op in FilterOperator]: FormOf<Op> extends Form ? Op : never }[FilterOperator]
/** Operator of a filter that takes a field. */
export type FieldOperator = Exclude<FilterOperator, OperatorOf<'condition' | 'conditions'>>

/** The operators of a filter with what is known of them. */
export const operators: Readonly<Record<FilterOperator, OperatorFacts>> = table

const isFilterOperator = (name: string): name is FilterOperator => Object.hasOwn(table, name)

/** Returns whether a name is an operator that takes a field. */
export const isFieldOperator = (name: string): name is FieldOperator =>
  isFilterOperator(name) && operators[name].form !== 'condition' && operators[name].form !== 'conditions'

/** All operators of a search filter. */
export const filterOperators: readonly FilterOperator[] = Object.keys(table).filter(isFilterOperator)

/** Operators of a search filter that the specification documents, in its order. */
export const searchOperators: readonly FilterOperator[] = filterOperators.filter((name) => operators[name].isOurs !== true)

/** Operators of a search filter that take a field. */
export const fieldOperators: readonly FieldOperator[] = filterOperators.filter(isFieldOperator)

/** Limits of a filter: levels of condition objects, conditions, and values of one `in`. The service and the filters as text read them here. */
export const filterLimits = { deepest: 16, mostConditions: 256, mostValues: 1000 } as const

/** Finds why values of a type do not support an operator; undefined: they do. */
export function findUnsuited(operator: FieldOperator, type: SearchFieldType): string | undefined {
  const unsuited: Unsuited = forms[operators[operator].form]
  return unsuited[type]
}
