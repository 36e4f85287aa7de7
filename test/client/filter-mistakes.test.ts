/** What a filter's text says to those who write it as in another language, and where its limits are. */
import { describe, expect, test } from 'vitest'
import { parseFilter } from '../../packages/ferrule/src/values/filter/parse.ts'
import { catchRefusal } from '../support/refusal.ts'

const refusal = (text: string) => catchRefusal(() => parseFilter(text))

const operators = 'an operator: = != < <= > >= in like fuzzy keyword contains, or is null'

describe('a mistake says what to write instead', () => {
  test.each<[string, number, string]>([
    ['a == 1', 3, '== is not an operator of filters; write ='],
    ['a===1', 2, '=== is not an operator of filters; write ='],
    ['a !== 1', 3, '!== is not an operator of filters; write !='],
    ['a <> 1', 3, '<> is not an operator of filters; write !='],
    ['a => 1', 3, '=> is not an operator of filters; write >='],
    ['a =< 1', 3, '=< is not an operator of filters; write <='],
    ['a = 1 && b = 2', 7, '&& is not an operator of filters; write and'],
    ['a = 1 & b = 2', 7, '& is not an operator of filters; write and'],
    ['a = 1 || b = 2', 7, '|| is not an operator of filters; write or'],
    ['a = 1 | b = 2', 7, '| is not an operator of filters; write or'],
    ['!(a = 1)', 1, '! is not an operator of filters; write not'],
    ['a not in (1, 2)', 3, `expected ${operators}, found not; "not" stands before the path: write not a in`],
    ['`b c` NOT Like "x"', 7, `expected ${operators}, found NOT; "not" stands before the path: write not \`b c\` Like`],
    ['title = “Pricing”', 9, 'expected a value, found “Pricing”; a string is written "Pricing"'],
    ['title = „Pricing review"', 9, 'expected a value, found „Pricing review"; a string is written "Pricing review"'],
    ['‘title’ = 1', 1, 'expected a path, found ‘title’; a field of this name is written title'],
    ["title = 'a b'", 9, `expected a value, found 'a b'; a string is written "a b"`],
    ["title in ('a')", 11, `expected a value, found 'a'; a string is written "a"`],
    ["'odd name' = 1", 1, "expected a path, found 'odd name'; a field of this name is written `odd name`"],
    ['"title" = 1', 1, 'expected a path, found "title"; a field of this name is written title'],
    ["title = 'a", 9, 'strings stand in double quotes, names in backquotes'],
    ['meta-data = 1', 1, 'expected a path, found meta-data; a field of this name is written `meta-data`'],
    ['a.naïve=1', 1, 'expected a path, found a.naïve; a field of this name is written `a.naïve`'],
    ['a = 1 and b.2nd > 5', 11, 'expected a path, found b.2nd; a field of this name is written `b.2nd`'],
    ['title', 6, `expected ${operators}, found the end`],
    ['title ~ "a"', 7, `expected ${operators}, found ~`],
    ['odd name = 1', 5, `expected ${operators}, found name; a field of this name is written \`odd name\``],
    ['like = 1', 1, 'expected a path, found like; a field of this name is written `like`'],
    ['2fa = true', 1, 'expected a path, found 2fa; a field of this name is written `2fa`'],
    ['a..b = 1', 3, 'expected a name after the dot'],
    ['title = Pricing', 9, 'expected a value, found Pricing; a string is written "Pricing"'],
    ['title = a-b', 9, 'expected a value, found a-b; a string is written "a-b"'],
    ['a = 007', 5, 'expected a value, found 007; a number is written 7, a string "007"'],
    ['a = -.50', 5, 'expected a value, found -.50; a number is written -0.50, a string "-.50"'],
    ['a in (1, +5.)', 10, 'expected a value, found +5.; a number is written 5, a string "+5."'],
    ['a = 1.2.3', 5, 'expected a value, found 1.2.3; a string is written "1.2.3"'],
    ['started > 2026-1-5', 11, 'expected a value, found 2026-1-5; a string is written "2026-1-5"'],
    ['a = =', 5, 'expected a value: a string, number, date, true, false or null, found ='],
    ['a is 1', 6, 'expected null, found 1; other values follow ='],
    ['a is not "x"', 10, 'expected null, found "x"; other values follow !='],
  ])('%s is refused at column %i', (text, column, message) => {
    const { code, errors } = refusal(text)
    expect({ code, errors }).toEqual({
      code: 'validation_failed',
      errors: [
        { field: '/filter', message: `/filter cannot be read at column ${column}: ${message}.`, error_code: 'syntax', line: 1, column },
      ],
    })
  })
})

const repeat = (text: string, count: number): string => text.repeat(count)

describe('limits', () => {
  test.each<[string, string]>([
    ['16 levels', `${repeat('not ', 15)}a = 1`],
    ['redundant parentheses', `${repeat('(', 200)}a = 1${repeat(')', 200)}`],
    ['redundant parentheses at each level', `${repeat('not ((', 15)}a = 1${repeat('))', 15)}`],
    ['16 levels and several conditions in the last', `${repeat('not (', 15)}a = 1 and b = 2 and c > 3${repeat(')', 15)}`],
    ['256 conditions', Array(256).fill('a = 1').join(' or ')],
    ['1,000 values', `a in (${Array(1_000).fill('1').join()})`],
    ['a string that fills the body of a request', `a = "${repeat('x', 1_048_000)}"`],
  ])('%s are accepted', (_what, text) => {
    expect(() => parseFilter(text)).not.toThrow()
  })

  test.each<[string, string, [number, string]]>([
    ['17 levels', `${repeat('not ', 16)}a = 1`, [65, 'is nested more than 16 deep']],
    ['17 levels by lists', `${repeat('a = 1 or not (', 8)}b = 2${repeat(')', 8)}`, [113, 'is nested more than 16 deep']],
    ['17 levels by any', `${repeat('any a (', 16)}b = 2${repeat(')', 16)}`, [113, 'is nested more than 16 deep']],
    ['many negations', `${repeat('not ', 100_000)}a = 1`, [65, 'is nested more than 16 deep']],
    ['many parentheses', `${repeat('(', 100_000)}a = 1`, [257, 'has more than 256 parentheses within each other']],
    ['257 conditions', Array(257).fill('a = 1').join(' or '), [2_305, 'has more than 256 conditions']],
    ['1,001 values', `a in (${Array(1_001).fill('1').join()})`, [2_007, 'has more than 1000 values in one list']],
    ['a text that is too long', `a = "${repeat('x', 4_000_000)}"`, [4_000_001, 'has more than 4000000 characters']],
  ])('%s are refused where they begin to be too much', (_what, text, [column, message]) => {
    const { code, errors, message: sentence } = refusal(text)
    expect({ code, errors }).toEqual({
      code: 'query_too_complex',
      errors: [{ field: '/filter', message: `/filter ${message} at column ${column}.`, error_code: 'limit', line: 1, column }],
    })
    expect(sentence).toContain(`/filter ${message} at column ${column}`)
  })

  test.each<[string, string]>([
    ['a string without an end', `a = "${repeat('\\"', 400_000)}`],
    ['a name without an end', `\`${repeat('a', 900_000)}`],
    ['JSON that is nested too deep', `a = ${repeat('[', 100_000)}${repeat(']', 100_000)}`],
  ])('%s is refused', (_what, text) => {
    expect(refusal(text).code).toBe('validation_failed')
  })
})
