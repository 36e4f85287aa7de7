import { describe, expect, test } from 'vitest'
import { admit } from '../../../src/connectors/snowflake/statement/gate.ts'
import { longestStatement } from '../../../src/connectors/snowflake/statement/reasons.ts'
import { admittedBy, refusalOf, sent } from './statement-support.ts'
import { kindOf, kinds, type Row, rows } from './statement-table.ts'

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

/** Beyond the list: what each rule says at its edges. */
const edges: readonly Row[] = [
  // Strings, quoted identifiers, comments.
  ["SELECT 'a''; DROP TABLE t; --'", 'SELECT'],
  ["SELECT '\\''; DROP TABLE t; --'", 'several_statements'],
  ["SELECT 'a\nb', '\\\n;'", 'SELECT'],
  ["SELECT 'a\\", 'unterminated'],
  ['SELECT "a\\" FROM t', 'SELECT'],
  ['SELECT "a\\""; DROP TABLE t; --"', 'SELECT'],
  ['SELECT /*/ 1', 'unterminated'],
  ['SELECT /*/ x */ 1', 'SELECT'],
  ['SELECT 1 -- a\u2028; DROP TABLE t', 'SELECT'],
  ['SELECT 1 -- a\r; DROP TABLE t', 'several_statements'],
  ['SELECT 1 // a\r\n; DROP TABLE t', 'several_statements'],
  ['SELECT $$a$b$$, $$$5$$', 'SELECT'],
  ['SELECT \'é\u00a0\u0000\ud800\', "ü\u2028" /* \u0000 \udfff */', 'SELECT'],
  // A dollar sign that two readers could give to two tokens.
  ["SELECT 1$$ ' $$ ->> DROP TABLE t -- '", 'ambiguous'],
  ["SELECT $a$$ ' $$ ' ->> DROP TABLE t -- '", 'ambiguous'],
  ["SELECT $$a$$$ ' $$ ' ->> DROP TABLE t -- '", 'ambiguous'],
  ["SELECT 'a'$$ ' $$", 'ambiguous'],
  ['SELECT a$b$$c', 'ambiguous'],
  // Characters that no rule knows.
  ['SELECT\u000b1', 'foreign_character'],
  ['SELECT\u000c1', 'foreign_character'],
  ['SELECT 1\u0000', 'foreign_character'],
  ['SELECT 1\u007f', 'foreign_character'],
  ['\ufeffSELECT 1', 'foreign_character'],
  ['SELECT 1\u2028FROM t', 'foreign_character'],
  ['SELECT 1\u0085FROM t', 'foreign_character'],
  ['SELECT 1\u3000FROM t', 'foreign_character'],
  ['SELECT \ud83d', 'foreign_character'],
  ['SELECT naïve', 'foreign_character'],
  ["SELECT `'` ->> DROP TABLE t -- '`", 'foreign_character'],
  ["SELECT 1 # '\n; DROP TABLE t -- '", 'foreign_character'],
  ['SELECT a \\ b', 'foreign_character'],
  // Stages.
  ['SELECT $1 FROM @~/a.csv', 'SELECT'],
  ['SELECT $1 FROM @%t, @"my s"."st; ->>"/x/y.csv (PATTERN => \'.*\')', 'SELECT'],
  ['SELECT $1 FROM @s; DROP TABLE t', 'several_statements'],
  ['SELECT $1 FROM @s->>DROP TABLE t', 'ambiguous'],
  ['SELECT $1 FROM @s/*.csv ->> DROP TABLE t', 'ambiguous'],
  ['SELECT $1 FROM @s//x', 'ambiguous'],
  ['SELECT $1 FROM @s/$$ ->> DROP TABLE t -- $$', 'ambiguous'],
  ["SELECT $1 FROM @s/' ->> DROP TABLE t --'", 'ambiguous'],
  ['SELECT $1 FROM @s/a"b ->> DROP TABLE t --"', 'ambiguous'],
  ['SELECT $1 FROM @s/x."b ->> DROP TABLE t --"', 'ambiguous'],
  ['SELECT $1 FROM @"s"/$$ ->> DROP TABLE t -- $$', 'ambiguous'],
  ['SELECT $1 FROM @"s', 'unterminated'],
  ['SELECT $1 FROM @s\u00a0INTO', 'foreign_character'],
  // One statement.
  ['', 'no_statement'],
  [' \n /* x */ ; ;', 'no_statement'],
  ['SELECT 1; (', 'several_statements'],
  ['SELECT a -- x\n->> SELECT 1', 'pipe'],
  ['SELECT a ->/**/> b', 'SELECT'],
  // Brackets.
  ['SELECT (1', 'unbalanced'],
  ['SELECT 1)', 'unbalanced'],
  ['SELECT (1))(', 'unbalanced'],
  ['SELECT [1)', 'unbalanced'],
  ["SELECT {'a': 1", 'unbalanced'],
  ['((', 'unbalanced'],
  // The verb.
  ['"SELECT" 1', 'not_a_row_statement'],
  ["'SELECT' 1", 'not_a_row_statement'],
  ['SELECTED 1', 'not_a_row_statement'],
  ['()', 'not_a_row_statement'],
  ['(DELETE FROM t)', 'nested_statement'],
  ['(INSERT INTO t VALUES (1))', 'nested_statement'],
  ['(DELETE)', 'nested_statement'],
  // WITH.
  ['WITH x AS (SELECT 1) ((SELECT 2) UNION (SELECT 3))', 'SELECT'],
  ['WITH x AS (SELECT 1) (WITH y AS (SELECT 2) SELECT * FROM y)', 'SELECT'],
  ['WITH x AS (SELECT 1) (WITH y AS (SELECT 2) DELETE FROM t)', 'with_without_select'],
  ['WITH x AS (SELECT 1) WITH y AS (SELECT 2) SELECT 3', 'with_without_select'],
  ['WITH recursive AS (SELECT 1) SELECT * FROM recursive', 'SELECT'],
  ['WITH m AS MODEL db.s."M" VERSION v1, n AS MODEL n SELECT m!PREDICT(1)', 'SELECT'],
  ['WITH m AS MODEL db. SELECT 1', 'with_without_select'],
  ['WITH m AS MODEL m VERSION 1 SELECT 1', 'with_without_select'],
  ['WITH x (SELECT 1) SELECT 1', 'with_without_select'],
  ['WITH x AS SELECT 1', 'with_without_select'],
  ["WITH 'x' AS (SELECT 1) SELECT 1", 'with_without_select'],
  ['WITH x AS (SELECT 1), SELECT 1', 'with_without_select'],
  ['WITH x AS (SELECT 1)', 'with_without_select'],
  ['WITH x AS (SELECT 1', 'unbalanced'],
  ['WITH x AS (SELECT 1) MERGE INTO t USING s ON 1 = 1 WHEN MATCHED THEN DELETE', 'with_without_select'],
  ['WITH x AS (SELECT 1), p AS PROCEDURE () RETURNS INT AS $$x$$ CALL p()', 'procedure'],
  ['INSERT INTO t WITH p AS PROCEDURE () RETURNS INT AS $$x$$ CALL p()', 'procedure'],
  ['SELECT a AS procedure FROM t', 'SELECT'],
  // INSERT and INTO.
  ['INSERT t VALUES (1)', 'insert_without_into'],
  ['INSERT', 'insert_without_into'],
  ['INSERT "INTO" t VALUES (1)', 'insert_without_into'],
  ['SELECT 1 AS "INTO" FROM t', 'SELECT'],
  ['WITH x AS (SELECT 1) SELECT 1 into y', 'select_into'],
  // Statements in parentheses.
  ['SELECT * FROM (CALL p())', 'nested_statement'],
  ['WITH x AS (SHOW TABLES) SELECT 1', 'nested_statement'],
  ["SELECT * FROM (EXECUTE IMMEDIATE 'x')", 'nested_statement'],
  ['DELETE FROM t WHERE a IN (MERGE INTO t USING s)', 'nested_statement'],
  ['SELECT (begin), (get + 1), (show = 2) FROM t', 'SELECT'],
  ['SELECT ("begin" IS NULL) FROM t', 'SELECT'],
  // Functions.
  ["SELECT SYSTEM$TYPEOF(a), system$stream_has_data ('s') FROM t", 'SELECT'],
  ['SELECT db.s.system$wait /* x */ (1)', 'system_function'],
  ['UPDATE t SET a = SYSTEM$WAIT(1)', 'system_function'],
  ['SELECT "system$wait"(1)', 'system_function'],
  ['SELECT SYSTEM$WAIT FROM t', 'SELECT'],
  ["SELECT identifier ( 'f' ) (1)", 'computed_function'],
  ["INSERT INTO t SELECT IDENTIFIER('f')(1)", 'computed_function'],
  ["INSERT ALL INTO IDENTIFIER('T') (a) SELECT 1", 'INSERT'],
  ['SELECT f(1), (2)', 'SELECT'],
  // Placeholders and colons.
  ['SELECT v:order:id, v:from.select:x FROM t', 'SELECT'],
  ['SELECT a : b FROM t', 'placeholder'],
  ['SELECT CASE WHEN a THEN:b END', 'placeholder'],
  ["SELECT 'a':b", 'placeholder'],
  ["SELECT {'a': ('b': 1)}", 'placeholder'],
  ["SELECT {$$a$$: 1, 'b' : {'c': [2]}}", 'SELECT'],
  ['SELECT 1:b', 'placeholder'],
  [':1', 'not_a_row_statement'],
  ['SELECT a:::b', 'placeholder'],
  ['SELECT * FROM t MATCH_RECOGNIZE (PATTERN (^ a?? (b? | c){1,2}? $) DEFINE a AS b > 1)', 'SELECT'],
  ['SELECT * FROM t MATCH_RECOGNIZE (PATTERN (a?) DEFINE a AS b > ?)', 'placeholder'],
  ['SELECT pattern(?)', 'placeholder'],
  ['SELECT * FROM t MATCH_RECOGNIZE (MEASURES f(PATTERN(?)) AS x)', 'placeholder'],
]

test.each(edges)('%j: %s', (text, verdict) => {
  const own = kindOf(verdict)
  expect(admittedBy(text)).toEqual(own ? [own] : [])
  if (!own) expect(refusalOf(text).reason).toBe(verdict)
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
    expect(refusalOf(text)).toMatchObject({ line, column })
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
    [`WITH ${'x'.repeat(50)}`, 'the end of the text'],
    [`${'x'.repeat(50)} 1`, `${'x'.repeat(39)}…`],
    ['SELECT 1;', 'SELECT'],
  ])('of %j shows %s and nothing of a literal', (text, found) => {
    const refusal = refusalOf(text, 'UPDATE')
    expect(refusal.found).toBe(found)
    expect(JSON.stringify(refusal)).not.toContain('S3CRET')
  })
})

describe('a long text', () => {
  const padded = (start: string, end = ''): string => `${start}${' '.repeat(longestStatement - start.length - end.length)}${end}`

  test('is read up to 1,048,576 code units', () => {
    expect(sent(admit(padded('SELECT 1 ', ', 2'), 'SELECT'))).toBe('SELECT 1 , 2')
    expect(refusalOf(`${padded('SELECT\n1')}x`)).toMatchObject({ reason: 'too_long', line: 2, column: longestStatement - 6, takes: [] })
  })

  test.each([
    "(1,'a'),",
    '(',
    ')',
    '[{',
    'a:',
    '- ',
    '--\r',
    '/**/',
    "''",
    '"',
    '$',
    '$$',
    ';',
    '; ',
    '@s ',
    '\\',
    "'",
    'WITH x AS (',
    'f(',
    '1.',
    '\r',
  ])('of a megabyte of %j is answered', (piece) => {
    for (const [start, kind] of [
      ['SELECT ', 'SELECT'],
      ['INSERT INTO t VALUES ', 'INSERT'],
      ['WITH x AS (', 'SELECT'],
      ['', 'DELETE'],
    ] as const) {
      const admission = admit(`${start}${piece.repeat((longestStatement - start.length) / piece.length)}`, kind)
      expect(typeof admission.admitted).toBe('boolean')
    }
  })
})
