import { describe, expect, test } from 'vitest'
import { get } from './client.ts'
import { codeOf, dataOf, handleOf, namesOf, noon, openDepot } from './snowflake-client.ts'

const { snowflake, submit, poll } = await openDepot()

describe('statements that fail', () => {
  test.each([
    ['', '000900', '42601', 'SQL compilation error: Empty SQL statement.'],
    [' ; -- nothing', '000900', '42601', 'SQL compilation error: Empty SQL statement.'],
    ['SELEC 1', '001003', '42000', "SQL compilation error:\nsyntax error line 1 at position 0 unexpected 'SELEC'."],
    ['SELECT 1\n  FROM FROM', '001003', '42000', "SQL compilation error:\nsyntax error line 2 at position 2 unexpected 'FROM'."],
    ["SELECT 'abc", '001003', '42000', "SQL compilation error:\nsyntax error line 1 at position 7 unexpected '''."],
    ['SELECT 1 /* c', '001003', '42000', "SQL compilation error:\nsyntax error line 1 at position 9 unexpected '/'."],
    ['SELECT AFAF', '000904', '42000', "SQL compilation error: error line 1 at position 7\ninvalid identifier 'AFAF'"],
    ['SELECT o."x y" FROM ORDERS o', '000904', '42000', `SQL compilation error: error line 1 at position 9\ninvalid identifier '"x y"'`],
    ['SELECT * FROM NOPE', '002003', '42S02', "SQL compilation error:\nObject 'SANDBOX.PUBLIC.NOPE' does not exist or not authorized."],
    [
      'INSERT INTO NOPE VALUES (1)',
      '002003',
      '42S02',
      "SQL compilation error:\nObject 'SANDBOX.PUBLIC.NOPE' does not exist or not authorized.",
    ],
    ['SELECT * FROM NOWHERE.A.B', '002003', '02000', "SQL compilation error:\n'NOWHERE' does not exist or not authorized."],
    ['SELECT NOFUNCTION(1)', '002139', '42601', 'SQL compilation error:\nUnknown function NOFUNCTION.'],
    ["SELECT 'x'::INT", '100038', '22018', "Numeric value 'x' is not recognized"],
    ["INSERT INTO SCRATCH.EVENTS (NAME) VALUES ('n')", '100072', '22000', "NULL result in a non-nullable column 'EVENT_ID'"],
    ['INSERT INTO SCRATCH.COUNTERS VALUES (1)', '002057', '42601', expect.stringContaining('expecting 2 but got 1')],
    ['CREATE TABLE ORDERS (A INT)', '002002', '42710', "SQL compilation error:\nObject 'ORDERS' already exists."],
    ['SELECT ?', '002049', '42601', expect.stringContaining('Bind variable ? not set.')],
    ['SELECT * FROM ORDERS WHERE ORDER_ID = :id', '002049', '42601', expect.stringContaining('not set.')],
    ['PUT file:///x @y', '001003', '42000', expect.stringContaining("unexpected 'PUT'")],
    ['BEGIN', '000002', '0A000', expect.stringContaining("'BEGIN'")],
  ])('%s', async (...[statement, code, sqlState, message]) => {
    const { status, body } = await submit(statement)
    expect([status, body]).toEqual([
      422,
      { code, sqlState, message, statementHandle: expect.any(String), ...(get(body, 'createdOn') ? { createdOn: noon } : {}) },
    ])
  })

  test('tell when they began only if they did', async () => {
    expect(get((await submit('SELECT NOPE')).body, 'createdOn')).toBeUndefined()
    expect(get((await submit("INSERT INTO SCRATCH.EVENTS (NAME) VALUES ('n')")).body, 'createdOn')).toBe(noon)
  })

  test('are asked for later with the same answer', async () => {
    const answer = await submit('SELECT NOPE')
    expect(await poll(handleOf(answer))).toMatchObject({ status: 422, body: answer.body })
    expect((await poll(handleOf(answer), { partition: '2' })).status).toBe(422)
  })

  test('bindings are not known', async () => {
    const answer = await submit('SELECT ?', { body: { bindings: { 1: { type: 'FIXED', value: '1' } } } })
    expect(codeOf(answer)[1]).toBe('000002')
  })
})

describe('several statements', () => {
  const count = (value: unknown, key = 'MULTI_STATEMENT_COUNT') => ({ body: { parameters: { [key]: value } } })
  const two = "INSERT INTO SCRATCH.COUNTERS VALUES (1, 'a'); SELECT COUNT(*) AS N FROM SCRATCH.COUNTERS;"

  test.each([
    ['SELECT 1; SELECT 2', {}, 2, 1],
    ['SELECT 1;; ; SELECT 2;', {}, 2, 1],
    ['SELECT 1', count(2), 1, 2],
    ['SELECT 1; SELECT 2', count('3'), 2, 3],
    ['SELECT 1; SELECT 2', count(0, 'multi_statement_count'), 2, 1],
  ])('%s with %o', async (...[statement, more, actual, desired]) => {
    const answer = await submit(statement, more)
    expect(codeOf(answer)).toEqual([422, '000008', '0A000'])
    expect(get(answer.body, 'message')).toBe(`Actual statement count ${actual} did not match the desired statement count ${desired}.`)
    expect(snowflake.executed()).toEqual([])
  })

  test.each(['SELECT 1;', 'SELECT 1;; -- c', "SELECT ';'", 'SELECT $$;$$', 'SELECT 1 /* ; */'])('%s is one', async (statement) => {
    expect((await submit(statement)).status).toBe(200)
  })

  test.each([2, '0'])('run when as many are announced: %s', async (announced) => {
    const answer = await submit(two, count(announced))
    expect([namesOf(answer), dataOf(answer)]).toEqual([['multiple statement execution'], [['Multiple statements executed successfully.']]])
    const handles = get(answer.body, 'statementHandles')
    const [first, second] = Array.isArray(handles) ? handles : []
    expect(dataOf(await poll(first))).toEqual([['1']])
    expect(dataOf(await poll(second))).toEqual([['1']])
    expect(snowflake.executed().map(({ verb }) => verb)).toEqual(['INSERT', 'SELECT'])
  })

  test('what ran before a failure stays', async () => {
    const answer = await submit("INSERT INTO SCRATCH.COUNTERS VALUES (1, 'a');\nSELECT * FROM NOPE", count(0))
    expect(codeOf(answer)).toEqual([422, '100132', 'P0000'])
    expect(get(answer.body, 'message')).toContain('failed on statement "SELECT * FROM NOPE" (at line 2, position 0).')
    expect(await snowflake.rowCount('SCRATCH.COUNTERS')).toBe(1)
  })

  test('have a session in common', async () => {
    const text = 'USE SCHEMA SCRATCH; BEGIN; INSERT INTO COUNTERS (N) VALUES (1); ROLLBACK; INSERT INTO COUNTERS (N) VALUES (2)'
    expect((await submit(text, count(5))).status).toBe(200)
    expect(await snowflake.query('SELECT N FROM SCRATCH.COUNTERS')).toEqual([['2']])
  })
})

describe('statements inside statements really run', () => {
  const verbs = () => snowflake.executed().map(({ verb }) => verb)

  test('every part of a chain', async () => {
    const chain = 'SELECT 1 AS a ->> INSERT INTO SCRATCH.COUNTERS SELECT a, NULL FROM $1 ->> DELETE FROM SALES.ORDERS ->> SELECT * FROM $2'
    const answer = await submit(chain)
    expect([namesOf(answer), dataOf(answer)]).toEqual([['number of rows inserted'], [['1']]])
    expect([await snowflake.rowCount('SCRATCH.COUNTERS'), await snowflake.rowCount('SALES.ORDERS')]).toEqual([1, 0])
    expect(verbs()).toEqual(['SELECT', 'INSERT', 'DELETE', 'SELECT'])
    expect(new Set(snowflake.executed().map(({ handle }) => handle)).size).toBe(1)
  })

  test('a chain that begins with SHOW', async () => {
    const answer = await submit('SHOW TABLES IN SCHEMA SCRATCH ->> SELECT "name" FROM $1 WHERE "rows" = 0 ORDER BY 1')
    expect(dataOf(answer)).toEqual([['COUNTERS'], ['EVENTS']])
    expect(dataOf(await submit("SHOW VIEWS LIKE 'nothing' ->> SELECT COUNT(*) FROM $1"))).toEqual([['0']])
  })

  test.each([
    ['SELECT 1 ->> TRUNCATE TABLE SALES.ORDERS'],
    ['SELECT 1 -- note\r->> DROP TABLE SALES.ORDERS'],
    ["EXECUTE IMMEDIATE 'DELETE FROM SALES.ORDERS'"],
    ['EXECUTE IMMEDIATE $$BEGIN DELETE FROM SALES.ORDERS; END;$$'],
    ['BEGIN DELETE FROM SALES.ORDERS; RETURN 1; END;'],
    ['DECLARE x INT; BEGIN DELETE FROM SALES.ORDERS; END;'],
    ['INSERT OVERWRITE INTO SALES.ORDERS SELECT 1, 1 WHERE FALSE'],
    ['MERGE INTO SALES.ORDERS t USING SALES.ORDERS s ON t.ORDER_ID = s.ORDER_ID WHEN MATCHED THEN DELETE'],
  ])('%s', async (statement) => {
    expect((await submit(statement)).status).toBe(200)
    const left = await snowflake.rowCount('SALES.ORDERS').catch(() => 'gone')
    expect([0, 'gone']).toContain(left)
  })

  test('schema statements and grants', async () => {
    const created = await submit('CREATE TABLE SCRATCH."Mine" (A NUMBER(10, 2) NOT NULL, B VARCHAR(20), C TIMESTAMP_TZ, D ARRAY)')
    expect(dataOf(created)).toEqual([['Table "Mine" successfully created.']])
    await submit(`INSERT INTO SCRATCH."Mine" SELECT 1.5, 'b', '2024-01-01 00:00:00 +01:00'::TIMESTAMP_TZ, ARRAY_CONSTRUCT(1, 'x')`)
    expect(dataOf(await submit('SELECT * FROM SCRATCH."Mine"'))).toEqual([['1.50', 'b', '1704063600.000000000 1500', '[\n  1,\n  "x"\n]']])
    expect(dataOf(await submit('DROP TABLE SCRATCH."Mine"'))).toEqual([['Table "Mine" successfully dropped.']])
    expect((await submit('GRANT SELECT ON TABLE ORDERS TO ROLE X')).status).toBe(200)
    expect((await submit('CREATE USER X')).status).toBe(422)
    expect(verbs()).toEqual(['CREATE', 'INSERT', 'SELECT', 'DROP', 'GRANT'])
  })

  test('the log tells who ran what where', async () => {
    const requestId = crypto.randomUUID()
    const parameters = { QUERY_TAG: 'nightly' }
    const answer = await submit(' SELECT 1 -- c', { query: { requestId }, body: { schema: 'SALES', parameters } })
    await submit("SELECT 'x'::INT || COUNT(*) FROM ORDERS")
    expect(snowflake.executed()).toEqual([
      {
        ...{ at: noon, handle: handleOf(answer), requestId, statement: 'SELECT 1', verb: 'SELECT', user: 'SANDBOX_USER' },
        ...{ role: 'SANDBOX_ROLE', database: 'SANDBOX', schema: 'SALES', warehouse: 'SANDBOX_WH', queryTag: 'nightly' },
        ...{ outcome: 'succeeded', rows: 1 },
      },
      expect.objectContaining({ schema: 'PUBLIC', queryTag: undefined, outcome: 'failed', rows: 0 }),
    ])
    snowflake.clear()
    expect([snowflake.executed(), snowflake.requests()]).toEqual([[], []])
  })
})
