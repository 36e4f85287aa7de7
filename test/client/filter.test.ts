import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { formatFilter } from '../../packages/ferrule/src/values/filter/format.ts'
import { parseFilter } from '../../packages/ferrule/src/values/filter/parse.ts'
import { root } from '../../scripts/paths.mjs'
import { catchRefusal, findRefusal } from '../support/refusal.ts'

const refusal = (text: string) => catchRefusal(() => parseFilter(text))

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
    ['a.`b c`[].d = 1 and `e f`[][] = 2', { and: [{ eq: { 'a.b c[].d': 1 } }, { eq: { 'e f[][]': 2 } }] }],
    ['tags = [0.5, 12345678901234567890, -1E3, 0]', { eq: { tags: [0.5, 12_345_678_901_234_567_890n, -1000, 0] } }],
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
    ['title = "a', 9, 'the string has no end: write " after it, and \\" for a quote within it'],
    ['title = "\\x"', 9, '"\\x" is not JSON'],
    ['a = 1 b = 2', 7, 'expected "and", "or" or the end, found b'],
    ['a = 1 and', 10, 'expected a path, found the end'],
    ['(a = 1', 7, 'expected "and", "or" or a closing parenthesis, found the end'],
    ['a in "x"', 6, 'expected an opening parenthesis and values, such as ("a", "b"), found "x"'],
    ['a in ("x" "y")', 11, 'expected a comma or a closing parenthesis, found "y"'],
    ['any parties = 1', 13, 'expected an opening parenthesis, found ='],
    ['a. = 1', 3, 'expected a name after the dot'],
    ['`a = 1', 1, 'the name has no end: write ` after it'],
    ['a = [1, 2', 5, 'the JSON value has no end'],
    ['a = {"b" 1}', 5, '{"b" 1} is not JSON'],
    ['a = 1e400', 5, '1e400 has more digits than a number keeps; write it in double quotes'],
    ['a = 1e-400', 5, '1e-400 has more digits than a number keeps; write it in double quotes'],
    ['a = 0.12345678901234567890', 5, '0.12345678901234567890 has more digits than a number keeps; write it in double quotes'],
    ['a = [1, {"b": 1e400}]', 15, '1e400 has more digits than a number keeps; write it in double quotes'],
    [
      'a = {"1e400": "\\" 0.12345678901234567890", "b": 0.12345678901234567890}',
      49,
      '0.12345678901234567890 has more digits than a number keeps; write it in double quotes',
    ],
    ['a = ]', 5, '] is no path, sign or value'],
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

  test('whatever is written, it is parsed or refused with its place', () => {
    const piece = fc.constantFrom(
      ...['a', 'b.c', 'and', 'or', 'not', 'any', 'in', 'is', 'null', '(', ')', ',', '=', '!=', '<', '"x"', '`y z`', '1'],
      ...['2026-01-01', '[', ']', '{', '"', '`', '\\', '.', '-', 'é', '\n', '[]'],
    )
    let accepted = 0
    const look = (text: string): void => {
      const refused = findRefusal(() => parseFilter(text))
      if (refused === undefined) accepted += 1
      else expect(refused.errors[0]?.column ?? 1).toBeLessThanOrEqual(text.length + 1)
    }
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => look(pieces.join(' '))),
      { numRuns: 5_000, seed: 12 },
    )
    fc.assert(fc.property(fc.string({ unit: 'binary' }), look), { numRuns: 1_000, seed: 12 })
    expect(accepted).toBeGreaterThan(0)
  })
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
