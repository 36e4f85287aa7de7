/**
 * Answers searches in plain code: the tables of docs/decisions/search.md over records in memory. It shares
 * no code with the search; slow and readable on purpose.
 */
import type { Field, Fields } from '../../packages/ferrule/src/definition/fields.ts'
import { type FieldOperator, isFieldOperator, type OperatorOf } from '../../packages/ferrule/src/definition/operators.ts'
import {
  type Declared,
  declaredBy,
  type FieldPath,
  followSteps,
  foundAt,
  type How,
  isNumber,
  isObject,
  isScalar,
  type Json,
  membersOf,
  nameIn,
  resolvePath,
  type Scope,
  stepsOf,
} from './oracle-paths.ts'
import { type Asked, askedOf, isKeyword, matchOf, tokensOf } from './oracle-tokens.ts'
import {
  compareCodePoints,
  compareDecimals,
  type Decimal,
  decimalOfNumber,
  decimalOfText,
  isLike,
  kept,
  momentOf,
  plainText,
  type Span,
  spanOf,
} from './oracle-values.ts'

/** Converts an operand: number fields accept numeric strings, boolean fields "true" and "false". */
function operandFor({ type }: Declared, operand: unknown): unknown {
  if (typeof operand !== 'string') return operand
  if (type === 'integer' || type === 'number') return decimalOfText(operand)
  return type === 'boolean' ? operand === 'true' : kept(operand)
}

const isDecimal = (value: unknown): value is Decimal =>
  isObject(value) && typeof value['units'] === 'bigint' && typeof value['scale'] === 'number'
const numberOf = (operand: unknown): Decimal | undefined =>
  isDecimal(operand)
    ? operand
    : isNumber(operand)
      ? decimalOfNumber(operand)
      : typeof operand === 'string'
        ? decimalOfText(operand)
        : undefined

/** Compares a value of a record with an operand; undefined when they are not comparable. */
function compared(value: unknown, operand: unknown, how: How): number | undefined {
  if (typeof value === 'boolean') return undefined
  const number = numberOf(operand)
  if (isNumber(value)) return number === undefined ? undefined : compareDecimals(decimalOfNumber(value), number)
  if (typeof value !== 'string') return undefined
  const text = how === 'lower' ? kept(value).toLowerCase() : kept(value)
  const decimal = decimalOfText(text)
  if (typeof operand !== 'string') return decimal === undefined || number === undefined ? undefined : compareDecimals(decimal, number)
  if (how === 'decimal' && decimal !== undefined && number !== undefined) return compareDecimals(decimal, number)
  return compareCodePoints(text, operand)
}

/** Tests deep equality: order matters in arrays, not in objects; numbers compare as numbers. */
function isSame(a: unknown, b: unknown): boolean {
  if (Array.isArray(a) || Array.isArray(b))
    return Array.isArray(a) && Array.isArray(b) && a.length === b.length && a.every((each, index) => isSame(each, b[index]))
  if (isObject(a) && isObject(b)) {
    const [left, right] = [withKeptNames(a), withKeptNames(b)]
    return left.size === right.size && [...left].every(([name, part]) => right.has(name) && isSame(part, right.get(name)))
  }
  if (isNumber(a) && isNumber(b)) return compareDecimals(decimalOfNumber(a), decimalOfNumber(b)) === 0
  return typeof a === 'string' && typeof b === 'string' ? kept(a) === kept(b) : a === b
}

const withKeptNames = (value: Json): Map<string, unknown> => new Map(Object.entries(value).map(([name, part]) => [kept(name), part]))

/** Returns whether a value that is no array equals an operand that is neither null nor an array. */
function equalsOne(value: unknown, operand: unknown, how: How): boolean {
  if (isObject(operand) && !isDecimal(operand)) return isSame(value, operand)
  if (typeof value === 'boolean') return operand === value || operand === String(value)
  if (typeof operand === 'boolean' || !isScalar(value)) return false
  if (how === 'instant') return isWithin(value, operand, (moment, { begin, next }) => moment >= begin && moment < next)
  return compared(value, how === 'lower' && typeof operand === 'string' ? operand.toLowerCase() : operand, how) === 0
}

/** Returns whether a value is a timestamp that passes the test; nothing else compares on timestamp fields. */
function isWithin(value: unknown, operand: unknown, test: (moment: bigint, span: Span) => boolean): boolean {
  const moment = typeof value === 'string' ? momentOf(kept(value)) : undefined
  const span = typeof operand === 'string' ? spanOf(operand) : undefined
  return moment !== undefined && span !== undefined && test(moment, span)
}

const spanTests: Readonly<Record<OperatorOf<'ordered'>, (moment: bigint, span: Span) => boolean>> = {
  gt: (moment, { next }) => moment >= next,
  gte: (moment, { begin }) => moment >= begin,
  lt: (moment, { begin }) => moment < begin,
  lte: (moment, { next }) => moment < next,
}

/** What an operator tests: the values at a path, with its operand as given and as the type of the path takes it. */
interface Tested {
  readonly path: FieldPath
  readonly values: readonly unknown[]
  readonly operand: unknown
  readonly asked: unknown
}

function isEqual(values: readonly unknown[], operand: unknown, how: How): boolean {
  if (operand === null) return values.every((value) => value === null)
  if (Array.isArray(operand)) return values.some((value) => isSame(value, operand))
  return values.some((value) => (Array.isArray(value) ? value : [value]).some((element) => equalsOne(element, operand, how)))
}

const tests: Readonly<Record<OperatorOf<'ordered'>, (order: number) => boolean>> = {
  gt: (order) => order > 0,
  gte: (order) => order >= 0,
  lt: (order) => order < 0,
  lte: (order) => order <= 0,
}

const isOrdered =
  (operator: OperatorOf<'ordered'>) =>
  ({ path: { how }, values, asked }: Tested): boolean =>
    values
      .flatMap((value) => (Array.isArray(value) ? value : [value]))
      .some((value) => {
        if (how === 'instant') return isWithin(value, asked, spanTests[operator])
        const order = compared(value, asked, how === 'lower' ? 'text' : how)
        return order !== undefined && tests[operator](order)
      })

/** Returns the strings and numbers below values. */
export function leavesOf(values: readonly unknown[]): string[] {
  return values.flatMap((value) => {
    if (typeof value === 'string') return [kept(value)]
    if (isNumber(value)) return [plainText(value)]
    return Array.isArray(value) ? leavesOf(value) : isObject(value) ? leavesOf(Object.values(value)) : []
  })
}

function isFuzzy(words: readonly string[], asked: readonly Asked[]): boolean {
  return asked.every((one) => words.some((word) => matchOf(one, word) > 0))
}

const wordsOf = ({ values }: Tested): string[] => leavesOf(values).flatMap(tokensOf)
const elementsOf = ({ values }: Tested): unknown[] => values.flatMap((value) => (Array.isArray(value) ? value : []))

const meanings: Readonly<Record<FieldOperator, (tested: Tested) => boolean>> = {
  eq: ({ path, values, asked }) => isEqual(values, asked, path.how),
  neq: ({ path, values, asked }) => !isEqual(values, asked, path.how),
  gt: isOrdered('gt'),
  gte: isOrdered('gte'),
  lt: isOrdered('lt'),
  lte: isOrdered('lte'),
  in: ({ path, values, operand }) => (operand as unknown[]).some((each) => isEqual(values, operandFor(path, each), path.how)),
  like: ({ values, operand }) => leavesOf(values).some((leaf) => isLike(leaf, kept(String(operand)))),
  fuzzy: (tested) => isFuzzy(wordsOf(tested), askedOf(String(tested.operand))),
  keyword: (tested) => askedOf(String(tested.operand)).some((one) => wordsOf(tested).some((word) => isKeyword(one, word))),
  contains: (tested) => elementsOf(tested).some((element) => isElement(element, tested.operand, tested.path.how)),
  any: (tested) => elementsOf(tested).some((element) => holds(tested.operand as Json, element, elementScope(tested.path))),
}

const isElement = (element: unknown, operand: unknown, how: How): boolean =>
  operand === null || Array.isArray(operand)
    ? isSame(element, operand)
    : !Array.isArray(element) && equalsOne(element, typeof operand === 'string' ? kept(operand) : operand, how)

/** Returns the scope of a condition within `any`. */
export const elementScope = ({ schema }: FieldPath): Scope => {
  const items = Reflect.get(schema ?? {}, 'items') as Field | undefined
  return { members: membersOf(items), schema: items }
}

/** Returns whether a record (or an element) satisfies a condition. */
function holds(condition: Json, value: unknown, scope: Scope): boolean {
  return Object.entries(condition).every(([operator, operand]) => {
    if (operator === 'not') return !holds(operand as Json, value, scope)
    if (operator === 'and') return (operand as Json[]).every((each) => holds(each, value, scope))
    if (operator === 'or') return (operand as Json[]).some((each) => holds(each, value, scope))
    return Object.entries(operand as Json).every(([field, asked]) => {
      const path = resolvePath(scope, field)
      const tested = { path, values: foundAt(value, path.steps), operand: asked, asked: operandFor(path, asked) }
      return isFieldOperator(operator) && meanings[operator](tested)
    })
  })
}

/** Returns whether a filter finds a record. `record` has all of `fields`, the searchable fields, with null for missing values. */
export const isFound = (fields: Fields, record: Json, filter: Json | undefined): boolean =>
  filter === undefined || holds(filter, record, { members: fields, schema: undefined })

/** Names the fields that `text` of a query looks into: those that hold strings, but times and dates. */
export const wordFields = (fields: Fields): readonly string[] =>
  Object.entries(fields).flatMap(([name, schema]) => {
    const type: unknown = Reflect.get(schema, 'type')
    return [type].flat().includes('string') && Reflect.get(schema, 'format') === undefined ? [name] : []
  })

/** Returns the filter that `text` of a query stands for, and its own filter: each word is in some field. */
export function withWords(fields: Fields, { filter, text }: { readonly filter?: Json; readonly text?: string }): Json | undefined {
  if (text === undefined) return filter
  const words = text.split(/\s+/).filter((word) => askedOf(word).length > 0)
  const found = words.map((word) => ({ or: wordFields(fields).map((name) => ({ fuzzy: { [name]: word } })) }))
  return { and: filter === undefined ? found : [...found, filter] }
}

/** Returns the sort value of a field; undefined for null and for values of another type than declared. */
function sortValue(fields: Fields, record: Json, field: string): string | Decimal | bigint | boolean | undefined {
  const name = nameIn(Object.keys(fields), field) ?? field
  const { how } = declaredBy(fields[name])
  const value = record[name]
  if (typeof value === 'boolean') return value
  if (isNumber(value)) return decimalOfNumber(value)
  if (typeof value !== 'string') return undefined
  return how === 'instant' ? momentOf(kept(value)) : how === 'decimal' ? decimalOfText(kept(value)) : kept(value)
}

function compareSorted(a: ReturnType<typeof sortValue>, b: ReturnType<typeof sortValue>): number {
  if (typeof a === 'string' && typeof b === 'string') return compareCodePoints(a, b)
  if (isDecimal(a) && isDecimal(b)) return compareDecimals(a, b)
  return a === b ? 0 : Number(a ?? 0) < Number(b ?? 0) ? -1 : 1
}

/** A record with its primary key: the parts in order, integers as bigint. */
export interface Kept {
  readonly key: readonly (string | bigint)[]
  readonly record: Json
}

/** Compares primary keys; an integer sorts before a string. */
function compareKeys(a: Kept['key'], b: Kept['key']): number {
  for (const [index, part] of a.entries()) {
    const order = comparePart(part, b[index] ?? '')
    if (order !== 0) return order
  }
  return 0
}

function comparePart(a: string | bigint, b: string | bigint): number {
  if (typeof a === 'string' && typeof b === 'string') return compareCodePoints(a, b)
  if (typeof a === 'bigint' && typeof b === 'bigint') return a < b ? -1 : Number(a > b)
  return typeof a === 'bigint' ? -1 : 1
}

/** An order: a sort, and the relevance of each record if requested. */
export interface Ordering {
  readonly sort: readonly Record<string, 'asc' | 'desc'>[]
  /** Score of `_relevance` in the sort. */
  relevance?(record: Json): number
}

/**
 * Sorts records. A repeated field decides nothing, and nulls are last. The primary key breaks ties in the direction of the last sort key,
 * ascending for relevance.
 */
export function inOrder(fields: Fields, records: readonly Kept[], { sort, relevance }: Ordering): readonly Kept[] {
  const named = sort
    .flatMap((each) => Object.entries(each))
    .map(([field, way]) => [field === '_relevance' ? field : (nameIn(Object.keys(fields), field) ?? field), way] as const)
  const keys = named.filter(([field], index) => named.findIndex(([other]) => other === field) === index)
  const sortedBy = (record: Json, field: string): ReturnType<typeof sortValue> =>
    field === '_relevance' ? BigInt(relevance?.(record) ?? 0) : sortValue(fields, record, field)
  const [last, way] = keys.at(-1) ?? []
  const ties = way === 'desc' && last !== '_relevance' ? -1 : 1
  return records.toSorted((a, b) => {
    for (const [field, direction] of keys) {
      const [left, right] = [sortedBy(a.record, field), sortedBy(b.record, field)]
      if (left === undefined && right === undefined) continue
      if (left === undefined || right === undefined) return left === undefined ? 1 : -1
      const order = compareSorted(left, right)
      if (order !== 0) return direction === 'desc' ? -order : order
    }
    return compareKeys(a.key, b.key) * ties
  })
}

/** Returns the part of a value below paths: nesting stays, arrays fan out, null stays, values without such a part are omitted. */
function partOf(value: unknown, paths: readonly (readonly string[])[]): unknown {
  if (value === null || paths.some((path) => path.length === 0)) return value
  if (Array.isArray(value)) return value.map((element) => partOf(element, paths)).filter((part) => part !== undefined)
  if (!isObject(value)) return undefined
  const names = [...new Set(paths.map(([first = '']) => first))].filter((name) => Object.hasOwn(value, name))
  const parts = names.map(
    (name) =>
      [
        name,
        partOf(
          value[name],
          paths.filter(([first]) => first === name).map((path) => path.slice(1)),
        ),
      ] as const,
  )
  return Object.fromEntries(parts.filter(([, part]) => part !== undefined))
}

/** Returns a record as answered: searchable fields in their order, or those of `fields` in the given one. */
export function answered(fields: Fields, record: Json, chosen: readonly (string | readonly string[])[] = []): Json {
  const paths = chosen.map((path) =>
    followSteps(fields, typeof path === 'string' ? stepsOf(path) : path, undefined).steps.filter((step) => step !== '[]'),
  )
  const names = paths.length === 0 ? Object.keys(fields) : [...new Set(paths.map(([first = '']) => first))]
  const part = (name: string) =>
    paths.length === 0
      ? record[name]
      : partOf(
          record[name],
          paths.filter(([first]) => first === name).map((path) => path.slice(1)),
        )
  return Object.fromEntries(names.map((name) => [name, part(name) ?? null]))
}
