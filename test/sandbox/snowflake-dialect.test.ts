import { describe, expect, test } from 'vitest'
import { get } from './client.ts'
import { dataOf, openDepot } from './snowflake-client.ts'

const { submit } = await openDepot()

describe('the dialect', () => {
  test.each<[string, string, unknown]>([
    ['escapes', String.raw`SELECT 'it\'s' || ' \\ ' || '\x41\u0042\n' || 'it''s'`, "it's \\ AB\nit's"],
    ['dollar strings', "SELECT $$it's \\n$$", "it's \\n"],
    ['comments', 'SELECT /* a /* b */ 1 -- c\n // d\n + 1', '2'],
    ['names by their case', 'SELECT "id" * 100 + ID FROM "Order Notes" WHERE ID = 20', '220'],
    ['paths', `SELECT PARSE_JSON('{"a":{"B":[1,{"c":"x"}]}}'):a.B[1].c::STRING`, 'x'],
    ['the case of keys', `SELECT COALESCE(PARSE_JSON('{"a":1}'):A::INT, 0)`, '0'],
    ['paths that are compared', `SELECT IFF(v:a = 'x' AND v:n > 2, 'yes', 'no') FROM (SELECT PARSE_JSON('{"a":"x","n":3}') AS v)`, 'yes'],
    ['exact numbers', 'SELECT 12345678901234567890123456789012345678::NUMBER(38,0)', '12345678901234567890123456789012345678'],
    ['casts', "SELECT CAST('1.255' AS NUMBER(10,2))", '1.26'],
    [
      'functions',
      "SELECT IFF(NVL(NULL, 1) = ZEROIFNULL(NULL) + 1, DATEDIFF(day, '2024-02-01'::DATE, DATEADD(month, 1, '2024-02-01'::DATE)), 0)",
      '29',
    ],
    ['VALUES', "SELECT SUM($1) FROM VALUES (1, 'a'), (2, 'b')", '3'],
    ['columns of VALUES', 'SELECT COLUMN2 FROM (VALUES (1, 5)) AS v', '5'],
    ['TOP', 'SELECT TOP 1 ORDER_ID FROM ORDERS ORDER BY ORDER_ID DESC', '300000'],
    ['QUALIFY', 'SELECT ORDER_ID FROM ORDERS QUALIFY ROW_NUMBER() OVER (ORDER BY ORDER_ID) = 7', '7'],
    ['IDENTIFIER', `SELECT COUNT(*) FROM IDENTIFIER('SANDBOX."Mixed Case"."Orders 2024"')`, '100'],
    ['FOR UPDATE', 'SELECT N FROM (SELECT 1 AS N) FOR UPDATE', '1'],
    ['the information schema', "SELECT COUNT(*) FROM INFORMATION_SCHEMA.TABLES WHERE TABLE_NAME = 'Orders 2024'", '1'],
    ['context', "SELECT CURRENT_DATABASE() || '.' || CURRENT_SCHEMA() || '.' || CURRENT_WAREHOUSE()", 'SANDBOX.PUBLIC.SANDBOX_WH'],
  ])('%s', async (...[, statement, cell]) => {
    const answer = await submit(statement)
    expect([get(answer.body, 'message'), dataOf(answer)]).toEqual(['Statement executed successfully.', [[cell]]])
  })

  test('a name in another case is another name', async () => {
    for (const statement of ['SELECT * FROM "orders"', 'SELECT "order_id" FROM ORDERS', 'SELECT * FROM "Order notes"']) {
      expect((await submit(statement)).status).toBe(422)
    }
  })

  test('nothing outside can be read', async () => {
    for (const statement of [
      "SELECT * FROM read_csv('/etc/passwd')",
      "SELECT * FROM '/etc/passwd'",
      "COPY ORDERS TO '/tmp/x'",
      "ATTACH 'x'",
    ]) {
      expect((await submit(statement)).status).toBe(422)
    }
  })
})
