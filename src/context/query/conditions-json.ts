/**
 * Conditions on JSON: on columns of arrays and objects, on paths into them, and on elements within `any`. Values are what they are, so
 * each comparison asks for their type first. Paths are lax jsonpath: a member of an array is a member of each of its elements.
 */
import { impliedBy, withCandidates } from './candidates.ts'
import type { SearchTable } from './columns.ts'
import {
  among,
  besidePeriod,
  either,
  hasNull,
  type JsonSource,
  numbersOf,
  orderSql,
  type PlaceCondition,
  periodsOf,
  type Scene,
  textsOf,
  withinPeriods,
} from './scene.ts'
import type { Values } from './statement.ts'
import { fuzzySql, keywordSql } from './text-conditions.ts'
import type { Condition, Operand, Place, Step } from './tree.ts'

/** A condition's surroundings, and how conditions within `any` are written. */
export interface JsonScene extends Scene {
  readonly table: SearchTable
  readonly source: JsonSource
  inner(condition: Condition, scene: Scene): string
}

type Equals = Extract<PlaceCondition, { readonly op: 'equals' }>
type Order = Extract<PlaceCondition, { readonly op: 'order' }>
type Any = Extract<PlaceCondition, { readonly op: 'any' }>

const pathOf = (steps: readonly Step[]): string => `$${steps.map((step) => (step === null ? '[*]' : `.${JSON.stringify(step)}`)).join('')}`

/** What is found at the steps; with `spread` the elements of an array that lies there in its place. */
const foundAt = (json: string, { values }: Scene, { steps, spread }: { steps: readonly Step[]; spread: boolean }): string =>
  `jsonb_path_query(${json}, ${values.add(pathOf(spread ? [...steps, null] : steps), 'jsonpath')})`

/** The elements of an array; nothing for what is none. */
const elementsOf = (json: string): string => `jsonb_path_query(${json}, 'strict $[*]', '{}', true)`

const textOf = (value: string): string => `(${value} #>> '{}')`

/** Branches of a comparison, by the JSON type of the value; no branch, no match. */
const byJsonType = (value: string, branches: Readonly<Record<string, string | undefined>>): string => {
  const some = Object.entries(branches).flatMap(([type, condition]) =>
    condition === undefined || condition === 'false' ? [] : [`when '${type}' then ${condition}`],
  )
  return some.length === 0 ? 'false' : `case jsonb_typeof(${value}) ${some.join(' ')} end`
}

const jsonList = (operands: readonly Operand[], is: 'array' | 'object', values: Values): string | undefined => {
  const found = operands.flatMap((operand) => (operand.is === is ? [operand.json] : []))
  return found.length === 0 ? undefined : `in (select jsonb_array_elements(${values.add(`[${found.join()}]`, 'jsonb')}))`
}

/** Texts that a truth value equals. */
const truthTexts = (operands: readonly Operand[]): readonly string[] =>
  operands.flatMap((operand) =>
    operand.is === 'truth' ? [String(operand.truth)] : operand.is === 'text' && /^(true|false)$/.test(operand.text) ? [operand.text] : [],
  )

/** In lower case as `cs_lower` makes it. */
const lowered = (text: string): string => text.toLowerCase().replaceAll('ς', 'σ')

/** Whether a text in JSON equals one of the operands, as it is declared to be compared. */
function sameText(value: string, operands: readonly Operand[], { values, compare }: { values: Values; compare: Place['compare'] }): string {
  const texts = textsOf(operands)
  const isDecimal = compare === 'decimal'
  const isLower = compare === 'lower'
  const plain = texts.flatMap(({ text, number }) => (isDecimal && number !== undefined ? [] : [isLower ? lowered(text) : text]))
  const numbers = [...numbersOf(operands), ...(isDecimal ? texts.flatMap(({ number }) => number ?? []) : [])]
  return either([
    among(`${isLower ? 'cs_lower' : ''}${textOf(value)}`, { values, found: plain, type: 'text' }),
    among(`cs_number${textOf(value)}`, { values, found: numbers, type: 'numeric' }),
  ])
}

/** Whether a value that is no array equals one of the operands. */
function sameAs(value: string, operands: readonly Operand[], { values, compare }: { values: Values; compare: Place['compare'] }): string {
  if (compare === 'instant')
    return byJsonType(value, { string: withinPeriods(`cs_instant${textOf(value)}`, { values, periods: periodsOf(operands) }) })
  const numeric = [...numbersOf(operands), ...textsOf(operands).flatMap(({ number }) => number ?? [])]
  const objects = jsonList(operands, 'object', values)
  return byJsonType(value, {
    string: sameText(value, operands, { values, compare }),
    number: among(`${value}::numeric`, { values, found: numeric, type: 'numeric' }),
    boolean: among(textOf(value), { values, found: truthTexts(operands), type: 'text' }),
    object: objects && `${value} ${objects}`,
  })
}

/** The value, or an element of it when it is an array, is one of the operands; an array as operand is the value as a whole. */
function equalsJson({ place, values: operands }: Equals, scene: JsonScene): string {
  const { values, source } = scene
  const same = sameAs('e.v', operands, { values, compare: place.compare })
  const arrays = jsonList(operands, 'array', values)
  const at = (spread: boolean) => `from ${foundAt(source.raw, scene, { steps: place.steps, spread })} e(v)`
  return either([
    same !== 'false' && `exists (select ${at(true)} where ${same})`,
    arrays && `exists (select ${at(false)} where e.v ${arrays})`,
    hasNull(operands) && `not exists (select ${at(false)} where jsonb_typeof(e.v) <> 'null')`,
  ])
}

/** How a scalar in JSON lies to an operand, as it is declared to be compared. */
function orderedBy({ place, test, value }: Order, values: Values): string {
  if (value.is !== 'text' && value.is !== 'number') return 'false'
  if (place.compare === 'instant') {
    const period = value.is === 'text' ? value.period : undefined
    return byJsonType('e.v', { string: period && besidePeriod(`cs_instant${textOf('e.v')}`, test, { values, period }) })
  }
  const sql = orderSql[test]
  const byText = value.is === 'text' ? `${textOf('e.v')} ${sql} ${values.add(value.text, 'text')}` : undefined
  const number = value.number === undefined ? undefined : values.add(value.number, 'numeric')
  const byNumber = number === undefined ? undefined : `cs_number${textOf('e.v')} ${sql} ${number}`
  const isDecimal = place.compare === 'decimal' && byNumber !== undefined
  return byJsonType('e.v', {
    string: value.is === 'number' ? byNumber : isDecimal ? `coalesce(${byNumber}, ${byText})` : byText,
    number: number === undefined ? undefined : `(e.v)::numeric ${sql} ${number}`,
  })
}

function orderJson(condition: Order, scene: JsonScene): string {
  const { values, source } = scene
  const { place } = condition
  const ordered = orderedBy(condition, values)
  return `exists (select from ${foundAt(source.raw, scene, { steps: place.steps, spread: true })} e(v) where ${ordered})`
}

/** A value of JSON and its twin, side by side: the two have the same shape, so they are found in the same order. */
const sideBySide = ({ raw, folded }: JsonSource, write: (json: string) => string): string => `rows from (${write(raw)}, ${write(folded)})`

function wordsSql(place: Place, scene: Omit<JsonScene, 'inner'>): string {
  if (place.column?.terms !== undefined && place.steps.length === 0) return `t."${place.column.terms.replaceAll('"', '""')}"`
  const found = sideBySide(scene.source, (json) => foundAt(json, scene, { steps: place.steps, spread: false }))
  return `array(select cs_json_words(f.v, f.w) from ${found} f(v, w))`
}

/**
 * The words of all that a way of places leads to: those of the arrays of `any`, each with all its elements, and at last that of the
 * condition itself.
 */
export function wordsWithin([...places]: readonly Place[], scene: Omit<JsonScene, 'inner'>): string {
  const last = places.pop()
  if (last !== undefined && places.length === 0) return wordsSql(last, scene)
  const from: string[] = []
  let source = scene.source
  for (const [index, { steps }] of places.entries()) {
    from.push(`${sideBySide(source, (json) => foundAt(json, scene, { steps, spread: false }))} a${index}(v, w)`)
    from.push(`${sideBySide({ raw: `a${index}.v`, folded: `a${index}.w` }, elementsOf)} e${index}(v, w)`)
    source = { raw: `e${index}.v`, folded: `e${index}.w` }
  }
  from.push(`${sideBySide(source, (json) => foundAt(json, scene, { steps: last?.steps ?? [], spread: false }))} f(v, w)`)
  return `array(select cs_json_words(f.v, f.w) from ${from.join(', ')})`
}

function anyJson({ place, of }: Any, scene: JsonScene): string {
  const depth = scene.depth + 1
  const arrays = sideBySide(scene.source, (json) => foundAt(json, scene, { steps: place.steps, spread: false }))
  const elements = sideBySide({ raw: `a${depth}.v`, folded: `a${depth}.w` }, elementsOf)
  const inner = scene.inner(of, { values: scene.values, depth, element: { raw: `e${depth}.v`, folded: `e${depth}.w` } })
  return `exists (select from ${arrays} a${depth}(v, w), ${elements} e${depth}(v, w) where ${inner})`
}

function containsJson({ place, value }: Extract<PlaceCondition, { readonly op: 'contains' }>, scene: JsonScene): string {
  const { values, source } = scene
  const found = foundAt(source.raw, scene, { steps: place.steps, spread: false })
  const array = jsonList([value], 'array', values)
  const compare = place.compare
  const same =
    value.is === 'null' ? `jsonb_typeof(e.v) = 'null'` : array === undefined ? sameAs('e.v', [value], { values, compare }) : `e.v ${array}`
  return `exists (select from ${found} a(v), ${elementsOf('a.v')} e(v) where ${same})`
}

function likeJson({ place, pattern }: Extract<PlaceCondition, { readonly op: 'like' }>, scene: JsonScene): string {
  const found = foundAt(scene.source.raw, scene, { steps: place.steps, spread: false })
  return `exists (select from ${found} f(v), cs_leaves(f.v) leaf where leaf like ${scene.values.add(pattern.sql, 'text')})`
}

function plainCondition(condition: PlaceCondition, scene: JsonScene): string {
  switch (condition.op) {
    case 'equals':
      return equalsJson(condition, scene)
    case 'order':
      return orderJson(condition, scene)
    case 'like':
      return likeJson(condition, scene)
    case 'fuzzy':
      return fuzzySql(wordsSql(condition.place, scene), condition.tokens, scene)
    case 'keyword':
      return keywordSql(wordsSql(condition.place, scene), condition.tokens, { candidates: [], values: scene.values })
    case 'contains':
      return containsJson(condition, scene)
    case 'any':
      return anyJson(condition, scene)
  }
}

/** A condition on JSON. */
export function jsonCondition(condition: PlaceCondition, scene: JsonScene): string {
  const { column, steps } = condition.place
  const candidates = column === undefined ? [] : impliedBy(condition, { table: scene.table, column, values: scene.values })
  if (condition.op === 'keyword' && steps.length === 0)
    return keywordSql(wordsSql(condition.place, scene), condition.tokens, { candidates, values: scene.values })
  const plain = plainCondition(condition, scene)
  return condition.op === 'fuzzy' && candidates.length > 0
    ? `(${candidates.join(' and ')} and ${plain})`
    : withCandidates(plain, candidates)
}
