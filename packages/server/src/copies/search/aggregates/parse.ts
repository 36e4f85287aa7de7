/** Parses the parameters of `context_store_aggregate` (rules: docs/decisions/aggregates.md). */
import {
  aggregateLimits,
  countMeasure,
  isMeasureFunction,
  isObject,
  isTimeUnit,
  type MeasureFunction,
  measureFunctions,
  relatedName,
  timeUnits,
} from 'ferrule/internal'
import type { Column, SearchTable } from '../columns.ts'
import { type FindTable, findElementType, parseFieldPath } from '../field-paths.ts'
import { checkKnown, parseGivenFilter, parseSearch } from '../parse.ts'
import { appendPointer, invalid, missing, notSupported, type RequestPointer, tooComplex } from '../refusals.ts'
import { isReferring } from '../related/references.ts'
import { formatNumber, parseDecimal } from '../text.ts'
import type { Condition, Included, PathType } from '../tree.ts'
import type { AggregateQuery, AggregateSort, Group, GroupBy, Measure, MeasureResult } from './tree.ts'

const { mostKeys, mostMeasures, mostBounds, longestName } = aggregateLimits
const mostSortKeys = 16

const isName = (name: string): boolean => name.length <= longestName && /^[A-Za-z_][A-Za-z0-9_]*$/.test(name)
const nameNeeded = `must have letters, digits and _ only, begin with no digit, and have at most ${longestName} characters`

function readText(value: unknown, pointer: RequestPointer): string {
  if (typeof value !== 'string') throw invalid(pointer, 'must be a text')
  return value
}

/** Parses the field of a group or a measure. An object is refused, because its parts have paths. */
function parseField(table: SearchTable, value: unknown, pointer: RequestPointer) {
  const { path, schema } = parseFieldPath({ table }, readText(value, pointer), pointer)
  const type = findElementType(schema)
  if (type === 'object') throw notSupported(pointer, 'field', 'an object has no single value; use a path into it')
  return { path, type }
}

/** Parses the name of a time zone. A name is what both this process and databases know; signs of offsets differ between them. */
function parseZone(value: unknown, pointer: RequestPointer): string {
  if (value === undefined || value === null) return 'UTC'
  const zone = readText(value, pointer)
  try {
    const known = /^[A-Za-z]/.test(zone) ? new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions().timeZone : undefined
    // A database may lack this process's name for a zone that has several.
    if (known !== undefined) return known === 'UTC' ? known : zone
  } catch {
    // An unknown name is refused below.
  }
  throw invalid(pointer, 'must be the name of a time zone, for example Europe/Berlin', 'format')
}

function parseBounds(value: unknown, pointer: RequestPointer): readonly string[] {
  if (!Array.isArray(value) || value.length === 0) throw invalid(pointer, 'must be an array of ascending numbers')
  if (value.length > mostBounds) throw tooComplex(pointer, `has more than ${mostBounds} bounds`)
  const bounds = value.map((each, index) => {
    const bound = typeof each === 'string' ? parseDecimal(each) : isAnyNumber(each) ? formatNumber(each) : undefined
    if (bound === undefined) throw invalid(appendPointer(pointer, index), 'must be a number')
    return bound
  })
  for (const [index, bound] of bounds.entries())
    if (index > 0 && compareDecimals(bounds[index - 1] ?? '', bound) >= 0)
      throw invalid(appendPointer(pointer, index), 'must be greater than the bound before it', 'order')
  return bounds
}

const isAnyNumber = (value: unknown): value is number | bigint => typeof value === 'number' || typeof value === 'bigint'

function compareDecimals(a: string, b: string): number {
  const fraction = Math.max(...[a, b].map((each) => each.split('.')[1]?.length ?? 0))
  const [left, right] = [a, b].map((each) => {
    const [whole = '', part = ''] = each.split('.')
    return BigInt(whole + part.padEnd(fraction, '0'))
  })
  return left === right ? 0 : (left ?? 0n) < (right ?? 0n) ? -1 : 1
}

function parseBy(given: Readonly<Record<string, unknown>>, pointer: RequestPointer): GroupBy {
  const { by, time_zone: zone, ranges } = given
  const isGiven = (value: unknown): boolean => value !== undefined && value !== null
  if (isGiven(by) && !isTimeUnit(by))
    throw invalid(appendPointer(pointer, 'by'), `must be one of ${Object.keys(timeUnits).join(', ')}`, 'enum')
  if (isGiven(by) && isGiven(ranges)) throw invalid(appendPointer(pointer, 'ranges'), 'cannot stand beside by', 'conflict')
  if (isTimeUnit(by)) return { is: 'time', unit: by, zone: parseZone(zone, appendPointer(pointer, 'time_zone')) }
  if (isGiven(zone)) throw invalid(appendPointer(pointer, 'time_zone'), 'needs by', 'conflict')
  return isGiven(ranges) ? { is: 'range', bounds: parseBounds(ranges, appendPointer(pointer, 'ranges')) } : { is: 'value' }
}

/** Finds why values of a field make no groups of that form; undefined: they do. */
function findUnfit(by: GroupBy, { type, isTime }: { type: PathType; isTime: boolean }): string | undefined {
  if (by.is === 'value') return isTime ? `a time needs by: ${Object.keys(timeUnits).join(', ')}` : undefined
  if (by.is === 'time') return type === 'text' || type === 'any' ? undefined : `${type} values are no times`
  return type === 'boolean' || isTime ? `a ${isTime ? 'time' : type} is no number` : undefined
}

function parseGroup(table: SearchTable, value: unknown, pointer: RequestPointer): Group {
  const given = isObject(value) ? value : { field: value }
  if (isObject(value)) checkKnown(value, ['field', 'by', 'time_zone', 'ranges', 'as'], pointer)
  const at = isObject(value) ? appendPointer(pointer, 'field') : pointer
  if (given['field'] === undefined || given['field'] === null)
    throw isObject(value) ? missing(at) : invalid(at, 'must be a field, or an object with one')
  const field = parseField(table, given['field'], at)
  const by = parseBy(given, pointer)
  const unfit = findUnfit(by, { type: field.type, isTime: field.path.compare === 'instant' })
  if (unfit !== undefined) throw notSupported(at, 'group_by', unfit)
  const { as } = given
  if (as === undefined || as === null) return { ...field, name: readText(given['field'], at), by }
  const name = readText(as, appendPointer(pointer, 'as'))
  if (!isName(name)) throw invalid(appendPointer(pointer, 'as'), nameNeeded, 'format')
  return { ...field, name, by }
}

/** Finds why a function cannot use values; undefined: it can. */
function findUnmeasured(is: MeasureFunction, { type, isTime }: { type: PathType; isTime: boolean }): string | undefined {
  if (is === 'distinct') return undefined
  if (type === 'boolean') return 'a boolean is no number'
  return isTime && is !== 'min' && is !== 'max' ? 'a time is no number' : undefined
}

function parseFunction(
  value: unknown,
  pointer: RequestPointer,
): { readonly is: MeasureFunction; readonly field: unknown; readonly at: number } {
  const known = `"${countMeasure}", or an object of one of ${Object.keys(measureFunctions).join(', ')} and a field`
  if (!isObject(value)) throw invalid(pointer, `must be ${known}`)
  const { at, ...rest } = value
  const [entry, ...more] = Object.entries(rest)
  const [is, field] = entry ?? []
  if (is === undefined || more.length > 0 || !isMeasureFunction(is)) throw invalid(pointer, `must be ${known}`, 'enum')
  if (is !== 'percentile') {
    if (at !== undefined) throw invalid(appendPointer(pointer, 'at'), 'stands beside percentile only', 'unknown')
    return { is, field, at: 0.5 }
  }
  if (typeof at !== 'number' || !(at >= 0 && at <= 1)) throw invalid(appendPointer(pointer, 'at'), 'must be a number from 0 to 1', 'range')
  return { is, field, at }
}

function parseMeasure(table: SearchTable, [name, value]: readonly [string, unknown], pointer: RequestPointer): Measure {
  if (!isName(name)) throw invalid(pointer, nameNeeded, 'format')
  if (value === countMeasure) return { name, is: 'count' }
  const { is, field, at } = parseFunction(value, pointer)
  const found = parseField(table, field, appendPointer(pointer, is))
  const unfit = findUnmeasured(is, { type: found.type, isTime: found.path.compare === 'instant' })
  if (unfit !== undefined) throw notSupported(appendPointer(pointer, is), is, unfit)
  return { name, is, ...found, at }
}

/** Finds the kind of a measure's result. */
export function findResult(measure: Measure): MeasureResult {
  if (measure.is === 'count' || measure.is === 'distinct') return 'number'
  const { is, path, type } = measure
  if (path.compare === 'instant') return 'time'
  const isOrder = is === 'min' || is === 'max'
  if (type === 'text') return isOrder && path.compare !== 'decimal' ? 'text' : 'decimal'
  return 'number'
}

const schemas = {
  number: { type: 'number' },
  decimal: { type: 'number' },
  time: { type: 'string', format: 'date-time' },
  text: { type: 'string' },
} as const

/** Makes a column of a measure, so that conditions on measures are those on fields. Results have no words. */
function toColumn(measure: Measure, index: number): Column {
  const result = findResult(measure)
  const shared = { name: measure.name, sql: `m${index}`, words: 'none', field: index, schema: schemas[result] } as const
  if (result === 'time') return { ...shared, type: 'text', compare: 'instant', at: shared.sql }
  return { ...shared, type: result === 'text' ? 'text' : 'number', compare: 'text' }
}

/** Builds the table of the measures of all groups. */
export const buildMeasureTable = (measures: readonly Measure[]): SearchTable => ({
  name: 'h',
  kind: '',
  entity: 'the measures',
  columns: measures.map(toColumn),
  key: [],
})

const hasWords = (condition: Condition): boolean =>
  condition.op === 'and' || condition.op === 'or'
    ? condition.of.some(hasWords)
    : condition.op === 'not'
      ? hasWords(condition.of)
      : 'tokens' in condition

function parseHaving(measures: readonly Measure[], value: unknown, pointer: RequestPointer): Condition | undefined {
  const having = parseGivenFilter(buildMeasureTable(measures), value, pointer)
  if (having !== undefined && hasWords(having)) throw notSupported(pointer, 'fuzzy', 'a measure has no words; use like')
  return having
}

function parseSortKey(
  { groups, measures }: Pick<AggregateQuery, 'groups' | 'measures'>,
  value: unknown,
  pointer: RequestPointer,
): AggregateSort {
  const [entry, ...more] = isObject(value) ? Object.entries(value) : []
  if (entry === undefined || more.length > 0) throw invalid(pointer, 'must be an object with one name, for example {"count": "desc"}')
  const [name, direction] = entry
  const at = appendPointer(pointer, name)
  if (direction !== 'asc' && direction !== 'desc') throw invalid(at, 'must be "asc" or "desc"', 'enum')
  const group = groups.findIndex((each) => each.name === name)
  if (group >= 0) return { by: 'group', index: group, direction }
  const measure = measures.findIndex((each) => each.name === name)
  const known = [...groups, ...measures].map((each) => each.name).join(', ')
  if (measure < 0) throw invalid(at, `is no group and no measure; known: ${known}`, 'unknown')
  return { by: 'measure', index: measure, direction }
}

const readList = (value: unknown, most: number, pointer: RequestPointer): readonly unknown[] => {
  if (value === undefined || value === null) return []
  if (!Array.isArray(value)) throw invalid(pointer, 'must be an array')
  if (value.length > most) throw tooComplex(pointer, `has more than ${most} elements`)
  return value
}

function parseMeasures(table: SearchTable, value: unknown, pointer: RequestPointer): readonly Measure[] {
  if (value === undefined || value === null) return [{ name: countMeasure, is: 'count' }]
  if (!isObject(value)) throw invalid(pointer, 'must be an object of names and measures')
  const entries = Object.entries(value)
  if (entries.length === 0) throw invalid(pointer, 'must have a measure')
  if (entries.length > mostMeasures) throw tooComplex(pointer, `has more than ${mostMeasures} measures`)
  return entries.map((entry) => parseMeasure(table, entry, appendPointer(pointer, entry[0])))
}

/** Finds the group whose values are those of a reference; -1 without one. */
export const findReferring = (groups: readonly Group[], { reference }: Included): number =>
  groups.findIndex(({ by, path }) => by.is === 'value' && path.compare !== 'decimal' && isReferring(path, reference))

function checkIncluded(groups: readonly Group[], include: readonly Included[], pointer: RequestPointer): void {
  for (const included of include)
    if (findReferring(groups, included) < 0)
      throw invalid(pointer, `names ${included.reference.name}, which is no group; add it to group_by`, 'conflict')
  if (include.length > 0 && groups.some(({ name }) => name === relatedName))
    throw invalid(pointer, `cannot stand beside a group of the name ${relatedName}`, 'conflict')
}

/**
 * Parses the parameters of an aggregate.
 * @param params `{ query?: { filter?, text? }, group_by?, measures?, include?, having?, sort?, limit?, cursor? }`; null counts as absent
 * @param findTable finds the tables of entities that fields refer to
 * @throws FerruleError as `parseSearch`, with a JSON pointer below `/params` to the first fault
 */
export function parseAggregate(table: SearchTable, params: unknown, findTable?: FindTable): AggregateQuery {
  const pointer = { at: '/params' }
  const given = params ?? {}
  if (!isObject(given)) throw invalid(pointer, 'must be an object')
  checkKnown(given, ['query', 'group_by', 'measures', 'include', 'having', 'sort', 'limit', 'cursor'], pointer)
  const { query, limit, cursor, include, group_by: groupBy, measures: measured, having, sort } = given
  if (isObject(query)) checkKnown(query, ['filter', 'text'], appendPointer(pointer, 'query'))
  const search = parseSearch(table, { query: query ?? {}, limit, cursor, include }, findTable)
  const by = appendPointer(pointer, 'group_by')
  const groups = readList(groupBy, mostKeys, by).map((each, index) => parseGroup(table, each, appendPointer(by, index)))
  const measures = parseMeasures(table, measured, appendPointer(pointer, 'measures'))
  for (const [index, { name }] of groups.entries())
    if ([...groups.slice(0, index), ...measures].some((each) => each.name === name))
      throw invalid(appendPointer(by, index), `has the name of another group or measure, ${name}; give it another one with as`, 'conflict')
  checkIncluded(groups, search.include, appendPointer(pointer, 'include'))
  const order = appendPointer(pointer, 'sort')
  return {
    search: { ...search, relevance: undefined },
    groups,
    measures,
    having: parseHaving(measures, having, appendPointer(pointer, 'having')),
    sort: readList(sort, mostSortKeys, order).map((each, index) => parseSortKey({ groups, measures }, each, appendPointer(order, index))),
    offset: 0,
    asked: { filter: search.asked.filter, text: search.asked.text, include: search.asked.include, groupBy, measured, having, sort },
  }
}
