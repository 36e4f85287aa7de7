/** Prints filters in JSON as text, which `parseFilter` reads. */
import { isObject } from '../definition/object.ts'
import { failValidation } from '../errors.ts'
import { writeJson } from '../json/json.ts'
import { refuseSize } from './tokens.ts'
import { limits, plainPath, reserved, signs } from './words.ts'

/** A printed condition, and the word that joins its parts. */
interface Printed {
  readonly text: string
  readonly joinedBy?: 'and' | 'or'
}

const refuse = (field: string, message: string) => failValidation([{ field, message, error_code: 'type' }])

const isPlain = (path: string): boolean => {
  plainPath.lastIndex = 0
  return plainPath.exec(path)?.[0] === path && !reserved.has(path.toLowerCase())
}

/** Prints a path, in backquotes unless it is plain. */
const formatPath = (path: string): string =>
  isPlain(path) ? path : `\`${JSON.stringify(path).slice(1, -1).replaceAll('\\"', '"').replaceAll('`', '\\`')}\``

/** Prints a value. Numbers that JSON lacks would become null, so they are refused. */
function formatValue(value: unknown, at: string): string {
  const isJson =
    value !== undefined &&
    typeof value !== 'function' &&
    typeof value !== 'symbol' &&
    !(typeof value === 'number' && !Number.isFinite(value))
  if (!isJson) throw refuse(at, 'must be a JSON value')
  return writeJson(value)
}

const formatIn = (path: string, value: unknown, at: string): string => {
  if (!Array.isArray(value)) throw refuse(at, 'must be an array of values')
  return `${path} in (${value.map((each, index) => formatValue(each, `${at}/${index}`)).join(', ')})`
}

function formatComparison(operator: string, [path, value]: [string, unknown], at: string): string {
  const name = formatPath(path)
  if (operator === 'in') return formatIn(name, value, at)
  if (value === null && (operator === 'eq' || operator === 'neq')) return `${name} is ${operator === 'eq' ? '' : 'not '}null`
  const sign = Object.hasOwn(signs, operator) ? signs[operator] : undefined
  if (sign === undefined) throw refuse(at, `${operator} is no operator of a filter`)
  return `${name} ${sign} ${formatValue(value, at)}`
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

function formatOperator(name: string, operand: unknown, { at, depth }: { at: string; depth: number }): readonly Printed[] {
  if (name === 'not') return [{ text: `not ${inParentheses(formatCondition(operand, { at, depth: depth + 1 }))}` }]
  if (name === 'and' || name === 'or') {
    if (!Array.isArray(operand)) throw refuse(at, 'must be an array of conditions')
    return [
      join(
        name,
        operand.map((each, index) => formatCondition(each, { at: `${at}/${index}`, depth: depth + 1 })),
      ),
    ]
  }
  if (!isObject(operand)) throw refuse(at, 'must be an object of fields and values')
  return Object.entries(operand).map(([path, value]) => {
    const place = `${at}/${path}`
    if (name !== 'any') return { text: formatComparison(name, [path, value], place) }
    return { text: `any ${formatPath(path)} (${formatCondition(value, { at: place, depth: depth + 1 }).text})` }
  })
}

function formatCondition(condition: unknown, { at, depth }: { at: string; depth: number }): Printed {
  if (depth > limits.deepest) throw refuseSize(`is nested more than ${limits.deepest} deep`)
  if (!isObject(condition)) throw refuse(at, 'must be a condition: an object with operators as keys')
  return join(
    'and',
    Object.entries(condition).flatMap(([name, operand]) => formatOperator(name, operand, { at: `${at}/${name}`, depth })),
  )
}

/**
 * Prints a filter as text. Several operators of one object become a list joined by `and`; a list of one condition becomes that condition.
 * Both mean the same.
 * @param filter as `context_store_search` takes it
 * @returns text whose `parseFilter` means the same as the filter
 * @throws FerruleError `validation_failed` with the place of what is no filter; `query_too_complex`
 */
export const formatFilter = (filter: unknown): string => formatCondition(filter, { at: '/filter', depth: 1 }).text
