/** Prints filters in JSON as text, which `parseFilter` reads. */
import { isObject } from '../../definition/object.ts'
import { type FieldOperator, filterLimits, isFieldOperator, operators } from '../../definition/search.ts'
import { deepestJson } from '../json/depth.ts'
import { pointTo } from '../json/pointer.ts'
import { refuseJson, refuseJsonSize } from './refusals.ts'
import { formatPath, longestText, mostPrintedValues } from './words.ts'

/** A printed condition, and the word that joins its parts. */
interface Printed {
  readonly text: string
  readonly joinedBy?: 'and' | 'or'
}

/** Place of a condition. */
interface Place {
  /** JSON pointer. */
  readonly at: string
  /** Its level; the filter's own is 1. */
  readonly depth: number
  readonly printing: Printing
}

const enter = (place: Place, ...names: readonly (string | number)[]): Place => ({ ...place, at: pointTo(place.at, ...names) })

const descend = (place: Place, ...names: readonly (string | number)[]): Place => ({ ...enter(place, ...names), depth: place.depth + 1 })

/** Counts a condition as the service does: each field, and whatever is empty. */
function countCondition({ at, printing }: Place): void {
  printing.conditions += 1
  if (printing.conditions > filterLimits.mostConditions)
    throw refuseJsonSize(at, `brings the filter to more than ${filterLimits.mostConditions} conditions`)
}

function formatValues(value: unknown, { at, printing }: Place): string {
  if (!Array.isArray(value)) throw refuseJson(at, 'must be an array of values')
  if (value.length > filterLimits.mostValues) throw refuseJsonSize(at, `has more than ${filterLimits.mostValues} values`)
  return `(${Array.from(value, (each, index) => formatValue(each, pointTo(at, index), printing)).join(', ')})`
}

function formatComparison(operator: FieldOperator, [path, value]: [string, unknown], place: Place): Printed {
  const name = formatPath(path)
  const { form, written } = operators[operator]
  if (form === 'elements') return { text: `${written} ${name} (${formatCondition(value, { ...place, depth: place.depth + 1 }).text})` }
  if (form === 'values') return { text: `${name} ${written} ${formatValues(value, place)}` }
  if (value === null && (operator === 'eq' || operator === 'neq')) return { text: `${name} is ${operator === 'eq' ? '' : 'not '}null` }
  return { text: `${name} ${written} ${formatValue(value, place.at, place.printing)}` }
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

function formatList(word: 'and' | 'or', operand: unknown, place: Place): Printed {
  if (!Array.isArray(operand)) throw refuseJson(place.at, 'must be an array of conditions')
  if (operand.length === 0) countCondition(place)
  return join(
    word,
    Array.from(operand, (each, index) => formatCondition(each, descend(place, index))),
  )
}

function formatOperator(name: string, operand: unknown, place: Place): readonly Printed[] {
  if (name === 'not') return [{ text: `not ${inParentheses(formatCondition(operand, { ...place, depth: place.depth + 1 }))}` }]
  if (name === 'and' || name === 'or') return [formatList(name, operand, place)]
  if (!isFieldOperator(name)) throw refuseJson(place.at, 'is no operator of a filter')
  if (!isObject(operand)) throw refuseJson(place.at, 'must be an object of fields and values')
  const fields = Object.entries(operand)
  if (fields.length === 0) countCondition(place)
  return fields.map(([path, value]) => {
    const inner = enter(place, path)
    countCondition(inner)
    return formatComparison(name, [path, value], inner)
  })
}

function formatCondition(condition: unknown, place: Place): Printed {
  if (!isObject(condition)) throw refuseJson(place.at, 'must be a condition: an object with operators as keys')
  if (place.depth > filterLimits.deepest) throw refuseJsonSize(place.at, `is nested more than ${filterLimits.deepest} deep`)
  const operators = Object.entries(condition)
  if (operators.length === 0) countCondition(place)
  return join(
    'and',
    operators.flatMap(([name, operand]) => formatOperator(name, operand, enter(place, name))),
  )
}

/**
 * Prints a filter as text. Several operators of one object are joined by `and`; a list of one condition becomes that condition.
 * @param filter as `context_store_search` takes it
 * @returns text; what `parseFilter` makes of it means the same as the filter, and is within the limits that the filter keeps
 * @throws FerruleError `validation_failed` with the place of what is no filter; `query_too_complex` with that of what is too much
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

function writeValue(value: unknown, place: Place): string {
  place.printing.values += 1
  if (place.printing.values > mostPrintedValues)
    throw refuseJsonSize(place.at, `brings the filter to more than ${mostPrintedValues} values`)
  const scalar = writeScalar(value)
  if (scalar !== undefined) return scalar
  if (!Array.isArray(value) && !isRecord(value)) throw refuseJson(place.at, 'must be a JSON value')
  if (place.depth >= deepestJson) throw refuseJsonSize(place.at, `is nested more than ${deepestJson} deep`)
  if (Array.isArray(value)) return `[${Array.from(value, (each, index) => writeValue(each, descend(place, index))).join()}]`
  const members = Object.entries(value).map(([name, each]) => `${JSON.stringify(name)}:${writeValue(each, descend(place, name))}`)
  return `{${members.join()}}`
}

/**
 * Prints a value. What `JSON.stringify` would drop or turn into null is refused.
 * @param at JSON pointer to the value
 * @throws FerruleError `validation_failed`; `query_too_complex` for a value that is too deep, such as one that contains itself
 */
const formatValue = (value: unknown, at: string, printing: Printing): string => writeValue(value, { at, depth: 0, printing })
