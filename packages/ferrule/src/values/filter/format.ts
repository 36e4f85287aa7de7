/** Prints filters in JSON as text, which `parseFilter` reads. */
import { isObject } from '../../definition/object.ts'
import { type FieldOperator, filterLimits, isFieldOperator, operators } from '../../definition/operators.ts'
import { deepestJson } from '../json/json.ts'
import { pointTo } from '../json/pointer.ts'
import { refuseJson, refuseJsonSize } from './refusals.ts'
import { formatPath, longestText, mostPrintedValues } from './syntax.ts'

/** A printed condition, and the word that joins its parts. */
interface Printed {
  readonly text: string
  readonly joinedBy?: 'and' | 'or'
}

interface FormatPosition {
  /** JSON pointer. */
  readonly at: string
  /** Its level; the filter's own is 1. */
  readonly depth: number
  readonly printing: Printing
}

const enter = (at: FormatPosition, ...names: readonly (string | number)[]): FormatPosition => ({ ...at, at: pointTo(at.at, ...names) })

const descend = (at: FormatPosition, ...names: readonly (string | number)[]): FormatPosition => ({
  ...enter(at, ...names),
  depth: at.depth + 1,
})

/** Counts a condition as the service does: each field, and whatever is empty. */
function countCondition({ at, printing }: FormatPosition): void {
  printing.conditions += 1
  if (printing.conditions > filterLimits.mostConditions)
    throw refuseJsonSize(at, `brings the filter to more than ${filterLimits.mostConditions} conditions`)
}

function formatValues(value: unknown, { at, printing }: FormatPosition): string {
  if (!Array.isArray(value)) throw refuseJson(at, 'must be an array of values')
  if (value.length > filterLimits.mostValues) throw refuseJsonSize(at, `has more than ${filterLimits.mostValues} values`)
  return `(${Array.from(value, (each, index) => formatValue(each, pointTo(at, index), printing)).join(', ')})`
}

function formatComparison(operator: FieldOperator, [path, value]: [string, unknown], position: FormatPosition): Printed {
  const name = formatPath(path)
  const { form, written } = operators[operator]
  if (form === 'elements')
    return { text: `${written} ${name} (${formatCondition(value, { ...position, depth: position.depth + 1 }).text})` }
  if (form === 'values') return { text: `${name} ${written} ${formatValues(value, position)}` }
  if (value === null && (operator === 'eq' || operator === 'neq')) return { text: `${name} is ${operator === 'eq' ? '' : 'not '}null` }
  return { text: `${name} ${written} ${formatValue(value, position.at, position.printing)}` }
}

const inParentheses = ({ text, joinedBy }: Printed): string => (joinedBy === undefined ? text : `(${text})`)

/** Joins conditions. A list of one is its element; an empty list is true or false. */
function join(word: 'and' | 'or', all: readonly Printed[]): Printed {
  const [first, ...more] = all
  if (first === undefined) return { text: String(word === 'and') }
  if (more.length === 0) return first
  const needsParentheses = ({ joinedBy }: Printed) => joinedBy === word || (word === 'and' && joinedBy === 'or')
  return { text: all.map((each) => (needsParentheses(each) ? inParentheses(each) : each.text)).join(` ${word} `), joinedBy: word }
}

function formatList(word: 'and' | 'or', operand: unknown, position: FormatPosition): Printed {
  if (!Array.isArray(operand)) throw refuseJson(position.at, 'must be an array of conditions')
  if (operand.length === 0) countCondition(position)
  return join(
    word,
    Array.from(operand, (each, index) => formatCondition(each, descend(position, index))),
  )
}

function formatOperator(name: string, operand: unknown, position: FormatPosition): readonly Printed[] {
  if (name === 'not') return [{ text: `not ${inParentheses(formatCondition(operand, { ...position, depth: position.depth + 1 }))}` }]
  if (name === 'and' || name === 'or') return [formatList(name, operand, position)]
  if (!isFieldOperator(name)) throw refuseJson(position.at, 'is no operator of a filter')
  if (!isObject(operand)) throw refuseJson(position.at, 'must be an object of fields and values')
  const fields = Object.entries(operand)
  if (fields.length === 0) countCondition(position)
  return fields.map(([path, value]) => {
    const inner = enter(position, path)
    countCondition(inner)
    return formatComparison(name, [path, value], inner)
  })
}

function formatCondition(condition: unknown, position: FormatPosition): Printed {
  if (!isObject(condition)) throw refuseJson(position.at, 'must be a condition: an object with operators as keys')
  if (position.depth > filterLimits.deepest) throw refuseJsonSize(position.at, `is nested more than ${filterLimits.deepest} deep`)
  const operators = Object.entries(condition)
  if (operators.length === 0) countCondition(position)
  return join(
    'and',
    operators.flatMap(([name, operand]) => formatOperator(name, operand, enter(position, name))),
  )
}

/**
 * Prints a filter as text. Several operators of one object are joined by `and`; a list of one condition becomes that condition.
 * @param filter as `context_store_search` takes it
 * @returns text; what `parseFilter` makes of it means the same as the filter, and is within the limits that the filter keeps
 * @throws FerruleError `validation_failed` with the pointer to what is no filter; `query_too_complex` with that of what is too much
 */
export function formatFilter(filter: unknown): string {
  const { text } = formatCondition(filter, { at: '/filter', depth: 1, printing: { conditions: 0, values: 0 } })
  if (text.length > longestText) throw refuseJsonSize('/filter', `has more than ${longestText} characters as text`)
  return text
}

/** State of printing, shared by the whole filter. */
interface Printing {
  /** Numbers of conditions and values so far. */
  conditions: number
  values: number
}

/** Returns whether an object is no instance of a class. Objects of other realms have another `Object`. */
function isRecord(value: unknown): value is Record<string, unknown> {
  if (!isObject(value)) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || Object.getPrototypeOf(prototype) === null
}

function writeScalar(value: unknown): string | undefined {
  if (typeof value === 'bigint') return value.toString()
  const isScalar = value === null || typeof value === 'string' || typeof value === 'boolean'
  const isTime = value instanceof Date && !Number.isNaN(value.getTime())
  return isScalar || isTime || (typeof value === 'number' && Number.isFinite(value)) ? JSON.stringify(value) : undefined
}

function writeValue(value: unknown, position: FormatPosition): string {
  position.printing.values += 1
  if (position.printing.values > mostPrintedValues)
    throw refuseJsonSize(position.at, `brings the filter to more than ${mostPrintedValues} values`)
  const scalar = writeScalar(value)
  if (scalar !== undefined) return scalar
  if (!Array.isArray(value) && !isRecord(value)) throw refuseJson(position.at, 'must be a JSON value')
  if (position.depth >= deepestJson) throw refuseJsonSize(position.at, `is nested more than ${deepestJson} deep`)
  if (Array.isArray(value)) return `[${Array.from(value, (each, index) => writeValue(each, descend(position, index))).join()}]`
  const members = Object.entries(value).map(([name, each]) => `${JSON.stringify(name)}:${writeValue(each, descend(position, name))}`)
  return `{${members.join()}}`
}

/** Prints a value. What `JSON.stringify` would drop or turn into null is refused. @param at JSON pointer to the value */
const formatValue = (value: unknown, at: string, printing: Printing): string => writeValue(value, { at, depth: 0, printing })
