/** Draws valid queries over a generated world: all operators, nested, with values of the records. */
import type { Field, Fields } from '../../packages/ferrule/src/definition/fields.ts'
import {
  type FieldOperator,
  fieldOperators,
  findUnsuited,
  operators,
  type SearchFieldType,
} from '../../packages/ferrule/src/definition/operators.ts'
import type { World } from './generate.ts'
import * as draw from './generate-values.ts'
import { wordFields } from './oracle.ts'
import { declaredBy, isNumber, isObject, type Json, membersOf } from './oracle-paths.ts'
import { relevanceOf } from './oracle-relevance.ts'
import { askedOf, tokensOf } from './oracle-tokens.ts'
import { decimalOfText, spanOf } from './oracle-values.ts'
import type { Random } from './random.ts'

/** A path that a query can name, with a value there in some record. */
export interface Spot {
  readonly path: string
  readonly schema: Field | undefined
  readonly value: unknown
}

/** Paths by name that conditions are drawn for. */
export interface Aim {
  spot(random: Random): Spot | undefined
}

/** Parameters of a search. */
export interface DrawnQuery {
  readonly query: { readonly filter?: Json; readonly text?: string; readonly sort?: readonly Record<string, 'asc' | 'desc'>[] }
  readonly limit?: number
  readonly fields?: readonly (string | readonly string[])[]
}

const itemsOf = (schema: Field | undefined): Field | undefined => Reflect.get(schema ?? {}, 'items') as Field | undefined

/** Draws a member, mostly an existing one. */
function memberOf(random: Random, members: Fields | undefined, holder: unknown): string {
  const there = isObject(holder) ? Object.keys(holder).filter((name) => members === undefined || name in members) : []
  if (there.length > 0 && random.chance(0.9)) return random.pick(there)
  return members === undefined ? 'name' : random.pick(Object.keys(members))
}

/** Filters the elements that are not empty, if there are some. */
const telling = (elements: readonly unknown[]): readonly unknown[] => {
  const some = elements.filter((element) => !isObject(element) || Object.keys(element).length > 0)
  return some.length > 0 ? some : [null]
}

/** Walks some steps below a value, as far as documented. */
function walk(random: Random, { path, schema, value }: Spot): Spot {
  const { type } = declaredBy(schema)
  if (['string', 'integer', 'number', 'boolean'].includes(type) || random.chance(isObject(value) || Array.isArray(value) ? 0.3 : 0.95))
    return { path, schema, value }
  if (Array.isArray(value) && random.chance(0.3)) {
    const isDeclared = type === 'object' && membersOf(schema) !== undefined
    return isDeclared
      ? { path, schema, value }
      : walk(random, { path: `${path}[]`, schema: itemsOf(schema), value: random.pick(telling(value)) })
  }
  const members = membersOf(schema)
  const holder = Array.isArray(value) ? random.pick(telling(value)) : value
  const isScalarList = type === 'array' && ['string', 'integer', 'number', 'boolean'].includes(declaredBy(itemsOf(schema)).type)
  if (isScalarList) return { path, schema, value }
  const name = memberOf(random, members, holder)
  const below = isObject(holder) && Object.hasOwn(holder, name) ? holder[name] : undefined
  return walk(random, { path: `${path}.${name}`, schema: members?.[name], value: below })
}

const otherSpelling = (random: Random, name: string): string =>
  random.chance(0.9) ? name : random.pick([name.toUpperCase(), name.replaceAll('_', ''), name.replace(/([A-Z])/g, '_$1').toLowerCase()])

/** Draws a value of a field, mostly one that is not empty. */
function valueIn(random: Random, records: World['kept'], name: string): unknown {
  const drawn = Array.from({ length: 3 }, () => random.pick(records).record[name])
  return drawn.find((value) => value !== null && telling([value].flat())[0] !== null) ?? drawn[0]
}

export const aimAtRecords = ({ fields, kept }: World): Aim => ({
  spot: (random) => {
    const name = random.pick(Object.keys(fields))
    return walk(random, { path: otherSpelling(random, name), schema: fields[name], value: valueIn(random, kept, name) })
  },
})

const aimAtElements = (schema: Field | undefined, elements: readonly unknown[]): Aim => ({
  spot: (random) => {
    const items = itemsOf(schema)
    const members = membersOf(items)
    const element = random.pick(telling(elements))
    const scalar = ['string', 'integer', 'number', 'boolean'].includes(declaredBy(items).type)
    if (scalar) return undefined
    if (!isObject(element) && members === undefined) return { path: '[]', schema: undefined, value: element }
    const name = memberOf(random, members, element)
    const below = isObject(element) && Object.hasOwn(element, name) ? element[name] : undefined
    return walk(random, { path: name, schema: members?.[name], value: below })
  },
})

const scalarNear = (random: Random, value: unknown): unknown => {
  if (Array.isArray(value)) return value.length === 0 ? draw.text(random) : scalarNear(random, random.pick(value))
  if (isNumber(value))
    return random.chance(0.6) ? value : random.chance(0.5) ? String(value) : random.chance(0.5) ? draw.number(random) : draw.integer(random)
  if (typeof value === 'string') return random.chance(0.6) ? value : random.pick([draw.text, draw.decimal, draw.time, draw.integer])(random)
  return random.pick([draw.text, draw.integer, draw.number, draw.time, draw.decimal])(random)
}

/** Draws an operand of a type; `order` excludes null, booleans, arrays and objects. */
function operand(random: Random, { schema, value }: Spot, use: 'equal' | 'order'): unknown {
  const { type, how } = declaredBy(schema)
  if (use === 'equal' && random.chance(0.06)) return null
  if (how === 'instant') return use === 'equal' && type === 'array' && random.chance(0.1) ? value : moment(random, value)
  if (how === 'lower' && use === 'equal') return otherCase(random, schema, value)
  if (type === 'boolean') return random.pick([true, false, 'true', 'false'])
  const near = scalarNear(random, value)
  if (type === 'integer' || type === 'number') {
    const isNumeric = isNumber(near) || (typeof near === 'string' && decimalOfText(near) !== undefined)
    return isNumeric ? near : random.chance(0.5) ? draw.integer(random) : draw.number(random)
  }
  if (type === 'string' || use === 'order') return typeof near === 'string' || isNumber(near) ? near : draw.text(random)
  if (random.chance(0.25)) return value ?? null
  return random.chance(0.15) ? draw.anything(random, 2) : random.chance(0.1) ? random.chance(0.5) : near
}

/** Draws a timestamp: an existing one, a part of it, or another. */
function moment(random: Random, value: unknown): string {
  const near = random.chance(0.5) ? [value].flat()[0] : draw.time(random)
  if (typeof near !== 'string' || spanOf(near) === undefined) return draw.partialTime(random)
  return random.chance(0.4) ? near.slice(0, random.pick([4, 7, 10])) : near
}

/** Draws a known or stored string in any case; sometimes one that no record has. */
function otherCase(random: Random, schema: Field | undefined, value: unknown): string {
  const known = (itemsOf(schema) ?? schema)?.['x-known-values'] ?? []
  const stored = Array.isArray(value) ? value[0] : value
  if (random.chance(0.2)) return random.pick(['Nowhere', 'Inbuond', '7'])
  const chosen = typeof stored === 'string' && random.chance(0.6) ? stored : random.pick(known)
  return random.pick([chosen, chosen.toLowerCase(), chosen.toUpperCase()])
}

const texts = (value: unknown): string[] =>
  typeof value === 'string'
    ? [value]
    : isNumber(value)
      ? [String(value)]
      : Array.isArray(value)
        ? value.flatMap(texts)
        : isObject(value)
          ? Object.values(value).flatMap(texts)
          : []

function pattern(random: Random, value: unknown): string {
  const found = [...texts(value), draw.text(random)]
  const characters = [...random.pick(found)]
  const from = random.below(characters.length + 1)
  const part = characters.slice(from, from + 1 + random.below(8))
  if (part.length > 0 && random.chance(0.2)) part[random.below(part.length)] = random.pick(['_', '%', '\\', '\\%', '\\_'])
  return random.pick(['%', '', '', '%']) + part.join('') + random.pick(['%', '', '%', '\\'].slice(0, random.chance(0.9) ? 3 : 4))
}

function query(random: Random, value: unknown): string {
  const words = texts(value).flatMap(tokensOf)
  const chosen = Array.from({ length: 1 + random.below(3) }, () =>
    words.length > 0 && random.chance(0.5) ? typo(random, random.pick(words)) : draw.word(random),
  )
  const text = chosen.join(random.pick([' ', '-', ', ', '\u0301 ']))
  const tokens = askedOf(text)
  return tokens.length === 0 || tokens.some(({ token }) => [...token].length > 250) ? 'renewal' : text
}

function typo(random: Random, word: string): string {
  const characters = [...word]
  if (random.chance(0.5)) return word
  for (let edits = 1 + random.below(2); edits > 0; edits--) {
    const at = random.below(characters.length + 1)
    if (random.chance(0.4)) characters.splice(at, 2, ...characters.slice(at, at + 2).toReversed())
    else characters.splice(at, random.below(2), ...(random.chance(0.5) ? ['e'] : []))
  }
  return characters.join('') || word
}

const listSuited = (type: SearchFieldType) => fieldOperators.filter((operator) => findUnsuited(operator, type) === undefined)
const scalarOperators = listSuited('text')
const operatorsOf: Readonly<Record<string, readonly FieldOperator[]>> = {
  boolean: listSuited('boolean'),
  object: listSuited('object'),
  array: [...listSuited('array'), 'any'],
  any: listSuited('any'),
}

function operandOf(random: Random, operator: FieldOperator, spot: Spot): { value: unknown } | undefined {
  const { form } = operators[operator]
  if (form === 'value') return { value: operand(random, spot, 'equal') }
  if (form === 'values') return { value: random.many(4, () => operand(random, spot, 'equal')) }
  if (form === 'text') return { value: pattern(random, spot.value) }
  if (form === 'words') return { value: query(random, spot.value) }
  if (form === 'element' && declaredBy(spot.schema).how === 'instant') return { value: operand(random, spot, 'equal') }
  if (form === 'element')
    return {
      value: random.chance(0.2)
        ? draw.anything(random, 2)
        : Array.isArray(spot.value) && spot.value.length > 0
          ? random.pick(spot.value)
          : null,
    }
  if (form !== 'elements') return { value: operand(random, spot, 'order') }
  const elements = Array.isArray(spot.value) ? spot.value : []
  if (elements.length === 0 && random.chance(0.8)) return undefined
  return { value: condition(random, aimAtElements(spot.schema, [...elements, null]), 1) }
}

function leaf(random: Random, aim: Aim): Json {
  const operator = random.pick(scalarOperators)
  const fields: Json = {}
  const count = random.chance(0.9) ? 1 : 2
  let chosen = operator
  for (let index = 0; index < count; index++) {
    const spot = aim.spot(random)
    if (spot === undefined) continue
    const allowed = operatorsOf[declaredBy(spot.schema).type] ?? scalarOperators
    if (index === 0) chosen = random.pick(allowed)
    const drawn = allowed.includes(chosen) ? operandOf(random, chosen, spot) : undefined
    if (drawn !== undefined) fields[spot.path] = drawn.value
  }
  return { [chosen]: fields }
}

/** Draws a condition of at most `depth` levels. */
function condition(random: Random, aim: Aim, depth: number): Json {
  const kind = depth > 0 ? random.below(10) : 9
  const inner = () => condition(random, aim, depth - 1)
  if (kind === 0) return { not: inner() }
  if (kind === 1) return { and: random.many(3, inner) }
  if (kind === 2) return { or: [inner(), ...random.many(2, inner)] }
  if (kind === 3) return { ...leaf(random, aim), ...leaf(random, aim), not: inner() }
  return leaf(random, aim)
}

/** Draws words of a record, for any field that holds strings; undefined without such a field. */
function wordsOf(random: Random, { fields, kept }: World): string | undefined {
  const names = wordFields(fields)
  return names.length === 0 ? undefined : query(random, valueIn(random, kept, random.pick(names)))
}

const sortable = (fields: Fields): string[] =>
  Object.keys(fields).filter((name) => ['string', 'integer', 'number', 'boolean'].includes(declaredBy(fields[name]).type))

/** Draws a valid search. */
export function drawQuery(random: Random, world: World): DrawnQuery {
  const aim = aimAtRecords(world)
  const columns = sortable(world.fields)
  const sort: Record<string, 'asc' | 'desc'>[] =
    columns.length === 0 || random.chance(0.4)
      ? []
      : random.many(3, () => ({ [random.pick(columns)]: random.pick(['asc', 'desc'] as const) }))
  const filter = random.chance(0.08) ? undefined : condition(random, aim, 3)
  const text = random.chance(0.1) ? wordsOf(random, world) : undefined
  const isRanked = random.chance(0.4) && (text !== undefined || relevanceOf(world.fields, {}, filter) !== undefined)
  if (isRanked) sort.splice(random.below(sort.length + 1), 0, { _relevance: 'desc' })
  const fields = random.chance(0.6) ? [] : random.many(4, () => aim.spot(random)?.path ?? '').filter((path) => path !== '')
  return {
    query: {
      ...(filter === undefined ? {} : { filter }),
      ...(text === undefined ? {} : { text }),
      ...(sort.length === 0 && random.chance(0.5) ? {} : { sort }),
    },
    ...(random.chance(0.2) ? {} : { limit: 1 + random.below(world.kept.length + 2) }),
    ...(fields.length === 0 ? {} : { fields }),
  }
}
