/**
 * Conditions on JSON: on columns of arrays and objects, on paths into them, and on elements within `any`. Values have any type, so each
 * comparison tests the type first. Paths are lax jsonpath: a member of an array is a member of each of its elements.
 */

import type { SearchTable } from '../columns.ts'
import { toLooseText } from '../known-values.ts'
import type { Values } from '../statement.ts'
import type { Condition, FieldPath, Operand, Step, WordsCondition } from '../tree.ts'
import { addCandidates, buildCandidates } from './candidates.ts'
import {
  comparePeriod,
  filterNumbers,
  filterPeriods,
  filterTexts,
  hasNull,
  type JsonSource,
  joinOr,
  matchAny,
  matchPeriods,
  orderOperators,
  type PathCondition,
  quoteColumn,
  type SqlContext,
} from './sql-context.ts'
import { buildWords } from './text.ts'

/** Context of a condition on JSON, and a function that builds conditions within `any`. */
export interface JsonSqlContext extends SqlContext {
  readonly table: SearchTable
  readonly source: JsonSource
  inner(condition: Condition, scene: SqlContext): string
}

type Equals = Extract<PathCondition, { readonly op: 'equals' }>
type Order = Extract<PathCondition, { readonly op: 'order' }>
type Any = Extract<PathCondition, { readonly op: 'any' }>

/** Prints steps as a lax jsonpath. */
export const toJsonPath = (steps: readonly Step[]): string =>
  `$${steps.map((step) => (step === null ? '[*]' : `.${JSON.stringify(step)}`)).join('')}`

/** Queries the values at a path; with `spread` the elements of an array instead of the array. */
export const queryPath = (json: string, { values }: SqlContext, { steps, spread }: { steps: readonly Step[]; spread: boolean }): string =>
  `jsonb_path_query(${json}, ${values.add(toJsonPath(spread ? [...steps, null] : steps), 'jsonpath')})`

/** Filter of a path: strings and numbers. Testing for one ends at the first. */
const isLeaf = ' ? (@.type() == "string" || @.type() == "number")'

/** Returns the elements of an array; no rows for other values. */
const unnestElements = (json: string): string => `jsonb_path_query(${json}, 'strict $[*]', '{}', true)`

const castToText = (value: string): string => `(${value} #>> '{}')`

/** Builds a comparison by the JSON type of the value. Types without a branch do not match. */
const switchJsonType = (value: string, branches: Readonly<Record<string, string | undefined>>): string => {
  const some = Object.entries(branches).flatMap(([type, condition]) =>
    condition === undefined || condition === 'false' ? [] : [`when '${type}' then ${condition}`],
  )
  return some.length === 0 ? 'false' : `case jsonb_typeof(${value}) ${some.join(' ')} end`
}

const buildJsonList = (operands: readonly Operand[], is: 'array' | 'object', values: Values): string | undefined => {
  const found = operands.flatMap((operand) => (operand.is === is ? [operand.json] : []))
  return found.length === 0 ? undefined : `in (select jsonb_array_elements(${values.add(`[${found.join()}]`, 'jsonb')}))`
}

const listBooleanTexts = (operands: readonly Operand[]): readonly string[] =>
  operands.flatMap((operand) =>
    operand.is === 'truth' ? [String(operand.truth)] : operand.is === 'text' && /^(true|false)$/.test(operand.text) ? [operand.text] : [],
  )

/** Builds the equality of a JSON string with one of the operands, by the declared comparison. */
function matchText(
  value: string,
  operands: readonly Operand[],
  { values, compare }: { values: Values; compare: FieldPath['compare'] },
): string {
  const texts = filterTexts(operands)
  const isDecimal = compare === 'decimal'
  const isLower = compare === 'lower'
  const plain = texts.flatMap(({ text, number }) => (isDecimal && number !== undefined ? [] : [isLower ? toLooseText(text) : text]))
  const numbers = [...filterNumbers(operands), ...(isDecimal ? texts.flatMap(({ number }) => number ?? []) : [])]
  return joinOr([
    matchAny(`${isLower ? 'cs_lower' : ''}${castToText(value)}`, { values, found: plain, type: 'text' }),
    matchAny(`cs_number${castToText(value)}`, { values, found: numbers, type: 'numeric' }),
  ])
}

function matchScalar(
  value: string,
  operands: readonly Operand[],
  { values, compare }: { values: Values; compare: FieldPath['compare'] },
): string {
  if (compare === 'instant')
    return switchJsonType(value, { string: matchPeriods(`cs_instant${castToText(value)}`, { values, periods: filterPeriods(operands) }) })
  const numeric = [...filterNumbers(operands), ...filterTexts(operands).flatMap(({ number }) => number ?? [])]
  const objects = buildJsonList(operands, 'object', values)
  return switchJsonType(value, {
    string: matchText(value, operands, { values, compare }),
    number: matchAny(`${value}::numeric`, { values, found: numeric, type: 'numeric' }),
    boolean: matchAny(castToText(value), { values, found: listBooleanTexts(operands), type: 'text' }),
    object: objects && `${value} ${objects}`,
  })
}

/**
 * Builds the equality of a value, or of an element of an array, with one of the operands. An operand that is an array compares with the
 * whole value.
 */
function buildJsonEquality({ path, values: operands }: Equals, scene: JsonSqlContext): string {
  const { values, source } = scene
  const same = matchScalar('e.v', operands, { values, compare: path.compare })
  const arrays = buildJsonList(operands, 'array', values)
  const at = (spread: boolean) => `from ${queryPath(source.raw, scene, { steps: path.steps, spread })} e(v)`
  return joinOr([
    same !== 'false' && `exists (select ${at(true)} where ${same})`,
    arrays && `exists (select ${at(false)} where e.v ${arrays})`,
    hasNull(operands) && `not exists (select ${at(false)} where jsonb_typeof(e.v) <> 'null')`,
  ])
}

/** Compares a JSON scalar with an operand, by the declared comparison. */
function compareScalar({ path, test, value }: Order, values: Values): string {
  if (value.is !== 'text' && value.is !== 'number') return 'false'
  if (path.compare === 'instant') {
    const period = value.is === 'text' ? value.period : undefined
    return switchJsonType('e.v', { string: period && comparePeriod(`cs_instant${castToText('e.v')}`, test, { values, period }) })
  }
  const sql = orderOperators[test]
  const byText = value.is === 'text' ? `${castToText('e.v')} ${sql} ${values.add(value.text, 'text')}` : undefined
  const number = value.number === undefined ? undefined : values.add(value.number, 'numeric')
  const byNumber = number === undefined ? undefined : `cs_number${castToText('e.v')} ${sql} ${number}`
  const isDecimal = path.compare === 'decimal' && byNumber !== undefined
  return switchJsonType('e.v', {
    string: value.is === 'number' ? byNumber : isDecimal ? `coalesce(${byNumber}, ${byText})` : byText,
    number: number === undefined ? undefined : `(e.v)::numeric ${sql} ${number}`,
  })
}

/**
 * Builds the filter of a path that leaves the values which an order can hold for; undefined where that would be every string. A path tests
 * values in place. Taking them out of the record costs three times as much. Strings of a path compare by code points too.
 */
function filterOrdered({ path, test, value }: Order): string | undefined {
  if (path.compare === 'instant' || (value.is !== 'text' && value.is !== 'number')) return undefined
  const sign = orderOperators[test]
  const ofNumbers = value.number === undefined ? [] : [`(@.type() == "number" && @ ${sign} ${value.number})`]
  const isText = value.is === 'text' && (path.compare !== 'decimal' || value.number === undefined)
  const ofStrings = isText ? `(@.type() == "string" && @ ${sign} ${JSON.stringify(value.text)})` : '@.type() == "string"'
  return ` ? (${[...ofNumbers, ofStrings].join(' || ')})`
}

function buildJsonOrder(condition: Order, scene: JsonSqlContext): string {
  const { values, source } = scene
  const { steps } = condition.path
  const filter = filterOrdered(condition)
  const can = filter && `jsonb_path_exists(${source.raw}, ${values.add(toJsonPath([...steps, null]) + filter, 'jsonpath')})`
  const ordered = compareScalar(condition, values)
  const holds = `exists (select from ${queryPath(source.raw, scene, { steps, spread: true })} e(v) where ${ordered})`
  return can === undefined ? holds : `(${can} and ${holds})`
}

/** Queries a JSON value and its folded twin together. Both have the same shape, so their values have the same order. */
const queryTwins = ({ raw, folded }: JsonSource, write: (json: string) => string): string => `rows from (${write(raw)}, ${write(folded)})`

/**
 * Selects the words of all strings and numbers below the values at some paths, one after the other: from the second on, below the elements
 * of the arrays at the path before. The folded twin is there for the whole row or not at all.
 */
function selectLeafWords(paths: readonly FieldPath[], scene: Omit<JsonSqlContext, 'inner'>): string {
  const { raw, folded } = scene.source
  const from: string[] = []
  let json = `coalesce(${folded}, ${raw})`
  for (const [index, { steps }] of paths.entries()) {
    if (index > 0) from.push(`${unnestElements(json)} e${index}(v)`)
    from.push(`${queryPath(index > 0 ? `e${index}.v` : json, scene, { steps, spread: false })} a${index}(v)`)
    json = `a${index}.v`
  }
  return `cs_leaf_words((select string_agg(leaf, ' ') from ${from.join(', ')}, cs_leaves(${json}) leaf), ${folded} is not null)`
}

function selectWords(path: FieldPath, scene: Omit<JsonSqlContext, 'inner'>): string {
  const isStored = path.column?.terms !== undefined && path.steps.length === 0
  return isStored ? quoteColumn(path.column.terms) : selectLeafWords([path], scene)
}

/** Selects the words of everything that nested paths lead to. All elements of the arrays of `any` count. */
export const selectNestedWords = (paths: readonly FieldPath[], scene: Omit<JsonSqlContext, 'inner'>): string => {
  const [only] = paths
  return paths.length === 1 && only !== undefined ? selectWords(only, scene) : selectLeafWords(paths, scene)
}

function buildAny({ path, of }: Any, scene: JsonSqlContext): string {
  const depth = scene.depth + 1
  const arrays = queryTwins(scene.source, (json) => queryPath(json, scene, { steps: path.steps, spread: false }))
  const elements = queryTwins({ raw: `a${depth}.v`, folded: `a${depth}.w` }, unnestElements)
  const inner = scene.inner(of, { values: scene.values, depth, element: { raw: `e${depth}.v`, folded: `e${depth}.w` } })
  return `exists (select from ${arrays} a${depth}(v, w), ${elements} e${depth}(v, w) where ${inner})`
}

function buildContains({ path, value }: Extract<PathCondition, { readonly op: 'contains' }>, scene: JsonSqlContext): string {
  const { values, source } = scene
  const found = queryPath(source.raw, scene, { steps: path.steps, spread: false })
  const array = buildJsonList([value], 'array', values)
  const compare = path.compare
  const same =
    value.is === 'null'
      ? `jsonb_typeof(e.v) = 'null'`
      : array === undefined
        ? matchScalar('e.v', [value], { values, compare })
        : `e.v ${array}`
  return `exists (select from ${found} a(v), ${unnestElements('a.v')} e(v) where ${same})`
}

function buildJsonLike({ path, pattern }: Extract<PathCondition, { readonly op: 'like' }>, scene: JsonSqlContext): string {
  const { values, source } = scene
  if (pattern.isAnything) return `jsonb_path_exists(${source.raw}, ${values.add(`${toJsonPath(path.steps)}.**${isLeaf}`, 'jsonpath')})`
  const found = queryPath(source.raw, scene, { steps: path.steps, spread: false })
  return `exists (select from ${found} f(v), cs_leaves(f.v) leaf where leaf like ${values.add(pattern.sql, 'text')})`
}

/** Builds a condition on words. Candidates look at the whole column, so below a path they never decide. */
function buildJsonWords(condition: WordsCondition, candidates: readonly string[], scene: JsonSqlContext): string {
  const { op, path } = condition
  const { values } = scene
  const words = selectWords(path, scene)
  if (op === 'keyword' && path.steps.length > 0) return addCandidates(buildWords(condition, words, { candidates: [], values }), candidates)
  const built = buildWords(condition, words, { candidates, values })
  return op === 'fuzzy' && candidates.length > 0 ? `(${built})` : built
}

function buildPlainCondition(condition: Exclude<PathCondition, WordsCondition>, scene: JsonSqlContext): string {
  switch (condition.op) {
    case 'equals':
      return buildJsonEquality(condition, scene)
    case 'order':
      return buildJsonOrder(condition, scene)
    case 'like':
      return buildJsonLike(condition, scene)
    case 'contains':
      return buildContains(condition, scene)
    case 'any':
      return buildAny(condition, scene)
  }
}

/** Builds a condition on JSON. */
export function buildJsonCondition(condition: PathCondition, scene: JsonSqlContext): string {
  const { column } = condition.path
  const candidates = column === undefined ? [] : buildCandidates(condition, { table: scene.table, column, values: scene.values })
  if ('tokens' in condition) return buildJsonWords(condition, candidates, scene)
  return addCandidates(buildPlainCondition(condition, scene), candidates)
}
