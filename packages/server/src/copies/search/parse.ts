/** Parses the parameters of `context_store_search` (grammar and rules: docs/decisions/search.md). */
import {
  type FieldOperator,
  filterLimits,
  filterOperators,
  isFieldOperator,
  isObject,
  type OperatorOf,
  operators,
  parseInteger,
} from 'ferrule/internal'
import { type Column, rescuedColumn, type SearchTable } from './columns.ts'
import { type FindTable, type NameScope, parseFieldPath, parseListedPath, toElementScope } from './field-paths.ts'
import { findMemberPath, findUnlisted } from './known-values.ts'
import {
  checkOperator,
  parseElementOperand,
  parseEqualOperand,
  parseOrderOperand,
  parsePattern,
  parseText,
  parseTokens,
} from './operands.ts'
import { appendPointer, invalid, missing, notSupported, type RequestPointer, tooComplex } from './refusals.ts'
import { findNamedReference, listReferences, resolveField } from './related/references.ts'
import { splitQuery } from './tokens/tokenizer.ts'
import type {
  Condition,
  FieldPath,
  Included,
  MemberPath,
  Ordering,
  ScoredCondition,
  SearchQuery,
  Selection,
  SortKey,
  Unlisted,
} from './tree.ts'

const { deepest, mostConditions, mostValues } = filterLimits
const mostSortKeys = 16
/** Maximum number of conditions that the words of `text` become. */
const mostOfWords = 200
/** Records of a page. */
const defaultLimit = 1000
const greatestLimit = 10_000

interface FilterReading {
  readonly scope: NameScope
  readonly depth: number
  /** Number of conditions so far; shared by the whole filter. */
  readonly count: { conditions: number }
  /** Operands to check against stored values; shared by the whole filter. */
  readonly unlisted: Unlisted[]
  /** The array that conditions within `any` apply to. */
  readonly within?: MemberPath | undefined
}

interface ConditionInput {
  readonly reading: FilterReading
  readonly path: FieldPath
  readonly element: NameScope
  readonly value: unknown
  readonly pointer: RequestPointer
}

const readOrder =
  (test: Ordering) =>
  ({ path, value, pointer }: ConditionInput): Condition => ({ op: 'order', path, test, value: parseOrderOperand(path, value, pointer) })

const readEquals = ({ path, value, pointer }: ConditionInput): Condition => ({
  op: 'equals',
  path,
  values: [parseEqualOperand(path, value, pointer)],
})

const readIn = ({ path, value, pointer }: ConditionInput): Condition => {
  if (!Array.isArray(value)) throw invalid(pointer, 'must be an array of values')
  if (value.length > mostValues) throw tooComplex(pointer, `has more than ${mostValues} values`)
  return { op: 'equals', path, values: value.map((each, index) => parseEqualOperand(path, each, appendPointer(pointer, index))) }
}

const readWords =
  (op: OperatorOf<'words'>) =>
  ({ path, value, pointer }: ConditionInput): Condition => ({ op, path, tokens: parseTokens(value, pointer) })

const readAny = ({ reading, path, element, value, pointer }: ConditionInput): Condition => ({
  op: 'any',
  path,
  of: parseCondition(
    { ...reading, scope: element, within: findMemberPath(path, reading.within), depth: reading.depth + 1 },
    value,
    pointer,
  ),
})

const readers: Readonly<Record<FieldOperator, (entry: ConditionInput) => Condition>> = {
  eq: readEquals,
  neq: (entry) => ({ op: 'not', of: readEquals(entry) }),
  gt: readOrder('gt'),
  gte: readOrder('gte'),
  lt: readOrder('lt'),
  lte: readOrder('lte'),
  in: readIn,
  like: ({ path, value, pointer }) => ({ op: 'like', path, pattern: parsePattern(parseText(value, pointer)) }),
  fuzzy: readWords('fuzzy'),
  keyword: readWords('keyword'),
  contains: ({ path, value, pointer }) => ({ op: 'contains', path, value: parseElementOperand(path, value, pointer) }),
  any: readAny,
}

const countCondition = ({ count }: FilterReading, pointer: RequestPointer): void => {
  count.conditions += 1
  if (count.conditions > mostConditions) throw tooComplex(pointer, `brings the filter to more than ${mostConditions} conditions`)
}

function parseFields(
  reading: FilterReading,
  operator: FieldOperator,
  { operand, pointer }: { operand: unknown; pointer: RequestPointer },
): readonly Condition[] {
  if (!isObject(operand)) throw invalid(pointer, 'must be an object of fields and values')
  const fields = Object.entries(operand)
  if (fields.length === 0) countCondition(reading, pointer)
  return fields.map(([field, value]) => {
    const at = appendPointer(pointer, field)
    countCondition(reading, at)
    const { path, schema, scope, by } = resolveField(reading.scope, field, { pointer: at, within: reading.within })
    checkOperator(operator, path, at)
    if (operators[operator].form === 'words' && path.column?.sql === rescuedColumn.name)
      throw notSupported(at, operator, 'words of values that do not fit are not stored; use like')
    const condition = readers[operator]({ reading, path, element: toElementScope(scope, schema), value, pointer: at })
    const way = path.compare === 'lower' ? findMemberPath(path, reading.within) : undefined
    if (way !== undefined)
      reading.unlisted.push(
        ...findUnlisted(condition, {
          way,
          schema,
          pointerAt: (index) => (operators[operator].form === 'values' ? appendPointer(at, index) : at),
        }),
      )
    return by === undefined ? condition : { op: 'related', ...by, of: condition }
  })
}

function parseOperator(
  reading: FilterReading,
  name: string,
  { operand, pointer }: { operand: unknown; pointer: RequestPointer },
): readonly Condition[] {
  if (isFieldOperator(name)) return parseFields(reading, name, { operand, pointer })
  const inner = { ...reading, depth: reading.depth + 1 }
  if (name === 'not') return [{ op: 'not', of: parseCondition(inner, operand, pointer) }]
  if (name !== 'and' && name !== 'or') throw notSupported(pointer, name, `it is not one of ${filterOperators.join(', ')}`)
  if (!Array.isArray(operand)) throw invalid(pointer, 'must be an array of conditions')
  if (operand.length === 0) countCondition(reading, pointer)
  return [{ op: name, of: operand.map((each, index) => parseCondition(inner, each, appendPointer(pointer, index))) }]
}

/** Parses a condition object, whose entries are joined by `and`. */
function parseCondition(reading: FilterReading, value: unknown, pointer: RequestPointer): Condition {
  if (!isObject(value)) throw invalid(pointer, 'must be a condition: an object with operators as keys')
  if (reading.depth > deepest) throw tooComplex(pointer, `is nested more than ${deepest} deep`)
  const entries = Object.entries(value)
  if (entries.length === 0) countCondition(reading, pointer)
  const of = entries.flatMap(([name, operand]) => parseOperator(reading, name, { operand, pointer: appendPointer(pointer, name) }))
  const [only] = of
  return of.length === 1 && only !== undefined ? only : { op: 'and', of }
}

/** Returns whether a field holds strings that people write. Times and dates are compared, not read. */
function holdsWords({ schema }: Column): boolean {
  return [schema.type].flat().includes('string') && schema.format === undefined
}

/**
 * Builds the condition of `text`: each word is in some field that holds a string. Where that would be too many conditions, all words are in one field.
 */
function parseAnyField(table: SearchTable, value: unknown, pointer: RequestPointer): Condition | undefined {
  if (value === undefined || value === null) return undefined
  const words = parseText(value, pointer)
    .split(/\s+/)
    .filter((word) => splitQuery(word).length > 0)
  if (words.length === 0) throw invalid(pointer, 'must hold a letter or a digit', 'words')
  const paths = table.columns.filter(holdsWords).map(({ name }) => parseFieldPath({ table }, name, pointer).path)
  if (paths.length === 0) throw invalid(pointer, `finds nothing in ${table.entity}: filter one of its fields`, 'fields')
  const inAnyField = (wanted: string): Condition => {
    const tokens = parseTokens(wanted, pointer)
    return { op: 'or', of: paths.map((path) => ({ op: 'fuzzy', path, tokens })) }
  }
  return words.length * paths.length <= mostOfWords ? { op: 'and', of: words.map(inAnyField) } : inAnyField(words.join(' '))
}

function parseFilter(
  scope: NameScope,
  { filter, text }: Readonly<Record<string, unknown>>,
  pointer: RequestPointer,
): Pick<SearchQuery, 'filter' | 'unlisted'> {
  const unlisted: Unlisted[] = []
  const reading = { scope, depth: 1, count: { conditions: 0 }, unlisted }
  const words = parseAnyField(scope.table, text, appendPointer(pointer, 'text'))
  const given = filter === undefined || filter === null ? undefined : parseCondition(reading, filter, appendPointer(pointer, 'filter'))
  return { filter: words === undefined || given === undefined ? (words ?? given) : { op: 'and', of: [words, given] }, unlisted }
}

/** Parses a filter that stands elsewhere; its operands are not compared with stored values. @throws as `parseSearch` */
export const parseGivenFilter = (table: SearchTable, filter: unknown, pointer: RequestPointer): Condition | undefined =>
  filter === undefined || filter === null
    ? undefined
    : parseCondition({ scope: { table }, depth: 1, count: { conditions: 0 }, unlisted: [] }, filter, pointer)

function parseSortKey(table: SearchTable, value: unknown, pointer: RequestPointer): SortKey | RelevanceKey {
  const [entry, ...more] = isObject(value) ? Object.entries(value) : []
  if (entry === undefined || more.length > 0) throw invalid(pointer, 'must be an object with one field, for example {"name": "asc"}')
  const [field, direction] = entry
  const at = appendPointer(pointer, field)
  if (direction !== 'asc' && direction !== 'desc') throw invalid(at, 'must be "asc" or "desc"', 'enum')
  if (field === relevanceName) return buildRelevanceKey(at, direction)
  const { path } = parseFieldPath({ table }, field, at)
  if (path.column === undefined || path.steps.length > 0 || path.column.type === 'json')
    throw notSupported(at, 'sort', 'only fields that hold one string, number or boolean can be sorted by')
  return { column: path.column, direction }
}

/** Name in a sort that stands for relevance. */
const relevanceName = '_relevance'

interface RelevanceKey {
  readonly column: 'relevance'
  readonly pointer: RequestPointer
}

const buildRelevanceKey = (pointer: RequestPointer, direction: string): RelevanceKey => {
  if (direction !== 'desc') throw invalid(pointer, 'must be "desc": what matches best comes first', 'enum')
  return { column: 'relevance', pointer }
}

/** Finds the conditions of a filter that count for relevance: those on words outside of `not` (docs/decisions/search.md). */
function findScoredConditions(condition: Condition | undefined, within: readonly FieldPath[] = []): readonly ScoredCondition[] {
  if (condition === undefined) return []
  switch (condition.op) {
    case 'and':
    case 'or':
      return condition.of.flatMap((each) => findScoredConditions(each, within))
    case 'any':
      return findScoredConditions(condition.of, [...within, condition.path])
    default:
      return 'tokens' in condition ? [{ condition, within }] : []
  }
}

function splitRelevance(keys: readonly (SortKey | RelevanceKey)[], filter: Condition | undefined): Pick<SearchQuery, 'sort' | 'relevance'> {
  const distinct = keys.filter(({ column }, index) => keys.findIndex((key) => key.column === column) === index)
  const sort = distinct.flatMap((key) => (key.column === 'relevance' ? [] : [key]))
  const at = keys.length === 0 ? 0 : distinct.findIndex(({ column }) => column === 'relevance')
  const of = at < 0 ? [] : findScoredConditions(filter)
  const key = distinct[at]
  if (key?.column === 'relevance' && of.length === 0)
    throw notSupported(key.pointer, 'sort', 'a relevance needs fuzzy or keyword in the filter, outside of not')
  return { sort, relevance: of.length === 0 ? undefined : { at, of } }
}

/** Parses a sort. Ignores a field that occurs again. */
function parseSort(
  table: SearchTable,
  { value, filter }: { value: unknown; filter: Condition | undefined },
  pointer: RequestPointer,
): Pick<SearchQuery, 'sort' | 'relevance'> {
  if (value === undefined || value === null) return splitRelevance([], filter)
  if (!Array.isArray(value)) throw invalid(pointer, 'must be an array such as [{"name": "asc"}]')
  if (value.length > mostSortKeys) throw tooComplex(pointer, `has more than ${mostSortKeys} keys`)
  return splitRelevance(
    value.map((each, index) => parseSortKey(table, each, appendPointer(pointer, index))),
    filter,
  )
}

function parseLimit(value: unknown, pointer: RequestPointer): number {
  if (value === undefined || value === null) return defaultLimit
  const limit = typeof value === 'string' ? parseInteger(value) : value
  if (typeof limit !== 'bigint' && !Number.isInteger(limit)) throw invalid(pointer, 'must be an integer')
  const count = Number(limit)
  if (count < 1 || count > greatestLimit) throw invalid(pointer, `must be between 1 and ${greatestLimit}`, 'range')
  return count
}

function parseCursorParameter(value: unknown, pointer: RequestPointer): string | undefined {
  if (value === undefined || value === null) return undefined
  if (typeof value !== 'string') throw invalid(pointer, 'must be the cursor of the page before')
  return value
}

/** Refuses members that are not known. @throws FerruleError `invalid_parameter` */
export function checkKnown(value: Readonly<Record<string, unknown>>, known: readonly string[], pointer: RequestPointer): void {
  const unknown = Object.keys(value).find((name) => !known.includes(name))
  if (unknown !== undefined) throw invalid(appendPointer(pointer, unknown), `is not known here; known: ${known.join(', ')}`, 'unknown')
}

/**
 * Parses the parameters of a search.
 * @param params  `{ query: { filter?, text?, sort? }, limit?, cursor?, fields?, include?, count? }`; integers beyond doubles as bigint; null
 *   counts as absent
 * @param findTable finds the tables of entities that fields refer to
 * @throws FerruleError `field_not_searchable`, `operator_not_supported`, `query_too_complex`, `invalid_parameter`, `missing_parameter`,
 *   with a JSON pointer below `/params` to the first fault
 */
export function parseSearch(table: SearchTable, params: unknown, findTable?: FindTable): SearchQuery {
  const pointer = { at: '/params' }
  const given = params ?? {}
  if (!isObject(given)) throw invalid(pointer, 'must be an object')
  checkKnown(given, ['query', 'limit', 'cursor', 'fields', 'include', 'count'], pointer)
  const { query, limit, cursor, fields, include, count } = given
  if (count !== undefined && count !== null && typeof count !== 'boolean')
    throw invalid(appendPointer(pointer, 'count'), 'must be true or false')
  if (query === undefined || query === null) throw missing(appendPointer(pointer, 'query'))
  if (!isObject(query)) throw invalid(appendPointer(pointer, 'query'), 'must be an object with filter, text and sort')
  checkKnown(query, ['filter', 'text', 'sort'], appendPointer(pointer, 'query'))
  const { filter, unlisted } = parseFilter({ table, findTable }, query, appendPointer(pointer, 'query'))
  return {
    table,
    filter,
    unlisted,
    ...parseSort(table, { value: query['sort'], filter }, appendPointer(pointer, 'query', 'sort')),
    limit: parseLimit(limit, appendPointer(pointer, 'limit')),
    cursor: parseCursorParameter(cursor, appendPointer(pointer, 'cursor')),
    isCounted: count === true,
    selection: parseSelection(table, fields, appendPointer(pointer, 'fields')),
    include: findTable === undefined ? [] : parseInclude(table, include, { pointer: appendPointer(pointer, 'include'), findTable }),
    asked: {
      filter: query['filter'],
      text: query['text'],
      sort: query['sort'],
      ...(Array.isArray(fields) && fields.length === 0 ? {} : { fields }),
      ...(include === undefined || include === null ? {} : { include }),
    },
  }
}

/** Limits: references of a search, and how many of them one leads through. */
const mostIncluded = 20
const deepestIncluded = 2

interface IncludeReading {
  readonly findTable: FindTable
  readonly depth: number
  /** Number of references so far; shared by the whole search. */
  readonly count: { included: number }
}

const refuseReference = (table: SearchTable, pointer: RequestPointer): Error => {
  const known = listReferences(table).map(({ name }) => name)
  const says = known.length === 0 ? `${table.entity} has none` : `known: ${known.join(', ')}`
  return invalid(pointer, `is no reference of ${table.entity}; ${says}`, 'unknown')
}

function parseReference(
  reading: IncludeReading,
  table: SearchTable,
  { name, value, pointer }: { name: string; value: unknown; pointer: RequestPointer },
) {
  const reference = findNamedReference(table, name, pointer)
  if (reference === undefined) throw refuseReference(table, pointer)
  reading.count.included += 1
  if (reading.count.included > mostIncluded) throw tooComplex(pointer, `brings the search to more than ${mostIncluded} references`)
  if (!Array.isArray(value)) throw invalid(pointer, 'must be an array of fields, such as ["name"]')
  const related = reading.findTable(reference.entity)
  const deeper = { ...reading, depth: reading.depth + 1 }
  const include = value.flatMap((each, index) =>
    isObject(each) ? parseReferences(deeper, related, each, appendPointer(pointer, index)) : [],
  )
  assertDistinct(include, pointer)
  const onlyDeeper = value.length > 0 && value.every(isObject)
  const selection = onlyDeeper ? new Map() : parseSelection(related, value, pointer, isObject)
  return { reference, table: related, selection, include }
}

function assertDistinct(include: readonly Included[], pointer: RequestPointer): void {
  const names = include.map(({ reference }) => reference.name)
  const twice = names.find((name, index) => names.indexOf(name) < index)
  if (twice !== undefined) throw invalid(pointer, `names ${twice} twice`)
}

function parseReferences(reading: IncludeReading, table: SearchTable, value: object, pointer: RequestPointer): readonly Included[] {
  if (reading.depth > deepestIncluded) throw tooComplex(pointer, `leads through more than ${deepestIncluded} references`)
  return Object.entries(value).map(([name, each]) =>
    parseReference(reading, table, { name, value: each, pointer: appendPointer(pointer, name) }),
  )
}

/**
 * Parses `include`: references, each with the fields of the related record. A reference among these fields leads one step further:
 * `{ adgroup_id: ["name", { campaign_id: ["campaign_name"] }] }`.
 */
function parseInclude(
  table: SearchTable,
  value: unknown,
  { pointer, findTable }: { readonly pointer: RequestPointer; readonly findTable: FindTable },
): readonly Included[] {
  if (value === undefined || value === null) return []
  if (!isObject(value)) throw invalid(pointer, 'must be an object of references and fields, such as {"primaryUserId": ["firstName"]}')
  const include = parseReferences({ findTable, depth: 1, count: { included: 0 } }, table, value, pointer)
  assertDistinct(include, pointer)
  return include
}

const mostFields = 1000

/** Adds a path to a selection. Selecting a whole value overrides selecting parts of it. */
const addToSelection = (selection: Selection | undefined, [first, ...rest]: readonly string[]): Selection => {
  if (first === undefined || selection === true) return true
  const known = selection ?? {}
  return { ...known, [first]: addToSelection(Object.hasOwn(known, first) ? known[first] : undefined, rest) }
}

/**
 * Parses the paths of fields to return.
 * @param isOther returns whether an element is no path, and left to the caller
 * @returns the columns in the order of the paths; undefined for all fields
 */
function parseSelection(
  table: SearchTable,
  value: unknown,
  pointer: RequestPointer,
  isOther: (element: unknown) => boolean = () => false,
): SearchQuery['selection'] {
  if (value === undefined || value === null) return undefined
  if (!Array.isArray(value)) throw invalid(pointer, 'must be an array of paths')
  if (value.length > mostFields) throw tooComplex(pointer, `has more than ${mostFields} elements`)
  const found = new Map<SearchTable['columns'][number], Selection>()
  for (const [index, path] of value.entries()) {
    if (isOther(path)) continue
    const isNames = Array.isArray(path) && path.length > 0 && path.every((name) => typeof name === 'string')
    if (typeof path !== 'string' && !isNames)
      throw invalid(appendPointer(pointer, index), 'must be a path such as "user.name" or ["user", "name"]')
    const { column, steps } = parseListedPath(table, path, appendPointer(pointer, index))
    const names = steps.filter((step) => step !== null)
    if (column !== undefined) found.set(column, addToSelection(found.get(column), names))
  }
  return found.size === 0 ? undefined : found
}
