/**
 * A filter as the builder shows it: rules, groups, and conditions on elements of arrays. It has three views, with text and JSON: an edit of one
 * changes the other two, and one that cannot be read changes none.
 */
import { FerruleError, type FilterCondition, formatFilter, parseFilter } from 'ferrule/core'
import { type FieldOperator, findPosition, findRounded, formatJson, isFieldOperator, isObject, readJson } from 'ferrule/internal'
import { type EditorProblem, toEditorProblems } from '../../../parts/code/props.ts'
import { needsNoValue, type RuleOperator, ruleWords, takesList, type ValueType } from './words.ts'

/** A comparison of a field. */
export interface Rule {
  readonly kind: 'rule'
  readonly id: number
  readonly isNegated: boolean
  /** '' while none is chosen. */
  readonly field: string
  readonly operator: RuleOperator
  readonly valueType: ValueType
  /** Values as they are typed: one, any number for `in`, none where no value is needed. */
  readonly values: readonly string[]
}

/** Conditions that are joined. */
export interface Group {
  readonly kind: 'group'
  readonly id: number
  readonly isNegated: boolean
  readonly join: 'and' | 'or'
  readonly of: readonly Node[]
}

/** Conditions on one element of an array. */
export interface Elements {
  readonly kind: 'elements'
  readonly id: number
  readonly isNegated: boolean
  readonly field: string
  /** A group whose own negation is not used. */
  readonly of: Group
}

/** A part of a filter. */
export type Node = Rule | Group | Elements

/** What the builder shows at most; larger filters are edited as text. */
export const builderLimits = { mostRules: 60, deepest: 6 } as const

let lastId = 0
/** Returns a new id: rows keep their fields while others come and go. */
const nextId = (): number => {
  lastId += 1
  return lastId
}

/** Makes a rule without a field. */
export const makeRule = (): Rule => ({
  kind: 'rule',
  id: nextId(),
  isNegated: false,
  field: '',
  operator: 'eq',
  valueType: 'string',
  values: [],
})
/** Makes a group. */
export const makeGroup = (of: readonly Node[] = [], join: Group['join'] = 'and'): Group => ({
  kind: 'group',
  id: nextId(),
  isNegated: false,
  join,
  of,
})
/** Makes a condition on elements without a field. */
export const makeElements = (): Elements => ({ kind: 'elements', id: nextId(), isNegated: false, field: '', of: makeGroup([makeRule()]) })

/** Why the builder cannot show a filter. */
export class Unshown extends Error {}

// From a filter to the tree.

const negate = (node: Node): Node => (node.isNegated ? { ...makeGroup([node]), isNegated: true } : { ...node, isNegated: true })

const toGroup = (node: Node): Group => (node.kind === 'group' && !node.isNegated ? node : makeGroup([node]))

function readValueType(values: readonly unknown[]): ValueType {
  if (values.includes('')) throw new Unshown('it compares with an empty text')
  const types = new Set(values.map((value) => (typeof value === 'bigint' ? 'number' : typeof value)))
  const [only = 'string'] = types
  if (types.size > 1) throw new Unshown('a list has values of several types')
  if (only === 'string' || only === 'number' || only === 'boolean') return only
  throw new Unshown('it compares with null, a list or an object')
}

function readRule(name: FieldOperator, field: string, value: unknown): Rule {
  if (value === null && (name === 'eq' || name === 'neq')) return { ...makeRule(), field, operator: name === 'eq' ? 'empty' : 'filled' }
  const word = ruleWords.find(({ operator }) => operator === name)
  if (word === undefined) throw new Unshown(`${name} has no row of its own`)
  const values: readonly unknown[] = takesList(word.operator) && Array.isArray(value) ? value : [value]
  return { ...makeRule(), field, operator: word.operator, valueType: readValueType(values), values: values.map(String) }
}

const readElements = (field: string, value: unknown, depth: number): Node => ({
  ...makeElements(),
  field,
  of: toGroup(readCondition(value, depth + 1)),
})

const emptyList = 'it has an empty list of conditions'

function readOperator([name, operand]: [string, unknown], depth: number): readonly Node[] {
  if (name === 'not') return [negate(readCondition(operand, depth))]
  if ((name === 'and' || name === 'or') && Array.isArray(operand)) {
    if (operand.length === 0) throw new Unshown(emptyList)
    const of = operand.map((each) => readCondition(each, depth + 1))
    return of.length === 1 ? of : [makeGroup(of, name)]
  }
  if (!isFieldOperator(name) || !isObject(operand)) throw new Unshown(`${name} is no operator of a filter`)
  const fields = Object.entries(operand)
  if (fields.length === 0) throw new Unshown(emptyList)
  return fields.map(([field, value]) => (name === 'any' ? readElements(field, value, depth) : readRule(name, field, value)))
}

function readCondition(condition: unknown, depth: number): Node {
  if (depth > builderLimits.deepest) throw new Unshown(`it is nested more than ${builderLimits.deepest} deep`)
  const nodes = isObject(condition) ? Object.entries(condition).flatMap((entry) => readOperator(entry, depth)) : []
  const [only, ...more] = nodes
  if (only === undefined) throw new Unshown(emptyList)
  return more.length === 0 ? only : makeGroup(nodes)
}

function countRules(node: Node): number {
  if (node.kind === 'rule') return 1
  return (node.kind === 'group' ? node.of : [node.of]).reduce((sum: number, each) => sum + countRules(each), 0)
}

const isEverything = (filter: FilterCondition): boolean => {
  const entries = Object.entries(filter)
  return entries.every(([name, operand]) => name === 'and' && Array.isArray(operand) && operand.length === 0)
}

/**
 * Makes the tree of a filter.
 * @param filter undefined: everything is found
 * @throws Unshown with what the builder has no row for
 */
export function toTree(filter: FilterCondition | undefined): Group {
  if (filter === undefined || isEverything(filter)) return makeGroup()
  const root = toGroup(readCondition(filter, 0))
  if (countRules(root) > builderLimits.mostRules) throw new Unshown(`it has more than ${builderLimits.mostRules} conditions`)
  return root
}

// From the tree to a filter.

const numberForm = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/

/** Reads a value as it was typed; undefined while it cannot be read. A number that would lose digits cannot be read. */
export function readTyped(text: string, type: ValueType): string | number | bigint | boolean | undefined {
  if (type === 'string') return text === '' ? undefined : text
  if (type === 'boolean') return text === 'true' || text === 'false' ? text === 'true' : undefined
  const trimmed = text.trim()
  if (!numberForm.test(trimmed) || findRounded(trimmed) !== undefined) return undefined
  const number = readJson(trimmed)
  return typeof number === 'number' || typeof number === 'bigint' ? number : undefined
}

/** A filter that is made of complete conditions. */
export interface Built {
  /** undefined: everything is found. */
  readonly filter: FilterCondition | undefined
  /** Conditions that lack a field or a value, and are left out. */
  readonly incomplete: number
}

function writeRule({ field, operator, values, valueType }: Rule): FilterCondition | undefined {
  const of = ruleWords.find((each) => each.operator === operator)?.of ?? 'eq'
  if (field === '') return undefined
  if (needsNoValue(operator)) return { [of]: { [field]: null } }
  const typed = values.map((text) => readTyped(text, valueType))
  if (typed.includes(undefined) || typed.length === 0) return undefined
  return { [of]: { [field]: takesList(operator) ? typed : typed[0] } }
}

function writeGroup({ join, of }: Group): Built {
  const built = of.map(writeNode)
  const filters = built.map(({ filter }) => filter).filter((filter) => filter !== undefined)
  const incomplete = built.reduce((sum, each) => sum + each.incomplete, 0)
  const [only, ...more] = filters
  return { filter: more.length === 0 ? only : { [join]: filters }, incomplete: only === undefined ? Math.max(1, incomplete) : incomplete }
}

function writeElements({ field, of }: Elements): Built {
  const { filter, incomplete } = writeGroup(of)
  if (field === '' || filter === undefined) return { filter: undefined, incomplete: Math.max(1, incomplete) }
  return { filter: { any: { [field]: filter } }, incomplete }
}

function writePlain(node: Node): Built {
  if (node.kind === 'group') return writeGroup(node)
  if (node.kind === 'elements') return writeElements(node)
  const filter = writeRule(node)
  return { filter, incomplete: filter === undefined ? 1 : 0 }
}

function writeNode(node: Node): Built {
  const { filter, incomplete } = writePlain(node)
  return { filter: filter !== undefined && node.isNegated ? { not: filter } : filter, incomplete }
}

/** Makes the filter of a tree. What is not complete is left out, so that nothing changes its meaning. */
export function toFilter(root: Group): Built {
  return root.of.length === 0 ? { filter: undefined, incomplete: 0 } : writeNode(root)
}

/** The conditions of a filter, or why the builder cannot show them. */
type Shown = { readonly root: Group } | { readonly reason: string }

/** Why a view cannot be read. */
interface ViewProblem {
  readonly view: 'text' | 'json' | 'builder'
  readonly sentence: string
  /** Problems at a line and column of the view. */
  readonly marks: readonly EditorProblem[]
}

/** The three views. */
export interface FilterDraft {
  readonly text: string
  readonly json: string
  readonly shown: Shown
  /** What the last view that could be read says; undefined: everything is found. */
  readonly filter: FilterCondition | undefined
  /** Conditions of the builder that lack a field or a value: they are not part of the filter. */
  readonly incomplete: number
  readonly problem?: ViewProblem
}

function show(filter: FilterCondition | undefined): Shown {
  try {
    return { root: toTree(filter) }
  } catch (thrown) {
    if (thrown instanceof Unshown) return { reason: thrown.message }
    throw thrown
  }
}

const printText = (filter: FilterCondition | undefined): string => (filter === undefined ? '' : formatFilter(filter))
const printJson = (filter: FilterCondition | undefined): string => (filter === undefined ? '' : formatJson(filter))

/** The views of no filter. */
export const emptyDraft: FilterDraft = { text: '', json: '', shown: { root: makeGroup() }, filter: undefined, incomplete: 0 }

/** Describes a refusal. The sentence of one with a position in the text has line and column. */
function describe(view: ViewProblem['view'], thrown: unknown): ViewProblem {
  if (!(thrown instanceof FerruleError)) throw thrown
  const sentences = thrown.errors.map(({ message }) => message.replace(/^\/filter(?=[ /])/, view === 'text' ? 'The text' : 'The filter'))
  return { view, sentence: sentences.join('; ') || thrown.message, marks: toEditorProblems(thrown.errors) }
}

/** Takes a text. */
export function editText(before: FilterDraft, text: string): FilterDraft {
  try {
    const filter = text.trim() === '' ? undefined : parseFilter(text)
    return { text, json: printJson(filter), shown: show(filter), filter, incomplete: 0 }
  } catch (thrown) {
    return { ...before, text, problem: describe('text', thrown) }
  }
}

/** A JSON text that is no filter. */
class JsonProblem extends Error {
  readonly at: { readonly line: number; readonly column: number } | undefined

  constructor(message: string, at?: { readonly line: number; readonly column: number }) {
    super(message)
    this.at = at
  }
}

/** Finds where the browser's parser stopped; not every message of it says so. */
function findStop(text: string, message: string): { readonly line: number; readonly column: number } | undefined {
  const [, at] = /at position (\d+)/.exec(message) ?? []
  if (at !== undefined) return findPosition(text, Number(at))
  return /end of JSON/i.test(message) ? findPosition(text, text.length) : undefined
}

function readFilter(text: string): FilterCondition {
  const rounded = findRounded(text)
  if (rounded !== undefined)
    throw new JsonProblem(
      `${rounded.digits.slice(0, 40)} has more digits than a number keeps; write it in double quotes`,
      findPosition(text, rounded.at),
    )
  try {
    const value = readJson(text)
    if (isObject(value)) return value
  } catch (thrown) {
    const message = thrown instanceof Error ? thrown.message : String(thrown)
    throw new JsonProblem(`This is not JSON: ${message}`, findStop(text, message))
  }
  throw new JsonProblem('A filter is an object such as { "eq": { "name": "value" } }', { line: 1, column: 1 })
}

function describeJson(thrown: unknown): ViewProblem {
  if (!(thrown instanceof JsonProblem)) return describe('json', thrown)
  const { message, at } = thrown
  return {
    view: 'json',
    sentence: at === undefined ? message : `Line ${at.line}, column ${at.column}: ${message}`,
    marks: at === undefined ? [] : [{ ...at, message }],
  }
}

/** Takes a JSON. */
export function editJson(before: FilterDraft, json: string): FilterDraft {
  try {
    const filter = json.trim() === '' ? undefined : readFilter(json)
    return { text: printText(filter), json, shown: show(filter), filter, incomplete: 0 }
  } catch (thrown) {
    return { ...before, json, problem: describeJson(thrown) }
  }
}

/** Takes conditions of the builder. */
export function editTree(before: FilterDraft, root: Group): FilterDraft {
  const { filter, incomplete } = toFilter(root)
  try {
    return { text: printText(filter), json: printJson(filter), shown: { root }, filter, incomplete }
  } catch (thrown) {
    return { ...before, shown: { root }, problem: describe('builder', thrown) }
  }
}
