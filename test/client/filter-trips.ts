/** Random filters that are printed as text and parsed, and what the service makes of them before and after. */
import { expect } from 'vitest'
import { open, str } from '../../packages/ferrule/src/definition/fields.ts'
import {
  type FilterOperator,
  fieldOperators,
  filterOperators,
  isFieldOperator,
  type OperandForm,
  operators,
} from '../../packages/ferrule/src/definition/operators.ts'
import { formatFilter } from '../../packages/ferrule/src/values/filter/format.ts'
import { parseFilter } from '../../packages/ferrule/src/values/filter/parse.ts'
import { writeJson } from '../../packages/ferrule/src/values/json/json.ts'
import { buildSearchTable, type SearchTable } from '../../packages/server/src/copies/search/columns.ts'
import { parseSearch } from '../../packages/server/src/copies/search/parse.ts'
import type { Condition } from '../../packages/server/src/copies/search/tree.ts'
import { drawWorld } from '../context/generate.ts'
import { drawQuery } from '../context/generate-queries.ts'
import type { Random } from '../context/random.ts'

type Json = Record<string, unknown>

/** Returns what the conditions that hold together mean. */
function listTogether(condition: Condition): readonly string[] {
  if (condition.op === 'and') return condition.of.flatMap(listTogether)
  const [only, ...more] = condition.op === 'or' ? condition.of : []
  return only !== undefined && more.length === 0 ? listTogether(only) : [describeOne(condition)]
}

function describeOne(condition: Exclude<Condition, { op: 'and' }>): string {
  if (condition.op === 'or') return `or(${condition.of.map(describe).join()})`
  if (condition.op === 'not') return `not(${describe(condition.of)})`
  const { path, ...rest } = condition
  const named = writeJson([path.column?.name, path.steps, path.type, path.compare])
  return rest.op === 'any' ? `any${named}(${describe(rest.of)})` : `${named}${writeJson(rest)}`
}

/** Describes what a condition means. Lists of `and` within each other, and their order, have no meaning. */
const describe = (condition: Condition): string => `and(${listTogether(condition).toSorted().join()})`

function readMeaning(table: SearchTable, filter: unknown): string {
  const parsed = parseSearch(table, { query: { filter } }).filter
  return parsed === undefined ? '' : describe(parsed)
}

/** A trip of a filter to text and back. */
interface Trip {
  readonly text: string
  readonly parsed: unknown
}

/** Prints and parses a filter, and compares what the service makes of it. */
function checkTrip(table: SearchTable, filter: unknown): Trip {
  const text = formatFilter(filter)
  const parsed = parseFilter(text)
  const meaning = readMeaning(table, filter)
  if (readMeaning(table, parsed) !== meaning) throw new Error(`${text} means something else than ${writeJson(filter)}`)
  return { text, parsed }
}

/** Returns how many filters of random worlds made the trip. Each text is printed again as it was. */
export function tripQueries(random: Random, wanted: number): number {
  let filters = 0
  while (filters < wanted) {
    const world = drawWorld(random, 10)
    const table = buildSearchTable('acme', 'things', world.definition)
    for (let count = 0; count < 50; count += 1) {
      const { filter } = drawQuery(random, world).query
      if (filter === undefined) continue
      filters += 1
      const { text, parsed } = checkTrip(table, filter)
      expect(formatFilter(parsed)).toBe(text)
    }
  }
  return filters
}

/** What a drawn condition has to spend: levels, and conditions as the service counts them. */
interface Budget {
  readonly levels: number
  readonly conditions: number
  /** Where fields begin: in the record, or in an element of an array. */
  readonly prefix: string
}

const values: Readonly<Partial<Record<OperandForm, (random: Random) => unknown>>> = {
  value: (random) => random.pick([null, 'a "b"', 5, true, [], [{ c: 0.5 }], 2n ** 70n, '', -1.5e-7, false]),
  ordered: (random) => random.pick([5, '2026-01-01']),
  values: (random) => random.many(3, () => random.pick(['x', null, 7])),
  text: () => '%x_',
  words: (random) => random.pick(['pricng', 'a b']),
  element: (random) => random.pick([null, 'x', { a: 1 }]),
}
const compared = fieldOperators.filter((operator) => operator !== 'any')
const nested = [...filterOperators.filter((operator) => !isFieldOperator(operator)), 'any'] as const
const names = ['a', 'b.c', 'd e', 'and', 'f[].g', '7', 'h`i', 'not', '__proto__', 'j"k', 'l']

/** Splits a number into some parts of 1 at least. */
function split(random: Random, whole: number, most: number): readonly number[] {
  const parts = Array<number>(1 + random.below(Math.min(whole, most))).fill(1)
  const heir = random.below(parts.length)
  return parts.map((part, index) => (index === heir ? whole - parts.length + 1 : part))
}

function drawOperand(random: Random, operator: FilterOperator, budget: Budget): unknown {
  const inner = { ...budget, levels: budget.levels - 1 }
  if (operator === 'not') return drawCondition(random, inner)
  const shares = random.chance(0.02) ? [] : split(random, budget.conditions, operator === 'any' ? 3 : random.pick([1, 3, 256]))
  if (operator === 'and' || operator === 'or') return shares.map((conditions) => drawCondition(random, { ...inner, conditions }))
  const value = values[operators[operator].form]
  const fields = shares.slice(0, names.length).flatMap((conditions, index): [string, unknown][] => {
    const path = `${budget.prefix}${names[(index + shares.length) % names.length]}`
    if (value !== undefined) return [[path, value(random)]]
    return conditions < 2 ? [] : [[path, drawCondition(random, { levels: inner.levels, conditions: conditions - 1, prefix: '' })]]
  })
  return Object.fromEntries(fields)
}

/** Draws a condition that spends its levels mostly, and its conditions where lists are long. */
function drawCondition(random: Random, budget: Budget): Json {
  if (random.chance(0.01)) return {}
  // The greatest share comes last, so it stays when two draw the same operator.
  const shares = split(random, budget.conditions, 4).toSorted((one, other) => one - other)
  const drawn = shares.map((conditions, index): [string, unknown] => {
    const isNested = budget.levels > 1 && random.chance(index === shares.length - 1 ? 0.98 : 0.3)
    const operator = random.pick<FilterOperator>(isNested ? nested : compared)
    return [operator, drawOperand(random, operator, { ...budget, conditions })]
  })
  return Object.fromEntries(drawn)
}

/** Size of a filter, as the service counts it. */
interface Size {
  readonly levels: number
  readonly conditions: number
  /** Maximum number of operators and fields of one object. */
  readonly width: number
}

/** Returns the conditions within an operator, and the number of its fields. */
function readOperator(name: string, operand: unknown): { readonly inner: readonly unknown[]; readonly fields: number } {
  if (name === 'not') return { inner: [operand], fields: 0 }
  if (Array.isArray(operand)) return { inner: operand, fields: operand.length === 0 ? 1 : 0 }
  const all = Object.values(operand as Json)
  return { inner: name === 'any' ? all : [], fields: Math.max(1, all.length) }
}

function measure(condition: unknown): Size {
  const operators = Object.entries(condition as Json).map(([name, operand]) => readOperator(name, operand))
  const inner = operators.flatMap((each) => each.inner.map(measure))
  const add = (numbers: readonly number[]) => numbers.reduce((sum, each) => sum + each, 0)
  const fields = add(operators.map((each) => each.fields))
  return {
    levels: 1 + Math.max(0, ...inner.map(({ levels }) => levels)),
    conditions: (operators.length === 0 ? 1 : fields) + add(inner.map(({ conditions }) => conditions)),
    width: Math.max(operators.length, fields, ...inner.map(({ width }) => width)),
  }
}

const table = buildSearchTable('acme', 'things', {
  about: 'Things',
  key: ['id'],
  record: { id: str('Id'), free: open('Object') },
  context_store_search: { id: str('Id'), free: open('Object') },
})

/** What the trips of deep filters were about. */
export interface DeepTrips {
  readonly filters: number
  /** Number of filters of 16 levels. */
  deepest: number
  /** Number of texts that needed several operators in one object, because a list would have been too deep. */
  merged: number
  /** Number of filters of 256 conditions. */
  longest: number
}

/** Prints and parses one filter of the fields below `free`. */
export const checkDeep = (filter: unknown): Trip => checkTrip(table, filter)

/** Prints and parses filters up to the limits. */
export function tripDeep(random: Random, filters: number): DeepTrips {
  const report: DeepTrips = { filters, deepest: 0, merged: 0, longest: 0 }
  for (let count = 0; count < filters; count += 1) {
    const levels = random.pick([16, 16, 15, 1 + random.below(16)])
    const filter = drawCondition(random, { levels, conditions: random.pick([2, 5, 20, 20, 60, 256]), prefix: 'free.' })
    const { parsed } = checkTrip(table, filter)
    const size = measure(filter)
    report.deepest += Number(size.levels === 16)
    report.longest += Number(size.conditions === 256)
    report.merged += Number(measure(parsed).width > 1)
  }
  return report
}
