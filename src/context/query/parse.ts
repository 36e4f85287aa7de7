/** From the parameters of `context_store_search` to a typed search (grammar and rules: docs/decisions/0016-search.md). */

import { isObject } from '../../definition/object.ts'
import { searchOperators } from '../../definition/search.ts'
import { integerOf } from '../../engine/integer.ts'
import type { SearchTable } from './columns.ts'
import { unlistedOf, wayTo } from './known-values.ts'
import { elementScope, placeListed, placeNamed, type Scope } from './names.ts'
import { checkSuited, elementOperand, equalOperand, orderOperand, queryTokens, textOf } from './operands.ts'
import { patternOf } from './pattern.ts'
import { below, invalid, missing, notSupported, type Spot, tooComplex } from './refusals.ts'
import { scoredConditions } from './relevance.ts'
import type { Condition, Ordering, Place, SearchQuery, Selection, SortKey, Unlisted, Way } from './tree.ts'

/** Deepest nesting of conditions, most conditions, most values of one `in`, most keys of a sort, most elements of `fields`. */
const deepest = 16
const mostConditions = 256
const mostValues = 1000
const mostSortKeys = 16
const mostFields = 1000
/** Records of a page. */
const defaultLimit = 1000
const greatestLimit = 10_000

/** Operators of a filter: those of the documents, and two that look into arrays. */
const operators = [...searchOperators, 'contains', 'any'] as const
type Operator = (typeof operators)[number]
type FieldOperator = Exclude<Operator, 'and' | 'or' | 'not'>

/** Where the reading stands. */
interface Reading {
  readonly scope: Scope
  readonly depth: number
  /** Counts conditions; shared by the whole filter. */
  readonly count: { conditions: number }
  /** Operands that have to be looked up; shared too. */
  readonly unlisted: Unlisted[]
  /** The array that conditions within `any` are about. */
  readonly within?: Way | undefined
}

/** One field under an operator. */
interface Entry {
  readonly reading: Reading
  readonly place: Place
  readonly element: Scope
  readonly value: unknown
  readonly spot: Spot
}

const order =
  (test: Ordering) =>
  ({ place, value, spot }: Entry): Condition => ({ op: 'order', place, test, value: orderOperand(place, value, spot) })

const equals = ({ place, value, spot }: Entry): Condition => ({ op: 'equals', place, values: [equalOperand(place, value, spot)] })

const oneOf = ({ place, value, spot }: Entry): Condition => {
  if (!Array.isArray(value)) throw invalid(spot, 'must be an array of values')
  if (value.length > mostValues) throw tooComplex(spot, `has more than ${mostValues} values`)
  return { op: 'equals', place, values: value.map((each, index) => equalOperand(place, each, below(spot, index))) }
}

const anyOf = ({ reading, place, element, value, spot }: Entry): Condition => ({
  op: 'any',
  place,
  of: conditionOf({ ...reading, scope: element, within: wayTo(place, reading.within), depth: reading.depth + 1 }, value, spot),
})

const readers: Readonly<Record<FieldOperator, (entry: Entry) => Condition>> = {
  eq: equals,
  neq: (entry) => ({ op: 'not', of: equals(entry) }),
  gt: order('gt'),
  gte: order('gte'),
  lt: order('lt'),
  lte: order('lte'),
  in: oneOf,
  like: ({ place, value, spot }) => ({ op: 'like', place, pattern: patternOf(textOf(value, spot)) }),
  fuzzy: ({ reading, place, value, spot }) => ({ op: 'fuzzy', place, tokens: queryTokens(value, { ...reading.scope.table, spot }) }),
  keyword: ({ reading, place, value, spot }) => ({ op: 'keyword', place, tokens: queryTokens(value, { ...reading.scope.table, spot }) }),
  contains: ({ place, value, spot }) => ({ op: 'contains', place, value: elementOperand(place, value, spot) }),
  any: anyOf,
}

const counted = ({ count }: Reading, spot: Spot): void => {
  count.conditions += 1
  if (count.conditions > mostConditions) throw tooComplex(spot, `brings the filter to more than ${mostConditions} conditions`)
}

/** The conditions of one operator: one for each field. */
function fieldConditions(
  reading: Reading,
  operator: FieldOperator,
  { operand, spot }: { operand: unknown; spot: Spot },
): readonly Condition[] {
  if (!isObject(operand)) throw invalid(spot, 'must be an object of fields and values')
  return Object.entries(operand).map(([field, value]) => {
    const at = below(spot, field)
    counted(reading, at)
    const { place, schema } = placeNamed(reading.scope, field, at)
    checkSuited(operator, place, at)
    const condition = readers[operator]({ reading, place, element: elementScope(reading.scope, schema), value, spot: at })
    const way = place.compare === 'lower' ? wayTo(place, reading.within) : undefined
    if (way !== undefined)
      reading.unlisted.push(...unlistedOf(condition, { way, schema, spotOf: (index) => (operator === 'in' ? below(at, index) : at) }))
    return condition
  })
}

const isOperator = (name: string): name is Operator => (operators as readonly string[]).includes(name)

function operatorConditions(reading: Reading, name: string, { operand, spot }: { operand: unknown; spot: Spot }): readonly Condition[] {
  if (!isOperator(name)) throw notSupported(spot, name, `it is not one of ${operators.join(', ')}`)
  const inner = { ...reading, depth: reading.depth + 1 }
  if (name === 'not') return [{ op: 'not', of: conditionOf(inner, operand, spot) }]
  if (name !== 'and' && name !== 'or') return fieldConditions(reading, name, { operand, spot })
  if (!Array.isArray(operand)) throw invalid(spot, 'must be an array of conditions')
  if (operand.length === 0) counted(reading, spot)
  return [{ op: name, of: operand.map((each, index) => conditionOf(inner, each, below(spot, index))) }]
}

/** A condition object: everything in it holds. */
function conditionOf(reading: Reading, value: unknown, spot: Spot): Condition {
  if (!isObject(value)) throw invalid(spot, 'must be a condition: an object with operators as keys')
  if (reading.depth > deepest) throw tooComplex(spot, `is nested more than ${deepest} deep`)
  const entries = Object.entries(value)
  if (entries.length === 0) counted(reading, spot)
  const of = entries.flatMap(([name, operand]) => operatorConditions(reading, name, { operand, spot: below(spot, name) }))
  const [only] = of
  return of.length === 1 && only !== undefined ? only : { op: 'and', of }
}

function filterOf(table: SearchTable, value: unknown, spot: Spot): Pick<SearchQuery, 'filter' | 'unlisted'> {
  const unlisted: Unlisted[] = []
  const reading = { scope: { table }, depth: 1, count: { conditions: 0 }, unlisted }
  return { filter: value === undefined || value === null ? undefined : conditionOf(reading, value, spot), unlisted }
}

function sortKeyOf(table: SearchTable, value: unknown, spot: Spot): SortKey | RelevanceKey {
  const [entry, ...more] = isObject(value) ? Object.entries(value) : []
  if (entry === undefined || more.length > 0) throw invalid(spot, 'must be an object with one field, for example {"name": "asc"}')
  const [field, direction] = entry
  const at = below(spot, field)
  if (direction !== 'asc' && direction !== 'desc') throw invalid(at, 'must be "asc" or "desc"', 'enum')
  if (field === relevanceName) return relevanceKey(at, direction)
  const { place } = placeNamed({ table }, field, at)
  if (place.column === undefined || place.steps.length > 0 || place.column.type === 'json')
    throw notSupported(at, 'sort', 'only fields that hold one text, number or truth value can be sorted by')
  return { column: place.column, direction }
}

/** The name in a sort that means no field. */
const relevanceName = '_relevance'

/** The relevance in a sort, and where it stands. */
interface RelevanceKey {
  readonly column: 'relevance'
  readonly spot: Spot
}

const relevanceKey = (spot: Spot, direction: string): RelevanceKey => {
  if (direction !== 'desc') throw invalid(spot, 'must be "desc": what matches best comes first', 'enum')
  return { column: 'relevance', spot }
}

/** Takes the relevance out of a sort. */
function arranged(keys: readonly (SortKey | RelevanceKey)[], filter: Condition | undefined): Pick<SearchQuery, 'sort' | 'relevance'> {
  const distinct = keys.filter(({ column }, index) => keys.findIndex((key) => key.column === column) === index)
  const sort = distinct.flatMap((key) => (key.column === 'relevance' ? [] : [key]))
  const at = keys.length === 0 ? 0 : distinct.findIndex(({ column }) => column === 'relevance')
  const of = at < 0 ? [] : scoredConditions(filter)
  const key = distinct[at]
  if (key?.column === 'relevance' && of.length === 0)
    throw notSupported(key.spot, 'sort', 'a relevance needs fuzzy or keyword in the filter, outside of not')
  return { sort, relevance: of.length === 0 ? undefined : { at, of } }
}

/** A field that is named again decides nothing any more. */
function sortOf(
  table: SearchTable,
  { value, filter }: { value: unknown; filter: Condition | undefined },
  spot: Spot,
): Pick<SearchQuery, 'sort' | 'relevance'> {
  if (value === undefined || value === null) return arranged([], filter)
  if (!Array.isArray(value)) throw invalid(spot, 'must be an array such as [{"name": "asc"}]')
  if (value.length > mostSortKeys) throw tooComplex(spot, `has more than ${mostSortKeys} keys`)
  return arranged(
    value.map((each, index) => sortKeyOf(table, each, below(spot, index))),
    filter,
  )
}

/** Adds a path to a selection; all of a place wins over a part of it. */
const selecting = (selection: Selection | undefined, [first, ...rest]: readonly string[]): Selection => {
  if (first === undefined || selection === true) return true
  const known = selection ?? {}
  return { ...known, [first]: selecting(Object.hasOwn(known, first) ? known[first] : undefined, rest) }
}

function selectionOf(table: SearchTable, value: unknown, spot: Spot): SearchQuery['selection'] {
  if (value === undefined || value === null) return undefined
  if (!Array.isArray(value)) throw invalid(spot, 'must be an array of paths')
  if (value.length > mostFields) throw tooComplex(spot, `has more than ${mostFields} elements`)
  const found = new Map<SearchTable['columns'][number], Selection>()
  for (const [index, path] of value.entries()) {
    const isNames = Array.isArray(path) && path.length > 0 && path.every((name) => typeof name === 'string')
    if (typeof path !== 'string' && !isNames) throw invalid(below(spot, index), 'must be a path such as "user.name" or ["user", "name"]')
    const { column, steps } = placeListed(table, path, below(spot, index))
    const names = steps.filter((step) => step !== null)
    if (column !== undefined) found.set(column, selecting(found.get(column), names))
  }
  if (found.size === 0) return undefined
  return new Map(table.columns.flatMap((column) => (found.has(column) ? [[column, found.get(column) ?? true] as const] : [])))
}

function limitOf(value: unknown, spot: Spot): number {
  if (value === undefined || value === null) return defaultLimit
  const limit = typeof value === 'string' ? integerOf(value) : value
  if (typeof limit !== 'bigint' && !Number.isInteger(limit)) throw invalid(spot, 'must be an integer')
  const count = Number(limit)
  if (count < 1 || count > greatestLimit) throw invalid(spot, `must be between 1 and ${greatestLimit}`, 'range')
  return count
}

function cursorOf(value: unknown, spot: Spot): string | undefined {
  if (value === undefined || value === null) return undefined
  if (typeof value !== 'string') throw invalid(spot, 'must be the cursor of the page before')
  return value
}

/** Refuses keys that are not known. */
function checkKnown(value: Readonly<Record<string, unknown>>, known: readonly string[], spot: Spot): void {
  const unknown = Object.keys(value).find((name) => !known.includes(name))
  if (unknown !== undefined) throw invalid(below(spot, unknown), `is unknown; known are ${known.join(', ')}`, 'unknown')
}

/**
 * Reads the parameters of a search.
 * @param params  `{ query: { filter?, sort? }, limit?, cursor?, fields? }`; integers beyond doubles as bigint; null counts as absent
 * @throws FerruleError `field_not_searchable`, `operator_not_supported`, `query_too_complex`, `invalid_parameter`,
 *   `missing_parameter`, with the place of the first fault as JSON pointer below `/params`
 */
export function parseSearch(table: SearchTable, params: unknown): SearchQuery {
  const spot = { at: '/params' }
  const given = params ?? {}
  if (!isObject(given)) throw invalid(spot, 'must be an object')
  checkKnown(given, ['query', 'limit', 'cursor', 'fields'], spot)
  const { query, limit, cursor, fields } = given
  if (query === undefined || query === null) throw missing(below(spot, 'query'))
  if (!isObject(query)) throw invalid(below(spot, 'query'), 'must be an object with filter and sort')
  checkKnown(query, ['filter', 'sort'], below(spot, 'query'))
  const { filter, unlisted } = filterOf(table, query['filter'], below(spot, 'query', 'filter'))
  return {
    table,
    filter,
    unlisted,
    ...sortOf(table, { value: query['sort'], filter }, below(spot, 'query', 'sort')),
    limit: limitOf(limit, below(spot, 'limit')),
    cursor: cursorOf(cursor, below(spot, 'cursor')),
    selection: selectionOf(table, fields, below(spot, 'fields')),
    asked: { filter: query['filter'], sort: query['sort'], ...(Array.isArray(fields) && fields.length === 0 ? {} : { fields }) },
  }
}
