import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { FerruleError } from '../../packages/ferrule/src/errors.ts'
import { formatFilter } from '../../packages/ferrule/src/filter/format.ts'
import { parseFilter } from '../../packages/ferrule/src/filter/parse.ts'
import { buildSearchTable } from '../../packages/server/src/context/query/columns.ts'
import { parseSearch } from '../../packages/server/src/context/query/parse.ts'
import { root } from '../../scripts/paths.mjs'
import { drawWorld } from '../context/generate.ts'
import { drawQuery } from '../context/generate-queries.ts'
import { Random } from '../context/random.ts'

const refusal = (text: string): FerruleError => {
  try {
    parseFilter(text)
  } catch (thrown) {
    if (thrown instanceof FerruleError) return thrown
    throw thrown
  }
  throw new Error(`${text} is accepted`)
}

describe('a filter as text', () => {
  test.each<[string, object]>([
    ['title = "Pricing"', { eq: { title: 'Pricing' } }],
    ['title != "a \\"quote\\" and \\u00e9"', { neq: { title: 'a "quote" and é' } }],
    ['duration > 60 and duration <= 600.5', { and: [{ gt: { duration: 60 } }, { lte: { duration: 600.5 } }] }],
    ['duration < -1 or duration >= 1e3', { or: [{ lt: { duration: -1 } }, { gte: { duration: 1000 } }] }],
    ['a = 1 or b = 2 and c = 3', { or: [{ eq: { a: 1 } }, { and: [{ eq: { b: 2 } }, { eq: { c: 3 } }] }] }],
    ['(a = 1 or b = 2) and c = 3', { and: [{ or: [{ eq: { a: 1 } }, { eq: { b: 2 } }] }, { eq: { c: 3 } }] }],
    ['not a = 1 and b = 2', { and: [{ not: { eq: { a: 1 } } }, { eq: { b: 2 } }] }],
    ['not (a = 1 and b = 2)', { not: { and: [{ eq: { a: 1 } }, { eq: { b: 2 } }] } }],
    ['title fuzzy "pricng" and started >= 2026-01-01', { and: [{ fuzzy: { title: 'pricng' } }, { gte: { started: '2026-01-01' } }] }],
    ['started < 2026-01-01T08:30:00.5+02:00', { lt: { started: '2026-01-01T08:30:00.5+02:00' } }],
    ['started = 2026-01', { eq: { started: '2026-01' } }],
    ['title like "%price\\\\%" or title keyword "a b"', { or: [{ like: { title: '%price\\%' } }, { keyword: { title: 'a b' } }] }],
    ['direction in ("Inbound", null, 3)', { in: { direction: ['Inbound', null, 3] } }],
    ['direction in ()', { in: { direction: [] } }],
    ['tags contains "new"', { contains: { tags: 'new' } }],
    [
      'any parties (name = "Ada" and not role is null)',
      { any: { parties: { and: [{ eq: { name: 'Ada' } }, { not: { eq: { role: null } } }] } } },
    ],
    ['any parties (any emails (host = "a"))', { any: { parties: { any: { emails: { eq: { host: 'a' } } } } } }],
    ['owner is null', { eq: { owner: null } }],
    ['owner is not null', { neq: { owner: null } }],
    ['active = true and hidden != false', { and: [{ eq: { active: true } }, { neq: { hidden: false } }] }],
    ['a in (0.1, 1.50, 100e-2, 12e20, 5e-324)', { in: { a: [0.1, 1.5, 1, 12e20, 5e-324] } }],
    ['id = 9007199254740993', { eq: { id: 9_007_199_254_740_993n } }],
    ['parties[].emailAddress = "a@b.c"', { eq: { 'parties[].emailAddress': 'a@b.c' } }],
    ['`odd name`.`b``c` = 1'.replace('``', '\\`'), { eq: { 'odd name.b`c': 1 } }],
    ['`and` = 1 and a.`or`.c = 2', { and: [{ eq: { and: 1 } }, { eq: { 'a.or.c': 2 } }] }],
    [
      'tags = ["a", {"b": [9007199254740993]}] and other = []',
      { and: [{ eq: { tags: ['a', { b: [9_007_199_254_740_993n] }] } }, { eq: { other: [] } }] },
    ],
    ['A = 1 AND Not B Is Null', { and: [{ eq: { A: 1 } }, { not: { eq: { B: null } } }] }],
    ['\n a = 1\r\n\tor b=2 ', { or: [{ eq: { a: 1 } }, { eq: { b: 2 } }] }],
    ['true', { and: [] }],
    ['false or a = 1', { or: [{ or: [] }, { eq: { a: 1 } }] }],
  ])('%s', (text, json) => {
    expect(parseFilter(text)).toEqual(json)
    expect(parseFilter(formatFilter(json))).toEqual(json)
  })

  test.each<[string, number, string]>([
    ['', 1, 'expected a path, found the end'],
    ['title', 6, 'expected an operator: = != < <= > >= in like fuzzy keyword contains, or is null, found the end'],
    ['title ~ "a"', 7, '~ is no path, sign or value'],
    ['title = Pricing', 9, 'expected a value; strings stand in double quotes, found Pricing'],
    ["title = 'a'", 9, 'strings stand in double quotes'],
    ['title = "a', 9, 'the string has no end: write " after it, and \\" for a quote within it'],
    ['title = "\\x"', 9, '"\\x" is not JSON'],
    ['a = 1 b = 2', 7, 'expected "and", "or" or the end, found b'],
    ['a = 1 and', 10, 'expected a path, found the end'],
    ['(a = 1', 7, 'expected "and", "or" or a closing parenthesis, found the end'],
    ['a in "x"', 6, 'expected an opening parenthesis and values, such as ("a", "b"), found "x"'],
    ['a in ("x" "y")', 11, 'expected a comma or a closing parenthesis, found "y"'],
    ['a is 1', 6, 'expected null, found 1'],
    ['like = 1', 1, 'expected a path; write a field of this name in backquotes, found like'],
    ['any parties = 1', 13, 'expected an opening parenthesis, found ='],
    ['a. = 1', 3, 'expected a name after the dot'],
    ['`a = 1', 1, 'the name has no end: write ` after it'],
    ['a = 1.2.3', 5, '1.2.3 is no path, sign or value'],
    ['a = [1, 2', 5, 'the JSON value has no end'],
    ['a = {"b" 1}', 5, '{"b" 1} is not JSON'],
    ['a = 1e400', 5, '1e400 has more digits than a number keeps; write it in double quotes'],
    ['a = 1e-400', 5, '1e-400 has more digits than a number keeps; write it in double quotes'],
    ['a = 0.12345678901234567890', 5, '0.12345678901234567890 has more digits than a number keeps; write it in double quotes'],
  ])('%s is refused at column %i', (text, column, message) => {
    const { code, errors, hint } = refusal(text)
    expect({ code, errors }).toEqual({
      code: 'validation_failed',
      errors: [
        { field: '/filter', message: `/filter cannot be read at column ${column}: ${message}.`, error_code: 'syntax', line: 1, column },
      ],
    })
    expect(hint).not.toBe('')
  })

  test('a mistake of a later line has its line', () => {
    expect(refusal('a = 1\n  and b ? 2').errors[0]).toMatchObject({ line: 2, column: 9 })
  })

  test.each([
    ['16 levels', `${'not '.repeat(15)}a = 1`, undefined],
    ['17 levels', `${'not '.repeat(16)}a = 1`, 'query_too_complex'],
    ['many parentheses', `${'('.repeat(100_000)}a = 1`, 'query_too_complex'],
    ['256 conditions', Array(256).fill('a = 1').join(' or '), undefined],
    ['257 conditions', Array(257).fill('a = 1').join(' or '), 'query_too_complex'],
    ['a text that is too long', `a = "${'x'.repeat(1_000_000)}"`, 'query_too_complex'],
    ['a string without an end', `a = "${'\\"'.repeat(400_000)}`, 'validation_failed'],
    ['a name without an end', `\`${'a'.repeat(900_000)}`, 'validation_failed'],
    ['JSON that is nested too deep', `a = ${'['.repeat(100_000)}${']'.repeat(100_000)}`, 'validation_failed'],
  ])('%s', (_what, text, code) => {
    if (code === undefined) expect(parseFilter(text)).toBeDefined()
    else expect(refusal(text).code).toBe(code)
  })

  test('whatever is written, it is parsed or refused with its place', () => {
    const piece = fc.constantFrom(
      ...[
        'a',
        'b.c',
        'and',
        'or',
        'not',
        'any',
        'in',
        'is',
        'null',
        '(',
        ')',
        ',',
        '=',
        '!=',
        '<',
        '"x"',
        '`y z`',
        '1',
        '2026-01-01',
        '[',
        ']',
        '{',
        '"',
        '`',
        '\\',
        '.',
        '-',
        'é',
        '\n',
        '[]',
      ],
    )
    let accepted = 0
    const look = (text: string): void => {
      try {
        parseFilter(text)
        accepted += 1
      } catch (thrown) {
        if (!(thrown instanceof FerruleError)) throw thrown
        expect(thrown.errors[0]?.column ?? 1).toBeLessThanOrEqual(text.length + 1)
      }
    }
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => look(pieces.join(' '))),
      { numRuns: 5_000, seed: 12 },
    )
    fc.assert(fc.property(fc.string({ unit: 'binary' }), look), { numRuns: 1_000, seed: 12 })
    expect(accepted).toBeGreaterThan(0)
  })
})

/** Lists of one condition mean that condition. */
const simplify = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(simplify)
  if (typeof value !== 'object' || value === null) return value
  const { op, of } = value as { op?: unknown; of?: unknown }
  if ((op === 'and' || op === 'or') && Array.isArray(of) && of.length === 1) return simplify(of[0])
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, simplify(part)]))
}

test('5,000 filters in JSON mean the same after they were printed and parsed', () => {
  const random = new Random(20_261_123)
  let filters = 0
  let printed = ''
  while (filters < 5_000) {
    const world = drawWorld(random, 10)
    const table = buildSearchTable('acme', 'things', world.definition)
    const meaning = (filter: unknown): unknown => {
      const parsed = parseSearch(table, { query: { filter } })
      return simplify({ filter: parsed.filter })
    }
    for (let count = 0; count < 50; count += 1) {
      const { filter } = drawQuery(random, world).query
      if (filter === undefined) continue
      filters += 1
      const text = formatFilter(filter)
      const parsed = parseFilter(text)
      printed = formatFilter(parsed)
      expect(meaning(parsed), text).toEqual(meaning(filter))
      expect(printed).toBe(text) // what was parsed is printed as it was
    }
  }
  expect(filters).toBeGreaterThanOrEqual(5_000)
})

test('the examples of the documents are filters', () => {
  const page = readFileSync(join(root, 'docs/search.md'), 'utf8')
  const [, section = ''] = page.split('## Filters as text')
  const [, block = ''] = /```text\n(.*?)```/s.exec(section) ?? []
  const examples = block.trim().split('\n')
  expect(examples).toHaveLength(4)
  for (const example of examples)
    expect(formatFilter(parseFilter(example))).toBe(
      example.replace('2026-01-01', '"2026-01-01"').replace('metaData.`odd name`', '`metaData.odd name`'),
    )
})

test.each<[unknown, string]>([
  [5, 'must be a condition'],
  [{ and: 5 }, 'must be an array of conditions'],
  [{ eq: 5 }, 'must be an object of fields'],
  [{ in: { a: 5 } }, 'must be an array of values'],
  [{ near: { a: 5 } }, 'near is no operator'],
  [{ eq: { a: Number.NaN } }, 'must be a JSON value'],
  [{ any: { a: 5 } }, 'must be a condition'],
])('%j is no filter, so it is not printed', (filter, message) => {
  expect(() => formatFilter(filter)).toThrow(message)
})
