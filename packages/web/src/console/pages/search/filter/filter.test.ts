/** Trips of filters between the three views of the search page. */
import fc from 'fast-check'
import { type FilterCondition, formatFilter, parseFilter } from 'ferrule/core'
import { writeJson } from 'ferrule/internal'
import { describe, expect, test } from 'vitest'
import { describeFields, listFields } from './fields.ts'
import {
  editJson,
  editText,
  editTree,
  emptyDraft,
  type FilterDraft,
  type Group,
  makeElements,
  makeGroup,
  makeRule,
  type Node,
  toFilter,
  toTree,
} from './tree.ts'
import { findValueType, listOperators, ruleWords } from './words.ts'

const paths = fc.constantFrom('title', 'a.b', 'parties.emailAddress', 'odd name', 'and', 'x[].y', '`', '"')
const texts = fc.string({ minLength: 1, maxLength: 8, unit: 'grapheme' })
const numbers = fc.oneof(fc.integer().map(String), fc.bigInt().map(String), fc.double({ noNaN: true, noDefaultInfinity: true }).map(String))
const values = fc.oneof(
  fc.record({ valueType: fc.constant('string' as const), values: fc.array(texts, { minLength: 1, maxLength: 3 }) }),
  fc.record({ valueType: fc.constant('number' as const), values: fc.array(numbers, { minLength: 1, maxLength: 3 }) }),
  fc.record({ valueType: fc.constant('boolean' as const), values: fc.constantFrom(['true'], ['false']) }),
)
const operators = fc.constantFrom(...ruleWords.map(({ operator }) => operator))

/** Draws a rule as a reader completes it. */
const rules = fc.tuple(paths, operators, values, fc.boolean()).map(([field, operator, typed, isNegated]): Node => {
  if (operator === 'empty' || operator === 'filled') return { ...makeRule(), field, operator, isNegated }
  return { ...makeRule(), field, operator, isNegated, ...typed, values: operator === 'in' ? typed.values : typed.values.slice(0, 1) }
})
const joins = fc.constantFrom('and' as const, 'or' as const)

/** Draws nodes. A group has two parts at least: one part is no group. */
const nodes = fc.letrec<{ readonly node: Node; readonly group: Group; readonly elements: Node }>((tie) => ({
  node: fc.oneof({ maxDepth: 3, depthSize: 'small' }, rules, tie('group'), tie('elements')),
  group: fc
    .tuple(joins, fc.array(tie('node'), { minLength: 2, maxLength: 4 }), fc.boolean())
    .map(([join, of, isNegated]) => ({ ...makeGroup(of, join), isNegated })),
  elements: fc.tuple(paths, tie('node'), fc.boolean()).map(([field, node, isNegated]) => {
    const of = node.kind === 'group' && !node.isNegated ? node : makeGroup([node])
    return { ...makeElements(), field, of, isNegated }
  }),
}))
const roots = nodes.group.map((group): Group => ({ ...group, isNegated: false }))

/** Prints a tree without the ids of its nodes, and numbers in one form. */
const print = (root: Group): string => writeJson(root).replaceAll(/"id":\d+,/g, '')

const readRoot = ({ shown }: FilterDraft): Group => ('root' in shown ? shown.root : makeGroup())

/** Writes numbers as they come back: `1e3` is 1000. */
const normalise = (node: Node): Node => {
  if (node.kind === 'group') return { ...node, of: node.of.map(normalise) }
  if (node.kind === 'elements') return { ...node, of: { ...node.of, of: node.of.of.map(normalise) } }
  const [again] = toTree(toFilter(makeGroup([{ ...node, isNegated: false }])).filter).of
  return again?.kind === 'rule' ? { ...again, isNegated: node.isNegated } : node
}

describe('conditions of the builder', () => {
  test('come back from the text and from the JSON', () => {
    fc.assert(
      fc.property(roots, (root) => {
        const built = editTree(emptyDraft, root)
        expect(built).toMatchObject({ incomplete: 0 })
        expect(built.problem).toBeUndefined()
        const wanted = print({ ...root, of: root.of.map(normalise) })
        expect(print(readRoot(editText(emptyDraft, built.text)))).toBe(wanted)
        expect(print(readRoot(editJson(emptyDraft, built.json)))).toBe(wanted)
      }),
      { numRuns: 150 },
    )
  })

  test('that are not complete are left out, and change nothing else', () => {
    const whole = editText(emptyDraft, 'a = 1 or b = 2')
    const { of, ...root } = readRoot(whole)
    const added = editTree(whole, { ...root, of: [...of, makeRule(), makeElements(), makeGroup()] })
    expect([added.text, added.incomplete]).toEqual(['a = 1 or b = 2', 3])
  })

  test('keep the digits of numbers, and refuse a number that would lose some', () => {
    const ids = { ...makeRule(), field: 'id', valueType: 'number' as const }
    const built = editTree(emptyDraft, makeGroup([{ ...ids, values: ['9007199254740993'] }]))
    expect(built.text).toBe('id = 9007199254740993')
    expect(built.json).toContain('9007199254740993')
    const lossy = editTree(emptyDraft, makeGroup([{ ...ids, values: ['0.12345678901234567890'] }]))
    expect([lossy.text, lossy.incomplete]).toEqual(['', 1])
  })
})

describe('a text', () => {
  test('and its JSON mean the same filter, whichever view changes', () => {
    fc.assert(
      fc.property(roots, (root) => {
        const { text } = editTree(emptyDraft, root)
        const typed = editText(emptyDraft, text)
        const viaJson = editJson(emptyDraft, typed.json)
        expect(viaJson.text).toBe(text)
        expect(editTree(emptyDraft, readRoot(viaJson)).text).toBe(text)
        expect(formatFilter(parseFilter(text))).toBe(text)
      }),
      { numRuns: 150 },
    )
  })

  test('that cannot be read shows its line and column, and changes no other view', () => {
    const before = editText(emptyDraft, 'a = 1')
    const after = editText(before, 'a = 1\nand b == 2')
    expect(after).toMatchObject({ text: 'a = 1\nand b == 2', json: before.json, filter: before.filter, shown: before.shown })
    expect(after.problem).toMatchObject({ view: 'text', marks: [{ line: 2, column: 7 }] })
    expect(after.problem?.sentence).toContain('line 2, column 7')
    expect(editText(after, 'a = 1 and b = 2').problem).toBeUndefined()
  })

  test.each([
    ['a = [1]', 'it compares with null, a list or an object'],
    ['a = ""', 'it compares with an empty text'],
    ['a = 1 or false', 'it has an empty list of conditions'],
    ['a in (1, "b")', 'a list has values of several types'],
    [Array.from({ length: 61 }, (_each, index) => `a${index} = 1`).join(' or '), 'it has more than 60 conditions'],
    [`${'(a = 1 or b = 2 and '.repeat(7)}c = 3${')'.repeat(7)}`, 'it is nested more than 6 deep'],
  ])('that the builder cannot show says why: %s', (text, reason) => {
    const typed = editText(emptyDraft, text)
    expect(typed.shown).toEqual({ reason })
    expect(typed.problem).toBeUndefined()
    expect(parseFilter(typed.text)).toEqual(typed.filter)
  })
})

describe('a JSON', () => {
  test.each<readonly [string, string, number | undefined]>([
    ['{ "eq": { "a": 1 }', 'not JSON', 1],
    ['[1]', 'A filter is an object', 1],
    ['{ "same": { "a": 1 } }', '/same is no operator of a filter', undefined],
    ['{\n "eq": { "a": 0.12345678901234567890 } }', 'Line 2, column 15', 2],
  ])('that is no filter says so: %s', (json, says, line) => {
    const before = editText(emptyDraft, 'a = 1')
    const after = editJson(before, json)
    expect(after).toMatchObject({ json, text: 'a = 1', filter: before.filter })
    expect(after.problem?.sentence).toContain(says)
    expect(after.problem?.marks[0]?.line).toBe(line)
  })

  test('keeps the digits of long integers in the text', () => {
    expect(editJson(emptyDraft, '{"eq":{"id":9007199254740993}}').text).toBe('id = 9007199254740993')
  })
})

describe('the fields of a schema', () => {
  const schema = {
    type: 'object',
    properties: {
      id: { type: 'string', description: 'Id' },
      started: { type: ['string', 'null'], format: 'date-time' },
      direction: { type: 'string', 'x-known-values': ['Inbound', 'Outbound'] },
      duration: { type: 'integer' },
      isPrivate: { type: 'boolean' },
      parties: { type: 'array', items: { type: 'object', properties: { emailAddress: { type: 'string' } } } },
      metaData: { type: 'object' },
    },
  }
  const fields = listFields(schema)
  const operatorsOf = (path: string) => listOperators(fields.find((field) => field.path === path)).map(({ operator }) => operator)

  test('are all paths of it', () => {
    expect(fields.map(({ path }) => path)).toEqual([
      'id',
      'started',
      'direction',
      'duration',
      'isPrivate',
      'parties',
      'parties.emailAddress',
      'metaData',
    ])
  })

  test('offer what fits to texts that the reference knows as numbers and times', () => {
    const [total, ended] = describeFields(listFields({ properties: { total: { type: 'string' }, ended: { type: 'string' } } }), [
      { field: 'total', type: 'text', compares: 'decimal', operators: ['eq', 'gt', 'like'] },
      { field: 'ended', type: 'text', compares: 'instant', operators: ['eq', 'gt', 'like'] },
    ])
    const compared = ['eq', 'neq', 'in', 'gt', 'gte', 'lt', 'lte', 'empty', 'filled']
    expect(listOperators(total).map(({ operator }) => operator)).toEqual(compared)
    expect(listOperators(ended).map(({ operator }) => operator)).toEqual(compared)
    expect(findValueType(total)).toBe('string') // every digit is kept
  })

  test('offer the operators that fit', () => {
    expect(operatorsOf('isPrivate')).toEqual(['eq', 'neq', 'in', 'empty', 'filled'])
    expect(operatorsOf('duration')).toEqual(['eq', 'neq', 'in', 'gt', 'gte', 'lt', 'lte', 'empty', 'filled'])
    expect(operatorsOf('started')).toEqual(['eq', 'neq', 'in', 'gt', 'gte', 'lt', 'lte', 'empty', 'filled'])
    expect(operatorsOf('id')).not.toContain('contains')
    expect(operatorsOf('parties')).toContain('contains')
    const ofValues = ['in', 'gt', 'gte', 'lt', 'lte', 'contains']
    expect(operatorsOf('metaData')).toEqual(ruleWords.flatMap(({ operator }) => (ofValues.includes(operator) ? [] : [operator])))
    expect(operatorsOf('metaData').slice(0, 4)).toEqual(['eq', 'neq', 'fuzzy', 'keyword'])
    expect(operatorsOf('unknown.path')).toHaveLength(ruleWords.length)
    expect(findValueType(fields.find(({ path }) => path === 'duration'))).toBe('number')
  })

  test('name a filter for each operator that the service takes', () => {
    const written = ruleWords.map(
      ({ operator }): FilterCondition | undefined => toFilter(makeGroup([{ ...makeRule(), field: 'a', operator, values: ['x'] }])).filter,
    )
    expect(written).not.toContain(undefined)
  })
})
