/**
 * Conditions on JSON: on columns of arrays and objects, on paths into them, and on elements within `any`. Values are what they are, so
 * each comparison asks for their type first. Paths are lax jsonpath: a member of an array is a member of each of its elements.
 */
import { impliedBy, withCandidates } from './candidates.ts'
import { among, either, hasNull, type JsonSource, numbersOf, orderSql, type PlaceCondition, type Scene, textsOf } from './scene.ts'
import type { Values } from './statement.ts'
import type { Condition, Operand, Place, Step } from './tree.ts'

/** A condition's surroundings, and how conditions within `any` are written. */
export interface JsonScene extends Scene {
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

/** How a text in JSON is read where it is declared a moment or a decimal number. */
const readings = {
  text: undefined,
  instant: {
    function: 'cs_instant',
    type: 'int8',
    read: (operand: Operand) => (operand.is === 'text' ? operand.instant?.toString() : undefined),
  },
  decimal: { function: 'cs_number', type: 'numeric', read: (operand: Operand) => (operand.is === 'text' ? operand.number : undefined) },
} as const

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

/** Whether a value that is no array equals one of the operands. */
function sameAs(value: string, operands: readonly Operand[], { values, compare }: { values: Values; compare: Place['compare'] }): string {
  const reading = readings[compare]
  const texts = textsOf(operands)
  const plain = texts.filter((operand) => reading?.read(operand) === undefined).map(({ text }) => text)
  const numbers = numbersOf(operands)
  const numeric = [...numbers, ...texts.flatMap(({ number }) => number ?? [])]
  const read = reading === undefined ? [] : texts.flatMap((operand) => reading.read(operand) ?? [])
  const objects = jsonList(operands, 'object', values)
  return byJsonType(value, {
    string: either([
      among(textOf(value), { values, found: plain, type: 'text' }),
      reading && among(`${reading.function}${textOf(value)}`, { values, found: read, type: reading.type }),
      among(`cs_number${textOf(value)}`, { values, found: numbers, type: 'numeric' }),
    ]),
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

function orderJson({ place, test, value }: Order, scene: JsonScene): string {
  if (value.is !== 'text' && value.is !== 'number') return 'false'
  const { values, source } = scene
  const sql = orderSql[test]
  const reading = readings[place.compare]
  const read = reading?.read(value)
  const byText = value.is === 'text' ? `${textOf('e.v')} ${sql} ${values.add(value.text, 'text')}` : undefined
  const asRead =
    reading !== undefined && read !== undefined ? `${reading.function}${textOf('e.v')} ${sql} ${values.add(read, reading.type)}` : undefined
  const number = value.number === undefined ? undefined : values.add(value.number, 'numeric')
  const ordered = byJsonType('e.v', {
    string:
      value.is === 'number'
        ? `cs_number${textOf('e.v')} ${sql} ${number}`
        : asRead === undefined
          ? byText
          : `coalesce(${asRead}, ${byText})`,
    number: number === undefined ? undefined : `(e.v)::numeric ${sql} ${number}`,
  })
  return `exists (select from ${foundAt(source.raw, scene, { steps: place.steps, spread: true })} e(v) where ${ordered})`
}

/** A value of JSON and its twin, side by side: the two have the same shape, so they are found in the same order. */
const sideBySide = ({ raw, folded }: JsonSource, write: (json: string) => string): string => `rows from (${write(raw)}, ${write(folded)})`

function wordsSql(place: Place, scene: JsonScene): string {
  if (place.column?.terms !== undefined && place.steps.length === 0) return `t."${place.column.terms.replaceAll('"', '""')}"`
  const found = sideBySide(scene.source, (json) => foundAt(json, scene, { steps: place.steps, spread: false }))
  return `array(select cs_json_words(f.v, f.w) from ${found} f(v, w))`
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
      return `cs_fuzzy(${wordsSql(condition.place, scene)}, ${scene.values.add(condition.words, 'text[]')})`
    case 'keyword':
      return `${wordsSql(condition.place, scene)} && ${scene.values.add(condition.words, 'text[]')}`
    case 'contains':
      return containsJson(condition, scene)
    case 'any':
      return anyJson(condition, scene)
  }
}

/** A condition on JSON. */
export function jsonCondition(condition: PlaceCondition, scene: JsonScene): string {
  const { column, steps } = condition.place
  const candidates = column === undefined ? [] : impliedBy(condition, { column, values: scene.values })
  const [only] = candidates
  if (condition.op === 'keyword' && steps.length === 0 && only !== undefined) return only
  const plain = plainCondition(condition, scene)
  return condition.op === 'fuzzy' && candidates.length > 0
    ? `(${candidates.join(' and ')} and ${plain})`
    : withCandidates(plain, candidates)
}
