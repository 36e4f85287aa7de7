import { describe, expect, test } from 'vitest'
import { admit } from '../../../packages/ferrule/src/connectors/snowflake/statement/gate.ts'
import { longestStatement } from '../../../packages/ferrule/src/connectors/snowflake/statement/reasons.ts'
import { choose } from '../../support/draws.ts'
import { edges } from './statement-edges.ts'
import { admittedBy, refuse, sent } from './statement-support.ts'
import { kindOf, kinds, rows } from './statement-table.ts'

const actions = { SELECT: ['get', 'list'], INSERT: ['create'], UPDATE: ['update'], DELETE: ['delete'] }

const numbered = rows.map((row, index) => [index + 1, ...row] as const)

test('the list has 124 statements', () => {
  expect(rows).toHaveLength(124)
})

describe.each(numbered)('statement %i of the list, %j', (_number, text, verdict) => {
  test.each(kinds)(`is judged ${verdict} where %s is taken`, (kind) => {
    const admission = admit(text, kind)
    if (admission.admitted) return expect(verdict).toBe(kind)
    const own = kindOf(verdict)
    expect(admission.reason).toBe(own ? 'other_kind' : verdict)
    expect(admission.takes).toEqual(own ? actions[own] : [])
    expect(admission.message).toContain(`line ${admission.line}, column ${admission.column}`)
    return expect(verdict).not.toBe(kind)
  })
})

test.each(edges)('%j: %s', (text, verdict) => {
  const own = kindOf(verdict)
  expect(admittedBy(text)).toEqual(own ? [own] : [])
  if (!own) expect(refuse(text).reason).toBe(verdict)
})

describe('what is sent', () => {
  test.each([
    ['  \n\t-- lead\n/* two */ // three\n sElEcT 1', 'sElEcT 1'],
    ['SELECT 1;; ; -- done', 'SELECT 1'],
    ['SELECT\r\n  a -- x\n , b/**/c', 'SELECT a , b c'],
    ['SELECT 1 /* a /* b */ AS n', 'SELECT 1 AS n'],
    ['SELECT a / /* x */ / b, - /**/ -1, a ->/**/> b', 'SELECT a / / b, - -1, a -> > b'],
    ["SELECT '  -- \\' /* x */ ''' , $$ // \n$$,\"a  ;\"", "SELECT '  -- \\' /* x */ ''' , $$ // \n$$,\"a  ;\""],
    ["SELECT 'é\u00a0\u0000\ud800'", "SELECT 'é\u00a0\u0000\ud800'"],
  ])('for %j is %j', (text, statement) => {
    expect(sent(admit(text, 'SELECT'))).toBe(statement)
  })
})

describe('a refusal', () => {
  test('says what was found, where, and which actions take the statement', () => {
    expect(admit('select 1', 'INSERT')).toEqual({
      admitted: false,
      reason: 'other_kind',
      found: 'select',
      line: 1,
      column: 1,
      message: "At line 1, column 1 begins 'select', where INSERT is wanted. The action get or list takes this statement.",
      takes: ['get', 'list'],
    })
    expect(admit('SELECT 1\n  ->> DROP TABLE t', 'SELECT')).toEqual({
      admitted: false,
      reason: 'pipe',
      found: '->>',
      line: 2,
      column: 3,
      message: "At line 2, column 3 stands '->>', which chains another statement. A call takes exactly one statement.",
      takes: [],
    })
  })

  test.each([
    ['SELECT 1\n\n;x', 3, 1],
    ['SELECT 1\r\n\r\n ;x', 3, 2],
    ['SELECT 1\r\r;x', 3, 1],
    ["SELECT '😀\u2028';x", 1, 13],
    ["SELECT\n'a\nb' ;x", 3, 4],
    ['', 1, 1],
    ['-- x\n', 2, 1],
  ])('of %j is at line %i, column %i', (text, line, column) => {
    expect(refuse(text)).toMatchObject({ line, column })
  })

  test.each([
    ["'S3CRET' x", 'a string'],
    ['$$S3CRET$$', 'a string'],
    ["SELECT 'S3CRET", 'a string'],
    ['SELECT $$S3CRET', 'a string'],
    ['"S3CRET"', 'a quoted identifier'],
    ['SELECT "S3CRET', 'a quoted identifier'],
    ['SELECT /* S3CRET', 'a block comment'],
    ['SELECT "SYSTEM$S3CRET"(1)', 'a quoted identifier'],
    ["INSERT 'S3CRET'", 'a string'],
    ['123456', 'a number'],
    ["SELECT '1'$S3CRET", 'a string'],
    ['@S3CRET', 'a stage'],
    ['$S3CRET', 'a variable'],
    ['SELECT S3CRET$$', 'a word with $$'],
    ['SELECT \u{1f600}', 'the character U+1F600'],
    ['SELECT \u00a0', 'the character U+00A0'],
    [`WITH ${'x'.repeat(50)}`, 'the end of the statement'],
    [`${'x'.repeat(50)} 1`, `${'x'.repeat(39)}…`],
    ['SELECT 1;', 'SELECT'],
  ])('of %j shows %s and nothing of a literal', (text, found) => {
    const refusal = refuse(text, 'UPDATE')
    expect(refusal.found).toBe(found)
    expect(JSON.stringify(refusal)).not.toContain('S3CRET')
  })
})

describe('a long text', () => {
  const long = choose(longestStatement / 4, longestStatement)
  const padded = (start: string, end = ''): string => `${start}${' '.repeat(longestStatement - start.length - end.length)}${end}`

  test('is read up to 1,048,576 code units', () => {
    expect(sent(admit(padded('SELECT 1 ', ', 2'), 'SELECT'))).toBe('SELECT 1 , 2')
    expect(refuse(`${padded('SELECT\n1')}x`)).toMatchObject({ reason: 'too_long', line: 2, column: longestStatement - 6, takes: [] })
  })

  test.each([
    ...["(1,'a'),", '(', ')', '[{', 'a:', '- ', '--\r', '/**/', "''", '"', '$'],
    ...['$$', ';', '; ', '@s ', '\\', "'", 'WITH x AS (', 'f(', '1.', '\r'],
  ])('of many %j is answered', (piece) => {
    for (const [start, kind] of [
      ['SELECT ', 'SELECT'],
      ['INSERT INTO t VALUES ', 'INSERT'],
      ['WITH x AS (', 'SELECT'],
      ['', 'DELETE'],
    ] as const) {
      const admission = admit(`${start}${piece.repeat((long - start.length) / piece.length)}`, kind)
      expect(typeof admission.admitted).toBe('boolean')
    }
  })
})
